/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/read.c - the request of a calibration. */
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/calibrate.h"
#include "api/operations/unmodelled.h"
#include "api/recordings/logs.h"

static const char *const model_fields[] = {TQA_FIELDS_CALIBRATE_REQUEST_MODEL, NULL};
static const char *const kinds[] = {TQA_WORDS_CALIBRATE_REQUEST_MODEL_KIND, NULL};
static const char *const gravities[] = {TQA_WORDS_CALIBRATE_REQUEST_MODEL_GRAVITY, NULL};
static const char *const frictions[] = {TQA_WORDS_CALIBRATE_REQUEST_MODEL_FRICTION, NULL};
static const char *const methods[] = {TQA_WORDS_CALIBRATE_REQUEST_METHOD, NULL};
static const char *const estimators[] = {TQA_WORDS_CALIBRATE_REQUEST_COMPARE, NULL};

/* smaller ones are mistakes */
static const double least_rate = 1e-9; /* rad/s, m/s */
static const double least_way = 1e-9;  /* rad, m */
static const double least_time = 1e-6; /* s */
static const double least_weight = 1e-15, most_weight = 1e15;

/* after the methods of core's fit */
enum { OUTPUT_ERROR = TQ_FIT_FEASIBLE_IV + 1 };

const char *tqa_method_slug(tq_fit_method method)
{
    return methods[method];
}

const char *tqa_calibration_method(const tqa_calibration *c)
{
    return methods[c->options.is_output ? (unsigned)OUTPUT_ERROR : (unsigned)c->chosen.method];
}

const char *tqa_estimator_slug(tq_estimator estimator)
{
    return estimators[estimator];
}

static bool read_compared(tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "compare");
    unsigned bits = 0;
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_choices(&part, estimators, &bits)) {
        return false;
    }
    for (unsigned k = 0; k < TQ_ESTIMATORS; k++) {
        if ((bits & 1u << k) != 0) {
            c->estimators[c->options.n_estimator++] = (tq_estimator)k;
        }
    }
    c->options.estimators = c->estimators;
    return true;
}

static bool read_couplings(tqa_calibration *c, const tqa_value *part)
{
    const tqa_robot *robot = c->tree->robot;
    size_t n = 0;
    if (part->value == NULL) {
        return true;
    }
    if (!tqa_value_array(part, 0, c->order.nv, &n)) {
        return false;
    }
    tq_fit_coupling *couplings = tqa_tree_take(c->tree, n + 1, sizeof *couplings);
    if (couplings == NULL) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value pair = tqa_value_item(part, k);
        uint32_t joints[2] = {0};
        size_t two = 0;
        if (!tqa_value_array(&pair, 2, 2, &two)) {
            return false;
        }
        for (size_t i = 0; i < 2; i++) {
            const tqa_value item = tqa_value_item(&pair, i);
            const char *name = json_string_value(item.value);
            if (name == NULL) {
                return tqa_value_refuse(&item, "wrong-type", "the name of a joint in quotes",
                                        "expected the name of a joint");
            }
            joints[i] = tqa_robot_joint(robot, name, strlen(name));
            if (joints[i] == TQ_NONE || robot->model->joints[joints[i]].nv != 1 ||
                (i == 1 && joints[1] == joints[0])) {
                return tqa_value_refuse(&item, "unknown-name",
                                        "name two different joints with one coordinate each",
                                        "\"%.64s\" is no joint of one freedom to couple", name);
            }
        }
        couplings[k] = (tq_fit_coupling){joints[0], joints[1]};
    }
    c->options.fit.model.couplings = couplings;
    c->options.fit.model.n_coupling = n;
    return true;
}

static bool read_friction(tqa_calibration *c, const tqa_value *part)
{
    tq_fit_model *model = &c->options.fit.model;
    unsigned bits = 0;
    if (part->value == NULL) {
        return true;
    }
    if (!tqa_value_choices(part, frictions, &bits)) {
        return false;
    }
    model->with &= (unsigned)TQ_REGRESS_ROTOR;
    model->with |= (bits & 1u) != 0 ? (unsigned)TQ_REGRESS_VISCOUS : 0u;
    model->with |= (bits & 2u) != 0 ? (unsigned)TQ_REGRESS_COULOMB : 0u;
    model->with |= (bits & 4u) != 0 ? (unsigned)TQ_REGRESS_OFFSET : 0u;
    model->stribeck_speed = 0.0; /* chosen friction brings its own speeds */
    c->options.searches_load = c->options.searches_stribeck = c->options.searches_delay = false;
    /* terms are one choice, the law of their sign another */
    c->options.searches_sign = c->options.searches_sign && (bits & (2u | 8u | 16u)) != 0;
    model->extra = (bits & 8u) != 0 ? (unsigned)TQ_FIT_STRIBECK : 0u;
    model->extra |= (bits & 16u) != 0 ? (unsigned)TQ_FIT_LOAD : 0u;
    model->added = 0;
    return true;
}

static bool read_flag(const tqa_value *part, unsigned bit, unsigned *with)
{
    bool flag = (*with & bit) != 0;
    if (part->value != NULL && !tqa_value_flag(part, &flag)) {
        return false;
    }
    *with = flag ? *with | bit : *with & ~bit;
    return true;
}

/* 0, or a number from `least` to `most`: of less, powers and quotients would leave all bounds. */
static bool read_or_none(const tqa_value *part, double least, double most, double *ret)
{
    if (part->value == NULL || !json_is_number(part->value) ||
        json_number_value(part->value) == 0.0) {
        return part->value == NULL || tqa_value_number(part, ret);
    }
    return tqa_value_within(part, least, most, ret);
}

/* The friction's sign law. */
static bool read_sign(tqa_calibration *c, const tqa_value *part)
{
    tq_fit_model *model = &c->options.fit.model;
    const tqa_value smoothing = tqa_value_field(part, "smoothing");
    const tqa_value presliding = tqa_value_field(part, "presliding");
    const tqa_value relaxation = tqa_value_field(part, "relaxation_s");
    if (!read_or_none(&smoothing, least_rate, 1e3, &model->smoothing) ||
        !read_or_none(&presliding, least_way, 1e3, &model->presliding) ||
        !read_or_none(&relaxation, least_time, 1e6, &model->relaxation)) {
        return false;
    }
    c->options.searches_sign = c->options.searches_sign && smoothing.value == NULL &&
                               presliding.value == NULL && relaxation.value == NULL;
    if (smoothing.value != NULL && presliding.value == NULL) {
        model->presliding = 0.0; /* the request states this sign law */
    }
    return relaxation.value == NULL || !(model->relaxation > 0.0) || model->presliding > 0.0 ||
           tqa_value_refuse(&relaxation, "invalid-value",
                            "add \"presliding\": 0.0002, or leave it out",
                            "only gears that yield (\"presliding\") creep at rest");
}

static bool read_model(tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "model");
    tq_fit_model *model = &c->options.fit.model;
    unsigned kind = 0;
    unsigned gravity = TQ_FIT_GRAVITY_SIN_COS;
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_object(&part, model_fields)) {
        return false;
    }
    const tqa_value kind_part = tqa_value_field(&part, "kind");
    const tqa_value gravity_part = tqa_value_field(&part, "gravity");
    const tqa_value friction = tqa_value_field(&part, "friction");
    const tqa_value rotor = tqa_value_field(&part, "rotor");
    const tqa_value springs = tqa_value_field(&part, "springs");
    const tqa_value speed = tqa_value_field(&part, "stribeck_speed");
    const tqa_value couplings = tqa_value_field(&part, "couplings");
    if ((kind_part.value != NULL && !tqa_value_choice(&kind_part, kinds, &kind)) ||
        (gravity_part.value != NULL && !tqa_value_choice(&gravity_part, gravities, &gravity)) ||
        !read_friction(c, &friction) || !read_flag(&rotor, TQ_REGRESS_ROTOR, &model->with) ||
        !read_flag(&springs, TQ_REGRESS_STIFFNESS, &model->with) ||
        (speed.value != NULL && !tqa_value_within(&speed, 1e-6, 1e3, &model->stribeck_speed)) ||
        !read_couplings(c, &couplings) || !read_sign(c, &part)) {
        return false;
    }
    model->kind = kind == 2 ? TQ_FIT_PER_JOINT : TQ_FIT_BASE;
    if (kind == 2 && c->options.searches_load) { /* a single joint carries no other bodies */
        c->options.searches_load = c->options.searches_delay = false;
        model->extra &= ~(unsigned)TQ_FIT_LOAD;
    }
    if (kind == 2 && (model->extra & (unsigned)TQ_FIT_LOAD) != 0) {
        return tqa_value_refuse(
            &friction, "invalid-value", "leave \"load\" out, or say \"kind\": \"base\"",
            "friction by load needs bodies that load a joint: \"per-joint\" has "
            "none");
    }
    model->gravity = gravity;
    c->wants_all = kind == 1;
    if (kind != 2 && gravity_part.value != NULL) {
        return tqa_value_refuse(&gravity_part, "invalid-value",
                                "leave it out, or say \"per-joint\"",
                                "\"gravity\" belongs to kind \"per-joint\": others know it");
    }
    return true;
}

static bool read_method(tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value method = tqa_value_field(&root, "method");
    const tqa_value confidence = tqa_value_field(&root, "confidence");
    const tqa_value ridge = tqa_value_field(&root, "ridge");
    const tqa_value entropy = tqa_value_field(&root, "prior_weight");
    const tqa_value noise = tqa_value_field(&root, "column_noise");
    const tqa_value draws = tqa_value_field(&root, "bootstrap");
    const tqa_value covariance = tqa_value_field(&root, "covariance");
    const tqa_value prior = tqa_value_field(&root, "prior");
    const tqa_value lag = tqa_value_field(&root, "lag_s");
    unsigned chosen = TQ_FIT_FEASIBLE;
    if ((method.value != NULL && !tqa_value_choice(&method, methods, &chosen)) ||
        (confidence.value != NULL &&
         !tqa_value_within(&confidence, 1e-3, 0.999999, &c->options.fit.confidence)) ||
        (ridge.value != NULL &&
         !tqa_value_within(&ridge, least_weight, most_weight, &c->options.fit.ridge)) ||
        (entropy.value != NULL &&
         !tqa_value_within(&entropy, least_weight, most_weight, &c->options.fit.entropy)) ||
        (draws.value != NULL &&
         !tqa_value_count(&draws, 0, TQ_FIT_DRAWS_MAX, &c->options.fit.n_bootstrap)) ||
        (covariance.value != NULL && !tqa_value_flag(&covariance, &c->wants_covariance)) ||
        (noise.value != NULL &&
         !tqa_value_within(&noise, least_weight, 0.999, &c->options.fit.column_noise)) ||
        (lag.value != NULL && !tqa_value_positive(&lag, &c->options.lag))) {
        return false;
    }
    if (lag.value != NULL && chosen != TQ_FIT_IV && chosen != TQ_FIT_FEASIBLE_IV) {
        return tqa_value_refuse(&lag, "invalid-value",
                                "leave it out, or say \"method\": \"feasible-iv\"",
                                "only instruments have a lag");
    }
    if (noise.value != NULL && chosen != TQ_FIT_TLS) {
        return tqa_value_refuse(&noise, "invalid-value", "leave it out, or say \"method\": \"tls\"",
                                "only total least squares assumes noise of its columns");
    }
    c->options.is_output = chosen == OUTPUT_ERROR;
    c->options.fit.method = c->options.is_output ? TQ_FIT_FEASIBLE : (tq_fit_method)chosen;
    c->options.chooses_method = method.value == NULL;
    c->options.searches_sign =
        c->options.searches_sign && chosen != TQ_FIT_IRLS; /* whose weights go by residuals */
    if (prior.value == NULL) {
        return true;
    }
    const size_t n = tq_parameter_count(c->tree->robot->model, c->options.fit.model.with);
    double *values = tqa_tree_take(c->tree, n + 1, sizeof *values);
    c->options.fit.prior = values;
    return values != NULL && tqa_value_numbers(&prior, n, values);
}

/* Repeated rows make intervals too narrow, and rows of the fit do not validate it.
 */
static bool is_news(const tqa_calibration *c, size_t i)
{
    const tqa_recording *log = &c->logs[i];
    for (size_t k = 0; k < i; k++) {
        const tqa_recording *other = &c->logs[k];
        const bool same = tqa_recordings_overlap(log, other);
        if (same && i < c->n_fitted) {
            return tqa_value_refuse(
                &log->part, "invalid-value", "leave it out, or choose other \"rows\" of it",
                "rows of \"%.60s\" are there twice: they add no information, and "
                "intervals would be too narrow",
                log->name);
        }
        if (same && k < c->n_fitted) {
            return tqa_value_refuse(
                &log->part, "invalid-value",
                "leave it out here or in \"datasets\", or choose other \"rows\"",
                "rows of \"%.60s\" are fitted: they validate nothing", log->name);
        }
    }
    return true;
}

static bool read_logs(tqa_calibration *c)
{
    static const char *const log_fields[] = {TQA_FIELDS_CALIBRATE_DATASET, NULL};
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    const tqa_value validate = tqa_value_field(&root, "validate");
    static const char *const words[] = {TQA_WORDS_CALIBRATE_REQUEST_VALIDATE, NULL};
    size_t n_validate = 0;
    unsigned word = 0;
    if (!tqa_value_need(&datasets, "add \"datasets\": [\"its name\"]") ||
        !tqa_value_some(&datasets, 1, TQA_CALIBRATE_LOGS_MAX, &c->n_fitted)) {
        return false;
    }
    c->options.validation = c->n_fitted > 1 ? TQ_VALIDATE_LEAVE_ONE_OUT : TQ_VALIDATE_NONE;
    if (json_is_array(validate.value)) {
        c->options.validation = TQ_VALIDATE_SEPARATE;
        if (!tqa_value_array(&validate, 1, TQA_CALIBRATE_LOGS_MAX, &n_validate)) {
            return false;
        }
    } else if (validate.value != NULL) {
        if (!tqa_value_choice(&validate, words, &word)) {
            return false;
        }
        c->options.validation = word == 1 ? TQ_VALIDATE_NONE : TQ_VALIDATE_LEAVE_ONE_OUT;
        if (word == 0 && c->n_fitted < 2) {
            return tqa_value_refuse(&validate, "invalid-value", "add another dataset",
                                    "with one dataset nothing is left when it is left out");
        }
    }
    c->n_log = c->n_fitted + n_validate;
    c->logs = tqa_tree_take(c->tree, c->n_log, sizeof *c->logs);
    for (size_t i = 0; c->logs != NULL && i < c->n_log; i++) {
        const tqa_value part = i < c->n_fitted ? tqa_value_item(&datasets, i)
                                               : tqa_value_item(&validate, i - c->n_fitted);
        if ((json_is_object(part.value) && !tqa_value_object(&part, log_fields)) ||
            !tqa_recording_read(&c->request, &part, &c->logs[i]) ||
            !tqa_calibration_read_own_contacts(c, i) || !is_news(c, i)) {
            return false;
        }
    }
    return c->logs != NULL && tqa_calibration_join_contacts(c);
}

/* A robot whose friction is known keeps its own sign functions. Where none is known, a sign would
 * jump at every reversal as no drive does: gears yield over two tenths of a milliradian before they
 * slip, drag less than in proportion once they do, and more the more they carry. On nine logs of an
 * UR10e, each predicted by a fit of the others, the first two took 13 5 5 15 17 27 % off the errors
 * that a smoothed sign leaves, the load another 0 20 15 0 0 0 %; that a joint at rest relaxes in
 * two seconds what it held took 6 % off the first joint's, and one second or four do so as well. */
static void set_default_signs(tqa_calibration *c)
{
    const tq_model *model = c->tree->robot->model;
    tq_fit_model *ret = &c->options.fit.model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].friction.coulomb != 0.0) {
            ret->smoothing = -1.0;
            return;
        }
    }
    ret->smoothing = 0.01;
    ret->presliding = 2e-4;
    ret->relaxation = 2.0;
    ret->extra = ret->added = TQ_FIT_STRIBECK | TQ_FIT_LOAD;
    c->options.searches_load = true;
    c->options.searches_stribeck = true;
    c->options.searches_sign = true;
    c->options.searches_delay = true;
    ret->stribeck_speed = 0.3;
}

/* A spherical or floating joint with a torque that is linear in no parameter of the fit; or TQ_NONE
 */
static uint32_t find_ball_term(const tq_model *model)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nv > 1 && (joint->friction.viscous != 0.0 || joint->spring.stiffness != 0.0 ||
                              joint->rotor.inertia != 0.0)) {
            return j;
        }
    }
    return TQ_NONE;
}

/* Signs of torque that the fit compares, joint with joint: no check of single logs refuses them. */
static void leave_signs_to_fit(tqa_calibration *c)
{
    const bool compares = c->options.fit.model.kind == TQ_FIT_BASE &&
                          c->n_fitted <= TQ_FINDING_RUNS &&
                          tq_diagnosis_is_for(c->tree->robot->model);
    for (size_t i = 0; i < c->n_fitted; i++) {
        c->logs[i].fits_signs = compares;
    }
}

bool tqa_calibration_read(tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value points = tqa_value_field(&root, "points");
    const tq_model *model = c->tree->robot->model;
    c->options.fit = tq_fit_defaults();
    c->options.fit.stop = tqa_tree_stop;
    c->options.fit.stop_ctx = c->tree;
    set_default_signs(c);
    c->options.n_point = TQA_CALIBRATE_POINTS;
    unsigned need = 1u << TQA_RECORDING_Q | 1u << TQA_RECORDING_TAU;
    if (model->nv == 0) {
        return tqa_value_refuse(&root, "invalid-robot", "give it a joint that moves",
                                "the robot cannot move");
    }
    if (c->tree->robot->constraints != NULL) {
        return tqa_value_refuse(&root, "invalid-robot", "calibrate its open tree",
                                "the torques of a constrained robot also hold the forces of its "
                                "constraints, which a log does not contain");
    }
    if (find_ball_term(model) != TQ_NONE) {
        return tqa_value_refuse(&root, "invalid-robot", "take its damping, spring and rotor out",
                                "\"%.64s\" has a damper, a spring or an inertia in all "
                                "directions, which the fit does not have",
                                c->tree->robot->joint_names[find_ball_term(model)]);
    }
    if (!tqa_all_modelled(&root, "the fit")) {
        return false;
    }
    if (!tqa_tree_order(c->tree, &c->order) || !tqa_calibration_read_controller(c, &need) ||
        !tqa_recording_request_read(&root, &c->order, need, &c->request) ||
        !tqa_calibration_read_contacts(c)) {
        return false;
    }
    c->request.law = c->options.feedback != NULL ? &c->law : NULL;
    c->request.options.gains = c->gains; /* which the request of recordings has cleared */
    c->request.options.n_gain = c->options.n_gain;
    c->options.searches_delay = c->options.searches_delay && !c->request.has_delay;
    /* whose misfit is that of all torques of a log */
    c->options.searches_shift = !c->request.has_delay;
    c->request.options.finds_brakes = model->nq == model->nv && c->options.n_gain == 0;
    c->request.takes_rest = true;
    if (!read_logs(c) || !read_model(c)) {
        return false;
    }
    c->options.fit.model.gains = c->options.gains = c->gains;
    c->options.fit.model.n_gain = c->options.n_gain;
    if (c->has_own_contacts || c->options.n_gain > 0) {
        c->options.searches_delay = c->options.searches_shift = false;
    }
    leave_signs_to_fit(c);
    return read_method(c) && tqa_calibration_check_gains(c) && tqa_calibration_read_bounds(c) &&
           read_compared(c) &&
           (points.value == NULL ||
            tqa_value_count(&points, 2, TQA_CALIBRATE_POINTS_MAX, &c->options.n_point));
}
