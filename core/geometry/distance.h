/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/distance.h - signed distance and nearest points of two shapes. */
#ifndef TQ_GEOMETRY_DISTANCE_H
#define TQ_GEOMETRY_DISTANCE_H

#include "core/geometry/geom.h"

/**
 * Signed distance of two shapes.
 *
 * Not for two half-spaces. Where nearest points are not unique (faces or capsules that are
 * parallel) one pair is returned, the same for the same input.
 *
 * Shapes   pose_a, pose_b: of the shapes' frames in the world.
 * Cost     O(1): about 100 flops for spheres and capsules, 6,000 for two boxes; of hulls O(product
 *          of edges), some 10^6 for two of 64 vertices.
 * Source   S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996 (the 15 separating
 *          directions); C. Ericson, Real-Time Collision Detection, 2005, 5.1.9 (two segments).
 * Checked  tests/property/core/geometry/test_distance.c, tests/contract/test_distance.py
 */
void tq_geom_distance(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                      const tq_pose *pose_b, tq_proximity *ret);

#endif
