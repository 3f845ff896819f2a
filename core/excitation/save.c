/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/save.c - a search between two tries as bytes, and back. */
#include <string.h>

#include "core/excitation/excitation_private.h"

typedef struct saved_head {
    uint64_t layout, seed, with, criterion, nv, n_harmonic, n_base, n_tried, n_better;
    uint64_t n_descent, is_open, has_value, stage, n_step, n_halved, n_pair, next, n_drawn;
    double frequency, step, value, along, length, mark;
    tq_excitation_score score, first, drawn;
} saved_head;

enum { SAVED_LAYOUT = 3, SAVED_ARRAYS = 10 };

/* Arrays of a checkpoint in their order; returns the bytes of head and arrays. */
static size_t saved_arrays(const tq_excitation_task *task, const struct tq_excitation_room *room,
                           double *ret[SAVED_ARRAYS], size_t ret_n[SAVED_ARRAYS])
{
    const size_t nv = task->model->nv, h = task->n_harmonic;
    const size_t n_z = task->criterion == TQ_EXCITATION_CONDITION ? 0 : tq_descent_variables(task);
    const size_t pairs = TQ_DESCENT_PAIRS * n_z;
    const size_t n[SAVED_ARRAYS] = {
        nv * tq_excitation_genes(task), nv, h * nv, h * nv, n_z, n_z, n_z, n_z, pairs, pairs};
    size_t bytes = sizeof(saved_head);
    for (size_t k = 0; k < SAVED_ARRAYS; k++) {
        ret_n[k] = n[k];
        bytes += n[k] * sizeof(double);
    }
    const tq_descent *d = &room->descent;
    double *const arrays[SAVED_ARRAYS] = {
        room->genes, room->best_offset, room->best_a, room->best_b, d->z, d->slope,
        d->way,      d->tested,         d->step,      d->change};
    memcpy(ret, arrays, sizeof arrays);
    return bytes;
}

static saved_head head_of(const tq_excitation *search)
{
    const tq_excitation_task *task = &search->task;
    const tq_descent *d = &search->room->descent;
    return (saved_head){.layout = SAVED_LAYOUT,
                        .seed = task->seed,
                        .with = task->with,
                        .criterion = (uint64_t)task->criterion,
                        .nv = task->model->nv,
                        .n_harmonic = task->n_harmonic,
                        .n_base = task->base->n_base,
                        .n_tried = search->n_tried,
                        .n_better = search->n_better,
                        .n_descent = search->n_descent,
                        .is_open = d->is_open,
                        .has_value = d->has_value,
                        .stage = d->stage,
                        .n_step = d->n_step,
                        .n_halved = d->n_halved,
                        .n_pair = d->n_pair,
                        .next = d->next,
                        .n_drawn = d->n_drawn,
                        .frequency = task->frequency,
                        .step = search->room->step,
                        .value = d->value,
                        .along = d->along,
                        .length = d->length,
                        .mark = d->mark,
                        .score = search->score,
                        .first = search->first,
                        .drawn = d->drawn};
}

size_t tq_excitation_save_size(const tq_excitation_task *task)
{
    double *arrays[SAVED_ARRAYS];
    size_t n[SAVED_ARRAYS];
    return saved_arrays(task, &(struct tq_excitation_room){0}, arrays, n);
}

void tq_excitation_save(const tq_excitation *search, unsigned char *ret)
{
    const saved_head head = head_of(search);
    double *arrays[SAVED_ARRAYS];
    size_t n[SAVED_ARRAYS];
    (void)saved_arrays(&search->task, search->room, arrays, n);
    memcpy(ret, &head, sizeof head);
    ret += sizeof head;
    for (size_t k = 0; k < SAVED_ARRAYS; ret += n[k] * sizeof(double), k++) {
        memcpy(ret, arrays[k], n[k] * sizeof(double));
    }
}

static void restore_descent(const saved_head *head, tq_excitation *search)
{
    tq_descent *d = &search->room->descent;
    d->is_open = head->is_open != 0;
    d->has_value = head->has_value != 0;
    d->stage = (size_t)head->stage;
    d->n_step = (size_t)head->n_step;
    d->n_halved = (size_t)head->n_halved;
    d->n_pair = (size_t)head->n_pair;
    d->next = (size_t)head->next;
    d->n_drawn = (size_t)head->n_drawn;
    d->value = head->value;
    d->along = head->along;
    d->length = head->length;
    d->mark = head->mark;
    d->drawn = head->drawn;
    if (d->is_open || d->n_drawn > 0) {
        tq_descent_units(search);
    }
}

bool tq_excitation_load(tq_excitation *search, const unsigned char *bytes, size_t n)
{
    const saved_head own = head_of(search);
    saved_head head;
    double *arrays[SAVED_ARRAYS];
    size_t n_entry[SAVED_ARRAYS];
    if (n != saved_arrays(&search->task, search->room, arrays, n_entry)) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    if (head.layout != own.layout || head.seed != own.seed || head.with != own.with ||
        head.criterion != own.criterion || head.nv != own.nv || head.n_harmonic != own.n_harmonic ||
        head.n_base != own.n_base || head.frequency != own.frequency || head.n_tried == 0) {
        return false;
    }
    if (head.n_pair > TQ_DESCENT_PAIRS || head.next >= TQ_DESCENT_PAIRS || head.stage > 8) {
        return false;
    }
    bytes += sizeof head;
    for (size_t k = 0; k < SAVED_ARRAYS; bytes += n_entry[k] * sizeof(double), k++) {
        memcpy(arrays[k], bytes, n_entry[k] * sizeof(double));
    }
    search->n_tried = (size_t)head.n_tried;
    search->n_better = (size_t)head.n_better;
    search->score = head.score;
    search->first = head.first;
    search->n_descent = (size_t)head.n_descent;
    search->room->step = head.step;
    restore_descent(&head, search);
    return true;
}
