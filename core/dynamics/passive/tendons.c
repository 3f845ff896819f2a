/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/tendons.c - springs and friction along sums of coordinates. */
#include "core/dynamics/passive/tendons.h"

#include "core/dynamics/passive/friction.h"

/* rate of the length per unit rate of the row of share k */
static double factor_of(const tq_model *model, const tq_tendon *tendon, uint32_t k, uint32_t *ret)
{
    const tq_tendon_share *share = &model->shares[tendon->first + k];
    const tq_joint *joint = &model->joints[share->joint];
    *ret = joint->v_index;
    return share->coefficient * (joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0);
}

/* by how much the length is beyond its slack range; *ret_taut: the spring pulls or pushes there */
static double stretch(const tq_model *model, const tq_tendon *tendon, size_t stride,
                      const double *q, bool *ret_taut)
{
    double length = 0.0;
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        const tq_tendon_share *share = &model->shares[tendon->first + k];
        const tq_joint *joint = &model->joints[share->joint];
        const double own = q[joint->q_index * stride];
        length +=
            share->coefficient *
            (joint->mimic != TQ_NONE ? joint->mimic_multiplier * own + joint->mimic_offset : own);
    }
    *ret_taut = length >= tendon->upper || length <= tendon->lower;
    return length > tendon->upper   ? length - tendon->upper
           : length < tendon->lower ? length - tendon->lower
                                    : length - length; /* 0, or NaN where a coordinate is */
}

/* dL/dt of one sample; qd NULL: 0 */
static double rate_of(const tq_model *model, const tq_tendon *tendon, size_t stride,
                      const double *qd)
{
    double rate = 0.0;
    for (uint32_t k = 0; qd != NULL && k < tendon->n_share; k++) {
        uint32_t row = 0;
        const double factor = factor_of(model, tendon, k, &row);
        rate += factor * qd[row * stride];
    }
    return rate;
}

static void pull(const tq_model *model, const tq_tendon *tendon, size_t stride, double tension,
                 double *tau)
{
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        uint32_t row = 0;
        const double factor = factor_of(model, tendon, k, &row);
        tau[row * stride] += factor * tension;
    }
}

void tq_tendons_add_springs(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                            double sign, double *tau)
{
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        for (size_t i = 0; tendon->stiffness != 0.0 && i < n_sample; i++) {
            bool taut = false;
            const double s = stretch(model, tendon, stride, q + i, &taut);
            pull(model, tendon, stride, sign * tendon->stiffness * s, tau + i);
        }
    }
}

void tq_tendons_add_friction(const tq_model *model, size_t n_sample, size_t stride,
                             const double *qd, double sign, double *tau)
{
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        for (size_t i = 0; i < n_sample; i++) {
            const double rate = rate_of(model, tendon, stride, qd != NULL ? qd + i : NULL);
            pull(model, tendon, stride, sign * tq_friction_effort(&tendon->friction, rate),
                 tau + i);
        }
    }
}

double tq_tendons_potential(const tq_model *model, size_t stride, const double *q)
{
    double energy = 0.0;
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        bool taut = false;
        const double s = stretch(model, &model->tendons[t], stride, q, &taut);
        energy += 0.5 * model->tendons[t].stiffness * s * s;
    }
    return energy;
}

void tq_tendons_add_derivatives(const tq_model *model, bool springs, bool friction, size_t stride,
                                const double *q, const double *qd, double *dq, double *dqd)
{
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        bool taut = false;
        (void)stretch(model, tendon, stride, q, &taut);
        const double k = taut && springs ? tendon->stiffness : 0.0;
        const double rate = rate_of(model, tendon, stride, qd);
        const double d = friction ? tq_friction_slope(&tendon->friction, rate) : 0.0;
        for (uint32_t a = 0; a < tendon->n_share && (k != 0.0 || d != 0.0); a++) {
            uint32_t row = 0, column = 0;
            const double by_row = factor_of(model, tendon, a, &row);
            for (uint32_t b = 0; b < tendon->n_share; b++) {
                const double both = by_row * factor_of(model, tendon, b, &column);
                const size_t at = ((size_t)row * model->nv + column) * stride;
                dq[at] += both * k;
                dqd[at] += both * d;
            }
        }
    }
}
