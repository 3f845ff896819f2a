/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/stiction_constrained.c - equations of motion with some joints held, under constraints.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/constraints/assemble.h"
#include "core/constraints/dynamics.h"
#include "core/constraints/hold.h"
#include "core/linalg/dense.h"
#include "core/plant/stiction.h"

/* one sample */
typedef struct work {
    size_t nv, stride;
    double *tau, *bias;   /* blocks */
    double *q, *qd, *v;   /* (nq), (nv), (nv) */
    double *most, *found; /* (nv) limits of the holds, and holds */
    double *target;       /* (n_row) */
    double *multipliers;  /* (n_row) */
    uint32_t *rows;       /* (nv) held rows */
} work;

size_t tq_locked_constrained_scratch_size(const tq_mechanism *mechanism,
                                          const tq_constraints *constraints, size_t n_wrench)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv, n_row = constraints->n_row;
    const size_t block = TQ_BLOCK_PAD;
    const size_t inner = tq_larger(
        tq_constrained_forward_scratch_size(mechanism, constraints, n_wrench),
        tq_constrained_scratch_size(mechanism, constraints) + tq_hold_scratch_size(nv, n_row));
    return 2 * tq_scratch_cost(nv * block, sizeof(double)) +
           tq_scratch_cost(model->nq, sizeof(double)) + 4 * tq_scratch_cost(nv, sizeof(double)) +
           2 * tq_scratch_cost(n_row, sizeof(double)) + tq_scratch_cost(nv, sizeof(uint32_t)) +
           tq_larger(inner, tq_inverse_scratch_size(mechanism, n_wrench));
}

static bool take(const tq_model *model, size_t n_row, size_t stride, tq_scratch *scratch, work *w)
{
    const size_t nv = w->nv = model->nv;
    w->stride = stride;
    w->tau = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->bias = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->q = tq_scratch_take(scratch, model->nq, sizeof(double));
    w->qd = tq_scratch_take(scratch, nv, sizeof(double));
    w->v = tq_scratch_take(scratch, nv, sizeof(double));
    w->most = tq_scratch_take(scratch, nv, sizeof(double));
    w->found = tq_scratch_take(scratch, nv, sizeof(double));
    w->target = tq_scratch_take(scratch, n_row, sizeof(double));
    w->multipliers = tq_scratch_take(scratch, n_row, sizeof(double));
    w->rows = tq_scratch_take(scratch, nv, sizeof *w->rows);
    return w->tau != NULL && w->bias != NULL && w->q != NULL && w->qd != NULL && w->v != NULL &&
           w->most != NULL && w->found != NULL && w->target != NULL && w->multipliers != NULL &&
           w->rows != NULL;
}

static tq_holds find_held(const tq_model *model, const signed char *mode, work *w)
{
    tq_holds holds = {.rows = w->rows, .largest = w->most};
    for (uint32_t j = 0; j < model->n_joint; j++) {
        assert(mode[j] <= TQ_MODE_STUCK);
        if (mode[j] == TQ_MODE_STUCK) {
            w->rows[holds.n] = model->joints[j].v_index;
            w->most[holds.n++] = tq_dry_friction(&model->joints[j].friction, 0.0);
        }
    }
    return holds;
}

static void spread(const double *x, size_t n, size_t stride, double *rows)
{
    for (size_t r = 0; rows != NULL && r < n; r++) {
        rows[r * stride] = x[r];
    }
    if (rows != NULL) {
        tq_block_pad(rows, n, stride, 1);
    }
}

/* w->v: acceleration with the holds; w->found: the holds, if required */
static tq_status held(const tq_mechanism *mechanism, const tq_constraints *constraints,
                      const tq_forward_input *in, const tq_holds *holds, bool wanted, work *w,
                      tq_scratch *scratch, tq_error *reterr)
{
    const bool still = (in->without & TQ_WITHOUT_VELOCITY) != 0;
    const tq_constrained_at at = {.q = w->q, .qd = still ? NULL : w->qd, .without = in->without};
    tq_constrained state;
    tq_status status = tq_constrained_factor(mechanism, constraints, &at, scratch, &state, reterr);
    if (status == TQ_OK) {
        status = tq_cholesky_solve(w->nv, 1, state.l, w->nv, w->v, w->nv, reterr);
    }
    for (size_t r = 0; status == TQ_OK && r < constraints->n_row; r++) {
        w->target[r] = -state.gamma[r];
    }
    if (status == TQ_OK && wanted) {
        status = tq_constrained_stick(&state, holds, w->target, scratch, w->v, w->found, reterr);
    }
    if (status == TQ_OK) {
        status =
            tq_constrained_hold(&state, holds, w->target, scratch, w->v, w->multipliers, reterr);
    }
    return status;
}

static tq_status forward(const tq_mechanism *mechanism, const tq_constraints *constraints,
                         const tq_forward_input *in, const signed char *mode, tq_scratch *scratch,
                         const tq_locked_motion *ret, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv, stride = in->stride;
    work w;
    if (!take(model, constraints->n_row, stride, scratch, &w)) {
        return tq_fail(
            reterr, TQ_ERR_SCRATCH, "scratch", 0,
            (double)tq_locked_constrained_scratch_size(mechanism, constraints, in->n_wrench));
    }
    tq_locked_friction(model, in, mode, NULL, w.tau);
    const tq_holds holds = find_held(model, mode, &w);
    if (ret->hold != NULL) {
        memset(ret->hold, 0, nv * stride * sizeof *ret->hold);
    }
    tq_forward_input smooth = *in;
    smooth.tau = w.tau;
    smooth.without |= TQ_WITHOUT_FRICTION;
    if (holds.n == 0) {
        return tq_constrained_forward(mechanism, constraints, &smooth, scratch, ret->qdd,
                                      ret->multipliers, reterr);
    }
    const tq_inverse_input bias = {.n_sample = 1,
                                   .stride = stride,
                                   .q = in->q,
                                   .qd = in->qd,
                                   .wrenches = in->wrenches,
                                   .n_wrench = in->n_wrench,
                                   .gravity = in->gravity,
                                   .without = smooth.without};
    tq_status status = tq_inverse_dynamics(mechanism, &bias, scratch, w.bias, reterr);
    for (size_t r = 0; r < model->nq; r++) {
        w.q[r] = in->q[r * stride];
    }
    for (size_t r = 0; status == TQ_OK && r < nv; r++) {
        w.qd[r] = in->qd[r * stride];
        w.v[r] = w.tau[r * stride] - w.bias[r * stride];
    }
    if (status == TQ_OK) {
        status = held(mechanism, constraints, in, &holds, ret->hold != NULL, &w, scratch, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    spread(w.v, nv, stride, ret->qdd);
    spread(w.multipliers, constraints->n_row, stride, ret->multipliers);
    for (size_t k = 0; ret->hold != NULL && k < holds.n; k++) {
        spread(&w.found[k], 1, stride, ret->hold + w.rows[k] * stride);
    }
    return TQ_OK;
}

tq_status tq_locked_constrained_forward(const tq_mechanism *mechanism,
                                        const tq_constraints *constraints,
                                        const tq_forward_input *in, const signed char *mode,
                                        tq_scratch *scratch, const tq_locked_motion *ret,
                                        tq_error *reterr)
{
    assert(in->n_sample == 1 && in->qd != NULL);
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status = forward(mechanism, constraints, in, mode, scratch, ret, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Projection
 */

size_t tq_locked_project_scratch_size(const tq_mechanism *mechanism,
                                      const tq_constraints *constraints)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    tq_constraints most = *constraints;
    most.n_row += model->nv;
    return tq_constraints_keep_size(model, constraints) +
           tq_scratch_cost(model->n_joint, sizeof(bool)) +
           tq_scratch_cost(model->nq * TQ_BLOCK_PAD, sizeof(double)) +
           tq_project_scratch_size(mechanism, &most);
}

tq_status tq_locked_project(const tq_mechanism *mechanism, const tq_constraints *constraints,
                            const signed char *mode, const tq_constraint_states *states,
                            double tolerance, tq_scratch *scratch, tq_error *reterr)
{
    assert(states->n_sample == 1);
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t mark = tq_scratch_mark(scratch);
    const size_t n_q = model->nq * states->stride;
    tq_constraints all;
    double *q = tq_scratch_take(scratch, n_q, sizeof *q);
    bool *stuck = tq_scratch_take(scratch, model->n_joint, sizeof *stuck);
    for (uint32_t j = 0; stuck != NULL && j < model->n_joint; j++) {
        stuck[j] = mode[j] == TQ_MODE_STUCK;
    }
    if (q == NULL || stuck == NULL ||
        !tq_constraints_keep(model, constraints, stuck, states->q, states->stride, scratch, &all)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_locked_project_scratch_size(mechanism, constraints));
    }
    memcpy(q, states->q, n_q * sizeof *q);
    const tq_status status =
        tq_constraints_project(mechanism, &all, states, tolerance, scratch, NULL, reterr);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (mode[j] == TQ_MODE_STUCK) { /* exact, without rounding */
            const size_t at = model->joints[j].q_index * states->stride;
            memcpy(states->q + at, q + at, states->stride * sizeof *q);
            memset(states->qd + model->joints[j].v_index * states->stride, 0,
                   states->stride * sizeof *q);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
