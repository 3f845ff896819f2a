/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/nominal.h - how large parameters of a robot of this size are: private. */
#ifndef TQ_IDENTIFY_NOMINAL_H
#define TQ_IDENTIFY_NOMINAL_H

#include "core/identify/regression/state.h"

/* Fills fit->nominal: the mass beyond each joint, times its reach once or
 * twice, and friction that such masses' gears have. Never zero. */
void tq_nominal_sizes(tq_fit *fit);

/* Raises them to what makes a difference to the torque of `row_rms` (n_row, N m) that the joints
 * had in the data, at accelerations and rates that robots usually have. */
void tq_nominal_raise(tq_fit *fit, const double *row_rms);

/* Mass beyond a link, itself included, and how far it reaches, m. */
void tq_nominal_link(const tq_model *model, uint32_t link, double *ret_mass, double *ret_reach);

#endif
