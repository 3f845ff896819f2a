/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/varied.h - samples of one block that weigh, or rub, otherwise than their robot. */
#ifndef TQ_DYNAMICS_VARIED_H
#define TQ_DYNAMICS_VARIED_H

#include "core/model/mechanism.h"

/* Rows of a block that hold masses, inertias and friction of each sample; tq_forward_input.varied.
 */
size_t tq_varied_rows(const tq_mechanism *mechanism);

/* Writes sample i of rows `stride` apart: what `own` weighs and rubs, which is the block's robot
 * with other masses, inertias, viscous, Coulomb and breakaway friction, and nothing else different.
 * Forward dynamics then has the bits of `own`. Not for robots with mimicking joints. */
void tq_varied_put(const tq_mechanism *own, size_t stride, size_t i, double *rows);

/* tq_add_friction of core/dynamics/terms.h, with the friction of each sample. */
void tq_varied_add_friction(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                            const double *qd, const double *rows, double sign, double *tau);

#endif
