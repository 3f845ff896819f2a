/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/recordings/test_recording.c - a recording processed in windows gives the same
 * result as the whole. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/recordings/recording.h"
#include "core/identify/friction_regressor.h"
#include "core/signal/differentiate.h"
#include "tests/support/host.h"
#include "tests/support/one_call.h"
#include "tests/support/random.h"
#include "tests/unit/api/recordings/recording_fixture.h"

enum { BORDER = 122 };

/* More than three windows of 65,536 rows: each is filtered together with the samples around it, so
 * that the result agrees with that of the whole signal to 1e-12, the filter's remaining transient.
 */
Test(log, windows_do_not_show)
{
    static fixture f;
    char *text = malloc(TEXT);
    double *q = malloc(ROWS * sizeof *q);
    double *qd = malloc(ROWS * sizeof *qd);
    double *qdd = malloc(ROWS * sizeof *qdd);
    const size_t n = write_csv(text, q, 0.0);
    open(&f, "{\"dataset\": \"log\", \"filter\": {\"cutoff_hz\": 20}}", text, n);
    taken got = room();
    cr_assert(tqa_recording_pass(&f.log, take, &got), "%s", f.problem.detail);
    cr_assert(f.log.signal.is_even);
    cr_assert(eq(u64, f.log.signal.n_segment, 1));
    /* SciPy: log(3e-3) / log of the largest pole of butter(4, 20, fs=1000) is 121.02 samples, 2.4
     * periods of the cut-off, left out at each end */
    cr_assert(eq(sz, got.n, ROWS - 2 * BORDER));
    cr_assert(eq(u64, f.log.signal.n_border, 2 * BORDER));
    cr_assert(eq(u64, f.log.signal.n_short_segment, 0));

    tq_filter filter;
    cr_assert(eq(int, tq_filter_butterworth(4, 20.0, 1.0 / h, &filter, NULL), TQ_OK));
    const size_t edge = tq_filter_settling_length(&filter);
    const size_t size = tq_filter_zero_phase_size(ROWS, edge);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    cr_assert(
        eq(int, tq_filter_zero_phase_rows(&filter, edge, ROWS, 1, q, ROWS, &scratch, NULL), TQ_OK));
    tq_difference(ROWS, q, h, qd);
    tq_difference(ROWS, qd, h, qdd);
    for (size_t i = 0; i < got.n; i++) {
        const size_t k = i + BORDER;
        cr_assert(eq(u64, got.row[i], k));
        cr_assert(epsilon_eq(dbl, got.t[i], h * (double)k, 1e-9));
        cr_assert(epsilon_eq(dbl, got.q[i], q[k], 1e-11), "sample %zu", k);
        /* central differences over 2 h, once and twice */
        cr_assert(epsilon_eq(dbl, got.qd[i], qd[k], 1e-8), "sample %zu", k);
        cr_assert(epsilon_eq(dbl, got.qdd[i], qdd[k], 1e-5), "sample %zu", k);
    }
    free(memory);
    clear(&got);
    close(&f);
    free(text);
    free(q);
    free(qd);
    free(qdd);
}

static void low_pass(double cutoff, tq_filter_ends ends, double *x)
{
    tq_filter filter;
    cr_assert(eq(int, tq_filter_butterworth(4, cutoff, 1.0 / h, &filter, NULL), TQ_OK));
    filter.ends = ends;
    const size_t edge = tq_filter_settling_length(&filter);
    const size_t size = tq_filter_zero_phase_size(ROWS, edge);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    cr_assert(
        eq(int, tq_filter_zero_phase_rows(&filter, edge, ROWS, 1, x, ROWS, &scratch, NULL), TQ_OK));
    free(memory);
}

/* the sign of friction along the whole recording, filtered: by the rate that has passed this
 * cut-off, or by the way that has passed the filter's */
static void whole_sign(const tq_fit *fit, double cutoff, double *q, double *qd, double *sign)
{
    double *way = calloc(ROWS, sizeof *way);
    double none = NAN;
    tq_difference(ROWS, q, h, qd);
    low_pass(cutoff, TQ_ENDS_EVEN, qd);
    low_pass(20.0, TQ_ENDS_ODD, q);
    for (size_t i = 1; i < ROWS; i++) {
        way[i] = q[i] - q[i - 1];
    }
    const tq_stretch all = {.n_sample = ROWS, .stride = ROWS, .qd = qd, .way = way, .period = h};
    tq_friction_regressor_compute(fit, &all, &none, sign);
    low_pass(20.0, TQ_ENDS_EVEN, sign);
    free(way);
}

/* The sign of friction passes the same filter as torque, at the recording's own rate before
 * decimation, and the friction state continues from window to window. */
Test(log, friction_is_filtered_as_torque_is)
{
    for (int yields = 0; yields < 2; yields++) {
        fixture f;
        char *text = malloc(TEXT);
        double *q = calloc(ROWS, sizeof *q);
        double *qd = calloc(ROWS, sizeof *qd);
        double *sign = calloc(ROWS, sizeof *sign);
        void *memory = NULL;
        cr_assert(text != NULL && q != NULL && qd != NULL && sign != NULL);
        const size_t n = write_csv_with_torque(text, q);
        open(&f, "{\"dataset\": \"log\", \"filter\": {\"cutoff_hz\": 20, \"decimate\": 3}}", text,
             n);
        tq_fit *fit = fit_of(&f, yields != 0, &memory);
        taken got = room();
        cr_assert(tqa_recording_pass(&f.log, take, &got), "%s", f.problem.detail);
        cr_expect(eq(dbl, got.friction_rows[got.n / 2], 0.0), "not requested");
        got.n = 0;
        f.request.fit = fit;
        cr_assert(tqa_recording_pass(&f.log, take, &got), "%s", f.problem.detail);
        cr_assert(gt(sz, got.n, (size_t)ROWS / 3 - BORDER));
        const double cutoff = tq_recording_rate_cutoff(&f.log.signal);
        cr_assert(gt(dbl, cutoff, 40.0)); /* no noise, but digits */
        cr_assert(le(dbl, cutoff, 80.0));
        whole_sign(fit, cutoff, q, qd, sign);
        double most = 0.0;
        for (size_t i = 0; i < got.n; i++) {
            /* velocities differ by 1e-8; the sign is smoothed over 0.05 */
            cr_assert(epsilon_eq(dbl, got.friction_rows[i], sign[got.row[i]], 1e-6), "sample %zu",
                      i);
            most = fmax(most, got.friction_rows[i]);
        }
        cr_expect(gt(dbl, most, 0.9));
        free(memory);
        clear(&got);
        close(&f);
        free(text);
        free(q);
        free(qd);
        free(sign);
    }
}

/* A clock with jitter of half a period: uniform samples are close to the true motion, in one
 * segment, each once. */
Test(log, a_jittering_clock_is_made_even)
{
    static fixture f;
    char *text = malloc(TEXT);
    double *q = malloc(ROWS * sizeof *q);
    const size_t n = write_csv(text, q, 1.0);
    open(&f, "{\"dataset\": \"log\", \"rate_hz\": 1000, \"filter\": {\"cutoff_hz\": 20}}", text, n);
    taken got = room();
    cr_assert(tqa_recording_pass(&f.log, take, &got), "%s", f.problem.detail);
    cr_assert(not(f.log.signal.is_even));
    cr_assert(eq(u64, f.log.signal.n_segment, 1));
    cr_assert(gt(sz, got.n, ROWS - 2 * BORDER - 10));
    for (size_t i = 1; i < got.n; i++) {
        cr_assert(epsilon_eq(dbl, got.t[i] - got.t[i - 1], h, 1e-9), "sample %zu", i);
    }
    cr_assert(le(dbl, got.t[got.n - 1], h * (double)ROWS));
    clear(&got);
    close(&f);
    free(text);
    free(q);
}

/* Decimation takes every fifth of the same samples. */
Test(log, decimation)
{
    static fixture f;
    char *text = malloc(TEXT);
    double *q = malloc(ROWS * sizeof *q);
    const size_t n = write_csv(text, q, 0.0);
    open(&f, "{\"dataset\": \"log\", \"filter\": {\"cutoff_hz\": 20, \"decimate\": 5}}", text, n);
    taken got = room();
    cr_assert(tqa_recording_pass(&f.log, take, &got), "%s", f.problem.detail);
    cr_assert(eq(sz, got.n, (ROWS - 250) / 5 + 1));
    for (size_t i = 0; i < got.n; i++) {
        cr_assert(eq(u64, got.row[i], 5 * i + 125));
    }
    clear(&got);
    close(&f);
    free(text);
    free(q);
}

/* Minutes at rest, then motion: its bandwidth is found, and the rest is left out. */
Test(log, begins_at_rest)
{
    static fixture f;
    char *text = malloc(TEXT);
    size_t n = (size_t)snprintf(text, TEXT, "t,q\n");
    for (size_t k = 0; k < ROWS; k++) {
        const double since = k < 150000 ? 0.0 : h * (double)(k - 150000);
        n += (size_t)snprintf(text + n, TEXT - n, "%.3f,%.6f\n", h * (double)k,
                              0.5 * sin(2.0 * M_PI * 0.8 * since));
    }
    open(&f, "{\"dataset\": \"log\"}", text, n);
    cr_assert(epsilon_eq(dbl, f.log.signal.bandwidth.motion, 0.8, 0.4), "%g",
              f.log.signal.bandwidth.motion);
    taken got = room();
    cr_assert(tqa_recording_pass(&f.log, take, &got), "%s", f.problem.detail);
    /* in runs of 32 rows */
    cr_assert(ge(u64, got.row[0], 150000 - 64));
    cr_assert(gt(u64, f.log.signal.n_rest, 149000));
    clear(&got);
    close(&f);
    free(text);
}

static size_t cut_lines(const char *text, size_t n)
{
    size_t length = 0;
    for (size_t lines = 0; lines <= n; length++) {
        lines += text[length] == '\n';
    }
    return length;
}

/* alone too: its windows are as long as the recording, so that slow motion is resolved */
Test(log, seconds_of_a_motion_choose_the_cutoff_of_minutes)
{
    char *text = malloc(TEXT);
    double *q = calloc(ROWS, sizeof *q);
    cr_assert(text != NULL && q != NULL);
    const size_t n = write_csv(text, q, 0.0);
    fixture whole;
    open(&whole, "{\"dataset\": \"log\"}", text, n);
    const double by_minutes = whole.request.options.filter.cutoff;
    static const size_t seconds[] = {4, 6, 10, 15};
    for (size_t k = 0; k < sizeof seconds / sizeof seconds[0]; k++) {
        fixture part;
        open(&part, "{\"dataset\": \"log\"}", text, cut_lines(text, 1000 * seconds[k]));
        /* 1.2 Hz; a window of 4 s widens a line by half a hertz on both sides */
        const double cutoff = part.request.options.filter.cutoff;
        cr_expect(all(ge(dbl, cutoff, 10.0), le(dbl, cutoff, 1.5 * by_minutes)),
                  "%zu s: %g Hz, all of it %g Hz", seconds[k], cutoff, by_minutes);
        close(&part);
    }
    close(&whole);
    free(q);
    free(text);
}

/* 0.8 s of the same motion together with 200 s of it: a resolution that is too coarse does not
 * count as fast motion */
Test(log, a_short_log_does_not_raise_the_cutoff)
{
    enum { SHORT = 800 };
    char *text = malloc(TEXT);
    double *q = calloc(ROWS, sizeof *q);
    cr_assert(text != NULL && q != NULL);
    const size_t n = write_csv(text, q, 0.0);
    const size_t n_short = cut_lines(text, SHORT);
    fixture whole;
    fixture part;
    static const char *const request = "{\"dataset\": \"log\"}";
    open(&whole, request, text, n);
    open(&part, request, text, n_short);
    const double long_alone = whole.request.options.filter.cutoff;
    const double short_alone = part.request.options.filter.cutoff;
    cr_expect(gt(dbl, short_alone, 3.0 * long_alone));

    tqa_recording logs[] = {whole.log, part.log};
    tqa_recording_choose_cutoff(&whole.request, logs, 2, 2);
    cr_expect(eq(dbl, whole.request.options.filter.cutoff, long_alone));
    /* alone it is used, and also together with a long recording without motion */
    logs[0].signal.bandwidth.motion = 0.0;
    tqa_recording_choose_cutoff(&whole.request, logs, 2, 2);
    cr_expect(eq(dbl, whole.request.options.filter.cutoff, short_alone));
    /* fast motion is also found in a short recording */
    logs[0].signal.bandwidth.motion = whole.log.signal.bandwidth.motion;
    logs[1].signal.bandwidth.motion = 7.0 * logs[1].signal.resolution;
    tqa_recording_choose_cutoff(&whole.request, logs, 2, 2);
    cr_expect(eq(dbl, whole.request.options.filter.cutoff, 10.0 * logs[1].signal.bandwidth.motion));
    close(&part);
    close(&whole);
    free(q);
    free(text);
}

typedef struct steps {
    double before; /* s, of the last sample; NaN: none */
    double longest_within;
    size_t n_begin;
} steps;

static bool watch(void *ctx, const tqa_recording_block *block)
{
    steps *s = ctx;
    for (size_t i = 0; i < block->data.n_sample; i++) {
        const bool begins = i == 0 && block->data.begins;
        s->n_begin += begins;
        s->longest_within =
            begins ? s->longest_within : fmax(s->longest_within, block->t[i] - s->before);
        s->before = block->t[i];
    }
    return true;
}

/* A block lies in one segment, and its flag marks the first of a segment. */
Test(log, blocks_report_gaps)
{
    char *text = malloc(TEXT);
    cr_assert(text != NULL);
    size_t n = (size_t)snprintf(text, TEXT, "t,q\n");
    for (size_t k = 0; k < 20000; k++) {
        if (k / 1000 % 4 != 3) { /* a second is missing in every four */
            n += (size_t)snprintf(text + n, TEXT - n, "%.17g,%.17g\n", h * (double)k, position(k));
        }
    }
    fixture f;
    open(&f, "{\"dataset\": \"log\", \"filter\": {\"cutoff_hz\": 20, \"decimate\": 3}}", text, n);
    for (size_t again = 0; again < 2; again++) {
        steps s = {.before = -INFINITY};
        cr_assert(tqa_recording_pass(&f.log, watch, &s), "%s", f.problem.detail);
        cr_expect(eq(sz, f.log.signal.n_segment, 5));
        cr_expect(eq(sz, s.n_begin, 5));
        cr_expect(epsilon_eq(dbl, s.longest_within, 3.0 * h, 1e-9), "%g", s.longest_within);
    }
    close(&f);
    free(text);
}

/* A cancelled job does not read its recording to the end. */
Test(log, a_cancelled_survey_ends)
{
    char *text = malloc(TEXT);
    double *q = calloc(ROWS, sizeof *q);
    cr_assert(text != NULL && q != NULL);
    const size_t n = write_csv(text, q, 0.0);
    fixture f;
    open(&f, "{\"dataset\": \"log\"}", text, n);
    const uint64_t whole = f.host.n_dataset_read;
    cr_expect(ge(u64, whole, n));
    f.host.n_asked = 0;
    f.host.stop_after = 2; /* cancelled before the first row, and 8,192 rows later */
    f.log.signal.has_survey = false;
    f.log.signal.cache.n = 0;
    cr_expect(not(tqa_recording_inspect(&f.log)));
    cr_expect(eq(int, f.problem.status, 503));
    cr_expect(eq(sz, f.host.n_asked, 2));
    /* two windows of rows, and a piece that the decoder has read ahead */
    cr_expect(lt(u64, f.host.n_dataset_read - whole, n / 8));
    close(&f);
    free(q);
    free(text);
}

/* Rows that were not chosen are not read if the file states the offsets of the others. */
Test(log, windows_of_a_long_array_are_sought)
{
    enum { COLUMNS = 2, HEAD = 128 };
    char *file = malloc(HEAD + ROWS * COLUMNS * sizeof(double));
    cr_assert(file != NULL);
    char head[HEAD];
    (void)snprintf(head, sizeof head,
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", ROWS, COLUMNS);
    memcpy(file, "\x93NUMPY\x01\x00v\x00", 10);
    (void)snprintf(file + 10, 2L * HEAD, "%-117s\n", head);
    for (size_t k = 0; k < ROWS; k++) {
        const double row[COLUMNS] = {h * (double)k, position(k)};
        memcpy(file + HEAD + k * sizeof row, row, sizeof row);
    }
    fixture f;
    open(&f,
         "{\"dataset\": \"log\", \"columns\": {\"time\": 0, \"q\": [1]}, "
         "\"rows\": [[1000, 3000], [150000, 152500]]}",
         file, HEAD + ROWS * COLUMNS * sizeof(double));
    cr_expect(eq(u64, f.log.signal.n_row, ROWS));
    cr_expect(eq(u64, f.log.signal.n_chosen, 4500));
    /* a survey and a pass for inspection: each reads 256 KiB at the front and at each window */
    cr_expect(le(u64, f.host.n_dataset_read, 6 * (256 << 10)));
    taken got = room();
    cr_assert(tqa_recording_pass(&f.log, take, &got), "%s", f.problem.detail);
    cr_expect(eq(u64, got.n + f.log.signal.n_border, 4500));
    cr_expect(gt(sz, got.n, 3500));
    for (size_t i = 0; i < got.n; i++) {
        const uint64_t row = got.row[i];
        const bool chosen = (row >= 1000 && row < 3000) || (row >= 150000 && row < 152500);
        cr_assert(chosen, "row %zu", (size_t)row);
        /* attenuation by the filter of a motion at a tenth of its cut-off */
        cr_assert(epsilon_eq(dbl, got.q[i], position((size_t)row), 1e-3));
    }
    close(&f);
    clear(&got);
    free(file);
}

/* a hundred recordings are read twenty times and more: memory must not accumulate */
Test(log, a_pass_takes_nothing_that_stays)
{
    char *text = malloc(TEXT);
    double *q = calloc(ROWS, sizeof *q);
    cr_assert(text != NULL && q != NULL);
    fixture f;
    open(&f, "{\"dataset\": \"log\"}", text, write_csv(text, q, 0.0));
    for (size_t each = 1 << 20; each >= 16; each /= 2) {
        while (tqa_arena_take(f.tree.arena, 1, each, 8) != NULL) {
        }
    }
    taken got = room();
    cr_expect(tqa_recording_pass(&f.log, take, &got), "%s", f.problem.detail);
    cr_expect(gt(sz, got.n, (size_t)ROWS / 2));
    close(&f);
    clear(&got);
    free(q);
    free(text);
}
