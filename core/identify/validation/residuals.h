/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/residuals.h - residuals of a fitted model on data: a second pass. */
#ifndef TQ_IDENTIFY_VALIDATION_RESIDUALS_H
#define TQ_IDENTIFY_VALIDATION_RESIDUALS_H

#include "core/identify/regression/fit.h"

/* Residual of one joint over some data, relative to the unfiltered torque. */
typedef struct tq_residual_stats {
    size_t n_sample;
    double rmse;           /* N m */
    double relative_error; /* |tau - model| / |tau - mean tau|; NaN: constant torque */
    double worst;          /* largest |residual|, N m */
    double mean;           /* of the residual */
    double fastest;        /* largest |rate| of the joint, rad/s or m/s */
    double lag_one;        /* autocorrelation of the residual at lag one and ten: white */
    double lag_ten;        /* noise has 0 +- 2/sqrt(n) */
    double
        by_slowness; /* fraction of the squared residual in motion explained by a missing term: */
    double by_load;  /* extra friction at low speed; friction by |torque|; a spring; 0 .. 1 */
    double by_position;
    double beyond; /* rms of |tau - model without dry friction| beyond the dry friction, N m: what
                      friction at rest, which is anywhere within its band, does not explain */
} tq_residual_stats;

typedef struct tq_residuals_row tq_residuals_row; /* running sums */

/* Sums over any number of blocks. */
typedef struct tq_residuals {
    const tq_fit *fit;
    const double *value;    /* (tq_fit_value_count) borrowed */
    tq_residuals_row *rows; /* (3 nv): all samples, moving, standing */
    struct tq_fit_run *run;
    double moving;           /* a joint is in motion above this, rad/s or m/s */
    const bool *row_is_used; /* (nv) of the experiment at hand, borrowed; NULL: all are known */
    tq_scratch *scratch;
} tq_residuals;

/* Starts without data: `value` are the solution's or those of tq_fit_solve_without. Takes
 * tq_residuals_size(fit) bytes of `scratch` until the caller rewinds it. */
tq_status tq_residuals_begin(const tq_fit *fit, const double *value, double moving,
                             tq_scratch *scratch, tq_residuals *ret_judge, tq_error *reterr);
size_t tq_residuals_size(const tq_fit *fit);

/* Adds a block; ret_tau (nv x stride), the model's torque, may be NULL. */
tq_status tq_residuals_push(tq_residuals *judge, const tq_experiment_block *block, double *ret_tau,
                            tq_error *reterr);

/* The next blocks belong to another experiment: friction states and autocorrelation are reset. */
void tq_residuals_next(tq_residuals *judge);

/* Statistics so far of row `row`. */
enum { TQ_RESIDUALS_ALL, TQ_RESIDUALS_MOVING, TQ_RESIDUALS_STANDING };
tq_residual_stats tq_residuals_of(const tq_residuals *judge, unsigned part, size_t row);

/* The sums as bytes, between two experiments. */
void tq_residuals_archive(tq_residuals *judge, tq_archive *archive);

/* Bound on the autocorrelation of white noise: two standard deviations, 2 / sqrt(n). */
double tq_residual_white(const tq_residual_stats *stats);

#endif
