/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/state.h - how coordinates change with velocities. */
#ifndef TQ_PLANT_STATE_H
#define TQ_PLANT_STATE_H

#include <stddef.h>

#include "core/model/model.h"

/* States lie in blocks (core/base/block.h): q (nq x stride), qd (nv x stride). */

/* Rates of the coordinates: qd itself for joints of angles and travels; for quaternions w' = q (0,
 * omega) / 2, and for floating joints R v of the twist in the child frame. ret_rate (nq x stride).
 * Cost O(nq) a sample. */
void tq_state_rate(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                   const double *qd, double *ret_rate);

/* The velocity (nv) that leads from q to `goal` (nq) in unit time, along a straight line and by one
 * turn about a fixed axis, of at most half a revolution: goal - q for joints of angles and travels.
 * One sample: coordinate k is q[k * q_stride], entry r ret[r * stride]. */
void tq_state_difference(const tq_model *model, const double *goal, const double *q,
                         size_t q_stride, double *ret, size_t stride);

/* The coordinates of one joint (nq) where its velocity k, of 1, leads from q (nq) in `time` s. */
void tq_state_integrate(const tq_joint *joint, const double *q, unsigned k, double time,
                        double *ret);

/* Scales every quaternion back to unit length, in place. An integrator leaves the sphere by its
 * error only, so this keeps its order. */
void tq_state_normalise(const tq_model *model, size_t n_sample, size_t stride, double *q);

#endif
