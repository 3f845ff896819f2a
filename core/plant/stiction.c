/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/stiction.c - equations of motion with some rows held. */
#include "core/plant/stiction.h"

#include <assert.h>
#include <string.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/terms.h"
#include "core/linalg/dense.h"
#include "core/plant/stiction_tendons.h"

static int is_held(signed char mode)
{
    return mode >= TQ_MODE_STUCK;
}

/* friction at a speed of its own */
static double friction_of(const tq_friction *f, signed char mode, double speed)
{
    switch (mode) {
    case TQ_MODE_FREE:
        return tq_friction_effort(f, speed);
    case TQ_MODE_PLUS:
    case TQ_MODE_MINUS:
        return f->viscous * speed + f->offset + mode * tq_dry_friction(f, speed);
    default:
        return f->offset; /* the rest of the friction is part of the hold */
    }
}

size_t tq_locked_scratch_size(const tq_mechanism *mechanism, size_t stride, size_t n_wrench)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    const size_t forward = tq_forward_scratch_size(mechanism, n_wrench);
    const size_t inverse = tq_inverse_scratch_size(mechanism, n_wrench);
    const size_t mass = tq_mass_matrix_scratch_size(mechanism);
    const size_t turn = tq_tendons_derivatives_scratch_size(tq_mechanism_model(mechanism));
    size_t call = forward > inverse ? forward : inverse;
    call = call > mass ? call : mass;
    call = call > turn ? call : turn;
    return 2 * tq_scratch_cost(nv * stride, sizeof(double)) +
           tq_scratch_cost(nv * nv * stride, sizeof(double)) +
           tq_scratch_cost(nv * nv, sizeof(double)) + tq_scratch_cost(nv, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(size_t)) +
           tq_stuck_tendons_size(tq_mechanism_model(mechanism)) + call;
}

typedef struct work {
    size_t nv, stride, n_moving;
    double *tau, *bias; /* blocks */
    double *m;          /* block (nv^2) */
    double *dense, *x;
    size_t *moving; /* rows that are not held */
    tq_stuck_tendons tendons;
} work;

static int take(work *w, const tq_mechanism *mechanism, size_t stride, tq_scratch *scratch)
{
    const size_t nv = w->nv = tq_mechanism_model(mechanism)->nv;
    w->stride = stride;
    w->tau = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->bias = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->m = tq_scratch_take(scratch, nv * nv * stride, sizeof(double));
    w->dense = tq_scratch_take(scratch, nv * nv, sizeof(double));
    w->x = tq_scratch_take(scratch, nv, sizeof(double));
    w->moving = tq_scratch_take(scratch, nv, sizeof *w->moving);
    return w->tau != NULL && w->bias != NULL && w->m != NULL && w->dense != NULL && w->x != NULL &&
           w->moving != NULL &&
           tq_stuck_tendons_take(tq_mechanism_model(mechanism), scratch, &w->tendons);
}

static void find_moving(work *w, const tq_model *model, const signed char *mode)
{
    w->n_moving = 0;
    for (size_t r = 0; r < w->nv; r++) {
        w->x[r] = 0.0;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (is_held(mode[j])) {
            w->x[model->joints[j].v_index] = 1.0;
        }
    }
    for (size_t r = 0; r < w->nv; r++) {
        if (w->x[r] == 0.0) {
            w->moving[w->n_moving++] = r;
        }
    }
}

/* x := M^-1 x over the moving rows */
static tq_status solve_moving(work *w, tq_error *reterr)
{
    const size_t n = w->n_moving;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            w->dense[b * n + a] = w->m[(w->moving[a] * w->nv + w->moving[b]) * w->stride];
        }
    }
    if (n == 0) {
        return TQ_OK;
    }
    const tq_status status = tq_cholesky_factor(n, w->dense, n, reterr);
    return status != TQ_OK ? status : tq_cholesky_solve(n, 1, w->dense, n, w->x, n, reterr);
}

/* Holds of the joints at rows that do not move, M qdd + bias - tau - J^T holds of tendons; then
 * those of tendons. */
static void put_holds(const tq_model *model, const work *w, double *ret)
{
    const tq_stuck_tendons *t = &w->tendons;
    memset(ret + w->nv * w->stride, 0, model->n_tendon * w->stride * sizeof *ret);
    for (size_t r = 0; r < w->nv; r++) {
        double sum = w->bias[r * w->stride] - w->tau[r * w->stride];
        for (size_t a = 0; a < w->n_moving; a++) {
            sum += w->m[(r * w->nv + w->moving[a]) * w->stride] * w->x[a];
        }
        for (size_t k = 0; k < t->n; k++) {
            sum -= t->rows[k * w->nv + r] * t->hold[k];
        }
        ret[r * w->stride] = sum;
    }
    for (size_t a = 0; a < w->n_moving; a++) {
        ret[w->moving[a] * w->stride] = 0.0;
    }
    for (size_t k = 0; k < t->n; k++) {
        ret[(w->nv + t->tendon[k]) * w->stride] = t->hold[k];
    }
}

static tq_status held(const tq_mechanism *mechanism, const tq_forward_input *in, work *w,
                      tq_scratch *scratch, double *ret_qdd, double *ret_hold, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const tq_inverse_input still = {.n_sample = 1,
                                    .stride = in->stride,
                                    .q = in->q,
                                    .qd = in->qd,
                                    .wrenches = in->wrenches,
                                    .n_wrench = in->n_wrench,
                                    .gravity = in->gravity,
                                    .without = in->without | TQ_WITHOUT_FRICTION};
    tq_status status = tq_inverse_dynamics(mechanism, &still, scratch, w->bias, reterr);
    if (status == TQ_OK) {
        status =
            tq_mass_matrix(mechanism, 1, in->stride, in->q, in->without, scratch, w->m, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    for (size_t a = 0; a < w->n_moving; a++) {
        const size_t r = w->moving[a] * in->stride;
        w->x[a] = w->tau[r] - w->bias[r];
    }
    if ((in->without & TQ_WITHOUT_VELOCITY) == 0) {
        status = tq_stuck_tendons_turn(model, scratch, &w->tendons, reterr);
    }
    status = status == TQ_OK ? solve_moving(w, reterr) : status;
    if (status == TQ_OK) {
        status = tq_stuck_tendons_hold(model, &w->tendons, w->n_moving, w->moving, w->dense, w->x,
                                       reterr);
    }
    memset(ret_qdd, 0, w->nv * in->stride * sizeof *ret_qdd);
    for (size_t a = 0; a < w->n_moving; a++) {
        ret_qdd[w->moving[a] * in->stride] = w->x[a];
    }
    tq_block_pad(ret_qdd, w->nv, in->stride, 1);
    if (ret_hold != NULL) {
        put_holds(model, w, ret_hold);
    }
    return status;
}

/* dry friction of tendons by their modes */
static void add_tendons(const tq_model *model, const tq_forward_input *in, const signed char *mode,
                        double *tau)
{
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        const tq_friction *f = &tendon->friction;
        if (f->viscous != 0.0 || f->coulomb != 0.0 || f->breakaway != 0.0 || f->offset != 0.0) {
            const double rate = tq_tendon_rate(model, tendon, in->stride, in->q, in->qd);
            tq_tendon_pull(model, tendon, in->stride, in->q, -friction_of(f, mode[t], rate), tau);
        }
    }
}

void tq_locked_friction(const tq_model *model, const tq_forward_input *in, const signed char *mode,
                        const signed char *tendon_mode, double *ret_tau)
{
    memcpy(ret_tau, in->tau, model->nv * in->stride * sizeof *ret_tau);
    for (uint32_t j = 0; (in->without & TQ_WITHOUT_FRICTION) == 0 && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) == 1) {
            const size_t r = joint->v_index * in->stride;
            const double ratio = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
            ret_tau[r] -= ratio * friction_of(&joint->friction, mode[j], ratio * in->qd[r]);
        } else {
            tq_ball_add_damper(joint, 1, in->stride, in->qd, -1.0, ret_tau);
        }
    }
    if ((in->without & TQ_WITHOUT_FRICTION) == 0 && tendon_mode != NULL) {
        add_tendons(model, in, tendon_mode, ret_tau);
    } else if ((in->without & TQ_WITHOUT_FRICTION) == 0) {
        tq_tendons_add_friction(model, 1, in->stride, in->q, in->qd, -1.0, ret_tau);
    }
    tq_block_pad(ret_tau, model->nv, in->stride, 1);
}

static tq_status forward(const tq_mechanism *mechanism, const tq_forward_input *in,
                         const signed char *mode, tq_scratch *scratch, double *ret_qdd,
                         double *ret_hold, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    work w;
    if (model->nv > TQ_LOCKED_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "nv", 0, (double)model->nv);
    }
    if (!take(&w, mechanism, in->stride, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_locked_scratch_size(mechanism, in->stride, in->n_wrench));
    }
    tq_locked_friction(model, in, mode, mode + model->n_joint, w.tau);
    find_moving(&w, model, mode);
    tq_stuck_tendons_find(model, mode, in->stride, in->q, in->qd, &w.tendons);
    if (w.n_moving < w.nv || w.tendons.n > 0) {
        return held(mechanism, in, &w, scratch, ret_qdd, ret_hold, reterr);
    }
    tq_forward_input smooth = *in;
    smooth.tau = w.tau;
    smooth.without |= TQ_WITHOUT_FRICTION;
    if (ret_hold != NULL) {
        memset(ret_hold, 0, (w.nv + model->n_tendon) * in->stride * sizeof *ret_hold);
    }
    return tq_forward_dynamics(mechanism, &smooth, scratch, ret_qdd, reterr);
}

tq_status tq_locked_forward(const tq_mechanism *mechanism, const tq_forward_input *in,
                            const signed char *mode, tq_scratch *scratch, double *ret_qdd,
                            double *ret_hold, tq_error *reterr)
{
    assert(in->n_sample == 1 && in->qd != NULL);
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status = forward(mechanism, in, mode, scratch, ret_qdd, ret_hold, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_joint_impulse(const tq_mechanism *mechanism, unsigned without, const double *q,
                           tq_impulse *impulse, tq_scratch *scratch, double *qd_rows,
                           tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t row = model->joints[impulse->joint].v_index;
    const size_t stride = TQ_BLOCK_PAD;
    const size_t mark = tq_scratch_mark(scratch);
    work w;
    tq_status status = TQ_OK;
    if (!take(&w, mechanism, stride, scratch)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_locked_scratch_size(mechanism, stride, 0));
    } else {
        status = tq_mass_matrix(mechanism, 1, stride, q, without, scratch, w.m, reterr);
    }
    if (status == TQ_OK) {
        w.n_moving = w.nv;
        for (size_t r = 0; r < w.nv; r++) {
            w.moving[r] = r;
            w.x[r] = r == row ? 1.0 : 0.0;
        }
        status = solve_moving(&w, reterr);
    }
    if (status == TQ_OK) {
        const double before = qd_rows[row * stride];
        const double size = (impulse->qd - before) / w.x[row];
        for (size_t r = 0; r < w.nv; r++) {
            qd_rows[r * stride] += size * w.x[r];
        }
        qd_rows[row * stride] = impulse->qd;
        impulse->loss = -0.5 * size * (before + impulse->qd);
        tq_block_pad(qd_rows, w.nv, stride, 1);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static tq_status come_to_rest(const tq_mechanism *mechanism, unsigned without, const double *q,
                              const signed char *mode, tq_scratch *scratch, double *qd,
                              tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t stride = TQ_BLOCK_PAD;
    work w;
    if (!take(&w, mechanism, stride, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_locked_scratch_size(mechanism, stride, 0));
    }
    tq_status status = tq_mass_matrix(mechanism, 1, stride, q, without, scratch, w.m, reterr);
    find_moving(&w, model, mode);
    tq_stuck_tendons_find(model, mode, stride, q, qd, &w.tendons);
    memset(w.x, 0, w.nv * sizeof *w.x);
    status = status == TQ_OK ? solve_moving(&w, reterr) : status;
    for (size_t a = 0; a < w.n_moving; a++) {
        w.x[a] = qd[w.moving[a] * stride];
    }
    if (status == TQ_OK) {
        status =
            tq_stuck_tendons_hold(model, &w.tendons, w.n_moving, w.moving, w.dense, w.x, reterr);
    }
    if (status == TQ_OK) {
        memset(qd, 0, w.nv * stride * sizeof *qd);
        for (size_t a = 0; a < w.n_moving; a++) {
            qd[w.moving[a] * stride] = w.x[a];
        }
        tq_block_pad(qd, w.nv, stride, 1);
    }
    return status;
}

tq_status tq_locked_rest(const tq_mechanism *mechanism, unsigned without, const double *q,
                         const signed char *mode, tq_scratch *scratch, double *qd, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status = come_to_rest(mechanism, without, q, mode, scratch, qd, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}
