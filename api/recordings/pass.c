/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/pass.c - a recording's rows into a pass of core/signal. */
#include <stdlib.h>

#include "api/recordings/parts.h"
#include "core/identify/friction_rows.h"

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
    *memory = (tqa_pass_memory){0};
}

/* Reads rows until the end, or until an inspection is complete. */
static bool push_rows(tqa_recording *recording, tq_pass *pass)
{
    tqa_recording_rows rows;
    tq_raw_rows raw;
    tq_status status = TQ_OK;
    bool good = tqa_recording_rows_open(&rows, recording);
    while (good && status == TQ_OK && tq_pass_uniform(pass) == NULL &&
           tqa_recording_rows_next(&rows, &raw)) {
        status = tq_pass_push(pass, &raw);
    }
    good = good && recording->request->tree->problem->status == 0;
    if (good && status == TQ_OK) {
        status = tq_pass_end(pass);
    }
    tqa_recording_rows_close(&rows);
    return good && status == TQ_OK;
}

typedef bool uniform_sink(void *ctx, const tq_uniform *uniform);

/* kind TQ_PASS_INSPECT: `inspect` gets the stretch, if there is one */
static bool run(tqa_recording *recording, tq_pass_kind kind, tq_block_sink *sink,
                uniform_sink *inspect, void *ctx)
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
    if (request->fit != NULL) {
        parallel = tq_friction_rows(request->fit);
    }
    tq_status status = tq_pass_prepare(&recording->signal, kind,
                                       request->fit != NULL ? &parallel : NULL, &plan, &fault);
    if (status != TQ_OK) {
        return tqa_recording_fail(recording, status, &fault, &error);
    }
    if (take_memory(memory, plan.size) == NULL) {
        (void)tqa_problem_set(request->tree->problem, "busy", "there is no memory for this now");
        return false;
    }
    tq_scratch_init(&scratch, memory->block, memory->n);
    status = tq_pass_begin(&recording->signal, &plan, sink, ctx, &scratch, &pass, &error);
    bool good = status == TQ_OK ? push_rows(recording, pass)
                                : tqa_recording_fail(recording, status, &fault, &error);
    if (good && inspect != NULL && tq_pass_uniform(pass) != NULL) {
        good = inspect(ctx, tq_pass_uniform(pass));
    }
    tq_scratch_release(memory->block, memory->n);
    tqa_pass_memory_free(&own);
    return good;
}

bool tqa_recording_pass(tqa_recording *recording, tqa_recording_sink *sink, void *ctx)
{
    return run(recording, TQ_PASS_BLOCKS, sink, NULL, ctx);
}

bool tqa_recording_inspect_motion(tqa_recording *recording,
                                  bool (*inspect)(void *ctx, const tq_uniform *uniform), void *ctx)
{
    return run(recording, TQ_PASS_INSPECT, NULL, inspect, ctx);
}
