/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/dynamics.c - forward and inverse dynamics by Gauss's principle of least
 * constraint, sample by sample. */
#include "core/constraints/dynamics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/constraints/actuation.h"
#include "core/constraints/solve.h"
#include "core/linalg/dense.h"

/* copies one sample from rows to a flat array */
static const double *flat(const double *rows, size_t n_row, size_t stride, size_t i, double *ret)
{
    for (size_t r = 0; r < n_row; r++) {
        ret[r] = rows != NULL ? rows[r * stride + i] : 0.0;
    }
    return ret;
}

static void spread(const double *x, size_t n_row, size_t stride, size_t i, double *rows)
{
    for (size_t r = 0; rows != NULL && r < n_row; r++) {
        rows[r * stride + i] = x[r];
    }
}

/* adds the sample's number to an error */
static tq_status of_sample(tq_status status, size_t i, tq_error *reterr)
{
    if (status == TQ_ERR_SINGULAR && reterr != NULL) {
        reterr->value = (double)i;
    } else if (status != TQ_OK && status != TQ_ERR_SCRATCH && reterr != NULL) {
        reterr->index = i;
    }
    return status;
}

/* one sample as flat arrays */
typedef struct room {
    double *q, *qd, *v, *target, *multipliers, *tau;
} room;

static size_t room_size(const tq_model *model, size_t n_row)
{
    return tq_scratch_cost(model->nq, sizeof(double)) +
           3 * tq_scratch_cost(model->nv, sizeof(double)) +
           2 * tq_scratch_cost(n_row, sizeof(double));
}

static bool take_room(const tq_model *model, size_t n_row, tq_scratch *scratch, room *r)
{
    r->q = tq_scratch_take(scratch, model->nq, sizeof(double));
    r->qd = tq_scratch_take(scratch, model->nv, sizeof(double));
    r->v = tq_scratch_take(scratch, model->nv, sizeof(double));
    r->tau = tq_scratch_take(scratch, model->nv, sizeof(double));
    r->target = tq_scratch_take(scratch, n_row, sizeof(double));
    r->multipliers = tq_scratch_take(scratch, n_row, sizeof(double));
    return r->q != NULL && r->qd != NULL && r->v != NULL && r->tau != NULL && r->target != NULL &&
           r->multipliers != NULL;
}

/* torque at qdd = 0, of the whole block */
static tq_status bias_of(const tq_mechanism *mechanism, const tq_forward_input *in,
                         tq_scratch *scratch, double *ret_bias, tq_error *reterr)
{
    const tq_inverse_input still = {.n_sample = in->n_sample,
                                    .stride = in->stride,
                                    .q = in->q,
                                    .qd = in->qd,
                                    .wrenches = in->wrenches,
                                    .n_wrench = in->n_wrench,
                                    .gravity = in->gravity,
                                    .without = in->without};
    return tq_inverse_dynamics(mechanism, &still, scratch, ret_bias, reterr);
}

size_t tq_constrained_forward_scratch_size(const tq_mechanism *mechanism,
                                           const tq_constraints *constraints, size_t n_wrench)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    return tq_scratch_cost((size_t)model->nv * TQ_BLOCK_STRIDE, sizeof(double)) +
           room_size(model, constraints->n_row) +
           tq_larger(tq_inverse_scratch_size(mechanism, n_wrench),
                     tq_constrained_scratch_size(mechanism, constraints));
}

/* v = M^-1 tau, then the nearest acceleration that satisfies A v = target (Gauss's principle) */
static tq_status accelerate(const tq_mechanism *mechanism, const tq_constraints *constraints,
                            unsigned without, const room *r, tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_constrained_at at = {
        .q = r->q, .qd = (without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : r->qd, .without = without};
    tq_constrained state;
    tq_status status = tq_constrained_factor(mechanism, constraints, &at, scratch, &state, reterr);
    if (status == TQ_OK) {
        status = tq_cholesky_solve(state.nv, 1, state.l, state.nv, r->v, state.nv, reterr);
    }
    for (size_t k = 0; status == TQ_OK && k < constraints->n_row; k++) {
        r->target[k] = -state.gamma[k];
    }
    if (status == TQ_OK) {
        status = tq_constrained_nearest(&state, r->target, TQ_CONTRADICTION_REFUSE, scratch, r->v,
                                        r->multipliers, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static tq_status check_finite(const char *what, const double *x, size_t n_row, size_t stride,
                              size_t n_sample, tq_error *reterr)
{
    for (size_t i = 0; i < n_sample; i++) {
        for (size_t r = 0; r < n_row; r++) {
            if (!isfinite(x[r * stride + i])) {
                return tq_fail(reterr, TQ_ERR_OVERFLOW, what, i, x[r * stride + i]);
            }
        }
    }
    return TQ_OK;
}

/* Of a block: x, called `what`, and multipliers (NULL: not asked for) are finite, and padded. */
static tq_status end_block(const char *what, size_t nv, size_t n_row, size_t stride,
                           size_t n_sample, double *x, double *multipliers, tq_error *reterr)
{
    tq_status status = check_finite(what, x, nv, stride, n_sample, reterr);
    if (status == TQ_OK && multipliers != NULL) {
        status = check_finite("multipliers", multipliers, n_row, stride, n_sample, reterr);
    }
    if (status == TQ_OK) {
        tq_block_pad(x, nv, stride, n_sample);
    }
    if (status == TQ_OK && multipliers != NULL) {
        tq_block_pad(multipliers, n_row, stride, n_sample);
    }
    return status;
}

tq_status tq_constrained_forward(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                 const tq_forward_input *in, tq_scratch *scratch, double *ret_qdd,
                                 double *ret_multipliers, tq_error *reterr)
{
    assert(mechanism != NULL && constraints != NULL && in != NULL);
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv, stride = in->stride, n_row = constraints->n_row;
    const size_t mark = tq_scratch_mark(scratch);
    double *bias = tq_scratch_take(scratch, nv * TQ_BLOCK_STRIDE, sizeof *bias);
    room r;
    if (bias == NULL || !take_room(model, n_row, scratch, &r)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(
            reterr, TQ_ERR_SCRATCH, "scratch", 0,
            (double)tq_constrained_forward_scratch_size(mechanism, constraints, in->n_wrench));
    }
    tq_status status = bias_of(mechanism, in, scratch, bias, reterr);
    for (size_t i = 0; status == TQ_OK && i < in->n_sample; i++) {
        (void)flat(in->q, model->nq, stride, i, r.q);
        (void)flat(in->qd, nv, stride, i, r.qd);
        for (size_t k = 0; k < nv; k++) {
            r.v[k] = in->tau[k * stride + i] - bias[k * stride + i];
        }
        status = of_sample(accelerate(mechanism, constraints, in->without, &r, scratch, reterr), i,
                           reterr);
        if (status == TQ_OK) {
            spread(r.v, nv, stride, i, ret_qdd);
            spread(r.multipliers, n_row, stride, i, ret_multipliers);
        }
    }
    if (status == TQ_OK) {
        status =
            end_block("qdd", nv, n_row, stride, in->n_sample, ret_qdd, ret_multipliers, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Inverse
 */

size_t tq_constrained_inverse_scratch_size(const tq_mechanism *mechanism,
                                           const tq_constraints *constraints, size_t n_wrench)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv;
    return room_size(model, constraints->n_row) +
           tq_larger(tq_inverse_scratch_size(mechanism, n_wrench),
                     tq_constrained_scratch_size(mechanism, constraints) +
                         tq_actuate_scratch_size(nv));
}

/* r->v: torques of all joints; r->tau becomes those of the actuated joints */
static tq_status actuate(const tq_mechanism *mechanism, const tq_constraints *constraints,
                         unsigned without, const room *r, tq_scratch *scratch, tq_actuation *ret,
                         tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_constrained s;
    size_t found = 0;
    const tq_constrained_at at = {.q = r->q, .qd = r->qd, .without = without};
    tq_status status = tq_constrained_factor(mechanism, constraints, &at, scratch, &s, reterr);
    if (status != TQ_OK) {
        return status;
    }
    ret->n_actuated = tq_count_actuated(constraints, s.nv);
    ret->n_freedom = s.nv - s.rank;
    status = tq_constraint_actuate(&s, r->v, scratch, r->tau, &found, reterr);
    ret->n_internal = ret->n_actuated - found;
    for (size_t k = 0; k < s.nv; k++) {
        r->v[k] -= r->tau[k];
    }
    if (status == TQ_OK) {
        status = tq_constrained_explain(&s, scratch, r->v, r->multipliers, reterr);
    }
    ret->missing = 0.0;
    for (size_t k = 0; k < s.nv; k++) {
        ret->missing = fmax(ret->missing, fabs(r->v[k]));
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_constrained_inverse(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                 const tq_inverse_input *in, tq_scratch *scratch, double *ret_tau,
                                 double *ret_multipliers, tq_actuation *ret_actuation,
                                 tq_error *reterr)
{
    assert(mechanism != NULL && constraints != NULL && in != NULL);
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv, stride = in->stride, n_row = constraints->n_row;
    const size_t mark = tq_scratch_mark(scratch);
    room r;
    if (!take_room(model, n_row, scratch, &r)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(
            reterr, TQ_ERR_SCRATCH, "scratch", 0,
            (double)tq_constrained_inverse_scratch_size(mechanism, constraints, in->n_wrench));
    }
    tq_status status = tq_inverse_dynamics(mechanism, in, scratch, ret_tau, reterr);
    for (size_t i = 0; status == TQ_OK && i < in->n_sample; i++) {
        tq_actuation one = {0};
        (void)flat(in->q, model->nq, stride, i, r.q);
        (void)flat(in->qd, nv, stride, i, r.qd);
        (void)flat(ret_tau, nv, stride, i, r.v);
        status = of_sample(actuate(mechanism, constraints, in->without, &r, scratch, &one, reterr),
                           i, reterr);
        if (status == TQ_OK) {
            spread(r.tau, nv, stride, i, ret_tau);
            spread(r.multipliers, n_row, stride, i, ret_multipliers);
            if (!isfinite(one.missing)) {
                status = tq_fail(reterr, TQ_ERR_OVERFLOW, "tau", i, one.missing);
            }
            if (ret_actuation != NULL) {
                ret_actuation[i] = one;
            }
        }
    }
    if (status == TQ_OK) {
        status =
            end_block("tau", nv, n_row, stride, in->n_sample, ret_tau, ret_multipliers, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
