/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/overlap.c - a pass of two threads: the blocks of one group of rows are computed
 * with while the next group is read. */
#include "api/recordings/overlap.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, ROOM_LEAST = 1 << 20 };

/* A block whose arrays follow, row behind row with the stride of its own samples: q, qd, qdd, those
 * of torque (core/signal/emit.c), then t and row. */
typedef union record {
    struct {
        tqa_recording_block block; /* with pointers to the block that was copied */
        size_t n_row, stride;
    };
    unsigned char whole[4 * ALIGN];
} record;
_Static_assert(sizeof(record) % ALIGN == 0, "arrays begin at a multiple of ALIGN");

void tqa_overlap_begin(tqa_overlap *overlap, const tqa_recording *recording,
                       const tq_pass_plan *plan, const tqa_recording_receiver *receiver,
                       const tqa_pass_memory *memory)
{
    const tq_model *model = recording->request->options.model;
    *overlap = (tqa_overlap){.receiver = receiver,
                             .nq = model->nq,
                             .nv = model->nv,
                             .n_parallel = plan->parallel != NULL ? plan->parallel->n : 0};
    overlap->room_first =
        plan->n_uniform * sizeof(double) * (model->nq + 7 * model->nv + overlap->n_parallel + 2);
    for (size_t i = 0; i < 2; i++) {
        overlap->groups[i] =
            (tqa_block_group){.bytes = memory->groups[i], .room = memory->n_group[i]};
    }
}

void tqa_overlap_end(const tqa_overlap *overlap, tqa_pass_memory *memory)
{
    for (size_t i = 0; i < 2; i++) {
        memory->groups[i] = overlap->groups[i].bytes;
        memory->n_group[i] = overlap->groups[i].room;
    }
}

/* Room for n more bytes; at first for all samples of a window: pages that are not used are not
 * touched. False: memory is short. */
static bool reserve(tqa_block_group *g, size_t first, size_t n)
{
    if (g->room - g->used >= n) {
        return true;
    }
    size_t room = g->room > first ? g->room : (first + ROOM_LEAST) / ROOM_LEAST * ROOM_LEAST;
    while (room - g->used < n) {
        room *= 2;
    }
    unsigned char *bytes = aligned_alloc(ALIGN, room);
    if (bytes == NULL) {
        return false;
    }
    if (g->used > 0) {
        memcpy(bytes, g->bytes, g->used);
    }
    free(g->bytes);
    g->bytes = bytes;
    g->room = room;
    return true;
}

static size_t size_of(const record *head)
{
    const size_t size = sizeof *head + head->stride * (head->n_row * sizeof(double) +
                                                       sizeof(double) + sizeof(uint64_t));
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

bool tqa_overlap_keep(void *ctx, const tqa_recording_block *block)
{
    tqa_overlap *o = ctx;
    tqa_block_group *g = &o->groups[o->reading];
    const tq_experiment_block *from = &block->data;
    const size_t n = from->n_sample;
    record head = {.whole = {0}};
    head.block = *block;
    head.n_row = o->nq + (from->tau != NULL ? 7 : 2) * o->nv + o->n_parallel;
    head.stride = (n + TQ_BLOCK_PAD - 1) / TQ_BLOCK_PAD * TQ_BLOCK_PAD;
    const size_t size = size_of(&head);
    if (!reserve(g, o->room_first, size)) {
        o->is_short = true;
        return false;
    }
    unsigned char *to = g->bytes + g->used;
    double *numbers = (double *)(void *)(to + sizeof head);
    memcpy(to, &head, sizeof head);
    for (size_t r = 0; r < head.n_row; r++) {
        memcpy(numbers + r * head.stride, from->q + r * from->stride,
               head.stride * sizeof *numbers);
    }
    double *t = numbers + head.n_row * head.stride;
    memcpy(t, block->t, n * sizeof *t);
    memcpy(t + head.stride, block->row, n * sizeof *block->row);
    g->used += size;
    g->n++;
    return true;
}

/* `array` of the block in the copy of its arrays */
static const double *moved(const record *head, const double *array, const double *numbers)
{
    const tq_experiment_block *from = &head->block.data;
    return array != NULL ? numbers + (size_t)(array - from->q) / from->stride * head->stride : NULL;
}

static tqa_recording_block block_of(const record *head)
{
    const double *numbers = (const double *)(const void *)(head + 1);
    const tq_experiment_block *from = &head->block.data;
    tqa_recording_block ret = head->block;
    ret.t = numbers + head->n_row * head->stride;
    ret.row = (const uint64_t *)(const void *)(ret.t + head->stride);
    ret.data.stride = head->stride;
    ret.data.q = numbers;
    ret.data.qd = moved(head, from->qd, numbers);
    ret.data.qdd = moved(head, from->qdd, numbers);
    ret.data.tau = moved(head, from->tau, numbers);
    ret.data.tau_raw = moved(head, from->tau_raw, numbers);
    ret.data.fast = moved(head, from->fast, numbers);
    ret.data.way = moved(head, from->way, numbers);
    ret.data.friction_rows = moved(head, from->friction_rows, numbers);
    return ret;
}

static void read_group(tqa_overlap *o)
{
    o->groups[o->reading].n = o->groups[o->reading].used = 0;
    o->has_more = o->read(o->read_arg);
}

static void compute_group(tqa_overlap *o)
{
    const tqa_block_group *g = &o->groups[1 - o->reading];
    size_t at = 0;
    for (size_t i = 0; i < g->n && !o->is_stopped; i++) {
        const record *head = (const record *)(const void *)(g->bytes + at);
        const tqa_recording_block block = block_of(head);
        o->is_stopped = !o->receiver->sink(o->receiver->ctx, &block);
        at += size_of(head);
    }
    o->was_computed = true;
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

bool tqa_overlap_run(tqa_overlap *o, const tqa_host *host, tqa_group_read *read, void *arg)
{
    o->read = read;
    o->read_arg = arg;
    read_group(o);
    while (o->groups[o->reading].n > 0) {
        const bool is_parallel = o->has_more && host != NULL && host->parallel_for != NULL;
        o->reading = 1 - o->reading;
        o->groups[o->reading].n = 0;
        o->was_computed = false;
        if (is_parallel) {
            host->parallel_for(host->ctx, 2, 0, one_side, o);
        } else {
            compute_group(o);
            if (o->has_more && !o->is_stopped) {
                read_group(o);
            }
        }
        if (!o->was_computed || !o->receiver->between(o->receiver->ctx) || o->is_stopped) {
            return false;
        }
    }
    return true;
}
