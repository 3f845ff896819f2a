/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/distance.h - signed distance and nearest points of two shapes. */
#ifndef TQ_GEOMETRY_DISTANCE_H
#define TQ_GEOMETRY_DISTANCE_H

#include "core/geometry/geom.h"

/* Nearest points of two shapes. Where the shapes overlap: the two points that coincide after the
 * shortest separating translation. */
typedef struct tq_proximity {
    double distance;   /* m, below 0 where they overlap: minus the penetration depth */
    double a[3], b[3]; /* on the surfaces, world, m: b - a = distance normal */
    double normal[3];  /* unit vector from a to b: moving b along it separates the shapes */
} tq_proximity;

/**
 * Signed distance of two shapes.
 *
 * Not for two half-spaces. Where nearest points are not unique (faces or capsules that are
 * parallel) one pair is returned, the same for the same input.
 *
 * Shapes   pose_a, pose_b: of the shapes' frames in the world.
 * Cost     O(1): about 100 flops for spheres and capsules, 6,000 for two boxes; with hulls O(product
 *          of their edges), up to some 10^6 for two of 64 vertices.
 * Source   S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996 (the 15 separating
 *          directions); C. Ericson, Real-Time Collision Detection, 2005, 5.1.9 (two segments).
 * Checked  tests/property/core/geometry/test_distance.c, tests/contract/test_distance.py
 */
void tq_geom_distance(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                      const tq_pose *pose_b, tq_proximity *ret);

/* The corners of a shape's core in the world (of a box 8, of a hull its vertices; spheres have 1,
 * capsules 2), and their number: the first point of a shape to touch a half-space is within
 * `radius` of one of them. */
enum { TQ_GEOM_CORNERS_MAX = 64 };
unsigned tq_geom_corners(const tq_geom *shape, const tq_pose *pose,
                         double ret[TQ_GEOM_CORNERS_MAX][3]);

#endif
