/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/hull_distance.c - a hull and a sphere, capsule, box, half-space or hull. */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/geometry/hull.h"
#include "core/geometry/nearest.h"

/* A core in the world by its vertices, triangles and edges. */
typedef struct body {
    unsigned n_vertex, n_face, n_edge;
    double vertex[TQ_HULL_VERTICES_MAX][3];
    const uint8_t (*face)[3];
    const tq_hull_edge *edge;
    double radius;
} body;

static const tq_hull_edge segment_edge[1] = {{.end = {0, 1}, .beside = {0, 1}}};
/* corner number: + along axis k where bit k is set */
static const uint8_t box_face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                        {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                        {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
static const tq_hull_edge box_edge[12] = {{{0, 1}, {2, 4}}, {{2, 3}, {0, 6}}, {{4, 5}, {0, 6}},
                                          {{6, 7}, {2, 4}}, {{0, 2}, {1, 4}}, {{1, 3}, {0, 5}},
                                          {{4, 6}, {0, 5}}, {{5, 7}, {1, 4}}, {{0, 4}, {1, 2}},
                                          {{1, 5}, {0, 3}}, {{2, 6}, {0, 3}}, {{3, 7}, {1, 2}}};

static void body_of(const tq_geom *shape, const tq_pose *pose, body *ret)
{
    *ret = (body){.radius = shape->radius};
    ret->n_vertex = tq_geom_corners(shape, pose, ret->vertex);
    if (shape->kind == TQ_GEOM_HULL) {
        ret->n_face = shape->hull->n_face;
        ret->face = shape->hull->face;
        ret->n_edge = shape->hull->n_edge;
        ret->edge = shape->hull->edge;
    } else if (shape->kind == TQ_GEOM_BOX) {
        ret->n_face = 12;
        ret->face = box_face;
        ret->n_edge = 12;
        ret->edge = box_edge;
    } else if (ret->n_vertex == 2) {
        ret->n_edge = 1;
        ret->edge = segment_edge;
    }
}

/* The most that a body extends along n. */
static double support(const body *of, const double *n)
{
    double most = -(double)INFINITY;
    for (unsigned v = 0; v < of->n_vertex; v++) {
        most = fmax(most, tq_near_dot(n, of->vertex[v]));
    }
    return most;
}

static void along_unit(const double *n, double length, double *ret)
{
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = n[k] / length;
    }
}

/* Keeps the direction of the largest separation; n of unit length, from a to b. */
static void try_direction(const body *a, const body *b, const double *n, double *separation,
                          double *normal)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    const double s = -support(b, back) - support(a, n);
    if (s > *separation) {
        *separation = s;
        memcpy(normal, n, 3 * sizeof *n);
    }
}

/* The normals of the faces of `of`; sign 1: it is a. */
static void try_faces(const body *a, const body *b, const body *of, double sign, double *separation,
                      double *normal)
{
    for (unsigned f = 0; f < of->n_face; f++) {
        const uint8_t *v = of->face[f];
        double u[3], w[3], n[3];
        tq_near_minus(of->vertex[v[1]], of->vertex[v[0]], u);
        tq_near_minus(of->vertex[v[2]], of->vertex[v[0]], w);
        tq_vec_cross(u, w, n);
        along_unit(n, sign * sqrt(tq_near_dot(n, n)), n);
        try_direction(a, b, n, separation, normal);
    }
}

/* Whether edge e is extreme along n (unit), at right angles to it: its neighbours are not beyond. */
static bool is_extreme(const body *of, const tq_hull_edge *e, const double *n, double slack)
{
    const double own = tq_near_dot(n, of->vertex[e->end[0]]);
    return tq_near_dot(n, of->vertex[e->beside[0]]) <= own + slack &&
           tq_near_dot(n, of->vertex[e->beside[1]]) <= own + slack;
}

static void direction_of(const body *of, const tq_hull_edge *e, double *ret, double *ret_length)
{
    tq_near_minus(of->vertex[e->end[1]], of->vertex[e->end[0]], ret);
    *ret_length = sqrt(tq_near_dot(ret, ret));
    along_unit(ret, *ret_length, ret);
}

/* Edges whose product is a face of the Minkowski difference: extreme on both bodies. D. Gregorius,
 * The separating axis test between convex polyhedra, GDC 2013. */
static void try_edges(const body *a, const body *b, double *separation, double *normal)
{
    for (unsigned i = 0; i < a->n_edge; i++) {
        double u[3], lu = 0.0;
        direction_of(a, &a->edge[i], u, &lu);
        for (unsigned j = 0; j < b->n_edge; j++) {
            double v[3], n[3], lv = 0.0;
            direction_of(b, &b->edge[j], v, &lv);
            tq_vec_cross(u, v, n);
            const double length = sqrt(tq_near_dot(n, n)), slack = 1e-9 * (lu + lv);
            for (int side = 0; side < 2 && length > 1e-8; side++) {
                const double sign = side == 0 ? 1.0 : -1.0;
                double unit[3], back[3];
                along_unit(n, sign * length, unit);
                along_unit(n, -sign * length, back);
                if (is_extreme(a, &a->edge[i], unit, slack) &&
                    is_extreme(b, &b->edge[j], back, slack)) {
                    try_direction(a, b, unit, separation, normal);
                }
            }
        }
    }
}

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

/* vertices of `of` against faces of `other`; first: `of` is a */
static void search_faces(const body *of, const body *other, bool first, tq_nearest *best)
{
    for (unsigned v = 0; v < of->n_vertex; v++) {
        for (unsigned f = 0; f < other->n_face; f++) {
            const uint8_t *c = other->face[f];
            double y[3];
            on_triangle(of->vertex[v], other->vertex[c[0]], other->vertex[c[1]],
                        other->vertex[c[2]], y);
            tq_near_note(best, first ? of->vertex[v] : y, first ? y : of->vertex[v]);
        }
    }
}

/* of bodies that are apart, or touch */
static tq_nearest search(const body *a, const body *b)
{
    tq_nearest best = {.square = (double)INFINITY};
    search_faces(a, b, true, &best);
    search_faces(b, a, false, &best);
    for (unsigned i = 0; i < a->n_edge; i++) {
        double u[3], x[3], lu = 0.0;
        direction_of(a, &a->edge[i], u, &lu);
        tq_near_along(a->vertex[a->edge[i].end[0]], 0.5 * lu, u, x);
        for (unsigned j = 0; j < b->n_edge; j++) {
            double v[3], y[3], lv = 0.0;
            direction_of(b, &b->edge[j], v, &lv);
            tq_near_along(b->vertex[b->edge[j].end[0]], 0.5 * lv, v, y);
            tq_near_segments(x, u, 0.5 * lu, y, v, 0.5 * lv, &best);
        }
    }
    return best;
}

static void of_bodies(const body *a, body *b, tq_proximity *ret)
{
    double n[3] = {0.0, 0.0, 1.0}, separation = -(double)INFINITY;
    tq_nearest best;
    try_faces(a, b, a, 1.0, &separation, n);
    try_faces(a, b, b, -1.0, &separation, n);
    try_edges(a, b, &separation, n);
    if (separation > 0.0) {
        best = search(a, b);
        ret->distance = sqrt(best.square);
        if (ret->distance > 1e-12) {
            tq_near_minus(best.b, best.a, n);
            along_unit(n, ret->distance, n);
        }
    } else { /* b moved by the depth along n touches a */
        for (unsigned v = 0; v < b->n_vertex; v++) {
            tq_near_along(b->vertex[v], -separation, n, b->vertex[v]);
        }
        best = search(a, b);
        tq_near_along(best.b, separation, n, best.b);
        ret->distance = separation;
    }
    memcpy(ret->a, best.a, sizeof ret->a);
    memcpy(ret->b, best.b, sizeof ret->b);
    memcpy(ret->normal, n, sizeof ret->normal);
}

/* The middle of the vertices that are lowest above the plane. */
static void of_half_space(const tq_pose *plane, const body *b, tq_proximity *ret)
{
    const double n[3] = {plane->r[2], plane->r[5], plane->r[8]};
    const double back[3] = {-n[0], -n[1], -n[2]};
    const double lowest = -support(b, back), size = support(b, n) - lowest;
    unsigned count = 0;
    memset(ret->b, 0, sizeof ret->b);
    for (unsigned v = 0; v < b->n_vertex; v++) {
        if (tq_near_dot(n, b->vertex[v]) <= lowest + 1e-9 * size) {
            tq_near_along(ret->b, 1.0, b->vertex[v], ret->b);
            count++;
        }
    }
    along_unit(ret->b, (double)count, ret->b);
    ret->distance = lowest - tq_near_dot(n, plane->p);
    tq_near_along(ret->b, -ret->distance, n, ret->a);
    memcpy(ret->normal, n, sizeof n);
}

static void turn_round(tq_proximity *p)
{
    for (unsigned k = 0; k < 3; k++) {
        const double a = p->a[k];
        p->a[k] = p->b[k];
        p->b[k] = a;
        p->normal[k] = -p->normal[k];
    }
}

void tq_hull_distance(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                      const tq_pose *pose_b, tq_proximity *ret)
{
    body body_a, body_b;
    if (a->kind == TQ_GEOM_HALF_SPACE) {
        body_of(b, pose_b, &body_b);
        of_half_space(pose_a, &body_b, ret);
    } else if (b->kind == TQ_GEOM_HALF_SPACE) {
        body_of(a, pose_a, &body_a);
        of_half_space(pose_b, &body_a, ret);
        turn_round(ret);
    } else {
        body_of(a, pose_a, &body_a);
        body_of(b, pose_b, &body_b);
        of_bodies(&body_a, &body_b, ret);
        tq_near_along(ret->a, a->radius, ret->normal, ret->a);
        tq_near_along(ret->b, -b->radius, ret->normal, ret->b);
        ret->distance -= a->radius + b->radius;
    }
}
