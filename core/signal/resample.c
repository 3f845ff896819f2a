/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/resample.c - a window of rows onto an even clock, filtered, differentiated, cut to
 * the motion, given away in blocks. */
#include "core/signal/pass_private.h"

#include <math.h>
#include <string.h>

#include "core/signal/differentiate.h"

enum { CONTEXT_MAX = 65536 }; /* samples that a filter looks to either side */

bool tqa_resample_reaches(const tqa_recording *log)
{
    const double late = fabs(log->request->delay) / log->step;
    const tqa_value where = tqa_recording_place(log, "delay_s", NULL);
    return late <= 4.0 ||
           tqa_value_refuse(&where, "range", "shift the log's columns by whole rows first",
                            "\"%.60s\": a delay of more than 4 samples of %.6g s", log->name,
                            log->step);
}

size_t tqa_recording_border(const tqa_recording *log)
{
    const tqa_recording_filter *filter = &log->request->filter;
    double n = 0.0;
    switch (filter->kind) {
    case TQA_RECORDING_BUTTERWORTH:
        n = 1.0 / (filter->cutoff * log->step);
        break;
    case TQA_RECORDING_FIRST_ORDER:
        n = 2.0 * 3.14159265358979323846 * filter->tau_f / log->step;
        break;
    case TQA_RECORDING_SAVITZKY_GOLAY:
        n = floor(0.5 * (double)filter->window);
        break;
    case TQA_RECORDING_NO_FILTER:
        break;
    }
    /* upwards, but not for what rounding of a log's times adds to a whole number */
    return (size_t)fmin(ceil(n - 0.01) + ceil(fabs(log->request->delay) / log->step), 1e15);
}

/* The filter looks further than is kept. */
static bool refuse_slow(const tqa_recording *log, double rate)
{
    static const char *const fields[] = {
        [TQA_RECORDING_BUTTERWORTH] = "cutoff_hz",
        [TQA_RECORDING_SAVITZKY_GOLAY] = "window",
        [TQA_RECORDING_FIRST_ORDER] = "tau_f_s",
        [TQA_RECORDING_NO_FILTER] = "kind",
    };
    const tqa_recording_filter *filter = &log->request->filter;
    const bool is_thinned = filter->is_auto && filter->decimate > 1;
    const tqa_value where =
        tqa_recording_place(log, "filter", is_thinned ? "decimate" : fields[filter->kind]);
    return tqa_value_refuse(&where, "range",
                            filter->kind == TQA_RECORDING_FIRST_ORDER ? "0.001 to 0.05 s, say"
                            : is_thinned                              ? "keep more of the samples"
                                                                      : "choose a higher cut-off",
                            "\"%.60s\": the filter is too slow for %.6g samples in a second",
                            log->name, rate);
}

bool tqa_resample_filter(tqa_recording_pass_state *p)
{
    const tqa_recording_request *request = p->log->request;
    const tqa_recording_filter *filter = &request->filter;
    const double rate = 1.0 / p->log->step;
    tq_error error = {0};
    tq_status status = TQ_OK;
    p->context = 0;
    p->border = tqa_recording_border(p->log);
    if (filter->kind == TQA_RECORDING_BUTTERWORTH) {
        status = tq_filter_butterworth(filter->order, filter->cutoff, rate, &p->filter, &error);
        p->context = status == TQ_OK ? tq_filter_settling_length(&p->filter) : 0;
    } else if (filter->kind == TQA_RECORDING_FIRST_ORDER) {
        status = tq_filter_first_order(filter->tau_f, rate, &p->filter, &error);
        p->context = status == TQ_OK ? 2 * tq_filter_settling_length(&p->filter) : 0;
    } else if (filter->kind == TQA_RECORDING_SAVITZKY_GOLAY) {
        p->context = 2 * filter->window;
    }
    if (status != TQ_OK) {
        const tqa_value where = tqa_recording_place(p->log, "filter", "cutoff_hz");
        return tqa_value_refuse(&where, "range", "choose a lower cut-off",
                                "\"%.60s\" has %.6g samples in a second: the cut-off must lie "
                                "below %.6g Hz",
                                p->log->name, rate, 0.5 * rate);
    }
    if (p->context > CONTEXT_MAX) {
        return refuse_slow(p->log, rate);
    }
    if (!tqa_resample_reaches(p->log)) {
        return false;
    }
    const double late = fabs(request->delay) / p->log->step;
    p->context += 4 + (size_t)ceil(late); /* differences at the ends, twice */
    if (p->context < filter->decimate) {  /* the way since the sample given before */
        p->context = filter->decimate;
    }
    return true;
}

bool tqa_resample_open(tqa_recording_pass_state *p)
{
    const tqa_recording_request *request = p->log->request;
    const size_t nq = request->order->nq;
    const size_t nv = request->order->nv;
    /* gaps that are bridged, and a faster even clock, make more samples than rows */
    const double more = fmax(1.0, p->log->period / p->log->step);
    const size_t n =
        (size_t)(1.5 * more * (double)p->room) + 64 + (size_t)ceil(p->log->gap / p->log->step);
    p->n_even_room = (n + 7) / 8 * 8;
    if (tqa_resample_has(p, TQA_RECORDING_TAU) &&
        !tqa_friction_rows_open(&p->shapes, p->log, p->n_even_room, p->rooms)) {
        return false;
    }
    const size_t edge = p->context < p->n_even_room ? p->context : p->n_even_room;
    p->even =
        tqa_buffer_pool_take(p->rooms, p->n_even_room * (p->log->n_channel + 1) * sizeof(double));
    p->raw_tau = tqa_buffer_pool_take(p->rooms, p->n_even_room * (nv + 1) * sizeof(double));
    p->derived = tqa_buffer_pool_take(p->rooms, p->n_even_room * (2 * nv + 1) * sizeof(double));
    p->even_row = tqa_buffer_pool_take(p->rooms, p->n_even_room * sizeof *p->even_row);
    p->stencils = tqa_buffer_pool_take(p->rooms, p->n_even_room * sizeof *p->stencils);
    p->fast = tqa_buffer_pool_take(p->rooms, p->n_even_room * (2 * nv + 1) * sizeof(double));
    p->block =
        tqa_buffer_pool_take(p->rooms, (nq + 7 * nv + p->shapes.n + 1) * TQ_BLOCK * sizeof(double));
    p->memory_size = tq_filter_zero_phase_size(p->n_even_room, edge) +
                     tq_smooth_scratch_size(TQ_SMOOTH_WINDOW_MAX);
    p->memory = tqa_buffer_pool_take(p->rooms, p->memory_size);
    return p->even != NULL && p->raw_tau != NULL && p->derived != NULL && p->fast != NULL &&
           p->stencils != NULL && p->even_row != NULL && p->block != NULL && p->memory != NULL;
}

void tqa_resample_close(tqa_recording_pass_state *p)
{
    tqa_buffer_pool_give(p->rooms, p->even);
    tqa_buffer_pool_give(p->rooms, p->raw_tau);
    tqa_buffer_pool_give(p->rooms, p->derived);
    tqa_buffer_pool_give(p->rooms, p->fast);
    tqa_friction_rows_close(&p->shapes, p->rooms);
    tqa_buffer_pool_give(p->rooms, p->even_row);
    tqa_buffer_pool_give(p->rooms, p->stencils);
    tqa_buffer_pool_give(p->rooms, p->block);
    tqa_buffer_pool_give(p->rooms, p->memory);
}

/* ------------------------------------------------------------------------------------------------
 * Samples away
 */

static bool give_block(tqa_recording_pass_state *p)
{
    const size_t nq = p->log->request->order->nq;
    const size_t nv = p->log->request->order->nv;
    if (p->n_block == 0) {
        return true;
    }
    double *qd = p->block + nq * TQ_BLOCK;
    double *tau = qd + 2 * nv * TQ_BLOCK;
    const size_t n_row = nq + (tqa_resample_has(p, TQA_RECORDING_TAU) ? 7 : 2) * nv + p->shapes.n;
    tq_block_pad(p->block, n_row, TQ_BLOCK, p->n_block);
    const tqa_recording_block block = {
        .data = {.n_sample = p->n_block,
                 .stride = TQ_BLOCK,
                 .q = p->block,
                 .qd = qd,
                 .qdd = qd + nv * TQ_BLOCK,
                 .tau = tqa_resample_has(p, TQA_RECORDING_TAU) ? tau : NULL,
                 .tau_raw = tqa_resample_has(p, TQA_RECORDING_TAU) ? tau + nv * TQ_BLOCK : NULL,
                 .fast = tqa_resample_has(p, TQA_RECORDING_TAU) ? tau + 2 * nv * TQ_BLOCK : NULL,
                 .way = p->shapes.gives_way ? tau + 4 * nv * TQ_BLOCK : NULL,
                 .period = p->log->step * (double)p->log->request->filter.decimate,
                 .begins = p->begins,
                 .shape = p->shapes.n > 0 ? tau + 5 * nv * TQ_BLOCK : NULL},
        .t = p->block_t,
        .row = p->block_row,
    };
    p->n_block = 0;
    p->begins = false;
    return p->sink(p->ctx, &block);
}

/* numbers picks (n) of x, one behind another */
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

/* What row r has gone since the sample that was given before. */
static void give_way(const tqa_recording_pass_state *p, size_t r, size_t n, const uint32_t *picks,
                     double *ret)
{
    const double *way = p->derived + r * p->n_even_room;
    const size_t every = p->log->request->filter.decimate;
    if (!p->shapes.gives_way) {
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

/* Samples picks (n) of the window go behind those of the block. */
static bool give_picked(tqa_recording_pass_state *p, uint64_t lowest, size_t n,
                        const uint32_t *picks)
{
    const size_t nq = p->log->request->order->nq;
    const size_t nv = p->log->request->order->nv;
    const size_t room = p->n_even_room;
    double *to = p->block + p->n_block;
    if (n == 0) {
        return true;
    }
    for (size_t r = 0; r < nq; r++, to += TQ_BLOCK) {
        gather(n, picks, tqa_resample_channel(p, TQA_RECORDING_Q, r), to);
    }
    for (size_t r = 0; r < nv; r++, to += TQ_BLOCK) {
        gather(n, picks,
               tqa_resample_has(p, TQA_RECORDING_QD) ? tqa_resample_channel(p, TQA_RECORDING_QD, r)
                                                     : p->derived + r * room,
               to);
    }
    for (size_t r = 0; r < nv; r++, to += TQ_BLOCK) {
        gather(n, picks,
               tqa_resample_has(p, TQA_RECORDING_QDD)
                   ? tqa_resample_channel(p, TQA_RECORDING_QDD, r)
                   : p->derived + (nv + r) * room,
               to);
    }
    for (size_t r = 0; tqa_resample_has(p, TQA_RECORDING_TAU) && r < nv; r++, to += TQ_BLOCK) {
        gather(n, picks, tqa_resample_channel(p, TQA_RECORDING_TAU, r), to);
        gather(n, picks, p->raw_tau + r * room, to + nv * TQ_BLOCK);
        gather(n, picks, p->fast + r * room, to + 2 * nv * TQ_BLOCK);
        gather(n, picks, p->fast + (nv + r) * room, to + 3 * nv * TQ_BLOCK);
        give_way(p, r, n, picks, to + 4 * nv * TQ_BLOCK);
    }
    to += tqa_resample_has(p, TQA_RECORDING_TAU) ? 4 * nv * TQ_BLOCK : 0;
    for (size_t r = 0; r < p->shapes.n; r++, to += TQ_BLOCK) {
        gather(n, picks, p->shapes.rows + r * room, to);
    }
    for (size_t i = 0; i < n; i++) {
        p->block_t[p->n_block + i] = p->segment_t + (double)(lowest + picks[i]) * p->log->step;
        p->block_row[p->n_block + i] = p->even_row[picks[i]];
    }
    p->log->n_sample += n;
    p->n_block += n;
    return p->n_block < TQ_BLOCK || give_block(p);
}

bool tqa_resample_end(tqa_recording_pass_state *p)
{
    return p->sink == NULL || give_block(p);
}

/* the row of the file that each even sample lies nearest to */
static void find_rows(tqa_recording_pass_state *p, size_t from, size_t end, double first, size_t m)
{
    size_t i = from;
    for (size_t k = 0; k < m; k++) {
        const double now = first + (double)k * p->log->step;
        while (i + 1 < end && fabs(p->t[i + 1] - now) <= fabs(p->t[i] - now)) {
            i++;
        }
        p->even_row[k] = p->row[i];
    }
}

static bool give_samples(tqa_recording_pass_state *p, uint64_t lowest, size_t m, bool ends)
{
    tqa_recording *log = p->log;
    const uint64_t end = lowest + (ends ? m : m > p->context ? m - p->context : 0);
    const uint64_t sure = ends ? (lowest + m > p->border ? lowest + m - p->border : 0) : end;
    const uint64_t every = log->request->filter.decimate;
    const uint64_t begin = p->next > lowest ? p->next : lowest;
    uint64_t wanted = (begin + every - 1) / every * every; /* the next that is used */
    uint32_t picks[TQ_BLOCK];
    size_t n_pick = 0;
    for (uint64_t k = begin; k < end; k++) {
        const size_t i = (size_t)(k - lowest);
        const bool is_wanted = k == wanted;
        wanted += is_wanted ? every : 0;
        if (log->moves &&
            (p->even_row[i] < log->first_moving || p->even_row[i] > log->last_moving)) {
            log->n_rest++;
            continue;
        }
        if (k < p->border || k >= sure) {
            log->n_border++;
            continue;
        }
        if (!is_wanted) {
            continue;
        }
        picks[n_pick++] = (uint32_t)i;
        if (p->n_block + n_pick == TQ_BLOCK) {
            if (!give_picked(p, lowest, n_pick, picks)) {
                return false;
            }
            n_pick = 0;
        }
    }
    p->next = end > p->next ? end : p->next;
    return give_picked(p, lowest, n_pick, picks);
}

/* Rows [from, end) lie on the even clock already, to a millionth of a step from the first row to
 * the last, and nothing is to be shifted. */
static bool is_as_logged(const tqa_recording_pass_state *p, size_t from, size_t end, size_t m)
{
    const tqa_recording *log = p->log;
    const double off = fabs(log->step - log->period) * (double)log->n_row;
    return log->is_even && off <= 1e-6 * log->step && log->request->delay == 0.0 &&
           end - from == m && p->row[end - 1] - p->row[from] == m - 1;
}

/* Rows [from, end) at m even times from `first` on. */
static void resample(tqa_recording_pass_state *p, size_t from, size_t end, double first, size_t m)
{
    const tqa_recording *log = p->log;
    const size_t n_motion = tqa_resample_has(p, TQA_RECORDING_TAU)
                                ? log->first_channel[TQA_RECORDING_TAU]
                                : log->n_channel;
    tq_resample_cubic(end - from, p->t + from, first + log->request->delay, log->step, m,
                      p->stencils);
    for (size_t c = 0; c < log->n_channel; c++) {
        if (c == n_motion) { /* motors and their sensors are noisy, encoders are not */
            tq_resample_linear(end - from, p->t + from, first, log->step, m, p->stencils);
        }
        tq_resample(m, p->stencils, p->values + c * p->room + from, p->even + c * p->n_even_room);
    }
}

bool tqa_resample_take(tqa_recording_pass_state *p, size_t from, size_t end, bool ends)
{
    tqa_recording *log = p->log;
    const double h = log->step;
    if (!p->in_segment) {
        if (p->look == NULL && !give_block(p)) {
            return false;
        }
        p->begins = true;
        p->in_segment = true;
        p->segment_t = p->t[from];
        p->next = 0;
        p->shapes.follows = false;
        log->n_segment++;
    }
    const double since = (p->t[from] - p->segment_t) / h;
    const double until = (p->t[end - 1] - p->segment_t) / h;
    const uint64_t lowest = (uint64_t)ceil(since - 1e-6);
    const double count = floor(until + 1e-6) - (double)lowest + 1.0;
    if (end - from < 4 || !(count >= 4.0)) {
        return true;
    }
    const size_t m = count < (double)p->n_even_room ? (size_t)count : p->n_even_room;
    const double first = p->segment_t + (double)lowest * h;
    if (is_as_logged(p, from, end, m)) {
        for (size_t c = 0; c < log->n_channel; c++) {
            memcpy(p->even + c * p->n_even_room, p->values + c * p->room + from,
                   m * sizeof(double));
        }
        memcpy(p->even_row, p->row + from, m * sizeof *p->even_row);
    } else {
        resample(p, from, end, first, m);
        find_rows(p, from, end, first, m);
    }
    if (p->look != NULL) {
        if (p->has_looked || m < 64) {
            return true;
        }
        p->has_looked = true;
        const tqa_resample even = {.n = m, .stride = p->n_even_room, .channels = p->even};
        return p->look(p->ctx, &even);
    }
    tqa_resample_filter_rows(p, lowest, m);
    return give_samples(p, lowest, m, ends);
}
