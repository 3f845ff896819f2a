/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/visible.h - largest effect on torque that a combination of columns can
 * have in any motion of the robot: private to this folder. */
#ifndef TQ_IDENTIFY_REGRESSION_VISIBLE_H
#define TQ_IDENTIFY_REGRESSION_VISIBLE_H

#include "core/identify/regression/fit_private.h"

/**
 * For each of n unidentified directions: rms torque of one nominal size along it, over the rms
 * torque of `value`, at random states within the robot's limits, in the row where this ratio is
 * largest.
 *
 * Rates are uniform up to the joints' limits, or 3 rad/s or m/s. Directions with columns other than
 * parameters of links and joints (load-dependent friction, Stribeck) have ratio infinity.
 *
 * Shapes   noise (n_row): N m, added to the square of a row's rms torque. Sets `visible` of
 *          directions.
 * Memory   tq_fit_visible_size(fit) bytes of `scratch`, released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_QUATERNION.
 */
tq_status tq_fit_find_visible(const tq_fit *fit, const double *value, const double *noise, size_t n,
                              tq_unidentified *directions, tq_scratch *scratch, tq_error *reterr);
size_t tq_fit_visible_size(const tq_fit *fit);

#endif
