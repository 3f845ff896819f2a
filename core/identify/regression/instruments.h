/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/instruments.h - least squares against instruments instead of columns:
 * private. */
#ifndef TQ_IDENTIFY_REGRESSION_INSTRUMENTS_H
#define TQ_IDENTIFY_REGRESSION_INSTRUMENTS_H

#include "core/identify/regression/fit_private.h"

/**
 * The triangle ((n_column + 1)^2, row by row) of a set whose columns and torque have been projected
 * onto what the instruments span: what it makes least is 0 where the instruments see no residual.
 *
 * Instruments Z are as many as columns X. Noise of X that Z does not share does not bias the
 * estimate (Z^T X)^-1 Z^T tau, while that of plain least squares is drawn towards zero. weight
 * (n_row). Takes tq_fit_project_size(fit) bytes of `scratch`, all given back.
 *
 * Returns TQ_OK, TQ_ERR_SCRATCH.
 * Source  A. Janot, P. Vandanjon, M. Gautier, A generic instrumental variable approach for
 *         industrial robot identification, IEEE Trans. Control Systems Technology 22(1), 2014;
 *         lagged instruments: T. Soderstrom, Errors-in-variables methods in system
 *         identification, Automatica 43(6), 2007.
 * Checked tests/property/core/identify/regression/test_instruments.c
 */
tq_status tq_fit_project(const tq_fit *fit, const double *set, const double *weight,
                         tq_scratch *scratch, double *ret_triangle, tq_error *reterr);
size_t tq_fit_project_size(const tq_fit *fit);

#endif
