/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate.c - POST .../simulate: torques over time in, motion out. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "api/operations/call.h"
#include "api/operations/simulate.h"
#include "core/dynamics/forward.h"

/* rad/s or m/s: nothing that is built moves so fast; beyond it the numbers mean nothing */
static const double runaway = 1e6;

enum {
    LANE = TQ_BLOCK_PAD,  /* one trajectory, in the smallest block */
    TELL_STEPS = 4096,    /* between progress and questions for cancellation */
    SAVE_STEPS = 1 << 18, /* between checkpoints: about a second of work on an arm */
};

static const char *const fields[] = {"initial", "duration", "output",  "input",  "solver",
                                     "gravity", "without",  "include", "joints", NULL};

typedef struct run {
    tqa_simulation *simulation;
    const tq_model *model;
    tq_effect feed;
    tq_plant plant;
    tq_trajectories state;
    tq_scratch scratch;
    double *tau, *qdd; /* (nv x LANE) */
    uint64_t next_save, next_tell;
    bool stopped; /* cancelled: there is no answer */
} run;

static double cost_us(const tqa_control *control)
{
    (void)control;
    return 1e6; /* never on a connection's thread */
}

static void spread(double *rows, const double *x, size_t n)
{
    for (size_t k = 0; k < n * LANE; k++) {
        rows[k] = x[k / LANE];
    }
}

/* qdd and tau of the present state, into a row. False: the state has no accelerations. */
static bool put_row(run *r, size_t k, double t)
{
    tqa_simulation *s = r->simulation;
    const size_t nq = r->model->nq;
    const size_t nv = r->model->nv;
    double *row = s->rows + k * s->n_column;
    tq_error error = {0};
    memset(r->tau, 0, nv * LANE * sizeof(double));
    if (s->has_torque) {
        tq_table_at(&s->torque, t, r->tau, LANE);
        tq_block_pad(r->tau, nv, LANE, 1);
    }
    const tq_forward_input in = {.n_sample = 1,
                                 .stride = LANE,
                                 .q = r->state.q,
                                 .qd = r->state.qd,
                                 .tau = r->tau,
                                 .gravity = s->gravity,
                                 .without = s->without};
    if (tq_forward_dynamics(r->plant.mechanism, &in, &r->scratch, r->qdd, &error) != TQ_OK) {
        s->ended = "the robot has no inertia against some motion here";
        return false;
    }
    *row++ = t;
    const double *parts[] = {r->state.q, r->state.qd, r->qdd, r->tau};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        for (size_t i = 0; i < (p == 0 ? nq : nv); i++) {
            *row++ = parts[p][i * LANE];
        }
    }
    s->n_row = k + 1;
    return true;
}

/* a state that still means something: finite, and slower than anything built */
static bool is_sound(run *r)
{
    for (uint32_t j = 0; j < r->model->n_joint; j++) {
        const tq_joint *joint = &r->model->joints[j];
        for (uint32_t k = 0; k < joint->nv; k++) {
            if (!(fabs(r->state.qd[(joint->v_index + k) * LANE]) < runaway)) {
                r->simulation->ended = "a velocity ran away";
                r->simulation->ended_at = j;
                return false;
            }
        }
    }
    return true;
}

/* progress and cancellation, now and then. False: stop. */
static bool may_go_on(run *r, size_t k)
{
    tqa_simulation *s = r->simulation;
    const tqa_world *world = s->control->world;
    if (world == NULL || s->n_step < r->next_tell) {
        return true;
    }
    r->next_tell = s->n_step + TELL_STEPS;
    if (world->progress != NULL) {
        world->progress(world->ctx, (double)k / (double)s->n_output, "simulate");
    }
    r->stopped = world->cancelled != NULL && world->cancelled(world->ctx);
    if (r->stopped) {
        (void)tqa_problem_set(s->control->problem, "busy", "the simulation was stopped");
    }
    return !r->stopped;
}

static void save_at_times(run *r)
{
    if (r->simulation->n_step >= r->next_save) {
        r->next_save = r->simulation->n_step + SAVE_STEPS;
        tqa_simulation_save(r->simulation);
    }
}

/* steps from output k - 1 to output k. False: the run ends here. */
static bool advance(run *r, size_t k)
{
    tqa_simulation *s = r->simulation;
    const double from = tqa_simulation_time(s, k - 1);
    const double way = tqa_simulation_time(s, k) - from;
    const uint64_t n = (uint64_t)fmax(1.0, ceil(way / s->step * (1.0 - 1e-12)));
    const double h = way / (double)n;
    for (uint64_t i = 0; i < n; i++) {
        tq_error error = {0};
        const tq_status status = tq_fixed_step(&r->plant, s->method, from + h * (double)i, h,
                                               &r->state, &r->scratch, &error);
        s->n_step++;
        if (status != TQ_OK) {
            s->ended = tq_status_text(status);
            return false;
        }
        if (!is_sound(r) || !may_go_on(r, k)) {
            return false;
        }
    }
    return true;
}

static bool start(run *r)
{
    tqa_simulation *s = r->simulation;
    tqa_control *control = s->control;
    const size_t nq = r->model->nq;
    const size_t nv = r->model->nv;
    double *q = tqa_control_take(control, (nq + 1) * LANE, sizeof(double));
    double *qd = tqa_control_take(control, (nv + 1) * LANE, sizeof(double));
    r->tau = tqa_control_take(control, (nv + 1) * LANE, sizeof(double));
    r->qdd = tqa_control_take(control, (nv + 1) * LANE, sizeof(double));
    r->feed = tq_torque_table(&s->torque);
    r->plant = (tq_plant){.mechanism = control->robot->mechanism,
                          .gravity = s->gravity,
                          .without = s->without,
                          .effects = &r->feed,
                          .n_effect = s->has_torque ? 1 : 0};
    const size_t size = tq_fixed_step_scratch_size(&r->plant, LANE) +
                        tq_forward_scratch_size(control->robot->mechanism, 0);
    if (q == NULL || qd == NULL || r->tau == NULL || r->qdd == NULL ||
        !tqa_control_scratch(control, size, &r->scratch)) {
        return false;
    }
    r->state = (tq_trajectories){.n_sample = 1, .stride = LANE, .q = q, .qd = qd};
    if (tqa_simulation_load(s)) {
        const double *row = s->rows + (s->n_row - 1) * s->n_column + 1;
        spread(q, row, nq);
        spread(qd, row + nq, nv);
        r->next_save = s->n_step + SAVE_STEPS;
        return true;
    }
    spread(q, s->q, nq);
    spread(qd, s->qd, nv);
    r->next_save = SAVE_STEPS;
    if (!put_row(r, 0, 0.0)) {
        tq_error error = {.what = "initial"};
        return tqa_control_fail(control, "/initial", TQ_ERR_SINGULAR, &error);
    }
    return true;
}

static void put_column(const tqa_simulation *s, const char *key, size_t first, size_t n,
                       const uint32_t *map)
{
    double *rows = tqa_control_take(s->control, s->n_row * n + 1, sizeof *rows);
    if (rows == NULL) {
        return; /* the problem is set */
    }
    for (size_t k = 0; k < s->n_row; k++) {
        memcpy(rows + k * n, s->rows + k * s->n_column + first, n * sizeof *rows);
    }
    tqa_answer_rows(&s->control->answer, key, rows, s->n_row, false, map, n);
}

static void put_answer(const tqa_simulation *s)
{
    tqa_answer *answer = &s->control->answer;
    const tq_model *model = s->control->robot->model;
    const size_t nq = model->nq;
    const size_t nv = model->nv;
    double *t = tqa_control_take(s->control, s->n_row + 1, sizeof *t);
    if (t == NULL) {
        return;
    }
    for (size_t k = 0; k < s->n_row; k++) {
        t[k] = s->rows[k * s->n_column];
    }
    tqa_answer_vector(answer, "t", t, s->n_row);
    put_column(s, "q", 1, nq, s->order.q);
    put_column(s, "qd", 1 + nq, nv, s->order.v);
    if (s->want_qdd) {
        put_column(s, "qdd", 1 + nq + nv, nv, s->order.v);
    }
    put_column(s, "tau", 1 + nq + 2 * nv, nv, s->order.v);
    tqa_answer_object(answer, "stats");
    tqa_answer_string(answer, "method", s->method == TQ_FIXED_RK4 ? "rk4" : "semi-implicit-euler");
    tqa_answer_number(answer, "step", s->step);
    tqa_answer_count(answer, "steps", s->n_step);
    tqa_answer_count(answer, "evaluations", s->n_step * (s->method == TQ_FIXED_RK4 ? 4 : 1));
    tqa_answer_end(answer);
    tqa_answer_object(answer, "verdict");
    tqa_answer_string(answer, "outcome", s->ended == NULL ? "completed" : "diverged");
    tqa_answer_number(answer, "t", t[s->n_row - 1]);
    if (s->ended != NULL) {
        tqa_answer_string(answer, "reason", s->ended);
    }
    if (s->ended_at != TQ_NONE) {
        tqa_answer_string(answer, "joint", s->control->robot->joint_names[s->ended_at]);
    }
    tqa_answer_end(answer);
}

static bool check(tqa_control *control)
{
    tqa_simulation *s = tqa_control_take(control, 1, sizeof *s);
    if (s == NULL) {
        return false;
    }
    s->control = control;
    s->ended_at = TQ_NONE;
    control->state = s;
    return tqa_simulation_read(s);
}

static bool simulate(tqa_control *control)
{
    tqa_simulation *s = control->state;
    run r = {.simulation = s, .model = control->robot->model};
    if (!start(&r)) {
        return false;
    }
    for (size_t k = s->n_row; k < s->n_output; k++) {
        if (!advance(&r, k) || !put_row(&r, k, tqa_simulation_time(s, k))) {
            break;
        }
        save_at_times(&r);
    }
    if (r.stopped) {
        return false;
    }
    put_answer(s);
    return control->problem->status == 0;
}

static const tqa_control_methods control_methods = {
    .fields = fields,
    .cost_us = cost_us,
    .check = check,
    .run = simulate,
};

const tqa_operation_methods tqa_simulate_methods = {.control = &control_methods};
