/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/checks.c - RNEA and CRBA against Lagrange's equations and the stacked Newton-Euler
 * equations. */
#include "core/dynamics/checks.h"

#include <math.h>
#include <stdbool.h>

#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/linalg/dense.h"

typedef struct room {
    double *recursive, *sum, *entries, *m, *c, *rate;
    double *block_q, *block_qd, *block_qdd, *block_out, *values;
    tq_external_wrench *wrenches;
} room;

enum { STRIDE = TQ_BLOCK_PAD };

static size_t rows_out(size_t nv)
{
    return nv * (nv > 0 ? nv : 1) * STRIDE;
}

size_t tq_checks_scratch_size(const tq_mechanism *mechanism, size_t n_wrench)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv;
    size_t inner = tq_ledger_scratch_size(model);
    const size_t others[] = {
        tq_inverse_scratch_size(mechanism, n_wrench), tq_mass_matrix_scratch_size(mechanism),
        tq_derivatives_scratch_size(model), tq_eigen_symmetric_scratch_size(nv)};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        inner = others[k] > inner ? others[k] : inner;
    }
    return inner + 3 * tq_scratch_cost(nv, sizeof(double)) +
           tq_scratch_cost(TQ_LEDGER_COUNT * nv, sizeof(double)) +
           3 * tq_scratch_cost(nv * nv, sizeof(double)) +
           tq_scratch_cost((size_t)model->nq * STRIDE, sizeof(double)) +
           2 * tq_scratch_cost(nv * STRIDE, sizeof(double)) +
           tq_scratch_cost(rows_out(nv), sizeof(double)) +
           tq_scratch_cost(n_wrench, sizeof(tq_external_wrench));
}

static bool take_room(const tq_model *model, size_t n_wrench, tq_scratch *scratch, room *r)
{
    const size_t nv = model->nv;
    r->recursive = tq_scratch_take(scratch, nv, sizeof(double));
    r->sum = tq_scratch_take(scratch, nv, sizeof(double));
    r->values = tq_scratch_take(scratch, nv, sizeof(double));
    r->entries = tq_scratch_take(scratch, TQ_LEDGER_COUNT * nv, sizeof(double));
    r->m = tq_scratch_take(scratch, nv * nv, sizeof(double));
    r->c = tq_scratch_take(scratch, nv * nv, sizeof(double));
    r->rate = tq_scratch_take(scratch, nv * nv, sizeof(double));
    r->block_q = tq_scratch_take(scratch, (size_t)model->nq * STRIDE, sizeof(double));
    r->block_qd = tq_scratch_take(scratch, nv * STRIDE, sizeof(double));
    r->block_qdd = tq_scratch_take(scratch, nv * STRIDE, sizeof(double));
    r->block_out = tq_scratch_take(scratch, rows_out(nv), sizeof(double));
    r->wrenches = tq_scratch_take(scratch, n_wrench, sizeof(tq_external_wrench));
    return r->recursive != NULL && r->sum != NULL && r->values != NULL && r->entries != NULL &&
           r->m != NULL && r->c != NULL && r->rate != NULL && r->block_q != NULL &&
           r->block_qd != NULL && r->block_qdd != NULL && r->block_out != NULL &&
           (r->wrenches != NULL || n_wrench == 0);
}

static void spread(const double *x, size_t n, double *block)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < STRIDE; i++) {
            block[k * STRIDE + i] = x != NULL ? x[k] : 0.0;
        }
    }
}

static double largest(const double *x, size_t n)
{
    double most = 0.0;
    for (size_t k = 0; k < n; k++) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

static double relative(double difference, double scale)
{
    return scale > 0.0 ? difference / scale : difference;
}

static double difference(const double *a, const double *b, size_t n)
{
    double most = 0.0;
    for (size_t k = 0; k < n; k++) {
        most = fmax(most, fabs(a[k] - b[k]));
    }
    return most;
}

double tq_skew_residual(size_t nv, const double *m, const double *qd, const double *m_rate,
                        const double *c)
{
    double most = 0.0;
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            most = fmax(most, fabs(c[i * nv + j] + c[j * nv + i] - m_rate[i * nv + j]));
        }
    }
    const double still = qd != NULL ? largest(m, nv * nv) * largest(qd, nv) : 0.0;
    return relative(most, fmax(still, fmax(largest(m_rate, nv * nv), largest(c, nv * nv))));
}

size_t tq_skew_scratch_size(const tq_mechanism *mechanism)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    return 2 * tq_scratch_cost((size_t)model->nv * model->nv, sizeof(double)) +
           tq_larger(tq_mass_matrix_flat_scratch_size(mechanism),
                     tq_derivatives_scratch_size(model));
}

tq_status tq_coriolis_skew_residual(const tq_mechanism *mechanism, const tq_configuration *posture,
                                    const tq_sample *sample, const double *c, tq_scratch *scratch,
                                    double *ret_residual, tq_error *reterr)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *m = tq_scratch_take(scratch, nv * nv, sizeof *m);
    double *rate = tq_scratch_take(scratch, nv * nv, sizeof *rate);
    if (m == NULL || rate == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_skew_scratch_size(mechanism));
    }
    tq_status status = tq_mass_matrix_flat(mechanism, sample->q, 0, scratch, m, reterr);
    if (status == TQ_OK) {
        status = tq_mass_matrix_rate(posture, scratch, rate, reterr);
    }
    if (status == TQ_OK) {
        *ret_residual = tq_skew_residual(nv, m, sample->qd, rate, c);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* torque by RNEA */
static tq_status recurse(const tq_mechanism *mechanism, const tq_sample *sample,
                         tq_scratch *scratch, const room *r, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    spread(sample->q, model->nq, r->block_q);
    spread(sample->qd, model->nv, r->block_qd);
    spread(sample->qdd, model->nv, r->block_qdd);
    for (size_t w = 0; w < sample->n_wrench; w++) {
        const tq_point_wrench *from = &sample->wrenches[w];
        r->wrenches[w] = (tq_external_wrench){.link = from->link,
                                              .expressed_in = from->expressed_in,
                                              .at = {from->at[0], from->at[1], from->at[2]},
                                              .rows = from->value,
                                              .row_stride = 1};
    }
    const tq_inverse_input in = {.n_sample = 1,
                                 .stride = STRIDE,
                                 .q = r->block_q,
                                 .qd = r->block_qd,
                                 .qdd = r->block_qdd,
                                 .wrenches = r->wrenches,
                                 .n_wrench = sample->n_wrench,
                                 .gravity = sample->gravity,
                                 .without = sample->without};
    const tq_status status = tq_inverse_dynamics(mechanism, &in, scratch, r->block_out, reterr);
    for (size_t k = 0; status == TQ_OK && k < model->nv; k++) {
        r->recursive[k] = r->block_out[k * STRIDE];
    }
    return status;
}

/* sum of the terms; velocity terms by Christoffel symbols (way 0) and by the stacked equations (way
 * 1) */
static tq_status compare_torques(const tq_mechanism *mechanism, const tq_configuration *posture,
                                 const tq_sample *sample, tq_scratch *scratch, const room *r,
                                 tq_checks *ret, tq_error *reterr)
{
    const size_t nv = posture->model->nv;
    tq_status status = recurse(mechanism, sample, scratch, r, reterr);
    if (status == TQ_OK) {
        status = tq_ledger(posture, sample, scratch, r->entries, reterr);
    }
    if (status == TQ_OK) {
        status =
            tq_lagrangian_coriolis(posture, sample->qd, TQ_CORIOLIS_STACKED, scratch, r->c, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    const double scale = largest(r->entries, TQ_LEDGER_COUNT * nv);
    for (unsigned way = 0; way < 2; way++) {
        for (size_t i = 0; i < nv; i++) {
            r->sum[i] = 0.0;
            for (size_t e = 0; e < TQ_LEDGER_COUNT; e++) {
                r->sum[i] += r->entries[e * nv + i];
            }
            if (way == 1 && (sample->without & TQ_WITHOUT_VELOCITY) == 0) {
                r->sum[i] -= r->entries[TQ_LEDGER_CORIOLIS * nv + i] +
                             r->entries[TQ_LEDGER_CENTRIFUGAL * nv + i];
                for (size_t j = 0; sample->qd != NULL && j < nv; j++) {
                    r->sum[i] += r->c[i * nv + j] * sample->qd[j];
                }
            }
        }
        const double residual = relative(difference(r->recursive, r->sum, nv), scale);
        *(way == 0 ? &ret->recursive_lagrangian : &ret->recursive_stacked) = residual;
    }
    return TQ_OK;
}

static tq_status compare_matrices(const tq_mechanism *mechanism, const tq_configuration *posture,
                                  const tq_sample *sample, tq_scratch *scratch, const room *r,
                                  tq_checks *ret, tq_error *reterr)
{
    const size_t nv = posture->model->nv;
    tq_status status =
        tq_mass_matrix(mechanism, 1, STRIDE, r->block_q, 0, scratch, r->block_out, reterr);
    if (status == TQ_OK) {
        status = tq_lagrangian_mass_matrix(posture, scratch, r->m, reterr);
    }
    if (status == TQ_OK) {
        status = tq_mass_matrix_rate(posture, scratch, r->rate, reterr);
    }
    if (status == TQ_OK) {
        status = tq_lagrangian_coriolis(posture, sample->qd, TQ_CORIOLIS_CHRISTOFFEL, scratch, r->c,
                                        reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    ret->skew_symmetry = tq_skew_residual(nv, r->m, sample->qd, r->rate, r->c);
    double apart = 0.0;
    double skew = 0.0;
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            const double entry = r->m[i * nv + j];
            apart = fmax(apart, fabs(entry - r->block_out[(i * nv + j) * STRIDE]));
            skew = fmax(skew, fabs(entry - r->m[j * nv + i]));
        }
    }
    const double scale = largest(r->m, nv * nv);
    ret->mass_matrix = relative(apart, scale);
    ret->symmetry = relative(skew, scale);
    status = tq_eigenvalues_symmetric(nv, r->m, nv, scratch, r->values, reterr);
    ret->smallest_eigenvalue = status == TQ_OK && nv > 0 ? r->values[0] : 0.0;
    return status;
}

tq_status tq_checks_compute(const tq_mechanism *mechanism, const tq_configuration *posture,
                            const tq_sample *sample, tq_scratch *scratch, tq_checks *ret_checks,
                            tq_error *reterr)
{
    *ret_checks = (tq_checks){0};
    if (posture->model->nv == 0) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    room r;
    tq_status status;
    if (!take_room(posture->model, sample->n_wrench, scratch, &r)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_checks_scratch_size(mechanism, sample->n_wrench));
    } else {
        status = compare_torques(mechanism, posture, sample, scratch, &r, ret_checks, reterr);
    }
    if (status == TQ_OK) {
        status = compare_matrices(mechanism, posture, sample, scratch, &r, ret_checks, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
