/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/simulate.c - POST .../simulate: torques or a controller in, motion
 * out. */
#include "api/operations/simulate/simulate.h"

#include <math.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"

enum {
    GRID_PARTS = 512,           /* at most so many places where a run may be saved */
    GRID_STEPS = 4096,          /* steps of one size between them, at least */
    SAVE_EVALUATIONS = 1 << 20, /* between checkpoints: about a second of work on an arm */
};

static const char *const fields[] = {TQA_FIELDS_SIMULATE_REQUEST, NULL};

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 1e6; /* never on a connection's thread */
}

/* progress and cancellation, now and then */
static int tick(void *ctx, double t)
{
    tqa_simulation *s = ctx;
    const tqa_host *host = s->tree->host;
    if (host == NULL) {
        return 0;
    }
    s->fraction = fmax(s->fraction, t / s->duration);
    if (host->progress != NULL) {
        host->progress(host->ctx, s->fraction, "simulate");
    }
    s->stopped = host->cancelled != NULL && host->cancelled(host->ctx);
    return s->stopped;
}

static void on_event(void *ctx, const tq_event *event)
{
    tqa_simulation *s = ctx;
    tqa_watch_note(&s->watch, event);
}

/* text for a singular state */
static const char *singular_words(const tqa_simulation *s, const tq_error *error)
{
    const tqa_robot *robot = s->tree->robot;
    const tq_constraints *set = robot->constraints;
    const char *what = error->what != NULL ? error->what : "";
    const char *words = NULL;
    if (strcmp(what, "constraint") == 0 && set != NULL && error->index < set->n_constraint) {
        words = tqa_arena_format(s->tree->arena,
                                 "constraint \"%.80s\" has no value here: a disk lies flat, a "
                                 "ball's centre is the sphere's, or an expression ends",
                                 robot->constraint_notes[error->index].name);
    } else if (strcmp(what, "constraint.row") == 0 && set != NULL && error->index < set->n_row) {
        words = tqa_arena_format(s->tree->arena,
                                 "row \"%.120s\" of the constraints depends on others here and "
                                 "contradicts them",
                                 robot->row_names[error->index]);
    } else if (strcmp(what, "constraint.coordinates") == 0) {
        words = "the coordinates that the controller follows do not determine the motion here";
    } else if (strcmp(what, "task") == 0) {
        words = tqa_arena_format(s->tree->arena,
                                 "the robot cannot move along all axes of the controller here "
                                 "(smallest eigenvalue %.3g): add \"singularity_damping\": 0.01, "
                                 "or name fewer \"axes\"",
                                 error->value);
    }
    return words != NULL ? words : "the robot has no inertia against some motion here";
}

static const char *crowded_words(tqa_simulation *s, const tq_error *error)
{
    if (error->what == NULL || strcmp(error->what, TQ_CONTACT_CROWDED) != 0) {
        return tq_status_text(TQ_ERR_RANGE);
    }
    const char *words =
        tqa_arena_format(s->tree->arena,
                         "at t = %.6g s solids meet at %.0f points, of which a run may have %zu: "
                         "replace hulls by spheres, capsules or boxes, or use fewer bodies",
                         s->run->t, error->value, error->index);
    return words != NULL ? words : "solids meet at too many points";
}

/* text: why the run ended */
static void put_end(tqa_simulation *s)
{
    static const char *const words[] = {
        [TQ_RUN_EVENT] = "an event ended it",
        [TQ_RUN_RUNAWAY] = "a velocity ran away",
        [TQ_RUN_TOO_SMALL] = "the tolerance requires a step below the resolution of time",
        [TQ_RUN_TOO_MUCH] = "it takes more steps than one run may",
    };
    const tq_run *run = s->run;
    s->ended_at = run->joint;
    if (run->end == TQ_RUN_REFUSED) {
        s->ended = run->status == TQ_ERR_SINGULAR ? singular_words(s, &run->error)
                   : run->status == TQ_ERR_NO_CONVERGENCE && s->plant.contacts != NULL
                       ? "a step is too long for the controller or springs: shorten \"step_s\""
                   : run->status == TQ_ERR_RANGE && s->plant.contacts != NULL
                       ? crowded_words(s, &run->error)
                       : tq_status_text(run->status);
    } else if (run->end != TQ_RUN_GOES_ON && run->end != TQ_RUN_STOPPED) {
        s->ended = words[run->end];
    }
}

static const double grid_least = 1.0; /* s between them, at least, of adaptive methods */

/* The integrator restarts at the points of a grid in time, whether it is saved there or not, so
 * that a resumed one has the same bits. Point g of it, s: outputs where they are close enough. */
static double grid_point(const tqa_simulation *s, uint64_t g)
{
    const double least =
        tq_run_is_adaptive(s->options.method) ? grid_least : (double)GRID_STEPS * s->options.step;
    /* beyond the end it does not matter where, but it has to be a number of intervals */
    const double apart = fmin(fmax(s->duration / (double)GRID_PARTS, least), 2.0 * s->duration);
    if (s->times != NULL) {
        return apart * (double)g;
    }
    if (s->interval >= apart) {
        return s->interval / ceil(s->interval / apart) * (double)g;
    }
    return (double)((uint64_t)ceil(apart / s->interval) * g) * s->interval;
}

/* at a restart of the integrator: by the work since the last one, or by the clock where checkpoints
 * are expensive */
static void save_at_times(tqa_simulation *s)
{
    const tqa_host *host = s->tree->host;
    if (s->run->stats.n_evaluation >= s->next_save ||
        (host != NULL && host->checkpoint_due != NULL && host->checkpoint_due(host->ctx))) {
        s->next_save = s->run->stats.n_evaluation + SAVE_EVALUATIONS;
        tqa_simulation_save(s, s->grid);
    }
}

static void on_rest(void *ctx)
{
    save_at_times(ctx);
}

static bool open_run(tqa_simulation *s)
{
    tqa_tree *tree = s->tree;
    const size_t nq = s->order.nq * TQ_BLOCK_PAD;
    const size_t nv = s->order.nv * TQ_BLOCK_PAD;
    const size_t nz = tq_plant_n_z(&s->plant) * TQ_BLOCK_PAD;
    const size_t n_wrench = (6 * s->plant.n_wrench + 1) * TQ_BLOCK_PAD;
    tq_error error = {0};
    s->options.tick = tick;
    s->options.on_event = on_event;
    s->options.on_rest = on_rest;
    if (tqa_run_verdict_wants_points(s)) {
        s->options.on_step = tqa_points_note;
        if (!tqa_points_open(s)) {
            return false;
        }
    }
    s->options.ctx = s;
    s->rates = (tq_rates){.q = tqa_tree_take(tree, nq, sizeof(double)),
                          .qd = tqa_tree_take(tree, nv, sizeof(double)),
                          .z = tqa_tree_take(tree, nz, sizeof(double)),
                          .tau = tqa_tree_take(tree, nv, sizeof(double)),
                          .wrench = tqa_tree_take(tree, n_wrench, sizeof(double)),
                          .multipliers = s->rates.multipliers};
    if (s->rates.q == NULL || s->rates.qd == NULL || s->rates.z == NULL || s->rates.tau == NULL ||
        s->rates.wrench == NULL ||
        !tqa_tree_scratch(tree, tq_run_scratch_size(&s->plant, &s->options), &s->scratch)) {
        return false;
    }
    const tq_status status = tq_run_open(&s->plant, &s->options, &s->scratch, &s->run, &error);
    return status == TQ_OK || tqa_tree_fail(tree, "/solver", status, &error);
}

/* at the request's initial state, or at that of a saved run */
static bool start(tqa_simulation *s)
{
    s->grid = 1;
    s->next_save = SAVE_EVALUATIONS;
    if (tqa_simulation_load(s, &s->grid)) {
        s->next_save = s->run->stats.n_evaluation + SAVE_EVALUATIONS;
        return true;
    }
    if (s->tree->problem->status != 0) {
        return false; /* no room for checkpoints: refused before all is computed */
    }
    const tq_status status = tq_run_start(s->run, 0.0, s->q, s->qd, NULL);
    if (status != TQ_OK) {
        return tqa_tree_fail(s->tree, "/initial", status, &s->run->error);
    }
    tqa_points_note(s);
    return tqa_simulation_add_row(s) || s->tree->problem->status != 0 ||
           tqa_tree_fail(s->tree, "/initial", TQ_ERR_OVERFLOW, &s->run->error);
}

/* to output k, over the points of the grid before it. False: the run ends here. */
static bool advance(tqa_simulation *s, size_t k)
{
    const double t = tqa_simulation_time(s, k);
    for (;;) {
        const double point = grid_point(s, s->grid);
        if (!(point < t)) {
            break;
        }
        if (!tq_run_to(s->run, point, 1)) {
            return false;
        }
        s->grid++;
        save_at_times(s);
    }
    return tq_run_to(s->run, t, 0);
}

static void run_outputs(tqa_simulation *s)
{
    for (size_t k = s->n_row; k < s->n_output; k++) {
        if (!advance(s, k)) {
            put_end(s);
            s->stopped |= s->run->end == TQ_RUN_STOPPED;
            /* how far it came: one row more */
            if (!s->stopped && s->run->t > tqa_simulation_time(s, k - 1)) {
                const char *why = s->ended;
                (void)tqa_simulation_add_row(s);
                s->ended = why;
            }
            return;
        }
        if (!tqa_simulation_add_row(s)) {
            return;
        }
    }
}

static bool check(tqa_tree *tree)
{
    tqa_simulation *s = tqa_tree_take(tree, 1, sizeof *s);
    if (s == NULL) {
        return false;
    }
    s->tree = tree;
    s->ended_at = TQ_NONE;
    tree->state = s;
    return tqa_simulation_read(s);
}

static bool simulate(tqa_tree *tree)
{
    tqa_simulation *s = tree->state;
    bool done = tqa_simulation_prepare(s) && tqa_simulation_watch(s) && open_run(s);
    if (done) {
        done = tqa_simulation_open_rows(s) && start(s);
    }
    if (done) {
        tqa_run_verdict_begin(s);
        run_outputs(s);
        tqa_points_end(s);
        if (s->run->status == TQ_ERR_MEMORY) { /* no end of the motion */
            (void)tqa_tree_fail(tree, "", TQ_ERR_MEMORY, NULL);
        }
        done = !s->stopped && tree->problem->status == 0 && tqa_simulation_flush(s) &&
               tqa_run_verdict_run(s);
    }
    if (done) {
        tqa_simulation_answer(s);
    }
    if (s->stopped) {
        (void)tqa_problem_set(tree->problem, "busy", "the simulation was stopped");
    }
    tq_run_close(s->run);
    return tree->problem->status == 0;
}

static const tqa_needed needed[] = {
    {"initial", "add \"initial\": {\"q\": [...], \"qd\": [...]}"},
    {"duration_s", "add \"duration_s\": seconds"},
    {NULL, NULL},
};

static const tqa_tree_methods tree_methods = {
    .fields = fields,
    .needed = needed,
    .cost_us = cost_us,
    .check = check,
    .run = simulate,
};

const tqa_operation_methods tqa_simulate_methods = {.tree = &tree_methods};
