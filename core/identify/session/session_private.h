/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/session_private.h - the state machine of a session: private to this
 * folder. */
#ifndef TQ_IDENTIFY_SESSION_SESSION_PRIVATE_H
#define TQ_IDENTIFY_SESSION_SESSION_PRIVATE_H

#include "core/base/archive.h"
#include "core/identify/high_frequency_inertia.h"
#include "core/identify/session.h"
#include "core/identify/torque_shift.h"

/* States in the order of an identification without repeats. Each has one function `enter`, which
 * does one of: request memory, request a pass, compute; and sets the state that follows. */
typedef enum tq_session_state {
    TQ_SESSION_START,
    TQ_SESSION_BUILD, /* a fit of now.method and now.extra; then after_build */
    TQ_SESSION_BUILD_ONE,
    TQ_SESSION_BUILD_ALL,
    TQ_SESSION_VARIANCE, /* variance of the noise of accelerations */
    TQ_SESSION_FIND_VARIANCE,
    TQ_SESSION_THIN,
    TQ_SESSION_PLAN,
    TQ_SESSION_ALIGN, /* delay by the high-frequency part of torque */
    TQ_SESSION_ALIGN_NEXT,
    TQ_SESSION_MEMORY,  /* memory for the passes of a fit; then after_memory */
    TQ_SESSION_CONFIRM, /* check of the delay by the filtered torque */
    TQ_SESSION_CONFIRM_FIRST,
    TQ_SESSION_CONFIRM_NEXT,
    TQ_SESSION_CONVERGE, /* passes until nonlinear parameters have converged; then after_converge */
    TQ_SESSION_LAW_FIRST,
    TQ_SESSION_LAW_NEXT,
    TQ_SESSION_WIDTH_LOOK,
    TQ_SESSION_WIDTH_DOWN,
    TQ_SESSION_CONVERGE_AGAIN,
    TQ_SESSION_SHIFT, /* delay by the misfit of the whole model */
    TQ_SESSION_SHIFT_PASS,
    TQ_SESSION_SHIFTED,
    TQ_SESSION_CHECK_EXTRA,
    TQ_SESSION_FORESEE, /* bias by noise, from the cached rows: for progress alone */
    TQ_SESSION_FORESEE_PASS,
    TQ_SESSION_FORESEEN,
    TQ_SESSION_READ_ALL,
    TQ_SESSION_OUTPUT, /* output error */
    TQ_SESSION_OUTPUT_BEGIN,
    TQ_SESSION_OUTPUT_NEXT,
    TQ_SESSION_OUTPUT_CHECK,
    TQ_SESSION_OUTPUT_TAKE,
    TQ_SESSION_OUTPUT_SOLVE,
    TQ_SESSION_VALIDATE,
    TQ_SESSION_VALIDATE_PASS,
    TQ_SESSION_VALIDATED,
    TQ_SESSION_BIAS,
    TQ_SESSION_FIND_BIAS,
    TQ_SESSION_INSTRUMENTS,
    TQ_SESSION_COMPARE, /* other estimators beside the result */
    TQ_SESSION_COMPARE_BEGIN,
    TQ_SESSION_COMPARE_NEXT,
    TQ_SESSION_DONE,
    TQ_SESSION_RESUME,
    TQ_SESSION_RESUME_FIT,
    TQ_SESSION_RESUME_REST,
    TQ_SESSION_STATES,
} tq_session_state;

/* Search of the delay by descent, in half samples. */
typedef struct tq_session_align {
    unsigned stage;
    double step; /* s */
    double misfit_at_0;
    double left, here, right; /* misfits at `at` - way, `at`, `at` + way */
    double at, way;
    size_t n_left; /* samples that this evaluation still needs */
} tq_session_align;

/* Check of a delay: misfit of the filtered torque with each sign law, [0] without and [1] with the
 * delay. */
typedef struct tq_session_confirm {
    double delay;
    double laws[3][2]; /* presliding, relaxation */
    unsigned n_law, k;
    double misfit[2];
} tq_session_confirm;

/* Three widths, as logarithms, the smallest first, with the mean square residual of each. */
typedef struct tq_session_bracket {
    double at[3], left[3];
} tq_session_bracket;

/* Search of the sign law: each law once, then the width of a smoothed sign. */
typedef struct tq_session_law {
    double laws[3][2], left[3];
    unsigned k, best;
    tq_session_bracket bracket;
    unsigned round, i,
        side; /* of the width: number of brackets, width within the bracket, direction of descent */
    double centre, apart, at, way, at_start;
    double smoothing; /* before the search */
    bool on_trial;    /* the delay of a smoothed sign is searched, else Dahl's law stays */
} tq_session_law;

/* All decisions, saved as bytes: the struct has no pointers. */
typedef struct tq_session_now {
    tq_session_state state, after_build, after_memory, after_converge, after_validate;
    tq_identify_pass pass;
    size_t recording, n_end; /* of the pass */
    tq_fit_method method;
    unsigned extra; /* additional terms of the model */
    double smoothing, presliding, relaxation;
    size_t lag_samples;
    double lag, delay;
    double torque_lag, torque_lag_gain; /* s, and nats it explains: first-order lag of the torque;
                                           0: none */
    unsigned n_shift;                   /* searches of the delay by the whole model */
    bool searches_delay, searches_load, searches_stribeck, searches_sign;
    bool found_sign, took_instruments, foresees_instruments;
    bool is_sampled; /* searches read only a part of the rows */
    bool in_part;    /* this pass reads only a part of the rows */
    bool is_last;    /* last pass of a fit: all nonlinear parameters are fixed */
    bool has_search, has_bias;
    bool is_checked;               /* that the scales of gains are shown */
    bool is_scaled;                /* gains, to the masses of the robot */
    unsigned n_planned[2], n_pass; /* typical number of passes with least squares and with
                                      instruments; number so far */
    tq_session_align align;
    tq_session_confirm confirm;
    tq_session_law law;
    double bias_worst;
    size_t biased;
} tq_session_now;

/* Sums of the validation pass. */
typedef struct tq_session_validation {
    tq_residuals fitted, validated; /* residuals of the solution; of values fitted without the
                                       recording */
    tq_residuals own;               /* residuals of the current recording */
    bool is_fitted, is_left_out, has_own;
    tq_rollout *rollout;        /* NULL: rollouts are not possible */
    tq_static_check *checks[2]; /* for the fitted recordings; for those of validation */
    tq_noise_bias *noise;       /* NULL: the fit uses instruments */
    tq_stand_in *stand_in;      /* NULL: a robot document can represent all friction terms */
    tq_diagnosis *diagnosis;    /* NULL: too large, or a fit per joint */
    double *value;              /* (tq_fit_value_count) for the current recording */
    double *tau;                /* (nv x TQ_BLOCK) */
    tq_residual_stats *stats;   /* (n_recording + 2, 3, nv) */
    tq_rollout_error *errors;   /* (n_recording + 1, nv) */
    size_t mark;
} tq_session_validation;

struct tq_identify {
    const tq_mechanism *mechanism;
    tq_identify_options options;
    tq_scratch *memory; /* (TQ_IDENTIFY_MEMORIES) */
    size_t nv;
    tq_session_now now;
    bool is_reading; /* a pass over a recording is in progress */
    size_t n_enough; /* > 0: TQ_STEP_THIN is next */

    struct {
        tq_identify_memory slot;
        size_t size;
    } needs[4];
    size_t n_need;

    tq_fit *fit;
    const tq_fit *measured; /* the fit along measured motion where `fit` is output error's */
    tq_fit *before_output;  /* the same */
    tq_fit_stream *stream;
    size_t *pushed;   /* (n_recording) samples of its last pass */
    size_t *fitted;   /* (n_recording) samples of its last TQ_IDENTIFY_PASS_FIT */
    double *usual;    /* (nv) */
    double *variance; /* (n_fitted x nv) */
    tq_high_frequency_inertia_sums *aligns; /* (nv) */
    tq_shift *shift;                        /* of TQ_IDENTIFY_PASS_SHIFT */
    tq_noise_bias *noise;                   /* of TQ_IDENTIFY_PASS_NOISE */
    double *noise_bias;                     /* (n_column) memory for its result */
    double *bias;                           /* (n_column) */
    tq_session_validation validation;
    const double *moves;       /* (2 x n_column) of the simulations of output error; NULL: none */
    tq_comparison *comparison; /* of TQ_IDENTIFY_PASS_INSTRUMENTS, _COMPARE */
    tq_identify_result result;
    uint64_t fingerprint; /* hash of options and recordings */
    tq_archive saved;     /* saved.bytes NULL: no state was loaded */
    tq_session_now resumed;
};

typedef tq_status tq_session_enter(tq_identify *id, tq_error *reterr);
tq_session_enter tq_session_start, tq_session_build, tq_session_build_one, tq_session_build_all,
    tq_session_thin;
tq_session_enter tq_session_align_start, tq_session_align_next, tq_session_confirm_start,
    tq_session_confirm_first, tq_session_confirm_next, tq_session_shift, tq_session_shift_pass,
    tq_session_shifted;
tq_session_enter tq_session_law_first, tq_session_law_next, tq_session_width_look,
    tq_session_width_down;
tq_session_enter tq_session_plan, tq_session_take_memory, tq_session_converge,
    tq_session_converge_again, tq_session_check_extra, tq_session_foresee, tq_session_foresee_pass,
    tq_session_foreseen, tq_session_read_all;
tq_session_enter tq_session_variance, tq_session_find_variance, tq_session_bias,
    tq_session_find_bias, tq_session_instruments;
tq_session_enter tq_session_output, tq_session_output_begin, tq_session_output_next,
    tq_session_output_check, tq_session_output_take, tq_session_output_solve;
tq_session_enter tq_session_validate, tq_session_validate_pass, tq_session_validated;
tq_session_enter tq_session_compare, tq_session_compare_begin, tq_session_compare_next;
tq_session_enter tq_session_resume, tq_session_resume_fit, tq_session_resume_rest;

/* Requests the check that the scales of gains are shown: others are held, and a fit without their
 * columns begins; or it fails. */
void tq_session_begin_gains(tq_identify *id);
/* After a solution by output error: its gains; or the state of one more, at another scale. */
tq_status tq_session_take_gains(tq_identify *id, tq_error *reterr);

/* Requests memory, after earlier requests; size 0: requests its release. */
void tq_session_need(tq_identify *id, tq_identify_memory slot, size_t size);
/* Requests a pass over the first n_end recordings; then `state`. */
void tq_session_request(tq_identify *id, tq_identify_pass pass, size_t n_end,
                        tq_session_state state);

tq_fit_options tq_session_fit_options(const tq_identify *id);
bool tq_session_has_instruments(const tq_identify *id);
/* Sets now.lag_samples, or fails with TQ_ERR_RANGE "instruments". */
tq_status tq_session_choose_lag(tq_identify *id, tq_error *reterr);
/* Samples between a column and its instruments, in [1, TQ_FIT_LAG_MAX], whatever the method. */
size_t tq_session_lag(const tq_identify *id);
/* Hz, above which the filter passes no noise. */
double tq_session_corner(const tq_identify *id);
/* Copies the bias and its worst column to the result. */
void tq_session_show_bias(tq_identify *id);
/* Sets the typical number of passes of the next searches. */
void tq_session_foretell(tq_identify *id);

/* Sum over the joints of the logarithm of their residual deviation: invariant to units. */
double tq_session_misfit(const tq_identify *id);
/* Whether a smoothed sign of this misfit is clearly better than the law found so far, Dahl's. */
bool tq_session_law_is_better(const tq_identify *id, double misfit);
/* Dahl's law stays, with the width there was before the search. */
void tq_session_law_stays(tq_identify *id);
/* Whether a delay may be searched by the whole model. */
bool tq_session_can_shift(const tq_identify *id);

/* Takes memory and starts the sums of a validation; then starts a recording of it. */
tq_status tq_session_validation_begin(tq_identify *id, tq_error *reterr);
size_t tq_session_validation_size(const tq_identify *id);
tq_status tq_session_validate_begin_recording(tq_identify *id, size_t i, tq_error *reterr);
tq_status tq_session_validate_push(tq_identify *id, const tq_experiment_block *block,
                                   const double *t, tq_error *reterr);
tq_status tq_session_validate_end_recording(tq_identify *id, size_t i, tq_error *reterr);
void tq_session_validation_archive(tq_identify *id, tq_archive *archive);

tq_status tq_session_compare_begin_recording(tq_identify *id, size_t i, tq_error *reterr);

#endif
