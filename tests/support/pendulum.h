/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/pendulum.h - a pendulum, whose swing has a closed form. */
#ifndef TQT_PENDULUM_H
#define TQT_PENDULUM_H

#include "core/model/model.h"

/* A rod without mass about y, a bob of 1 kg at 0.5 m, under gravity. Free it by tqt_model_free. */
tq_model *tqt_pendulum(void);

/* Complete elliptic integral of the first kind of modulus k, by the arithmetic-geometric mean. */
double tqt_elliptic_k(double k);

/* Angle and rate at time t after the pendulum was released at rest at `start` rad: sin(th / 2) = k
 * cd(w t). Source: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 16.4, 16.8. */
void tqt_pendulum_at(double start, double t, double *ret_angle, double *ret_rate);

#endif
