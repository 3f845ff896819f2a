/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/test_session.c - a robot identified without a request; a session saved
 * and loaded before every recording of every pass. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/session.h"
#include "tests/support/excited.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"

enum { RECORDINGS = 4, FITTED = 3, SAMPLES = 6000, CACHED = 4096, RATE = 200 };

/* A two-link arm (masses, mass centres and inertias below; viscous friction 0.3, 0.2), its
 * recordings, and the memory of a session. */
typedef struct bench {
    tq_model *model;
    tqt_subject *subject;
    tqt_excited x[RECORDINGS];
    tq_identify_options options;
    tq_identify_recording recordings[RECORDINGS];
    tq_scratch own, memory[TQ_IDENTIFY_MEMORIES];
    tq_identify *session;
    double floors[2];
    double late; /* s by which the high-frequency motion lags behind the torque */
    size_t passes[TQ_IDENTIFY_PASS_COMPARE + 1]; /* recordings read, by kind */
    size_t n_saved, n_thin, largest;
} bench;

static void give(tq_scratch *scratch, size_t size)
{
    free(scratch->memory);
    *scratch = (tq_scratch){0};
    if (size > 0) {
        const size_t whole = (size + 63) / 64 * 64;
        void *memory = aligned_alloc(64, whole);
        cr_assert(memory != NULL);
        memset(memory, 0xa5, whole); /* overwrites the memory of the former session */
        tq_scratch_init(scratch, memory, whole);
    }
}

static void release(bench *b)
{
    for (size_t k = 0; k < TQ_IDENTIFY_MEMORIES; k++) {
        give(&b->memory[k], 0);
    }
    give(&b->own, 0);
}

static void begin(bench *b)
{
    release(b);
    b->options.recordings = b->recordings;
    give(&b->own, tq_identify_size(b->subject->mechanism, &b->options));
    cr_assert(eq(int,
                 tq_identify_begin(b->subject->mechanism, &b->options, b->memory, &b->own,
                                   &b->session, NULL),
                 TQ_OK));
}

static bench opened(void)
{
    static const tqt_bar bars[2] = {
        {.length = .5, .mass = 3, .com = .2, .inertia = .1, .viscous = .3},
        {.length = .4, .mass = 2, .com = .25, .inertia = .05, .viscous = .2}};
    bench b = {.model = tqt_planar_arm(bars, 2, 9.81), .floors = {1e-3, 1e-3}};
    b.subject = tqt_subject_new(b.model, 0);
    b.options.fit = tq_fit_defaults();
    b.options.fit.model.with = TQ_REGRESS_VISCOUS;
    b.options.filter = (tq_recording_filter){
        .kind = TQ_SMOOTHING_BUTTERWORTH, .order = 4, .cutoff = 20, .decimate = 1};
    b.options.validation = TQ_VALIDATE_LEAVE_ONE_OUT;
    b.options.n_recording = RECORDINGS;
    b.options.n_fitted = FITTED;
    b.options.n_point = 100;
    b.options.memory_max = (size_t)1 << 30;
    for (size_t i = 0; i < RECORDINGS; i++) {
        b.x[i] = tqt_excited_new(b.subject, 7 + i, SAMPLES, RATE, 7);
        b.recordings[i] = (tq_identify_recording){.n_row = SAMPLES,
                                                  .n_moving = SAMPLES,
                                                  .period = 1.0 / (double)RATE,
                                                  .step = 1.0 / (double)RATE,
                                                  .motion = 1,
                                                  .n_difference = 2};
    }
    return b;
}

static void closed(bench *b)
{
    release(b);
    for (size_t i = 0; i < RECORDINGS; i++) {
        tqt_excited_free(&b->x[i]);
    }
    tqt_subject_free(b->subject);
    tqt_model_free(b->model);
}

/* Above the cut-off, torque is 0.05 kg m^2 times an acceleration of 31 Hz; the motion is recorded
 * late by `late`, and read earlier by `delay`. */
static void put_fast(const bench *b, const tq_experiment_block *block, double t0, double delay,
                     double *fast, double *tau_raw)
{
    const double w = 2 * M_PI * 31;
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < block->n_sample; i++) {
            const double t = t0 + (double)i / (double)RATE;
            const double at = t - b->late + delay;
            fast[r * TQ_BLOCK + i] = 40 * sin(w * at + (double)r);
            fast[(2 + r) * TQ_BLOCK + i] = 40 * w * cos(w * at + (double)r);
            tau_raw[r * TQ_BLOCK + i] =
                block->tau[r * TQ_BLOCK + i] + .05 * 40 * sin(w * t + (double)r);
        }
    }
}

static void read_recording(bench *b, const tq_identify_step *step)
{
    const tqt_excited *x = &b->x[step->recording];
    const size_t n_cached = b->recordings[step->recording].n_cached;
    const size_t n = step->in_part && n_cached > 0 ? n_cached : x->n_sample;
    double *memory = tqt_doubles(4 * x->nv * TQ_BLOCK), *fast = tqt_doubles(4 * TQ_BLOCK);
    double *tau_raw = tqt_doubles(2 * TQ_BLOCK), t[TQ_BLOCK];
    b->passes[step->pass]++;
    for (size_t k = 0; k < n / TQ_BLOCK && !tq_identify_has_enough(b->session); k++) {
        tq_experiment_block block = tqt_excited_block(x, k, memory);
        const double t0 = (double)(k * TQ_BLOCK) / (double)RATE;
        for (size_t i = 0; i < block.n_sample; i++) {
            t[i] = t0 + (double)i / (double)RATE;
        }
        put_fast(b, &block, t0, step->delay, fast, tau_raw);
        block.fast = fast;
        block.tau_raw = tau_raw;
        block.begins = k == 0;
        tq_error error = {0};
        const tq_status status = tq_identify_push(b->session, &block, t, &error);
        cr_assert(eq(int, status, TQ_OK), "%s", error.what != NULL ? error.what : "");
    }
    free(memory), free(fast), free(tau_raw);
}

static void thin(bench *b, size_t n_enough)
{
    size_t n = 0;
    for (size_t i = 0; i < FITTED; i++) {
        n += tq_identify_expected(b->session, i, true);
    }
    for (size_t i = 0; n >= 2 * n_enough && i < FITTED; i++) {
        b->recordings[i].n_cached /= 2;
    }
    b->n_thin++;
}

static void cache(bench *b, size_t n)
{
    for (size_t i = 0; i < FITTED; i++) {
        b->recordings[i].n_cached = n;
    }
}

/* The next pass, with its memory; false: the session is done. */
static bool next_pass(bench *b, tq_identify_step *ret_step)
{
    for (;;) {
        tq_error error = {0};
        const tq_status status = tq_identify_next(b->session, ret_step, &error);
        cr_assert(eq(int, status, TQ_OK), "%s %g", error.what != NULL ? error.what : "",
                  error.value);
        if (ret_step->kind == TQ_STEP_MEMORY) {
            give(&b->memory[ret_step->slot], ret_step->size);
        } else if (ret_step->kind == TQ_STEP_THIN) {
            thin(b, ret_step->n_enough);
        } else {
            return ret_step->kind == TQ_STEP_PASS;
        }
    }
}

/* Simulates the end of the process: another session continues from the saved state. */
static void resume(bench *b, size_t n_cached, tq_identify_step *inout_step)
{
    const size_t size = tq_identify_save_size(b->session);
    if (size == 0) {
        return;
    }
    unsigned char *bytes = malloc(size);
    tq_identify_save(b->session, bytes, size);
    b->n_saved++;
    b->largest = size > b->largest ? size : b->largest;
    cache(b, n_cached);
    begin(b);
    cr_assert(tq_identify_load(b->session, bytes, size));
    const tq_identify_step before = *inout_step;
    cr_assert(next_pass(b, inout_step));
    free(bytes);
    cr_assert(eq(int, inout_step->pass, before.pass));
    cr_assert(eq(sz, inout_step->recording, before.recording));
    cr_assert(inout_step->delay == before.delay && inout_step->in_part == before.in_part &&
              inout_step->n_expected == before.n_expected);
}

static void run(bench *b, size_t n_cached, bool resumes)
{
    tq_identify_step step = {0};
    cache(b, n_cached);
    begin(b);
    while (next_pass(b, &step)) {
        if (resumes) {
            resume(b, n_cached, &step);
        }
        read_recording(b, &step);
    }
}

/* true values: base parameters of the model that generated the torque */
Test(session, identifies_a_two_link_arm)
{
    bench b = opened();
    run(&b, 0, false);
    const tq_identify_result *found = tq_identify_found(b.session);
    double *truth = tqt_doubles(found->base->n_parameter), *beta = tqt_doubles(found->base->n_base);
    tq_parameter_values(b.model, b.options.fit.model.with, truth);
    tq_base_values(found->base, truth, beta);
    for (size_t k = 0; k < found->base->n_base; k++) {
        cr_expect(epsilon_eq(dbl, found->solution.value[k], beta[k], 1e-9), "column %zu", k);
    }
    cr_expect(eq(sz, b.passes[TQ_IDENTIFY_PASS_FIT], FITTED));
    cr_expect(eq(sz, b.passes[TQ_IDENTIFY_PASS_VALIDATE], RECORDINGS));
    tq_scratch scratch = {0};
    tq_verdict_report report;
    give(&scratch, tq_verdict_size(found->fit));
    cr_assert(eq(int, tq_identify_judge(b.session, &scratch, &report, NULL), TQ_OK));
    cr_expect(eq(int, report.verdict, TQ_VERDICT_USABLE));
    give(&scratch, 0);
    closed(&b);
}

enum { COMPARED = 3 };
static const tq_estimator compared[COMPARED] = {TQ_ESTIMATOR_WLS, TQ_ESTIMATOR_IV,
                                                TQ_ESTIMATOR_IDIM_IV};

/* A delay of 5 ms, two half samples; gears without load-dependent friction; cached parts; noise
 * that requires instruments: every search of a session takes place, and
 * a comparison after it. */
static void search_everything(bench *b)
{
    b->late = 0.005;
    b->options.fit.model.with |= TQ_REGRESS_COULOMB;
    b->options.fit.model.smoothing = 0.01;
    b->options.fit.model.presliding = 2e-4;
    b->options.fit.model.relaxation = 2;
    b->options.fit.model.stribeck_speed = 0.3;
    b->options.fit.model.extra = TQ_FIT_STRIBECK | TQ_FIT_LOAD;
    b->options.searches_delay = b->options.searches_load = b->options.searches_sign = true;
    b->options.searches_stribeck = true;
    b->options.chooses_method = true;
    b->options.estimators = compared;
    b->options.n_estimator = COMPARED;
    for (size_t i = 0; i < RECORDINGS; i++) {
        b->recordings[i].floor = b->floors;
    }
}

static void expect_same(const double *x, const double *y, size_t n, const char *what)
{
    cr_expect(memcmp(x, y, n * sizeof *x) == 0, "%s differ", what);
}

static void expect_same_stats(const tq_identify_residuals *x, const tq_identify_residuals *y)
{
    for (unsigned part = 0; part < 3; part++) {
        cr_expect(memcmp(x->parts[part], y->parts[part], 2 * sizeof *x->parts[part]) == 0);
    }
}

static void compare(const bench *a, const bench *b)
{
    const tq_identify_result *x = tq_identify_found(a->session);
    const tq_identify_result *y = tq_identify_found(b->session);
    const size_t n = x->n_column;
    cr_assert(eq(sz, n, y->n_column));
    expect_same(x->solution.value, y->solution.value, tq_fit_value_count(x->fit), "values");
    expect_same(x->solution.covariance, y->solution.covariance, n * n, "covariances");
    expect_same(x->solution.sigma, y->solution.sigma, 2, "residuals");
    expect_same(x->bias, y->bias, n, "biases");
    expect_same(&x->bias_worst, &y->bias_worst, 1, "worst biases");
    for (size_t k = 0; k < n; k++) {
        const tq_estimate *e = &x->solution.estimate[k], *f = &y->solution.estimate[k];
        const double of_x[] = {e->value, e->deviation, e->low, e->high, e->unbound},
                     of_y[] = {f->value, f->deviation, f->low, f->high, f->unbound};
        expect_same(of_x, of_y, 5, "estimates");
        cr_expect(eq(int, e->grade, f->grade));
    }
    expect_same_stats(&x->fitted, &y->fitted);
    expect_same_stats(&x->validated, &y->validated);
    for (size_t i = 0; i < RECORDINGS; i++) {
        expect_same_stats(&x->recordings[i], &y->recordings[i]);
        const tq_identify_series *s = &x->series[i], *u = &y->series[i];
        cr_assert(eq(sz, s->n, u->n));
        expect_same(s->t, u->t, s->n, "times");
        expect_same(s->measured, u->measured, 2 * s->n, "measured torques");
        expect_same(s->predicted, u->predicted, 2 * s->n, "predicted torques");
        cr_expect(memcmp(x->rollouts[i].joints, y->rollouts[i].joints,
                         2 * sizeof(tq_rollout_error)) == 0);
    }
    cr_expect(
        memcmp(x->all_rollouts.joints, y->all_rollouts.joints, 2 * sizeof(tq_rollout_error)) == 0);
    for (size_t r = 0; r < 2; r++) {
        const tq_static_residual s = tq_static_check_of(x->static_check, r);
        const tq_static_residual u = tq_static_check_of(y->static_check, r);
        cr_expect(s.n_pose == u.n_pose && s.n_pair == u.n_pair);
    }
    cr_assert(eq(sz, x->n_compared, COMPARED));
    for (size_t k = 0; k < COMPARED; k++) {
        const tq_compared *s = &x->compared[k], *u = &y->compared[k];
        cr_expect(eq(int, s->fault, TQ_COMPARED_GOOD), "estimator %zu", k);
        expect_same(s->value, u->value, n, "compared values");
        expect_same(s->rmse, u->rmse, 2, "compared errors");
    }
    const tq_identify_choice p = tq_identify_chosen(a->session), q = tq_identify_chosen(b->session);
    cr_expect(p.method == q.method && p.model.extra == q.model.extra && p.delay == q.delay &&
              p.lag == q.lag && p.model.smoothing == q.model.smoothing &&
              p.model.presliding == q.model.presliding && p.model.relaxation == q.model.relaxation);
}

Test(session, resumes_with_the_same_bits_before_every_recording, .timeout = 300)
{
    bench a = opened(), b = opened();
    search_everything(&a);
    search_everything(&b);
    run(&a, CACHED, false);
    run(&b, CACHED, true);
    for (unsigned k = 0; k <= TQ_IDENTIFY_PASS_COMPARE; k++) {
        cr_expect(eq(sz, a.passes[k], b.passes[k]), "passes of kind %u", k);
    }
    const tq_identify_choice choice = tq_identify_chosen(a.session);
    cr_expect(epsilon_eq(dbl, choice.delay, a.late, 1e-4));
    cr_expect(choice.took_instruments && choice.found_sign && choice.is_sampled);
    cr_expect(eq(uint, choice.model.extra, 0)); /* the arm has neither friction */
    cr_expect(a.passes[TQ_IDENTIFY_PASS_NOISE] == FITTED && a.passes[TQ_IDENTIFY_PASS_ALIGN] >= 3);
    cr_expect(eq(sz, a.passes[TQ_IDENTIFY_PASS_VALIDATE], 2 * RECORDINGS));
    /* all passes except the short one that predicts the bias */
    cr_expect(eq(sz, b.n_saved,
                 a.passes[TQ_IDENTIFY_PASS_ALIGN] + a.passes[TQ_IDENTIFY_PASS_FIT] +
                     a.passes[TQ_IDENTIFY_PASS_VALIDATE]));
    cr_expect(lt(sz, b.largest, (size_t)1 << 20));
    compare(&a, &b);
    closed(&a);
    closed(&b);
}

/* output error after the fit: the arm is found, and resumes give the same bits */
Test(session, output_error_is_a_method, .timeout = 300)
{
    bench a = opened(), b = opened();
    a.options.is_output = b.options.is_output = true;
    run(&a, CACHED, false);
    run(&b, CACHED, true);
    const tq_identify_result *x = tq_identify_found(a.session), *y = tq_identify_found(b.session);
    double *truth = tqt_doubles(x->base->n_parameter), *beta = tqt_doubles(x->base->n_base);
    tq_parameter_values(a.model, a.options.fit.model.with, truth);
    tq_base_values(x->base, truth, beta);
    for (size_t k = 0; k < x->base->n_base; k++) { /* steps of 5 ms */
        cr_expect(epsilon_eq(dbl, x->solution.value[k], beta[k], 2e-3), "column %zu", k);
        cr_expect(isfinite(x->solution.estimate[k].deviation) &&
                  x->solution.estimate[k].deviation > 0.0);
    }
    expect_same(x->solution.value, y->solution.value, tq_fit_value_count(x->fit), "values");
    expect_same(x->solution.covariance, y->solution.covariance, x->n_column * x->n_column,
                "covariances");
    expect_same_stats(&x->validated, &y->validated);
    free(truth);
    free(beta);
    cr_expect(x->output->n_simulation >= 2 && x->output->n_lost == 0 && x->output->n_window > 0);
    cr_expect(gt(sz, b.n_saved, 0));
    closed(&a);
    closed(&b);
}

/* a damaged state, or one of other data or another number of recordings, is not accepted */
Test(session, refuses_what_is_not_its_own_state)
{
    bench b = opened();
    tq_identify_step step = {0};
    begin(&b);
    cr_assert(eq(sz, tq_identify_save_size(b.session), 0));
    cr_assert(next_pass(&b, &step));
    const size_t size = tq_identify_save_size(b.session);
    unsigned char *bytes = malloc(size);
    tq_identify_save(b.session, bytes, size);
    begin(&b);
    cr_expect(not(tq_identify_load(b.session, bytes, size - 1)));
    cr_expect(not(tq_identify_load(b.session, bytes, 7)));
    for (size_t at = 0; at < size; at += 61) {
        bytes[at] ^= 4;
        cr_expect(not(tq_identify_load(b.session, bytes, size)), "byte %zu", at);
        bytes[at] ^= 4;
    }
    b.recordings[1].period *= 1.0 + 1e-15;
    begin(&b);
    cr_expect(not(tq_identify_load(b.session, bytes, size)));
    b.recordings[1].period = 1.0 / (double)RATE;
    begin(&b);
    cr_expect(tq_identify_load(b.session, bytes, size));
    free(bytes);
    closed(&b);
}
