/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/event.c - limits, levels, and the action at a crossing. */
#include "api/operations/simulate/event.h"

#include <math.h>
#include <string.h>

#include "api/codec/writer.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "core/plant/stiction.h"

_Static_assert(TQ_EVENT_RULES_MAX == TQA_RANGE_SIMULATE_REQUEST_EVENTS_N_MOST,
               "the contract has the limit of core");

static const char *const fields[] = {TQA_FIELDS_EVENT_RULE, NULL};
static const char *const subjects[] = {TQA_WORDS_EVENT_RULE_ON, NULL};
static const tq_event_kind kinds[] = {TQ_EVENT_LOWER, TQ_EVENT_Q,       TQ_EVENT_QD,
                                      TQ_EVENT_TAU,   TQ_EVENT_KINETIC, TQ_EVENT_ENERGY};
static const char *const actions[] = {TQA_WORDS_EVENT_RULE_ACTION, NULL};
static const char *const directions[] = {TQA_WORDS_EVENT_RULE_DIRECTION, NULL};
static const char *const names[] = {TQA_WORDS_EVENT_ON};

typedef struct reading {
    tqa_tree *tree;
    const double *q;
    tqa_events_watch *to;
    uint32_t asked;
} reading;

static bool add(const reading *r, const tqa_value *part, const tq_event_rule *rule)
{
    tqa_events_watch *to = r->to;
    if (to->n_rule == TQ_EVENT_RULES_MAX) {
        return tqa_value_refuse(part, "too-large", "watch fewer of them",
                                "more than %d limits and levels", TQ_EVENT_RULES_MAX);
    }
    to->asked[to->n_rule] = r->asked;
    to->rules[to->n_rule++] = *rule;
    return true;
}

static bool find_joint(const tqa_value *part, uint32_t *ret)
{
    const tqa_robot *robot = part->tree->robot;
    for (uint32_t j = 0; json_is_string(part->value) && j < robot->model->n_joint; j++) {
        if (strcmp(robot->joint_names[j], json_string_value(part->value)) == 0 &&
            robot->model->joints[j].nv == 1) {
            *ret = j;
            return true;
        }
    }
    return tqa_value_refuse(part, "unknown-name", "a joint of one freedom, by its name",
                            "no such joint");
}

/* both limits of one joint, where it has them */
static bool add_limits(const reading *r, const tqa_value *part, uint32_t j, tq_event_rule rule)
{
    const tq_joint *joint = &r->tree->robot->model->joints[j];
    const double q = r->q[joint->q_index];
    const double limit[2] = {joint->limits.lower, joint->limits.upper};
    for (unsigned k = 0; k < 2; k++) {
        if (!isfinite(limit[k])) {
            continue;
        }
        if (rule.action != TQ_EVENT_REPORT && (k == 0 ? q < limit[0] : q > limit[1])) {
            const tqa_value root = tqa_value_root(r->tree);
            const tqa_value initial = tqa_value_field(&root, "initial");
            const tqa_value at = tqa_value_field(&initial, "q");
            return tqa_value_refuse(&at, "range", "start within the limits, or only report them",
                                    "joint %s starts at %g, beyond its limit %g",
                                    r->tree->robot->joint_names[j], q, limit[k]);
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

static bool read_limits(const reading *r, const tqa_value *part, tq_event_rule rule)
{
    const tqa_value joints = tqa_value_field(part, "joints");
    const tqa_value level = tqa_value_field(part, "level");
    const tqa_value direction = tqa_value_field(part, "direction");
    const tqa_value joint = tqa_value_field(part, "joint");
    const tq_model *model = r->tree->robot->model;
    const tqa_value *strangers[] = {&level, &direction, &joint};
    for (unsigned k = 0; k < 3; k++) {
        if (strangers[k]->value != NULL) {
            return tqa_value_refuse(strangers[k], "invalid-value",
                                    "limits are the robot's own; choose some by \"joints\"",
                                    "not with \"limits\"");
        }
    }
    size_t n = 0;
    if (joints.value != NULL && !tqa_value_array(&joints, 1, model->n_joint, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value name = tqa_value_item(&joints, k);
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

static bool read_level(const reading *r, const tqa_value *part, tq_event_rule rule)
{
    const tqa_value joint = tqa_value_field(part, "joint");
    const tqa_value level = tqa_value_field(part, "level");
    const tqa_value direction = tqa_value_field(part, "direction");
    const bool of_joint =
        rule.kind == TQ_EVENT_Q || rule.kind == TQ_EVENT_QD || rule.kind == TQ_EVENT_TAU;
    unsigned way = 1;
    rule.joint = TQ_NONE;
    if (rule.action == TQ_EVENT_BOUNCE) {
        return tqa_value_refuse(part, "invalid-value", "\"report\" or \"stop\"",
                                "only limits can be bounced off");
    }
    if (of_joint) {
        if (!tqa_value_need(&joint, "add \"joint\": its name") ||
            !find_joint(&joint, &rule.joint)) {
            return false;
        }
        const tq_joint *of = &r->tree->robot->model->joints[rule.joint];
        rule.row = rule.kind == TQ_EVENT_Q ? of->q_index : of->v_index;
    } else if (joint.value != NULL) {
        return tqa_value_refuse(&joint, "invalid-value", "leave it out",
                                "an energy is that of the whole robot");
    }
    if ((level.value != NULL && !tqa_value_number(&level, &rule.level)) ||
        (direction.value != NULL && !tqa_value_choice(&direction, directions, &way))) {
        return false;
    }
    const tqa_robot *robot = r->tree->robot;
    const bool is_angle =
        (rule.kind == TQ_EVENT_Q && robot->is_angle[rule.row]) ||
        (rule.kind == TQ_EVENT_QD && robot->is_angle[robot->model->nq + rule.row]);
    rule.level *= is_angle && r->tree->in_degrees ? tqa_radians_of_degree : 1.0;
    rule.direction = (int)way - 1;
    return add(r, part, &rule);
}

static bool read_rule(const reading *r, const tqa_value *part)
{
    const tqa_value on = tqa_value_field(part, "on");
    const tqa_value action = tqa_value_field(part, "action");
    const tqa_value restitution = tqa_value_field(part, "restitution");
    unsigned subject = 0;
    unsigned what = TQ_EVENT_REPORT;
    tq_event_rule rule = {0};
    if (!tqa_value_object(part, fields) ||
        !tqa_value_need(&on, "add \"on\": \"limits\", \"q\", \"qd\", \"tau\", \"kinetic_energy\" "
                             "or \"energy\"") ||
        !tqa_value_choice(&on, subjects, &subject) ||
        (action.value != NULL && !tqa_value_choice(&action, actions, &what)) ||
        (restitution.value != NULL && !tqa_value_number(&restitution, &rule.restitution))) {
        return false;
    }
    const tqa_robot *robot = r->tree->robot;
    if (what == TQ_EVENT_BOUNCE && robot->constraints != NULL && robot->constraints->n_row > 0) {
        return tqa_value_refuse(&action, "invalid-value", "\"report\" or \"stop\"",
                                "joints of a robot with constraints do not bounce: the impulse of "
                                "a limit would have to be shared with the constraints");
    }
    if (what == TQ_EVENT_BOUNCE && robot->model->nv > TQ_LOCKED_MAX) {
        return tqa_value_refuse(
            &action, "invalid-value", "\"report\" or \"stop\"",
            "joints bounce on robots of up to %d degrees of freedom, this one has %u",
            (int)TQ_LOCKED_MAX, (unsigned)robot->model->nv);
    }
    rule.action = (tq_event_action)what;
    rule.kind = kinds[subject];
    if (restitution.value != NULL &&
        (what != TQ_EVENT_BOUNCE || !(rule.restitution >= 0.0 && rule.restitution <= 1.0))) {
        return tqa_value_refuse(&restitution, "range", "0 (stops dead) to 1 (loses nothing)",
                                "a restitution of %g, with the action \"%s\"", rule.restitution,
                                actions[what]);
    }
    return subject == 0 ? read_limits(r, part, rule) : read_level(r, part, rule);
}

bool tqa_tree_watch(tqa_tree *tree, const tqa_order *order, const double *q, tqa_events_watch *ret)
{
    (void)order;
    const tqa_value root = tqa_value_root(tree);
    const tqa_value events = tqa_value_field(&root, "events");
    size_t n = 0;
    *ret = (tqa_events_watch){0};
    ret->recorded = tqa_tree_take(tree, TQA_EVENTS_MAX, sizeof *ret->recorded);
    if (ret->recorded == NULL || events.value == NULL) {
        return ret->recorded != NULL;
    }
    ret->rules = tqa_tree_take(tree, TQ_EVENT_RULES_MAX, sizeof *ret->rules);
    ret->asked = tqa_tree_take(tree, TQ_EVENT_RULES_MAX, sizeof *ret->asked);
    if (ret->rules == NULL || ret->asked == NULL ||
        !tqa_value_array(&events, 0, TQ_EVENT_RULES_MAX, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value part = tqa_value_item(&events, k);
        const reading r = {.tree = tree, .q = q, .to = ret, .asked = (uint32_t)k};
        if (!read_rule(&r, &part)) {
            return false;
        }
    }
    return true;
}

void tqa_watch_note(tqa_events_watch *watch, const tq_event *event)
{
    if (watch->n_event < TQA_EVENTS_MAX) {
        watch->recorded[watch->n_event] = *event;
    }
    watch->n_event++;
}

void tqa_writer_events(tqa_tree *tree, const tqa_events_watch *watch)
{
    tqa_writer *answer = tree->answer;
    tqa_writer_list(answer, "events");
    for (uint64_t k = 0; k < watch->n_event && k < TQA_EVENTS_MAX; k++) {
        const tq_event *event = &watch->recorded[k];
        tqa_writer_object(answer, NULL);
        tqa_writer_number(answer, "t", event->t);
        tqa_writer_string(answer, "on", names[event->kind]);
        if (event->joint != TQ_NONE) {
            tqa_writer_string(answer, "joint", tree->robot->joint_names[event->joint]);
        }
        if ((event->kind == TQ_EVENT_STICK || event->kind == TQ_EVENT_SLIP) &&
            event->tendon != TQ_NONE) {
            tqa_writer_string(answer, "tendon", tree->robot->tendon_names[event->tendon]);
        }
        tqa_writer_number(answer, "value", event->value);
        if (event->kind == TQ_EVENT_TOUCH || event->kind == TQ_EVENT_LIFT) {
            tqa_writer_string(answer, "a", watch->pair_names[2 * event->rule]);
            tqa_writer_string(answer, "b", watch->pair_names[2 * event->rule + 1]);
        } else if (event->rule != TQ_NONE) {
            tqa_writer_count(answer, "event", watch->asked[event->rule]);
        }
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    if (watch->n_event > TQA_EVENTS_MAX) {
        tqa_writer_count(answer, "events_omitted", watch->n_event - TQA_EVENTS_MAX);
    }
}
