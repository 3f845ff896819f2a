/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/stream.c - experiments reduced to triangles, one run of samples at a
 * time. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/base/fpmode.h"
#include "core/identify/delay.h"
#include "core/identify/friction_regressor.h"
#include "core/identify/regression/fit_private.h"
#include "core/identify/regression/triangle.h"

static const double huber_bend = 1.345; /* 95 % efficiency on normal noise; Huber, 1964 */

enum { SEGMENT_LEAST = 32 }; /* samples */

struct tq_fit_stream {
    tq_fit *fit;
    tq_fit_experiment *experiment;
    tq_fit_run run;
    size_t n_run;       /* samples in the run */
    size_t n_segment;   /* samples of the current segment, those in the run included */
    size_t n_folded;    /* samples folded into the lanes */
    tq_fit_delay delay; /* with instruments */
    double *lanes;      /* (set_size x TQ_FOLD_LANES) triangles of the current segment */
    double *triangle;   /* (width^2 of the widest row) */
};

size_t tq_fit_stream_size(const tq_fit *fit)
{
    const size_t n = tq_fit_width(fit);
    return tq_scratch_cost(1, sizeof(tq_fit_stream)) +
           tq_scratch_cost(fit->set_size * TQ_FOLD_LANES, sizeof(double)) +
           tq_scratch_cost(n * n, sizeof(double)) + tq_fit_run_size(fit) +
           (tq_fit_has_instruments(fit) ? tq_fit_delay_size(fit) : 0);
}

tq_status tq_fit_begin(tq_fit *fit, size_t experiment, size_t n_sample, tq_scratch *scratch,
                       tq_fit_stream **ret_stream, tq_error *reterr)
{
    if (experiment >= fit->n_experiment) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "experiment", experiment, (double)fit->n_experiment);
    }
    const size_t n = tq_fit_width(fit);
    tq_fit_stream *stream = tq_scratch_take(scratch, 1, sizeof *stream);
    double *lanes = tq_scratch_take(scratch, fit->set_size * TQ_FOLD_LANES, sizeof *lanes);
    double *triangle = tq_scratch_take(scratch, n * n, sizeof *triangle);
    if (stream == NULL || lanes == NULL || triangle == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_stream_size(fit));
    }
    *stream = (tq_fit_stream){.fit = fit,
                              .experiment = &fit->experiments[experiment],
                              .lanes = lanes,
                              .triangle = triangle};
    memset(lanes, 0, fit->set_size * TQ_FOLD_LANES * sizeof *lanes);
    const size_t length = (n_sample + fit->segment_max - 1) / fit->segment_max;
    stream->experiment->n_sample = 0;
    stream->experiment->n_segment = 0;
    memset(stream->experiment->fast, 0, fit->n_row * sizeof *stream->experiment->fast);
    stream->experiment->length = fit->searches            ? SIZE_MAX
                                 : length < SEGMENT_LEAST ? (size_t)SEGMENT_LEAST
                                                          : length;
    tq_status status = tq_fit_run_take(fit, scratch, &stream->run, reterr);
    if (status == TQ_OK && tq_fit_has_instruments(fit)) {
        status = tq_fit_delay_take(fit, scratch, &stream->delay, reterr);
    }
    if (status == TQ_OK) {
        *ret_stream = stream;
    }
    return status;
}

/* Huber: a row of a sample has the weight bend / |residual| beyond the bend */
static void weigh(const tq_fit *fit, double *values, size_t n)
{
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        for (size_t i = 0; i < n; i++) {
            double residual = values[row->offset[row->n] + (int64_t)i];
            for (size_t c = 0; c < row->n; c++) {
                residual -= values[row->offset[c] + (int64_t)i] * fit->huber[row->column[c]];
            }
            const double size = fabs(residual) * fit->weight[r];
            if (size > huber_bend) {
                const double factor = sqrt(huber_bend / size);
                for (size_t c = 0; c <= row->n; c++) {
                    values[row->offset[c] + (int64_t)i] *= factor;
                }
            }
        }
    }
}

static bool is_known(const tq_fit_experiment *experiment, size_t r)
{
    return experiment->row_is_used == NULL || experiment->row_is_used[r];
}

void tq_fit_use_rows(tq_fit *fit, size_t experiment, const bool *row_is_used)
{
    fit->experiments[experiment].row_is_used = row_is_used;
}

static void fold(tq_fit_stream *stream, double *values, const int64_t *offset, size_t n)
{
    const tq_fit *fit = stream->fit;
    const tq_fpmode mode = tq_fpmode_enter();
    const tq_kernels *kernels = tq_kernels_for(TQ_FOLD_RUN);
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        if (is_known(stream->experiment, r)) {
            kernels->fold((long)row->width, offset != NULL ? offset : row->offset, values,
                          stream->lanes + row->triangle * TQ_FOLD_LANES);
        }
        offset = offset != NULL ? offset + row->width : NULL;
    }
    tq_fpmode_leave(mode);
    stream->experiment->n_sample += n;
    stream->n_folded += n;
}

static tq_status flush_delayed(tq_fit_stream *stream, const double *load, tq_error *reterr)
{
    size_t n = 0;
    tq_fit_delay_put(&stream->delay, &stream->run, stream->n_run);
    tq_status status = tq_fit_delay_next(&stream->delay, load, &n, reterr);
    while (status == TQ_OK && n > 0) {
        fold(stream, stream->delay.now.values, stream->delay.offset, n);
        status = tq_fit_delay_next(&stream->delay, load, &n, reterr);
    }
    return status;
}

static tq_status flush(tq_fit_stream *stream, tq_error *reterr)
{
    const tq_fit *fit = stream->fit;
    const size_t n = stream->n_run;
    if (n == 0) {
        return TQ_OK;
    }
    const double *load = fit->has_load ? fit->load : NULL;
    tq_fit_run_signs(fit, &stream->run, n);
    if (tq_fit_has_instruments(fit)) {
        const tq_status status = flush_delayed(stream, load, reterr);
        stream->n_run = 0;
        return status;
    }
    const tq_status status = tq_fit_run_compute(fit, &stream->run, n, load, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (fit->weighs) {
        weigh(fit, stream->run.values, n);
    }
    fold(stream, stream->run.values, NULL, n);
    stream->n_run = 0;
    return TQ_OK;
}

/* set += triangles of the lanes, which are destroyed */
static void gather_lanes(tq_fit_stream *stream,
                         double *set) /* NOLINT(readability-non-const-parameter) */
{
    const tq_fit *fit = stream->fit;
    for (size_t r = 0; r < fit->n_row; r++) {
        const size_t n = fit->rows[r].width;
        tq_tsqr tsqr = {.n = n, .r = set + fit->rows[r].triangle};
        const double *lanes = stream->lanes + fit->rows[r].triangle * TQ_FOLD_LANES;
        for (size_t lane = 0; lane < TQ_FOLD_LANES; lane++) {
            for (size_t e = 0; e < n * n; e++) {
                stream->triangle[e] = lanes[e * TQ_FOLD_LANES + lane];
            }
            tq_tsqr_fold_triangle(&tsqr, stream->triangle);
        }
    }
    memset(stream->lanes, 0, fit->set_size * TQ_FOLD_LANES * sizeof *stream->lanes);
}

/* merges neighbouring segments in pairs, which frees half of the memory for segments */
static void merge_segments(tq_fit_stream *stream)
{
    const tq_fit *fit = stream->fit;
    tq_fit_experiment *e = stream->experiment;
    for (size_t s = 0; s < e->n_segment / 2; s++) {
        double *into = e->sets + s * fit->set_size;
        double *first = e->sets + 2 * s * fit->set_size;
        if (s > 0) {
            memcpy(into, first, fit->set_size * sizeof *into);
        }
        for (size_t r = 0; r < fit->n_row; r++) {
            tq_tsqr tsqr = {.n = fit->rows[r].width, .r = into + fit->rows[r].triangle};
            tq_tsqr_fold_triangle(&tsqr, first + fit->set_size + fit->rows[r].triangle);
        }
    }
    e->n_segment /= 2;
    e->length *= 2;
}

static tq_status end_segment(tq_fit_stream *stream, tq_error *reterr)
{
    const tq_status status = flush(stream, reterr);
    if (status != TQ_OK || stream->n_folded == 0) {
        stream->n_segment = 0;
        return status;
    }
    tq_fit_experiment *e = stream->experiment;
    if (e->n_segment == stream->fit->segment_max) {
        merge_segments(stream);
    }
    double *set = e->sets + e->n_segment * stream->fit->set_size;
    memset(set, 0, stream->fit->set_size * sizeof *set);
    gather_lanes(stream, set);
    e->n_segment++;
    stream->n_segment = stream->n_folded = 0;
    return TQ_OK;
}

static tq_status check_rows(const char *what, size_t n_row, const tq_experiment_block *block,
                            const double *rows, tq_error *reterr)
{
    const tq_kernels *kernels = tq_kernels_for(block->n_sample);
    const size_t whole = block->n_sample / TQ_BLOCK_PAD * TQ_BLOCK_PAD;
    if (whole == block->n_sample &&
        kernels->finite((long)n_row, (long)whole, (long)block->stride, rows)) {
        return TQ_OK;
    }
    for (size_t r = 0; r < n_row; r++) {
        const size_t i = tq_find_not_finite(rows + r * block->stride, block->n_sample);
        if (i < block->n_sample) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, what, i, rows[r * block->stride + i]);
        }
    }
    return TQ_OK;
}

static tq_status check_block(const tq_fit *fit, const tq_experiment_block *block, tq_error *reterr)
{
    if (block->n_sample == 0 || block->n_sample > block->stride) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_sample", 0, (double)block->n_sample);
    }
    tq_status status = check_rows("q", fit->mechanism->model.nq, block, block->q, reterr);
    if (status == TQ_OK) {
        status = check_rows("qd", fit->n_row, block, block->qd, reterr);
    }
    if (status == TQ_OK) {
        status = check_rows("qdd", fit->n_row, block, block->qdd, reterr);
    }
    if (status == TQ_OK) {
        status = check_rows("tau", fit->n_row, block, block->tau, reterr);
    }
    if (status == TQ_OK && block->fast != NULL) {
        status = check_rows("fast", 2 * fit->n_row, block, block->fast, reterr);
    }
    if (status == TQ_OK && block->way != NULL) {
        status = check_rows("way", fit->n_row, block, block->way, reterr);
    }
    if (status == TQ_OK && block->friction_rows != NULL) {
        status = check_rows("friction_rows", tq_friction_row_count(fit), block,
                            block->friction_rows, reterr);
    }
    return status;
}

static void add_fast(const tq_fit_stream *stream, const tq_experiment_block *block)
{
    if (block->fast == NULL || block->tau_raw == NULL) {
        return;
    }
    const size_t n_row = stream->fit->n_row;
    for (size_t r = 0; r < n_row; r++) {
        const double *a = block->fast + r * block->stride;
        if (!is_known(stream->experiment, r)) {
            continue;
        }
        tq_high_frequency_inertia_add(&stream->experiment->fast[r], block->n_sample, a,
                                      a + n_row * block->stride, block->tau + r * block->stride,
                                      block->tau_raw + r * block->stride);
        const double *below = block->qdd + r * block->stride;
        for (size_t i = 0; i < block->n_sample; i++) {
            stream->experiment->fast[r].below += below[i] * below[i];
        }
    }
}

tq_status tq_fit_push(tq_fit_stream *stream, const tq_experiment_block *block, tq_error *reterr)
{
    const tq_fit *fit = stream->fit;
    tq_status status = check_block(fit, block, reterr);
    if (status == TQ_OK) {
        add_fast(stream, block);
    }
    if (status == TQ_OK && block->begins) {
        status = flush(stream, reterr);
        tq_fit_run_forget(fit, &stream->run);
        if (tq_fit_has_instruments(fit)) {
            tq_fit_delay_forget(&stream->delay);
        }
    }
    for (size_t i = 0; status == TQ_OK && i < block->n_sample;) {
        const size_t left = block->n_sample - i;
        const size_t room = TQ_FOLD_RUN - stream->n_run;
        const size_t until = stream->experiment->length - stream->n_segment;
        size_t n = left < room ? left : room;
        n = n < until ? n : until;
        tq_fit_run_copy(fit, &stream->run, stream->n_run, block, i, n);
        stream->n_run += n;
        stream->n_segment += n;
        i += n;
        if (stream->n_segment == stream->experiment->length) {
            status = end_segment(stream, reterr);
        } else if (stream->n_run == TQ_FOLD_RUN) {
            status = flush(stream, reterr);
        }
    }
    return status;
}

/* samples of lost lanes become zero rows */
static void clear_lost(const tq_fit *fit, size_t n, const unsigned char *lost, double *values)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; lost[i] != 0 && k < fit->run_rows; k++) {
            values[k * TQ_FOLD_RUN + i] = 0.0;
        }
    }
}

tq_status tq_fit_push_instruments(tq_fit_stream *stream, const tq_experiment_block *block,
                                  const tq_experiment_block *instruments, const unsigned char *lost,
                                  tq_error *reterr)
{
    const tq_fit *fit = stream->fit;
    const size_t n = block->n_sample;
    tq_fit_run *now = &stream->delay.now;
    tq_fit_run *beside = &stream->delay.before;
    const double *load = fit->has_load ? fit->load : NULL;
    tq_status status = check_block(fit, block, reterr);
    if (status == TQ_OK && (!tq_fit_has_instruments(fit) || n > TQ_FOLD_RUN)) {
        status = tq_fail(reterr, TQ_ERR_SHAPE, "n_sample", 0, (double)n);
    }
    if (status != TQ_OK) {
        return status;
    }
    tq_fit_run_copy(fit, now, 0, block, 0, n);
    tq_fit_run_copy(fit, beside, 0, instruments, 0, n);
    if (!now->is_given) {
        tq_fit_run_rate_signs(fit, now, n);
    }
    if (!beside->is_given) {
        tq_fit_run_rate_signs(fit, beside, n);
    }
    status = tq_fit_run_compute(fit, now, n, load, reterr);
    if (status == TQ_OK) {
        status = tq_fit_run_compute(fit, beside, n, load, reterr);
    }
    if (status == TQ_OK) {
        clear_lost(fit, n, lost, now->values);
        clear_lost(fit, n, lost, beside->values);
        fold(stream, now->values, stream->delay.offset, n);
        stream->n_segment += n;
    }
    if (status == TQ_OK && stream->n_segment >= stream->experiment->length) {
        status = end_segment(stream, reterr);
    }
    return status;
}

tq_status tq_fit_end(tq_fit_stream *stream, tq_error *reterr)
{
    return end_segment(stream, reterr);
}
