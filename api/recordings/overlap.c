/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/overlap.c - a pass of two threads: the blocks of one group of rows are computed
 * with while the next group is read. */
#include "api/recordings/overlap.h"

#include <string.h>

/* doubles of a block's arrays (core/signal/emit.c) and of t */
static size_t numbers_of(const tqa_recording *recording, const tq_pass_plan *plan)
{
    const tq_model *model = recording->request->options.model;
    const size_t n_parallel = plan->parallel != NULL ? plan->parallel->n : 0;
    return (model->nq + 7 * model->nv + n_parallel + 1) * TQ_BLOCK;
}

/* A push of TQ_RAW_ROWS rows completes one window at most, and ends one. */
static size_t room_of(const tqa_recording *recording, const tq_pass_plan *plan)
{
    return 2 * (plan->n_uniform / recording->request->options.filter.decimate / TQ_BLOCK + 2);
}

static size_t group_size(size_t room, size_t n_number)
{
    return tq_scratch_cost(room, sizeof(tqa_recording_block)) +
           tq_scratch_cost(room * n_number, sizeof(double)) +
           tq_scratch_cost(room * TQ_BLOCK, sizeof(uint64_t));
}

size_t tqa_overlap_size(const tqa_recording *recording, const tq_pass_plan *plan)
{
    return 2 * group_size(room_of(recording, plan), numbers_of(recording, plan));
}

bool tqa_overlap_begin(tqa_overlap *overlap, const tqa_recording *recording,
                       const tq_pass_plan *plan, const tqa_recording_receiver *receiver,
                       tq_scratch *memory)
{
    *overlap = (tqa_overlap){.receiver = receiver,
                             .room = room_of(recording, plan),
                             .n_number = numbers_of(recording, plan)};
    bool good = true;
    for (size_t i = 0; i < 2; i++) {
        tqa_block_group *g = &overlap->groups[i];
        g->blocks = tq_scratch_take(memory, overlap->room, sizeof *g->blocks);
        g->numbers = tq_scratch_take(memory, overlap->room * overlap->n_number, sizeof *g->numbers);
        g->rows = tq_scratch_take(memory, overlap->room * TQ_BLOCK, sizeof *g->rows);
        good = good && g->blocks != NULL && g->numbers != NULL && g->rows != NULL;
    }
    return good;
}

/* `array` of the block in the copy of its arrays */
static const double *moved(const tqa_recording_block *block, const double *array, const double *to)
{
    return array != NULL ? to + (array - block->data.q) : NULL;
}

bool tqa_overlap_keep(void *ctx, const tqa_recording_block *block)
{
    tqa_overlap *o = ctx;
    tqa_block_group *g = &o->groups[o->reading];
    if (g->n == o->room) {
        o->is_full = true;
        return false;
    }
    const size_t n_array = o->n_number - TQ_BLOCK;
    double *numbers = g->numbers + g->n * o->n_number;
    double *t = numbers + n_array;
    uint64_t *rows = g->rows + g->n * TQ_BLOCK;
    const tq_experiment_block *from = &block->data;
    memcpy(numbers, from->q, n_array * sizeof *numbers);
    memcpy(t, block->t, from->n_sample * sizeof *t);
    memcpy(rows, block->row, from->n_sample * sizeof *rows);
    tqa_recording_block *to = &g->blocks[g->n++];
    *to = *block;
    to->t = t;
    to->row = rows;
    to->data.q = numbers;
    to->data.qd = moved(block, from->qd, numbers);
    to->data.qdd = moved(block, from->qdd, numbers);
    to->data.tau = moved(block, from->tau, numbers);
    to->data.tau_raw = moved(block, from->tau_raw, numbers);
    to->data.fast = moved(block, from->fast, numbers);
    to->data.way = moved(block, from->way, numbers);
    to->data.friction_rows = moved(block, from->friction_rows, numbers);
    return true;
}

static void read_group(tqa_overlap *o)
{
    o->groups[o->reading].n = 0;
    o->has_more = o->read(o->read_arg);
}

static void compute_group(tqa_overlap *o)
{
    const tqa_block_group *g = &o->groups[1 - o->reading];
    for (size_t i = 0; i < g->n && !o->is_stopped; i++) {
        o->is_stopped = !o->receiver->sink(o->receiver->ctx, &g->blocks[i]);
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
