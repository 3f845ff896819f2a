/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/bound.h - least distance of two shapes by boxes and spheres around them. */
#ifndef TQ_GEOMETRY_BOUND_H
#define TQ_GEOMETRY_BOUND_H

#include "core/geometry/geom.h"

/**
 * A lower bound of tq_geom_distance: from the box of each core to the sphere around the other.
 *
 * Shapes   pose_a, pose_b: of the shapes' frames in the world.
 * Returns  m, above 0, and never above what tq_geom_distance computes, its rounding included;
 *          -INFINITY where this does not show that they are apart, and for a half-space.
 * Cost     some 80 flops.
 * Source   J. Arvo, A simple method for box-sphere intersection testing, Graphics Gems, 1990.
 * Checked  tests/property/core/geometry/test_bound.c
 */
double tq_geom_apart(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                     const tq_pose *pose_b);

#endif
