/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/judge.c - estimates with intervals, errors of poses, observability. */
#include <math.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"
#include "core/identify/validation/student.h"
#include "core/linalg/dense.h"
#include "core/spatial/screw.h"

void tq_kinematic_add_error(const tq_kinematic *k, const double *e, tq_kinematic_errors *errors)
{
    const double square = k->m == 1 ? e[0] * e[0] : tq_dot3(e, e);
    errors->position_rms += square;
    errors->position_max = fmax(errors->position_max, sqrt(square));
    if (k->m == 6) {
        const double turn = tq_dot3(e + 3, e + 3);
        errors->rotation_rms += turn;
        errors->rotation_max = fmax(errors->rotation_max, sqrt(turn));
    }
}

void tq_kinematic_end_errors(const tq_kinematic *k, size_t n, tq_kinematic_errors *errors)
{
    errors->position_rms = sqrt(errors->position_rms / (double)n);
    errors->rotation_rms = k->m == 6 ? sqrt(errors->rotation_rms / (double)n) : (double)NAN;
    errors->rotation_max = k->m == 6 ? errors->rotation_max : (double)NAN;
}

/* Errors of all poses at x: sums of those of weight, and each into ret (n_pose x 2). */
static void measure(tq_kinematic *k, const tq_kinematic_sum *sum, const tq_kinematic_state *x,
                    tq_kinematic_errors *ret, double *ret_each)
{
    const tq_kinematic_problem *p = k->problem;
    size_t n = 0;
    *ret = (tq_kinematic_errors){0};
    for (size_t i = 0; i < p->n_pose; i++) {
        double e[TQ_KINEMATIC_ROWS] = {0.0};
        tq_kinematic_walk(k, p->q + i * p->model->nq, x);
        tq_kinematic_rows(k, x, i, e, NULL);
        ret_each[2 * i] = k->m == 1 ? e[0] : sqrt(tq_dot3(e, e));
        ret_each[2 * i + 1] = k->m == 6 ? sqrt(tq_dot3(e + 3, e + 3)) : (double)NAN;
        if (sum->weight == NULL || sum->weight[i] > 0.0) {
            tq_kinematic_add_error(k, e, ret);
            n++;
        }
    }
    tq_kinematic_end_errors(k, n, ret);
}

/* Value of a column in the state. */
static double value_of(const tq_kinematic *k, const tq_kinematic_state *x, size_t column)
{
    const tq_kinematic_parameter *c = &k->list[column];
    switch (c->part) {
    case TQ_KINEMATIC_BASE:
        return c->axis < 3 ? x->base.p[c->axis] : 0.0;
    case TQ_KINEMATIC_TOOL:
        return c->axis < 3 ? x->tool.p[c->axis] : 0.0;
    case TQ_KINEMATIC_PLANE:
        return c->axis == 2 ? x->plane[4 * (size_t)c->index + 3] : 0.0;
    case TQ_KINEMATIC_ZERO:
        return x->zero[c->index];
    case TQ_KINEMATIC_FRAME:
        return x->frame[6 * (size_t)c->index + c->axis];
    }
    return 0.0;
}

static void put_estimates(const tq_kinematic *k, tq_kinematic_result *ret)
{
    const double t = tq_student_quantile(k->problem->confidence, ret->freedom);
    const size_t n = ret->n_active;
    for (size_t c = 0; c < k->n; c++) {
        tq_kinematic_estimate *e = &ret->estimate[c];
        e->value = value_of(k, &ret->state, c);
        e->deviation = e->low = e->high = (double)NAN;
    }
    for (size_t a = 0; a < n; a++) {
        tq_kinematic_estimate *e = &ret->estimate[ret->active[a]];
        e->deviation = sqrt(ret->covariance[a * n + a]);
        e->low = e->value - t * e->deviation;
        e->high = e->value + t * e->deviation;
    }
}

/* Singular values of the Jacobian, rows in m: eigenvalues of the normal matrix. */
static tq_status observe(tq_kinematic *k, const tq_kinematic_sum *sum, const double *gram,
                         tq_kinematic_result *ret, tq_error *reterr)
{
    const size_t n = ret->n_active;
    const size_t mark = tq_scratch_mark(k->scratch);
    double *a = tq_scratch_take(k->scratch, n * n + 1, sizeof *a);
    double *values = tq_scratch_take(k->scratch, n + 1, sizeof *values);
    if (a == NULL || values == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] = gram[i * (n + 1) + j] * sum->sigma[0] * sum->sigma[0];
        }
    }
    const tq_status status = tq_eigen_symmetric(n, a, n, k->scratch, values, reterr);
    for (size_t i = 0; status == TQ_OK && i < n; i++) {
        ret->singular[i] = sqrt(fmax(values[n - 1 - i], 0.0));
        ret->weakest[i] = a[i];
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}

static tq_status put_covariance(const tq_kinematic_problem *p, const double *gram, double variance,
                                tq_kinematic_result *ret, tq_error *reterr)
{
    const size_t n = ret->n_active;
    for (size_t i = 0; i < n; i++) {
        memcpy(ret->covariance + i * n, gram + i * (n + 1), n * sizeof *gram);
    }
    /* scaled to a unit diagonal: m and rad differ by orders */
    tq_status status = TQ_OK;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            ret->covariance[i * n + j] /= sqrt(gram[i * (n + 1) + i]) * sqrt(gram[j * (n + 1) + j]);
        }
    }
    status = tq_cholesky_factor(n, ret->covariance, n, reterr);
    status = status == TQ_OK ? tq_cholesky_invert(n, ret->covariance, n, reterr) : status;
    for (size_t i = 0; status == TQ_OK && i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            ret->covariance[i * n + j] *=
                variance / (sqrt(gram[i * (n + 1) + i]) * sqrt(gram[j * (n + 1) + j]));
        }
    }
    (void)p;
    return status;
}

tq_status tq_kinematic_judge(tq_kinematic *k, const tq_kinematic_sum *sum, const double *gram,
                             const tq_kinematic_state *was, tq_kinematic_result *ret,
                             tq_error *reterr)
{
    const tq_kinematic_problem *p = k->problem;
    const size_t n = ret->n_active;
    size_t used = 0;
    if (n == 0) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "limits", 0, 0.0);
    }
    for (size_t i = 0; i < p->n_pose; i++) {
        used += sum->weight == NULL || sum->weight[i] > 0.0;
    }
    ret->n_equation = used * k->m;
    ret->freedom = (double)ret->n_equation - (double)n;
    if (!(ret->freedom > 0.0)) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "poses", used, ceil((double)(n + 1) / (double)k->m));
    }
    const double variance = fmax(gram[(n + 1) * (n + 1) - 1], 0.0) / ret->freedom;
    const bool is_stated = p->sigma[0] > 0.0;
    for (unsigned part = 0; part < 2; part++) {
        ret->sigma[part] = part == 0 || k->m == 6 ? sum->sigma[part] * sqrt(variance) : (double)NAN;
    }
    ret->variance_factor = is_stated ? variance : (double)NAN;
    tq_status status = put_covariance(p, gram, variance, ret, reterr);
    if (status == TQ_OK) {
        put_estimates(k, ret);
        measure(k, sum, &ret->state, &ret->after, ret->error);
        measure(k, sum, was, &ret->before, ret->error_was);
        status = tq_kinematic_studentize(k, sum, &ret->state, gram, ret->studentized, reterr);
    }
    const double unit = fmax(variance, 1e-300);
    for (size_t i = 0; status == TQ_OK && i < p->n_pose; i++) {
        ret->studentized[i] = sqrt(ret->studentized[i] / unit);
    }
    return status == TQ_OK ? observe(k, sum, gram, ret, reterr) : status;
}
