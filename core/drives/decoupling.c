/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/decoupling.c - errors of models that treat each joint separately. */
#include "core/drives/decoupling.h"

#include <string.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"

void tq_decoupling_errors(size_t n, const double *m, const double *rotor, const double *velocity,
                          const double *qdd, double *ret)
{
    for (size_t i = 0; i < n; i++) {
        double others = 0.0;
        for (size_t j = 0; j < n; j++) {
            others += j != i ? m[j * n + i] * qdd[j] : 0.0;
        }
        const double own = (m[i * n + i] - rotor[i]) * qdd[i];
        ret[i] = -others;
        ret[n + i] = -(others + own);
        ret[2 * n + i] = -(others + velocity[i]);
        ret[3 * n + i] = -(others + own + velocity[i]);
    }
}

/* eta^2 I_m of each row, as it is on the diagonal of M */
static void rotor_diagonal(const tq_model *model, double *ret)
{
    memset(ret, 0, model->nv * sizeof *ret);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double turns =
            joint->rotor.ratio * (joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0);
        if (tq_joint_kind_nv(joint->kind) == 1) {
            ret[joint->v_index] += turns * turns * joint->rotor.inertia;
        }
    }
    tq_ball_add_mass_diagonal(model, ret);
}

size_t tq_decoupling_scratch_size(const tq_mechanism *mechanism)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    return tq_scratch_cost((size_t)model->nv * model->nv, sizeof(double)) +
           tq_scratch_cost(2 * (size_t)model->nv, sizeof(double)) +
           tq_larger(tq_mass_matrix_flat_scratch_size(mechanism),
                     tq_lagrangian_scratch_size(model));
}

tq_status tq_decoupling_at(const tq_mechanism *mechanism, const tq_configuration *posture,
                           const tq_sample *sample, tq_scratch *scratch, double *ret,
                           tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *m = tq_scratch_take(scratch, nv * nv, sizeof *m);
    double *velocity = tq_scratch_take(scratch, 2 * nv, sizeof *velocity);
    if (m == NULL || velocity == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_decoupling_scratch_size(mechanism));
    }
    tq_status status =
        tq_lagrangian_velocity_torque(posture, sample->qd, scratch, velocity, reterr);
    if (status == TQ_OK) {
        status = tq_mass_matrix_flat(mechanism, sample->q, 0, scratch, m, reterr);
    }
    if (status == TQ_OK) {
        double *rotor = velocity + nv;
        rotor_diagonal(model, rotor);
        tq_decoupling_errors(nv, m, rotor, velocity, sample->qdd, ret);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
