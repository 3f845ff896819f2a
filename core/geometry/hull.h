/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/hull.h - the convex hull of points, and its distance to other shapes. */
#ifndef TQ_GEOMETRY_HULL_H
#define TQ_GEOMETRY_HULL_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/geometry/distance.h"

enum {
    TQ_HULL_POINTS_MAX = 1024,
    TQ_HULL_VERTICES_MAX = TQ_GEOM_CORNERS_MAX,
    TQ_HULL_FACES_MAX = 2 * TQ_HULL_VERTICES_MAX - 4, /* Euler: of triangles */
    TQ_HULL_EDGES_MAX = 3 * TQ_HULL_VERTICES_MAX - 6,
};

/* An edge, and a vertex beside it on either face. */
typedef struct tq_hull_edge {
    uint8_t end[2], beside[2];
} tq_hull_edge;

/* Triangles in counterclockwise order as seen from outside; edges between triangles of one plane
 * are left out. */
struct tq_hull {
    uint32_t n_vertex, n_face, n_edge;
    double vertex[TQ_HULL_VERTICES_MAX][3]; /* m */
    uint8_t face[TQ_HULL_FACES_MAX][3];
    tq_hull_edge edge[TQ_HULL_EDGES_MAX];
};

/**
 * Convex hull of points: those within 1e-9 of the greatest distance between points of the hull of
 * others are no vertices.
 *
 * Shapes   points (n x 3), m.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       "points": fewer than 4, or more than TQ_HULL_POINTS_MAX;
 *                             "vertices": the hull has more than TQ_HULL_VERTICES_MAX
 *          TQ_ERR_NOT_FINITE  "points": number `index` of them
 *          TQ_ERR_RANGE       "points": they are (nearly) in one plane
 * Cost     O(vertices n) and some, below 10 ms.
 * Source   C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The Quickhull algorithm for convex hulls, ACM
 *          TOMS 22(4), 1996: the point farthest from a face is a vertex, and is joined to the edges
 *          around all faces that it sees.
 * Checked  tests/property/core/geometry/test_hull.c
 */
tq_status tq_hull_of(size_t n, const double *points, tq_hull *ret, tq_error *reterr);

/* The vertices in the world, and their number. */
unsigned tq_hull_corners(const tq_hull *hull, const tq_pose *pose,
                         double ret[TQ_GEOM_CORNERS_MAX][3]);

/* tq_geom_distance where one of both is a hull (hull_distance.c). */
void tq_hull_distance(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                      const tq_pose *pose_b, tq_proximity *ret);

#endif
