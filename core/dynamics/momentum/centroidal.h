/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/momentum/centroidal.h - centroidal momentum matrix and its rate; the regressor of
 * momentum. */
#ifndef TQ_DYNAMICS_MOMENTUM_CENTROIDAL_H
#define TQ_DYNAMICS_MOMENTUM_CENTROIDAL_H

#include "core/dynamics/regressor/regressor.h"

/**
 * Centroidal momentum matrix A: h = A qd, h the linear momentum of the whole robot (kg m/s), then
 * its angular momentum about the centre of mass (kg m^2/s), along the world's axes. The force and
 * moment about the centre of mass of all that acts from outside, gravity included, are
 * A qdd + bias. The spin of rotors has no momentum here, as in tq_momentum.
 *
 * Shapes   posture at q and qd; ret_matrix, ret_rate (6 x nv, row by row), ret_bias (6): dA/dt and
 *          dA/dt qd.
 * Cost     O(n_link depth).
 * Source   D. E. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous
 *          Robots 35, 2013.
 * Checked  tests/property/core/dynamics/momentum/test_centroidal.c, tests/peers/test_pinocchio.py
 */
void tq_centroidal_momentum(const tq_configuration *posture, const double *qd, double *ret_matrix,
                            double *ret_rate, double ret_bias[6]);

/**
 * Momentum about the world's origin as a linear function of the parameters of the links:
 * (linear, angular) = sum over links of Y_link p_link, p the kinds from TQ_PARAMETER_MASS to
 * TQ_PARAMETER_IZZ.
 *
 * Shapes   posture at q and qd; ret_regressor (n_link x 6 x TQ_PARAMETERS_OF_LINK).
 * Cost     O(n_link).
 * Checked  tests/property/core/dynamics/momentum/test_centroidal.c
 */
void tq_momentum_regressor(const tq_configuration *posture, double *ret_regressor);

#endif
