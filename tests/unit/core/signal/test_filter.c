/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_filter.c - against SciPy 1.17, and errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/signal/differentiate.h"
#include "core/signal/filter.h"
#include "tests/support/refusal.h"

enum { N = 200, BYTES = 1 << 16 };
static _Alignas(64) unsigned char memory[BYTES];

static tq_scratch fresh(void)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    return scratch;
}

/* the signal for which SciPy's results were computed */
static void signal_of_the_tables(double x[N])
{
    for (int k = 0; k < N; k++) {
        x[k] = sin(0.1 * k) + 0.3 * cos(0.37 * k) + (double)((k * 7919) % 13) / 13.0;
    }
}

/* scipy.signal.sosfiltfilt(butter(order, cutoff, fs=100, output="sos"), x) at four samples, and
 * the gain of one pass at 5 Hz from sosfreqz */
static const struct {
    unsigned order;
    double cutoff;
    size_t n_edge;
    double want[4];
    double gain;
} filtered[] = {
    {1,
     10,
     6,
     {0.29581410375470746, 0.8793448972578304, 0.07411522845491987, 1.4231926131704489},
     0.8988915633764916},
    {2,
     3,
     9,
     {0.33377160721623106, 0.9657253677134089, -0.02860117121503948, 1.350905345413378},
     0.33554886480879675},
    {4,
     8,
     15,
     {0.30628350006532346, 0.9747388587311058, 0.14048628442570943, 1.413475400715058},
     0.9896786643632662},
    {5,
     8,
     18,
     {0.30691860096817186, 0.9793713703877365, 0.14884325176214008, 1.4131582707336925},
     0.996034538114733},
    {5,
     0.7,
     18,
     {-0.11160059636861883, 0.05947211245955412, 0.4703145744786293, 0.3954274359300707},
     5.164485709583278e-05},
    {8,
     30,
     27,
     {0.3000302473348493, 0.6956097880581691, 0.0034610233828368114, 1.424091542217087},
     0.9999999999999998},
};

Test(filter, agrees_with_scipy)
{
    static const size_t at[4] = {0, 7, 100, 199};
    for (size_t c = 0; c < sizeof filtered / sizeof filtered[0]; c++) {
        tq_filter filter;
        tq_scratch scratch = fresh();
        double x[N];
        signal_of_the_tables(x);
        cr_assert(eq(
            int, tq_filter_butterworth(filtered[c].order, filtered[c].cutoff, 100.0, &filter, NULL),
            TQ_OK));
        cr_assert(eq(
            int, tq_filter_zero_phase_rows(&filter, filtered[c].n_edge, N, 1, x, N, &scratch, NULL),
            TQ_OK));
        cr_assert(eq(sz, scratch.used, 0));
        for (size_t i = 0; i < 4; i++) {
            /* poles at 1 - 0.04 decay slowly: 1e4 roundings of numbers of order 1 */
            cr_assert(ieee_ulp_eq(dbl, x[at[i]] + 8.0, filtered[c].want[i] + 8.0, 64),
                      "row %zu, sample %zu: %.17g", c, at[i], x[at[i]]);
        }
        cr_assert(epsilon_eq(dbl, tq_filter_gain(&filter, 5.0, 100.0), filtered[c].gain, 1e-12));
        cr_assert(
            epsilon_eq(dbl, tq_filter_gain(&filter, filtered[c].cutoff, 100.0), sqrt(0.5), 1e-12));
    }
}

Test(filter, keeps_constants_and_straight_lines)
{
    tq_filter filter;
    tq_scratch scratch = fresh();
    double x[N];
    cr_assert(eq(int, tq_filter_butterworth(4, 5.0, 100.0, &filter, NULL), TQ_OK));
    for (size_t k = 0; k < N; k++) {
        x[k] = 3.0 - 0.25 * (double)k;
    }
    cr_assert(
        eq(int, tq_filter_zero_phase_rows(&filter, N - 1, N, 1, x, N, &scratch, NULL), TQ_OK));
    for (size_t k = 0; k < N; k++) {
        /* odd reflection continues a line: only the far ends of the padding are disturbed */
        cr_assert(epsilon_eq(dbl, x[k], 3.0 - 0.25 * (double)k, 1e-7), "sample %zu", k);
    }
}

Test(filter, settles_when_it_says)
{
    /* an impulse has decayed to 1e-12 after the settling length, and not long before */
    static double x[20000];
    static _Alignas(64) unsigned char room[1 << 21];
    for (unsigned order = 1; order <= 8; order += 3) {
        tq_filter filter;
        tq_scratch scratch;
        tq_scratch_init(&scratch, room, sizeof room);
        cr_assert(eq(int, tq_filter_butterworth(order, 1.0, 100.0, &filter, NULL), TQ_OK));
        const size_t settle = tq_filter_settling_length(&filter);
        memset(x, 0, sizeof x);
        x[10000] = 1.0;
        cr_assert(eq(int,
                     tq_filter_zero_phase_rows(&filter, 10, 20000, 1, x, 20000, &scratch, NULL),
                     TQ_OK));
        cr_assert(lt(dbl, fabs(x[10000 + settle]), 1e-11), "order %u", order);
        cr_assert(gt(dbl, fabs(x[10000 + settle / 8]), 1e-11), "order %u", order);
    }
}

/* What is beyond the decay length has a smaller part of the weights, and not a much smaller one. */
Test(filter, decays_when_it_says)
{
    static double x[20000];
    static _Alignas(64) unsigned char room[1 << 21];
    static const double shares[] = {1e-2, 3e-3, 1e-4};
    for (unsigned order = 1; order <= 12; order++) {
        tq_filter filter;
        tq_scratch scratch;
        tq_scratch_init(&scratch, room, sizeof room);
        cr_assert(eq(int, tq_filter_butterworth(order, 1.0, 100.0, &filter, NULL), TQ_OK));
        memset(x, 0, sizeof x);
        x[10000] = 1.0;
        cr_assert(eq(int,
                     tq_filter_zero_phase_rows(&filter, 10, 20000, 1, x, 20000, &scratch, NULL),
                     TQ_OK));
        for (size_t s = 0; s < 3; s++) {
            const size_t n = tq_filter_decay_length(&filter, shares[s]);
            double beyond = 0.0, beyond_less = 0.0;
            for (size_t k = 7 * n / 10; k < 10000; k++) {
                beyond += k < n ? 0.0 : fabs(x[10000 + k]);
                beyond_less += fabs(x[10000 + k]);
            }
            cr_expect(lt(dbl, beyond, shares[s]), "order %u, %g", order, shares[s]);
            cr_expect(gt(dbl, beyond_less, shares[s]), "order %u, %g", order, shares[s]);
        }
    }
}

/* A signal between its mirror images is what even ends make of it alone. */
Test(filter, even_ends_are_mirrors)
{
    static double x[N], all[3 * N - 2];
    static _Alignas(64) unsigned char room[1 << 18];
    tq_filter filter;
    tq_scratch scratch;
    tq_scratch_init(&scratch, room, sizeof room);
    cr_assert(eq(int, tq_filter_butterworth(4, 10.0, 100.0, &filter, NULL), TQ_OK));
    const size_t settle = tq_filter_settling_length(&filter);
    cr_assert(lt(sz, settle, N));
    signal_of_the_tables(x);
    for (size_t k = 0; k < N; k++) {
        all[N - 1 + k] = all[N - 1 - k] = x[k];
        all[3 * N - 3 - k] = x[k];
    }
    cr_assert(
        eq(int,
           tq_filter_zero_phase_rows(&filter, settle, 3 * N - 2, 1, all, 3 * N - 2, &scratch, NULL),
           TQ_OK));
    filter.ends = TQ_ENDS_EVEN;
    cr_assert(
        eq(int, tq_filter_zero_phase_rows(&filter, settle, N, 1, x, N, &scratch, NULL), TQ_OK));
    for (size_t k = 0; k < N; k++) {
        cr_assert(epsilon_eq(dbl, x[k], all[N - 1 + k], 1e-11), "sample %zu", k);
    }
}

Test(filter, refuses)
{
    tq_filter filter;
    double x[8] = {0};
    tq_scratch scratch = fresh();
    cr_refused(tq_filter_butterworth(0, 1.0, 10.0, &filter, &error), TQ_ERR_RANGE, "order", 0, 0);
    cr_refused(tq_filter_butterworth(13, 1.0, 10.0, &filter, &error), TQ_ERR_RANGE, "order", 0, 13);
    cr_refused(tq_filter_butterworth(4, 5.0, 10.0, &filter, &error), TQ_ERR_RANGE, "cutoff", 0, 5);
    cr_refused(tq_filter_butterworth(4, 0.0, 10.0, &filter, &error), TQ_ERR_RANGE, "cutoff", 0, 0);
    cr_assert(eq(int, tq_filter_butterworth(4, (double)NAN, 10.0, &filter, NULL), TQ_ERR_RANGE));
    cr_refused(tq_filter_first_order(0.0, 10.0, &filter, &error), TQ_ERR_RANGE, "tau_f", 0, 0);
    cr_refused(tq_filter_first_order(HUGE_VAL, 10.0, &filter, &error), TQ_ERR_RANGE, "tau_f", 0,
               HUGE_VAL);
    cr_refused(tq_filter_first_order(0.01, 0.0, &filter, &error), TQ_ERR_RANGE, "rate", 0, 0);
    cr_assert(eq(int, tq_filter_butterworth(4, 1.0, 10.0, &filter, NULL), TQ_OK));
    cr_refused(tq_filter_zero_phase_rows(&filter, 8, 8, 1, x, 8, &scratch, &error), TQ_ERR_SHAPE,
               "n_edge", 0, 8);
    cr_refused(tq_filter_zero_phase_rows(&filter, 0, 0, 1, x, 0, &scratch, &error), TQ_ERR_SHAPE,
               "n_edge", 0, 0);
    scratch.size = 32;
    cr_refused(tq_filter_zero_phase_rows(&filter, 2, 8, 1, x, 8, &scratch, &error), TQ_ERR_SCRATCH,
               "scratch", 0, (double)tq_filter_zero_phase_size(8, 2));
    cr_assert(eq(sz, scratch.used, 0));
}
