/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/friction_regressor.h - what friction is a function of, over even samples: to be
 * filtered as
 * torque is. */
#ifndef TQ_IDENTIFY_FRICTION_REGRESSOR_H
#define TQ_IDENTIFY_FRICTION_REGRESSOR_H

#include "core/identify/regression/fit.h"

/* Some even samples of one experiment that follow each other, none left out. */
typedef struct tq_stretch {
    size_t n_sample;
    size_t stride;     /* of all arrays, >= n_sample */
    const double *qd;  /* (nv x stride) */
    const double *way; /* (nv x stride) gone since the sample before: with presliding, else NULL */
    double period;     /* s */
} tq_stretch;

/* How many rows of shapes a fit has: the signs of all rows of torque, then Stribeck's terms, then
 * signs of coupled joints. */
size_t tq_shape_count(const tq_fit *fit);

/* Signs follow the way, and depend on the samples before: with presliding. */
bool tq_friction_regressor_remember(const tq_fit *fit);

/**
 * Shapes of friction, of which its columns are multiples.
 *
 * Friction jumps where a joint turns back. A low-pass takes that jump off the torque, so that the
 * column of it has to pass the same low-pass: F[tau] = F[Y] pi. All else that torque is linear in
 * is as slow as the motion.
 *
 * Shapes   stretch, ret_shape (tq_shape_count(fit) x stride->stride), state (nv): the sign that the
 *          first row's joint had in the sample before, NaN: none; NULL: shapes remember nothing.
 *          ret_shape may be stretch->way.
 * Cost     A tangent or an exponential for each sign at low speed, or with presliding.
 * Source   M. Gautier, Dynamic identification of robots with power model, ICRA 1997: parallel
 *          filtering.
 * Checked  tests/property/core/identify/test_friction_regressor.c
 */
void tq_friction_regressor_compute(const tq_fit *fit, const tq_stretch *stretch,
                                   const double *state, double *ret_shape);

#endif
