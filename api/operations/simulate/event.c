/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/event.c - limits, levels, and what to do there. */
#include "api/operations/simulate/event.h"

#include <math.h>
#include <string.h>

#include "core/plant/stiction.h"

static const char *const fields[] = {"on",        "joint",  "joints",      "level",
                                     "direction", "action", "restitution", NULL};
static const char *const subjects[] = {"limits",         "q",      "qd", "tau",
                                       "kinetic_energy", "energy", NULL};
static const tq_event_kind kinds[] = {TQ_EVENT_LOWER, TQ_EVENT_Q,       TQ_EVENT_QD,
                                      TQ_EVENT_TAU,   TQ_EVENT_KINETIC, TQ_EVENT_ENERGY};
static const char *const actions[] = {"report", "stop", "bounce", NULL};
static const char *const directions[] = {"down", "both", "up", NULL};
static const char *const names[] = {[TQ_EVENT_LOWER] = "lower_limit",
                                    [TQ_EVENT_UPPER] = "upper_limit",
                                    [TQ_EVENT_Q] = "q",
                                    [TQ_EVENT_QD] = "qd",
                                    [TQ_EVENT_TAU] = "tau",
                                    [TQ_EVENT_KINETIC] = "kinetic_energy",
                                    [TQ_EVENT_ENERGY] = "energy",
                                    [TQ_EVENT_STICK] = "stick",
                                    [TQ_EVENT_SLIP] = "slip",
                                    [TQ_EVENT_REST] = "rest",
                                    [TQ_EVENT_LEAVE] = "leave"};

typedef struct reading {
    tqa_control *control;
    const double *q;
    tqa_events_watch *to;
    uint32_t asked;
} reading;

static bool add(const reading *r, const tqa_part *part, const tq_event_rule *rule)
{
    tqa_events_watch *to = r->to;
    if (to->n_rule == TQ_EVENT_RULES_MAX) {
        return tqa_part_refuse(part, "too-large", "watch fewer of them",
                               "more than %d limits and levels", TQ_EVENT_RULES_MAX);
    }
    to->asked[to->n_rule] = r->asked;
    to->rules[to->n_rule++] = *rule;
    return true;
}

static bool find_joint(const tqa_part *part, uint32_t *ret)
{
    const tqa_robot *robot = part->control->robot;
    for (uint32_t j = 0; json_is_string(part->value) && j < robot->model->n_joint; j++) {
        if (strcmp(robot->joint_names[j], json_string_value(part->value)) == 0 &&
            robot->model->joints[j].nv == 1) {
            *ret = j;
            return true;
        }
    }
    return tqa_part_refuse(part, "unknown-name", "a joint of one freedom, by its name",
                           "no such joint");
}

/* both limits of one joint, where it has them */
static bool add_limits(const reading *r, const tqa_part *part, uint32_t j, tq_event_rule rule)
{
    const tq_joint *joint = &r->control->robot->model->joints[j];
    const double q = r->q[joint->q_index];
    const double limit[2] = {joint->limits.lower, joint->limits.upper};
    for (unsigned k = 0; k < 2; k++) {
        if (!isfinite(limit[k])) {
            continue;
        }
        if (rule.action != TQ_EVENT_REPORT && (k == 0 ? q < limit[0] : q > limit[1])) {
            const tqa_part root = tqa_part_root(r->control);
            const tqa_part initial = tqa_part_field(&root, "initial");
            const tqa_part at = tqa_part_field(&initial, "q");
            return tqa_part_refuse(&at, "range", "start within the limits, or only report them",
                                   "joint %s starts at %g, beyond its limit %g",
                                   r->control->robot->joint_names[j], q, limit[k]);
        }
        rule.kind = k == 0 ? TQ_EVENT_LOWER : TQ_EVENT_UPPER;
        rule.joint = j;
        rule.level = limit[k];
        if (!add(r, part, &rule)) {
            return false;
        }
    }
    return true;
}

static bool read_limits(const reading *r, const tqa_part *part, tq_event_rule rule)
{
    const tqa_part joints = tqa_part_field(part, "joints");
    const tqa_part level = tqa_part_field(part, "level");
    const tqa_part direction = tqa_part_field(part, "direction");
    const tqa_part joint = tqa_part_field(part, "joint");
    const tq_model *model = r->control->robot->model;
    const tqa_part *strangers[] = {&level, &direction, &joint};
    for (unsigned k = 0; k < 3; k++) {
        if (strangers[k]->value != NULL) {
            return tqa_part_refuse(strangers[k], "invalid-value",
                                   "limits are the robot's own; choose some by \"joints\"",
                                   "not with \"limits\"");
        }
    }
    size_t n = 0;
    if (joints.value != NULL && !tqa_part_array(&joints, 1, model->n_joint, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_part name = tqa_part_item(&joints, k);
        uint32_t j = 0;
        if (!find_joint(&name, &j) || !add_limits(r, part, j, rule)) {
            return false;
        }
    }
    for (uint32_t j = 0; joints.value == NULL && j < model->n_joint; j++) {
        if (model->joints[j].nv == 1 && !add_limits(r, part, j, rule)) {
            return false;
        }
    }
    return true;
}

static bool read_level(const reading *r, const tqa_part *part, tq_event_rule rule)
{
    const tqa_part joint = tqa_part_field(part, "joint");
    const tqa_part level = tqa_part_field(part, "level");
    const tqa_part direction = tqa_part_field(part, "direction");
    const bool of_joint =
        rule.kind == TQ_EVENT_Q || rule.kind == TQ_EVENT_QD || rule.kind == TQ_EVENT_TAU;
    unsigned way = 1;
    rule.joint = TQ_NONE;
    if (rule.action == TQ_EVENT_BOUNCE) {
        return tqa_part_refuse(part, "invalid-value", "\"report\" or \"stop\"",
                               "only limits can be bounced off");
    }
    if (of_joint) {
        if (!tqa_part_need(&joint, "add \"joint\": its name") || !find_joint(&joint, &rule.joint)) {
            return false;
        }
        const tq_joint *of = &r->control->robot->model->joints[rule.joint];
        rule.row = rule.kind == TQ_EVENT_Q ? of->q_index : of->v_index;
    } else if (joint.value != NULL) {
        return tqa_part_refuse(&joint, "invalid-value", "leave it out",
                               "an energy is that of the whole robot");
    }
    if ((level.value != NULL && !tqa_part_number(&level, &rule.level)) ||
        (direction.value != NULL && !tqa_part_choice(&direction, directions, &way))) {
        return false;
    }
    rule.direction = (int)way - 1;
    return add(r, part, &rule);
}

static bool read_rule(const reading *r, const tqa_part *part)
{
    const tqa_part on = tqa_part_field(part, "on");
    const tqa_part action = tqa_part_field(part, "action");
    const tqa_part restitution = tqa_part_field(part, "restitution");
    unsigned subject = 0;
    unsigned what = TQ_EVENT_REPORT;
    tq_event_rule rule = {0};
    if (!tqa_part_object(part, fields) ||
        !tqa_part_need(&on, "add \"on\": \"limits\", \"q\", \"qd\", \"tau\", \"kinetic_energy\" "
                            "or \"energy\"") ||
        !tqa_part_choice(&on, subjects, &subject) ||
        (action.value != NULL && !tqa_part_choice(&action, actions, &what)) ||
        (restitution.value != NULL && !tqa_part_number(&restitution, &rule.restitution))) {
        return false;
    }
    const tqa_robot *robot = r->control->robot;
    if (what == TQ_EVENT_BOUNCE && robot->constraints != NULL && robot->constraints->n_row > 0) {
        return tqa_part_refuse(&action, "invalid-value", "\"report\" or \"stop\"",
                               "joints of a robot with constraints do not bounce: the impulse of "
                               "a limit would have to be shared with the constraints");
    }
    if (what == TQ_EVENT_BOUNCE && robot->model->nv > TQ_LOCKED_MAX) {
        return tqa_part_refuse(&action, "invalid-value", "\"report\" or \"stop\"",
                               "joints bounce on robots of up to %d freedoms, this one has %u",
                               (int)TQ_LOCKED_MAX, (unsigned)robot->model->nv);
    }
    rule.action = (tq_event_action)what;
    rule.kind = kinds[subject];
    if (restitution.value != NULL &&
        (what != TQ_EVENT_BOUNCE || !(rule.restitution >= 0.0 && rule.restitution <= 1.0))) {
        return tqa_part_refuse(&restitution, "range", "0 (stops dead) to 1 (loses nothing)",
                               "a restitution of %g, with the action \"%s\"", rule.restitution,
                               actions[what]);
    }
    return subject == 0 ? read_limits(r, part, rule) : read_level(r, part, rule);
}

bool tqa_control_watch(tqa_control *control, const tqa_order *order, const double *q,
                       tqa_events_watch *ret)
{
    (void)order;
    const tqa_part root = tqa_part_root(control);
    const tqa_part events = tqa_part_field(&root, "events");
    size_t n = 0;
    *ret = (tqa_events_watch){0};
    ret->told = tqa_control_take(control, TQA_EVENTS_MAX, sizeof *ret->told);
    if (ret->told == NULL || events.value == NULL) {
        return ret->told != NULL;
    }
    ret->rules = tqa_control_take(control, TQ_EVENT_RULES_MAX, sizeof *ret->rules);
    ret->asked = tqa_control_take(control, TQ_EVENT_RULES_MAX, sizeof *ret->asked);
    if (ret->rules == NULL || ret->asked == NULL ||
        !tqa_part_array(&events, 0, TQ_EVENT_RULES_MAX, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_part part = tqa_part_item(&events, k);
        const reading r = {.control = control, .q = q, .to = ret, .asked = (uint32_t)k};
        if (!read_rule(&r, &part)) {
            return false;
        }
    }
    return true;
}

void tqa_watch_note(tqa_events_watch *watch, const tq_event *event)
{
    if (watch->n_event < TQA_EVENTS_MAX) {
        watch->told[watch->n_event] = *event;
    }
    watch->n_event++;
}

void tqa_answer_events(tqa_control *control, const tqa_events_watch *watch)
{
    tqa_answer *answer = &control->answer;
    tqa_answer_list(answer, "events");
    for (uint64_t k = 0; k < watch->n_event && k < TQA_EVENTS_MAX; k++) {
        const tq_event *event = &watch->told[k];
        tqa_answer_object(answer, NULL);
        tqa_answer_number(answer, "t", event->t);
        tqa_answer_string(answer, "on", names[event->kind]);
        if (event->joint != TQ_NONE) {
            tqa_answer_string(answer, "joint", control->robot->joint_names[event->joint]);
        }
        tqa_answer_number(answer, "value", event->value);
        if (event->rule != TQ_NONE) {
            tqa_answer_count(answer, "event", watch->asked[event->rule]);
        }
        tqa_answer_end(answer);
    }
    tqa_answer_end(answer);
    if (watch->n_event > TQA_EVENTS_MAX) {
        tqa_answer_count(answer, "events_omitted", watch->n_event - TQA_EVENTS_MAX);
    }
}
