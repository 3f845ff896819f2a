/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/projectors.c - projectors, elimination, and torques along and normal to the
 * constraints. */
#include "core/constraints/projectors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/linalg/dense.h"

tq_status tq_constraint_projector(const tq_constrained *state, tq_scratch *scratch, double *ret_pw,
                                  tq_error *reterr)
{
    const size_t nv = state->nv, rank = state->rank;
    const size_t mark = tq_scratch_mark(scratch);
    double *force = tq_scratch_take(scratch, nv * (rank + 1), sizeof *force);   /* L Q */
    double *motion = tq_scratch_take(scratch, nv * (rank + 1), sizeof *motion); /* L^-T Q */
    if (force == NULL || motion == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    tq_status status = TQ_OK;
    for (size_t k = 0; k < rank; k++) {
        const double *q = state->basis + k * nv;
        for (size_t i = 0; i < nv; i++) {
            force[k * nv + i] = 0.0;
            for (size_t j = 0; j <= i; j++) {
                force[k * nv + i] += state->l[j * nv + i] * q[j];
            }
        }
    }
    if (rank > 0) {
        memcpy(motion, state->basis, nv * rank * sizeof *motion);
        status = tq_cholesky_half_solve(nv, state->l, nv, 1, rank, motion, nv, reterr);
    }
    for (size_t i = 0; status == TQ_OK && i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            double sum = i == j ? 1.0 : 0.0;
            for (size_t k = 0; k < rank; k++) {
                sum -= force[k * nv + i] * motion[k * nv + j];
            }
            ret_pw[i * nv + j] = sum;
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ratio of dependent to free velocities above which the free ones do not determine the motion */
static const double steepest = 1e8;

static size_t elimination_size(size_t nv, size_t rank)
{
    return 2 * tq_scratch_cost(nv + 1, sizeof(uint32_t)) +
           tq_scratch_cost(rank + 1, sizeof(size_t)) +
           tq_scratch_cost(nv * nv + 1, sizeof(double)) +
           tq_scratch_cost(rank * rank + 1, sizeof(double)) +
           tq_scratch_cost(rank * nv + 1, sizeof(double)) +
           tq_scratch_cost(rank + 1, sizeof(double)) + tq_scratch_cost(nv + 1, sizeof(int)) +
           tq_qr_scratch_size(rank + 1, nv) + tq_invert_scratch_size(rank + 1);
}

size_t tq_elimination_scratch_size(const tq_constrained *state)
{
    return elimination_size(state->nv, state->rank);
}

size_t tq_elimination_scratch_most(const tq_model *model, const tq_constraints *constraints)
{
    const size_t n_row = constraints->n_row;
    return elimination_size(model->nv, n_row < model->nv ? n_row : model->nv);
}

static bool take(const tq_constrained *s, tq_scratch *scratch, tq_elimination *e)
{
    const size_t nv = s->nv, rank = s->rank;
    e->free = tq_scratch_take(scratch, nv + 1, sizeof *e->free);
    e->bound = tq_scratch_take(scratch, nv + 1, sizeof *e->bound);
    e->rows = tq_scratch_take(scratch, rank + 1, sizeof *e->rows);
    e->t = tq_scratch_take(scratch, nv * nv + 1, sizeof *e->t);
    e->follow = tq_scratch_take(scratch, rank * rank + 1, sizeof *e->follow);
    return e->free != NULL && e->bound != NULL && e->rows != NULL && e->t != NULL &&
           e->follow != NULL;
}

/* numbers below nv that are not among n others, ascending; returns their count */
static size_t others(const uint32_t *known, size_t n, size_t nv, uint32_t *ret)
{
    size_t found = 0;
    for (uint32_t c = 0; c < nv; c++) {
        bool there = false;
        for (size_t k = 0; k < n; k++) {
            there = there || known[k] == c;
        }
        if (!there) {
            ret[found++] = c;
        }
    }
    return found;
}

/* dependent velocities: the first pivots of the independent rows */
static tq_status choose(const tq_constrained *s, tq_scratch *scratch, tq_elimination *e,
                        tq_error *reterr)
{
    const size_t nv = s->nv, rank = s->rank;
    const size_t mark = tq_scratch_mark(scratch);
    double *a = tq_scratch_take(scratch, rank * nv + 1, sizeof *a);
    double *tau = tq_scratch_take(scratch, rank + 1, sizeof *tau);
    int *pivot = tq_scratch_take(scratch, nv + 1, sizeof *pivot);
    if (a == NULL || tau == NULL || pivot == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    for (size_t k = 0; k < rank; k++) {
        e->rows[k] = (size_t)s->pivot[k];
        for (size_t c = 0; c < nv; c++) {
            a[c * rank + k] = s->a[e->rows[k] * nv + c] / s->length[e->rows[k]];
        }
    }
    for (size_t c = 0; c < nv; c++) {
        pivot[c] = (int)c;
    }
    tq_status status = TQ_OK;
    if (rank > 0) {
        status = tq_qr_factor(rank, nv, a, rank, scratch, tau, pivot, reterr);
    }
    for (size_t k = 0; k < rank; k++) {
        e->bound[k] = (uint32_t)pivot[k];
    }
    e->n_free = others(e->bound, rank, nv, e->free);
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* the caller's choice of free velocities */
static tq_status take_wanted(const tq_constrained *s, const uint32_t *wanted, size_t n_wanted,
                             tq_elimination *e, tq_error *reterr)
{
    for (size_t k = 0; k < s->rank; k++) {
        e->rows[k] = (size_t)s->pivot[k];
    }
    if (n_wanted != s->nv - s->rank || others(wanted, n_wanted, s->nv, e->bound) != s->rank) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "constraint.coordinates", 0,
                       (double)(s->nv - s->rank));
    }
    e->n_free = n_wanted;
    memcpy(e->free, wanted, n_wanted * sizeof *wanted);
    return TQ_OK;
}

/* dependent rows of qd, for one right-hand side (rank): A's columns `bound` times them equals it */
static void follow(const tq_elimination *e, size_t rank, const double *right, double *ret)
{
    for (size_t i = 0; i < rank; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < rank; j++) {
            sum += e->follow[j * rank + i] * right[j];
        }
        ret[e->bound[i]] = sum;
    }
}

static bool is_steep(const tq_elimination *e, size_t nv)
{
    for (size_t k = 0; k < nv * e->n_free; k++) {
        if (!(fabs(e->t[k]) <= steepest)) {
            return true;
        }
    }
    return false;
}

/* `wanted` NULL: by pivots */
static tq_status eliminate(const tq_constrained *s, const uint32_t *wanted, size_t n_wanted,
                           tq_scratch *scratch, tq_elimination *ret, tq_error *reterr)
{
    const size_t nv = s->nv, rank = s->rank;
    const size_t mark = tq_scratch_mark(scratch);
    tq_elimination e = {.n_free = 0};
    if (!take(s, scratch, &e)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_elimination_scratch_size(s));
    }
    tq_status status = wanted != NULL ? take_wanted(s, wanted, n_wanted, &e, reterr)
                                      : choose(s, scratch, &e, reterr);
    for (size_t c = 0; status == TQ_OK && c < rank; c++) {
        for (size_t k = 0; k < rank; k++) {
            e.follow[c * rank + k] = s->a[e.rows[k] * nv + e.bound[c]];
        }
    }
    if (status == TQ_OK && rank > 0) {
        status = tq_invert(rank, e.follow, rank, scratch, reterr);
        if (status == TQ_ERR_SINGULAR) {
            status = tq_fail(reterr, status, "constraint.coordinates", 0, (double)e.n_free);
        }
    }
    if (status != TQ_OK) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    memset(e.t, 0, nv * e.n_free * sizeof *e.t);
    for (size_t f = 0; f < e.n_free; f++) {
        double *column = e.t + f * nv;
        for (size_t i = 0; i < rank; i++) {
            for (size_t j = 0; j < rank; j++) {
                column[e.bound[i]] -= e.follow[j * rank + i] * s->a[e.rows[j] * nv + e.free[f]];
            }
        }
        column[e.free[f]] = 1.0;
    }
    if (wanted != NULL && is_steep(&e, nv)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SINGULAR, "constraint.coordinates", 0, (double)e.n_free);
    }
    *ret = e;
    return TQ_OK;
}

tq_status tq_constraint_eliminate(const tq_constrained *state, tq_scratch *scratch,
                                  tq_elimination *ret, tq_error *reterr)
{
    return eliminate(state, NULL, 0, scratch, ret, reterr);
}

tq_status tq_constraint_eliminate_by(const tq_constrained *state, const uint32_t *free,
                                     size_t n_free, tq_scratch *scratch, tq_elimination *ret,
                                     tq_error *reterr)
{
    assert(free != NULL);
    return eliminate(state, free, n_free, scratch, ret, reterr);
}

void tq_elimination_acceleration(const tq_constrained *state, const tq_elimination *elimination,
                                 const double *ud, double *ret_qdd)
{
    const tq_elimination *e = elimination;
    const size_t nv = state->nv, rank = state->rank;
    double right[TQ_CONSTRAINT_ROW_MAX];
    for (size_t k = 0; k < rank; k++) {
        right[k] = -state->gamma[e->rows[k]];
    }
    memset(ret_qdd, 0, nv * sizeof *ret_qdd);
    follow(e, rank, right, ret_qdd);
    for (size_t f = 0; f < e->n_free; f++) {
        for (size_t c = 0; c < nv; c++) {
            ret_qdd[c] += e->t[f * nv + c] * ud[f];
        }
    }
}

void tq_constraint_torque(const tq_constrained *state, const tq_elimination *elimination,
                          const double *bias, const double *ud, const double *multipliers,
                          double *ret_tau)
{
    const size_t nv = state->nv;
    const double *l = state->l;
    tq_elimination_acceleration(state, elimination, ud, ret_tau);
    for (size_t i = 0; i < nv; i++) { /* L^T qdd: entry i uses those from i on */
        double sum = 0.0;
        for (size_t j = i; j < nv; j++) {
            sum += l[i * nv + j] * ret_tau[j];
        }
        ret_tau[i] = sum;
    }
    for (size_t i = nv; i-- > 0;) { /* L (L^T qdd): entry i uses those up to i */
        double sum = 0.0;
        for (size_t j = 0; j <= i; j++) {
            sum += l[j * nv + i] * ret_tau[j];
        }
        ret_tau[i] = sum + bias[i];
        for (size_t r = 0; r < state->n_row; r++) {
            ret_tau[i] -= state->a[r * nv + i] * multipliers[r];
        }
    }
}
