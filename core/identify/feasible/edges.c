/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/feasible/edges.c - linear bounds of single bodies: one-dimensional cones whose
 * slack is a combination of a body's ten entries. */
#include "core/identify/feasible/edges.h"

#include <math.h>

#include "core/identify/feasible/block4.h"

enum { TEN = TQ_SVEC4 };

static double product_of(const tq_feasible_bound *bound, const double *x)
{
    double sum = 0.0;
    for (unsigned i = 0; i < TEN; i++) {
        sum += bound->row[i] * x[TEN * bound->body + i];
    }
    return sum;
}

bool tq_edges_start(tq_edge *edges, size_t n_edge, const double *x, double mu)
{
    for (size_t k = 0; k < n_edge; k++) {
        edges[k].s = product_of(edges[k].of, x) + edges[k].of->offset;
        if (!(edges[k].s > 0.0)) {
            return false;
        }
        edges[k].z = mu / edges[k].s;
    }
    return true;
}

bool tq_edges_assemble(tq_edge *edges, size_t n_edge, size_t n, double *m, double *dual,
                       double *ret_product)
{
    *ret_product = 0.0;
    for (size_t k = 0; k < n_edge; k++) {
        tq_edge *e = &edges[k];
        const double *row = e->of->row;
        const size_t at = TEN * e->of->body;
        if (!(e->s > 0.0 && e->z > 0.0)) {
            return false;
        }
        e->lambda = sqrt(e->s * e->z);
        e->w = sqrt(e->z / e->s);
        *ret_product += e->s * e->z;
        for (unsigned i = 0; i < TEN; i++) {
            dual[at + i] += row[i] * e->z;
            for (unsigned j = 0; j <= i; j++) {
                m[(at + j) * n + at + i] += row[i] * row[j] * (e->z / e->s);
            }
        }
    }
    return true;
}

void tq_edges_right_side(tq_edge *edges, size_t n_edge, double target, bool corrects, double *dx)
{
    for (size_t k = 0; k < n_edge; k++) {
        tq_edge *e = &edges[k];
        const double correction = corrects ? e->ds * e->dz : 0.0;
        e->dz = (target - e->s * e->z - correction) / e->lambda;
        for (unsigned i = 0; i < TEN; i++) {
            dx[TEN * e->of->body + i] += e->of->row[i] * e->w * (e->dz + e->lambda);
        }
    }
}

double tq_edges_steps(tq_edge *edges, size_t n_edge, const double *dx, double inverse)
{
    for (size_t k = 0; k < n_edge; k++) {
        tq_edge *e = &edges[k];
        e->ds = e->w * product_of(e->of, dx);
        e->dz -= e->ds;
        inverse = fmax(inverse, fmax(-e->ds, -e->dz) / e->lambda);
    }
    return inverse;
}

double tq_edges_look_ahead(const tq_edge *edges, size_t n_edge, double step)
{
    double sum = 0.0;
    for (size_t k = 0; k < n_edge; k++) {
        const tq_edge *e = &edges[k];
        sum += (e->lambda + step * e->ds) * (e->lambda + step * e->dz);
    }
    return sum;
}

void tq_edges_advance(tq_edge *edges, size_t n_edge, double step)
{
    for (size_t k = 0; k < n_edge; k++) {
        tq_edge *e = &edges[k];
        e->s += step * e->ds / e->w;
        e->z += step * e->w * e->dz;
    }
}
