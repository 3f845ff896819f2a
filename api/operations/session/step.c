/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/session/step.c - steps of a session, and rewinding. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/session/session.h"

static const double request_us_max = 1e6; /* maximum cost of one request on a worker */
static const double print_us = 5.0;

static const char *const step_fields[] = {TQA_FIELDS_SESSION_STEP_REQUEST, NULL};
static const char *const rewind_fields[] = {TQA_FIELDS_SESSION_REWIND_REQUEST, NULL};

/* --------------------------------------------------------------------------------------- steps */

/* true for a retry of the last request (its answer was lost): same torques after the same step */
static bool is_repeated(const tqa_session *s)
{
    const tqa_session_request *r = &s->request;
    return r->has_at && s->has_last && r->at == s->last_at && r->steps == s->last_steps &&
           memcmp(r->tau, s->last_tau, s->held.nv * sizeof *r->tau) == 0;
}

static bool check_step(tqa_session *s, const tqa_value *root, const tqa_value *at)
{
    tqa_session_request *r = &s->request;
    r->is_repeated = is_repeated(s);
    if (r->is_repeated) {
        return true;
    }
    if (r->has_at && r->at != s->lock.step) {
        return tqa_value_refuse(
            at, "conflict", "GET the session for its state, and compute the torque for that",
            "the session is at step %" PRIu64 ", not at %" PRIu64, s->lock.step, r->at);
    }
    if (s->ended != NULL) {
        return tqa_value_refuse(root, "conflict", "rewind to a step before, or fork from one",
                                "the motion has ended at step %" PRIu64 ": %s", s->lock.step,
                                s->ended);
    }
    return true;
}

static bool read_step(tqa_session *s, tqa_tree *tree)
{
    tqa_session_request *r = &s->request;
    const tqa_value root = tqa_value_root(tree);
    const tqa_value tau = tqa_value_field(&root, "tau");
    const tqa_value steps = tqa_value_field(&root, "steps");
    const tqa_value at = tqa_value_field(&root, "at_step");
    size_t n = TQA_RANGE_SESSION_STEP_REQUEST_STEPS_DEFAULT;
    r->has_at = at.value != NULL;
    if (!tqa_value_need(&tau, "add \"tau\": a torque for each joint, N m or N") ||
        !tqa_value_row(&tau, &s->sim.order, TQA_ROW_TORQUE, r->tau) ||
        (steps.value != NULL &&
         !tqa_value_count(&steps, 1, TQA_RANGE_SESSION_STEP_REQUEST_STEPS_MOST, &n)) ||
        (r->has_at && !tqa_session_number(&at, &r->at))) {
        return false;
    }
    r->steps = n;
    const double us = (double)n * s->period_us;
    if (us > request_us_max && n > 1) {
        return tqa_value_refuse(&steps, "range", "fewer steps at a time",
                                "%zu steps would take some %.3g s to compute", n, us * 1e-6);
    }
    return check_step(s, &root, &at);
}

bool tqa_session_read_step(tqa_session *session, const tqa_session_body *body, tqa_problem *reterr)
{
    tqa_tree *tree = NULL;
    memset(session->request.tau, 0, session->held.nv * sizeof *session->request.tau);
    const bool good = tqa_session_tree(session->robot, body, step_fields, reterr, &tree) &&
                      read_step(session, tree);
    tqa_tree_free(tree);
    return good;
}

double tqa_session_cost_us(const tqa_session *session)
{
    return print_us + (session->request.is_repeated
                           ? 0.0
                           : (double)session->request.steps * session->period_us);
}

/* text: why the motion ended */
static void note_end(tqa_session *s)
{
    static const char *const words[] = {
        [TQ_RUN_GOES_ON] = NULL,
        [TQ_RUN_EVENT] = "an event ended it",
        [TQ_RUN_RUNAWAY] = "a velocity ran away",
        [TQ_RUN_TOO_SMALL] = "its steps became too small",
        [TQ_RUN_TOO_MUCH] = "it takes more steps than it may",
        [TQ_RUN_STOPPED] = "it was stopped",
    };
    const tq_run *run = s->sim.run;
    s->ended_at = run->joint;
    s->ended = run->end == TQ_RUN_GOES_ON || run->end == TQ_RUN_REFUSED
                   ? tq_status_text(run->status)
                   : words[run->end];
}

uint64_t tqa_session_step(tqa_session *session)
{
    tqa_session *s = session;
    const tqa_session_request *r = &s->request;
    if (r->is_repeated) {
        return 0;
    }
    s->has_last = true;
    s->last_at = s->lock.step;
    s->last_steps = r->steps;
    memcpy(s->last_tau, r->tau, s->held.nv * sizeof *r->tau);
    s->n_event = 0;
    for (uint64_t k = 0; k < r->steps; k++) {
        if (!tq_lock_step_advance(&s->lock, r->tau)) {
            note_end(s);
            break;
        }
    }
    return s->lock.step - s->last_at;
}

/* ----------------------------------------------------------------------------------------- back */

bool tqa_session_check_step(const tqa_session *s, const tqa_value *part, uint64_t step)
{
    const uint64_t least = tq_lock_step_least(&s->lock);
    if (step > s->lock.step) {
        return tqa_value_refuse(part, "range", "a step that has been made",
                                "the session is at step %" PRIu64, s->lock.step);
    }
    if (step > 0 && step < least) {
        return tqa_value_refuse(
            part, "range", "0, or a later step; \"history\" of the session bounds how far back",
            "step %" PRIu64 " is no longer in the history: %" PRIu64 " to %" PRIu64 " are, and 0",
            step, least, s->lock.step);
    }
    if (step == s->lock.step && s->ended != NULL) {
        return tqa_value_refuse(part, "conflict", "a step before", "the motion has ended there: %s",
                                s->ended);
    }
    return true;
}

static bool read_rewind(const tqa_session *s, tqa_tree *tree, uint64_t *ret)
{
    const tqa_value root = tqa_value_root(tree);
    const tqa_value step = tqa_value_field(&root, "step");
    const tqa_value time = tqa_value_field(&root, "t");
    double t = 0.0;
    if (step.value != NULL && time.value != NULL) {
        return tqa_value_refuse(&time, "invalid-value", "give one of them",
                                "\"step\" and \"t\" exclude each other");
    }
    if (time.value == NULL) {
        return tqa_value_need(&step, "add \"step\": 0 for the start") &&
               tqa_session_number(&step, ret) && tqa_session_check_step(s, &step, *ret);
    }
    if (!tqa_value_within(&time, 0.0, 9e15 * s->step_s, &t)) {
        return false;
    }
    const double n = floor(t / s->step_s + 0.5);
    if (fabs(t / s->step_s - n) > 1e-6 * fmax(1.0, n)) {
        return tqa_value_refuse(&time, "range", "a multiple of the control period",
                                "%g s is between two steps of %g s", t, s->step_s);
    }
    *ret = (uint64_t)n;
    return tqa_session_check_step(s, &time, *ret);
}

bool tqa_session_rewind(tqa_session *session, const tqa_session_body *body, tqa_problem *reterr)
{
    tqa_session *s = session;
    tqa_tree *tree = NULL;
    uint64_t step = 0;
    bool good = tqa_session_tree(s->robot, body, rewind_fields, reterr, &tree) &&
                read_rewind(s, tree, &step);
    tqa_tree_free(tree);
    if (good && !tq_lock_step_rewind(&s->lock, step)) {
        (void)tqa_problem_set(reterr, "internal", "a state of the history cannot be read");
        good = false;
    }
    if (good) {
        s->has_last = false;
        s->n_event = 0;
        s->ended = NULL;
        s->ended_at = TQ_NONE;
    }
    return good;
}
