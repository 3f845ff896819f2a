/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/integrability.c - Lie brackets of the allowed directions. */
#include "core/constraints/integrability.h"

#include <math.h>
#include <string.h>

#include "core/linalg/dense.h"
#include "core/spatial/screw.h"

static const double rounding = 1e-9; /* brackets relative to their terms below this are zero */

typedef struct room {
    double *x;       /* (n_free x nv) allowed directions, scaled to kinetic energy 1/2 */
    double *rates;   /* (n_free x n_row x nv) dA along each */
    double *a;       /* (n_row x nv) */
    double *bracket; /* (nv) */
    double *dw;      /* (n_pair x n_row, column-major) divided by the lengths of the rows */
    double *tau;
    int *pivot;
} room;

static size_t pair_count(size_t n_free)
{
    return n_free * (n_free - 1) / 2;
}

size_t tq_integrability_scratch_size(const tq_constrained *state)
{
    const size_t nv = state->nv, n_row = state->n_row, n_free = nv - state->rank;
    const size_t n_pair = n_free > 1 ? pair_count(n_free) : 1;
    const tq_model *model = state->posture.model;
    return tq_elimination_scratch_size(state) + tq_scratch_cost(n_free * nv + 1, sizeof(double)) +
           tq_scratch_cost(n_free * n_row * nv + 1, sizeof(double)) +
           tq_scratch_cost(n_row * nv + 1, sizeof(double)) +
           tq_scratch_cost(nv + 1, sizeof(double)) +
           tq_scratch_cost(n_pair * n_row + 1, sizeof(double)) +
           tq_scratch_cost(n_row + 1, sizeof(double)) + tq_scratch_cost(n_row + 1, sizeof(int)) +
           tq_qr_scratch_size(n_pair, n_row + 1) + tq_configuration_scratch_size(model) +
           tq_constraint_rows_scratch_size(model);
}

static bool take(const tq_constrained *s, size_t n_free, tq_scratch *scratch, room *r)
{
    const size_t nv = s->nv, n_row = s->n_row;
    r->x = tq_scratch_take(scratch, n_free * nv + 1, sizeof(double));
    r->rates = tq_scratch_take(scratch, n_free * n_row * nv + 1, sizeof(double));
    r->a = tq_scratch_take(scratch, n_row * nv + 1, sizeof(double));
    r->bracket = tq_scratch_take(scratch, nv + 1, sizeof(double));
    r->dw = tq_scratch_take(scratch, pair_count(n_free) * n_row + 1, sizeof(double));
    r->tau = tq_scratch_take(scratch, n_row + 1, sizeof(double));
    r->pivot = tq_scratch_take(scratch, n_row + 1, sizeof(int));
    return r->x != NULL && r->rates != NULL && r->a != NULL && r->bracket != NULL &&
           r->dw != NULL && r->tau != NULL && r->pivot != NULL;
}

/* columns of t, scaled to kinetic energy 1/2 */
static void set_directions(const tq_constrained *s, const tq_elimination *e, room *r)
{
    const size_t nv = s->nv;
    for (size_t f = 0; f < e->n_free; f++) {
        double sum = 0.0;
        for (size_t i = 0; i < nv; i++) {
            double y = 0.0;
            for (size_t j = i; j < nv; j++) {
                y += s->l[i * nv + j] * e->t[f * nv + j];
            }
            sum += y * y;
        }
        for (size_t i = 0; i < nv; i++) {
            r->x[f * nv + i] = e->t[f * nv + i] / sqrt(sum);
        }
    }
}

static tq_status set_rates(const tq_constrained *s, const double *q, size_t n_free,
                           tq_scratch *scratch, room *r, tq_error *reterr)
{
    tq_status status = TQ_OK;
    for (size_t f = 0; f < n_free && status == TQ_OK; f++) {
        const size_t mark = tq_scratch_mark(scratch);
        const double *x = r->x + f * s->nv;
        const tq_constraint_rows to = {.a = r->a, .rate = r->rates + f * s->n_row * s->nv};
        tq_configuration posture;
        status = tq_configuration_compute(s->posture.model, q, x, scratch, &posture, reterr);
        if (status == TQ_OK) {
            status =
                tq_constraint_rows_compute(s->constraints, &posture, q, x, scratch, &to, reterr);
        }
        tq_scratch_rewind(scratch, mark);
    }
    return status;
}

/* Lie bracket of two vector fields of constant components: rotations and twists of a child do not
 * commute */
static void lie_bracket(const tq_model *model, const double *x, const double *y, double *ret)
{
    memset(ret, 0, model->nv * sizeof *ret);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const uint32_t v = joint->v_index;
        if (joint->kind == TQ_JOINT_SPHERICAL) {
            tq_vec_cross(x + v, y + v, ret + v);
        } else if (joint->kind == TQ_JOINT_FLOATING) {
            tq_screw_cross(x + v, y + v, ret + v);
        }
    }
}

/* exterior derivative dw(x_f, x_g) of row `row`, and the size of its terms */
static double exterior(const tq_constrained *s, const room *r, size_t f, size_t g, size_t row,
                       double *ret_size)
{
    const size_t nv = s->nv, n = s->n_row * nv;
    double sum = 0.0, size = 0.0;
    for (size_t c = 0; c < nv; c++) {
        const double one = r->rates[f * n + row * nv + c] * r->x[g * nv + c];
        const double other = r->rates[g * n + row * nv + c] * r->x[f * nv + c];
        const double third = s->a[row * nv + c] * r->bracket[c];
        sum += one - other - third;
        size += fabs(one) + fabs(other) + fabs(third);
    }
    *ret_size = size;
    return sum;
}

/* dw of every row for every pair of directions, and the largest of the terms */
static double set_brackets(const tq_constrained *s, size_t n_free, room *r)
{
    const size_t n_pair = pair_count(n_free);
    double largest = 0.0;
    size_t pair = 0;
    for (size_t f = 0; f < n_free; f++) {
        for (size_t g = f + 1; g < n_free; g++, pair++) {
            lie_bracket(s->posture.model, r->x + f * s->nv, r->x + g * s->nv, r->bracket);
            for (size_t row = 0; row < s->n_row; row++) {
                double size = 0.0;
                const double dw = exterior(s, r, f, g, row, &size);
                const double length = s->length[row];
                r->dw[row * n_pair + pair] = length > 0.0 ? dw / length : 0.0;
                largest = fmax(largest, length > 0.0 ? size / length : 0.0);
            }
        }
    }
    return largest;
}

tq_status tq_constraint_integrability(const tq_constrained *state, const double *q,
                                      tq_scratch *scratch, tq_integrability *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const size_t n_row = state->n_row;
    tq_elimination e;
    room r;
    tq_status status = tq_constraint_eliminate(state, scratch, &e, reterr);
    if (status != TQ_OK) {
        return status;
    }
    *ret = (tq_integrability){.n_free = e.n_free};
    if (e.n_free < 2 || n_row == 0) { /* a single direction is always integrable */
        tq_scratch_rewind(scratch, mark);
        return TQ_OK;
    }
    if (!take(state, e.n_free, scratch, &r)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_integrability_scratch_size(state));
    }
    set_directions(state, &e, &r);
    status = set_rates(state, q, e.n_free, scratch, &r, reterr);
    if (status == TQ_OK) {
        const size_t n_pair = pair_count(e.n_free);
        const double size = set_brackets(state, e.n_free, &r);
        for (size_t k = 0; k < n_pair * n_row; k++) {
            r.dw[k] = size > 0.0 ? r.dw[k] / size : 0.0;
            ret->defect = fmax(ret->defect, fabs(r.dw[k]));
        }
        if (ret->defect > rounding) {
            status = tq_qr_factor(n_pair, n_row, r.dw, n_pair, scratch, r.tau, r.pivot, reterr);
            ret->n_new = tq_qr_rank(n_pair, n_row, r.dw, n_pair, rounding);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
