/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session.h - an identification as a sequence of passes over recordings: the session
 * says which pass it needs next, the caller reads the rows and pushes them. */
#ifndef TQ_IDENTIFY_SESSION_H
#define TQ_IDENTIFY_SESSION_H

#include "core/identify/comparison/comparison.h"
#include "core/identify/diagnosis/diagnosis.h"
#include "core/identify/noise.h"
#include "core/identify/regression/fit.h"
#include "core/identify/validation/residuals.h"
#include "core/identify/validation/rollout.h"
#include "core/identify/validation/stand_in.h"
#include "core/identify/validation/static_check.h"
#include "core/identify/verdict.h"
#include "core/signal/recording.h"

#define TQ_IDENTIFY_MOVING  0.01 /* rad/s or m/s: above it a joint is in motion */
#define TQ_IDENTIFY_HORIZON 0.25 /* s, length of a rollout */

typedef enum tq_identify_validation {
    TQ_VALIDATE_NONE,
    TQ_VALIDATE_LEAVE_ONE_OUT, /* each recording with the fit of all others */
    TQ_VALIDATE_SEPARATE,      /* on recordings that are not fitted */
} tq_identify_validation;

/* A recording, with the results of its survey. */
typedef struct tq_identify_recording {
    double n_row;        /* rows read by a pass */
    double n_moving;     /* number of these rows between the first motion and the last */
    size_t n_cached;     /* rows that searches read of a long recording; 0: all */
    double period;       /* s, of the rows */
    double step;         /* s, of the uniform grid */
    double difference;   /* s between rows of which the rate in a controller's law is a central
                            difference, torque being that of the law; 0: it is recorded */
    double motion;       /* Hz, bandwidth of the motion; 0: unknown */
    const double *floor; /* (nv) one-sided noise density, unit^2 / Hz, of the signal from which
                            accelerations are computed by n_difference differences; NULL: unknown */
    unsigned n_difference;
    const tq_stuck *stuck; /* (n_stuck) columns that repeat a value */
    size_t n_stuck;
    const bool *row_is_used;   /* (nv) torques that are known in it; NULL: as options.fit.model */
    const uint64_t *n_outlier; /* rows of the last pass with values replaced as outliers */
} tq_identify_recording;

typedef struct tq_identify_options {
    tq_fit_options fit;  /* first choice where the session searches; method: if it is not chosen */
    bool chooses_method; /* instruments replace least squares where position noise biases it */
    bool searches_delay; /* of the motion against the torque; else `delay` */
    bool searches_shift; /* likewise, by the misfit of the whole model */
    bool searches_load;  /* load-dependent friction stays if it is significant */
    bool searches_stribeck;     /* Stribeck's, likewise */
    bool searches_sign;         /* smoothed sign, Dahl, Dahl with relaxation: by their residuals */
    double delay;               /* s */
    double lag;                 /* s, of instruments; 0: by cut-off and bandwidth of the motion */
    tq_recording_filter filter; /* of all signals */
    tq_identify_validation validation;
    size_t n_recording, n_fitted;      /* recordings from n_fitted on are for validation */
    tq_identify_recording *recordings; /* (n_recording) borrowed; see TQ_STEP_THIN */
    const tq_estimator *estimators;    /* (n_estimator) to compare with; borrowed */
    size_t n_estimator;                /* at most TQ_ESTIMATORS */
    bool is_output; /* fit.method FEASIBLE, then output error: TQ_ESTIMATOR_FEASIBLE_DIDIM */
    const tq_feedback *feedback; /* of the controller that moved the robot; NULL: not known */
    /* (n_gain) of it that are not known, with is_output: borrowed, those of fit.model and of the
     * recordings, which are read with the present ones; after the session they are those found */
    tq_unknown_gain *gains;
    size_t n_gain;
    bool holds_gains;  /* gains kp of a scale that the recordings do not show keep their start; else
                          the session fails with TQ_ERR_NO_CONVERGENCE "gain": see is_loose */
    bool keeps_masses; /* all gains but a held one are unknown: the scale of all is that at which
                          the bodies' torque is most like that of fit.prior */
    size_t n_point;    /* points of a predicted series */
    size_t memory_max; /* bytes; a larger fit is not repeated with instruments */
} tq_identify_options;

/* Memory of a session: the caller provides one scratch for each. */
typedef enum tq_identify_memory {
    TQ_IDENTIFY_OF_FIT,
    TQ_IDENTIFY_OF_SOLUTION,
    TQ_IDENTIFY_OF_STREAM,
    TQ_IDENTIFY_OF_SOLVER,
    TQ_IDENTIFY_OF_VALIDATION,
    TQ_IDENTIFY_OF_BIAS,
    TQ_IDENTIFY_OF_STEP,
    TQ_IDENTIFY_OF_COMPARISON,
    TQ_IDENTIFY_OF_OUTPUT,
    TQ_IDENTIFY_MEMORIES,
} tq_identify_memory;

typedef enum tq_step_kind {
    TQ_STEP_MEMORY, /* release memory[slot], then take `size` bytes for it unless size is 0 */
    TQ_STEP_THIN,   /* keep about n_enough samples in the caches, update recordings[].n_cached */
    TQ_STEP_PASS,   /* push the samples of `recording` from front to back */
    TQ_STEP_DONE,
} tq_step_kind;

typedef enum tq_identify_pass {
    TQ_IDENTIFY_PASS_NONE,
    TQ_IDENTIFY_PASS_ALIGN,       /* delay by the high-frequency torque: blocks need `fast` */
    TQ_IDENTIFY_PASS_FIT,         /* blocks need friction regressors of step.fit */
    TQ_IDENTIFY_PASS_SHIFT,       /* delay by the whole model: blocks as for a fit */
    TQ_IDENTIFY_PASS_NOISE,       /* bias by position noise */
    TQ_IDENTIFY_PASS_VALIDATE,    /* residuals, rollouts, static check */
    TQ_IDENTIFY_PASS_INSTRUMENTS, /* of other estimators: blocks as for a fit */
    TQ_IDENTIFY_PASS_COMPARE,     /* error of other estimators: blocks as for validation */
} tq_identify_pass;

typedef struct tq_identify_step {
    tq_step_kind kind;
    tq_identify_memory slot;
    size_t size;
    size_t n_enough;
    tq_identify_pass pass;
    size_t recording;
    double delay;      /* s by which q, qd and qdd lag behind the torque */
    bool in_part;      /* only cached rows of a long recording */
    size_t n_expected; /* approximate number of samples */
    const tq_fit
        *fit; /* TQ_IDENTIFY_PASS_FIT, _SHIFT: see core/identify/friction_regressor.h; else NULL */
} tq_identify_step;

typedef struct tq_identify tq_identify;

/**
 * Begin a session; then call next until TQ_STEP_DONE, and push the samples of each pass. The next
 * call of next ends a recording.
 *
 * Memory   begin takes tq_identify_size(mechanism, options) bytes of `own` until the caller
 *          rewinds it; `memory` (TQ_IDENTIFY_MEMORIES) is the caller's, empty at first, and filled
 *          as TQ_STEP_MEMORY says. Options are copied; arrays they point to are borrowed.
 * Returns  begin: TQ_OK, TQ_ERR_SCRATCH. next, push: the statuses of the fit, of the validation,
 *          and TQ_ERR_RANGE "instruments" (value: samples): instruments lie more than
 *          TQ_FIT_LAG_MAX samples apart.
 * Cost     A dozen passes over cached rows, three over all; a search of the friction law 4 to 22.
 */
tq_status tq_identify_begin(const tq_mechanism *mechanism, const tq_identify_options *options,
                            tq_scratch *memory, tq_scratch *own, tq_identify **ret_session,
                            tq_error *reterr);
size_t tq_identify_size(const tq_mechanism *mechanism, const tq_identify_options *options);
tq_status tq_identify_next(tq_identify *session, tq_identify_step *ret_step, tq_error *reterr);

/* t: (n_sample) s from the recording's start. */
tq_status tq_identify_push(tq_identify *session, const tq_experiment_block *block, const double *t,
                           tq_error *reterr);
/* True if the current recording needs no more samples. */
bool tq_identify_has_enough(const tq_identify *session);

/**
 * Save a session: valid after a TQ_STEP_PASS, before its first push. Load one into a session that
 * has just begun with the same options and recordings: it continues with that pass, to the same
 * bits.
 *
 * Recordings that a pass has completed are part of the state, so that a resume continues within a
 * pass. `bytes` is borrowed until the first TQ_STEP_PASS after it.
 *
 * Returns  save_size: 0: no state is saved at this pass. load: false: not a saved state of such a
 *          session; the session is unchanged.
 */
size_t tq_identify_save_size(tq_identify *session);
void tq_identify_save(tq_identify *session, unsigned char *ret_bytes, size_t size);
bool tq_identify_load(tq_identify *session, unsigned char *bytes, size_t size);

/* Expected number of samples of a recording. */
size_t tq_identify_expected(const tq_identify *session, size_t recording, bool in_part);
/* Fraction of the session's work done, in [0, 1], given the fraction of the current recording that
 * is read. It decreases if a search takes longer than usual. */
double tq_identify_progress(const tq_identify *session, double part);

/* Measured and predicted torque of a recording, at every n-th sample. */
typedef struct tq_identify_series {
    size_t n, room;
    uint64_t n_seen, every;
    double *t, *measured, *predicted; /* (room), (room x nv) */
} tq_identify_series;

/* Residuals of torque by TQ_RESIDUALS_..., row by row. */
typedef struct tq_identify_residuals {
    tq_residual_stats *parts[3]; /* (nv) each */
} tq_identify_residuals;

/* Rollouts along one recording. */
typedef struct tq_identify_rollouts {
    size_t n_window, n_lost;
    double step;              /* s */
    tq_rollout_error *joints; /* (nv) */
} tq_identify_rollouts;

/* Results so far. */
typedef struct tq_identify_result {
    const tq_fit *fit;
    const tq_column *columns; /* (n_column) */
    size_t n_column;
    const tq_base_set *base; /* NULL: TQ_FIT_PER_JOINT */
    tq_fit_solution solution;
    tq_identify_residuals fitted, validated; /* of all recordings */
    tq_identify_residuals *recordings; /* (n_recording) by values fitted without the recording, if
                                          possible */
    tq_identify_series *series;        /* (n_recording) by the same values */
    tq_identify_rollouts *rollouts;    /* (n_recording) by the same values */
    tq_identify_rollouts all_rollouts;
    const tq_static_check *static_check; /* of the recordings for validation if they contain
                                            poses */
    const tq_compared *compared; /* (n_compared) other estimators, in the order of the options */
    size_t n_compared;
    const tq_compared *output;       /* simulations of output error, where it is the method */
    double widest;                   /* factor of a deviation by what motion follows from a value */
    size_t widest_column;            /* of it */
    bool is_too_large_to_compare;    /* memory_max does not suffice for them */
    bool static_check_unseen;        /* the poses are not among the fitted data */
    const tq_stand_in_row *document; /* (nv) friction in the terms of a robot document, with its
                                        residuals; NULL: a document can represent all terms of the
                                        fit */
    const double *variance;          /* (n_fitted x nv) variance of the noise of accelerations */
    const double *bias; /* (n_column) expected bias of least squares; NULL: instruments were
                           requested */
    double bias_worst;  /* in standard deviations of the estimate of column `biased` */
    size_t biased;
    tq_finding findings[TQ_FINDING_MAX]; /* faults of the recordings, the most serious first */
    size_t n_finding;
    bool is_diagnosed; /* all faults were searched; false: only stuck columns, outliers, lags */
} tq_identify_result;
const tq_identify_result *tq_identify_found(const tq_identify *session);

/* What the session has chosen. */
typedef struct tq_identify_choice {
    tq_fit_method method;
    tq_fit_model model;    /* the friction law */
    double delay;          /* s */
    size_t lag_samples;    /* of instruments */
    double lag;            /* s */
    bool found_delay;      /* the delay was determined from the data */
    bool found_sign;       /* the friction law was determined from the data */
    bool took_instruments; /* instruments replaced least squares */
    bool is_sampled;       /* searches read only a part of the rows */
} tq_identify_choice;
tq_identify_choice tq_identify_chosen(const tq_identify *session);
bool tq_identify_has_instruments(const tq_identify *session);

/* The verdict, after TQ_STEP_DONE. Takes tq_verdict_size(found->fit) bytes and releases them. */
tq_status tq_identify_judge(const tq_identify *session, tq_scratch *scratch,
                            tq_verdict_report *ret_report, tq_error *reterr);

#endif
