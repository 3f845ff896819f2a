/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/subject.c - one-sample calls of inverse dynamics. */
#include "tests/support/subject.h"

#include "core/dynamics/reactions.h"
#include "core/lanes/table.h"
#include "tests/support/random_robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALONE = TQ_BLOCK_PAD }; /* stride of a single sample */

static void require(tq_status status, const tq_error *fault, const char *call)
{
    if (status != TQ_OK) {
        fprintf(stderr, "%s: %s: %s %zu %g\n", call, tq_status_slug(status),
                fault->what == NULL ? "" : fault->what, fault->index, fault->value);
        abort();
    }
}

static void *memory_of(size_t size)
{
    return tqt_doubles(size / sizeof(double) + 1);
}

tqt_subject *tqt_subject_new(const tq_model *model, size_t n_wrench)
{
    tq_error fault = {0};
    if (tq_lanes_width() == 0) {
        require(tq_lanes_select(0), &fault, "tq_lanes_select");
    }
    tqt_subject *subject = calloc(1, sizeof *subject);
    if (subject == NULL) {
        abort();
    }
    const size_t size = tq_mechanism_size(model);
    subject->model = model;
    subject->mechanism_memory = memory_of(size);
    require(tq_mechanism_build(model, subject->mechanism_memory, size, &subject->mechanism, &fault),
            &fault, "tq_mechanism_build");
    const size_t need = tq_inverse_scratch_size(subject->mechanism, n_wrench);
    subject->scratch_memory = memory_of(need);
    tq_scratch_init(&subject->scratch, subject->scratch_memory, need);
    return subject;
}

void tqt_subject_free(tqt_subject *subject)
{
    if (subject != NULL) {
        tq_scratch_init(&subject->scratch, subject->scratch_memory, 0);
        free(subject->mechanism_memory);
        free(subject->scratch_memory);
        free(subject);
    }
}

/* n contiguous numbers as rows of eight equal samples */
static double *spread(const double *x, size_t n)
{
    double *rows = tqt_doubles(n * ALONE);
    for (size_t k = 0; x != NULL && k < n * ALONE; k++) {
        rows[k] = x[k / ALONE];
    }
    return rows;
}

static void call(tqt_subject *subject, const double *x[3], const tq_external_wrench *wrench,
                 unsigned without, double *ret_tau)
{
    const tq_model *model = subject->model;
    double *q = spread(x[0], model->nq);
    double *qd = spread(x[1], model->nv);
    double *qdd = spread(x[2], model->nv);
    double *tau = tqt_doubles(model->nv * (size_t)ALONE);
    const tq_inverse_input in = {.n_sample = 1,
                                 .stride = ALONE,
                                 .q = q,
                                 .qd = x[1] == NULL ? NULL : qd,
                                 .qdd = x[2] == NULL ? NULL : qdd,
                                 .wrenches = wrench,
                                 .n_wrench = wrench != NULL,
                                 .without = without};
    tq_error fault = {0};
    require(tq_inverse_dynamics(subject->mechanism, &in, &subject->scratch, tau, &fault), &fault,
            "tq_inverse_dynamics");
    tqt_sample(tau, model->nv, ALONE, 0, ret_tau);
    free(q);
    free(qd);
    free(qdd);
    free(tau);
}

void tqt_torque(tqt_subject *subject, const double *q, const double *qd, const double *qdd,
                unsigned without, double *ret_tau)
{
    call(subject, (const double *[3]){q, qd, qdd}, NULL, without, ret_tau);
}

void tqt_reactions(tqt_subject *subject, const double *q, const double *qd, const double *qdd,
                   double *ret_wrench)
{
    const tq_model *model = subject->model;
    const size_t n_row = 6 * (size_t)model->n_link;
    double *x[3] = {spread(q, model->nq), spread(qd, model->nv), spread(qdd, model->nv)};
    double *rows = tqt_doubles(n_row * ALONE);
    const size_t need = tq_reactions_scratch_size(subject->mechanism);
    double *memory = memory_of(need);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, need);
    const tq_inverse_input in = {
        .n_sample = 1, .stride = ALONE, .q = x[0], .qd = x[1], .qdd = x[2]};
    tq_error fault = {0};
    require(tq_reactions(subject->mechanism, &in, &scratch, rows, &fault), &fault, "tq_reactions");
    tqt_sample(rows, n_row, ALONE, 0, ret_wrench);
    tq_scratch_init(&scratch, memory, 0);
    free(memory);
    free(rows);
    for (int k = 0; k < 3; k++) {
        free(x[k]);
    }
}

void tqt_hold(tqt_subject *subject, const double *q, const tq_external_wrench *wrench,
              double *ret_tau)
{
    call(subject, (const double *[3]){q, NULL, NULL}, wrench,
         TQ_WITHOUT_GRAVITY | TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION, ret_tau);
}

void tqt_mass(tqt_subject *subject, const double *q, double *ret_m)
{
    const uint32_t n = subject->model->nv;
    double *one = tqt_doubles(n);
    double *column = tqt_doubles(n);
    for (uint32_t k = 0; k < n; k++) {
        one[k] = 1.0;
        tqt_torque(subject, q, NULL, one,
                   TQ_WITHOUT_GRAVITY | TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION, column);
        one[k] = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            ret_m[i * n + k] = column[i];
        }
    }
    free(one);
    free(column);
}

void tqt_velocity(tqt_subject *subject, const double *q, const double *qd, double *ret_v)
{
    tqt_torque(subject, q, qd, NULL, TQ_WITHOUT_GRAVITY | TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION,
               ret_v);
}

void tqt_gravity(tqt_subject *subject, const double *q, double *ret_g)
{
    tqt_torque(subject, q, NULL, NULL, TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION, ret_g);
}

void tqt_christoffel(tqt_subject *subject, const double *q, double *ret_symbols)
{
    const uint32_t n = subject->model->nv;
    double *qd = tqt_doubles(n);
    double *both = tqt_doubles(n);
    double *apart = tqt_doubles((size_t)n * n); /* v at unit rate of row i only */
    for (uint32_t i = 0; i < n; i++) {
        qd[i] = 1.0;
        tqt_velocity(subject, q, qd, &apart[i * n]);
        qd[i] = 0.0;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            qd[i] += 1.0;
            qd[j] += 1.0;
            tqt_velocity(subject, q, qd, both);
            qd[i] = 0.0;
            qd[j] = 0.0;
            for (uint32_t k = 0; k < n; k++) {
                ret_symbols[(k * n + i) * n + j] =
                    0.5 * (both[k] - apart[i * n + k] - apart[j * n + k]);
            }
        }
    }
    free(qd);
    free(both);
    free(apart);
}

void tqt_coriolis(tqt_subject *subject, const double *q, const double *qd, double *ret_c)
{
    const uint32_t n = subject->model->nv;
    double *symbols = tqt_doubles((size_t)n * n * n);
    tqt_christoffel(subject, q, symbols);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t j = 0; j < n; j++) {
            ret_c[k * n + j] = 0.0;
            for (uint32_t i = 0; i < n; i++) {
                ret_c[k * n + j] += symbols[(k * n + i) * n + j] * qd[i];
            }
        }
    }
    free(symbols);
}

void tqt_spoil(tq_scratch *scratch)
{
    const size_t mark = tq_scratch_mark(scratch);
    const size_t size = (scratch->size - scratch->used) / TQ_SCRATCH_ALIGN * TQ_SCRATCH_ALIGN;
    void *all = tq_scratch_take(scratch, size, 1);
    memset(all, 0xff, size);
    tq_scratch_rewind(scratch, mark);
}
