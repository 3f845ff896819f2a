/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/ahead.c - rows of a recording in groups: one is computed with while the next is
 * read. */
#include "api/recordings/ahead.h"

#include <stdlib.h>

enum { GROUP_BYTES = 1 << 20 };

static size_t run_size(size_t n_channel)
{
    return TQ_RAW_ROWS * ((n_channel + 1) * sizeof(double) + sizeof(uint64_t) + 1);
}

bool tqa_raw_run_allocate(size_t n_channel, tq_raw_run *ret)
{
    *ret = (tq_raw_run){.values = calloc(1, run_size(n_channel))};
    if (ret->values != NULL) {
        ret->t = ret->values + n_channel * TQ_RAW_ROWS;
        ret->row = (uint64_t *)(void *)(ret->t + TQ_RAW_ROWS);
        ret->state = (unsigned char *)(ret->row + TQ_RAW_ROWS);
    }
    return ret->values != NULL;
}

void tqa_raw_run_free(tq_raw_run *run)
{
    free(run->values);
    *run = (tq_raw_run){0};
}

typedef struct ahead {
    tqa_recording_rows *rows;
    const tqa_group_receiver *receiver;
    size_t n_most; /* runs of a group */
    tqa_run_group groups[2];
    unsigned reading; /* groups[reading] is read into, the other is computed with */
    bool has_more;    /* rows may be left */
    bool was_computed;
} ahead;

static void free_groups(ahead *a)
{
    for (size_t g = 0; g < 2; g++) {
        for (size_t i = 0; i < a->n_most; i++) {
            tqa_raw_run_free(&a->groups[g].memory[i]);
        }
    }
}

static bool allocate_groups(ahead *a, size_t n_channel)
{
    const size_t n = GROUP_BYTES / run_size(n_channel);
    bool good = true;
    a->n_most = n < TQA_RUNS_MAX ? n : (size_t)TQA_RUNS_MAX;
    for (size_t g = 0; g < 2; g++) {
        for (size_t i = 0; good && i < a->n_most; i++) {
            good = tqa_raw_run_allocate(n_channel, &a->groups[g].memory[i]);
        }
    }
    if (!good) {
        (void)tqa_problem_set(a->rows->recording->request->tree->problem, "busy",
                              "there is no memory for this now");
    }
    return good;
}

static void read_group(ahead *a)
{
    tqa_run_group *g = &a->groups[a->reading];
    a->has_more = true;
    for (g->n = 0; g->n < a->n_most && a->has_more; g->n += a->has_more ? 1 : 0) {
        a->rows->run = g->memory[g->n];
        a->has_more = tqa_recording_rows_next(a->rows, &g->rows[g->n]);
    }
    a->rows->run = a->rows->own;
}

static void compute_group(ahead *a)
{
    a->receiver->compute(a->receiver->ctx, &a->groups[1 - a->reading]);
    a->was_computed = true;
}

static void one_side(void *arg, size_t i, void *scratch)
{
    (void)scratch;
    if (i == 0) {
        compute_group(arg);
    } else {
        read_group(arg);
    }
}

static bool run(ahead *a)
{
    const tqa_host *host = a->rows->recording->request->tree->host;
    read_group(a);
    while (a->groups[a->reading].n > 0) {
        const bool is_parallel = a->has_more && host != NULL && host->parallel_for != NULL;
        a->reading = 1 - a->reading;
        a->groups[a->reading].n = 0;
        a->was_computed = false;
        if (is_parallel) {
            host->parallel_for(host->ctx, 2, 0, one_side, a);
        } else {
            compute_group(a);
            if (a->has_more) {
                read_group(a);
            }
        }
        if (!a->was_computed ||
            !a->receiver->between(a->receiver->ctx, &a->groups[1 - a->reading])) {
            return false;
        }
    }
    return true;
}

/* Runs larger than a group: without a copy of their room, one after another. */
static bool run_one_by_one(ahead *a)
{
    tqa_run_group *g = &a->groups[0];
    g->n = 1;
    while (tqa_recording_rows_next(a->rows, &g->rows[0])) {
        a->receiver->compute(a->receiver->ctx, g);
        if (!a->receiver->between(a->receiver->ctx, g)) {
            return false;
        }
    }
    return true;
}

bool tqa_recording_rows_ahead(tqa_recording_rows *rows, const tqa_group_receiver *receiver)
{
    tqa_problem *problem = rows->recording->request->tree->problem;
    ahead *a = calloc(1, sizeof *a);
    if (a == NULL) {
        (void)tqa_problem_set(problem, "busy", "there is no memory for this now");
        return false;
    }
    a->rows = rows;
    a->receiver = receiver;
    const size_t n_channel = rows->recording->signal.channels.n;
    const bool good = run_size(n_channel) > GROUP_BYTES ? run_one_by_one(a)
                                                        : allocate_groups(a, n_channel) && run(a);
    free_groups(a);
    free(a);
    if (!good && problem->status == 0) {
        (void)tqa_problem_set(problem, "busy", "the job was stopped");
    }
    return good && problem->status == 0;
}
