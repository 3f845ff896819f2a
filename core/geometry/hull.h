/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/hull.h - the convex hull of points. */
#ifndef TQ_GEOMETRY_HULL_H
#define TQ_GEOMETRY_HULL_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/geometry/geom.h"

enum { TQ_HULL_POINTS_MAX = 1024 };

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

#endif
