/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/session/open.c - opens a session: the plant of a simulation, with held torques in
 * place of an input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/session/session.h"
#include "api/request/body.h"

static const double substeps_max = 1e4;
static const double period_us_max = 1e6; /* maximum cost of one period on a worker */
enum { VALUE_BYTES = 96 };               /* approximate bytes of a parsed value */

static const char *const fields[] = {TQA_FIELDS_SESSION_REQUEST, NULL};
static const char *const fork_fields[] = {TQA_FIELDS_SESSION_FORK_REQUEST, NULL};

bool tqa_session_tree(const tqa_robot *robot, const tqa_session_body *body,
                      const char *const *known, tqa_problem *problem, tqa_tree **ret)
{
    problem->status = 0;
    problem->n_fault = 0;
    *ret = NULL;
    if (body->content != TQA_MEDIA_NONE && body->content != TQA_MEDIA_JSON &&
        body->content != TQA_MEDIA_CBOR) {
        (void)tqa_problem_set(problem, "unsupported-media",
                              "send application/json or application/cbor");
        return false;
    }
    tqa_tree *tree = *ret = tqa_tree_new(robot, problem);
    tqa_body *decoder = malloc(sizeof *decoder);
    if (tree == NULL || decoder == NULL) {
        free(decoder);
        (void)tqa_problem_set(problem, "busy", "there is no memory for this request now");
        return false;
    }
    tree->is_strict = true;
    const tqa_body_sink sink = {.events = &tqa_tree_events,
                                .ctx = tree,
                                .place = tqa_tree_place,
                                .problem = problem,
                                .n_number = TQA_TREE_VALUES_MAX};
    tqa_body_init(decoder, body->content, &sink);
    if (body->n == 0) {
        (void)tqa_problem_set(problem, "malformed", "the body is empty");
        tqa_problem_fault(problem, "", "send a JSON object, {} at least", "the body is empty");
    } else if (tqa_body_feed(decoder, body->bytes, body->n) && tqa_body_finish(decoder)) {
        const tqa_value root = tqa_value_root(tree);
        (void)tqa_value_object(&root, known);
    }
    tqa_body_clear(decoder);
    free(decoder);
    return problem->status == 0;
}

bool tqa_session_number(const tqa_value *part, uint64_t *ret)
{
    double x = 0.0;
    if (!tqa_value_within(part, 0.0, (double)TQA_RANGE_SESSION_STEP_REQUEST_AT_STEP_MOST, &x)) {
        return false;
    }
    if (floor(x) != x) {
        return tqa_value_refuse(part, "wrong-type", "a whole number", "%g is not whole", x);
    }
    *ret = (uint64_t)x;
    return true;
}

/* ----------------------------------------------------------------------------------- the plant */

/* `version`: the robot by its digest, even if its name has another robot now; NULL: by its name */
static bool find_robot(tqa_session *s, const tqa_host *host, const char *version)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value name = tqa_value_field(&root, "robot");
    const char *text = NULL;
    if (!tqa_value_need(&name, "add \"robot\": its name, such as \"panda\"") ||
        !tqa_value_text(&name, "the name of a robot", &text)) {
        return false;
    }
    s->host = host;
    tqa_problem why;
    s->robot = host->robot_get(host->ctx, version != NULL ? version : text, &why);
    if (s->robot == NULL && strcmp(why.slug, "unknown-robot") != 0) {
        *s->tree->problem = why;
        return false;
    }
    if (s->robot == NULL) {
        return tqa_value_refuse(&name, "unknown-robot", "GET /v1/robots lists them",
                                "there is no robot \"%.80s\"", text);
    }
    s->robot_name = tqa_arena_text(s->tree->arena, text, strlen(text));
    s->tree->robot = s->robot;
    return s->robot_name != NULL;
}

/* the control period; the reader of plants treats it as the duration of a run */
static bool read_period(tqa_session *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value step = tqa_value_field(&root, "step_s");
    s->step_s = TQA_RANGE_SESSION_REQUEST_STEP_S_DEFAULT;
    if (step.value != NULL && !tqa_value_positive(&step, &s->step_s)) {
        return false;
    }
    if (s->step_s > TQA_RANGE_SESSION_REQUEST_STEP_S_MOST) {
        return tqa_value_refuse(&step, "range", "0.001, the period of most controllers",
                                "a control period of %g s is longer than %d s", s->step_s,
                                TQA_RANGE_SESSION_REQUEST_STEP_S_MOST);
    }
    s->sim.interval = s->sim.duration = s->step_s;
    s->sim.n_output = 1;
    return true;
}

static double period_cost_us(const tqa_session *s)
{
    const tq_model *model = s->robot->model;
    const double nv = (double)model->nv;
    const double rows =
        s->sim.plant.constraints != NULL ? (double)s->sim.plant.constraints->n_row : 0.0;
    const double rate_us = 0.3 + 0.3 * (double)model->n_joint +
                           (rows > 0.0 ? 1e-3 * nv * nv * (nv + 2.0 * rows) : 0.0);
    const double rates = s->sim.options.method == TQ_RUN_MIDPOINT ? 10.0 * (nv + 4.0)
                         : s->sim.options.method == TQ_RUN_RK4    ? 4.0
                                                                  : 1.0;
    return s->substeps * rates * rate_us;
}

static bool check_solver(tqa_session *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value solver = tqa_value_field(&root, "solver");
    tq_run_options *o = &s->sim.options;
    if (solver.value == NULL) {
        o->method = TQ_RUN_RK4;
    }
    if (tq_run_is_adaptive(o->method)) {
        const tqa_value method = tqa_value_field(&solver, "method");
        return tqa_value_refuse(
            method.value != NULL ? &method : &solver, "invalid-value",
            "\"solver\": {\"method\": \"rk4\", \"step_s\": 0.001}",
            "a session needs steps of one size, and %s chooses its step size itself",
            tqa_simulation_method(o->method));
    }
    o->end = (double)INFINITY;
    s->substeps = fmax(1.0, ceil(s->step_s / o->step * (1.0 - 1e-9)));
    if (s->substeps > substeps_max) {
        return tqa_value_refuse(&solver, "range", "a longer step of the solver",
                                "%g steps of a control period are more than %g", s->substeps,
                                substeps_max);
    }
    s->period_us = period_cost_us(s);
    return s->period_us <= period_us_max ||
           tqa_value_refuse(&root, "range", "a longer step of the solver, or a shorter period",
                            "a control period would take some %.3g s to compute",
                            s->period_us * 1e-6);
}

static bool add_torque(tqa_session *s)
{
    s->held.nv = s->robot->model->nv;
    s->held.tau = tqa_tree_take(s->tree, s->held.nv + 1, sizeof *s->held.tau);
    const tq_effect effect = tq_held_torque_effect(&s->held);
    return s->held.tau != NULL && tqa_simulation_add_effect(&s->sim, &effect);
}

static void on_event(void *ctx, const tq_event *event)
{
    tqa_session *s = ctx;
    if (s->n_event < TQA_SESSION_EVENTS_MAX) {
        s->events[s->n_event] = *event;
    }
    s->n_event++;
}

static bool read_plant(tqa_session *s)
{
    s->sim.tree = s->tree;
    s->sim.ended_at = s->ended_at = TQ_NONE;
    if (!read_period(s) || !tqa_simulation_read_start(&s->sim) || !check_solver(s) ||
        !add_torque(s) || !tqa_simulation_read_effects(&s->sim)) {
        return false;
    }
    /* a step has few events; a run may have thousands */
    tqa_arena_give(s->tree->arena, s->sim.watch.recorded);
    s->sim.watch.recorded = NULL;
    s->events = tqa_tree_take(s->tree, TQA_SESSION_EVENTS_MAX, sizeof *s->events);
    s->sim.options.on_event = on_event;
    s->sim.options.ctx = s;
    return s->events != NULL;
}

static bool open_run(tqa_session *s)
{
    tqa_simulation *sim = &s->sim;
    tq_error error = {0};
    if (!tqa_tree_scratch(s->tree, tq_run_scratch_size(&sim->plant, &sim->options),
                          &sim->scratch)) {
        return false;
    }
    tq_status status = tq_run_open(&sim->plant, &sim->options, &sim->scratch, &sim->run, &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(s->tree, "/solver", status, &error);
    }
    status = tq_run_start(sim->run, 0.0, sim->q, sim->qd, NULL);
    return status == TQ_OK || tqa_tree_fail(s->tree, "/initial", status, &sim->run->error);
}

/* ---------------------------------------------------------------------------------- its memory */

static bool take_rows(tqa_session *s)
{
    const tq_model *model = s->robot->model;
    const size_t nq = model->nq, nv = model->nv;
    s->n_z = tq_plant_n_z(&s->sim.plant);
    s->n_state = (2 + nq + nv + s->n_z + s->options.actuator_delay * nv) * sizeof(double) +
                 (s->sim.run->state->mode != NULL ? model->n_joint : 0);
    s->line = tqa_tree_take(s->tree, 2 * (nq + nv) + 1, sizeof *s->line);
    s->state = tqa_tree_take(s->tree, s->n_state, 1);
    s->request.tau = tqa_tree_take(s->tree, nv + 1, sizeof *s->request.tau);
    s->last_tau = tqa_tree_take(s->tree, nv + 1, sizeof *s->last_tau);
    if (s->with_qdd) {
        tq_rates *r = &s->sim.rates;
        const size_t pad = TQ_BLOCK_PAD;
        r->q = tqa_tree_take(s->tree, nq * pad, sizeof(double));
        r->qd = tqa_tree_take(s->tree, nv * pad, sizeof(double));
        r->z = tqa_tree_take(s->tree, (s->n_z + 1) * pad, sizeof(double));
        if (r->q == NULL || r->qd == NULL || r->z == NULL) {
            return false;
        }
    }
    return s->line != NULL && s->state != NULL && s->request.tau != NULL && s->last_tau != NULL;
}

/* the client chooses the length of the history */
static bool take_records(tqa_session *s, size_t bytes_max)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value history = tqa_value_field(&root, "history");
    const size_t size = tq_lock_step_size(s->sim.run, s->robot->model, &s->options);
    s->bytes = sizeof *s + tqa_arena_held(s->tree->arena) + size + s->n_body +
               s->tree->n_value * (size_t)VALUE_BYTES;
    if (s->bytes > bytes_max) {
        return tqa_value_refuse(history.value != NULL ? &history : &root, "too-large",
                                "a shorter history; the setting sessions_size bounds all sessions",
                                "the session needs %zu bytes, more than the limit of %zu", s->bytes,
                                bytes_max);
    }
    s->records = malloc(size);
    if (s->records == NULL) {
        (void)tqa_problem_set(&s->problem, "busy", "there is no memory for this session now");
        return false;
    }
    tq_lock_step_open(s->sim.run, &s->held, s->robot->model, &s->options, s->records, &s->lock);
    return true;
}

static tqa_session *fail(tqa_session *s, tqa_problem *reterr)
{
    *reterr = s->problem;
    tqa_session_close(s);
    return NULL;
}

static tqa_session *open_version(const tqa_session_body *body, const tqa_host *host,
                                 const char *version, size_t bytes_max, tqa_problem *reterr)
{
    tqa_session *s = calloc(1, sizeof *s);
    char *copy = malloc(body->n > 0 ? body->n : 1);
    if (s == NULL || copy == NULL) {
        free(s);
        free(copy);
        (void)tqa_problem_set(reterr, "busy", "there is no memory for this session now");
        return NULL;
    }
    memcpy(copy, body->bytes, body->n);
    s->body = copy;
    s->n_body = body->n;
    s->content = body->content;
    if (!tqa_session_tree(NULL, body, fields, &s->problem, &s->tree) ||
        !find_robot(s, host, version) || !read_plant(s) || !tqa_session_read_options(s) ||
        !open_run(s) || !take_rows(s) || !take_records(s, bytes_max)) {
        if (s->problem.status == 0) { /* an exhausted arena */
            (void)tqa_problem_set(&s->problem, "busy", "there is no memory for this session now");
        }
        return fail(s, reterr);
    }
    return s;
}

tqa_session *tqa_session_open(const tqa_session_body *body, const tqa_host *host, size_t bytes_max,
                              tqa_problem *reterr)
{
    return open_version(body, host, NULL, bytes_max, reterr);
}

/* the step at which a fork begins. False: the problem is set. */
static bool read_fork(const tqa_session *from, const tqa_session_body *body, uint64_t *ret_step,
                      uint64_t *ret_seed, tqa_problem *reterr)
{
    tqa_tree *tree = NULL;
    bool good = tqa_session_tree(from->robot, body, fork_fields, reterr, &tree);
    *ret_step = from->lock.step;
    *ret_seed = from->options.seed;
    if (good) {
        const tqa_value root = tqa_value_root(tree);
        const tqa_value step = tqa_value_field(&root, "step");
        const tqa_value seed = tqa_value_field(&root, "seed");
        const tqa_value *at = step.value != NULL ? &step : &root;
        good = (step.value == NULL || tqa_session_number(&step, ret_step)) &&
               (seed.value == NULL || tqa_session_number(&seed, ret_seed)) &&
               tqa_session_check_step(from, at, *ret_step);
    }
    tqa_tree_free(tree);
    return good;
}

tqa_session *tqa_session_fork(const tqa_session *from, const tqa_session_body *body,
                              size_t bytes_max, tqa_problem *reterr)
{
    uint64_t step = 0, seed = 0;
    char version[TQA_NAME_MAX + TQA_DIGEST_TEXT + 1];
    if (!read_fork(from, body, &step, &seed, reterr)) {
        return NULL;
    }
    (void)snprintf(version, sizeof version, "%.*s@%s", (int)strcspn(from->robot_name, "@"),
                   from->robot_name, from->robot->digest);
    const tqa_session_body opening = {
        .content = from->content, .bytes = from->body, .n = from->n_body};
    tqa_session *s = open_version(&opening, from->host, version, bytes_max, reterr);
    if (s == NULL) {
        return NULL;
    }
    s->options.seed = s->lock.options.seed = seed;
    if (!tq_lock_step_copy(&s->lock, &from->lock, step)) {
        (void)tqa_problem_set(&s->problem, "internal", "the fork is another plant");
        return fail(s, reterr);
    }
    return s;
}

void tqa_session_close(tqa_session *session)
{
    if (session == NULL) {
        return;
    }
    tq_run_close(session->sim.run);
    tqa_tree_free(session->tree);
    if (session->robot != NULL) {
        session->host->robot_release(session->host->ctx, session->robot);
    }
    free(session->records);
    free(session->body);
    free(session);
}

size_t tqa_session_bytes(const tqa_session *session)
{
    return session->bytes;
}
