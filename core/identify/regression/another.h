/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/another.h - estimates by another method than a fit's own, from the same
 * data. */
#ifndef TQ_IDENTIFY_REGRESSION_ANOTHER_H
#define TQ_IDENTIFY_REGRESSION_ANOTHER_H

#include "core/identify/regression/fit.h"

/* The method, and the weight of the prior where it is feasible (tq_fit_options.entropy). */
typedef struct tq_fit_another {
    tq_fit_method method;
    double entropy;
} tq_fit_another;

/* One estimate. */
typedef struct tq_fit_opinion {
    double *value;        /* (tq_fit_value_count) */
    double *full;         /* (n_parameter) */
    double condition;     /* of the weighted columns scaled to one length; infinite: singular */
    double objective;     /* sum of squared weighted residuals, */
    double unconstrained; /* and without constraints */
    size_t n_sample;
    size_t n_iteration; /* of the interior-point method; 0: none */
} tq_fit_opinion;

/**
 * Estimate by another method from the triangles of a fit, without one experiment or, `without`
 * SIZE_MAX, from all.
 *
 * Methods with instruments need a fit with instruments; TQ_FIT_IRLS has no triangles of its own and
 * is as TQ_FIT_WLS. `fast` is the fit with torque beyond the cut-off, NULL: `fit`.
 *
 * Memory   Takes tq_fit_another_size(fit) bytes of `scratch`, and releases them.
 * Returns  TQ_OK; TQ_ERR_SHAPE "n_sample": fewer rows than columns, or "instruments";
 *          TQ_ERR_SCRATCH; the statuses of the method (core/identify/regression/estimate.h,
 *          core/identify/feasible/feasible.h).
 */
tq_status tq_fit_find_another(const tq_fit *fit, const tq_fit *fast, tq_fit_another what,
                              size_t without, tq_scratch *scratch, tq_fit_opinion *inout,
                              tq_error *reterr);
size_t tq_fit_another_size(const tq_fit *fit);

/**
 * A fit of the same columns, with the same friction law, and no data; by instruments a lag of
 * `lag` samples apart, or the caller's (tq_fit_push_instruments). Of one segment a recording it is
 * for estimates alone; with more, up to `n_segment`, tq_fit_solve has deviations.
 *
 * Memory   Takes tq_fit_instrumental_size(of) bytes of `memory` for as long as it is used; borrows
 *          the columns of `of`, which must not change.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 */
tq_status tq_fit_instrumental(const tq_fit *of, size_t lag, size_t n_segment, tq_scratch *memory,
                              tq_fit **ret_fit, tq_error *reterr);
size_t tq_fit_instrumental_size(const tq_fit *of, size_t n_segment);
/* Takes over the torque beyond the cut-off of `of`, whose columns it has. */
void tq_fit_take_fast(tq_fit *fit, const tq_fit *of);

#endif
