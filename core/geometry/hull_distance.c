/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/hull_distance.c - a hull and a sphere, capsule, box, half-space or hull. */
#include "core/geometry/hull_distance.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/geometry/nearest.h"
#include "core/geometry/polyhedron.h"

/* The point of triangle p q r that is nearest to x: C. Ericson, Real-Time Collision Detection,
 * 2005, 5.1.5, by the regions of its corners, edges and its inside. */
static void on_triangle(const double *x, const double *p, const double *q, const double *r,
                        double *ret)
{
    double pq[3], pr[3], d[3];
    tq_near_minus(q, p, pq);
    tq_near_minus(r, p, pr);
    tq_near_minus(x, p, d);
    const double d1 = tq_near_dot(pq, d), d2 = tq_near_dot(pr, d);
    tq_near_minus(x, q, d);
    const double d3 = tq_near_dot(pq, d), d4 = tq_near_dot(pr, d);
    tq_near_minus(x, r, d);
    const double d5 = tq_near_dot(pq, d), d6 = tq_near_dot(pr, d);
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    double s = 0.0, t = 0.0; /* p + s pq + t pr */
    if (d1 <= 0.0 && d2 <= 0.0) {
        s = t = 0.0;
    } else if (d3 >= 0.0 && d4 <= d3) {
        s = 1.0;
    } else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        s = d1 / (d1 - d3);
    } else if (d6 >= 0.0 && d5 <= d6) {
        t = 1.0;
    } else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        t = d2 / (d2 - d6);
    } else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        s = 1.0 - t;
    } else {
        s = vb / (va + vb + vc);
        t = vc / (va + vb + vc);
    }
    tq_near_along(p, s, pq, ret);
    tq_near_along(ret, t, pr, ret);
}

/* `gap` is less than the distance of two features: they need not be tried */
static bool is_far(double gap, const tq_nearest *best)
{
    return gap > 0.0 && gap * gap > best->square;
}

/* Vertices of `of` against faces of `other`; sign 1: `of` is a. n separates the bodies. */
static void search_faces(const tq_polyhedron *of, const tq_polyhedron *other, double sign,
                         const double *n, tq_nearest *best)
{
    double x[TQ_HULL_VERTICES_MAX];
    for (unsigned v = 0; v < other->n_vertex; v++) {
        x[v] = sign * tq_near_dot(n, other->vertex[v]);
    }
    for (unsigned v = 0; v < of->n_vertex; v++) {
        const double *p = of->vertex[v], own = sign * tq_near_dot(n, p);
        for (unsigned f = 0; f < other->n_face; f++) {
            const uint8_t *c = other->face[f];
            double y[3];
            if (is_far(fmin(fmin(x[c[0]], x[c[1]]), x[c[2]]) - own, best)) {
                continue;
            }
            on_triangle(p, other->vertex[c[0]], other->vertex[c[1]], other->vertex[c[2]], y);
            tq_near_note(best, sign > 0.0 ? p : y, sign > 0.0 ? y : p);
        }
    }
}

/* Of bodies that are apart, or touch; n separates them. */
static tq_nearest search(const tq_polyhedron *a, const tq_polyhedron *b, const double *n)
{
    tq_nearest best = {.square = (double)INFINITY};
    for (unsigned v = 0; v < a->n_vertex; v++) {
        for (unsigned w = 0; w < b->n_vertex; w++) {
            tq_near_note(&best, a->vertex[v], b->vertex[w]);
        }
    }
    search_faces(a, b, 1.0, n, &best);
    search_faces(b, a, -1.0, n, &best);
    for (unsigned i = 0; i < a->n_edge; i++) {
        const tq_edge_at *u = &a->edge[i];
        const double high = tq_near_dot(n, u->middle) + u->half * fabs(tq_near_dot(n, u->unit));
        for (unsigned j = 0; j < b->n_edge; j++) {
            const tq_edge_at *v = &b->edge[j];
            const double low = tq_near_dot(n, v->middle) - v->half * fabs(tq_near_dot(n, v->unit));
            if (!is_far(low - high, &best)) {
                tq_near_segments(u->middle, u->unit, u->half, v->middle, v->unit, v->half, &best);
            }
        }
    }
    return best;
}

static double largest_separation(const tq_polyhedron *a, const tq_polyhedron *b, double *ret_normal)
{
    tq_separation is;
    tq_polyhedron_separate(a, b, &is);
    const tq_axis *best = &is.face_a;
    best = is.face_b.separation > best->separation ? &is.face_b : best;
    best = is.edges.separation > best->separation ? &is.edges : best;
    memcpy(ret_normal, best->normal, sizeof best->normal);
    return best->separation;
}

static void of_bodies(const tq_polyhedron *a, tq_polyhedron *b, tq_proximity *ret)
{
    double n[3];
    tq_nearest best;
    const double separation = largest_separation(a, b, n);
    if (separation > 0.0) {
        best = search(a, b, n);
        ret->distance = sqrt(best.square);
        if (ret->distance > 1e-12) {
            tq_near_minus(best.b, best.a, n);
            tq_near_unit(n, ret->distance, n);
        }
    } else { /* b moved by the depth along n touches a */
        for (unsigned v = 0; v < b->n_vertex; v++) {
            tq_near_along(b->vertex[v], -separation, n, b->vertex[v]);
        }
        for (unsigned e = 0; e < b->n_edge; e++) {
            tq_near_along(b->edge[e].middle, -separation, n, b->edge[e].middle);
        }
        best = search(a, b, n);
        tq_near_along(best.b, separation, n, best.b);
        ret->distance = separation;
    }
    memcpy(ret->a, best.a, sizeof ret->a);
    memcpy(ret->b, best.b, sizeof ret->b);
    memcpy(ret->normal, n, sizeof ret->normal);
}

/* The middle of the vertices that are lowest above the plane. */
static void of_half_space(const tq_pose *plane, const tq_polyhedron *b, tq_proximity *ret)
{
    const double n[3] = {plane->r[2], plane->r[5], plane->r[8]};
    const double back[3] = {-n[0], -n[1], -n[2]};
    const double lowest = -tq_polyhedron_support(b, back),
                 size = tq_polyhedron_support(b, n) - lowest;
    unsigned count = 0;
    memset(ret->b, 0, sizeof ret->b);
    for (unsigned v = 0; v < b->n_vertex; v++) {
        if (tq_near_dot(n, b->vertex[v]) <= lowest + 1e-9 * size) {
            tq_near_along(ret->b, 1.0, b->vertex[v], ret->b);
            count++;
        }
    }
    tq_near_unit(ret->b, (double)count, ret->b);
    ret->distance = lowest - tq_near_dot(n, plane->p);
    tq_near_along(ret->b, -ret->distance, n, ret->a);
    memcpy(ret->normal, n, sizeof n);
}

void tq_hull_distance(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                      const tq_pose *pose_b, tq_proximity *ret)
{
    tq_polyhedron body_a, body_b;
    if (a->kind == TQ_GEOM_HALF_SPACE) {
        tq_polyhedron_of(b, pose_b, &body_b);
        of_half_space(pose_a, &body_b, ret);
    } else if (b->kind == TQ_GEOM_HALF_SPACE) {
        tq_polyhedron_of(a, pose_a, &body_a);
        of_half_space(pose_b, &body_a, ret);
        tq_near_exchange(ret);
    } else {
        tq_polyhedron_of(a, pose_a, &body_a);
        tq_polyhedron_of(b, pose_b, &body_b);
        of_bodies(&body_a, &body_b, ret);
        tq_near_along(ret->a, a->radius, ret->normal, ret->a);
        tq_near_along(ret->b, -b->radius, ret->normal, ret->b);
        ret->distance -= a->radius + b->radius;
    }
}
