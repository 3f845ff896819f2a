/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/state.h - kinematic equation q' = f(q, qd), and operations on coordinates. */
#ifndef TQ_PLANT_STATE_H
#define TQ_PLANT_STATE_H

#include <stddef.h>

#include "core/model/model.h"

/* States are in blocks (core/base/block.h): q (nq x stride), qd (nv x stride). */

/* Rates of the coordinates: qd for joints without quaternions; quaternions w' = q (0, omega) / 2,
 * and for floating joints R v of the twist in the child frame. ret_rate (nq x stride). Cost O(nq)
 * per sample. */
void tq_state_rate(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                   const double *qd, double *ret_rate);

/* Difference of configurations: the velocity (nv) that leads from q to `goal` (nq) in unit time,
 * along a straight line and by a rotation about a fixed axis by at most pi; goal - q for joints
 * without quaternions. One sample: coordinate k is q[k * q_stride], entry r is ret[r * stride].
 * (Pinocchio: difference.) */
void tq_state_difference(const tq_model *model, const double *goal, const double *q,
                         size_t q_stride, double *ret, size_t stride);

/* The coordinates of one joint (nq) after velocity component k = 1 for `time` s from q (nq). */
void tq_state_integrate(const tq_joint *joint, const double *q, unsigned k, double time,
                        double *ret);

/* Normalises every quaternion, in place. An integrator leaves the unit sphere only by its error, so
 * this preserves its order. */
void tq_state_normalise(const tq_model *model, size_t n_sample, size_t stride, double *q);

#endif
