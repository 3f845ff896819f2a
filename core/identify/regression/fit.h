/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/fit.h - parameters from measured torque: streaming, in one pass over the
 * data. */
#ifndef TQ_IDENTIFY_REGRESSION_FIT_H
#define TQ_IDENTIFY_REGRESSION_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/archive.h"
#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/identify/regression/columns.h"
#include "core/identify/regression/link_bounds.h"
#include "core/model/mechanism.h"
#include "core/signal/experiment.h"

typedef enum tq_fit_method {
    TQ_FIT_FEASIBLE, /* WLS over physically consistent parameters; the default */
    TQ_FIT_OLS,
    TQ_FIT_WLS,     /* joints weighted by their own residuals */
    TQ_FIT_IRLS,    /* iteratively reweighted by Huber's weights: outliers count less; reads the
                       data again */
    TQ_FIT_TLS,     /* total least squares: noise in the columns as well */
    TQ_FIT_RIDGE,   /* WLS pulled to the prior */
    TQ_FIT_BOUNDED, /* WLS with friction, rotors and stiffness not negative */
    /* instrumental variables: lagged columns as instruments, uncorrelated with position noise,
     * which then causes no bias; unconstrained, and physically consistent */
    TQ_FIT_IV,
    TQ_FIT_FEASIBLE_IV,
} tq_fit_method;

enum { TQ_FIT_LAG_MAX = 16384, TQ_FIT_DRAWS_MAX = 2000 };

/* Settings of a fit. tq_fit_defaults() gives: base parameters, rotors, viscous, Coulomb and offset
 * friction, feasible, 95 %. */
typedef struct tq_fit_options {
    tq_fit_model model;
    tq_fit_method method;
    double confidence; /* of the intervals, in (0, 1) */
    const double
        *prior;     /* (n_parameter of tq_parameter_count(model, with)); NULL: the model's own */
    double ridge;   /* TQ_FIT_RIDGE: variance of the prior is 1 / ridge; relative, 1e-4 */
    double entropy; /* TQ_FIT_FEASIBLE: weight of the prior relative to the objective, 1e-5 */
    double column_noise;          /* TQ_FIT_TLS: of every column, relative to its rms, 3e-4 */
    const tq_link_bounds *bounds; /* (n_bound) TQ_FIT_FEASIBLE, _IV: of masses and centres */
    size_t n_bound;
    size_t n_bootstrap;      /* draws of experiments or segments, up to TQ_FIT_DRAWS_MAX; 0: none */
    size_t lag;              /* TQ_FIT_IV: instruments are the columns `lag` samples before and
                                after; > 0 */
    uint64_t seed;           /* of the random states that find the base parameters */
    bool (*stop)(void *ctx); /* tq_base_options.stop; NULL: never */
    void *stop_ctx;
} tq_fit_options;

tq_fit_options tq_fit_defaults(void);

/* Columns, triangles and weights; in the memory from which it was built, and not movable. */
typedef struct tq_fit tq_fit;

/**
 * Build an empty fit.
 *
 * Memory   Takes tq_fit_size(...) bytes of `memory` for as long as the fit is used, and releases
 *          what it needs temporarily. The mechanism must live as long; options are copied, with the
 *          prior, bounds, couplings and used rows.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE   no dof, or n_experiment is 0
 *          TQ_ERR_RANGE   "confidence", "ridge", "entropy", "column_noise", "n_bootstrap", "lag",
 *                         "coupling" (index), "bounds" (index)
 *          TQ_ERR_SCRATCH, and the statuses of tq_base_find
 */
tq_status tq_fit_build(const tq_mechanism *mechanism, const tq_fit_options *options,
                       size_t n_experiment, tq_scratch *memory, tq_fit **ret_fit, tq_error *reterr);
size_t tq_fit_size(const tq_mechanism *mechanism, const tq_fit_options *options,
                   size_t n_experiment);
/* The same for another number of experiments, from a fit: smaller, as its number of columns is
 * exact. */
size_t tq_fit_size_like(const tq_fit *fit, size_t n_experiment);

/* True if torque of row r is known: it gives an equation. */
bool tq_fit_uses_row(const tq_fit *fit, size_t r);

/* The columns: torque = columns * values, and the base parameters among them (NULL for
 * TQ_FIT_PER_JOINT). The first base->n_base columns are the base set. */
const tq_column *tq_fit_columns(const tq_fit *fit, size_t *ret_n_column);
const tq_base_set *tq_fit_base(const tq_fit *fit);

/* Stribeck velocity of a joint, rad/s or m/s: the options', the joint's own, or, without either,
 * the candidate with the least residual of its row: one pass per candidate. */
double tq_fit_stribeck_speed(const tq_fit *fit, uint32_t joint);

/* Replaces the friction sign model, see tq_fit_model: columns stay the same, and all data must be
 * read again. */
void tq_fit_set_sign(tq_fit *fit, double smoothing, double presliding, double relaxation);

/* State of reading one experiment. Threads may read different experiments concurrently. */
typedef struct tq_fit_stream tq_fit_stream;

/**
 * Begin an experiment; push its blocks in order; end it.
 *
 * `n_sample` is the expected number of samples (0: unknown): it sets the length of segments for
 * bootstrap and jackknife. Beginning again discards the experiment's earlier data.
 *
 * Memory   begin takes tq_fit_stream_size(fit) bytes of `scratch` until the caller rewinds it.
 * Returns  TQ_OK, TQ_ERR_SHAPE (experiment, block), TQ_ERR_QUATERNION, TQ_ERR_NOT_FINITE ("tau" at
 *          sample `index` of the block), TQ_ERR_OVERFLOW, TQ_ERR_SCRATCH.
 * Cost     Per sample: the regressor, and 2 c^2 flops for each row of c columns.
 */
tq_status tq_fit_begin(tq_fit *fit, size_t experiment, size_t n_sample, tq_scratch *scratch,
                       tq_fit_stream **ret_stream, tq_error *reterr);
tq_status tq_fit_push(tq_fit_stream *stream, const tq_experiment_block *block, tq_error *reterr);
tq_status tq_fit_end(tq_fit_stream *stream, tq_error *reterr);

/* Rows of torque that are known in one experiment, of those that the fit uses: (nv) borrowed; NULL:
 * all of them. Before the experiment begins. */
void tq_fit_use_rows(tq_fit *fit, size_t experiment, const bool *row_is_used);

/**
 * Push at most TQ_FOLD_RUN samples, in no order, with instruments of the caller's: the columns at
 * the states of `instruments` (q, qd, qdd, tau), whose signs are those of its rates. For a fit by a
 * method with instruments. lost (n_sample): 1 excludes a sample.
 *
 * Returns  as tq_fit_push; TQ_ERR_SHAPE "n_sample": a fit without instruments, or too many samples.
 */
tq_status tq_fit_push_instruments(tq_fit_stream *stream, const tq_experiment_block *block,
                                  const tq_experiment_block *instruments, const unsigned char *lost,
                                  tq_error *reterr);
size_t tq_fit_stream_size(const tq_fit *fit);

/* Grade of a parameter, by its consistency over experiments and by the effect of its uncertainty on
 * torque. */
typedef enum tq_fit_grade {
    TQ_GRADE_USABLE, /* spread below 30 %, or its effect is below the measured noise of torque */
    TQ_GRADE_ROBUST, /* spread below 80 %: for linear control with robustness */
    TQ_GRADE_INCOMPLETE,   /* spread above: the model lacks terms */
    TQ_GRADE_UNIDENTIFIED, /* not determined by the data */
} tq_fit_grade;

/* One column's estimate. NaN where not defined. */
typedef struct tq_estimate {
    double value;
    double deviation;     /* standard deviation, by jackknife over experiments or segments; for
                             two or three experiments the larger of both */
    double raised;        /* ratio to the deviation from segments, if larger; else 1 */
    double freedom;       /* degrees of freedom of the interval */
    double textbook;      /* standard deviation under the assumption of white residuals: for
                             comparison only */
    double low, high;     /* interval at options.confidence */
    double relative;      /* deviation / |value| */
    double consistency;   /* sample deviation (n - 1) over |mean| of the separate fits of
                             experiments */
    double effect;        /* rms torque of one deviation, N m */
    double least_squares; /* with instruments: the WLS estimate, biased by position noise */
    double bootstrap;     /* standard deviation over draws of experiments or segments */
    double bootstrap_low, bootstrap_high; /* percentiles of these draws, centred at the value */
    double unbound; /* the value without physical constraints; deviations refer to it */
    tq_fit_grade grade;
} tq_estimate;

/* A combination of columns not determined by the data: unit length in columns scaled by their
 * nominal size. */
typedef struct tq_unidentified {
    double *direction; /* (n_column) */
    double deviation;  /* standard deviation along it, in nominal sizes */
    double visible;    /* torque of one nominal size along it over all torque, in motion to the
                          robot's limits: of the joint where it is largest */
} tq_unidentified;

typedef struct tq_fit_solution {
    size_t n_column;
    tq_estimate *estimate; /* (n_column) */
    double *value;         /* (tq_fit_value_count) the same values, for predictions; after them
                              the two of core/identify/high_frequency_inertia.h, row by row */
    double *full;          /* (n_parameter) all parameters of links and joints; NULL: per joint */
    double *covariance;    /* (n_column^2) of the estimates, from the same groups as deviations;
                              without physical constraints */
    double *sigma;         /* (nv) residual deviation of each row, N m, on filtered torque */
    double *mean_load;     /* (nv) regressor of load-dependent friction, averaged over samples at
                              which the joint slips: Coulomb friction equivalent per unit; else 0 */
    size_t structural_rank, rank;
    double condition, condition_scaled;
    double objective;               /* sum of squared weighted residuals */
    double objective_unconstrained; /* of WLS: the cost of feasibility and bounds is the
                                       difference */
    double objective_unbounded;     /* of the feasible fit without bounds; NaN: none are given */
    double gap;                     /* feasible: objective - optimum is at most this */
    size_t n_iteration;
    double least_eigenvalue; /* feasible: of all pseudo-inertias, relative to their nominal size */
    size_t n_active;
    tq_active_bound *active; /* (n_active) bounds that change the fit; shares have the sum 1, or are
                                0 */
    size_t n_unidentified;
    size_t n_invisible;            /* last of these: combinations that no motion of the robot
                                      excites */
    tq_unidentified *unidentified; /* (n_unidentified + n_invisible) the latter last */
    double freedom;                /* degrees of freedom of the jackknife: groups - 1 */
    size_t n_sample;
    bool again; /* IRLS, load, Stribeck: all experiments must be read once more and solved again;
                   estimates have values only */
} tq_fit_solution;

/**
 * Solve for the parameters from all data read so far.
 *
 * Memory   The solution's arrays come from `memory` (tq_fit_solution_size); tq_fit_solve_size bytes
 *          of `scratch` are taken and released.
 * Returns  TQ_OK; TQ_ERR_SHAPE "n_sample": fewer rows than columns; TQ_ERR_SCRATCH;
 *          TQ_ERR_NO_CONVERGENCE "feasible".
 */
tq_status tq_fit_solve(tq_fit *fit, tq_scratch *memory, tq_scratch *scratch,
                       tq_fit_solution *ret_solution, tq_error *reterr);
size_t tq_fit_solution_size(const tq_fit *fit);

/* Mean square of each row's filtered acceleration in the data of the last passes; 0: unknown. */
void tq_fit_usual_acceleration(const tq_fit *fit, double *ret_square);

/* Mean square of each row's torque in the data of the last passes: ret_square (n_row). */
void tq_fit_usual_torque(const tq_fit *fit, double *ret_square);

/* Freezes load, Stribeck velocities and weights: the next solution is final. */
void tq_fit_freeze(tq_fit *fit);
/* Searches them again: the delay between motion and torque has changed. */
void tq_fit_unfreeze(tq_fit *fit);

/* While on, passes only search nonlinear parameters: experiments are one segment each, and
 * solutions have values and residuals only. After switching off, one more pass gives the rest. */
void tq_fit_set_search(tq_fit *fit, bool searches);
size_t tq_fit_solve_size(const tq_fit *fit);

/* Number of values for predictions: n_column, and two for each row. */
size_t tq_fit_value_count(const tq_fit *fit);

/* The values (tq_fit_value_count) by the same method without one experiment: for its
 * cross-validation. */
tq_status tq_fit_solve_without(tq_fit *fit, size_t experiment, tq_scratch *scratch,
                               double *ret_value, tq_error *reterr);

/* State between passes as bytes, for a fit built with the same options: results of earlier passes,
 * and the triangles of the first n_experiment experiments. */
void tq_fit_archive(tq_fit *fit, size_t n_experiment, tq_archive *archive);
/* A solution of this fit. Reading takes tq_fit_solution_size bytes of `memory` for its arrays; NULL
 * if they exist already. False: memory too small. */
bool tq_fit_solution_archive(const tq_fit *fit, tq_scratch *memory, tq_fit_solution *inout,
                             tq_archive *archive);

#endif
