/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/tendons.c - springs and friction along sums of coordinates and along paths.
 */
#include "core/dynamics/passive/tendons.h"

#include "core/dynamics/passive/friction.h"
#include "core/dynamics/passive/path.h"
#include "core/dynamics/passive/path_bends.h"
#include "core/dynamics/passive/path_slopes.h"

/* rate of the length per unit rate of the row of share k */
static double factor_of(const tq_model *model, const tq_tendon *tendon, uint32_t k, uint32_t *ret)
{
    const tq_tendon_share *share = &model->shares[tendon->first + k];
    const tq_joint *joint = &model->joints[share->joint];
    *ret = joint->v_index;
    return share->coefficient * (joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0);
}

double tq_tendon_length(const tq_model *model, const tq_tendon *tendon, size_t stride,
                        const double *q)
{
    double length = tendon->n_point > 0 ? tq_path_length(model, tendon, stride, q) : 0.0;
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        const tq_tendon_share *share = &model->shares[tendon->first + k];
        const tq_joint *joint = &model->joints[share->joint];
        const double own = q[joint->q_index * stride];
        length +=
            share->coefficient *
            (joint->mimic != TQ_NONE ? joint->mimic_multiplier * own + joint->mimic_offset : own);
    }
    return length;
}

/* by how much the length is beyond its slack range; *ret_taut: the spring pulls or pushes there */
static double stretch(const tq_model *model, const tq_tendon *tendon, size_t stride,
                      const double *q, bool *ret_taut)
{
    const double length = tq_tendon_length(model, tendon, stride, q);
    *ret_taut = length >= tendon->upper || length <= tendon->lower;
    return length > tendon->upper   ? length - tendon->upper
           : length < tendon->lower ? length - tendon->lower
                                    : length - length; /* 0, or NaN where a coordinate is */
}

double tq_tendon_rate(const tq_model *model, const tq_tendon *tendon, size_t stride,
                      const double *q, const double *qd)
{
    double rate = 0.0;
    if (qd != NULL && tendon->n_point > 0) {
        rate = tq_path_rate(model, tendon, stride, q, qd);
    }
    for (uint32_t k = 0; qd != NULL && k < tendon->n_share; k++) {
        uint32_t row = 0;
        const double factor = factor_of(model, tendon, k, &row);
        rate += factor * qd[row * stride];
    }
    return rate;
}

double tq_tendon_tension(const tq_model *model, const tq_tendon *tendon, bool springs,
                         bool friction, const tq_path_sample *at)
{
    bool taut = false;
    double tension = 0.0;
    if (springs && tendon->stiffness != 0.0) {
        tension += tendon->stiffness * stretch(model, tendon, at->stride, at->q, &taut);
    }
    if (friction) {
        const double rate = tq_tendon_rate(model, tendon, at->stride, at->q, at->qd);
        tension += tq_friction_effort(&tendon->friction, rate);
    }
    return tension;
}

void tq_tendon_pull(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                    double tension, double *tau)
{
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        uint32_t row = 0;
        const double factor = factor_of(model, tendon, k, &row);
        tau[row * stride] += factor * tension;
    }
    if (tendon->n_point > 0) {
        tq_path_pull(model, tendon, stride, q, tension, tau);
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
            tq_tendon_pull(model, tendon, stride, q + i, sign * tendon->stiffness * s, tau + i);
        }
    }
}

/* The law is tested: paths are not measured where a tendon has no friction. */
static bool has_friction(const tq_friction *f)
{
    return f->viscous != 0.0 || f->coulomb != 0.0 || f->breakaway != 0.0 || f->offset != 0.0;
}

void tq_tendons_add_friction(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                             const double *qd, double sign, double *tau)
{
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        for (size_t i = 0; has_friction(&tendon->friction) && i < n_sample; i++) {
            const double rate =
                tq_tendon_rate(model, tendon, stride, q + i, qd != NULL ? qd + i : NULL);
            tq_tendon_pull(model, tendon, stride, q + i,
                           sign * tq_friction_effort(&tendon->friction, rate), tau + i);
        }
    }
}

double tq_tendons_potential(const tq_model *model, size_t stride, const double *q)
{
    double energy = 0.0;
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        bool taut = false;
        if (model->tendons[t].stiffness == 0.0) {
            continue;
        }
        const double s = stretch(model, &model->tendons[t], stride, q, &taut);
        energy += 0.5 * model->tendons[t].stiffness * s * s;
    }
    return energy;
}

/* of a sum of coordinates: J is constant */
static void add_shares(const tq_model *model, const tq_tendon *tendon, const tq_path_tension *f,
                       const tq_path_sample *at, double *dq, double *dqd)
{
    for (uint32_t a = 0; a < tendon->n_share && (f->by_length != 0.0 || f->by_rate != 0.0); a++) {
        uint32_t row = 0, column = 0;
        const double by_row = factor_of(model, tendon, a, &row);
        for (uint32_t b = 0; b < tendon->n_share; b++) {
            const double both = by_row * factor_of(model, tendon, b, &column);
            const size_t entry = ((size_t)row * model->nv + column) * at->stride;
            dq[entry] += both * f->by_length;
            dqd[entry] += both * f->by_rate;
        }
    }
}

static tq_path_tension tension_at(const tq_model *model, const tq_tendon *tendon, bool springs,
                                  bool friction, const tq_path_sample *at)
{
    const tq_friction *law = &tendon->friction;
    const double rate = tq_tendon_rate(model, tendon, at->stride, at->q, at->qd);
    bool taut = false;
    (void)stretch(model, tendon, at->stride, at->q, &taut);
    return (tq_path_tension){
        .value = tq_tendon_tension(model, tendon, springs, friction, at),
        .by_length = taut && springs ? tendon->stiffness : 0.0,
        .by_rate = friction ? tq_friction_slope(law, rate) : 0.0,
        .by_rate_twice = friction ? tq_friction_curvature(law, rate) : 0.0,
    };
}

tq_status tq_tendons_add_derivatives(const tq_model *model, bool springs, bool friction,
                                     const tq_path_sample *at, tq_scratch *scratch, double *dq,
                                     double *dqd, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_status status = TQ_OK;
    tq_path_slopes slopes = {.at = {.model = NULL}};
    if (model->n_point > 0) {
        status = tq_path_slopes_begin(model, at, scratch, &slopes, reterr);
    }
    for (uint32_t t = 0; t < model->n_tendon && status == TQ_OK; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        const tq_path_tension f = tension_at(model, tendon, springs, friction, at);
        if (tendon->n_point > 0) {
            tq_path_slopes_add(&slopes, tendon, at, &f, dq, dqd);
        } else {
            add_shares(model, tendon, &f, at, dq, dqd);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_tendon_turn(const tq_model *model, const tq_tendon *tendon, const tq_path_sample *at,
                         tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_path_slopes slopes;
    *ret = 0.0;
    if (tendon->n_point == 0) {
        return TQ_OK;
    }
    const tq_status status = tq_path_slopes_begin(model, at, scratch, &slopes, reterr);
    if (status == TQ_OK) {
        tq_path_slopes_follow(&slopes, tendon);
        for (uint32_t r = 0; r < model->nv; r++) {
            *ret += slopes.rate[r] * slopes.qd[r];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

size_t tq_tendons_derivatives_scratch_size(const tq_model *model)
{
    return model->n_point > 0 ? tq_path_slopes_scratch_size(model) : 0;
}

tq_status tq_tendons_add_second(const tq_model *model, bool springs, bool friction,
                                const tq_path_sample *at, tq_scratch *scratch,
                                const tq_second_derivatives *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_status status = TQ_OK;
    tq_path_bends bends;
    if (model->n_tendon == 0 || model->nv == 0) {
        return TQ_OK;
    }
    status = tq_path_bends_begin(model, at, scratch, &bends, reterr);
    for (uint32_t t = 0; t < model->n_tendon && status == TQ_OK; t++) {
        const tq_path_tension f = tension_at(model, &model->tendons[t], springs, friction, at);
        tq_path_bends_add(&bends, &model->tendons[t], &f, ret);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

size_t tq_tendons_second_scratch_size(const tq_model *model)
{
    return model->n_tendon > 0 ? tq_path_bends_scratch_size(model) : 0;
}
