/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/controller.c - the controller that moved the robot: read, and what of
 * the result rests on it. */
#include "api/operations/simulate/controller.h"

#include <math.h>
#include <stdio.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/calibrate.h"
#include "api/recordings/commanded.h"

static const char *const fields[] = {TQA_FIELDS_CALIBRATE_CONTROLLER, NULL};
static const char *const kinds[] = {TQA_WORDS_CALIBRATE_CONTROLLER_KIND, NULL};
/* what follows the feedback */
static const char *const laws[] = {
    [TQ_COMMANDED_PD] = "",
    [TQ_COMMANDED_PD_GRAVITY] = " + gravity(q) + springs(q)",
    [TQ_COMMANDED_COMPUTED] = ") + C(q, qd) qd + gravity(q) + friction(qd) + springs(q)",
};

/* the place of number r, as the user writes it */
static tqa_value place_of(const tqa_calibration *c, const tqa_value *part, size_t r)
{
    if (json_is_array(part->value)) {
        return tqa_value_item(part, r);
    }
    if (json_is_object(part->value)) {
        const char *name = c->tree->robot->joint_names[tqa_calibration_joint(c, c->order.v[r])];
        const tqa_value own = tqa_value_field(part, name);
        return own.value != NULL ? own : *part;
    }
    return *part;
}

/* A joint without stiffness is not held to the commanded motion. */
static bool check_stiffness(const tqa_calibration *c, const tqa_value *part, const double *kp)
{
    for (size_t r = 0; r < c->order.nv; r++) {
        if (!(kp[c->order.v[r]] > 0.0)) {
            const tqa_value place = place_of(c, part, r);
            const char *name = c->tree->robot->joint_names[tqa_calibration_joint(c, c->order.v[r])];
            return tqa_value_refuse(
                &place, "range",
                "state the gain; or, of a joint that was at rest, its position: \"at_rest\"",
                "joint \"%.64s\" has kp 0: its position says nothing of its torque", name);
        }
    }
    return true;
}

static bool read_limits(const tqa_calibration *c, const tqa_value *part, tq_commanded_law *law)
{
    const tq_model *model = c->tree->robot->model;
    if (part->value != NULL) {
        return tqa_value_effort_limits(part, &c->order, model, &law->limit);
    }
    double *limit = tqa_tree_take(c->tree, c->order.nv, sizeof *limit);
    for (uint32_t j = 0; limit != NULL && j < model->n_joint; j++) {
        const double most = model->joints[j].limits.effort;
        if (model->joints[j].nv == 1 && model->joints[j].mimic == TQ_NONE) {
            limit[model->joints[j].v_index] = most > 0.0 ? most : (double)INFINITY;
        }
    }
    law->limit = limit;
    return limit != NULL;
}

bool tqa_calibration_read_controller(tqa_calibration *c, unsigned *need)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "controller");
    const tq_model *model = c->tree->robot->model;
    unsigned kind = 0;
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_object(&part, fields)) {
        return false;
    }
    const tqa_value kind_part = tqa_value_field(&part, "kind");
    const tqa_value kp = tqa_value_field(&part, "kp");
    const tqa_value kd = tqa_value_field(&part, "kd");
    const tqa_value ki = tqa_value_field(&part, "ki");
    const tqa_value limits = tqa_value_field(&part, "effort_limits");
    if (model->nq != model->nv) {
        return tqa_value_refuse(&part, "invalid-robot", "leave it out, and log the torques",
                                "the law of a controller is for joints of one freedom each");
    }
    if (!tqa_value_need(&kind_part, "add \"kind\": \"pd\", \"pd-gravity\" or "
                                    "\"computed-torque\"") ||
        !tqa_value_choice(&kind_part, kinds, &kind) ||
        !tqa_value_need(&kp, "add \"kp\": its gain of position, or one for each joint") ||
        !tqa_value_need(&kd, "add \"kd\": its gain of velocity, or one for each joint; 0: none") ||
        !tqa_calibration_read_gain(c, &kp, TQ_GAIN_KP, &c->law.kp) ||
        !tqa_calibration_read_gain(c, &kd, TQ_GAIN_KD, &c->law.kd) ||
        !check_stiffness(c, &kp, c->law.kp) ||
        (ki.value != NULL && !tqa_calibration_read_gain(c, &ki, TQ_GAIN_KI, &c->law.ki)) ||
        !read_limits(c, &limits, &c->law)) {
        return false;
    }
    c->law.kind = (tq_commanded_kind)kind;
    c->law.unknown = c->request.options.gains = c->gains;
    c->law.n_unknown = c->request.options.n_gain = c->options.n_gain;
    c->feedback = (tq_feedback){.kp = c->law.kp,
                                .kd = c->law.kd,
                                .ki = c->law.ki,
                                .by_mass = kind == TQ_COMMANDED_COMPUTED};
    c->options.feedback = &c->feedback;
    *need = 1u << TQA_RECORDING_Q | 1u << TQA_RECORDING_Q_CMD;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

static size_t count_commanded(const tqa_calibration *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_log; i++) {
        n += c->logs[i].is_commanded ? 1 : 0;
    }
    return n;
}

static void put_gains(const tqa_calibration *c, const char *key, const double *x)
{
    tqa_writer_list(c->tree->answer, key);
    for (size_t r = 0; r < c->order.nv; r++) {
        tqa_writer_number_or_null(c->tree->answer, NULL, x[c->order.v[r]]);
    }
    tqa_writer_end(c->tree->answer);
}

/* gains as they were stated, or found */
static void put_gains_of(const tqa_calibration *c, tq_gain_kind kind, const double *stated)
{
    static const char *const keys[] = {"kp", "kd", "ki"};
    tqa_writer_list(c->tree->answer, keys[kind]);
    for (size_t r = 0; r < c->order.nv; r++) {
        double x = stated[c->order.v[r]];
        for (size_t k = 0; k < c->options.n_gain; k++) {
            const tq_unknown_gain *gain = &c->gains[k];
            x = gain->kind == kind && gain->row == c->order.v[r] ? gain->start + gain->change : x;
        }
        tqa_writer_number(c->tree->answer, NULL, x);
    }
    tqa_writer_end(c->tree->answer);
}

void tqa_calibration_controller_note(const tqa_calibration *c, char text[TQA_CONTROLLER_NOTE])
{
    const size_t n = count_commanded(c);
    if (n == 0) {
        (void)snprintf(text, TQA_CONTROLLER_NOTE,
                       "torque is the logs' own: the controller is that of simulations only");
        return;
    }
    if (c->options.n_gain > 0) {
        (void)snprintf(
            text, TQA_CONTROLLER_NOTE,
            "torque of %zu of %zu logs was not measured: it is that of the controller's law, of "
            "which %zu gains were fitted with the parameters. Deviations and intervals of all "
            "hold what sets their scale for exact: see \"scale\"",
            n, c->n_log, c->options.n_gain);
        return;
    }
    (void)snprintf(
        text, TQA_CONTROLLER_NOTE,
        "torque of %zu of %zu logs was not measured: it is that of the controller's law. "
        "Gains that are all off by 1 %% put all masses, inertias and friction off by "
        "1 %%, and no log shows it; those of one joint put its torques off, which "
        "findings name as a scale where the bodies of other joints contradict. "
        "Deviations and intervals hold the gains for exact%s",
        n, c->n_log,
        c->law.ki == NULL ? ""
                          : ". The integral is 0 at the first row of each log: where it was not, "
                            "a constant torque is missing, which \"offset\" of a single log takes");
}

void tqa_calibration_put_controller(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    char text[TQA_CONTROLLER_NOTE];
    if (c->request.law == NULL) {
        return;
    }
    tqa_writer_object(answer, "controller");
    tqa_writer_string(answer, "kind", kinds[c->law.kind]);
    bool has_ff = false;
    for (size_t i = 0; i < c->n_log; i++) {
        has_ff = has_ff || (c->logs[i].is_commanded && tqa_commanded_has_feed_forward(&c->logs[i]));
    }
    (void)snprintf(text, sizeof text, "%skp (q_cmd - q) + kd (qd_cmd - qd)%s%s%s",
                   c->law.kind == TQ_COMMANDED_COMPUTED ? "M(q) (qdd_cmd + " : "",
                   c->law.ki != NULL ? " + ki integral(q_cmd - q)" : "", laws[c->law.kind],
                   has_ff ? " + tau_ff" : "");
    tqa_writer_string(answer, "law", text);
    put_gains_of(c, TQ_GAIN_KP, c->law.kp);
    put_gains_of(c, TQ_GAIN_KD, c->law.kd);
    if (c->law.ki != NULL) {
        put_gains_of(c, TQ_GAIN_KI, c->law.ki);
    }
    tqa_calibration_put_gains(c);
    put_gains(c, "effort_limits", c->law.limit);
    tqa_writer_list(answer, "torque_of");
    for (size_t i = 0; i < c->n_log; i++) {
        const tqa_recording *log = &c->logs[i];
        if (log->is_commanded) {
            tqa_writer_object(answer, NULL);
            tqa_writer_string(answer, "name", log->name);
            tqa_writer_string(answer, "rates",
                              tqa_commanded_has_rates(log) ? "logged" : "differences");
            if (tqa_commanded_has_feed_forward(log)) {
                tqa_writer_flag(answer, "feed_forward", true);
            }
            tqa_writer_count(answer, "rows_saturated", log->signal.repairs[TQ_REPAIR_SATURATED].n);
            tqa_writer_end(answer);
        }
    }
    tqa_writer_end(answer);
    tqa_calibration_controller_note(c, text);
    tqa_writer_string(answer, "note", text);
    tqa_writer_end(answer);
}
