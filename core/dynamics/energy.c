/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/energy.c - energies of bodies by the kernel, plus rotors and springs. */
#include "core/dynamics/energy.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/ball_terms.h"
#include "core/dynamics/block.h"
#include "core/dynamics/passive/carried.h"
#include "core/dynamics/passive/tendons.h"
#include "core/model/layout.h"

size_t tq_energy_scratch_size(const tq_mechanism *mechanism)
{
    return tq_scratch_cost(tq_work_doubles(&mechanism->canonical), sizeof(double)) +
           tq_carried_potential_size(mechanism);
}

/* potential energy of links fixed to the world */
static double resting(const tq_mechanism *mechanism, const double *gravity)
{
    const tq_model *model = &mechanism->model;
    double energy = 0.0;
    for (uint32_t l = 0; l < model->n_link; l++) {
        const tq_canonical_link *link = &mechanism->canonical.links[l];
        double at[3];
        tq_mat_vec(link->in_body.r, model->links[l].inertia.com, at);
        for (int k = 0; link->body < 0 && k < 3; k++) {
            energy -= model->links[l].inertia.mass * gravity[k] * (at[k] + link->in_body.p[k]);
        }
    }
    return energy;
}

static void add_joints(const tq_mechanism *mechanism, const tq_kernel_input *in, double *energy)
{
    const tq_model *model = &mechanism->model;
    const size_t stride = (size_t)in->stride;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 1) {
            for (size_t i = 0; mechanism->has_ball_terms && i < (size_t)in->n_sample; i++) {
                tq_ball_energy(joint, stride, in->q + i, in->qd != NULL ? in->qd + i : NULL,
                               energy + i, energy + stride + i);
            }
            continue;
        }
        const _Bool follows = joint->mimic != TQ_NONE;
        const double factor = follows ? joint->mimic_multiplier : 1.0;
        const double offset = follows ? joint->mimic_offset : 0.0;
        const double *q = in->q + joint->q_index * stride;
        const double *qd = in->qd != NULL ? in->qd + joint->v_index * stride : NULL;
        for (size_t i = 0; i < (size_t)in->n_sample; i++) {
            const double stretch = factor * q[i] + offset - joint->spring.rest;
            const double motor = qd != NULL ? factor * joint->rotor.ratio * qd[i] : 0.0;
            energy[i] += 0.5 * joint->rotor.inertia * motor * motor;
            energy[stride + i] += 0.5 * joint->spring.stiffness * stretch * stretch;
        }
    }
    for (size_t i = 0; model->n_tendon > 0 && i < (size_t)in->n_sample; i++) {
        energy[stride + i] += tq_tendons_potential(model, stride, in->q + i);
    }
}

tq_status tq_energy(const tq_mechanism *mechanism, const tq_inverse_input *at, tq_scratch *scratch,
                    double *ret_energy, tq_error *reterr)
{
    assert(mechanism != NULL && at != NULL && scratch != NULL && ret_energy != NULL);
    assert(mechanism->model.nv == 0 || at->q != NULL);
    const size_t n_sample = at->n_sample, stride = at->stride;
    tq_status status = tq_check_block(n_sample, stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const tq_canonical *c = &mechanism->canonical;
    const double *g = at->gravity != NULL ? at->gravity : mechanism->model.gravity;
    const tq_kernel_input in = {.n_sample = (long)n_sample,
                                .stride = (long)stride,
                                .out_stride = (long)stride,
                                .q = at->q,
                                .qd = at->qd,
                                .gravity = {g[0], g[1], g[2]}};
    const size_t mark = tq_scratch_mark(scratch);
    double *work = tq_scratch_take(scratch, tq_work_doubles(c), sizeof(double));
    if (work == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_energy_scratch_size(mechanism));
    }
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, n_sample, stride, at->q, reterr);
    if (status == TQ_OK) {
        const double rest = resting(mechanism, g);
        tq_kernels_for(n_sample)->energy(c, &in, work, ret_energy);
        for (size_t i = 0; i < n_sample; i++) {
            ret_energy[stride + i] += rest;
        }
        add_joints(mechanism, &in, ret_energy);
        if (mechanism->n_compensated > 0) {
            const tq_carried_samples samples = {n_sample, stride, at->q, g, work};
            status =
                tq_carried_add_potential(mechanism, &samples, scratch, ret_energy + stride, reterr);
        }
    }
    if (status == TQ_OK) {
        status = tq_check_result("energy", 2, n_sample, stride, ret_energy, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
