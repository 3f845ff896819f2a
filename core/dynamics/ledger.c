/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/ledger.c - torque by terms, from M, C and g of the posture. */
#include "core/dynamics/ledger.h"

#include <string.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/drag.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/terms.h"

size_t tq_ledger_scratch_size(const tq_model *model)
{
    const size_t nv = model->nv;
    return tq_lagrangian_scratch_size(model) + 2 * tq_scratch_cost(nv * nv, sizeof(double)) +
           tq_scratch_cost(nv * nv, nv * sizeof(double));
}

static tq_status short_of_scratch(const tq_configuration *p, tq_scratch *scratch, size_t mark,
                                  tq_error *reterr)
{
    tq_scratch_rewind(scratch, mark);
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_ledger_scratch_size(p->model));
}

static void apply(const double *matrix, const double *x, size_t n, double *ret)
{
    for (size_t i = 0; i < n; i++) {
        ret[i] = 0.0;
        for (size_t j = 0; j < n; j++) {
            ret[i] += matrix[i * n + j] * x[j];
        }
    }
}

static double multiplier(const tq_joint *joint)
{
    return joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
}

/* rotor inertia is on the diagonal of M only */
static double rotor_of(const tq_joint *joint)
{
    const double turns = multiplier(joint) * joint->rotor.ratio;
    return turns * turns * joint->rotor.inertia;
}

static double spring_of(const tq_joint *joint, const double *q)
{
    const double offset = joint->mimic != TQ_NONE ? joint->mimic_offset : 0.0;
    const double own = multiplier(joint) * q[joint->q_index] + offset;
    return multiplier(joint) * joint->spring.stiffness * (own - joint->spring.rest);
}

static double friction_of(const tq_joint *joint, const double *qd)
{
    const double own = qd != NULL ? multiplier(joint) * qd[joint->v_index] : 0.0;
    return multiplier(joint) * tq_friction_effort(&joint->friction, own);
}

/* moves the rotor torque of a spherical or floating joint from the entries of M and C to its own
 * entry */
static void ball_entries(const tq_joint *joint, size_t nv, const tq_sample *sample, double *entries)
{
    const double *qd = (sample->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : sample->qd;
    tq_ball_add_damper(joint, 1, 1, sample->qd, 1.0, entries + TQ_LEDGER_FRICTION * nv);
    tq_ball_add_spring(joint, 1, 1, sample->q, 1.0, entries + TQ_LEDGER_SPRING * nv);
    tq_ball_add_inertia(joint, 1, 1, NULL, sample->qdd, -1.0, entries + TQ_LEDGER_INERTIA * nv);
    tq_ball_add_inertia(joint, 1, 1, sample->qd, NULL, -1.0, entries + TQ_LEDGER_CORIOLIS * nv);
    tq_ball_add_inertia(joint, 1, 1, qd, sample->qdd, 1.0, entries + TQ_LEDGER_ROTOR * nv);
}

static void joint_entries(const tq_model *model, const tq_sample *sample, double *entries)
{
    const size_t nv = model->nv;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1) {
            ball_entries(joint, nv, sample, entries);
            continue;
        }
        const size_t row = joint->v_index;
        if (sample->qdd != NULL) {
            const double torque = rotor_of(joint) * sample->qdd[row];
            entries[TQ_LEDGER_INERTIA * nv + row] -= torque;
            entries[TQ_LEDGER_ROTOR * nv + row] += torque;
        }
        entries[TQ_LEDGER_SPRING * nv + row] += spring_of(joint, sample->q);
        entries[TQ_LEDGER_FRICTION * nv + row] += friction_of(joint, sample->qd);
    }
    tq_tendons_add_springs(model, 1, 1, sample->q, 1.0, entries + TQ_LEDGER_SPRING * nv);
    tq_tendons_add_friction(model, 1, 1, sample->q, sample->qd, 1.0,
                            entries + TQ_LEDGER_FRICTION * nv);
}

static void leave_out(unsigned without, size_t nv, double *entries)
{
    static const struct {
        unsigned bit;
        tq_ledger_entry entry;
    } rows[] = {
        {TQ_WITHOUT_FRICTION, TQ_LEDGER_FRICTION}, {TQ_WITHOUT_ROTOR, TQ_LEDGER_ROTOR},
        {TQ_WITHOUT_SPRING, TQ_LEDGER_SPRING},     {TQ_WITHOUT_GRAVITY, TQ_LEDGER_GRAVITY},
        {TQ_WITHOUT_EXTERNAL, TQ_LEDGER_EXTERNAL}, {TQ_WITHOUT_VELOCITY, TQ_LEDGER_CORIOLIS},
        {TQ_WITHOUT_INERTIA, TQ_LEDGER_INERTIA},   {TQ_WITHOUT_VELOCITY, TQ_LEDGER_CENTRIFUGAL},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if ((without & rows[r].bit) != 0) {
            memset(entries + (size_t)rows[r].entry * nv, 0, nv * sizeof(double));
        }
    }
}

tq_status tq_velocity_split(const tq_configuration *posture, const double *qd, tq_scratch *scratch,
                            double *ret_coriolis, double *ret_centrifugal, tq_error *reterr)
{
    const size_t nv = posture->model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *gamma = tq_scratch_take(scratch, nv * nv, nv * sizeof *gamma);
    if (gamma == NULL) {
        return short_of_scratch(posture, scratch, mark, reterr);
    }
    const tq_status status = tq_lagrangian_christoffel(posture, scratch, gamma, reterr);
    for (size_t i = 0; status == TQ_OK && i < nv; i++) {
        ret_coriolis[i] = ret_centrifugal[i] = 0.0;
        for (size_t j = 0; qd != NULL && j < nv; j++) {
            for (size_t k = 0; k < nv; k++) {
                const double torque = gamma[(i * nv + j) * nv + k] * qd[j] * qd[k];
                *(j == k ? &ret_centrifugal[i] : &ret_coriolis[i]) += torque;
            }
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_ledger(const tq_configuration *posture, const tq_sample *sample, tq_scratch *scratch,
                    double *ret_entries, tq_error *reterr)
{
    const tq_model *model = posture->model;
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    memset(ret_entries, 0, TQ_LEDGER_COUNT * nv * sizeof(double));
    if (sample->qdd != NULL) {
        double *m = tq_scratch_take(scratch, nv * nv, sizeof *m);
        if (m == NULL) {
            return short_of_scratch(posture, scratch, mark, reterr);
        }
        const tq_status status = tq_lagrangian_mass_matrix(posture, scratch, m, reterr);
        if (status != TQ_OK) {
            tq_scratch_rewind(scratch, mark);
            return status;
        }
        apply(m, sample->qdd, nv, ret_entries + TQ_LEDGER_INERTIA * nv);
    }
    const tq_status status =
        tq_velocity_split(posture, sample->qd, scratch, ret_entries + TQ_LEDGER_CORIOLIS * nv,
                          ret_entries + TQ_LEDGER_CENTRIFUGAL * nv, reterr);
    tq_scratch_rewind(scratch, mark);
    tq_lagrangian_gravity(posture, sample->gravity, ret_entries + TQ_LEDGER_GRAVITY * nv);
    double *external = ret_entries + TQ_LEDGER_EXTERNAL * nv;
    tq_sample_add_wrenches(posture, sample, external);
    for (size_t i = 0; i < nv; i++) {
        external[i] = 0.0 - external[i];
    }
    joint_entries(model, sample, ret_entries);
    leave_out(sample->without, nv, ret_entries);
    if ((sample->without & TQ_WITHOUT_DRAG) == 0) {
        tq_drag_add_at(posture, ret_entries + TQ_LEDGER_FRICTION * nv);
    }
    return status;
}

void tq_ledger_total(size_t nv, const double *entries, double *ret_tau)
{
    for (size_t i = 0; i < nv; i++) {
        double sum = 0.0;
        for (size_t e = 0; e < TQ_LEDGER_COUNT; e++) {
            sum += entries[e * nv + i];
        }
        ret_tau[i] = sum;
    }
}

tq_status tq_passivity_torque(const tq_configuration *posture, const double *qd,
                              const double *qd_ref, const double *qdd_ref, const double gravity[3],
                              tq_scratch *scratch, double *ret_tau, tq_error *reterr)
{
    const size_t nv = posture->model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *matrix = tq_scratch_take(scratch, nv * nv, sizeof *matrix);
    double *part = tq_scratch_take(scratch, nv, sizeof *part);
    if (matrix == NULL || part == NULL) {
        return short_of_scratch(posture, scratch, mark, reterr);
    }
    tq_lagrangian_gravity(posture, gravity, ret_tau);
    tq_status status = tq_lagrangian_mass_matrix(posture, scratch, matrix, reterr);
    if (status == TQ_OK) {
        apply(matrix, qdd_ref, nv, part);
        for (size_t i = 0; i < nv; i++) {
            ret_tau[i] += part[i];
        }
        status =
            tq_lagrangian_coriolis(posture, qd, TQ_CORIOLIS_CHRISTOFFEL, scratch, matrix, reterr);
    }
    if (status == TQ_OK) {
        apply(matrix, qd_ref, nv, part);
        for (size_t i = 0; i < nv; i++) {
            ret_tau[i] += part[i];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
