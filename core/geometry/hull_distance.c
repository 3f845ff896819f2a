/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/hull_distance.c - a hull and a sphere, capsule, box, half-space or hull. */
#include "core/geometry/hull_distance.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/geometry/nearest.h"

/* An edge in the world: middle, direction of unit length, half its length, and the way from an end
 * to the vertices beside it. */
typedef struct edge_at {
    double middle[3], unit[3], half, beside[2][3];
} edge_at;

/* A core in the world by its vertices, triangles and edges. */
typedef struct body {
    unsigned n_vertex, n_face, n_edge;
    double vertex[TQ_HULL_VERTICES_MAX][3];
    const uint8_t (*face)[3];
    edge_at edge[TQ_HULL_EDGES_MAX];
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

static void along_unit(const double *n, double length, double *ret)
{
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = n[k] / length;
    }
}

static edge_at place_edge(const body *of, const tq_hull_edge *edge)
{
    const double *end = of->vertex[edge->end[0]];
    edge_at ret;
    double d[3];
    tq_near_minus(of->vertex[edge->end[1]], end, d);
    const double length = sqrt(tq_near_dot(d, d));
    along_unit(d, length, ret.unit);
    tq_near_along(end, 0.5, d, ret.middle);
    ret.half = 0.5 * length;
    for (unsigned k = 0; k < 2; k++) {
        tq_near_minus(of->vertex[edge->beside[k]], end, ret.beside[k]);
    }
    return ret;
}

static void body_of(const tq_geom *shape, const tq_pose *pose, body *ret)
{
    const tq_hull_edge *edges = segment_edge;
    ret->n_face = ret->n_edge = 0;
    ret->face = NULL;
    ret->n_vertex = tq_geom_corners(shape, pose, ret->vertex);
    if (shape->kind == TQ_GEOM_HULL) {
        ret->n_face = shape->hull->n_face;
        ret->face = shape->hull->face;
        ret->n_edge = shape->hull->n_edge;
        edges = shape->hull->edge;
    } else if (shape->kind == TQ_GEOM_BOX) {
        ret->n_face = 12;
        ret->face = box_face;
        ret->n_edge = 12;
        edges = box_edge;
    } else if (ret->n_vertex == 2) {
        ret->n_edge = 1;
    }
    for (unsigned e = 0; e < ret->n_edge; e++) {
        ret->edge[e] = place_edge(ret, &edges[e]);
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

/* Whether an edge is extreme along sign * n, which is at right angles to it: its neighbours are not
 * beyond it. */
static bool is_extreme(const edge_at *e, const double *n, double sign, double slack)
{
    return sign * tq_near_dot(n, e->beside[0]) <= slack &&
           sign * tq_near_dot(n, e->beside[1]) <= slack;
}

/* Edges whose product is a face of the Minkowski difference: extreme on both bodies. D. Gregorius,
 * The separating axis test between convex polyhedra, GDC 2013. */
static void try_edges(const body *a, const body *b, double *separation, double *normal)
{
    for (unsigned i = 0; i < a->n_edge; i++) {
        const edge_at *u = &a->edge[i];
        for (unsigned j = 0; j < b->n_edge; j++) {
            const edge_at *v = &b->edge[j];
            const double slack = 1e-9 * (u->half + v->half);
            double n[3];
            tq_vec_cross(u->unit, v->unit, n);
            for (int side = 0; side < 2; side++) {
                const double sign = side == 0 ? 1.0 : -1.0;
                if (!is_extreme(u, n, sign, slack) || !is_extreme(v, n, -sign, slack)) {
                    continue;
                }
                const double length = sqrt(tq_near_dot(n, n));
                if (length > 1e-8) {
                    double unit[3];
                    along_unit(n, sign * length, unit);
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

/* `gap` is less than the distance of two features: they need not be tried */
static bool is_far(double gap, const tq_nearest *best)
{
    return gap > 0.0 && gap * gap > best->square;
}

/* Vertices of `of` against faces of `other`; sign 1: `of` is a. n separates the bodies. */
static void search_faces(const body *of, const body *other, double sign, const double *n,
                         tq_nearest *best)
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
static tq_nearest search(const body *a, const body *b, const double *n)
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
        const edge_at *u = &a->edge[i];
        const double high = tq_near_dot(n, u->middle) + u->half * fabs(tq_near_dot(n, u->unit));
        for (unsigned j = 0; j < b->n_edge; j++) {
            const edge_at *v = &b->edge[j];
            const double low = tq_near_dot(n, v->middle) - v->half * fabs(tq_near_dot(n, v->unit));
            if (!is_far(low - high, &best)) {
                tq_near_segments(u->middle, u->unit, u->half, v->middle, v->unit, v->half, &best);
            }
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
        best = search(a, b, n);
        ret->distance = sqrt(best.square);
        if (ret->distance > 1e-12) {
            tq_near_minus(best.b, best.a, n);
            along_unit(n, ret->distance, n);
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
        tq_near_exchange(ret);
    } else {
        body_of(a, pose_a, &body_a);
        body_of(b, pose_b, &body_b);
        of_bodies(&body_a, &body_b, ret);
        tq_near_along(ret->a, a->radius, ret->normal, ret->a);
        tq_near_along(ret->b, -b->radius, ret->normal, ret->b);
        ret->distance -= a->radius + b->radius;
    }
}
