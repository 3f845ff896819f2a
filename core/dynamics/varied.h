/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/varied.h - per-sample inertial and friction parameters within a block. */
#ifndef TQ_DYNAMICS_VARIED_H
#define TQ_DYNAMICS_VARIED_H

#include "core/model/mechanism.h"

/* Rows of a block for the inertial and friction parameters of each sample; see
 * tq_forward_input.varied. */
size_t tq_varied_rows(const tq_mechanism *mechanism);

/* Writes the inertial and friction parameters of `own` as sample i into rows `stride` apart. `own`
 * is the block's robot with other masses, inertias, viscous, Coulomb and breakaway friction; all
 * else is equal. Forward dynamics then gives the bits of `own`. Not for robots with mimic joints or
 * gravity compensation. */
void tq_varied_put(const tq_mechanism *own, size_t stride, size_t i, double *rows);

/* tq_add_friction of core/dynamics/terms.h with the friction of each sample. */
void tq_varied_add_friction(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                            const double *q, const double *qd, const double *rows, double sign,
                            double *tau);

#endif
