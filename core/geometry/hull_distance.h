/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/hull_distance.h - a hull and any other shape; private to this folder. */
#ifndef TQ_GEOMETRY_HULL_DISTANCE_H
#define TQ_GEOMETRY_HULL_DISTANCE_H

#include "core/geometry/geom.h"

/* tq_geom_distance where one of both is a hull. */
void tq_hull_distance(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                      const tq_pose *pose_b, tq_proximity *ret);

#endif
