/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/coverage.c - noise on position and torque, filters, fits, counts. */
#include "tests/support/coverage.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/friction_regressor.h"
#include "core/identify/noise.h"
#include "core/signal/differentiate.h"
#include "core/signal/filter.h"
#include "core/signal/spectrum.h"
#include "tests/support/fit_bench.h"
#include "tests/support/seed_robots.h"

enum { SAMPLES = 2000, EDGE = 100, COLUMNS_MAX = 64, FFT = 256, JOINTS_MAX = 8 };
static const double rate = 200;

static tq_model *arm(double smoothing)
{
    const tqt_elbow from = {.l0 = .5,
                            .l1 = .4,
                            .r0 = .2,
                            .r1 = .2,
                            .r2 = .15,
                            .g = 9.81,
                            .m = {5, 4, 2},
                            .ix = {.1, .08, .03},
                            .iy = {.05, .02, .01},
                            .iz = {.1, .07, .03}};
    tq_model *model = tqt_elbow_arm(&from);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        model->joints[j].rotor = (tq_rotor){.inertia = .3, .ratio = 1};
        model->joints[j].friction = (tq_friction){
            .viscous = 1.5 - .3 * j, .coulomb = 2 - .4 * j, .smoothing = smoothing, .offset = .2};
    }
    return model;
}

/* filters a row and keeps the samples between the edges */
static void filter_row(const tq_filter *filter, double *row, tq_scratch *scratch)
{
    const tq_status status = tq_filter_zero_phase_rows(filter, tq_filter_settling_length(filter),
                                                       SAMPLES, 1, row, SAMPLES, scratch, NULL);
    cr_assert(status == TQ_OK, "%s", tq_status_text(status));
}

/* variance of the filtered acceleration's noise, by the spectrum above all motion */
static double noise_of(const double *q, const tq_filter *filter, tq_scratch *scratch)
{
    double power[FFT / 2 + 1];
    tq_bandwidth found = {0};
    cr_assert(tq_spectrum(SAMPLES, q, rate, FFT, scratch, power, NULL) == TQ_OK);
    cr_assert(tq_bandwidth_find(FFT, rate, power, (double)INFINITY, scratch, &found, NULL) ==
              TQ_OK);
    return tq_noise_variance(found.floor, rate, filter, 1, 2);
}

/* friction regressors, through the same filter */
static void find_friction_rows(const tq_fit *fit, const tq_filter *filter, tqt_excited *x,
                               tq_scratch *scratch)
{
    const tq_stretch all = {
        .n_sample = SAMPLES, .stride = SAMPLES, .qd = x->qd, .period = 1 / rate};
    x->friction_rows = tqt_doubles(tq_friction_row_count(fit) * SAMPLES);
    tq_friction_regressor_compute(fit, &all, NULL, x->friction_rows);
    for (size_t k = 0; k < tq_friction_row_count(fit); k++) {
        filter_row(filter, x->friction_rows + k * SAMPLES, scratch);
    }
}

/* ret_variance (nv): of the accelerations' noise */
static void measure(const tqt_coverage_options *o, const tq_fit *fit, tqt_random *r, tqt_excited *x,
                    tq_scratch *scratch, double *ret_variance)
{
    tq_filter filter;
    cr_assert(tq_filter_butterworth(4, o->cutoff, rate, &filter, NULL) == TQ_OK);
    for (size_t j = 0; j < x->nv; j++) {
        double *q = x->q + j * SAMPLES, *tau = x->tau + j * SAMPLES, square = 0;
        for (size_t i = 0; i < SAMPLES; i++) {
            square += tau[i] * tau[i] / (double)SAMPLES;
        }
        for (size_t i = 0; i < SAMPLES; i++) {
            q[i] += o->noise_q * tqt_normal(r);
            tau[i] += o->noise_tau * sqrt(square) * tqt_normal(r);
        }
        ret_variance[j] = noise_of(q, &filter, scratch);
        filter_row(&filter, q, scratch);
        filter_row(&filter, tau, scratch);
        tq_difference(SAMPLES, q, 1 / rate, x->qd + j * SAMPLES);
        tq_difference(SAMPLES, x->qd + j * SAMPLES, 1 / rate, x->qdd + j * SAMPLES);
    }
    if (!o->as_it_is) {
        find_friction_rows(fit, &filter, x, scratch);
    }
    /* the ends of filters and differences are cut */
    const size_t kept = SAMPLES - 2 * EDGE;
    double *rows[5] = {x->q, x->qd, x->qdd, x->tau, x->friction_rows};
    for (size_t k = 0; k < 5; k++) {
        for (size_t j = 0; rows[k] != NULL && j < x->nv; j++) {
            memmove(rows[k] + j * kept, rows[k] + j * SAMPLES + EDGE, kept * sizeof(double));
        }
    }
    x->n_sample = kept;
}

typedef struct sums {
    double error[COLUMNS_MAX], deviation[COLUMNS_MAX];
    size_t within, textbook, n;
} sums;

static void count(const tqt_fit_bench *b, const double *truth, sums *s)
{
    for (size_t c = 0; c < b->solution.n_column; c++) {
        const tq_estimate *e = &b->solution.estimate[c];
        s->within += truth[c] >= e->low && truth[c] <= e->high;
        s->textbook += fabs(truth[c] - e->value) <= 1.96 * e->textbook;
        s->error[c] += e->value - truth[c];
        s->deviation[c] += e->deviation;
        s->n++;
    }
}

static bool is_rotor(const tqt_fit_bench *b, const tq_base_set *base, size_t c)
{
    return base->independent[c] >= 10 * b->model->n_joint && base->independent[c] % 4 == 2;
}

/* the largest relative error of a rotor */
static double worst_rotor(const tqt_fit_bench *b, const double *truth, const double *error)
{
    const tq_base_set *base = tq_fit_base(b->fit);
    double ret = 0;
    for (size_t c = 0; c < base->n_base; c++) {
        const double relative = error[c] / truth[c];
        ret = is_rotor(b, base, c) && fabs(relative) > fabs(ret) ? relative : ret;
    }
    return ret;
}

/* compares the predicted bias of a solution by position noise */
static void expect_bias(tqt_fit_bench *b, const tqt_excited *runs, size_t n_run,
                        const double *variance, double *ret_bias)
{
    const size_t mark = tq_scratch_mark(&b->scratch);
    double *memory = tqt_doubles(4 * runs->nv * TQ_BLOCK);
    tq_noise_bias *n = NULL;
    cr_assert(tq_noise_bias_begin(b->fit, &b->solution, &b->scratch, &n, NULL) == TQ_OK);
    for (size_t e = 0; e < n_run; e++) {
        for (size_t k = 0; k < tq_block_count(runs[e].n_sample); k++) {
            const tq_experiment_block block = tqt_excited_block(&runs[e], k, memory);
            cr_assert(tq_noise_bias_push(n, &block, variance + e * JOINTS_MAX, NULL) == TQ_OK);
        }
    }
    cr_assert(tq_noise_bias_find(n, &b->scratch, ret_bias, NULL) == TQ_OK);
    cr_assert(b->scratch.used - mark <= tq_noise_bias_size(b->fit));
    tq_scratch_rewind(&b->scratch, mark);
    free(memory);
}

static void read_all(tqt_fit_bench *b, const tqt_excited *runs, size_t n_run)
{
    for (size_t e = 0; e < n_run; e++) {
        tqt_fit_read(b->fit, e, &runs[e], &b->scratch);
    }
    tqt_fit_solve(b);
}

/* a fit and its repetition with instruments */
typedef struct fits {
    tq_fit *plain, *instruments;
} fits;

static fits build(tqt_fit_bench *b, const tqt_coverage_options *o)
{
    fits ret = {0};
    tq_fit_options options = tq_fit_defaults();
    /* filtered noise is uncorrelated after two periods of the cut-off, while motion up to 1 Hz has
     * hardly changed */
    options.lag = (size_t)(rate * fmin(2 / o->cutoff, .1) + .5);
    if (o->chooses) {
        options.method = TQ_FIT_FEASIBLE_IV;
        tqt_fit_build(b, &options, o->n_run);
        ret.instruments = b->fit;
    }
    options.method = o->method;
    tqt_fit_build(b, &options, o->n_run);
    ret.plain = b->fit;
    return ret;
}

tqt_coverage tqt_cover(const tqt_coverage_options *o)
{
    tqt_fit_bench b = tqt_fit_open(arm(o->smoothing > 0 ? o->smoothing : .2));
    const fits both = build(&b, o);
    const tq_base_set *base = tq_fit_base(b.fit);
    const tq_fit_options options = tq_fit_defaults();
    cr_assert(base->n_base <= COLUMNS_MAX && b.model->nv <= JOINTS_MAX);
    double *full = tqt_doubles(base->n_parameter), truth[COLUMNS_MAX];
    tq_parameter_values(b.model, options.model.with, full);
    tq_base_values(base, full, truth);
    sums s = {0};
    tqt_coverage ret = {0};
    tqt_excited *runs = calloc(o->n_run, sizeof *runs);
    double *variance = tqt_doubles(o->n_run * JOINTS_MAX);
    const size_t mark = tq_scratch_mark(&b.memory);
    for (size_t k = 0; k < o->n_experiment; k++) {
        tqt_random r = tqt_random_seed(1000 + k);
        for (size_t e = 0; e < o->n_run; e++) {
            runs[e] = tqt_excited_new(b.subject, 100 * k + e + 1, SAMPLES, rate, 5);
            measure(o, both.plain, &r, &runs[e], &b.scratch, variance + e * JOINTS_MAX);
        }
        b.fit = both.plain;
        read_all(&b, runs, o->n_run);
        if (o->chooses) {
            double bias[COLUMNS_MAX];
            size_t worst = 0;
            expect_bias(&b, runs, o->n_run, variance, bias);
            ret.expected += worst_rotor(&b, truth, bias) / (double)o->n_experiment;
            if (tq_noise_bias_worst(&b.solution, bias, &worst) > TQ_NOISE_BIAS_MOST) {
                b.fit = both.instruments;
                read_all(&b, runs, o->n_run);
                ret.switched += 1.0 / (double)o->n_experiment;
            }
        }
        count(&b, truth, &s);
        for (size_t e = 0; e < o->n_run; e++) {
            tqt_excited_free(&runs[e]);
        }
        tq_scratch_rewind(&b.memory, mark);
    }
    ret.n_interval = s.n;
    ret.within = (double)s.within / (double)s.n;
    ret.textbook = (double)s.textbook / (double)s.n;
    for (size_t c = 0; c < base->n_base; c++) {
        const double bias = s.error[c] / s.deviation[c];
        ret.bias += bias * bias / (double)base->n_base;
        s.error[c] /= (double)o->n_experiment;
    }
    ret.bias = sqrt(ret.bias);
    ret.attenuation = worst_rotor(&b, truth, s.error);
    free(full), free(runs), free(variance);
    tqt_fit_close(&b);
    return ret;
}
