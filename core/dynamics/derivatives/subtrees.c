/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/subtrees.c - inertia, velocity and force of whole subtrees, in world
 * axes about the world origin. */
#include "core/dynamics/derivatives/subtrees.h"

#include <string.h>

#include "core/dynamics/derivatives/carries.h"
#include "core/dynamics/lagrangian.h"
#include "core/model/inertia.h"
#include "core/spatial/screw.h"

size_t tq_subtrees_scratch_size(const tq_model *model)
{
    return tq_scratch_cost(model->n_link, sizeof(tq_subtree)) +
           tq_scratch_cost(model->n_link, 6 * sizeof(double)) +
           tq_scratch_cost(6 * (size_t)model->n_joint, sizeof(tq_displacement));
}

bool tq_subtrees_take(const tq_configuration *p, tq_scratch *scratch, tq_subtrees *ret)
{
    const size_t mark = tq_scratch_mark(scratch);
    ret->sum = tq_scratch_take(scratch, p->model->n_link, sizeof *ret->sum);
    ret->acceleration = tq_scratch_take(scratch, p->model->n_link, 6 * sizeof(double));
    ret->left = tq_scratch_take(scratch, p->n_freedom, sizeof *ret->left);
    if (ret->sum == NULL || ret->acceleration == NULL || (ret->left == NULL && p->n_freedom > 0)) {
        tq_scratch_rewind(scratch, mark);
        return false;
    }
    return true;
}

static void own(const tq_configuration *p, uint32_t link, const double acceleration[6],
                tq_subtree *ret)
{
    const double *twist = p->twist + 6 * (size_t)link;
    const tq_inertia world = tq_inertia_move(&p->model->links[link].inertia, &p->pose[link]);
    double h[6];
    double turned[6];
    double half[36];
    tq_inertia_spatial(&world, ret->inertia);
    tq_apply6(ret->inertia, twist, h);
    tq_wrench_cross_inertia(twist, ret->inertia, half);
    tq_momentum_cross(h, ret->twice_b);
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j < 6; j++) {
            ret->rate[6 * i + j] = half[6 * i + j] + half[6 * j + i];
            ret->twice_b[6 * i + j] += ret->rate[6 * i + j];
        }
    }
    tq_apply6(ret->inertia, acceleration, ret->force);
    tq_wrench_cross(twist, h, turned);
    tq_axpy6(1.0, turned, ret->force);
}

static void to_parent(const tq_subtree *child, tq_subtree *parent)
{
    for (unsigned e = 0; e < 36; e++) {
        parent->inertia[e] += child->inertia[e];
        parent->rate[e] += child->rate[e];
        parent->twice_b[e] += child->twice_b[e];
    }
    tq_axpy6(1.0, child->force, parent->force);
}

static double rate_of(const double *x, const tq_freedom *freedom)
{
    return x != NULL ? freedom->factor * x[freedom->row] : 0.0;
}

void tq_subtrees_accelerate(const tq_configuration *p, const double *qd, const double *qdd,
                            const double gravity[3], double *acceleration)
{
    const tq_model *model = p->model;
    double *root = acceleration + 6 * (size_t)model->root;
    memset(root, 0, 6 * sizeof(double));
    for (unsigned k = 0; k < 3; k++) {
        root[k] = -gravity[k];
    }
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const uint32_t number = model->order[k];
        const tq_joint *joint = &model->joints[number];
        double *child = acceleration + 6 * (size_t)joint->child;
        memcpy(child, acceleration + 6 * (size_t)joint->parent, 6 * sizeof(double));
        for (uint32_t c = 0; c < p->count[number]; c++) {
            const tq_freedom *freedom = &p->freedom[p->first[number] + c];
            tq_axpy6(rate_of(qdd, freedom), freedom->screw, child);
            tq_axpy6(rate_of(qd, freedom), freedom->rate, child);
        }
    }
}

static void fill_displacements(const tq_configuration *p, uint32_t number, const tq_sample *sample,
                               const tq_subtrees *w)
{
    const tq_joint *joint = &p->model->joints[number];
    const bool ball = joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
    for (uint32_t c = 0; c < p->count[number]; c++) {
        const tq_freedom *freedom = &p->freedom[p->first[number] + c];
        tq_displacement *left = &w->left[p->first[number] + c];
        double carrier[6];
        double carrier_rate[6];
        double part[6];
        memcpy(carrier, p->twist + 6 * (size_t)joint->parent, sizeof carrier);
        memcpy(carrier_rate, w->acceleration + 6 * (size_t)joint->parent, sizeof carrier_rate);
        for (uint32_t k = 0; k < c && !tq_freedom_carries(joint, c, k); k++) {
            const tq_freedom *below = &p->freedom[p->first[number] + k];
            tq_axpy6(rate_of(sample->qd, below), below->screw, carrier);
            tq_axpy6(rate_of(sample->qdd, below), below->screw, carrier_rate);
            tq_axpy6(rate_of(sample->qd, below), below->rate, carrier_rate);
        }
        tq_screw_cross(carrier, freedom->screw, left->p);
        tq_screw_cross(carrier, left->p, left->y);
        tq_screw_cross(carrier_rate, freedom->screw, part);
        tq_axpy6(1.0, part, left->y);
        /* axes fixed to the child move with all dofs of the joint */
        tq_screw_cross(ball ? p->twist + 6 * (size_t)joint->child : carrier, freedom->screw,
                       left->r);
        tq_axpy6(1.0, left->p, left->r);
    }
}

void tq_subtrees_sum(const tq_configuration *p, const tq_sample *sample, bool world,
                     const tq_subtrees *w)
{
    const tq_model *model = p->model;
    for (uint32_t link = 0; link < model->n_link; link++) {
        own(p, link, w->acceleration + 6 * (size_t)link, &w->sum[link]);
    }
    for (size_t n = 0; n < sample->n_wrench; n++) {
        const tq_point_wrench *wrench = &sample->wrenches[n];
        double value[6];
        if (world || wrench->expressed_in == TQ_FRAME_LINK) {
            tq_sample_world_wrench(p, wrench, value);
            tq_axpy6(-1.0, value, w->sum[wrench->link].force);
        }
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const tq_joint *joint = &model->joints[model->order[k]];
        to_parent(&w->sum[joint->child], &w->sum[joint->parent]);
    }
}

void tq_subtrees_displace(const tq_configuration *p, const tq_sample *sample, const tq_subtrees *w)
{
    for (uint32_t j = 0; j < p->model->n_joint; j++) {
        fill_displacements(p, j, sample, w);
    }
}

tq_sample tq_subtrees_rigid(const tq_sample *sample)
{
    static const double weightless[3] = {0.0, 0.0, 0.0};
    const unsigned without = sample->without;
    tq_sample rigid = *sample;
    rigid.qd = (without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : sample->qd;
    rigid.qdd = (without & TQ_WITHOUT_INERTIA) != 0 ? NULL : sample->qdd;
    rigid.gravity = (without & TQ_WITHOUT_GRAVITY) != 0 ? weightless : sample->gravity;
    rigid.n_wrench = (without & TQ_WITHOUT_EXTERNAL) != 0 ? 0 : sample->n_wrench;
    return rigid;
}
