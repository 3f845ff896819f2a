/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/stiction_tendons.c - tendons that dry friction holds. */
#include "core/plant/stiction_tendons.h"

#include <string.h>

#include "core/dynamics/passive/tendons.h"
#include "core/linalg/dense.h"
#include "core/plant/sticking.h"

/* of a pivot relative to its row's own entry: below it the row depends on those before it */
static const double dependent = 1e-10;

size_t tq_stuck_tendons_size(const tq_model *model)
{
    const size_t n = tq_sticking_tendons(model), nv = model->nv;
    return tq_scratch_cost(n + 1, sizeof(uint32_t)) +
           tq_scratch_cost(model->nq + nv + n * (2 * nv + n + 2) + 1, sizeof(double));
}

bool tq_stuck_tendons_take(const tq_model *model, tq_scratch *scratch, tq_stuck_tendons *ret)
{
    const size_t n = tq_sticking_tendons(model), nv = model->nv;
    *ret = (tq_stuck_tendons){.tendon = tq_scratch_take(scratch, n + 1, sizeof(uint32_t))};
    ret->q = tq_scratch_take(scratch, model->nq + nv + n * (2 * nv + n + 2) + 1, sizeof(double));
    if (ret->tendon == NULL || ret->q == NULL) {
        return false;
    }
    ret->qd = ret->q + model->nq;
    ret->rows = ret->qd + nv;
    ret->y = ret->rows + n * nv;
    ret->s = ret->y + n * nv;
    ret->target = ret->s + n * n;
    ret->hold = ret->target + n;
    return true;
}

void tq_stuck_tendons_find(const tq_model *model, const signed char *mode, size_t stride,
                           const double *q, const double *qd, tq_stuck_tendons *ret)
{
    const size_t limit = tq_sticking_tendons(model);
    ret->n = 0;
    for (uint32_t t = 0; t < model->n_tendon && ret->n < limit; t++) {
        if (mode[model->n_joint + t] == TQ_MODE_STUCK) {
            ret->tendon[ret->n++] = t;
        }
    }
    for (size_t r = 0; r < model->nq && ret->n > 0; r++) {
        ret->q[r] = q[r * stride];
    }
    for (size_t r = 0; r < model->nv && ret->n > 0; r++) {
        ret->qd[r] = qd[r * stride];
    }
    memset(ret->rows, 0, ret->n * model->nv * sizeof *ret->rows);
    memset(ret->hold, 0, ret->n * sizeof *ret->hold);
    memset(ret->target, 0, ret->n * sizeof *ret->target);
    for (size_t k = 0; k < ret->n; k++) {
        tq_tendon_pull(model, &model->tendons[ret->tendon[k]], 1, ret->q, 1.0,
                       ret->rows + k * model->nv);
    }
}

tq_status tq_stuck_tendons_turn(const tq_model *model, tq_scratch *scratch, tq_stuck_tendons *at,
                                tq_error *reterr)
{
    const tq_path_sample sample = {.stride = 1, .q = at->q, .qd = at->qd};
    tq_status status = TQ_OK;
    for (size_t k = 0; k < at->n && status == TQ_OK; k++) {
        double turn = 0.0;
        status =
            tq_tendon_turn(model, &model->tendons[at->tendon[k]], &sample, scratch, &turn, reterr);
        at->target[k] = -turn;
    }
    return status;
}

/* S = L D L^T in place, below the diagonal and on it; D_k = 0: row k depends on those before. */
static void factor(size_t n, double *s)
{
    for (size_t k = 0; k < n; k++) {
        const double own = s[k * n + k];
        for (size_t j = 0; j < k; j++) {
            double sum = s[k * n + j];
            for (size_t i = 0; i < j; i++) {
                sum -= s[k * n + i] * s[i * n + i] * s[j * n + i];
            }
            s[k * n + j] = s[j * n + j] > 0.0 ? sum / s[j * n + j] : 0.0;
        }
        double pivot = own;
        for (size_t j = 0; j < k; j++) {
            pivot -= s[k * n + j] * s[k * n + j] * s[j * n + j];
        }
        s[k * n + k] = pivot > dependent * own ? pivot : 0.0;
    }
}

static void solve(size_t n, const double *s, double *x)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < k; j++) {
            x[k] -= s[k * n + j] * x[j];
        }
        x[k] = s[k * n + k] > 0.0 ? x[k] : 0.0;
    }
    for (size_t k = n; k-- > 0;) {
        x[k] = s[k * n + k] > 0.0 ? x[k] / s[k * n + k] : 0.0;
        for (size_t j = k + 1; j < n; j++) {
            x[k] -= s[k * n + k] > 0.0 ? s[j * n + k] * x[j] : 0.0;
        }
    }
}

tq_status tq_stuck_tendons_hold(const tq_model *model, tq_stuck_tendons *at, size_t n_moving,
                                const size_t *moving, const double *l, double *x, tq_error *reterr)
{
    const size_t n = at->n, nv = model->nv;
    if (n == 0 || n_moving == 0) {
        return TQ_OK;
    }
    for (size_t k = 0; k < n; k++) {
        at->hold[k] = at->target[k];
        for (size_t a = 0; a < n_moving; a++) {
            const double slope = at->rows[k * nv + moving[a]];
            at->y[k * n_moving + a] = slope;
            at->hold[k] -= slope * x[a];
        }
    }
    const tq_status status = tq_cholesky_solve(n_moving, n, l, n_moving, at->y, n_moving, reterr);
    for (size_t k = 0; k < n && status == TQ_OK; k++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t a = 0; a < n_moving; a++) {
                sum += at->rows[k * nv + moving[a]] * at->y[j * n_moving + a];
            }
            at->s[k * n + j] = sum;
        }
    }
    if (status == TQ_OK) {
        factor(n, at->s);
        solve(n, at->s, at->hold);
        for (size_t k = 0; k < n; k++) {
            for (size_t a = 0; a < n_moving; a++) {
                x[a] += at->y[k * n_moving + a] * at->hold[k];
            }
        }
    }
    return status;
}
