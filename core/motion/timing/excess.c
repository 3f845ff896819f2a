/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/excess.c - excess over the limits between the nodes, and margins for it. */
#include <math.h>
#include <string.h>

#include "core/motion/timing/optimal_private.h"

static const double more = 1.05; /* margin for an excess */

/* the quartic through the five nodes, at part z of the interval */
static void weights(double z, double ret[TQ_PATH_NODES])
{
    for (int k = 0; k < TQ_PATH_NODES; k++) {
        ret[k] = 1.0;
        for (int l = 0; l < TQ_PATH_NODES; l++) {
            ret[k] *= l == k ? 1.0 : (z * TQ_PATH_PARTS - l) / (double)(k - l);
        }
    }
}

/* Friction at the points of interval i; where it may have either sign, that of the nearest node,
 * for which the bounds are. */
static void friction_at_points(const tq_stretch *p, size_t i, double *slope, double *ret)
{
    const double begin = sqrt(p->x[i]);
    const double end = sqrt(p->x[i + 1]);
    const size_t first = TQ_PATH_PARTS * i * p->n_row;
    for (long k = 0; k < TQ_PATH_POINTS; k++) {
        double w[TQ_PATH_NODES];
        const double part = tq_path_part(k, begin, end);
        const double x = p->x[i] + (p->x[i + 1] - p->x[i]) * part;
        const size_t near = (size_t)(part * TQ_PATH_PARTS + 0.5) * p->n_row + first;
        weights(part, w);
        for (size_t j = 0; j < p->nv; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < TQ_PATH_NODES; l++) {
                sum += w[l] * p->slope[first + l * p->n_row + j];
            }
            slope[j] = p->both[near + j] ? p->slope[near + j] : sum;
        }
        memset(ret, 0, p->n_row * sizeof *ret);
        tq_stretch_friction_at(p, slope, fmax(x, 0.0), ret);
        ret += p->n_row;
    }
}

/* the limit that is used most */
static void note(const tq_stretch *p, const double *use, tq_timed_path *ret, size_t at)
{
    static const tq_limit_kind kinds[] = {TQ_LIMIT_VELOCITY, TQ_LIMIT_ACCELERATION,
                                          TQ_LIMIT_EFFORT};
    ret->use[at] = -1.0;
    for (size_t kind = 0; kind < TQ_MARGINS; kind++) {
        for (size_t j = 0; j < p->nv; j++) {
            if (use[kind * p->n_row + j] > ret->use[at]) {
                ret->use[at] = use[kind * p->n_row + j];
                ret->joint[at] = j;
                ret->limit[at] = (unsigned char)kinds[kind];
            }
        }
    }
}

double tq_stretch_excess(tq_stretch *p, tq_timed_path *ret, size_t first)
{
    const size_t rows = TQ_MARGINS * p->n_row;
    double *use = p->work;
    double *high = use + rows;
    double *friction = high + rows;
    double *slope = friction + TQ_PATH_POINTS * p->n_row;
    double most = 0.0;
    memset(use, 0, 2 * rows * sizeof *use);
    for (size_t i = 0; i < p->n_grid; i++) {
        if (!p->touched[i] && !(p->over[i] > tq_excess_done)) {
            continue;
        }
        tq_path_interval interval = tq_stretch_interval(p, i);
        if (p->is_speed_dependent) {
            friction_at_points(p, i, slope, friction);
            interval.friction = friction;
        }
        p->kernels->path_use(&interval, use, high);
        note(p, use, ret, first + i);
        p->touched[i] = 0;
        p->over[i] = 0.0;
        for (size_t j = 0; j < rows; j++) {
            p->over[i] = high[j] - 1.0 > p->over[i] ? high[j] - 1.0 : p->over[i];
        }
        if (p->over[i] > tq_excess_done) {
            double *margin = p->margin + i * rows;
            for (size_t j = 0; j < rows; j++) {
                margin[j] += high[j] > 1.0 ? more * (high[j] - 1.0) : 0.0;
            }
            p->stale[i] = 1;
            most = p->over[i] > most ? p->over[i] : most;
        }
    }
    return most;
}
