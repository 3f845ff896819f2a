/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/statistics.c - statistics over the members, and the answer. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/ensemble/ensemble.h"
#include "api/response/robot_writer.h"
#include "core/ensemble/statistics.h"

enum { MEAN, DEVIATION, LEAST, LARGEST, MOMENTS };
enum { ENDED_MAX = 1000 }; /* members that ended, named one by one */
enum { FINDING_TEXT = 256 };

static const char *const moment_names[MOMENTS] = {"mean", "deviation", "least", "largest"};

/* One number over time and members: (MOMENTS + n_level) tables of n_output x n_row. */
typedef struct statistics {
    const tqa_ensemble *e;
    double *tables;
    size_t *alive; /* (n_output) */
    _Atomic bool short_of_memory;
} statistics;

static double *cell(const statistics *s, size_t table, size_t k, size_t c)
{
    return s->tables + (table * s->e->simulation->n_output + k) * s->e->n_row + c;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t cell_size(const tqa_ensemble *e)
{
    return (e->n_member * sizeof(double) + 63) / 64 * 64;
}

/* all members at one output and row, in their order: the same sums on any number of threads */
static void compute_cell(void *arg, size_t i, void *memory)
{
    statistics *s = arg;
    const tqa_ensemble *e = s->e;
    const size_t k = i / e->n_row, c = i % e->n_row;
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, memory != NULL ? cell_size(e) : 0);
    double *x = tq_scratch_take(&scratch, e->n_member, sizeof *x);
    if (x == NULL) {
        atomic_store_explicit(&s->short_of_memory, true, memory_order_relaxed);
        return;
    }
    for (size_t m = 0; m < e->n_member; m++) {
        x[m] = tqa_ensemble_number(e, m, k, c);
    }
    tq_sample_statistics all;
    tq_sample_statistics_of(e->n_member, x, &all);
    if (c == 0) {
        s->alive[k] = all.n;
    }
    *cell(s, MEAN, k, c) = all.mean;
    *cell(s, DEVIATION, k, c) = all.deviation;
    *cell(s, LEAST, k, c) = all.least;
    *cell(s, LARGEST, k, c) = all.largest;
    if (e->n_level > 0 && all.n > 0) {
        qsort(x, all.n, sizeof *x, by_size);
        for (size_t l = 0; l < e->n_level; l++) {
            *cell(s, MOMENTS + l, k, c) = tq_sample_quantile(x, all.n, e->levels[l]);
        }
    }
}

static bool compute(const tqa_ensemble *e, statistics *s)
{
    tqa_tree *tree = e->simulation->tree;
    const tqa_host *host = tree->host;
    const size_t n_cell = e->simulation->n_output * e->n_row;
    const size_t scratch_size = cell_size(e);
    s->e = e;
    s->tables = tqa_tree_take(tree, (MOMENTS + e->n_level) * n_cell, sizeof(double));
    s->alive = tqa_tree_take(tree, e->simulation->n_output, sizeof *s->alive);
    if (s->tables == NULL || s->alive == NULL) {
        return false;
    }
    if (host != NULL && host->parallel_for != NULL) {
        host->parallel_for(host->ctx, n_cell, scratch_size, compute_cell, s);
    } else {
        void *own = tqa_tree_take(tree, scratch_size, 1);
        for (size_t i = 0; own != NULL && i < n_cell; i++) {
            compute_cell(s, i, own);
        }
        if (own == NULL) {
            return false;
        }
    }
    if (atomic_load(&s->short_of_memory)) {
        (void)tqa_problem_set(tree->problem, "busy", "there is no memory for the answer now");
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

/* columns [first, first + n) of a table of rows, in the user's order */
static void put_rows(const tqa_ensemble *e, const char *key, const double *table, size_t n_output,
                     bool velocities)
{
    const tqa_order *order = &e->simulation->order;
    const size_t n = velocities ? order->nv : order->nq;
    const size_t first = velocities ? order->nq : 0;
    double *rows = tqa_tree_take(e->simulation->tree, n_output * n, sizeof *rows);
    if (rows == NULL) {
        return;
    }
    for (size_t k = 0; k < n_output; k++) {
        memcpy(rows + k * n, table + k * e->n_row + first, n * sizeof *rows);
    }
    tqa_writer_rows(e->simulation->tree->answer, key, rows, n_output, false,
                    velocities ? order->v : order->q, n);
}

static void put_statistics(const tqa_ensemble *e, const statistics *s, size_t n_output)
{
    tqa_writer *answer = e->simulation->tree->answer;
    for (int velocities = 0; velocities < 2; velocities++) {
        tqa_writer_object(answer, velocities ? "qd" : "q");
        for (size_t m = 0; m < MOMENTS; m++) {
            put_rows(e, moment_names[m], cell(s, m, 0, 0), n_output, velocities);
        }
        if (e->n_level > 0) {
            tqa_writer_list(answer, "quantiles");
            for (size_t l = 0; l < e->n_level; l++) {
                put_rows(e, NULL, cell(s, MOMENTS + l, 0, 0), n_output, velocities);
            }
            tqa_writer_end(answer);
        }
        tqa_writer_end(answer);
    }
}

static void put_values(const tqa_ensemble *e, uint64_t id)
{
    double values[TQA_VARIATIONS_MAX];
    for (size_t v = 0; v < e->vary.n; v++) {
        values[v] = tq_variation_value(&e->vary, v, id);
    }
    tqa_writer_vector(e->simulation->tree->answer, "values", values, e->vary.n);
}

/* how a member ended, in the words of a simulation's verdict */
enum { COMPLETED, STOPPED, DIVERGED, UNFINISHED, OUTCOMES };
static const char *const outcome_names[OUTCOMES] = {
    TQA_WORDS_ENSEMBLE_RESULT_RETURNED_MEMBERS_OUTCOME};

static unsigned outcome_of(const tqa_ensemble *e, size_t member)
{
    const tq_run_end end = tqa_ensemble_end(e, member);
    return end == TQ_RUN_GOES_ON    ? COMPLETED
           : end == TQ_RUN_EVENT    ? STOPPED
           : end == TQ_RUN_TOO_MUCH ? UNFINISHED
                                    : DIVERGED;
}

static void put_outcome(const tqa_ensemble *e, size_t member)
{
    static const char *const reasons[] = {
        [TQ_RUN_EVENT] = "an event ended it",
        [TQ_RUN_RUNAWAY] = "a velocity ran away",
        [TQ_RUN_TOO_SMALL] = "the tolerance requires a step below the resolution of time",
        [TQ_RUN_REFUSED] = "there are no accelerations here, or no state on the constraints",
        [TQ_RUN_TOO_MUCH] = "it takes more steps than one run may",
    };
    tqa_writer *answer = e->simulation->tree->answer;
    const tq_run_end end = tqa_ensemble_end(e, member);
    tqa_writer_string(answer, "outcome", outcome_names[outcome_of(e, member)]);
    if (end != TQ_RUN_GOES_ON) {
        tqa_writer_number(answer, "t", tqa_ensemble_ended(e, member));
        tqa_writer_string(answer, "reason", reasons[end]);
    }
    if (end == TQ_RUN_EVENT) {
        tqa_writer_count(answer, "event", tqa_ensemble_stopped_by(e, member));
    }
}

/* notes: members that the statistics leave out, and the steps used */
static void put_findings(const tqa_ensemble *e, const size_t n[OUTCOMES])
{
    tqa_writer *answer = e->simulation->tree->answer;
    const tq_run_options *o = &e->simulation->options;
    const char *method = tqa_simulation_method(o->method);
    char text[FINDING_TEXT];
    tqa_writer_list(answer, "findings");
    if (n[DIVERGED] > 0) {
        const int adaptive = tq_run_is_adaptive(o->method);
        int at =
            snprintf(text, sizeof text, "%zu of %zu members diverged", n[DIVERGED], e->n_member);
        (void)(adaptive ? snprintf(text + at, sizeof text - (size_t)at,
                                   ": \"ended\" says why; from then on they are in no statistics")
                        : snprintf(text + at, sizeof text - (size_t)at,
                                   " by steps of %g s of %s, which may be too long for them: leave "
                                   "\"solver\" out, or take shorter ones",
                                   o->step, method));
        tqa_writer_string(answer, NULL, text);
    }
    if (n[UNFINISHED] > 0) {
        (void)snprintf(text, sizeof text,
                       "%zu of %zu members need more steps of %s than one run may take: \"sdirk\" "
                       "and \"bdf\" suit what is stiff",
                       n[UNFINISHED], e->n_member, method);
        tqa_writer_string(answer, NULL, text);
    }
    tqa_writer_end(answer);
}

static void put_outcomes(const tqa_ensemble *e)
{
    size_t n[OUTCOMES] = {0};
    for (size_t m = 0; m < e->n_member; m++) {
        n[outcome_of(e, m)]++;
    }
    put_findings(e, n);
    tqa_writer_object(e->simulation->tree->answer, "outcomes");
    for (unsigned k = 0; k < OUTCOMES; k++) {
        tqa_writer_count(e->simulation->tree->answer, outcome_names[k], n[k]);
    }
    tqa_writer_end(e->simulation->tree->answer);
}

/* for each event that was asked for: how often it happened, and to how many members */
static bool put_events(const tqa_ensemble *e)
{
    tqa_tree *tree = e->simulation->tree;
    double *n = tqa_tree_take(tree, 2 * e->n_event, sizeof *n);
    if (n == NULL) {
        return false;
    }
    memset(n, 0, 2 * e->n_event * sizeof *n);
    for (size_t m = 0; m < e->n_member; m++) {
        const double *events = tqa_ensemble_events(e, m);
        for (size_t k = 0; k < e->n_event; k++) {
            n[k] += events[k];
            n[e->n_event + k] += events[k] > 0.0 ? 1.0 : 0.0;
        }
    }
    tqa_writer_object(tree->answer, "events");
    tqa_writer_vector(tree->answer, "total", n, e->n_event);
    tqa_writer_vector(tree->answer, "members", n + e->n_event, e->n_event);
    tqa_writer_end(tree->answer);
    return true;
}

/* the whole motion of some members, as far as it goes */
static bool put_returned(const tqa_ensemble *e)
{
    tqa_writer *answer = e->simulation->tree->answer;
    const size_t n_output = e->simulation->n_output;
    double *table = tqa_tree_take(e->simulation->tree, n_output * e->n_row, sizeof *table);
    if (table == NULL) {
        return false;
    }
    tqa_writer_list(answer, "returned_members");
    for (size_t i = 0; i < e->n_returned; i++) {
        const size_t member = e->returned[i];
        size_t n = 0;
        while (n < n_output && !isnan(tqa_ensemble_number(e, member, n, 0))) {
            for (size_t c = 0; c < e->n_row; c++) {
                table[n * e->n_row + c] = tqa_ensemble_number(e, member, n, c);
            }
            n++;
        }
        tqa_writer_object(answer, NULL);
        tqa_writer_count(answer, "member", tq_variations_id(&e->vary, member));
        put_values(e, tq_variations_id(&e->vary, member));
        put_outcome(e, member);
        if (e->n_event > 0) {
            tqa_writer_vector(answer, "events", tqa_ensemble_events(e, member), e->n_event);
        }
        put_rows(e, "q", table, n, false);
        put_rows(e, "qd", table, n, true);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    return true;
}

/* the last state of a member, or NULL: it ended between outputs and none was kept */
static const double *last_of(const tqa_ensemble *e, size_t member, double *room)
{
    const unsigned outcome = outcome_of(e, member);
    if (outcome == STOPPED) {
        return tqa_ensemble_last(e, member);
    }
    for (size_t c = 0; c < e->n_row && outcome == COMPLETED; c++) {
        room[c] = tqa_ensemble_number(e, member, e->simulation->n_output - 1, c);
    }
    return outcome == COMPLETED ? room : NULL;
}

/* where those that came to the end, or to the event that stops them, are, and what they were given
 */
static bool put_ends(const tqa_ensemble *e)
{
    tqa_tree *tree = e->simulation->tree;
    double *ids = tqa_tree_take(tree, e->n_member, sizeof *ids);
    double *t = tqa_tree_take(tree, e->n_member, sizeof *t);
    double *table = tqa_tree_take(tree, e->n_member * e->n_row, sizeof *table);
    double *values = tqa_tree_take(tree, e->n_member * e->vary.n, sizeof *values);
    double *events = tqa_tree_take(tree, e->n_member * e->n_event + 1, sizeof *events);
    size_t n = 0;
    if (ids == NULL || t == NULL || table == NULL || values == NULL || events == NULL) {
        return false;
    }
    for (size_t m = 0; m < e->n_member; m++) {
        double *row = table + n * e->n_row;
        const double *last = last_of(e, m, row);
        if (last == NULL) {
            continue;
        }
        memmove(row, last, e->n_row * sizeof *row);
        ids[n] = (double)tq_variations_id(&e->vary, m);
        t[n] = fmin(tqa_ensemble_ended(e, m), e->times[e->simulation->n_output - 1]);
        for (size_t v = 0; v < e->vary.n; v++) {
            values[n * e->vary.n + v] =
                tq_variation_value(&e->vary, v, tq_variations_id(&e->vary, m));
        }
        for (size_t k = 0; k < e->n_event; k++) {
            events[n * e->n_event + k] = tqa_ensemble_events(e, m)[k];
        }
        n++;
    }
    tqa_writer_object(tree->answer, "end_states");
    tqa_writer_vector(tree->answer, "members", ids, n);
    tqa_writer_matrix(tree->answer, "values", values, n, e->vary.n);
    if (e->n_event > 0) {
        tqa_writer_vector(tree->answer, "t", t, n);
        tqa_writer_matrix(tree->answer, "events", events, n, e->n_event);
    }
    put_rows(e, "q", table, n, false);
    put_rows(e, "qd", table, n, true);
    tqa_writer_end(tree->answer);
    return true;
}

static void put_ended(const tqa_ensemble *e)
{
    tqa_writer *answer = e->simulation->tree->answer;
    size_t n = 0;
    tqa_writer_list(answer, "ended");
    for (size_t m = 0; m < e->n_member && n < ENDED_MAX; m++) {
        if (outcome_of(e, m) != COMPLETED) {
            tqa_writer_object(answer, NULL);
            tqa_writer_count(answer, "member", tq_variations_id(&e->vary, m));
            put_outcome(e, m);
            tqa_writer_end(answer);
            n++;
        }
    }
    tqa_writer_end(answer);
}

bool tqa_ensemble_put(tqa_ensemble *e)
{
    tqa_simulation *s = e->simulation;
    tqa_writer *answer = s->tree->answer;
    statistics found = {0};
    if (!compute(e, &found)) {
        return false;
    }
    size_t n_output = 0; /* as long as anyone is left */
    while (n_output < s->n_output && found.alive[n_output] > 0) {
        n_output++;
    }
    tqa_writer_count(answer, "members", e->n_member);
    tqa_writer_count(answer, "seed", e->vary.seed);
    tqa_writer_vector(answer, "t", e->times, n_output);
    double *alive = tqa_tree_take(s->tree, n_output, sizeof *alive);
    if (alive == NULL) {
        return false;
    }
    for (size_t k = 0; k < n_output; k++) {
        alive[k] = (double)found.alive[k];
    }
    tqa_writer_vector(answer, "alive", alive, n_output);
    put_statistics(e, &found, n_output);
    put_outcomes(e);
    put_ended(e);
    if ((e->n_event > 0 && !put_events(e)) || (e->n_returned > 0 && !put_returned(e)) ||
        (e->end_states && !put_ends(e))) {
        return false;
    }
    tqa_writer_object(answer, "stats");
    tqa_writer_string(answer, "method", tqa_simulation_method(s->options.method));
    if (tq_run_is_adaptive(s->options.method)) {
        tqa_writer_number(answer, "rtol", s->options.rtol);
        tqa_writer_number(answer, "atol", s->options.atol);
    } else {
        tqa_writer_number(answer, "step_s", s->options.step);
    }
    tqa_writer_flag(answer, "side_by_side", e->per > 1);
    tqa_writer_end(answer);
    return s->tree->problem->status == 0;
}
