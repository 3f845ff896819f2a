/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/comparison/comparison.h - other estimators beside a fit's own, on the same
 * recordings. */
#ifndef TQ_IDENTIFY_COMPARISON_COMPARISON_H
#define TQ_IDENTIFY_COMPARISON_COMPARISON_H

#include "core/identify/regression/fit.h"
#include "core/identify/validation/rollout.h"
#include "core/signal/recording.h"

typedef enum tq_estimator {
    TQ_ESTIMATOR_FEASIBLE,
    TQ_ESTIMATOR_OLS,
    TQ_ESTIMATOR_WLS,
    TQ_ESTIMATOR_TLS,
    TQ_ESTIMATOR_RIDGE,
    TQ_ESTIMATOR_BOUNDED,
    TQ_ESTIMATOR_IV,
    TQ_ESTIMATOR_FEASIBLE_IV,
    TQ_ESTIMATOR_ENTROPIC, /* feasible, the prior weighs TQ_ENTROPIC_WEIGHT times as much */
    TQ_ESTIMATOR_IDIM_IV,  /* instruments: the columns along a simulation */
    TQ_ESTIMATOR_FEASIBLE_IDIM_IV,
    TQ_ESTIMATOR_DIDIM, /* output error: torque against the columns along a simulation */
    TQ_ESTIMATOR_FEASIBLE_DIDIM,
    TQ_ESTIMATORS,
} tq_estimator;
#define TQ_ENTROPIC_WEIGHT 1000.0

/* Why an estimator has no result. */
typedef enum tq_compared_fault {
    TQ_COMPARED_GOOD,
    TQ_COMPARED_SHORT,    /* fewer samples or windows than its columns need */
    TQ_COMPARED_MEMORY,   /* instruments of so many columns do not fit in memory_max */
    TQ_COMPARED_UNSOLVED, /* its equations have no solution */
    TQ_COMPARED_BALLS,    /* joints of several dofs are not simulated */
    TQ_COMPARED_DIVERGED, /* half of the simulated windows and more left all bounds */
} tq_compared_fault;

/* An estimator's result. */
typedef struct tq_compared {
    tq_estimator estimator;
    tq_compared_fault fault;
    double *value;           /* (tq_fit_value_count) */
    double *full;            /* (n_parameter) */
    double *rmse;            /* (nv) N m: of recordings judged, unfiltered torque */
    size_t n_judged;         /* samples */
    double condition;        /* of the weighted columns, or projections, scaled to one length */
    double price;            /* objective over that without constraints, less 1 */
    size_t n_iteration;      /* of the interior-point method; 0: none */
    size_t n_simulation;     /* of all recordings */
    size_t n_window, n_lost; /* of the last one */
    bool is_feasible;
    size_t negative;      /* column of a value that must not be negative; SIZE_MAX: none */
    size_t n_pose, n_bad; /* poses at random, and those at which M is not positive definite */
} tq_compared;

/* What is compared, and by which recordings judged. */
typedef struct tq_comparison_plan {
    const tq_estimator *estimators; /* (n) borrowed */
    size_t n;                       /* at most TQ_ESTIMATORS */
    size_t n_fitted;                /* recordings */
    bool leaves_out;             /* each fitted recording is judged by the values of all others */
    size_t first, end;           /* recordings judged */
    size_t n_segment;            /* of the data of instruments, where they are the fit's: see
                                    tq_comparison_output_fit; else 0 */
    size_t lag;                  /* samples, of lagged instruments */
    size_t memory_max;           /* bytes for instruments */
    const tq_feedback *feedback; /* of simulations; borrowed; NULL: not known */
    const tq_recording_filter *filter; /* of the recordings: simulations of output error with
                                          feedback pass a Butterworth filter as well; borrowed;
                                          NULL: none does */
    tq_unknown_gain *gains; /* (n_gain) of the fit's model: after each simulation of output
                                    error they are those found; NULL: all are known */
    size_t n_gain;
} tq_comparison_plan;

/* Passes over recordings, in this order; the first three may be left out. */
typedef enum tq_comparison_pass {
    TQ_COMPARISON_LAGGED,    /* fitted recordings; blocks as for a fit */
    TQ_COMPARISON_SIMULATED, /* likewise, up to TQ_SIMULATIONS_MAX times, */
    TQ_COMPARISON_OUTPUT,    /* and again by output error */
    TQ_COMPARISON_JUDGED,    /* all recordings; blocks as for residuals */
    TQ_COMPARISON_DONE,
} tq_comparison_pass;
enum { TQ_SIMULATIONS_MAX = 5, TQ_SIMULATIONS_OF_RESULT = 30 }; /* with n_segment */

typedef struct tq_comparison tq_comparison;

/**
 * Begin a comparison with a fit and its final solution (both borrowed, and unchanged until the
 * end); ask for a pass, read its recordings, and ask again until TQ_COMPARISON_DONE.
 *
 * Simulated instruments: windows of 3 s run side by side with the torque of the recording, and are
 * drawn to its motion at 1.5 Hz, so slowly that noise of position above does not pass; the columns
 * along them are correlated with those of the motion and not with its noise. Repeated with the
 * values found, until none moves by a tenth of its deviation.
 *
 * Output error: the same simulations, with values of their own. Torque of the recording is fitted
 * to the columns at simulated states alone, no measured column is used: a Gauss-Newton step on the
 * difference of recorded and simulated torque, whose Jacobian these columns are but for the change
 * of the motion. With `feedback` the simulated loop is the recording's own, and that difference is
 * the controller's answer to the error of position.
 *
 * Memory   begin takes tq_comparison_size(fit, plan) bytes of `scratch` until the caller rewinds
 *          it; next and the passes take and release more of the same.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and the statuses of the fit's push. An estimator that has no
 *          result has a fault.
 * Cost     An estimate: one solution for each recording left out. A simulation: 2 (nv + 1)
 *          regressors for each of 750 steps of a window, 64 windows at once, 16,384 steps of a
 *          recording at most.
 * Source   M. Gautier, A. Janot, P. Vandanjon, A new closed-loop output error method for parameter
 *          identification of robot dynamics, IEEE Trans. Control Systems Technology 21(2), 2013;
 *          A. Janot, P. Vandanjon, M. Gautier, A generic instrumental variable approach for
 *          industrial robot identification, IEEE Trans. Control Systems Technology 22(1), 2014;
 *          entropic: T. Lee, P. Wensing, F. Park, Geometric robot dynamic identification, IEEE TRO
 *          36(2), 2020.
 * Checked  tests/unit/core/identify/comparison/test_comparison.c
 */
tq_status tq_comparison_begin(const tq_fit *fit, const tq_fit_solution *solution,
                              const tq_comparison_plan *plan, tq_scratch *scratch,
                              tq_comparison **ret, tq_error *reterr);
size_t tq_comparison_size(const tq_fit *fit, const tq_comparison_plan *plan);

/* Ends a pass and names the next. */
tq_status tq_comparison_next(tq_comparison *comparison, tq_comparison_pass *ret, tq_error *reterr);

typedef struct tq_comparison_recording {
    double period; /* s between samples */
    /* s; torque is that of a controller's law whose rate is a central difference over rows this far
     * apart, less than the rate by a sixth of the square of frequency times it; 0: it is not */
    double difference;
    size_t n_sample; /* expected */
} tq_comparison_recording;

/* A recording of the pass. t (n_sample) s. */
tq_status tq_comparison_begin_recording(tq_comparison *comparison, size_t recording,
                                        const tq_comparison_recording *of, tq_error *reterr);
tq_status tq_comparison_push(tq_comparison *comparison, const tq_experiment_block *block,
                             const double *t, tq_error *reterr);
tq_status tq_comparison_end_recording(tq_comparison *comparison, tq_error *reterr);

/* After the passes of output error: the fit of its last simulation, whose columns are its own
 * instruments; with torque beyond the cut-off as measured. In the comparison's memory. */
tq_fit *tq_comparison_output_fit(const tq_comparison *comparison);

/* Changes of its values by two simulations after a disturbance of all of them, finer steps:
 * (n_column) by the first, then by the second. A fit along a simulation holds its motion for given,
 * but a part c of a change of a value, the second over the first, comes back by the motion that
 * follows from it: deviations of the values are 1 / (1 - c) of the fit's. All 0: not filtered. */
const double *tq_comparison_moves(const tq_comparison *comparison);

/* The results (n), in the order of the plan. */
const tq_compared *tq_comparison_results(const tq_comparison *comparison, size_t *ret_n);

#endif
