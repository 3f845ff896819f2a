/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/comparison/comparison_private.h - the state of a comparison: private to this
 * folder. */
#ifndef TQ_IDENTIFY_COMPARISON_COMPARISON_PRIVATE_H
#define TQ_IDENTIFY_COMPARISON_COMPARISON_PRIVATE_H

#include "core/identify/comparison/comparison.h"
#include "core/identify/comparison/track.h"
#include "core/identify/regression/another.h"
#include "core/identify/regression/fit_private.h"

struct tq_comparison {
    const tq_fit *fit;
    const tq_fit_solution *solution;
    tq_comparison_plan plan;
    tq_estimator estimators[TQ_ESTIMATORS];
    tq_scratch *scratch;
    tq_comparison_pass pass;
    size_t recording;
    size_t mark; /* of the scratch between two recordings */

    tq_compared *results; /* (plan.n) */
    double *without;      /* (plan.n x n_fitted x value count) where recordings are left out */

    tq_fit *instrumental; /* NULL: not wanted, or the fit has instruments itself */
    tq_fit_stream *stream;
    tq_rollout *rollout;
    double *simulated; /* (value count) of this simulation */
    double *candidate; /* (value count), (n_parameter) feasible values of a simulation */
    double *candidate_full;
    double *moves; /* (2 x n_column) by the first simulations in fine steps */
    size_t n_simulation, n_window, n_lost;
    size_t n_fine;     /* simulations in fine steps, the next one included; 0: none yet */
    double *gain_rows; /* (tq_friction_row_count x TQ_FOLD_RUN) along a simulation; NULL: all gains
                          are known */
    size_t warm;       /* steps of a window before its first instrument */
    size_t end;        /* the step after its last */
    size_t n_step;     /* of a window */
    tq_track *track;   /* of windows that are filtered; NULL: they are not */

    tq_fit_run run; /* of the judged pass */
};

/* Whose data an estimator uses. */
typedef enum tq_estimator_kind {
    TQ_ESTIMATOR_OF_TRIANGLES,
    TQ_ESTIMATOR_LAGGED,
    TQ_ESTIMATOR_SIMULATED,
    TQ_ESTIMATOR_OUTPUT,
} tq_estimator_kind;
tq_estimator_kind tq_estimator_kind_of(tq_estimator estimator);

/* Estimates by all estimators of a kind: their faults, values, feasibility. */
tq_status tq_comparison_estimate(tq_comparison *comparison, tq_estimator_kind kind,
                                 tq_error *reterr);
size_t tq_comparison_estimate_size(const tq_fit *fit);
/* Sets the fault of all estimators of a kind. */
void tq_comparison_fail(tq_comparison *comparison, tq_estimator_kind kind, tq_compared_fault fault);
bool tq_comparison_wants(const tq_comparison *comparison, tq_estimator_kind kind);

/* the estimators whose simulations the pass at hand runs */
tq_estimator_kind tq_simulated_kind(const tq_comparison *comparison);
/* Simulated instruments, output error. The first simulation's values; after a simulation:
 * *ret_again. */
tq_status tq_simulated_start(tq_comparison *comparison, tq_error *reterr);
tq_status tq_simulated_end(tq_comparison *comparison, bool *ret_again, tq_error *reterr);
tq_status tq_simulated_begin_recording(tq_comparison *comparison, const tq_comparison_recording *of,
                                       tq_error *reterr);
tq_status tq_simulated_end_recording(tq_comparison *comparison, tq_error *reterr);
size_t tq_simulated_size(const tq_fit *fit, const tq_comparison_plan *plan);

#endif
