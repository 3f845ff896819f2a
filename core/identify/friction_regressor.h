/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/friction_regressor.h - friction regressors over uniform samples, to be filtered
 * like the torque (parallel filtering). */
#ifndef TQ_IDENTIFY_FRICTION_REGRESSOR_H
#define TQ_IDENTIFY_FRICTION_REGRESSOR_H

#include "core/identify/regression/fit.h"

/* Consecutive uniform samples of one experiment, none omitted. */
typedef struct tq_stretch {
    size_t n_sample;
    size_t stride;     /* of all arrays, >= n_sample */
    const double *qd;  /* (nv x stride) */
    const double *way; /* (nv x stride) displacement since the previous sample: with presliding,
                          else NULL */
    double period;     /* s */
} tq_stretch;

/* Number of rows of friction regressors: the signs of all rows of torque, then Stribeck terms, then
 * signs of coupled joints. */
size_t tq_friction_row_count(const tq_fit *fit);

/* True with presliding: signs depend on the displacement and on earlier samples. */
bool tq_friction_regressor_remember(const tq_fit *fit);

/**
 * Friction regressors: friction columns of the fit are multiples of them.
 *
 * Friction is discontinuous at a reversal. A low-pass smooths the torque there, so that the
 * friction column must pass the same low-pass: F[tau] = F[Y] pi. All other columns
 * are as slow as the motion.
 *
 * Shapes   stretch, ret_rows (tq_friction_row_count(fit) x stride->stride), state (nv): the
 *          signs at the sample before the first one, NaN: none; NULL: no presliding. ret_rows may
 *          be stretch->way.
 * Cost     A tanh or an exponential for each sign at low speed, or with presliding.
 * Source   M. Gautier, Dynamic identification of robots with power model, ICRA 1997: parallel
 *          filtering.
 * Checked  tests/property/core/identify/test_friction_regressor.c
 */
void tq_friction_regressor_compute(const tq_fit *fit, const tq_stretch *stretch,
                                   const double *state, double *ret_rows);

#endif
