/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_parallel_rows.c - the rates that parallel rows are functions of:
 * closed forms without noise, and their noise. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/signal/bandwidth.h"
#include "core/signal/parallel_rows.h"
#include "tests/support/random.h"
#include "tests/support/recorded.h"

enum { ROWS = 20000, EDGE = 500 };
static const double rate = 500.0;
static const double slow = 0.5, shake = 90.0;      /* Hz */
static const double amplitude = 0.5, small = 1e-4; /* rad */
static const double quiet = 3e-3;                  /* rad/s: DECISIONS.md of core/identify */
static const unsigned positions = 1u << TQ_QUANTITY_Q | 1u << TQ_QUANTITY_TAU;
static const unsigned rates = 1u << TQ_QUANTITY_Q | 1u << TQ_QUANTITY_QD | 1u << TQ_QUANTITY_TAU;

/* One parallel row, the rate itself; what it is given is kept. */
typedef struct seen {
    double given[ROWS]; /* by number of the sample */
    double *row, *qd;   /* emitted */
    size_t n, context;
} seen;

static size_t size_of(const void *of, size_t stride)
{
    (void)of, (void)stride;
    return tq_scratch_cost(1, sizeof(seen *));
}

static void *begin(const void *of, size_t stride, tq_scratch *memory)
{
    (void)stride;
    const seen **ret = tq_scratch_take(memory, 1, sizeof *ret);
    *ret = of;
    return ret;
}

static void begin_segment(void *state)
{
    (void)state;
}

static void compute(void *state, const tq_parallel_window *window, double *ret)
{
    seen *s = *(seen **)state;
    memcpy(ret, window->qd, window->n * sizeof *ret);
    /* windows overlap by twice the context, and have transients in its length at their ends */
    const size_t skip = window->lowest > 0 ? s->context : 0;
    for (size_t i = skip; i < window->n; i++) {
        s->given[window->lowest + i] = window->qd[i];
    }
}

static bool take(void *ctx, const tq_recording_block *block)
{
    seen *s = ctx;
    for (size_t i = 0; i < block->data.n_sample; i++) {
        const uint64_t k = block->row[i];
        s->qd[k] = block->data.qd[i];
        s->row[k] = block->data.friction_rows[i];
    }
    s->n += block->data.n_sample;
    return true;
}

/* normally distributed, deviation 1 (Box and Muller) */
static double normal(tqt_random *random)
{
    const double u = tqt_random_uniform(random, 0x1p-60, 1.0);
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * tqt_random_uniform(random, 0.0, 1.0));
}

/* A slow motion and, if it `shakes`, a small one of 90 Hz, noise of q (or of qd, if it is
 * recorded), and a torque. */
static tqt_recorded *new_motion(unsigned quantities, bool shakes, double noise)
{
    const double size = shakes ? small : 0.0;
    tqt_recorded *r = tqt_recorded_pendulum(quantities, ROWS);
    tqt_random random = tqt_random_seed(5);
    tq_recording_fault fault;
    tq_uniform even;
    const bool has_rates = (quantities >> TQ_QUANTITY_QD & 1u) != 0;
    const double w = 2.0 * M_PI * slow, v = 2.0 * M_PI * shake;
    r->n = ROWS;
    for (size_t k = 0; k < ROWS; k++) {
        const double t = (double)k / rate;
        r->t[k] = t;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = amplitude * sin(w * t) + size * sin(v * t) +
                                                (has_rates ? 0.0 : noise) * normal(&random);
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) = -amplitude * w * w * sin(w * t);
        if (has_rates) {
            *tqt_recorded_at(r, TQ_QUANTITY_QD, k) =
                amplitude * w * cos(w * t) + size * v * cos(v * t) + noise * normal(&random);
        }
    }
    cr_assert(eq(int, (int)tqt_recorded_survey(r, &fault), TQ_OK));
    cr_assert(eq(int, (int)tqt_recorded_inspect(r, &even, &fault), TQ_OK));
    tq_scratch scratch = tqt_recorded_scratch(r, tq_recording_measure_size(&r->recording, even.n));
    cr_assert(eq(int, (int)tq_recording_measure(&r->recording, &even, &scratch, NULL), TQ_OK));
    return r;
}

static seen *pass(tqt_recorded *r)
{
    seen *s = calloc(1, sizeof *s);
    s->qd = calloc(ROWS, sizeof *s->qd);
    s->row = calloc(ROWS, sizeof *s->row);
    const tq_parallel_rows parallel = {.of = s,
                                       .n = 1,
                                       .size = size_of,
                                       .begin = begin,
                                       .segment = begin_segment,
                                       .compute = compute};
    tq_recording_fault fault = {0};
    tq_pass_plan plan;
    tq_pass *made = NULL;
    tqt_raw_rows *raw = malloc(sizeof *raw);
    cr_assert(eq(int, (int)tq_pass_prepare(&r->recording, TQ_PASS_BLOCKS, &parallel, &plan, &fault),
                 TQ_OK));
    s->context = plan.context;
    tq_scratch scratch = tqt_recorded_scratch(r, plan.size);
    cr_assert(
        eq(int, (int)tq_pass_begin(&r->recording, &plan, take, s, &scratch, &made, NULL), TQ_OK));
    cr_assert(eq(sz, scratch.used, plan.size)); /* the plan's size is the memory that it takes */
    for (size_t k = 0; k < ROWS; k += TQ_RAW_ROWS) {
        tqt_recorded_rows(r, k, ROWS - k < TQ_RAW_ROWS ? ROWS - k : (size_t)TQ_RAW_ROWS, raw);
        cr_assert(eq(int, (int)tq_pass_push(made, &raw->rows), TQ_OK));
    }
    cr_assert(eq(int, (int)tq_pass_end(made), TQ_OK));
    cr_assert(eq(sz, s->n, ROWS - 2 * plan.border));
    free(raw);
    return s;
}

static void done(tqt_recorded *r, seen *s)
{
    free(s->qd), free(s->row), free(s);
    tqt_recorded_free(r);
}

/* Gain of a Butterworth filter of order 4, forward and backward, by the bilinear transform. */
static double gain(double f, double cutoff)
{
    return 1.0 / (1.0 + pow(tan(M_PI * f / rate) / tan(M_PI * cutoff / rate), 8.0));
}

/* A sine's central difference over its rate. */
static double difference(double f)
{
    return sin(2.0 * M_PI * f / rate) / (2.0 * M_PI * f / rate);
}

/* Without noise rates pass a cut-off of four times the filter's, recorded or by differences: of the
 * 90 Hz 24 % are left, of the filter itself, at 20 Hz, 2e-6. The rows pass the filter after it,
 * and what is emitted has passed the filter alone. Rounding and the ends' transients: 1e-7 rad/s.
 */
Test(parallel_rows, are_of_rates_that_pass_less_of_a_filter)
{
    for (int recorded = 0; recorded < 2; recorded++) {
        tqt_recorded *r = new_motion(recorded ? rates : positions, true, 0.0);
        cr_assert(gt(dbl, r->recording.rate_band, 80.0));
        cr_expect(epsilon_eq(dbl, tq_recording_rate_cutoff(&r->recording), 80.0, 1e-9));
        seen *s = pass(r);
        const double f[2] = {slow, shake}, a[2] = {amplitude, small};
        for (size_t k = EDGE; k < ROWS - EDGE; k++) {
            double given = 0.0, row = 0.0, qd = 0.0;
            for (size_t i = 0; i < 2; i++) {
                const double w = 2.0 * M_PI * f[i];
                const double v =
                    a[i] * w * (recorded ? 1.0 : difference(f[i])) * cos(w * (double)k / rate);
                given += gain(f[i], 80.0) * v;
                row += gain(f[i], 80.0) * gain(f[i], 20.0) * v;
                qd += gain(f[i], 20.0) * v;
            }
            cr_assert(epsilon_eq(dbl, s->given[k], given, 1e-7), "sample %zu", k);
            cr_assert(epsilon_eq(dbl, s->row[k], row, 1e-7), "sample %zu", k);
            cr_assert(epsilon_eq(dbl, s->qd[k], qd, 1e-7), "sample %zu", k);
        }
        done(r, s);
    }
}

/* Noise lowers that cut-off until it is 3e-3 rad/s in the rates. The floor of a spectrum is 0.893
 * of the density (tests/unit/core/signal/test_bandwidth.c), and the skirt of the filter passes some
 * noise that a steep one would not: of f^2 (1 + f^8)^-2 from 0 to infinity, instead of 1/3,
 * (pi / 8) / sin(3 pi / 8) * 5 / 8 = 0.266; of (1 + f^8)^-2, instead of 1,
 * (pi / 8) / sin(pi / 8) * 7 / 8 = 0.898. */
Test(parallel_rows, are_of_rates_as_quiet_as_friction_needs_them)
{
    static const struct {
        unsigned quantities;
        double noise, cutoff, skirt;
    } cases[] = {{positions, 5e-5, 42.5, 3.0 * 0.266}, {rates, 1e-2, 25.2, 0.898}};
    for (size_t c = 0; c < 2; c++) {
        tqt_recorded *r = new_motion(cases[c].quantities, true, cases[c].noise);
        const double cutoff = tq_recording_rate_cutoff(&r->recording);
        cr_expect(epsilon_eq(dbl, cutoff, cases[c].cutoff, 0.05 * cases[c].cutoff), "%g", cutoff);
        seen *s = pass(r);
        double sum = 0.0;
        for (size_t k = EDGE; k < ROWS - EDGE; k++) {
            double off = s->given[k];
            for (size_t i = 0; i < 2; i++) {
                const double f = i == 0 ? slow : shake, w = 2.0 * M_PI * f;
                const double v = (i == 0 ? amplitude : small) * w * cos(w * (double)k / rate);
                off -= gain(f, cutoff) * (c == 0 ? difference(f) : 1.0) * v;
            }
            sum += off * off;
        }
        /* 40 s of a band of 25 Hz and more: the deviation is known to 3 % */
        const double found = sqrt(sum / (double)(ROWS - 2 * EDGE));
        const double want = quiet * sqrt(cases[c].skirt / 0.893);
        cr_expect(epsilon_eq(dbl, found, want, 0.08 * want), "case %zu: %g for %g", c, found, want);
        done(r, s);
    }
}

/* With more noise than friction bears the filter's own rates are the best: those that are emitted,
 * but for the overlap of windows (1e-12 of the signal, over h). */
Test(parallel_rows, are_of_filtered_rates_where_noise_is_strong)
{
    tqt_recorded *r = new_motion(positions, true, 1e-3);
    cr_expect(lt(dbl, r->recording.rate_band, 20.0));
    cr_expect(eq(dbl, tq_recording_rate_cutoff(&r->recording), 0.0));
    seen *s = pass(r);
    for (size_t k = EDGE; k < ROWS - EDGE; k++) {
        cr_assert(epsilon_eq(dbl, s->given[k], s->qd[k], 1e-8), "sample %zu", k);
    }
    done(r, s);
}

/* Where the motion ends below the filter's cut-off a wider one has noise to give and nothing else,
 * however little it is. */
Test(parallel_rows, are_of_filtered_rates_where_no_motion_is_beyond)
{
    for (int recorded = 0; recorded < 2; recorded++) {
        tqt_recorded *r = new_motion(recorded ? rates : positions, false, recorded ? 1e-3 : 1e-5);
        cr_expect(gt(dbl, r->recording.rate_band, slow));
        cr_expect(eq(dbl, tq_recording_rate_cutoff(&r->recording), 0.0), "%g",
                  r->recording.rate_band);
        tqt_recorded_free(r);
    }
}

/* Without a survey nothing is known of the noise. */
Test(parallel_rows, are_of_filtered_rates_without_a_survey)
{
    tqt_recorded *r = new_motion(positions, true, 0.0);
    r->recording.rate_band = 0.0;
    cr_expect(eq(dbl, tq_recording_rate_cutoff(&r->recording), 0.0));
    r->recording.rate_band = (double)INFINITY;
    r->options.filter.cutoff = 60.0; /* four times of it are beyond what a filter of 500 Hz has */
    cr_expect(isinf(tq_recording_rate_cutoff(&r->recording)));
    tqt_recorded_free(r);
}
