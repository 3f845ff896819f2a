/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/polyhedron.c - cores in the world, and their separating axes. */
#include "core/geometry/polyhedron.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/geometry/nearest.h"

static const tq_hull_edge segment_edge[1] = {{.end = {0, 1}, .beside = {0, 1}}};
/* corner number: + along axis k where bit k is set */
static const uint8_t box_face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                        {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                        {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
static const tq_hull_edge box_edge[12] = {{{0, 1}, {2, 4}}, {{2, 3}, {0, 6}}, {{4, 5}, {0, 6}},
                                          {{6, 7}, {2, 4}}, {{0, 2}, {1, 4}}, {{1, 3}, {0, 5}},
                                          {{4, 6}, {0, 5}}, {{5, 7}, {1, 4}}, {{0, 4}, {1, 2}},
                                          {{1, 5}, {0, 3}}, {{2, 6}, {0, 3}}, {{3, 7}, {1, 2}}};

static tq_edge_at place_edge(const tq_polyhedron *of, const tq_hull_edge *edge)
{
    const double *end = of->vertex[edge->end[0]];
    tq_edge_at ret;
    double d[3];
    tq_near_minus(of->vertex[edge->end[1]], end, d);
    const double length = sqrt(tq_near_dot(d, d));
    tq_near_unit(d, length, ret.unit);
    tq_near_along(end, 0.5, d, ret.middle);
    ret.half = 0.5 * length;
    for (unsigned k = 0; k < 2; k++) {
        tq_near_minus(of->vertex[edge->beside[k]], end, ret.beside[k]);
    }
    return ret;
}

void tq_polyhedron_of(const tq_geom *shape, const tq_pose *pose, tq_polyhedron *ret)
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

double tq_polyhedron_support(const tq_polyhedron *of, const double *n)
{
    double most = -(double)INFINITY;
    for (unsigned v = 0; v < of->n_vertex; v++) {
        most = fmax(most, tq_near_dot(n, of->vertex[v]));
    }
    return most;
}

void tq_polyhedron_normal(const tq_polyhedron *of, unsigned face, double *ret)
{
    const uint8_t *v = of->face[face];
    double u[3], w[3];
    tq_near_minus(of->vertex[v[1]], of->vertex[v[0]], u);
    tq_near_minus(of->vertex[v[2]], of->vertex[v[0]], w);
    tq_vec_cross(u, w, ret);
    tq_near_unit(ret, sqrt(tq_near_dot(ret, ret)), ret);
}

/* Keeps the direction of the largest separation; n of unit length, from a to b. */
static bool try_direction(const tq_polyhedron *a, const tq_polyhedron *b, const double *n,
                          tq_axis *best)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    const double s = -tq_polyhedron_support(b, back) - tq_polyhedron_support(a, n);
    if (!(s > best->separation)) {
        return false;
    }
    best->separation = s;
    memcpy(best->normal, n, sizeof best->normal);
    return true;
}

/* The normals of the faces of `of`; sign 1: it is a. */
static void try_faces(const tq_polyhedron *a, const tq_polyhedron *b, const tq_polyhedron *of,
                      double sign, tq_axis *best)
{
    for (unsigned f = 0; f < of->n_face; f++) {
        double n[3];
        tq_polyhedron_normal(of, f, n);
        tq_near_unit(n, sign, n);
        (void)try_direction(a, b, n, best);
    }
}

/* Whether an edge is extreme along sign * n, which is at right angles to it: its neighbours are not
 * beyond it. */
static bool is_extreme(const tq_edge_at *e, const double *n, double sign, double slack)
{
    return sign * tq_near_dot(n, e->beside[0]) <= slack &&
           sign * tq_near_dot(n, e->beside[1]) <= slack;
}

/* The product of two edges, where it is a face of the Minkowski difference: extreme on both. */
static void try_edges(const tq_polyhedron *a, const tq_polyhedron *b, unsigned i, unsigned j,
                      tq_separation *ret)
{
    const tq_edge_at *u = &a->edge[i], *v = &b->edge[j];
    const double slack = 1e-9 * (u->half + v->half);
    double n[3];
    tq_vec_cross(u->unit, v->unit, n);
    const double length = sqrt(tq_near_dot(n, n));
    for (int side = 0; side < 2 && length > 1e-8; side++) {
        const double sign = side == 0 ? 1.0 : -1.0;
        double unit[3];
        if (!is_extreme(u, n, sign, slack) || !is_extreme(v, n, -sign, slack)) {
            continue;
        }
        tq_near_unit(n, sign * length, unit);
        if (try_direction(a, b, unit, &ret->edges)) {
            ret->edge_a = i;
            ret->edge_b = j;
        }
    }
}

/* D. Gregorius, The separating axis test between convex polyhedra, GDC 2013. */
void tq_polyhedron_separate(const tq_polyhedron *a, const tq_polyhedron *b, tq_separation *ret)
{
    const tq_axis none = {.separation = -(double)INFINITY, .normal = {0.0, 0.0, 1.0}};
    *ret = (tq_separation){.face_a = none, .face_b = none, .edges = none};
    try_faces(a, b, a, 1.0, &ret->face_a);
    try_faces(a, b, b, -1.0, &ret->face_b);
    for (unsigned i = 0; i < a->n_edge; i++) {
        for (unsigned j = 0; j < b->n_edge; j++) {
            try_edges(a, b, i, j, ret);
        }
    }
}
