/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/ensemble.c - POST .../ensemble: many simulations that differ in varied
 * quantities. */
#include "api/operations/ensemble/ensemble.h"

#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"

enum {
    WAVE_MEMBERS = 2048,  /* at most, between checks for cancellation and reports of progress */
    WAVE_BLOCKS = 32,     /* at least, so that all workers have some */
    SAVE_STEPS = 4 << 20, /* steps of members between checkpoints: about a second of a core */
};

static const char *const fields[] = {TQA_FIELDS_ENSEMBLE_REQUEST, NULL};

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 1e6; /* never on a connection's thread */
}

static bool check(tqa_tree *tree)
{
    tqa_ensemble *e = tqa_tree_take(tree, 1, sizeof *e);
    tqa_simulation *s = tqa_tree_take(tree, 1, sizeof *s);
    if (e == NULL || s == NULL) {
        return false;
    }
    s->tree = tree;
    e->simulation = s;
    tree->state = e;
    return tqa_ensemble_read(e);
}

/* ------------------------------------------------------------------------------------------------
 * Checkpoints: records in the spool, and how many there are
 */

typedef struct saved_head {
    char magic[8];
    uint64_t n_block, record, n_done;
} saved_head;
static const char saved_magic[8] = {'t', 'q', 'e', 'n', 's', '0', '0', '3'};

static bool can_save(const tqa_host *host)
{
    return host != NULL && host->spool_write != NULL && host->spool_read != NULL &&
           host->checkpoint_save != NULL && host->checkpoint_load != NULL;
}

/* records that an earlier process has left */
static size_t load(tqa_ensemble *e)
{
    const tqa_host *host = e->simulation->tree->host;
    saved_head head;
    if (!can_save(host) || host->checkpoint_load(host->ctx, &head, sizeof head) != sizeof head ||
        memcmp(head.magic, saved_magic, sizeof saved_magic) != 0 || head.n_block != e->n_block ||
        head.record != e->record || head.n_done > e->n_block) {
        return 0;
    }
    const size_t n = head.n_done * e->record * sizeof(double);
    /* a spool that was lost: from the start */
    return host->spool_read(host->ctx, 0, e->records, n) == (long)n ? head.n_done : 0;
}

/* hands over records [from, to). False: the disk is full, and the daemon says so. */
static bool save(tqa_ensemble *e, size_t from, size_t to)
{
    const tqa_host *host = e->simulation->tree->host;
    saved_head head = {.n_block = e->n_block, .record = e->record, .n_done = to};
    memcpy(head.magic, saved_magic, sizeof saved_magic);
    const uint64_t each = e->record * sizeof(double);
    if (host->spool_write(host->ctx, from * each, e->records + from * e->record,
                          (to - from) * each) != 0) {
        return tqa_problem_set(e->simulation->tree->problem, "busy",
                               "there is no room for the members so far");
    }
    (void)host->checkpoint_save(host->ctx, &head, sizeof head);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Waves of blocks
 */

typedef struct wave {
    tqa_ensemble *e;
    size_t first, scratch_size;
} wave;

static void run_one(void *arg, size_t i, void *scratch)
{
    const wave *w = arg;
    tqa_ensemble_run_block(w->e, w->first + i, scratch, w->scratch_size);
}

static void run_wave(wave *w, size_t n, void *own)
{
    const tqa_host *host = w->e->simulation->tree->host;
    if (host != NULL && host->parallel_for != NULL && n > 1) {
        host->parallel_for(host->ctx, n, w->scratch_size, run_one, w);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        run_one(w, i, own);
    }
}

/* the problem is that of the lowest block that failed */
static tqa_part_end judge(tqa_ensemble *e, size_t from, size_t to)
{
    for (size_t b = from; b < to; b++) {
        if (e->status[b] == TQ_OK) {
            continue;
        }
        const tq_error *error = &e->errors[b];
        if (e->status[b] == TQ_ERR_NO_CONVERGENCE && error->what != NULL &&
            strcmp(error->what, "stopped") == 0) {
            (void)tqa_problem_set(e->simulation->tree->problem, "busy", "the ensemble was stopped");
            return TQA_PART_STOPPED;
        }
        if (e->status[b] == TQ_ERR_SCRATCH && error->what != NULL &&
            strcmp(error->what, "memory") == 0) {
            (void)tqa_problem_set(e->simulation->tree->problem, "busy",
                                  "there is no memory for the members now");
            return TQA_PART_STOPPED;
        }
        (void)tqa_tree_fail(e->simulation->tree, "/vary", e->status[b], error);
        return e->status[b] == TQ_ERR_STOPPED || e->status[b] == TQ_ERR_MEMORY ? TQA_PART_STOPPED
                                                                               : TQA_PART_REFUSED;
    }
    return TQA_PART_DONE;
}

tqa_part_end tqa_ensemble_run_blocks(tqa_ensemble *e, size_t first, size_t n, void *own)
{
    wave w = {.e = e, .first = first, .scratch_size = tqa_ensemble_scratch_size(e)};
    run_wave(&w, n, own);
    return judge(e, first, first + n);
}

double tqa_ensemble_member_steps(const tqa_ensemble *e)
{
    const tqa_simulation *s = e->simulation;
    return s->options.step > 0.0 ? s->duration / s->options.step : 1000.0 * s->duration;
}

static bool run_all(tqa_ensemble *e)
{
    const tqa_host *host = e->simulation->tree->host;
    void *own = tqa_tree_take(e->simulation->tree, tqa_ensemble_scratch_size(e), 1);
    if (own == NULL) {
        return false;
    }
    size_t done = load(e), saved = done;
    const double steps = tqa_ensemble_member_steps(e) * (double)e->per;
    const size_t most = (WAVE_MEMBERS + e->per - 1) / e->per;
    const size_t least = most < WAVE_BLOCKS ? most : WAVE_BLOCKS;
    size_t at_once = least;
    while (done < e->n_block) {
        const size_t n = e->n_block - done < at_once ? e->n_block - done : at_once;
        if (tqa_ensemble_run_blocks(e, done, n, own) != TQA_PART_DONE) {
            return false;
        }
        done += n;
        /* members of any cost: waves grow until a checkpoint is due after one */
        const bool due =
            host != NULL && host->checkpoint_due != NULL && host->checkpoint_due(host->ctx);
        at_once = due ? at_once / 2 : at_once < most / 2 ? 2 * at_once : most;
        at_once = at_once > least ? at_once : least;
        if (can_save(host) && done < e->n_block &&
            (due || (double)(done - saved) * steps > (double)SAVE_STEPS)) {
            if (!save(e, saved, done)) {
                return false;
            }
            saved = done;
        }
        if (host != NULL && host->progress != NULL) {
            host->progress(host->ctx, (double)done / (double)e->n_block, "ensemble");
        }
        if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
            (void)tqa_problem_set(e->simulation->tree->problem, "busy", "the ensemble was stopped");
            return false;
        }
    }
    return true;
}

static bool run(tqa_tree *tree)
{
    tqa_ensemble *e = tree->state;
    return tqa_simulation_prepare(e->simulation) &&
           (tqa_ensemble_has_parts(e) ? tqa_ensemble_run_parts(e) : run_all(e)) &&
           tqa_ensemble_put(e);
}

static const tqa_needed needed[] = {
    {"initial", "add \"initial\": {\"q\": [...], \"qd\": [...]}"},
    {"duration_s", "add \"duration_s\": seconds"},
    {"vary", "add \"vary\": [{\"of\": \"q\", \"joint\": its name, \"uniform\": [-0.1, 0.1]}]"},
    {NULL, NULL},
};

static const tqa_tree_methods tree_methods = {
    .fields = fields,
    .needed = needed,
    .cost_us = cost_us,
    .check = check,
    .run = run,
};

const tqa_operation_methods tqa_ensemble_methods = {.tree = &tree_methods};
