/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/test_pass.c - raw rows in, filtered uniform samples out: closed forms and
 * SciPy. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/recorded.h"

enum { ROWS = 30000 };
static const unsigned q_only = 1u << TQ_QUANTITY_Q;
static const unsigned q_tau = 1u << TQ_QUANTITY_Q | 1u << TQ_QUANTITY_TAU;

typedef struct taken {
    double *q, *qd, *qdd, *tau, *t;
    uint64_t *row;
    size_t n, n_begin, n_most; /* n_most: samples after which the sink stops; 0: never */
} taken;

static taken *new_taken(void)
{
    taken *to = calloc(1, sizeof *to);
    double **rows[] = {&to->q, &to->qd, &to->qdd, &to->tau, &to->t};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        *rows[k] = calloc(2 * ROWS, sizeof(double));
    }
    to->row = calloc(2 * ROWS, sizeof *to->row);
    return to;
}

static void free_taken(taken *to)
{
    free(to->q);
    free(to->qd);
    free(to->qdd);
    free(to->tau);
    free(to->t);
    free(to->row);
    free(to);
}

static bool take(void *ctx, const tq_recording_block *block)
{
    taken *to = ctx;
    to->n_begin += block->data.begins ? 1 : 0;
    for (size_t i = 0; i < block->data.n_sample; i++, to->n++) {
        to->q[to->n] = block->data.q[i];
        to->qd[to->n] = block->data.qd[i];
        to->qdd[to->n] = block->data.qdd[i];
        to->tau[to->n] = block->data.tau != NULL ? block->data.tau[i] : 0.0;
        to->t[to->n] = block->t[i];
        to->row[to->n] = block->row[i];
    }
    return to->n_most == 0 || to->n < to->n_most;
}

static void must_survey(tqt_recorded *r)
{
    tq_recording_fault fault = {0};
    cr_assert(eq(int, (int)tqt_recorded_survey(r, &fault), TQ_OK), "fault %d", (int)fault.kind);
}

static void must_pass(tqt_recorded *r, taken *to)
{
    tq_recording_fault fault = {0};
    cr_assert(eq(int, (int)tqt_recorded_pass(r, take, to, &fault), TQ_OK), "fault %d",
              (int)fault.kind);
}

/* A sine of 1 Hz on a clock of 500 Hz whose times are off by up to 0.3 periods, with outliers.
 * Values belong to the written times, so that the expected signal is the sine itself:
 *   the error of Bessel's cubic (C. de Boor, chapter IV) over a step H next to steps h is that of
 *   its slopes, H h w^3 / 6 each, times H / 4: H = 3.6 periods where two outliers were removed, h =
 *   1.6 periods: e = 1.7e-6 rad; a 20 Hz Butterworth filter of order 4, applied twice, attenuates
 *   the sine by (1/20)^8 = 4e-11; central differences attenuate a rate by (w h)^2 / 6 = 2.6e-5; the
 *   derivatives of the filtered e are about w_c e and w_c^2 e (Bernstein's inequality), at most
 *   twice that, since the filter passes some components above w_c. */
Test(pass, restores_a_sine_from_a_jittered_clock_with_outliers)
{
    const double w = 2.0 * M_PI, w_c = 20.0 * w, e = 1.72e-6;
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    tqt_random random = tqt_random_seed(3);
    taken *got = new_taken();
    r->n = ROWS;
    for (size_t k = 0; k < ROWS; k++) {
        r->t[k] = 0.002 * ((double)k + tqt_random_uniform(&random, -0.3, 0.3));
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = sin(w * r->t[k]);
    }
    static const uint64_t spikes[] = {777, 8191, 8192, 20000};
    for (size_t k = 0; k < 4; k++) {
        *tqt_recorded_at(r, TQ_QUANTITY_Q, spikes[k]) += 0.5;
    }
    must_survey(r);
    cr_assert(not(r->recording.is_even));
    must_pass(r, got);
    cr_assert(eq(u64, r->recording.repairs[TQ_REPAIR_SPIKE].n, 4));
    for (size_t k = 0; k < 4; k++) {
        cr_expect(eq(u64, r->recording.repairs[TQ_REPAIR_SPIKE].rows[k], spikes[k]));
    }
    cr_assert(eq(u64, r->recording.n_segment, 1));
    cr_assert(eq(u64, got->n, r->recording.n_sample));
    cr_assert(gt(sz, got->n, ROWS - 200));
    double off[3] = {0.0};
    for (size_t k = 0; k < got->n; k++) {
        const double t = got->t[k];
        off[0] = fmax(off[0], fabs(got->q[k] - sin(w * t)));
        off[1] = fmax(off[1], fabs(got->qd[k] - w * cos(w * t)));
        off[2] = fmax(off[2], fabs(got->qdd[k] + w * w * sin(w * t)));
        /* half of the longest step: two successive outliers, and jitter: 3.6 periods */
        cr_assert(le(dbl, fabs(r->t[got->row[k]] - t), 0.0036), "row %lu at %g",
                  (unsigned long)got->row[k], t);
    }
    cr_expect(lt(dbl, off[0], e));
    cr_expect(lt(dbl, off[1], 2.7e-5 * w + 2.0 * w_c * e));
    cr_expect(lt(dbl, off[2], 5.4e-5 * w * w + 2.0 * w_c * w_c * e));
    free_taken(got);
    tqt_recorded_free(r);
}

/* x[k] = sin(0.03 k) + 0.3 sin(1.1 k) + 0.2 cos(0.4 k) at 200 Hz. */
static void put_three_sines(tqt_recorded *r)
{
    r->n = 3000;
    for (size_t k = 0; k < r->n; k++) {
        r->t[k] = 0.005 * (double)k;
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) =
            sin(0.03 * (double)k) + 0.3 * sin(1.1 * (double)k) + 0.2 * cos(0.4 * (double)k);
    }
}

static size_t find(const taken *got, uint64_t row)
{
    size_t i = 0;
    while (i < got->n && got->row[i] != row) {
        i++;
    }
    cr_assert(lt(sz, i, got->n));
    return i;
}

typedef struct expected {
    uint64_t row;
    double q, qd, qdd;
} expected;

static void expect_rows(const taken *got, size_t n, const expected *want)
{
    for (size_t k = 0; k < n; k++) {
        const size_t i = find(got, want[k].row);
        cr_expect(epsilon_eq(dbl, got->q[i], want[k].q, 1e-11));
        cr_expect(epsilon_eq(dbl, got->qd[i], want[k].qd, 1e-9));
        cr_expect(epsilon_eq(dbl, got->qdd[i], want[k].qdd, 1e-7));
    }
}

/* y = scipy.signal.sosfiltfilt(butter(4, 12, fs=200, output="sos"), x, padlen=1500), SciPy 1.17.1;
 * qd[k] = (y[k+1] - y[k-1]) / 0.01, qdd likewise from qd. Tolerances: rounding over h and h^2. */
Test(pass, agrees_with_scipy_butterworth)
{
    static const expected want[] = {
        {700, 0.7664444956549307, -0.9899045529681461, 395.98724839378764},
        {1234, -0.6991069089073625, 6.817467248581965, 453.1544377669428},
        {2100, 0.13936458955993455, 11.42911823848512, 164.3099256787277},
    };
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    taken *got = new_taken();
    put_three_sines(r);
    r->options.filter.cutoff = 12.0;
    must_survey(r);
    cr_assert(r->recording.is_even);
    must_pass(r, got);
    expect_rows(got, 3, want);
    free_taken(got);
    tqt_recorded_free(r);
}

/* Left out at each end: until 3e-3 of the impulse response are left, 241.7 samples by the poles of
 * SciPy's butter(4, 2, fs=200), but not more than an eighth of the segment, nor less than a period.
 */
Test(pass, borders_of_short_segments)
{
    static const struct {
        size_t n, border;
        bool is_short;
    } want[] = {{3000, 242, false},
                {1936, 242, false},
                {1935, 241, true},
                {1600, 200, true},
                {640, 100, true}};
    for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
        tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
        taken *got = new_taken();
        put_three_sines(r);
        r->n = want[k].n;
        r->options.filter.cutoff = 2.0;
        must_survey(r);
        must_pass(r, got);
        cr_expect(eq(u64, r->recording.n_border, 2 * want[k].border), "%zu", want[k].n);
        cr_expect(eq(sz, got->n, want[k].n - 2 * want[k].border), "%zu", want[k].n);
        cr_expect(eq(u64, r->recording.n_short_segment, want[k].is_short ? 1 : 0), "%zu",
                  want[k].n);
        free_taken(got);
        tqt_recorded_free(r);
    }
}

/* scipy.signal.savgol_filter(x, 31, 3, deriv=0, 1, 2, delta=0.005), SciPy 1.17.1 */
Test(pass, agrees_with_scipy_savitzky_golay)
{
    static const expected want[] = {
        {700, 0.860310852579953, -2.9243040546683616, -45.46704526058588},
        {1234, -0.5886042974971916, 5.65801855252734, -18.75873806704272},
        {2100, 0.15744847279347765, 7.37345786812715, 19.386621989139122},
    };
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    taken *got = new_taken();
    put_three_sines(r);
    r->options.filter = (tq_recording_filter){
        .kind = TQ_SMOOTHING_SAVITZKY_GOLAY, .window = 31, .degree = 3, .decimate = 1};
    must_survey(r);
    must_pass(r, got);
    cr_assert(eq(u64, r->recording.n_border, 30)); /* half a window at each end */
    expect_rows(got, 3, want);
    free_taken(got);
    tqt_recorded_free(r);
}

/* b, a = scipy.signal.bilinear([1], [0.02, 1], 200); y = filtfilt(b, a, x, padlen=1000); qd =
 * filtfilt of y's central differences, qdd the central differences of that. SciPy 1.17.1 */
Test(pass, agrees_with_scipy_first_order)
{
    static const expected want[] = {
        {700, 0.7703403502974207, -2.8158731658169427, 60.23621940498591},
        {1234, -0.6678031090848273, 5.0468157713267905, 104.32424509038513},
        {2100, 0.13515235961944339, 6.796405160208957, 40.123274621283045},
    };
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    taken *got = new_taken();
    put_three_sines(r);
    r->options.filter =
        (tq_recording_filter){.kind = TQ_SMOOTHING_FIRST_ORDER, .tau_f = 0.02, .decimate = 1};
    must_survey(r);
    must_pass(r, got);
    expect_rows(got, 3, want);
    free_taken(got);
    tqt_recorded_free(r);
}

/* The motion is 3 ms late: q(t) was recorded at t + 3 ms. Torque is not shifted. Four rows are
 * missing: a gap of five periods is bridged, by a cubic for q (H = 5, h = 1 periods: H^2 h / 24 =
 * 1e-9 of a 1 Hz sine's 248 rad/s^3: 3e-7) and linearly for torque (H^2 w^2 / 8 = 5e-4). */
Test(pass, shifts_motion_and_bridges_gaps)
{
    const double w = 2.0 * M_PI;
    tqt_recorded *r = tqt_recorded_pendulum(q_tau, ROWS);
    taken *got = new_taken();
    r->n = 10000;
    r->options.filter = (tq_recording_filter){.kind = TQ_SMOOTHING_NONE, .decimate = 1};
    r->options.delay = 0.003;
    for (size_t k = 0; k < r->n; k++) {
        r->t[k] = 0.001 * (double)(k < 5000 ? k : k + 4);
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = sin(w * (r->t[k] - 0.003));
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) = cos(w * r->t[k]);
    }
    must_survey(r);
    must_pass(r, got);
    cr_assert(eq(u64, r->recording.repairs[TQ_REPAIR_BRIDGED].n, 1));
    cr_assert(eq(u64, r->recording.repairs[TQ_REPAIR_BRIDGED].rows[0], 5000));
    cr_assert(epsilon_eq(dbl, r->recording.longest_gap, 0.005, 1e-9));
    cr_assert(eq(u64, r->recording.n_segment, 1));
    cr_assert(eq(sz, got->n, 10004 - 6)); /* three samples at each end have no shifted motion */
    for (size_t k = 0; k < got->n; k++) {
        cr_assert(epsilon_eq(dbl, got->q[k], sin(w * got->t[k]), 4e-7));
        cr_assert(epsilon_eq(dbl, got->tau[k], cos(w * got->t[k]), 5e-4));
    }
    free_taken(got);
    tqt_recorded_free(r);
}

/* Unfiltered, on its own clock: every third row is unchanged, with its torque; 7 samples in order.
 */
Test(pass, decimates)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_tau, ROWS);
    taken *got = new_taken();
    put_three_sines(r);
    for (size_t k = 0; k < r->n; k++) {
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) = cos(0.02 * (double)k);
    }
    r->options.filter = (tq_recording_filter){.kind = TQ_SMOOTHING_NONE, .decimate = 3};
    must_survey(r);
    must_pass(r, got);
    cr_assert(eq(sz, got->n, 1000));
    for (size_t k = 0; k < got->n; k++) {
        cr_assert(eq(u64, got->row[k], 3 * k));
        cr_assert(eq(dbl, got->q[k], *tqt_recorded_at(r, TQ_QUANTITY_Q, 3 * k)));
        cr_assert(eq(dbl, got->tau[k], *tqt_recorded_at(r, TQ_QUANTITY_TAU, 3 * k)));
    }
    free_taken(got);
    tqt_recorded_free(r);
}

/* An encoder that wraps at pi, and a clock that is set back by 10 s after 1500 rows. */
Test(pass, unwraps_angles_and_splits_where_the_clock_was_set_back)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    taken *got = new_taken();
    r->n = 3000;
    for (size_t k = 0; k < r->n; k++) {
        const double angle = 0.004 * (double)k; /* 0.8 rad/s */
        r->t[k] = 0.005 * (double)k - (k >= 1500 ? 10.0 : 0.0);
        *tqt_recorded_at(r, TQ_QUANTITY_Q, k) = remainder(angle, 2.0 * M_PI);
    }
    must_survey(r);
    must_pass(r, got);
    cr_assert(eq(u64, r->recording.repairs[TQ_REPAIR_UNWRAPPED].n, 2)); /* 12 rad: at pi, 3 pi */
    cr_assert(eq(u64, r->recording.repairs[TQ_REPAIR_SET_BACK].n, 1));
    cr_assert(eq(u64, r->recording.repairs[TQ_REPAIR_SET_BACK].rows[0], 1500));
    cr_assert(eq(u64, r->recording.n_segment, 2));
    cr_assert(eq(sz, got->n_begin, 2));
    for (size_t k = 0; k < got->n; k++) {
        cr_assert(epsilon_eq(dbl, got->q[k], 0.004 * (double)got->row[k], 1e-9));
        cr_assert(epsilon_eq(dbl, got->qd[k], 0.8, 1e-7));
    }
    free_taken(got);
    tqt_recorded_free(r);
}

Test(pass, stops_when_the_sink_does)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    taken *got = new_taken();
    tq_recording_fault fault;
    put_three_sines(r);
    got->n_most = 1000;
    must_survey(r);
    cr_assert(eq(int, (int)tqt_recorded_pass(r, take, got, &fault), TQ_ERR_STOPPED));
    cr_assert(eq(sz, got->n, 1024)); /* the fourth block */
    free_taken(got);
    tqt_recorded_free(r);
}

/* Every size below the plan's is refused, none is exceeded (AddressSanitizer). */
Test(pass, says_what_memory_it_takes)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_tau, ROWS);
    tq_recording_fault fault;
    tq_pass_plan plan;
    tq_pass *pass = NULL;
    put_three_sines(r);
    for (size_t k = 0; k < r->n; k++) {
        *tqt_recorded_at(r, TQ_QUANTITY_TAU, k) = 1.0;
    }
    must_survey(r);
    cr_assert(
        eq(int, (int)tq_pass_prepare(&r->recording, TQ_PASS_BLOCKS, NULL, &plan, &fault), TQ_OK));
    tq_scratch whole = tqt_recorded_scratch(r, plan.size);
    cr_assert(
        eq(int, (int)tq_pass_begin(&r->recording, &plan, take, NULL, &whole, &pass, NULL), TQ_OK));
    cr_assert(eq(sz, whole.used, plan.size));
    for (size_t n = 64; n < plan.size; n += plan.size / 20) {
        tq_scratch part = tqt_recorded_scratch(r, n);
        tq_error error = {0};
        cr_assert(eq(int,
                     (int)tq_pass_begin(&r->recording, &plan, take, NULL, &part, &pass, &error),
                     TQ_ERR_SCRATCH));
        cr_assert(eq(dbl, error.value, (double)plan.size));
    }
    tqt_recorded_free(r);
}

static tq_recording_fault fault_of(tqt_recorded *r)
{
    tq_recording_fault fault = {0};
    tq_pass_plan plan;
    cr_assert(eq(int, (int)tq_pass_prepare(&r->recording, TQ_PASS_BLOCKS, NULL, &plan, &fault),
                 TQ_ERR_RANGE));
    return fault;
}

Test(pass, refuses_filters_and_delays_that_do_not_fit_the_clock)
{
    tqt_recorded *r = tqt_recorded_pendulum(q_only, ROWS);
    put_three_sines(r);
    must_survey(r);
    r->options.filter.cutoff = 100.0; /* Nyquist's frequency */
    cr_expect(eq(int, (int)fault_of(r).kind, TQ_FAULT_CUTOFF));
    cr_expect(epsilon_eq(dbl, fault_of(r).value, 200.0, 1e-9));
    r->options.filter.cutoff = 1e-3; /* the transient of this filter lasts minutes */
    cr_expect(eq(int, (int)fault_of(r).kind, TQ_FAULT_FILTER_SLOW));
    r->options.filter.cutoff = 20.0;
    r->options.delay = -0.051; /* 10.2 samples, and above 50 ms */
    cr_expect(eq(int, (int)fault_of(r).kind, TQ_FAULT_DELAY));
    tqt_recorded_free(r);
}
