/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/pass.c - a recording's rows into a pass of core/signal. */
#include <stdlib.h>

#include "api/recordings/overlap.h"
#include "api/recordings/parts.h"
#include "core/identify/friction_rows.h"
#include "core/identify/gain_start.h"

/* n bytes with the contents of the pass before; NULL: out of memory. */
static void *take_memory(tqa_pass_memory *memory, size_t n)
{
    enum { ALIGN = TQ_SCRATCH_ALIGN };
    if (memory->n < n) {
        free(memory->block);
        memory->n = (n + ALIGN - 1) / ALIGN * ALIGN;
        memory->block = aligned_alloc(ALIGN, memory->n);
        memory->n = memory->block != NULL ? memory->n : 0;
    }
    return memory->block;
}

void tqa_pass_memory_free(tqa_pass_memory *memory)
{
    free(memory->block);
    free(memory->groups[0]);
    free(memory->groups[1]);
    *memory = (tqa_pass_memory){0};
}

/* The rows of a recording on their way into a pass. */
typedef struct row_reader {
    tqa_recording_rows rows;
    tqa_recording *recording;
    tq_pass *pass;
    const tqa_overlap *overlap;
    tq_status status;
    bool has_ended;
} row_reader;

static bool push_some(row_reader *p)
{
    tq_raw_rows raw;
    if (tq_pass_uniform(p->pass) == NULL && tqa_recording_rows_next(&p->rows, &raw)) {
        p->status = tq_pass_push(p->pass, &raw);
        return p->status == TQ_OK;
    }
    if (p->recording->request->tree->problem->status == 0) {
        p->status = tq_pass_end(p->pass);
        p->has_ended = p->status == TQ_OK;
    }
    return false;
}

/* A tqa_group_read: until the group has a block. */
static bool push_group(void *arg)
{
    row_reader *p = arg;
    const tqa_overlap *o = p->overlap;
    bool has_more = true;
    while (has_more && o->groups[o->reading].n == 0) {
        has_more = push_some(p);
    }
    return has_more;
}

/* Reads rows until the end, or until an inspection is complete. */
static bool push_rows(tqa_recording *recording, tq_pass *pass, tqa_overlap *overlap)
{
    row_reader p = {.recording = recording, .pass = pass, .overlap = overlap};
    bool good = tqa_recording_rows_open(&p.rows, recording);
    if (good && overlap != NULL) {
        good = tqa_overlap_run(overlap, recording->request->tree->host, push_group, &p);
    } else if (good) {
        while (push_some(&p)) {
        }
    }
    tqa_recording_rows_close(&p.rows);
    return good && p.has_ended;
}

typedef bool uniform_sink(void *ctx, const tq_uniform *uniform);

/* What receives the result of a pass: one of these. */
typedef struct receivers {
    tqa_recording_sink *sink;
    void *ctx;
    const tqa_recording_receiver *overlapped;
    uniform_sink *inspect; /* the stretch of motion, if there is one */
} receivers;

static bool run(tqa_recording *recording, tq_pass_kind kind, const receivers *to)
{
    const tqa_recording_request *request = recording->request;
    tqa_pass_memory own = {0};
    const bool keeps = request->memory != NULL && kind == TQ_PASS_BLOCKS;
    tqa_pass_memory *memory = keeps ? request->memory : &own;
    tq_parallel_rows parallel = {0};
    tq_recording_fault fault = {0};
    tq_error error = {0};
    tq_scratch scratch;
    tq_pass_plan plan;
    tq_pass *pass = NULL;
    tqa_overlap overlap = {0};
    const bool overlaps = to->overlapped != NULL;
    const bool has_rows = request->fit != NULL || request->reads_gains;
    if (has_rows) {
        parallel = request->fit != NULL ? tq_friction_rows(request->fit)
                                        : tq_gain_rows(&request->options.n_gain);
    }
    tq_status status =
        tq_pass_prepare(&recording->signal, kind, has_rows ? &parallel : NULL, &plan, &fault);
    if (status != TQ_OK) {
        return tqa_recording_fail(recording, status, &fault, &error);
    }
    if (take_memory(memory, plan.size) == NULL) {
        (void)tqa_problem_set(request->tree->problem, "busy", "there is no memory for this now");
        return false;
    }
    tq_scratch_init(&scratch, memory->block, memory->n);
    if (overlaps) {
        tqa_overlap_begin(&overlap, recording, &plan, to->overlapped, memory);
    }
    status = tq_pass_begin(&recording->signal, &plan, overlaps ? tqa_overlap_keep : to->sink,
                           overlaps ? &overlap : to->ctx, &scratch, &pass, &error);
    bool good = status == TQ_OK ? push_rows(recording, pass, overlaps ? &overlap : NULL)
                                : tqa_recording_fail(recording, status, &fault, &error);
    if (overlaps) {
        tqa_overlap_end(&overlap, memory);
    }
    if (overlap.is_short) {
        (void)tqa_problem_set(request->tree->problem, "busy", "there is no memory for this now");
    }
    if (good && to->inspect != NULL && tq_pass_uniform(pass) != NULL) {
        good = to->inspect(to->ctx, tq_pass_uniform(pass));
    }
    tq_scratch_release(memory->block, memory->n);
    tqa_pass_memory_free(&own);
    return good;
}

bool tqa_recording_pass(tqa_recording *recording, tqa_recording_sink *sink, void *ctx)
{
    return run(recording, TQ_PASS_BLOCKS, &(receivers){.sink = sink, .ctx = ctx});
}

bool tqa_recording_pass_overlapped(tqa_recording *recording, const tqa_recording_receiver *receiver)
{
    return run(recording, TQ_PASS_BLOCKS, &(receivers){.overlapped = receiver});
}

bool tqa_recording_inspect_motion(tqa_recording *recording,
                                  bool (*inspect)(void *ctx, const tq_uniform *uniform), void *ctx)
{
    return run(recording, TQ_PASS_INSPECT, &(receivers){.inspect = inspect, .ctx = ctx});
}
