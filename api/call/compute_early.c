/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/compute_early.c - blocks that are complete before the body is. */
#include "api/call/compute_early.h"

#include <assert.h>
#include <stdlib.h>

#include "api/call/transpose.h"

enum { FEW_FREEDOMS = 32 }; /* a block takes below 100 us, and three of motion below 256 KiB */

/* The arrays that the operation computes from, in the schema's order: three. */
static uint32_t columns(const tqa_schema *schema, tqa_motion ret_motion[3])
{
    uint32_t bits = 0;
    size_t n = 0;
    for (size_t f = 0; f < schema->n_field; f++) {
        if ((tqa_schema_columns(schema) >> f & 1u) != 0) {
            assert(n < 3 && tqa_field_is_motion(&schema->fields[f]));
            ret_motion[n++] = schema->fields[f].motion;
            bits |= 1u << f;
        }
    }
    assert(n == 3);
    return bits;
}

/* Number of samples that are complete in every array. */
static size_t arrived(const tqa_call *call, const tqa_motion motion[3])
{
    if (call->body.media == TQA_MEDIA_NPY) {
        return call->body.as.npy.columns.n_arrived;
    }
    size_t n = SIZE_MAX;
    for (size_t k = 0; k < 3; k++) {
        const tqa_rows *rows = &call->request.rows[motion[k]];
        const size_t here = rows->shape == TQA_SHAPE_BATCH ? rows->n_sample : 0;
        n = here < n ? here : n;
    }
    return n;
}

/* Announced number of samples, if known. */
static size_t expected(const tqa_call *call, const tqa_motion motion[3])
{
    size_t n = call->body.media == TQA_MEDIA_NPY
                   ? tqa_columns_expected(&call->body.as.npy.columns, call->n_body)
                   : 0;
    for (size_t k = 0; k < 3; k++) {
        const size_t here = call->request.rows[motion[k]].n_sample;
        n = here > n ? here : n;
    }
    return n;
}

/* No other field can come: a table has no others, and a CBOR map states its length first. */
static bool is_final(const tqa_call *call)
{
    return call->body.media == TQA_MEDIA_NPY ||
           (call->body.media == TQA_MEDIA_CBOR && tqa_cbor_decoder_is_last(&call->body.as.cbor));
}

/* From here on the tables of blocks stay where they are, for all blocks that can be announced. */
static bool look(tqa_call *call, const tqa_motion motion[3])
{
    tqa_overlap *ahead = &call->ahead;
    const size_t n_block = tq_block_count(expected(call, motion));
    assert(n_block > 0);
    bool good = tqa_blocks_pin(&call->tau, n_block);
    for (size_t k = 0; k < 3; k++) {
        tqa_blocks *blocks = &call->request.motion[motion[k]];
        good = good && tqa_blocks_pin(blocks, n_block);
        ahead->in[k] = *blocks;
        blocks->uses_spares = true;
    }
    /* the result of a table has memory of its own, which outlives the motion's; a map's first
     * arrays are complete, and what they lie in can only become the result's */
    ahead->states = is_final(call) ? calloc(n_block, 1) : NULL;
    call->tau.uses_spares = ahead->states != NULL && call->body.media != TQA_MEDIA_NPY;
    ahead->out = call->tau;
    ahead->turns = tqa_transpose_is_possible(call);
    ahead->n_most = n_block;
    return good;
}

static bool may_start(const tqa_call *call)
{
    return call->tree == NULL && call->operation->methods->ahead != NULL &&
           call->robot->constraints == NULL && call->model->nv > 0 && !call->ahead.is_off &&
           call->problem.status == 0;
}

size_t tqa_call_ready(tqa_call *call)
{
    tqa_overlap *ahead = &call->ahead;
    tqa_motion motion[3];
    if (!may_start(call)) {
        return ahead->n_ready;
    }
    const uint32_t bits = columns(&call->operation->methods->schema, motion);
    if ((call->request.seen & ~bits) != 0) {
        ahead->is_off = true; /* other fields change the meaning of the samples */
        return ahead->n_ready;
    }
    const size_t n = call->request.seen == bits ? arrived(call, motion) / TQ_BLOCK : 0;
    if (n <= ahead->n_ready) {
        return ahead->n_ready;
    }
    if (!tqa_blocks_reserve(&call->tau, n * TQ_BLOCK) ||
        (ahead->n_ready == 0 && !look(call, motion)) || n > ahead->n_most) {
        ahead->is_off = true;
        return ahead->n_ready;
    }
    ahead->n_ready = n;
    return n;
}

size_t tqa_call_compute_early_step(const tqa_call *call)
{
    return call->body.media == TQA_MEDIA_JSON ? 32 : call->model->nv > FEW_FREEDOMS ? 1 : 4;
}

size_t tqa_call_compute_early_waiting(const tqa_call *call)
{
    return call->model->nv > FEW_FREEDOMS ? SIZE_MAX : 24;
}

/* What another core has written, all of it at once: a twentieth of a CBOR batch's CPU time. */
static void prefetch(const tqa_overlap *ahead, size_t b)
{
    for (size_t k = 0; k < 3; k++) {
        const double *from = tqa_blocks_block(&ahead->in[k], b);
        const size_t n = ahead->in[k].n_row * TQ_BLOCK_STRIDE;
        for (size_t i = 0; i < n; i += TQ_BLOCK_PAD) {
            __builtin_prefetch(from + i, 0, 2);
        }
    }
}

/* Warnings name samples that are far out, when the answer is written: their q stays. */
static void spare_motion(const tqa_call *call, size_t b, bool is_far)
{
    for (size_t k = is_far ? 1 : 0; k < 3; k++) {
        tqa_blocks_spare(&call->ahead.in[k], b);
    }
    call->ahead.states[b] = is_far ? TQA_OVERLAP_FAR : TQA_OVERLAP_SPARED;
}

void tqa_call_compute_early(tqa_call *call, size_t b, void *scratch, size_t size)
{
    assert(b < call->ahead.n_most);
    prefetch(&call->ahead, b);
    /* without memory, or with a fault in it, the block is left to tqa_call_run */
    if ((scratch == NULL && size > 0) ||
        call->operation->methods->ahead(call, b, scratch, size, NULL) != TQ_OK) {
        return;
    }
    const bool is_far = tqa_far_any(call->robot, tqa_blocks_block(&call->ahead.in[0], b),
                                    TQ_BLOCK_STRIDE, TQ_BLOCK);
    if (is_far) {
        atomic_store_explicit(&call->is_far, true, memory_order_relaxed);
    }
    if (call->ahead.states != NULL) {
        spare_motion(call, b, is_far);
    }
    atomic_fetch_add_explicit(&call->ahead.n_good, 1, memory_order_relaxed);
}

size_t tqa_call_compute_early_scratch_size(const tqa_call *call)
{
    /* without wrenches and without `include`, as far as is known */
    return call->operation->methods->scratch_size(call);
}

static unsigned state_of(const tqa_call *call, size_t b)
{
    const tqa_overlap *ahead = &call->ahead;
    return ahead->states != NULL && b < ahead->n_ready ? ahead->states[b] : TQA_OVERLAP_OPEN;
}

bool tqa_overlap_has(const tqa_call *call, size_t b)
{
    return state_of(call, b) != TQA_OVERLAP_OPEN;
}

bool tqa_overlap_has_q(const tqa_call *call, size_t b)
{
    return state_of(call, b) != TQA_OVERLAP_SPARED;
}

size_t tqa_overlap_done(const tqa_call *call)
{
    const tqa_overlap *ahead = &call->ahead;
    tqa_motion motion[3];
    assert(ahead->states == NULL || ahead->turns == tqa_transpose_is_on(call));
    if (ahead->n_ready == 0 || ahead->turns != tqa_transpose_is_on(call) ||
        atomic_load_explicit(&ahead->n_good, memory_order_relaxed) < ahead->n_ready ||
        call->request.seen != columns(&call->operation->methods->schema, motion)) {
        return 0;
    }
    const size_t n_block = tq_block_count(call->request.n_sample);
    return ahead->n_ready < n_block ? ahead->n_ready : n_block;
}
