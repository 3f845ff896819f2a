/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/drag_derivatives.c - partial derivatives of drag, by subtrees in world
 * axes about the world origin. */
#include "core/dynamics/derivatives/drag_derivatives.h"

#include <string.h>

#include "core/dynamics/derivatives/carries.h"
#include "core/dynamics/drag.h"
#include "core/spatial/screw.h"

/* Of a link, then of its subtree. */
typedef struct composite {
    double slope[36]; /* of `force` by the twist; symmetric */
    double force[6];  /* what the drives must overcome */
} composite;

typedef struct work {
    tq_configuration at;
    composite *sum;  /* (n_link) */
    double *q, *qd;  /* flat */
    double *carried; /* (n_freedom x 6) W x S */
} work;

size_t tq_drag_derivatives_scratch_size(const tq_model *model)
{
    return !tq_model_has_drag(model)
               ? 0
               : tq_configuration_scratch_size(model) +
                     tq_scratch_cost(model->n_link, sizeof(composite)) +
                     tq_scratch_cost((size_t)model->nq + model->nv, sizeof(double)) +
                     tq_scratch_cost(6 * (size_t)model->n_joint, 6 * sizeof(double));
}

static void sum_subtrees(const work *w)
{
    const tq_model *model = w->at.model;
    for (uint32_t link = 0; link < model->n_link; link++) {
        composite *own = &w->sum[link];
        tq_drag_line lines[6];
        memset(own, 0, sizeof *own);
        const bool dragged = tq_drag_lines(&w->at, link, lines);
        for (unsigned k = 0; dragged && k < 6; k++) {
            const double *along = lines[k].along;
            tq_axpy6(lines[k].effort, along, own->force);
            for (unsigned i = 0; i < 6; i++) {
                tq_axpy6(lines[k].slope * along[i], along, own->slope + 6 * (size_t)i);
            }
        }
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const tq_joint *joint = &model->joints[model->order[k]];
        const composite *child = &w->sum[joint->child];
        composite *parent = &w->sum[joint->parent];
        for (unsigned e = 0; e < 36; e++) {
            parent->slope[e] += child->slope[e];
        }
        tq_axpy6(1.0, child->force, parent->force);
    }
}

void tq_drag_carry(const tq_configuration *p, const double *qd, double *ret)
{
    for (size_t f = 0; f < p->n_freedom; f++) {
        const uint32_t number = p->freedom[f].joint, first = p->first[number];
        const tq_joint *joint = &p->model->joints[number];
        double carrier[6];
        memcpy(carrier, p->twist + 6 * (size_t)joint->parent, sizeof carrier);
        for (unsigned k = 0; k < 3; k++) {
            carrier[k] -= p->model->medium.velocity[k];
        }
        for (uint32_t k = first;
             k < f && !tq_freedom_carries(joint, (uint32_t)f - first, k - first); k++) {
            const tq_freedom *below = &p->freedom[k];
            tq_axpy6(qd != NULL ? below->factor * qd[below->row] : 0.0, below->screw, carrier);
        }
        tq_screw_cross(carrier, p->freedom[f].screw, ret + 6 * f);
    }
}

/* all pairs of dof f with the dofs of its own joint and of its ancestors */
static void add_pairs(const work *w, size_t f, size_t stride, double *dq, double *dqd)
{
    const tq_configuration *p = &w->at;
    const tq_model *model = p->model;
    const size_t nv = model->nv;
    const tq_freedom *deep = &p->freedom[f];
    const tq_joint *joint = &model->joints[deep->joint];
    const uint32_t number = (uint32_t)(f - p->first[deep->joint]);
    const composite *c = &w->sum[joint->child];
    double by_q[6], by_qd[6], turned[6];
    tq_apply6(c->slope, w->carried + 6 * f, by_q);
    tq_apply6(c->slope, deep->screw, by_qd); /* the slope is symmetric: the row of `deep` too */
    tq_wrench_cross(deep->screw, c->force, turned);
    for (uint32_t n = deep->joint; n != TQ_NONE; n = model->links[model->joints[n].parent].joint) {
        const bool same = n == deep->joint;
        for (uint32_t k = 0; k < p->count[n]; k++) {
            const size_t g = p->first[n] + k;
            const tq_freedom *up = &p->freedom[g];
            const double scale = deep->factor * up->factor;
            const size_t there = (up->row * nv + deep->row) * stride;
            const size_t back = (deep->row * nv + up->row) * stride;
            double value = tq_dot6(up->screw, by_q);
            if (!same || !tq_freedom_carries(joint, number, k)) {
                value += tq_dot6(up->screw, turned);
            }
            dq[there] += scale * value;
            dqd[there] += scale * tq_dot6(up->screw, by_qd);
            if (!same) {
                dq[back] += scale * tq_dot6(by_qd, w->carried + 6 * g);
                dqd[back] += scale * tq_dot6(up->screw, by_qd);
            }
        }
    }
}

static tq_status prepare(const tq_model *model, size_t stride, const double *q, const double *qd,
                         tq_scratch *scratch, work *w, tq_error *reterr)
{
    const size_t nq = model->nq, nv = model->nv;
    w->sum = tq_scratch_take(scratch, model->n_link, sizeof *w->sum);
    w->carried = tq_scratch_take(scratch, 6 * (size_t)model->n_joint, 6 * sizeof(double));
    w->q = tq_scratch_take(scratch, nq + nv, sizeof *w->q);
    if (w->sum == NULL || w->carried == NULL || w->q == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_drag_derivatives_scratch_size(model));
    }
    w->qd = w->q + nq;
    for (size_t r = 0; r < nq; r++) {
        w->q[r] = q[r * stride];
    }
    for (size_t r = 0; r < nv; r++) {
        w->qd[r] = qd != NULL ? qd[r * stride] : 0.0;
    }
    return tq_configuration_compute(model, w->q, w->qd, scratch, &w->at, reterr);
}

tq_status tq_drag_add_derivatives(const tq_model *model, size_t stride, const double *q,
                                  const double *qd, tq_scratch *scratch, double *dq, double *dqd,
                                  tq_error *reterr)
{
    if (model->nv == 0 || !tq_model_has_drag(model)) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.sum = NULL};
    const tq_status status = prepare(model, stride, q, qd, scratch, &w, reterr);
    if (status == TQ_OK && w.at.model != NULL) {
        sum_subtrees(&w);
        tq_drag_carry(&w.at, w.qd, w.carried);
        for (size_t f = 0; f < w.at.n_freedom; f++) {
            add_pairs(&w, f, stride, dq, dqd);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
