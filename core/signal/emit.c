/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/emit.c - final samples of a window, decimated, in blocks to the sink of a pass. */
#include <string.h>

#include "core/signal/pass_private.h"

/* a border is at most one part of its segment in so many, or a period of the cut-off */
enum { BORDER_PARTS = 8 };

bool tq_emit_block(tq_pass *p)
{
    const size_t nq = p->options->model->nq;
    const size_t nv = p->options->model->nv;
    if (p->n_block == 0) {
        return true;
    }
    double *qd = p->block + nq * TQ_BLOCK;
    double *tau = qd + 2 * nv * TQ_BLOCK;
    const size_t n_row = nq + (tq_pass_has(p, TQ_QUANTITY_TAU) ? 7 : 2) * nv + p->n_parallel;
    tq_block_pad(p->block, n_row, TQ_BLOCK, p->n_block);
    const tq_recording_block block = {
        .data = {.n_sample = p->n_block,
                 .stride = TQ_BLOCK,
                 .q = p->block,
                 .qd = qd,
                 .qdd = qd + nv * TQ_BLOCK,
                 .tau = tq_pass_has(p, TQ_QUANTITY_TAU) ? tau : NULL,
                 .tau_raw = tq_pass_has(p, TQ_QUANTITY_TAU) ? tau + nv * TQ_BLOCK : NULL,
                 .fast = tq_pass_has(p, TQ_QUANTITY_TAU) ? tau + 2 * nv * TQ_BLOCK : NULL,
                 .way = p->gives_way ? tau + 4 * nv * TQ_BLOCK : NULL,
                 .period = p->recording->step * (double)p->options->filter.decimate,
                 .begins = p->begins,
                 .friction_rows = p->n_parallel > 0 ? tau + 5 * nv * TQ_BLOCK : NULL},
        .t = p->block_t,
        .row = p->block_row,
    };
    p->n_block = 0;
    p->begins = false;
    return p->sink(p->ctx, &block);
}

/* ret = x[picks], n of them */
static void gather(size_t n, const uint32_t *picks, const double *x, double *ret)
{
    if (picks[n - 1] - picks[0] == n - 1) {
        memcpy(ret, x + picks[0], n * sizeof *ret);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        ret[i] = x[picks[i]];
    }
}

/* Displacement of row r since the previous emitted sample. */
static void emit_way(const tq_pass *p, size_t r, size_t n, const uint32_t *picks, double *ret)
{
    const double *way = p->derived + r * p->n_uniform;
    const size_t every = p->options->filter.decimate;
    if (!p->gives_way) {
        memset(ret, 0, n * sizeof *ret);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t k = picks[i];
        ret[i] = way[k];
        for (size_t before = 1; before < every && before <= k; before++) {
            ret[i] += way[k - before];
        }
    }
}

/* Appends samples picks (n) of the window to the block. */
static bool emit_picked(tq_pass *p, uint64_t lowest, size_t n, const uint32_t *picks)
{
    const size_t nq = p->options->model->nq;
    const size_t nv = p->options->model->nv;
    const size_t room = p->n_uniform;
    double *to = p->block + p->n_block;
    if (n == 0) {
        return true;
    }
    for (size_t r = 0; r < nq; r++, to += TQ_BLOCK) {
        gather(n, picks, tq_pass_channel(p, TQ_QUANTITY_Q, r), to);
    }
    for (size_t r = 0; r < nv; r++, to += TQ_BLOCK) {
        gather(n, picks,
               tq_pass_has(p, TQ_QUANTITY_QD) ? tq_pass_channel(p, TQ_QUANTITY_QD, r)
                                              : p->derived + r * room,
               to);
    }
    for (size_t r = 0; r < nv; r++, to += TQ_BLOCK) {
        gather(n, picks,
               tq_pass_has(p, TQ_QUANTITY_QDD) ? tq_pass_channel(p, TQ_QUANTITY_QDD, r)
                                               : p->derived + (nv + r) * room,
               to);
    }
    for (size_t r = 0; tq_pass_has(p, TQ_QUANTITY_TAU) && r < nv; r++, to += TQ_BLOCK) {
        gather(n, picks, tq_pass_channel(p, TQ_QUANTITY_TAU, r), to);
        gather(n, picks, p->raw_tau + r * room, to + nv * TQ_BLOCK);
        gather(n, picks, p->fast + r * room, to + 2 * nv * TQ_BLOCK);
        gather(n, picks, p->fast + (nv + r) * room, to + 3 * nv * TQ_BLOCK);
        emit_way(p, r, n, picks, to + 4 * nv * TQ_BLOCK);
    }
    to += tq_pass_has(p, TQ_QUANTITY_TAU) ? 4 * nv * TQ_BLOCK : 0;
    for (size_t r = 0; r < p->n_parallel; r++, to += TQ_BLOCK) {
        gather(n, picks, p->parallel + r * room, to);
    }
    for (size_t i = 0; i < n; i++) {
        p->block_t[p->n_block + i] =
            p->segment_t + (double)(lowest + picks[i]) * p->recording->step;
        p->block_row[p->n_block + i] = p->even_row[picks[i]];
    }
    p->recording->n_sample += n;
    p->n_block += n;
    return p->n_block < TQ_BLOCK || tq_emit_block(p);
}

/* A window that does not end its segment is longer than all borders. */
uint64_t tq_emit_border(const tq_pass *p, uint64_t n)
{
    const tq_pass_plan *plan = &p->plan;
    const uint64_t most = n / BORDER_PARTS;
    if (plan->n_own > 0 && plan->own_border <= most) {
        return plan->own_border;
    }
    const uint64_t border = plan->border < most ? plan->border : most;
    return border > plan->least_border ? border : plan->least_border;
}

bool tq_emit_samples(tq_pass *p, uint64_t lowest, size_t m, bool ends)
{
    tq_recording *recording = p->recording;
    const uint64_t end = lowest + (ends ? m : m > p->context ? m - p->context : 0);
    const uint64_t border = tq_emit_border(p, lowest + m);
    const uint64_t sure = ends ? (lowest + m > border ? lowest + m - border : 0) : end;
    const uint64_t every = p->options->filter.decimate;
    recording->n_short_segment += ends && border < p->plan.border ? 1 : 0;
    const uint64_t begin = p->next > lowest ? p->next : lowest;
    uint64_t wanted = (begin + every - 1) / every * every; /* index of the next sample that is
                                                              used */
    uint32_t picks[TQ_BLOCK];
    size_t n_pick = 0;
    for (uint64_t k = begin; k < end; k++) {
        const size_t i = (size_t)(k - lowest);
        const bool is_wanted = k == wanted;
        wanted += is_wanted ? every : 0;
        if (recording->moves &&
            (p->even_row[i] < recording->first_moving || p->even_row[i] > recording->last_moving)) {
            recording->n_rest++;
            continue;
        }
        if (k < border || k >= sure) {
            recording->n_border++;
            continue;
        }
        if (!is_wanted) {
            continue;
        }
        picks[n_pick++] = (uint32_t)i;
        if (p->n_block + n_pick == TQ_BLOCK) {
            if (!emit_picked(p, lowest, n_pick, picks)) {
                return false;
            }
            n_pick = 0;
        }
    }
    p->next = end > p->next ? end : p->next;
    return emit_picked(p, lowest, n_pick, picks);
}
