/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pass.c - the plan and the memory of a pass; its filter. */
#include <math.h>
#include <string.h>

#include "core/signal/differentiate.h"
#include "core/signal/pass_private.h"

enum {
    NUMBERS_MAX = 2 << 20, /* doubles of a window's rows */
    ROWS_LEAST = 4096,
    ROWS_MAX = 8192, /* the samples of a window stay in the cache of the processor */
    ROWS_INSPECTED = 65536,
    WIDE = 64, /* channels, from which on memory counts more than what overlapping windows cost */
    CONTEXT_MAX = 65536, /* samples on each side that a filtered sample depends on */
};

static const unsigned rates_order = 4;
/* of a low-pass's impulse response, beyond the border of a segment: core/identify/DECISIONS.md,
 * "The ends of a log" */
static const double unfelt = 3e-3;
static const double delay_most = 4.0;      /* samples, or if that is longer */
static const double delay_most_s = 0.0501; /* s */

/* ------------------------------------------------------------------------------------------------
 * Plan
 */

/* Samples next to the end of a segment that feel what is beyond it. */
static size_t border_of(const tq_recording *recording, const tq_pass_plan *plan)
{
    const double late = ceil(fabs(recording->options->delay) / recording->step);
    const size_t reach =
        plan->filter.n > 0 ? tq_filter_decay_length(&plan->filter, unfelt) + (size_t)late : 0;
    return reach > plan->least_border ? reach : plan->least_border;
}

/* Cut-offs of single joints. */
static tq_status design_own(const tq_recording *recording, tq_pass_plan *plan,
                            tq_recording_fault *ret_fault)
{
    const tq_recording_filter *filter = &recording->options->filter;
    const double rate = 1.0 / recording->step;
    double slowest = filter->cutoff;
    tq_pass_plan own = *plan;
    if (!tq_recording_has_own(recording)) {
        return TQ_OK;
    }
    for (size_t r = 0; r < recording->options->model->nv; r++) {
        plan->n_own += filter->own[r] < filter->cutoff ? 1 : 0;
        slowest = fmin(slowest, filter->own[r]);
    }
    if (tq_filter_butterworth(filter->order, slowest, rate, &own.filter, NULL) != TQ_OK) {
        return tq_recording_refuse(ret_fault, TQ_FAULT_CUTOFF, TQ_NONE, rate, 0.0);
    }
    plan->context = tq_filter_settling_length(&own.filter);
    if (plan->context > CONTEXT_MAX) {
        return tq_recording_refuse(ret_fault, TQ_FAULT_FILTER_SLOW, TQ_NONE, rate, 0.0);
    }
    plan->own_border = border_of(recording, &own);
    return TQ_OK;
}

static tq_status design(const tq_recording *recording, tq_pass_plan *plan,
                        tq_recording_fault *ret_fault)
{
    const tq_recording_filter *filter = &recording->options->filter;
    const double rate = 1.0 / recording->step;
    tq_status status = TQ_OK;
    plan->least_border = tq_recording_border(recording);
    if (filter->kind == TQ_SMOOTHING_BUTTERWORTH) {
        status = tq_filter_butterworth(filter->order, filter->cutoff, rate, &plan->filter, NULL);
        plan->context = status == TQ_OK ? tq_filter_settling_length(&plan->filter) : 0;
    } else if (filter->kind == TQ_SMOOTHING_FIRST_ORDER) {
        status = tq_filter_first_order(filter->tau_f, rate, &plan->filter, NULL);
        plan->context = status == TQ_OK ? 2 * tq_filter_settling_length(&plan->filter) : 0;
    } else if (filter->kind == TQ_SMOOTHING_SAVITZKY_GOLAY) {
        plan->context = 2 * filter->window;
    }
    if (status != TQ_OK) {
        return tq_recording_refuse(ret_fault, TQ_FAULT_CUTOFF, TQ_NONE, rate, 0.0);
    }
    if (plan->context > CONTEXT_MAX) {
        return tq_recording_refuse(ret_fault, TQ_FAULT_FILTER_SLOW, TQ_NONE, rate, 0.0);
    }
    plan->border = border_of(recording, plan);
    return design_own(recording, plan, ret_fault);
}

/* The filter of rates of which parallel rows are functions. */
static void design_rates(const tq_recording *recording, tq_pass_plan *plan)
{
    const double cutoff = tq_recording_rate_cutoff(recording);
    const double rate = 1.0 / recording->step;
    plan->has_rates = isinf(cutoff);
    if (cutoff > 0.0 && isfinite(cutoff)) {
        plan->has_rates =
            tq_filter_butterworth(rates_order, cutoff, rate, &plan->rates, NULL) == TQ_OK;
        plan->context += plan->has_rates ? tq_filter_settling_length(&plan->rates) : 0;
    }
}

static size_t rows_of(const tq_recording *recording, const tq_pass_plan *plan)
{
    size_t room = NUMBERS_MAX / (recording->channels.n + 2);
    const size_t most = plan->kind == TQ_PASS_INSPECT ? ROWS_INSPECTED : ROWS_MAX;
    room = room > most ? most : room < ROWS_LEAST ? ROWS_LEAST : room;
    const size_t least = (recording->channels.n < WIDE ? 8 : 4) * plan->context;
    room = room < least ? least : room;
    if (recording->n_row > 0 && recording->n_row + TQ_SEGMENT_LEAST < room) {
        room = (size_t)recording->n_row + TQ_SEGMENT_LEAST;
    }
    return room;
}

static size_t scratch_size(const tq_pass_plan *plan)
{
    const size_t edge = plan->context < plan->n_uniform ? plan->context : plan->n_uniform;
    return tq_filter_zero_phase_size(plan->n_uniform, edge) +
           tq_smooth_scratch_size(TQ_SMOOTH_WINDOW_MAX);
}

static size_t size_of(const tq_recording *recording, const tq_pass_plan *plan)
{
    const size_t nq = recording->options->model->nq;
    const size_t nv = recording->options->model->nv;
    const size_t n_channel = recording->channels.n;
    const size_t n = plan->n_uniform;
    const tq_parallel_rows *parallel = plan->parallel;
    const size_t n_parallel = parallel != NULL ? parallel->n : 0;
    size_t size = tq_scratch_cost(1, sizeof(tq_pass)) +
                  2 * tq_scratch_cost(plan->n_row, sizeof(double)) +
                  tq_scratch_cost(plan->n_row, sizeof(uint64_t)) + tq_scratch_cost(plan->n_row, 1) +
                  tq_scratch_cost(plan->n_row * n_channel, sizeof(double)) +
                  2 * tq_scratch_cost(n_channel, sizeof(double)) +
                  tq_scratch_cost(n * (n_channel + 1), sizeof(double)) +
                  tq_scratch_cost(n, sizeof(uint64_t)) + tq_scratch_cost(n, sizeof(tq_stencil));
    if (plan->kind == TQ_PASS_BLOCKS) {
        size += tq_scratch_cost(n * (nv + 1), sizeof(double)) +
                2 * tq_scratch_cost(n * (2 * nv + 1), sizeof(double)) +
                tq_scratch_cost((nq + 7 * nv + n_parallel + 1) * TQ_BLOCK, sizeof(double)) +
                tq_scratch_cost(3 * plan->n_own * n, sizeof(double)) +
                tq_scratch_cost(scratch_size(plan), 1);
    }
    if (parallel != NULL) {
        size += tq_scratch_cost(plan->has_rates ? n * nv : 0, sizeof(double)) +
                tq_scratch_cost(n * n_parallel, sizeof(double)) + parallel->size(parallel->of, n);
    }
    return size;
}

tq_status tq_pass_prepare(const tq_recording *recording, tq_pass_kind kind,
                          const tq_parallel_rows *parallel, tq_pass_plan *ret,
                          tq_recording_fault *ret_fault)
{
    const tq_recording_options *options = recording->options;
    const double late = fabs(options->delay) / recording->step;
    *ret = (tq_pass_plan){.kind = kind};
    *ret_fault = (tq_recording_fault){0};
    if (kind == TQ_PASS_BLOCKS && recording->channels.has[TQ_QUANTITY_TAU] &&
        options->filter.kind != TQ_SMOOTHING_NONE) {
        ret->parallel = parallel;
    }
    if (kind == TQ_PASS_BLOCKS) {
        const tq_status status = design(recording, ret, ret_fault);
        if (status != TQ_OK) {
            return status;
        }
    }
    if (ret->parallel != NULL) {
        design_rates(recording, ret);
    }
    if (!(late <= fmax(delay_most, delay_most_s / recording->step))) {
        return tq_recording_refuse(ret_fault, TQ_FAULT_DELAY, TQ_NONE, late, 0.0);
    }
    if (kind == TQ_PASS_BLOCKS) {
        if (late > delay_most) { /* no motion corresponds to the torque at the ends */
            ret->border += (size_t)ceil(late);
            ret->own_border += ret->n_own > 0 ? (size_t)ceil(late) : 0;
            ret->least_border += (size_t)ceil(late);
        }
        ret->context += 4 + (size_t)ceil(late);        /* two differences at the ends */
        if (ret->context < options->filter.decimate) { /* displacement since the previous emitted
                                                          sample */
            ret->context = options->filter.decimate;
        }
    }
    ret->n_row = rows_of(recording, ret);
    /* bridged gaps and a finer grid give more samples than rows */
    const double more = fmax(1.0, recording->period / recording->step);
    const size_t n = (size_t)(1.5 * more * (double)ret->n_row) + 64 +
                     (size_t)ceil(recording->gap / recording->step);
    ret->n_uniform = (n + 7) / 8 * 8;
    ret->size = size_of(recording, ret);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Pass
 */

static bool take_window(tq_pass *p, tq_scratch *memory)
{
    const size_t n_channel = p->recording->channels.n;
    p->room = p->plan.n_row;
    p->n_uniform = p->plan.n_uniform;
    p->context = p->plan.context;
    p->t = tq_scratch_take(memory, p->room, sizeof *p->t);
    p->row = tq_scratch_take(memory, p->room, sizeof *p->row);
    p->bad = tq_scratch_take(memory, p->room, 1);
    p->work = tq_scratch_take(memory, p->room, sizeof *p->work);
    p->values = tq_scratch_take(memory, p->room * n_channel, sizeof *p->values);
    p->turns = tq_scratch_take(memory, n_channel, sizeof *p->turns);
    p->current = tq_scratch_take(memory, n_channel, sizeof *p->current);
    p->even = tq_scratch_take(memory, p->n_uniform * (n_channel + 1), sizeof *p->even);
    p->even_row = tq_scratch_take(memory, p->n_uniform, sizeof *p->even_row);
    p->stencils = tq_scratch_take(memory, p->n_uniform, sizeof *p->stencils);
    for (size_t c = 0; p->turns != NULL && c < n_channel; c++) {
        p->turns[c] = 0.0;
    }
    return p->t != NULL && p->row != NULL && p->bad != NULL && p->work != NULL &&
           p->values != NULL && p->turns != NULL && p->current != NULL && p->even != NULL &&
           p->even_row != NULL && p->stencils != NULL;
}

static bool take_filter(tq_pass *p, tq_scratch *memory)
{
    const size_t nq = p->options->model->nq;
    const size_t nv = p->options->model->nv;
    const tq_parallel_rows *parallel = p->plan.parallel;
    if (p->plan.kind == TQ_PASS_INSPECT) {
        return true;
    }
    p->gives_way = tq_recording_gives_displacement(p->recording);
    if (parallel != NULL) { /* the parallel rows keep displacements in their state */
        p->gives_way = false;
        p->n_parallel = parallel->n;
        p->parallel = tq_scratch_take(memory, p->n_parallel * p->n_uniform, sizeof *p->parallel);
        p->rates =
            p->plan.has_rates ? tq_scratch_take(memory, nv * p->n_uniform, sizeof *p->rates) : NULL;
        p->parallel_state = parallel->begin(parallel->of, p->n_uniform, memory);
        if ((p->plan.has_rates && p->rates == NULL) || p->parallel == NULL ||
            p->parallel_state == NULL) {
            return false;
        }
    }
    p->raw_tau = tq_scratch_take(memory, p->n_uniform * (nv + 1), sizeof *p->raw_tau);
    p->derived = tq_scratch_take(memory, p->n_uniform * (2 * nv + 1), sizeof *p->derived);
    p->fast = tq_scratch_take(memory, p->n_uniform * (2 * nv + 1), sizeof *p->fast);
    p->block =
        tq_scratch_take(memory, (nq + 7 * nv + p->n_parallel + 1) * TQ_BLOCK, sizeof *p->block);
    p->own = p->plan.n_own > 0
                 ? tq_scratch_take(memory, 3 * p->plan.n_own * p->n_uniform, sizeof *p->own)
                 : NULL;
    p->memory_size = scratch_size(&p->plan);
    p->memory = tq_scratch_take(memory, p->memory_size, 1);
    return p->raw_tau != NULL && p->derived != NULL && p->fast != NULL && p->block != NULL &&
           p->memory != NULL && (p->own != NULL || p->plan.n_own == 0);
}

tq_status tq_pass_begin(tq_recording *recording, const tq_pass_plan *plan, tq_block_sink *sink,
                        void *ctx, tq_scratch *memory, tq_pass **ret, tq_error *reterr)
{
    tq_pass *p = tq_scratch_take(memory, 1, sizeof *p);
    if (p == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)plan->size);
    }
    *p = (tq_pass){.recording = recording,
                   .options = recording->options,
                   .plan = *plan,
                   .sink = sink,
                   .ctx = ctx};
    if (!take_window(p, memory) || !take_filter(p, memory)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)plan->size);
    }
    memset(recording->repairs, 0, sizeof recording->repairs);
    recording->n_sample = recording->n_segment = recording->n_rest = recording->n_border = 0;
    recording->n_braked = recording->n_short_segment = 0;
    recording->longest_gap = 0.0;
    for (uint64_t k = 0; k < TQ_REPAIR_ROWS && k < recording->n_unpaired; k++) {
        tq_recording_note(recording, TQ_REPAIR_UNPAIRED, recording->n_row + k);
    }
    recording->repairs[TQ_REPAIR_UNPAIRED].n = recording->n_unpaired;
    *ret = p;
    return TQ_OK;
}

tq_status tq_pass_push(tq_pass *p, const tq_raw_rows *rows)
{
    const tq_recording *recording = p->recording;
    const bool inspects = p->plan.kind == TQ_PASS_INSPECT;
    size_t at = 0;
    while (at < rows->n && !p->has_uniform) {
        const uint64_t row = rows->row[at];
        if (inspects && recording->moves && row < recording->first_moving) {
            at++; /* the spectrum is that of motion: rows at rest before it are skipped */
            continue;
        }
        if (p->has_before && row != p->before + 1 && !tq_clean_flush(p, true)) {
            return TQ_ERR_STOPPED;
        }
        if (!tq_clean_rows(p, rows, &at)) {
            return TQ_ERR_STOPPED;
        }
        p->before = rows->row[at - 1];
        p->has_before = true;
    }
    return TQ_OK;
}

tq_status tq_pass_end(tq_pass *p)
{
    if (p->has_uniform) {
        return TQ_OK;
    }
    const bool good =
        tq_clean_flush(p, true) && (p->plan.kind == TQ_PASS_INSPECT || tq_emit_block(p));
    return good ? TQ_OK : TQ_ERR_STOPPED;
}

const tq_uniform *tq_pass_uniform(const tq_pass *p)
{
    return p->has_uniform ? &p->uniform : NULL;
}
