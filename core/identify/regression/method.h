/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/method.h - one estimate by the fit's method: private. */
#ifndef TQ_IDENTIFY_REGRESSION_METHOD_H
#define TQ_IDENTIFY_REGRESSION_METHOD_H

#include "core/identify/regression/bodies.h"
#include "core/identify/regression/estimate.h"
#include "core/identify/regression/triangle.h"

/* Result of a method; arrays are the caller's. */
typedef struct tq_fit_found {
    double *value;    /* (n_column) */
    double *full;     /* (n_parameter) */
    double *sigma;    /* (n_row) */
    double *weight;   /* (n_row) */
    double *triangle; /* ((n_column + 1)^2) weighted */
    size_t rank;
    double objective, unconstrained;
    double unbounded; /* objective of the feasible fit without bounds; NaN: none are given */
    tq_feasible_report feasible;
    tq_active_bound *active; /* (TQ_LINK_ENDS options.n_bound) */
    size_t n_active;
} tq_fit_found;

/* Estimate from one set of n_sample samples. `plain`: unconstrained weighted least squares
 * regardless of the method (for statistics). tq_fit_method_size bytes of scratch. */
tq_status tq_fit_find(const tq_fit *fit, const double *set, size_t n_sample, bool plain,
                      tq_scratch *scratch, tq_fit_found *found, tq_error *reterr);
/* The same by the method, given the `plain` estimate of the same set. */
tq_status tq_fit_find_from(const tq_fit *fit, const double *set, size_t n_sample,
                           const tq_fit_found *plain, tq_scratch *scratch, tq_fit_found *found,
                           tq_error *reterr);
size_t tq_fit_method_size(const tq_fit *fit);

/* Weighted least squares of the columns themselves where `found` is by instruments. Scratch as
 * tq_fit_find. */
tq_status tq_fit_find_least_squares(const tq_fit *fit, const double *set, const tq_fit_found *found,
                                    tq_scratch *scratch, double *ret_value, tq_error *reterr);

/* Takes the arrays of a tq_fit_found. */
bool tq_fit_found_take(const tq_fit *fit, tq_scratch *scratch, tq_fit_found *ret);
size_t tq_fit_found_size(const tq_fit *fit);

#endif
