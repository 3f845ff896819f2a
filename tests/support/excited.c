/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/excited.c - Fourier motion with its torque, read into a fit. */
#include "tests/support/excited.h"
#include "core/identify/friction_regressor.h"
#include "tests/support/random_robot.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HARMONICS = 5 };

tqt_excited tqt_excited_new(tqt_subject *subject, uint64_t seed, size_t n_sample, double rate,
                            double period)
{
    const size_t nv = subject->model->nv;
    tqt_excited e = {.n_sample = n_sample, .nv = nv, .rate = rate};
    e.q = tqt_doubles(nv * n_sample), e.qd = tqt_doubles(nv * n_sample);
    e.qdd = tqt_doubles(nv * n_sample), e.tau = tqt_doubles(nv * n_sample);
    tqt_random r = tqt_random_seed(seed);
    const double w0 = 2 * M_PI / period;
    for (size_t j = 0; j < nv; j++) {
        const double offset = tqt_random_uniform(&r, -1, 1);
        double a[HARMONICS], b[HARMONICS];
        for (int h = 0; h < HARMONICS; h++) {
            a[h] = tqt_random_uniform(&r, -.7, .7) / (w0 * (h + 1));
            b[h] = tqt_random_uniform(&r, -.7, .7) / (w0 * (h + 1));
        }
        for (size_t i = 0; i < n_sample; i++) {
            double q = offset, qd = 0, qdd = 0;
            for (int h = 0; h < HARMONICS; h++) {
                const double w = w0 * (h + 1), t = (double)i / rate;
                const double s = sin(w * t), c = cos(w * t);
                q += a[h] * s + b[h] * c;
                qd += w * (a[h] * c - b[h] * s);
                qdd -= w * w * (a[h] * s + b[h] * c);
            }
            e.q[j * n_sample + i] = q, e.qd[j * n_sample + i] = qd, e.qdd[j * n_sample + i] = qdd;
        }
    }
    tqt_excited_torque(subject, &e);
    return e;
}

void tqt_excited_free(tqt_excited *e)
{
    free(e->q), free(e->qd), free(e->qdd), free(e->tau), free(e->friction_rows);
}

tq_experiment_block tqt_excited_block(const tqt_excited *e, size_t b, double *memory)
{
    const size_t n = tq_block_samples(e->n_sample, b);
    const double *rows[4] = {e->q, e->qd, e->qdd, e->tau};
    for (size_t k = 0; k < 4; k++) {
        for (size_t j = 0; j < e->nv; j++) {
            memcpy(memory + (k * e->nv + j) * TQ_BLOCK, rows[k] + j * e->n_sample + b * TQ_BLOCK,
                   n * sizeof *memory);
        }
    }
    const size_t step = e->nv * TQ_BLOCK;
    return (tq_experiment_block){.n_sample = n,
                                 .stride = TQ_BLOCK,
                                 .q = memory,
                                 .qd = memory + step,
                                 .qdd = memory + 2 * step,
                                 .tau = memory + 3 * step,
                                 .period = 1.0 / e->rate};
}

void tqt_excited_torque(tqt_subject *subject, tqt_excited *e)
{
    double *memory = tqt_doubles(4 * e->nv * TQ_BLOCK), *tau = tqt_doubles(e->nv * TQ_BLOCK);
    for (size_t b = 0; b < tq_block_count(e->n_sample); b++) {
        const tq_experiment_block block = tqt_excited_block(e, b, memory);
        tq_block_pad(memory, 3 * e->nv, TQ_BLOCK, block.n_sample);
        const tq_inverse_input in = {.n_sample = block.n_sample,
                                     .stride = TQ_BLOCK,
                                     .q = block.q,
                                     .qd = block.qd,
                                     .qdd = block.qdd};
        cr_assert(tq_inverse_dynamics(subject->mechanism, &in, &subject->scratch, tau, NULL) ==
                  TQ_OK);
        for (size_t j = 0; j < e->nv; j++) {
            memcpy(e->tau + j * e->n_sample + b * TQ_BLOCK, tau + j * TQ_BLOCK,
                   block.n_sample * sizeof *tau);
        }
    }
    free(memory), free(tau);
}

double tqt_normal(tqt_random *r)
{
    const double u = tqt_random_uniform(r, 0x1p-53, 1), v = tqt_random_uniform(r, 0, 2 * M_PI);
    return sqrt(-2 * log(u)) * cos(v);
}

/* friction regressors of block b; NULL: the experiment has none */
static const double *friction_rows_of(const tq_fit *fit, const tqt_excited *e, size_t b,
                                      double *memory)
{
    for (size_t r = 0; e->friction_rows != NULL && r < tq_friction_row_count(fit); r++) {
        memcpy(memory + r * TQ_BLOCK, e->friction_rows + r * e->n_sample + b * TQ_BLOCK,
               tq_block_samples(e->n_sample, b) * sizeof *memory);
    }
    return e->friction_rows != NULL ? memory : NULL;
}

void tqt_fit_read(tq_fit *fit, size_t number, const tqt_excited *e, tq_scratch *scratch)
{
    double *memory = tqt_doubles(4 * e->nv * TQ_BLOCK);
    double *friction_rows = tqt_doubles(tq_friction_row_count(fit) * TQ_BLOCK);
    const size_t mark = tq_scratch_mark(scratch);
    tq_error error = {0};
    tq_fit_stream *stream = NULL;
    tq_status status = tq_fit_begin(fit, number, e->n_sample, scratch, &stream, &error);
    for (size_t b = 0; status == TQ_OK && b < tq_block_count(e->n_sample); b++) {
        tq_experiment_block block = tqt_excited_block(e, b, memory);
        block.friction_rows = friction_rows_of(fit, e, b, friction_rows);
        status = tq_fit_push(stream, &block, &error);
    }
    if (status == TQ_OK) {
        status = tq_fit_end(stream, &error);
    }
    cr_assert(status == TQ_OK, "%s at %s[%d]", tq_status_text(status), error.what,
              (int)error.index);
    tq_scratch_rewind(scratch, mark);
    free(memory), free(friction_rows);
}
