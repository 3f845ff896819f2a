/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/project.c - Gauss-Newton projection onto the constraints. */
#include "core/constraints/project.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/kinematics/integrate.h"
#include "core/spatial/screw.h"

enum { ITERATIONS_MAX = 100, HALVINGS_MAX = 12 };
static const double goal = 1e-3;   /* residual at which steps end, relative to the tolerance */
static const double longest = 0.5; /* maximum step, m or rad: the range of the linearisation */

typedef struct work {
    const tq_mechanism *mechanism;
    const tq_constraints *constraints;
    tq_scratch *scratch;
    double tolerance;
    double *q, *qd, *trial;        /* (nq), (nv), (nq) */
    double *step, *target, *a, *h; /* (nv), (n_row), (n_row x nv), (n_row) */
} work;

size_t tq_project_scratch_size(const tq_mechanism *mechanism, const tq_constraints *constraints)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t n = constraints->n_row;
    const size_t own = 2 * tq_scratch_cost(model->nq, sizeof(double)) +
                       2 * tq_scratch_cost(model->nv, sizeof(double)) +
                       2 * tq_scratch_cost(n, sizeof(double)) +
                       tq_scratch_cost(n * model->nv, sizeof(double));
    return own +
           tq_larger(tq_constrained_scratch_size(mechanism, constraints),
                     tq_configuration_scratch_size(model) + tq_constraint_rows_scratch_size(model));
}

static bool take(work *w)
{
    const tq_model *model = tq_mechanism_model(w->mechanism);
    const size_t n = w->constraints->n_row;
    w->q = tq_scratch_take(w->scratch, model->nq, sizeof(double));
    w->trial = tq_scratch_take(w->scratch, model->nq, sizeof(double));
    w->qd = tq_scratch_take(w->scratch, model->nv, sizeof(double));
    w->step = tq_scratch_take(w->scratch, model->nv, sizeof(double));
    w->target = tq_scratch_take(w->scratch, n, sizeof(double));
    w->h = tq_scratch_take(w->scratch, n, sizeof(double));
    w->a = tq_scratch_take(w->scratch, n * model->nv, sizeof(double));
    return w->q != NULL && w->trial != NULL && w->qd != NULL && w->step != NULL &&
           w->target != NULL && w->h != NULL && w->a != NULL;
}

static double largest(const double *x, size_t n, size_t *ret_index)
{
    double most = 0.0;
    for (size_t k = 0; k < n; k++) {
        if (!(fabs(x[k]) <= most)) {
            most = fabs(x[k]);
            *ret_index = k;
        }
    }
    return most;
}

/* position residuals (or velocity residuals at w->qd) at q; returns the largest */
static tq_status residual(work *w, const double *q, bool of_velocity, double *ret_most,
                          size_t *ret_row, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(w->mechanism);
    const size_t mark = tq_scratch_mark(w->scratch);
    const double *qd = of_velocity ? w->qd : NULL;
    const tq_constraint_rows to = {
        .a = w->a, .position = of_velocity ? NULL : w->h, .velocity = of_velocity ? w->h : NULL};
    tq_configuration posture;
    tq_status status = tq_configuration_compute(model, q, qd, w->scratch, &posture, reterr);
    if (status == TQ_OK) {
        status =
            tq_constraint_rows_compute(w->constraints, &posture, q, qd, w->scratch, &to, reterr);
    }
    tq_scratch_rewind(w->scratch, mark);
    if (status == TQ_OK) {
        *ret_most = largest(w->h, w->constraints->n_row, ret_row);
    }
    return status;
}

/* w->step: the smallest displacement (metric of M) with A step = -h */
static tq_status newton_step(work *w, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_constrained state;
    const tq_constrained_at at_rest = {.q = w->q, .rows = TQ_ROWS_HOLONOMIC};
    tq_status status =
        tq_constrained_factor(w->mechanism, w->constraints, &at_rest, w->scratch, &state, reterr);
    if (status == TQ_OK) {
        for (size_t k = 0; k < state.n_row; k++) {
            w->target[k] = -state.position[k];
        }
        memset(w->step, 0, state.nv * sizeof *w->step);
        status = tq_constrained_nearest(&state, w->target, TQ_CONTRADICTION_IGNORE, w->scratch,
                                        w->step, NULL, reterr);
        size_t at = 0;
        const double most = largest(w->step, state.nv, &at);
        for (size_t k = 0; status == TQ_OK && most > longest && k < state.nv; k++) {
            w->step[k] *= longest / most;
        }
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

/* Takes w->step, halved until the residual decreases. False: it does not. */
static bool descend(work *w, double *most, size_t *row)
{
    const tq_model *model = tq_mechanism_model(w->mechanism);
    for (int half = 0; half < HALVINGS_MAX; half++) {
        double next = 0.0;
        tq_configuration_integrate(model, w->q, w->step, w->trial);
        if (residual(w, w->trial, false, &next, row, NULL) == TQ_OK && next < *most) {
            memcpy(w->q, w->trial, model->nq * sizeof *w->q);
            *most = next;
            return true;
        }
        for (size_t k = 0; k < model->nv; k++) {
            w->step[k] *= 0.5;
        }
    }
    return false;
}

/* True if the frames of a loop coincide but for a rotation by pi about an axis. */
static bool is_turned(const tq_configuration *posture, const tq_constraint *c)
{
    const unsigned turns = c->kind == TQ_CONSTRAINT_LOOP ? c->axes >> 3 : 0u;
    if (__builtin_popcount(turns) < 2) {
        return false;
    }
    for (unsigned k = 0; k < 3; k++) {
        if (turns != 7u && (turns >> k & 1u) != 0) {
            continue; /* only the free axis is determined then */
        }
        double seen[2][3];
        const tq_link_frame *frames[2] = {&c->a, &c->b};
        for (unsigned f = 0; f < 2; f++) {
            const double *r = frames[f]->pose.r;
            const double column[3] = {r[k], r[3 + k], r[6 + k]};
            tq_mat_vec(posture->pose[frames[f]->link].r, column, seen[f]);
        }
        if (tq_dot3(seen[0], seen[1]) < 0.0) {
            return true;
        }
    }
    return false;
}

static tq_status check_turns(work *w, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_configuration posture;
    tq_status status = tq_configuration_compute(tq_mechanism_model(w->mechanism), w->q, NULL,
                                                w->scratch, &posture, reterr);
    for (uint32_t i = 0; status == TQ_OK && i < w->constraints->n_constraint; i++) {
        const tq_constraint *c = &w->constraints->items[i];
        if (is_turned(&posture, c)) {
            status = tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "constraint.row", c->first_row, 2.0);
        }
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

static tq_status project_position(work *w, tq_projection *ret, tq_error *reterr)
{
    double most = 0.0;
    size_t row = 0;
    tq_status status = residual(w, w->q, false, &most, &row, reterr);
    if (status != TQ_OK) {
        return status;
    }
    ret->position = fmax(ret->position, most);
    const bool moves = most > goal * w->tolerance;
    unsigned n = 0;
    while (most > goal * w->tolerance && n < ITERATIONS_MAX) {
        n++;
        const double before = most;
        status = newton_step(w, reterr);
        if (status != TQ_OK) {
            return status;
        }
        if (!descend(w, &most, &row) || (most <= w->tolerance && most > 0.5 * before)) {
            break;
        }
    }
    ret->iterations = ret->iterations > n ? ret->iterations : n;
    if (!(most <= w->tolerance)) {
        (void)residual(w, w->q, false, &most, &row, NULL);
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "constraint.row", row, most);
    }
    return moves ? check_turns(w, reterr) : TQ_OK;
}

static tq_status project_velocity(work *w, tq_projection *ret, tq_error *reterr)
{
    double most = 0.0;
    size_t row = 0;
    tq_status status = residual(w, w->q, true, &most, &row, reterr);
    if (status != TQ_OK) {
        return status;
    }
    ret->velocity = fmax(ret->velocity, most);
    if (most <= goal * w->tolerance) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_constrained state;
    const tq_constrained_at at = {.q = w->q, .qd = w->qd};
    status = tq_constrained_factor(w->mechanism, w->constraints, &at, w->scratch, &state, reterr);
    if (status == TQ_OK) {
        for (size_t k = 0; k < state.n_row; k++) {
            w->target[k] = -state.velocity[k];
        }
        memset(w->step, 0, state.nv * sizeof *w->step);
        status = tq_constrained_nearest(&state, w->target, TQ_CONTRADICTION_REFUSE, w->scratch,
                                        w->step, NULL, reterr);
        for (size_t k = 0; status == TQ_OK && k < state.nv; k++) {
            w->qd[k] += w->step[k];
            ret->change_qd = fmax(ret->change_qd, fabs(w->step[k]));
        }
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

/* one state, in w->q and w->qd */
static tq_status project_one(work *w, tq_projection *ret, tq_error *reterr)
{
    const tq_status status = project_position(w, ret, reterr);
    return status == TQ_OK ? project_velocity(w, ret, reterr) : status;
}

tq_status tq_constraints_project(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                 const tq_constraint_states *states, double tolerance,
                                 tq_scratch *scratch, tq_projection *ret, tq_error *reterr)
{
    assert(tolerance > 0.0 && states->n_sample <= states->stride);
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t mark = tq_scratch_mark(scratch), stride = states->stride;
    work w = {.mechanism = mechanism,
              .constraints = constraints,
              .scratch = scratch,
              .tolerance = tolerance};
    if (!take(&w)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_project_scratch_size(mechanism, constraints));
    }
    tq_projection all = {0};
    tq_status status = TQ_OK;
    for (size_t i = 0; status == TQ_OK && i < states->n_sample; i++) {
        for (size_t k = 0; k < model->nq; k++) {
            w.q[k] = states->q[k * stride + i];
        }
        for (size_t k = 0; k < model->nv; k++) {
            w.qd[k] = states->qd[k * stride + i];
        }
        status = project_one(&w, &all, reterr);
        for (size_t k = 0; status == TQ_OK && k < model->nq; k++) {
            all.change_q = fmax(all.change_q, fabs(w.q[k] - states->q[k * stride + i]));
            states->q[k * stride + i] = w.q[k];
        }
        for (size_t k = 0; status == TQ_OK && k < model->nv; k++) {
            states->qd[k * stride + i] = w.qd[k];
        }
    }
    if (status == TQ_OK) {
        tq_block_pad(states->q, model->nq, stride, states->n_sample);
        tq_block_pad(states->qd, model->nv, stride, states->n_sample);
    }
    if (status == TQ_OK && ret != NULL) {
        *ret = all;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
