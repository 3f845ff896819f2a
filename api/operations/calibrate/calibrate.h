/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/calibrate.h - a calibration: what was asked for, and what was found. */
#ifndef TQA_OPERATIONS_CALIBRATE_CALIBRATE_H
#define TQA_OPERATIONS_CALIBRATE_CALIBRATE_H

#include "api/recordings/recording.h"
#include "core/identify/noise.h"
#include "core/identify/regression/fit.h"
#include "core/identify/validation/residuals.h"
#include "core/identify/validation/rollout.h"
#include "core/identify/validation/static_check.h"
#include "core/identify/verdict.h"

enum {
    TQA_CALIBRATE_LOGS_MAX = 200,
    TQA_CALIBRATE_POINTS = 1000, /* of a log's prediction, by default */
    TQA_CALIBRATE_POINTS_MAX = 100000,
};

#define TQA_CALIBRATE_HORIZON 0.25 /* s, of a forward simulation */
#define TQA_CALIBRATE_STAND   0.25 /* s, the shortest pose */
#define TQA_CALIBRATE_MOVING  0.01 /* rad/s or m/s: below it friction is of another kind */

typedef enum tqa_validation {
    TQA_VALIDATE_NOT,
    TQA_VALIDATE_LEAVE_ONE_OUT, /* each log by the fit of the others */
    TQA_VALIDATE_LOGS,          /* on logs of their own */
} tqa_validation;

/* Measured and predicted torque of a log, every so many samples. */
typedef struct tqa_calibrate_series {
    size_t n, room;
    uint64_t n_seen, every;
    double *t, *measured, *predicted; /* (room), (room x nv), in the robot's order */
} tqa_calibrate_series;

/* Residuals of one log's torque, row by row of the robot. */
typedef struct tqa_calibrate_judged {
    tq_residual_stats *parts[3]; /* by TQ_RESIDUALS_..., (nv) each */
} tqa_calibrate_judged;

/* Forward simulations along one log: nothing where there is no window. */
typedef struct tqa_calibrate_replayed {
    size_t n_window, n_lost;
    double step;              /* s */
    tq_rollout_error *joints; /* (nv), row by row of the robot */
} tqa_calibrate_replayed;

/* A calibration from its request on. Everything lives in the control's memory. */
typedef struct tqa_calibration {
    tqa_tree *control;
    tqa_order order;
    tqa_recording_request request;
    tqa_pass_memory pass_memory; /* of its passes */
    tqa_recording *logs;
    size_t n_log, n_fitted; /* logs from n_fitted on are for validation */
    tqa_validation validation;
    tq_fit_options options;
    bool chooses_method; /* none was told: instruments where noise of position asks for them */
    bool has_chosen;     /* it did */
    double told;         /* of progress: it never goes back */
    unsigned n_planned[2], n_pass; /* passes foreseen: now, and by instruments; passes so far */
    bool is_last;                  /* what is searched for has been found */
    bool foresees_instruments;     /* everything is likely to be read once more */
    bool
        tries_delay; /* as below: of the motion behind the torque; request.options.delay when found */
    bool finds_delay; /* it is asked of the data, and they told */
    bool tries_load;  /* friction by load was not asked for: it stays if the data tell of it */
    bool tries_sign;  /* nor was a law of the sign: the data may choose another one */
    bool chose_sign;  /* and have been asked */
    bool wants_covariance;
    bool wants_all;  /* model kind "full" */
    double lag_s;    /* of instruments; 0: chosen by cut-off and motion */
    bool is_sampled; /* what columns depend on was looked for in a part of the rows */
    size_t n_point;
    tq_scratch of_fit, memory, stream, scratch; /* of the fit and of its passes */
    tq_scratch of_judges;

    tq_fit *fit;
    const tq_column *columns;
    const tq_base_set *base;  /* NULL: per joint */
    const tq_parameter *list; /* (n_parameter) of base */
    size_t n_column;
    tq_fit_solution solution;
    tq_residuals fitted, validated;
    tqa_calibrate_judged judged_fit, judged_validation;
    tqa_calibrate_judged *judged_logs; /* (n_log) by the values that have not seen them, if any */
    tqa_calibrate_series *series;      /* (n_log) */
    tqa_calibrate_replayed *replayed;  /* (n_log) by the values that series shows */
    tqa_calibrate_replayed all_replayed;
    tq_noise_bias *noise; /* sums of the judging pass; NULL: by instruments */
    double *variance;     /* (n_fitted x nv) of the accelerations' noise */
    double *bias;         /* (n_column) expected of least squares */
    double bias_worst;    /* in deviations of the estimate; of column */
    size_t biased;
    tq_static_check
        *stands[2]; /* poses of the logs fitted, each by the values that series shows; of those
                            for validation */
    tq_verdict_report verdict;

    char *document, *urdf; /* malloc'ed; of the new robot, NULL: see why_no_robot */
    size_t n_document, n_urdf;
    const char *why_no_robot;
    const char *robot_note; /* what the robot cannot hold of the fit; NULL: nothing */
} tqa_calibration;

/* Parts of the whole, for progress. */
typedef enum tqa_calibration_stage {
    TQA_STAGE_READ,
    TQA_STAGE_FIT,
    TQA_STAGE_VALIDATE,
    TQA_STAGE_REPORT,
    TQA_STAGES,
} tqa_calibration_stage;

/* Tells how far a stage is, i of n. False: somebody wants it to stop. */
bool tqa_calibration_tell(tqa_calibration *calibration, unsigned stage, double i, size_t n,
                          const char *step);
/* The same within a log, now and then: a long one takes minutes. all: samples of the log. */
bool tqa_calibration_tell_within(tqa_calibration *calibration, unsigned stage, size_t log,
                                 size_t n_block, double all);
/* Before a search; after it: will instruments take the place of what it found? For progress alone.
 * False: the problem is set. */
void tqa_calibration_plan(tqa_calibration *calibration);
bool tqa_calibration_foresee(tqa_calibration *calibration);
/* How many samples a log will give, about. */
size_t tqa_calibration_expected(const tqa_calibration *calibration, const tqa_recording *log);
/* Ranges of rows or short segments may have left nothing: false, the problem is set. */
bool tqa_calibration_has_samples(const tqa_recording *log);

/* One pass. solution.again: what columns depend on has changed by it. */
bool tqa_calibration_pass(tqa_calibration *calibration);
/* Passes for each law of the sign, and one by that which stays: options.model. */
bool tqa_calibration_choose_sign(tqa_calibration *calibration);

/* Judges all logs by the solution, and by values that have not seen them. */
bool tqa_calibration_validate(tqa_calibration *calibration);

/* Gives back what `inout` holds and takes `size` bytes; false: a problem that names the logs. */
bool tqa_calibration_take(tqa_calibration *calibration, size_t size, tq_scratch *inout);

/* Sets the problem of what core refuses; false. */
bool tqa_calibration_fail(const tqa_calibration *calibration, tq_status status,
                          const tq_error *error);
/* What the joints' filtered torque is left with, as the sum of logarithms. usual: (nv) room. */
double tqa_calibration_misfit(const tqa_calibration *calibration, double *usual);
/* Leaves it out again where the torque that is fitted is clearly worse off with it. */
bool tqa_calibration_confirm_delay(tqa_calibration *calibration);
/* Sets request.options.delay to what puts torque in step with acceleration, or 0. */
bool tqa_calibration_find_delay(tqa_calibration *calibration);

/* Reads the request. False: the problem is set. */
bool tqa_calibration_read(tqa_calibration *calibration);

/* Friction is a state of gears that yield before they slip: neither a robot document nor a
 * simulation has it. */
bool tqa_calibration_yields(const tqa_calibration *calibration);

/* The robot with the parameters found: fills document and urdf, or says why there is none. */
bool tqa_calibration_robot(tqa_calibration *calibration);

/* Reasons of the verdict, a sentence each, the gravest first. */
size_t tqa_calibration_reason_count(const tqa_calibration *calibration);
void tqa_calibration_reason(const tqa_calibration *calibration, size_t k,
                            char text[TQA_PROBLEM_TEXT]);
/* Parameters that a direction without data consists of: "Izz_2 - Iyy_2", the largest first. */
void tqa_calibration_direction(const tqa_calibration *calibration, size_t k,
                               char text[TQA_PROBLEM_TEXT]);
const char *tqa_grade_slug(tq_fit_grade grade);
bool tqa_calibration_has_instruments(const tqa_calibration *calibration);
const char *tqa_method_slug(tq_fit_method method);

void tqa_calibration_answer(tqa_calibration *calibration);
/* The page for people, and parameters for a C program: malloc'ed, NULL when memory is short. */
char *tqa_calibration_page(const tqa_calibration *calibration, size_t *ret_n);
char *tqa_calibration_header(const tqa_calibration *calibration, size_t *ret_n);

/* Report, header and URDF of the job. False: the problem is set. */
bool tqa_calibration_attach(const tqa_calibration *calibration);

/* Two deviations of an autocorrelation of white noise. */
double tqa_calibration_white(const tq_residual_stats *judged);

/* Error of a forward simulation over that of keeping the first rate; NaN: it did not move. */
double tqa_calibration_drift(const tq_rollout_error *joint);

/* Finds the noise of the logs' accelerations; then, with the sums of the judging pass, what it does
 * to the fit. False: the problem is set. */
bool tqa_calibration_find_noise(tqa_calibration *calibration);
bool tqa_calibration_find_bias(tqa_calibration *calibration);
/* True when instruments are to take the place of least squares. */
bool tqa_calibration_needs_instruments(const tqa_calibration *calibration);
/* Adds to the verdict what total least squares takes for noise that nobody sees. */
void tqa_calibration_tell_total(tqa_calibration *calibration);
void tqa_calibration_put_noise(const tqa_calibration *calibration);
/* s between samples of the fitted log that has the most in a second. */
double tqa_calibration_step(const tqa_calibration *calibration);
/* Instruments lie so many samples before and after; > TQ_FIT_LAG_MAX where there is no such. */
double tqa_calibration_lag(const tqa_calibration *calibration);

/* The static gravity check: on logs for validation where they have poses (ret_unseen: no fit has
 * seen the poses), else on the logs fitted. */
const tq_static_check *tqa_calibration_stand(const tqa_calibration *calibration, bool *ret_unseen);
void tqa_calibration_put_stand(const tqa_calibration *calibration);

/* The joint of row v of torque. */
uint32_t tqa_calibration_joint(const tqa_calibration *calibration, size_t v);

#endif
