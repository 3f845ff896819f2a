/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/calibrate.h - a calibration: its request, its session, its answer. */
#ifndef TQA_OPERATIONS_CALIBRATE_CALIBRATE_H
#define TQA_OPERATIONS_CALIBRATE_CALIBRATE_H

#include "api/recordings/recording.h"
#include "core/identify/session.h"

enum {
    TQA_CALIBRATE_LOGS_MAX = 200,
    TQA_CALIBRATE_POINTS = 1000, /* of a log's prediction, by default */
    TQA_CALIBRATE_POINTS_MAX = 100000,
    TQA_CONTROLLER_NOTE = 800,
};

/* The state of one calibration. Everything lives in the tree's memory. */
typedef struct tqa_calibration {
    tqa_tree *tree;
    const tqa_robot *whole; /* tree->robot has joints at rest fixed */
    tqa_order order;
    tqa_recording_request request;
    tq_commanded_law law;        /* of request.law, where the request states the controller */
    tq_feedback feedback;        /* the same, for simulations */
    tq_unknown_gain *gains;      /* (options.n_gain) of it that are not known */
    bool *gain_is_open;          /* (options.n_gain) it has no start yet */
    double *gain_start;          /* (options.n_gain) */
    tqa_pass_memory pass_memory; /* of its passes */
    tqa_recording *logs;
    size_t n_log, n_fitted;      /* logs from n_fitted on are for validation */
    tq_identify_options options; /* as requested; recordings: see describe */
    bool wants_covariance;
    bool has_bounds;                        /* the request has bounds of masses and centres */
    bool has_own_contacts;                  /* some dataset states its own */
    bool wants_all;                         /* model kind "full" */
    tq_estimator estimators[TQ_ESTIMATORS]; /* that `compare` names */

    tq_identify *session;
    tq_scratch own, memory[TQ_IDENTIFY_MEMORIES];
    double progress;      /* the largest reported */
    unsigned char *saved; /* malloc'ed checkpoint, until its session has resumed */
    size_t n_saved;

    const tq_identify_result *found;
    tq_identify_choice chosen;
    const tq_parameter *list; /* (n_parameter) of found->base */
    tq_verdict_report verdict;

    char *document, *urdf; /* malloc'ed; of the new robot, NULL: see why_no_robot */
    size_t n_document, n_urdf;
    const char *why_no_robot;
    const char *robot_note; /* parts of the fit that a robot document cannot express; NULL: none */
} tqa_calibration;

/* Fixes the joints that the request says were at rest: tree->robot, from then on. False: the
 * problem is set. */
bool tqa_calibration_hold_joints(tqa_calibration *calibration);

/* Reads `contacts`: rows of torque that forces of contact enter are not used. False: the problem
 * is set. */
bool tqa_calibration_read_contacts(tqa_calibration *calibration);
/* The same of dataset i, after it is read; then of all of them together: torques are used that
 * some fitted log has. False: the problem is set. */
bool tqa_calibration_read_own_contacts(tqa_calibration *calibration, size_t i);
bool tqa_calibration_join_contacts(tqa_calibration *calibration);
/* True if torque of row v gives an equation, and has a residual. */
bool tqa_calibration_judges(const tqa_calibration *calibration, size_t v);
/* `torques_left_out` of the answer. */
void tqa_calibration_put_contacts(const tqa_calibration *calibration);
void tqa_calibration_put_own_contacts(const tqa_calibration *calibration, size_t i);
/* Reads `bounds`, after the model and the method. False: the problem is set. */
bool tqa_calibration_read_bounds(tqa_calibration *calibration);
/* A bound that changes the fit, as people read it. */
typedef struct tqa_calibration_bound {
    const char *link, *quantity, *end, *unit;
    double bound, value, without;
    double price; /* %, its part of the price of all; NaN: the fit without bounds is exact */
} tqa_calibration_bound;
tqa_calibration_bound tqa_calibration_bound_of(const tqa_calibration *calibration, size_t k);
void tqa_calibration_put_bounds(const tqa_calibration *calibration);
void tqa_calibration_bound_reason(const tqa_calibration *calibration, const tq_reason *reason,
                                  char text[TQA_PROBLEM_TEXT]);

/* `fit` and `validation` of the answer (residuals.c). */
void tqa_calibration_put_residuals(const tqa_calibration *c);

/* Reads the request. False: the problem is set. */
bool tqa_calibration_read(tqa_calibration *calibration);
/* The controller; where there is one *need (bits of quantities) is commanded motion in the place
 * of torque. False: the problem is set. */
bool tqa_calibration_read_controller(tqa_calibration *calibration, unsigned *need);

/* A gain of each row of torque, and which of them are not known (unknown_gains.c), with their
 * start. False: the problem is set. */
bool tqa_calibration_read_gain(tqa_calibration *calibration, const tqa_value *part,
                               tq_gain_kind kind, const double **ret);
/* After the whole request is read: what such a calibration cannot have. */
bool tqa_calibration_check_gains(tqa_calibration *calibration);
/* After the survey: what sets the scale of torque, or else the problem of it; after that, and
 * before the first pass: starts of gains without one. False: the problem is set. */
bool tqa_calibration_set_scale(tqa_calibration *calibration);
bool tqa_calibration_start_gains(tqa_calibration *calibration);
/* The problem of gains that the session calls loose; false. */
bool tqa_calibration_refuse_gain(const tqa_calibration *calibration);
/* `gains` and `scale` of the answer's controller. */
void tqa_calibration_put_gains(const tqa_calibration *calibration);

/* Reports progress (i of n recordings surveyed; the session's, with part of the recording at hand;
 * the report). False: the job is to stop, the problem is set. */
bool tqa_calibration_survey_progress(tqa_calibration *calibration, double i, size_t n);
bool tqa_calibration_pass_progress(tqa_calibration *calibration, tq_identify_pass pass,
                                   double part);
bool tqa_calibration_report_progress(tqa_calibration *calibration);

/* Runs the session to its end: reads the rows of each pass. False: the problem is set. */
bool tqa_calibration_run(tqa_calibration *calibration);

/* Sets the problem of a status of core; false. */
bool tqa_calibration_fail(const tqa_calibration *calibration, tq_status status,
                          const tq_error *error);
/* The problem of a log that a pass leaves without samples, or with too few; else true. */
bool tqa_calibration_check_samples(const tqa_calibration *calibration, tq_identify_pass pass,
                                   size_t i);
/* Releases `inout` and takes `size` bytes; false: a problem that names the logs. */
bool tqa_calibration_take(tqa_calibration *calibration, size_t size, tq_scratch *inout);

/* Reads the job's checkpoint before the survey; loads it into the session after it; saves one if
 * the last is old enough, at a TQ_STEP_PASS. */
void tqa_calibration_read_checkpoint(tqa_calibration *calibration);
void tqa_calibration_load_checkpoint(tqa_calibration *calibration);
void tqa_calibration_save_checkpoint(tqa_calibration *calibration);

/* Friction is a state of gears that yield before they slip: neither a robot document nor a
 * simulation has it. */
bool tqa_calibration_yields(const tqa_calibration *calibration);

/* The robot with the parameters found: fills document and urdf, or sets why_no_robot. */
bool tqa_calibration_robot(tqa_calibration *calibration);

/* Reasons of the verdict, a sentence each, most severe first. */
size_t tqa_calibration_reason_count(const tqa_calibration *calibration);
void tqa_calibration_reason(const tqa_calibration *calibration, size_t k,
                            char text[TQA_PROBLEM_TEXT]);
/* A fault of the logs in a sentence; the answer's list of them. */
void tqa_calibration_finding(const tqa_calibration *calibration, const tq_finding *finding,
                             char text[TQA_PROBLEM_TEXT]);
void tqa_calibration_put_findings(const tqa_calibration *calibration);
/* Parameters that a direction without data consists of: "Izz_2 - Iyy_2", the largest first. */
void tqa_calibration_direction(const tqa_calibration *calibration, size_t k,
                               char text[TQA_PROBLEM_TEXT]);
const char *tqa_grade_slug(tq_fit_grade grade);
bool tqa_calibration_has_instruments(const tqa_calibration *calibration);
const char *tqa_method_slug(tq_fit_method method);
/* The word of the method that was used. */
const char *tqa_calibration_method(const tqa_calibration *calibration);
const char *tqa_estimator_slug(tq_estimator estimator);

void tqa_calibration_answer(tqa_calibration *calibration);
/* `comparison` of the answer: other estimators, where the request names some. */
void tqa_calibration_put_comparison(const tqa_calibration *calibration);
/* Why an estimator has no result. */
const char *tqa_compared_fault(tq_compared_fault fault);
/* The parameter that constraints move by the most deviations, where they raise the objective by
 * more than 2 %; else SIZE_MAX. */
size_t tqa_calibration_costliest(const tqa_calibration *calibration, double *ret_price);
/* `controller` of the answer, where the request states it, and what rests on it in a sentence. */
void tqa_calibration_put_controller(const tqa_calibration *calibration);
void tqa_calibration_controller_note(const tqa_calibration *calibration,
                                     char text[TQA_CONTROLLER_NOTE]);
void tqa_calibration_put_noise(const tqa_calibration *calibration);
void tqa_calibration_put_static_check(const tqa_calibration *calibration);
/* The page for people, and parameters for a C program: malloc'ed, NULL when memory is short. */
char *tqa_calibration_page(const tqa_calibration *calibration, size_t *ret_n);
char *tqa_calibration_header(const tqa_calibration *calibration, size_t *ret_n);
/* The parameters, and bounds that change the fit, a line each; torques measured, predicted and
 * residual, a line for each time of each log. CSV, malloc'ed; NULL when memory is short. Before
 * tqa_calibration_answer, which reorders the torques. */
char *tqa_calibration_parameters_csv(const tqa_calibration *calibration, size_t *ret_n);
char *tqa_calibration_bounds_csv(const tqa_calibration *calibration, size_t *ret_n);
char *tqa_calibration_prediction_csv(const tqa_calibration *calibration, size_t *ret_n);

/* Report, header and URDF of the job. False: the problem is set. */
bool tqa_calibration_attach(const tqa_calibration *calibration);

/* The joint of row v of torque. */
uint32_t tqa_calibration_joint(const tqa_calibration *calibration, size_t v);

#endif
