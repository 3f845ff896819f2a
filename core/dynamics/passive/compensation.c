/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/compensation.c - forces that carry a share of the weight of links. */
#include "core/dynamics/passive/compensation.h"

#include <stdbool.h>

#include "core/dynamics/derivatives/carries.h"
#include "core/spatial/screw.h"

double tq_compensated_mass(const tq_model *model)
{
    double sum = 0.0;
    for (uint32_t l = 0; l < model->n_link; l++) {
        sum += model->links[l].carried_mass;
    }
    return sum;
}

void tq_compensation_wrench(const tq_model *model, uint32_t link, const double gravity[3],
                            double ret_wrench[6])
{
    for (unsigned k = 0; k < 3; k++) {
        ret_wrench[k] = -model->links[link].carried_mass * gravity[k];
        ret_wrench[3 + k] = 0.0;
    }
}

size_t tq_compensation_scratch_size(const tq_model *model)
{
    return tq_model_n_compensated(model) == 0 ? 0
                                              : tq_scratch_cost(model->n_link, 4 * sizeof(double));
}

void tq_compensation_moment(const tq_configuration *posture, uint32_t link, double ret[4])
{
    const tq_link *carried = &posture->model->links[link];
    const tq_pose *pose = &posture->pose[link];
    double at[3];
    tq_mat_vec(pose->r, carried->carried_at, at);
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = carried->carried_mass * (at[k] + pose->p[k]);
    }
    ret[3] = carried->carried_mass;
}

/* With U = g . H the slope of the torque dU/dq of dof `in` by dof `top`, which moves its axis:
 * g . (w_top x (W v_in + w_in x H)), W and H of the subtree of `in` */
static double slope_of(const double gravity[3], const double sum[4], const tq_freedom *top,
                       const tq_freedom *in)
{
    double moved[3], turned[3];
    tq_vec_cross(in->screw + 3, sum, moved);
    for (unsigned k = 0; k < 3; k++) {
        moved[k] += sum[3] * in->screw[k];
    }
    tq_vec_cross(top->screw + 3, moved, turned);
    return top->factor * in->factor * tq_dot3(gravity, turned);
}

static void add_pairs(const tq_configuration *p, const double gravity[3], const double sum[4],
                      size_t f, double *dq)
{
    const tq_model *model = p->model;
    const size_t nv = model->nv;
    const tq_freedom *deep = &p->freedom[f];
    const tq_joint *joint = &model->joints[deep->joint];
    const uint32_t own = (uint32_t)(f - p->first[deep->joint]);
    for (uint32_t k = 0; k < p->count[deep->joint]; k++) {
        const tq_freedom *by = &p->freedom[p->first[deep->joint] + k];
        const bool turns = tq_freedom_carries(joint, k, own);
        dq[deep->row * nv + by->row] +=
            slope_of(gravity, sum, turns ? by : deep, turns ? deep : by);
    }
    for (uint32_t n = model->links[joint->parent].joint; n != TQ_NONE;
         n = model->links[model->joints[n].parent].joint) {
        for (uint32_t k = 0; k < p->count[n]; k++) {
            const tq_freedom *up = &p->freedom[p->first[n] + k];
            const double slope = slope_of(gravity, sum, up, deep);
            dq[deep->row * nv + up->row] += slope;
            dq[up->row * nv + deep->row] += slope;
        }
    }
}

static void add_slopes(const tq_configuration *p, const double gravity[3], double *sums, double *dq)
{
    const tq_model *model = p->model;
    for (uint32_t l = 0; l < model->n_link; l++) {
        tq_compensation_moment(p, l, sums + 4 * (size_t)l);
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const uint32_t number = model->order[k];
        const tq_joint *joint = &model->joints[number];
        const double *sum = sums + 4 * (size_t)joint->child;
        for (unsigned e = 0; e < 4; e++) {
            sums[4 * (size_t)joint->parent + e] += sum[e];
        }
        for (uint32_t c = 0; c < p->count[number]; c++) {
            add_pairs(p, gravity, sum, p->first[number] + c, dq);
        }
    }
}

tq_status tq_compensation_add_slopes(const tq_configuration *posture, const double gravity[3],
                                     tq_scratch *scratch, double *dq, tq_error *reterr)
{
    const tq_model *model = posture->model;
    const size_t mark = tq_scratch_mark(scratch);
    if (tq_model_n_compensated(model) == 0) {
        return TQ_OK;
    }
    double *sums = tq_scratch_take(scratch, model->n_link, 4 * sizeof *sums);
    if (sums == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_compensation_scratch_size(model));
    }
    add_slopes(posture, gravity, sums, dq);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
