/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/coverage.c - noise on position and torque, filters, fits, counts. */
#include "tests/support/coverage.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/calibrate/differentiate.h"
#include "core/calibrate/filter.h"
#include "tests/support/fit_bench.h"
#include "tests/support/seed_robots.h"

enum { SAMPLES = 2000, EDGE = 100, COLUMNS_MAX = 64 };
static const double rate = 200;

static tq_model *arm(void)
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
            .viscous = 1.5 - .3 * j, .coulomb = 2 - .4 * j, .smoothing = .2, .offset = .2};
    }
    return model;
}

/* filters a row and keeps what lies between the edges */
static void filter_row(const tq_filter *filter, double *row, tq_scratch *scratch)
{
    const tq_status status =
        tq_filter_zero_phase(filter, tq_filter_settle(filter), SAMPLES, row, scratch, NULL);
    cr_assert(status == TQ_OK, "%s", tq_status_text(status));
}

static void measure(const tqt_coverage_options *o, tqt_random *r, tqt_excited *x,
                    tq_scratch *scratch)
{
    tq_filter filter;
    cr_assert(tq_filter_butterworth(4, o->cutoff, rate, &filter, NULL) == TQ_OK);
    for (size_t j = 0; j < x->nv; j++) {
        double *q = x->q + j * SAMPLES, *tau = x->tau + j * SAMPLES, square = 0;
        for (size_t i = 0; i < SAMPLES; i++) {
            square += tau[i] * tau[i] / SAMPLES;
        }
        for (size_t i = 0; i < SAMPLES; i++) {
            q[i] += o->noise_q * tqt_normal(r);
            tau[i] += o->noise_tau * sqrt(square) * tqt_normal(r);
        }
        filter_row(&filter, q, scratch);
        filter_row(&filter, tau, scratch);
        tq_difference(SAMPLES, q, 1 / rate, x->qd + j * SAMPLES);
        tq_difference(SAMPLES, x->qd + j * SAMPLES, 1 / rate, x->qdd + j * SAMPLES);
    }
    /* the ends of filters and differences are cut */
    const size_t kept = SAMPLES - 2 * EDGE;
    double *rows[4] = {x->q, x->qd, x->qdd, x->tau};
    for (size_t k = 0; k < 4; k++) {
        for (size_t j = 0; j < x->nv; j++) {
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

tqt_coverage tqt_cover(const tqt_coverage_options *o)
{
    tqt_fit_bench b = tqt_fit_open(arm());
    tq_fit_options options = tq_fit_defaults();
    options.method = o->method;
    /* the filtered noise has faded after two periods of the cut-off; motion of up to 1 Hz must not
     * have changed */
    options.lag = (size_t)(rate * fmin(2 / o->cutoff, .1) + .5);
    tqt_fit_build(&b, &options, o->n_run);
    const tq_base_set *base = tq_fit_base(b.fit);
    cr_assert(base->n_base <= COLUMNS_MAX);
    double *full = tqt_doubles(base->n_parameter), truth[COLUMNS_MAX];
    tq_parameter_values(b.model, options.model.with, full);
    tq_base_values(base, full, truth);
    static sums s;
    s = (sums){0};
    const size_t mark = tq_scratch_mark(&b.memory);
    for (size_t k = 0; k < o->n_experiment; k++) {
        tqt_random r = tqt_random_seed(1000 + k);
        for (size_t e = 0; e < o->n_run; e++) {
            tqt_excited x = tqt_excited_new(b.subject, 100 * k + e + 1, SAMPLES, rate, 5);
            measure(o, &r, &x, &b.scratch);
            tqt_fit_read(b.fit, e, &x, &b.scratch);
            tqt_excited_free(&x);
        }
        tqt_fit_solve(&b);
        count(&b, truth, &s);
        tq_scratch_rewind(&b.memory, mark);
    }
    tqt_coverage ret = {.n_interval = s.n,
                        .within = (double)s.within / (double)s.n,
                        .textbook = (double)s.textbook / (double)s.n};
    for (size_t c = 0; c < base->n_base; c++) {
        const double bias = s.error[c] / s.deviation[c];
        ret.bias += bias * bias / (double)base->n_base;
        const double relative = s.error[c] / ((double)o->n_experiment * truth[c]);
        if (base->independent[c] >= 10 * b.model->n_joint && base->independent[c] % 4 == 2) {
            ret.attenuation = fabs(relative) > fabs(ret.attenuation) ? relative : ret.attenuation;
        }
    }
    ret.bias = sqrt(ret.bias);
    free(full);
    tqt_fit_close(&b);
    return ret;
}
