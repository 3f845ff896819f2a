/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/solve.c - rank-revealing QR of the constraint rows in the metric of M. */
#include "core/constraints/solve.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/linalg/dense.h"

/* relative length below which a row of A L^-T is zero */
static const double least_row = 1e-12;
/* relative deviation of a dependent row from its target: assembly errors and rounding are below */
static const double off_target = 1e-6;

enum { ALONE = TQ_BLOCK_PAD }; /* stride of one sample */

uint32_t tq_constraint_of_row(const tq_constraints *constraints, size_t row)
{
    for (uint32_t i = 0; i < constraints->n_constraint; i++) {
        const tq_constraint *c = &constraints->items[i];
        if (row < c->first_row + c->n_row) {
            return i;
        }
    }
    return constraints->n_constraint;
}

/* scratch of the factorisation, of tq_constrained_nearest and of tq_constrained_explain */
static size_t inner_size(const tq_mechanism *mechanism, size_t nv, size_t n_row)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t k = tq_smaller(nv, n_row) + 1;
    const size_t mass = tq_scratch_cost(nv * nv * ALONE, sizeof(double)) +
                        tq_scratch_cost((size_t)model->nq * ALONE, sizeof(double)) +
                        tq_mass_matrix_scratch_size(mechanism);
    const size_t rows = tq_constraint_rows_scratch_size(model);
    const size_t qr =
        tq_scratch_cost(k, sizeof(double)) + tq_qr_scratch_size(nv + 1, tq_larger(n_row, 1));
    const size_t solve = 4 * tq_scratch_cost(nv + n_row + 1, sizeof(double)) +
                         tq_scratch_cost(k * (n_row + 1), sizeof(double)) +
                         tq_lstsq_scratch_size(k, n_row + 1);
    return tq_larger(tq_larger(mass, rows), tq_larger(qr, solve));
}

size_t tq_constrained_scratch_size(const tq_mechanism *mechanism, const tq_constraints *constraints)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv, n = constraints->n_row;
    return tq_configuration_scratch_size(model) + tq_scratch_cost(nv * nv, sizeof(double)) +
           3 * tq_scratch_cost(n * nv, sizeof(double)) +
           tq_scratch_cost(tq_smaller(nv, n) * n, sizeof(double)) +
           4 * tq_scratch_cost(n, sizeof(double)) + tq_scratch_cost(n, sizeof(int)) +
           inner_size(mechanism, nv, n);
}

static bool take(tq_constrained *s, tq_scratch *scratch)
{
    const size_t nv = s->nv, n = s->n_row;
    s->l = tq_scratch_take(scratch, nv * nv, sizeof(double));
    s->a = tq_scratch_take(scratch, n * nv, sizeof(double));
    s->rate = tq_scratch_take(scratch, n * nv, sizeof(double));
    s->basis = tq_scratch_take(scratch, n * nv, sizeof(double));
    s->r = tq_scratch_take(scratch, tq_smaller(nv, n) * n, sizeof(double));
    s->position = tq_scratch_take(scratch, n, sizeof(double));
    s->velocity = tq_scratch_take(scratch, n, sizeof(double));
    s->gamma = tq_scratch_take(scratch, n, sizeof(double));
    s->length = tq_scratch_take(scratch, n, sizeof(double));
    s->pivot = tq_scratch_take(scratch, n, sizeof(int));
    return s->l != NULL && s->a != NULL && s->rate != NULL && s->basis != NULL && s->r != NULL &&
           s->position != NULL && s->velocity != NULL && s->gamma != NULL && s->length != NULL &&
           s->pivot != NULL;
}

static uint32_t joint_of_row(const tq_model *model, size_t row)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->mimic == TQ_NONE && row >= joint->v_index && row < joint->v_index + joint->nv) {
            return j;
        }
    }
    return 0;
}

/* Cholesky factor L of M(q), with rotors unless omitted */
static tq_status factor_mass(const tq_mechanism *mechanism, const double *q, unsigned without,
                             tq_scratch *scratch, double *ret_l, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *rows = tq_scratch_take(scratch, (size_t)model->nq * ALONE, sizeof *rows);
    double *m = tq_scratch_take(scratch, nv * nv * ALONE, sizeof *m);
    tq_status status = TQ_ERR_SCRATCH;
    if (rows != NULL && m != NULL) {
        for (size_t k = 0; k < (size_t)model->nq * ALONE; k++) {
            rows[k] = q[k / ALONE];
        }
        status = tq_mass_matrix(mechanism, 1, ALONE, rows, without, scratch, m, reterr);
    }
    if (status == TQ_OK) {
        for (size_t k = 0; k < nv * nv; k++) {
            ret_l[k] = m[k * ALONE];
        }
        tq_error error = {0};
        status = tq_cholesky_factor(nv, ret_l, nv, &error);
        if (status == TQ_ERR_SINGULAR) {
            status =
                tq_fail(reterr, status, "joint.inertia", joint_of_row(model, error.index - 1), 0.0);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* Q, R and rank of L^-1 A^T with columns of length 1 */
static tq_status factor_rows(tq_constrained *s, tq_scratch *scratch, tq_error *reterr)
{
    const size_t nv = s->nv, n = s->n_row, k = tq_smaller(nv, n);
    const size_t mark = tq_scratch_mark(scratch);
    memcpy(s->basis, s->a, n * nv * sizeof(double));
    tq_status status = tq_cholesky_half_solve(nv, s->l, nv, 0, n, s->basis, nv, reterr);
    double longest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t c = 0; c < nv; c++) {
            sum += s->basis[i * nv + c] * s->basis[i * nv + c];
        }
        s->length[i] = sqrt(sum);
        longest = fmax(longest, s->length[i]);
    }
    for (size_t i = 0; i < n; i++) {
        s->length[i] = s->length[i] > least_row * longest ? s->length[i] : 0.0;
        for (size_t c = 0; c < nv; c++) {
            s->basis[i * nv + c] *= s->length[i] > 0.0 ? 1.0 / s->length[i] : 0.0;
        }
    }
    double *tau = tq_scratch_take(scratch, k, sizeof *tau);
    if (status == TQ_OK) {
        status = tau == NULL ? TQ_ERR_SCRATCH
                             : tq_qr_factor(nv, n, s->basis, nv, scratch, tau, s->pivot, reterr);
    }
    if (status == TQ_OK) {
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < k; i++) {
                s->r[j * k + i] = i <= j ? s->basis[j * nv + i] : 0.0;
            }
        }
        s->rank = longest > 0.0 ? tq_qr_rank(nv, n, s->r, k, TQ_CONSTRAINT_RANK) : 0;
        if (s->rank > 0) {
            status = tq_qr_basis(nv, s->rank, s->basis, nv, tau, scratch, reterr);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* zeroes the rows that do not take part */
static void choose_rows(tq_constrained *s)
{
    for (uint32_t i = 0; i < s->constraints->n_constraint; i++) {
        const tq_constraint *c = &s->constraints->items[i];
        for (uint32_t r = 0; r < c->n_row; r++) {
            if (!tq_constraint_is_holonomic(c, r)) {
                memset(s->a + (c->first_row + r) * s->nv, 0, s->nv * sizeof(double));
            }
        }
    }
}

tq_status tq_constrained_factor(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                const tq_constrained_at *at, tq_scratch *scratch,
                                tq_constrained *ret, tq_error *reterr)
{
    const double *q = at->q, *qd = at->qd;
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t mark = tq_scratch_mark(scratch);
    tq_constrained s = {.constraints = constraints, .nv = model->nv, .n_row = constraints->n_row};
    assert(s.nv > 0);
    const double nv = (double)s.nv, rows = (double)s.n_row;
    tq_status status =
        tq_scratch_work(scratch, nv * nv * (nv + rows) + rows * rows * (nv + rows), reterr);
    if (status == TQ_OK) {
        status = tq_configuration_compute(model, q, qd, scratch, &s.posture, reterr);
    }
    if (status == TQ_OK && !take(&s, scratch)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_constrained_scratch_size(mechanism, constraints));
    }
    if (status == TQ_OK) {
        status = factor_mass(mechanism, q, at->without, scratch, s.l, reterr);
    }
    if (status == TQ_OK && s.n_row > 0) {
        const tq_constraint_rows to = {
            .a = s.a, .rate = s.rate, .position = s.position, .velocity = s.velocity};
        status = tq_constraint_rows_compute(constraints, &s.posture, q, qd, scratch, &to, reterr);
        for (size_t i = 0; status == TQ_OK && i < s.n_row; i++) {
            s.gamma[i] = 0.0;
            for (size_t c = 0; qd != NULL && c < s.nv; c++) {
                s.gamma[i] += s.rate[i * s.nv + c] * qd[c];
            }
        }
        if (status == TQ_OK && at->rows == TQ_ROWS_HOLONOMIC) {
            choose_rows(&s);
        }
        if (status == TQ_OK) {
            status = factor_rows(&s, scratch, reterr);
        }
    }
    if (status != TQ_OK) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    *ret = s;
    return TQ_OK;
}

/* Minimum-norm multipliers with R P^T diag(length) multipliers = w (rank). */
static tq_status least_multipliers(const tq_constrained *s, const double *w, tq_scratch *scratch,
                                   double *ret, tq_error *reterr)
{
    const size_t k = tq_smaller(s->nv, s->n_row), n = s->n_row, rank = s->rank;
    const size_t mark = tq_scratch_mark(scratch);
    double *m = tq_scratch_take(scratch, rank * n, sizeof *m);
    double *x = tq_scratch_take(scratch, n, sizeof *x);
    tq_status status = TQ_OK;
    memset(ret, 0, n * sizeof *ret);
    if (m == NULL || x == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    } else if (rank == n) {
        memcpy(x, w, rank * sizeof *x);
        status = tq_triangle_solve(rank, s->r, k, 1, x, n, reterr);
        for (size_t j = 0; status == TQ_OK && j < n; j++) {
            ret[s->pivot[j]] = x[j] / s->length[s->pivot[j]];
        }
    } else {
        size_t found = 0;
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < rank; i++) {
                m[j * rank + i] = s->r[j * k + i] * s->length[s->pivot[j]];
            }
        }
        memset(x, 0, n * sizeof *x);
        memcpy(x, w, rank * sizeof *x);
        status = tq_lstsq(rank, n, m, x, 0.0, scratch, &found, reterr);
        for (size_t j = 0; status == TQ_OK && j < n; j++) {
            ret[s->pivot[j]] = x[j];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* Q^T y */
static void onto_basis(const tq_constrained *s, const double *y, double *ret)
{
    for (size_t i = 0; i < s->rank; i++) {
        ret[i] = 0.0;
        for (size_t c = 0; c < s->nv; c++) {
            ret[i] += s->basis[i * s->nv + c] * y[c];
        }
    }
}

/* y += s Q w */
static void add_basis(const tq_constrained *s, double by, const double *w, double *y)
{
    for (size_t i = 0; i < s->rank; i++) {
        for (size_t c = 0; c < s->nv; c++) {
            y[c] += by * w[i] * s->basis[i * s->nv + c];
        }
    }
}

/* z (rank) with R11^T z = scaled target; checks the dependent rows */
static tq_status meet_target(const tq_constrained *s, const double *target,
                             tq_contradiction contradiction, double *ret_z, tq_error *reterr)
{
    const size_t k = tq_smaller(s->nv, s->n_row);
    for (size_t j = 0; j < s->rank; j++) {
        ret_z[j] = target[s->pivot[j]] / s->length[s->pivot[j]];
    }
    tq_status status = tq_triangle_solve_transposed(s->rank, s->r, k, 1, ret_z, s->n_row, reterr);
    double size = 0.0;
    for (size_t j = 0; j < s->rank; j++) {
        size = fmax(size, fabs(ret_z[j]));
    }
    const size_t n_check = contradiction == TQ_CONTRADICTION_REFUSE ? s->n_row : s->rank;
    for (size_t j = s->rank; status == TQ_OK && j < n_check; j++) {
        const size_t row = (size_t)s->pivot[j];
        if (s->length[row] == 0.0) { /* no velocity changes this row here */
            if (!(fabs(target[row]) <= off_target)) {
                status = tq_fail(reterr, TQ_ERR_SINGULAR, "constraint.row", row, target[row]);
            }
            continue;
        }
        const double want = target[row] / s->length[row];
        double got = 0.0;
        for (size_t i = 0; i < s->rank; i++) {
            got += s->r[j * k + i] * ret_z[i];
        }
        if (!(fabs(got - want) <= off_target * (1.0 + size + fabs(want)))) {
            status = tq_fail(reterr, TQ_ERR_SINGULAR, "constraint.row", row, got - want);
        }
    }
    return status;
}

tq_status tq_constrained_nearest(const tq_constrained *state, const double *target,
                                 tq_contradiction contradiction, tq_scratch *scratch, double *v,
                                 double *ret_multipliers, tq_error *reterr)
{
    const tq_constrained *s = state;
    const size_t nv = s->nv, n = s->n_row;
    if (ret_multipliers != NULL) {
        memset(ret_multipliers, 0, n * sizeof *ret_multipliers);
    }
    if (s->rank == 0) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *y = tq_scratch_take(scratch, nv, sizeof *y);
    double *z = tq_scratch_take(scratch, n, sizeof *z);
    double *w = tq_scratch_take(scratch, n, sizeof *w);
    tq_status status = TQ_ERR_SCRATCH;
    if (y != NULL && z != NULL && w != NULL) {
        for (size_t i = 0; i < nv; i++) { /* y = L^T v */
            y[i] = 0.0;
            for (size_t c = i; c < nv; c++) {
                y[i] += s->l[i * nv + c] * v[c];
            }
        }
        status = meet_target(s, target, contradiction, z, reterr);
    }
    if (status == TQ_OK) {
        onto_basis(s, y, w);
        for (size_t i = 0; i < s->rank; i++) {
            w[i] = z[i] - w[i];
        }
        if (ret_multipliers != NULL) {
            status = least_multipliers(s, w, scratch, ret_multipliers, reterr);
        }
    }
    if (status == TQ_OK) {
        memset(y, 0, nv * sizeof *y);
        add_basis(s, 1.0, w, y);
        status = tq_cholesky_half_solve(nv, s->l, nv, 1, 1, y, nv, reterr);
        for (size_t i = 0; status == TQ_OK && i < nv; i++) {
            v[i] += y[i];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_constrained_explain(const tq_constrained *state, tq_scratch *scratch, double *force,
                                 double *ret_multipliers, tq_error *reterr)
{
    const tq_constrained *s = state;
    const size_t nv = s->nv, n = s->n_row;
    memset(ret_multipliers, 0, n * sizeof *ret_multipliers);
    if (s->rank == 0) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *y = tq_scratch_take(scratch, nv, sizeof *y);
    double *w = tq_scratch_take(scratch, n, sizeof *w);
    tq_status status = TQ_ERR_SCRATCH;
    if (y != NULL && w != NULL) {
        memcpy(y, force, nv * sizeof *y);
        status = tq_cholesky_half_solve(nv, s->l, nv, 0, 1, y, nv, reterr);
    }
    if (status == TQ_OK) {
        onto_basis(s, y, w);
        status = least_multipliers(s, w, scratch, ret_multipliers, reterr);
    }
    for (size_t i = 0; status == TQ_OK && i < n; i++) {
        for (size_t c = 0; c < nv; c++) {
            force[c] -= s->a[i * nv + c] * ret_multipliers[i];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_constrained_unload(const tq_constrained *state, size_t n, double *forces,
                                tq_error *reterr)
{
    const tq_constrained *s = state;
    const size_t nv = s->nv;
    const tq_status status = tq_cholesky_half_solve(nv, s->l, nv, 0, n, forces, nv, reterr);
    for (size_t k = 0; status == TQ_OK && k < n; k++) {
        double *x = forces + k * nv;
        for (size_t i = 0; i < s->rank; i++) {
            double part = 0.0;
            for (size_t c = 0; c < nv; c++) {
                part += s->basis[i * nv + c] * x[c];
            }
            for (size_t c = 0; c < nv; c++) {
                x[c] -= part * s->basis[i * nv + c];
            }
        }
    }
    return status;
}

void tq_constrained_force(const tq_constrained *state, const double *multipliers, double *ret_force)
{
    for (size_t c = 0; c < state->nv; c++) {
        ret_force[c] = 0.0;
        for (size_t r = 0; r < state->n_row; r++) {
            ret_force[c] += state->a[r * state->nv + c] * multipliers[r];
        }
    }
}

double tq_constrained_power(const tq_constrained *state, const double *multipliers,
                            const double *qd)
{
    double power = 0.0;
    for (size_t r = 0; r < state->n_row; r++) {
        double rate = 0.0;
        for (size_t c = 0; c < state->nv; c++) {
            rate += state->a[r * state->nv + c] * qd[c];
        }
        power += multipliers[r] * rate;
    }
    return power;
}
