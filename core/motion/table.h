/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/table.h - a quantity given at some times: held, or interpolated. */
#ifndef TQ_MOTION_TABLE_H
#define TQ_MOTION_TABLE_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/motion/reference.h"

typedef enum tq_interpolation {
    TQ_INTERPOLATE_HOLD,   /* zero-order hold: the last value at or before t */
    TQ_INTERPOLATE_LINEAR, /* linear between neighbours */
    TQ_INTERPOLATE_CUBIC,  /* the cubic spline with continuous third derivatives at the points
                              next to both ends (not-a-knot), as scipy and MATLAB */
} tq_interpolation;

/* Borrowed. Before the first and after the last point the quantity is constant. */
typedef struct tq_table {
    tq_waypoints points;
    tq_interpolation interpolation;
    const double *curvature; /* (n_point x n_coordinate) of tq_table_fit; cubic only */
} tq_table;

/**
 * Second derivatives of the not-a-knot cubic spline through the points.
 *
 * Shapes   ret_curvature (n_point x n_coordinate). Two points give a line, three a parabola.
 * Memory   n_point doubles of `scratch`, released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and the statuses of tq_waypoints_check.
 * Cost     O(n_point n_coordinate).
 * Source   C. de Boor, A Practical Guide to Splines, 1978, ch. IV.
 * Checked  tests/property/core/motion/test_table.c
 */
tq_status tq_table_fit(const tq_waypoints *points, tq_scratch *scratch, double *ret_curvature,
                       tq_error *reterr);

/* The quantity at time t: value k at ret_x[k * step]. */
void tq_table_at(const tq_table *table, double t, double *ret_x, size_t step);

#endif
