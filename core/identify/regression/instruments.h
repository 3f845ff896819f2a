/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/instruments.h - instrumental variables: least squares with instruments:
 * private. */
#ifndef TQ_IDENTIFY_REGRESSION_INSTRUMENTS_H
#define TQ_IDENTIFY_REGRESSION_INSTRUMENTS_H

#include "core/identify/regression/fit_private.h"

/**
 * The triangle ((n_column + 1)^2, row by row) of a set with columns and torque projected
 * onto the span of the instruments: its minimum is 0 where Z^T residual = 0.
 *
 * As many instruments Z as columns X. Noise of X uncorrelated with Z does not bias the estimate
 * (Z^T X)^-1 Z^T tau, unlike ordinary least squares, which is attenuated towards zero. weight
 * (n_row). Takes tq_fit_project_size(fit) bytes of `scratch`, all released.
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
