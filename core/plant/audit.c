/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/audit.c - powers and forces during a run, energies and momenta at one time. */
#include "core/plant/audit.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/drag.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/dynamics/momentum/momentum.h"
#include "core/dynamics/passive/compensation.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/reactions.h"
#include "core/dynamics/sample.h"
#include "core/dynamics/terms.h"

static const double *gravity_of(const tq_plant *plant)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return (plant->without & TQ_WITHOUT_GRAVITY) != 0 ? none
           : plant->gravity != NULL                   ? plant->gravity
                                                      : model->gravity;
}

static size_t rows_of(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return 6 * ((size_t)model->n_joint + 1);
}

static size_t watch_size(const tq_plant *plant, size_t stride)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t base = tq_scratch_cost(rows_of(plant) * stride, sizeof(double)) +
                        tq_larger(tq_reactions_scratch_size(plant->mechanism),
                                  tq_scratch_cost((size_t)model->nq + model->nv, sizeof(double)) +
                                      tq_configuration_scratch_size(model));
    return tq_scratch_cost((model->nv + 1) * stride, sizeof(double)) +
           tq_scratch_cost(plant->n_wrench, sizeof(tq_external_wrench)) +
           tq_larger(base, tq_inverse_scratch_size(plant->mechanism, plant->n_wrench));
}

/* the plant's wrenches with the rows of this evaluation */
static tq_external_wrench *wrenches_of(const tq_plant *plant, const double *rows, size_t stride,
                                       tq_scratch *scratch)
{
    tq_external_wrench *w = tq_scratch_take(scratch, plant->n_wrench, sizeof *w);
    for (size_t k = 0; w != NULL && k < plant->n_wrench; k++) {
        w[k] = plant->wrenches[k];
        w[k].rows = rows + 6 * k * stride;
        w[k].row_stride = stride;
        w[k].sample_step = 1;
    }
    return w;
}

/* ret (n_sample) = sign * sum over rows of effort qd */
static void power(const tq_instant *at, size_t nv, const double *effort, double sign, double *ret)
{
    memset(ret, 0, at->n_sample * sizeof(double));
    for (size_t r = 0; r < nv; r++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            ret[i] += sign * effort[r * at->stride + i] * at->qd[r * at->stride + i];
        }
    }
}

static _Bool is_dragged(const tq_plant *plant)
{
    return (plant->without & TQ_WITHOUT_DRAG) == 0 &&
           tq_model_has_drag(tq_mechanism_model(plant->mechanism));
}

/* the medium's force on the whole */
static void add_drag_force(const tq_plant *plant, const tq_configuration *p, double *sum)
{
    double one[6];
    for (uint32_t l = 0; is_dragged(plant) && l < p->model->n_link; l++) {
        for (size_t r = 0; tq_drag_wrench(p, l, one) && r < 3; r++) {
            sum[r] += one[r];
        }
    }
}

/* sum of external forces and of drag on each trajectory, world axes */
static tq_status push(const tq_plant *plant, const tq_instant *at, tq_scratch *scratch,
                      double *ret_zd, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    double *q = tq_scratch_take(scratch, (size_t)model->nq + model->nv, sizeof *q);
    if (q == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    double *qd = q + model->nq;
    for (size_t i = 0; i < at->n_sample; i++) {
        const size_t mark = tq_scratch_mark(scratch);
        tq_configuration p = {0};
        double sum[6] = {0};
        for (size_t r = 0; r < model->nq; r++) {
            q[r] = at->q[r * at->stride + i];
        }
        for (size_t r = 0; r < model->nv; r++) {
            qd[r] = at->qd[r * at->stride + i];
        }
        const tq_status status = tq_configuration_compute(model, q, qd, scratch, &p, reterr);
        if (status != TQ_OK) {
            return status;
        }
        add_drag_force(plant, &p, sum);
        for (size_t k = 0; k < plant->n_wrench; k++) {
            tq_point_wrench one = {.link = plant->wrenches[k].link,
                                   .expressed_in = plant->wrenches[k].expressed_in};
            double world[6];
            for (size_t r = 0; r < 6; r++) {
                one.value[r] = at->wrench[(6 * k + r) * at->stride + i];
            }
            tq_sample_world_wrench(&p, &one, world);
            for (size_t r = 0; r < 3; r++) {
                sum[r] += world[r];
            }
        }
        for (size_t r = 0; r < 3; r++) {
            ret_zd[r * at->stride + i] = sum[r];
        }
        tq_scratch_rewind(scratch, mark);
    }
    return TQ_OK;
}

static tq_status watch_momentum(const tq_plant *plant, const tq_instant *at,
                                const tq_external_wrench *wrenches, tq_scratch *scratch,
                                double *ret_zd, tq_error *reterr)
{
    const tq_inverse_input in = {.n_sample = at->n_sample,
                                 .stride = at->stride,
                                 .q = at->q,
                                 .qd = at->qd,
                                 .qdd = at->qdd,
                                 .wrenches = wrenches,
                                 .n_wrench = plant->n_wrench,
                                 .gravity = plant->gravity,
                                 .without = plant->without};
    double *rows = tq_scratch_take(scratch, rows_of(plant) * at->stride, sizeof *rows);
    if (rows == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)watch_size(plant, at->stride));
    }
    const tq_status status = tq_reactions(plant->mechanism, &in, scratch, rows, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const double *base = rows + (rows_of(plant) - 6) * at->stride;
    for (size_t r = 0; r < 3; r++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            ret_zd[(TQ_AUDIT_BASE + r) * at->stride + i] = base[r * at->stride + i];
            ret_zd[(TQ_AUDIT_PUSH + r) * at->stride + i] = 0.0;
        }
    }
    return plant->n_wrench > 0 || is_dragged(plant)
               ? push(plant, at, scratch, ret_zd + TQ_AUDIT_PUSH * at->stride, reterr)
               : TQ_OK;
}

static tq_status watch(const tq_audit *audit, const tq_instant *at, tq_scratch *scratch,
                       double *ret_zd, tq_error *reterr)
{
    const tq_plant *plant = audit->plant;
    const size_t nv = tq_mechanism_model(plant->mechanism)->nv;
    const size_t n = nv * at->stride;
    double *effort = tq_scratch_take(scratch, n + at->stride, sizeof *effort);
    tq_external_wrench *wrenches = wrenches_of(plant, at->wrench, at->stride, scratch);
    if (effort == NULL || wrenches == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)watch_size(plant, at->stride));
    }
    power(at, nv, at->tau, 1.0, ret_zd + TQ_AUDIT_WORK * at->stride);
    memset(effort, 0, n * sizeof *effort);
    if ((plant->without & TQ_WITHOUT_FRICTION) == 0) {
        tq_add_friction(plant->mechanism, at->n_sample, at->stride, at->q, at->qd, 1.0, effort);
    }
    if (is_dragged(plant)) {
        const tq_drag_samples samples = {
            .n_sample = at->n_sample, .stride = at->stride, .q = at->q, .qd = at->qd};
        const tq_status status = tq_drag_add(tq_mechanism_model(plant->mechanism), &samples, 1.0,
                                             scratch, effort, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    power(at, nv, effort, 1.0, ret_zd + TQ_AUDIT_DISSIPATED * at->stride);
    memset(ret_zd + TQ_AUDIT_EXTERNAL * at->stride, 0, at->n_sample * sizeof(double));
    if (plant->n_wrench > 0) {
        const tq_inverse_input in = {.n_sample = at->n_sample,
                                     .stride = at->stride,
                                     .q = at->q,
                                     .wrenches = wrenches,
                                     .n_wrench = plant->n_wrench,
                                     .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_ROTOR |
                                                TQ_WITHOUT_SPRING | TQ_WITHOUT_GRAVITY |
                                                TQ_WITHOUT_VELOCITY | TQ_WITHOUT_INERTIA |
                                                TQ_WITHOUT_DRAG};
        const tq_status status =
            tq_inverse_dynamics(plant->mechanism, &in, scratch, effort, reterr);
        if (status != TQ_OK) {
            return status;
        }
        power(at, nv, effort, -1.0, ret_zd + TQ_AUDIT_EXTERNAL * at->stride);
    }
    return audit->with_momentum ? watch_momentum(plant, at, wrenches, scratch, ret_zd, reterr)
                                : TQ_OK;
}

static tq_status observe(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_zd,
                         tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status = watch(ctx, at, scratch, ret_zd, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* energy lost at limits counts as dissipated */
static void impact(void *ctx, size_t stride, double loss, double *z)
{
    (void)ctx;
    for (size_t i = 0; i < stride; i++) {
        z[TQ_AUDIT_DISSIPATED * stride + i] += loss;
    }
}

tq_effect tq_audit_effect(tq_audit *audit)
{
    return (tq_effect){.ctx = audit,
                       .n_z = audit->with_momentum ? TQ_AUDIT_ROWS_MAX : TQ_AUDIT_ENERGY_ROWS,
                       .scratch_size = watch_size(audit->plant, TQ_BLOCK_STRIDE),
                       .observe = observe,
                       .impact = impact};
}

/* ------------------------------------------------------------------------------------------------
 * At one time
 */

static void leave_out_ball(const tq_plant *plant, const tq_joint *joint, size_t n_sample,
                           size_t stride, const double *q, const double *qd, double *energy)
{
    for (size_t i = 0; i < n_sample; i++) {
        double kinetic = 0.0, potential = 0.0;
        tq_ball_energy(joint, stride, q + i, qd + i, &kinetic, &potential);
        energy[i] -= (plant->without & TQ_WITHOUT_ROTOR) != 0 ? kinetic : 0.0;
        energy[stride + i] -= (plant->without & TQ_WITHOUT_SPRING) != 0 ? potential : 0.0;
    }
}

/* energies that tq_energy includes and the plant omits */
static void leave_out(const tq_plant *plant, size_t n_sample, size_t stride, const double *q,
                      const double *qd, double *energy)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1) {
            leave_out_ball(plant, joint, n_sample, stride, q, qd, energy);
            continue;
        }
        const double ratio = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
        const double shift = joint->mimic != TQ_NONE ? joint->mimic_offset : 0.0;
        for (size_t i = 0; i < n_sample; i++) {
            const double own = ratio * q[joint->q_index * stride + i] + shift - joint->spring.rest;
            const double rate = ratio * qd[joint->v_index * stride + i] * joint->rotor.ratio;
            if ((plant->without & TQ_WITHOUT_SPRING) != 0) {
                energy[stride + i] -= 0.5 * joint->spring.stiffness * own * own;
            }
            if ((plant->without & TQ_WITHOUT_ROTOR) != 0) {
                energy[i] -= 0.5 * joint->rotor.inertia * rate * rate;
            }
        }
    }
    const _Bool slack = model->n_tendon > 0 && (plant->without & TQ_WITHOUT_SPRING) != 0;
    for (size_t i = 0; slack && i < n_sample; i++) {
        energy[stride + i] -= tq_tendons_potential(model, stride, q + i);
    }
}

tq_status tq_audit_energy(const tq_plant *plant, size_t n_sample, size_t stride, const double *q,
                          const double *qd, tq_scratch *scratch, double *ret_energy,
                          tq_error *reterr)
{
    const tq_inverse_input in = {
        .n_sample = n_sample, .stride = stride, .q = q, .qd = qd, .gravity = gravity_of(plant)};
    const tq_status status = tq_energy(plant->mechanism, &in, scratch, ret_energy, reterr);
    if (status == TQ_OK && (plant->without & (TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR)) != 0) {
        leave_out(plant, n_sample, stride, q, qd, ret_energy);
    }
    return status;
}

/* rows of one sample in the smallest block */
static const double *spread(const double *x, size_t n, tq_scratch *scratch)
{
    double *rows = tq_scratch_take(scratch, (n + 1) * TQ_BLOCK_PAD, sizeof *rows);
    for (size_t k = 0; rows != NULL && k < n * TQ_BLOCK_PAD; k++) {
        rows[k] = x[k / TQ_BLOCK_PAD];
    }
    return rows;
}

static tq_status balance(const tq_plant *plant, const double *const state[3], const double *wrench,
                         tq_scratch *scratch, tq_balance *ret, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const double *rows[3];
    for (unsigned k = 0; k < 3; k++) {
        rows[k] = spread(state[k], k == 0 ? model->nq : model->nv, scratch);
        if (rows[k] == NULL) {
            return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
        }
    }
    const double *loads = spread(wrench, wrench != NULL ? 6 * plant->n_wrench : 0, scratch);
    double *out = tq_scratch_take(scratch, rows_of(plant) * TQ_BLOCK_PAD, sizeof *out);
    tq_external_wrench *wrenches = wrenches_of(plant, loads, TQ_BLOCK_PAD, scratch);
    if (loads == NULL || out == NULL || wrenches == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_audit_scratch_size(plant));
    }
    const tq_inverse_input in = {.n_sample = 1,
                                 .stride = TQ_BLOCK_PAD,
                                 .q = rows[0],
                                 .qd = rows[1],
                                 .qdd = rows[2],
                                 .wrenches = wrenches,
                                 .n_wrench = wrench != NULL ? plant->n_wrench : 0,
                                 .gravity = gravity_of(plant),
                                 .without = plant->without};
    tq_status status =
        tq_audit_energy(plant, 1, TQ_BLOCK_PAD, rows[0], rows[1], scratch, out, reterr);
    ret->kinetic = out[0];
    ret->potential = out[TQ_BLOCK_PAD];
    if (status == TQ_OK) {
        status = tq_reactions(plant->mechanism, &in, scratch, out, reterr);
    }
    for (size_t r = 0; r < 6; r++) {
        ret->base[r] = out[(rows_of(plant) - 6 + r) * TQ_BLOCK_PAD];
    }
    tq_configuration p = {0};
    tq_momentum momentum;
    if (status == TQ_OK) {
        status = tq_configuration_compute(model, state[0], state[1], scratch, &p, reterr);
    }
    if (status == TQ_OK) {
        tq_momentum_compute(&p, &momentum);
        memcpy(ret->momentum, momentum.linear, sizeof ret->momentum);
        ret->mass = momentum.mass;
    }
    return status;
}

size_t tq_audit_scratch_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t pad = TQ_BLOCK_PAD;
    return tq_scratch_cost((model->nq + 1) * pad, sizeof(double)) +
           2 * tq_scratch_cost((model->nv + 1) * pad, sizeof(double)) +
           tq_scratch_cost((6 * plant->n_wrench + 1) * pad, sizeof(double)) +
           tq_scratch_cost(rows_of(plant) * pad, sizeof(double)) +
           tq_scratch_cost(plant->n_wrench, sizeof(tq_external_wrench)) +
           tq_larger(tq_energy_scratch_size(plant->mechanism),
                     tq_larger(tq_reactions_scratch_size(plant->mechanism),
                               tq_configuration_scratch_size(model)));
}

tq_status tq_audit_balance(const tq_plant *plant, const double *q, const double *qd,
                           const double *qdd, const double *wrench, tq_scratch *scratch,
                           tq_balance *ret_balance, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const double *const state[3] = {q, qd, qdd};
    tq_balance b = {0};
    const tq_status status = balance(plant, state, wrench, scratch, &b, reterr);
    if (status == TQ_OK) {
        *ret_balance = b;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

double tq_audit_energy_residual(const tq_balance *start, const tq_balance *now, const double *z)
{
    const double gained = (now->kinetic - start->kinetic) + (now->potential - start->potential);
    return gained - (z[TQ_AUDIT_WORK] - z[TQ_AUDIT_DISSIPATED] + z[TQ_AUDIT_EXTERNAL]);
}

void tq_audit_momentum_residual(const tq_plant *plant, double t, const tq_balance *start,
                                const tq_balance *now, const double *z, double ret_residual[3])
{
    const double *gravity = gravity_of(plant);
    const double weighs = now->mass - tq_compensated_mass(tq_mechanism_model(plant->mechanism));
    for (unsigned k = 0; k < 3; k++) {
        const double given = z[TQ_AUDIT_BASE + k] + z[TQ_AUDIT_PUSH + k] + weighs * gravity[k] * t;
        ret_residual[k] = now->momentum[k] - start->momentum[k] - given;
    }
}
