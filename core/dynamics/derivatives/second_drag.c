/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_drag.c - second partial derivatives of drag, by subtrees in
 * world axes about the world origin. */
#include "core/dynamics/derivatives/second_drag.h"

#include <string.h>

#include "core/dynamics/derivatives/carries.h"
#include "core/dynamics/derivatives/drag_derivatives.h"
#include "core/dynamics/drag.h"
#include "core/spatial/screw.h"

/* Of a link, then of its subtree. */
typedef struct composite {
    double curvature[216]; /* of `force` by the twist, twice; symmetric in all indices */
    double slope[36];
    double force[6]; /* what the drives must overcome */
} composite;

typedef struct work {
    tq_configuration at;
    composite *sum;  /* (n_link) */
    double *carried; /* (n_freedom x 6) W x S */
} work;

/* of dof d */
typedef struct deepest {
    double l[36], k[36];
    double row[6];   /* D S */
    double moved[6]; /* D P + S x* F */
} deepest;

size_t tq_second_drag_scratch_size(const tq_model *model)
{
    return !tq_model_has_drag(model)
               ? 0
               : tq_configuration_scratch_size(model) +
                     tq_scratch_cost(model->n_link, sizeof(composite)) +
                     tq_scratch_cost(6 * (size_t)model->n_joint, 6 * sizeof(double));
}

static void add_line(const tq_drag_line *line, composite *to)
{
    const double *u = line->along;
    tq_axpy6(line->effort, u, to->force);
    for (size_t i = 0; i < 6; i++) {
        tq_axpy6(line->slope * u[i], u, to->slope + 6 * i);
        for (size_t j = 0; j < 6; j++) {
            tq_axpy6(line->curvature * u[i] * u[j], u, to->curvature + 36 * i + 6 * j);
        }
    }
}

static void sum_subtrees(const work *w)
{
    const tq_model *model = w->at.model;
    for (uint32_t link = 0; link < model->n_link; link++) {
        tq_drag_line lines[6];
        memset(&w->sum[link], 0, sizeof w->sum[link]);
        const bool dragged = tq_drag_lines(&w->at, link, lines);
        for (unsigned k = 0; dragged && k < 6; k++) {
            add_line(&lines[k], &w->sum[link]);
        }
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const tq_joint *joint = &model->joints[model->order[k]];
        const composite *child = &w->sum[joint->child];
        composite *parent = &w->sum[joint->parent];
        for (unsigned e = 0; e < 216; e++) {
            parent->curvature[e] += child->curvature[e];
        }
        for (unsigned e = 0; e < 36; e++) {
            parent->slope[e] += child->slope[e];
        }
        tq_axpy6(1.0, child->force, parent->force);
    }
}

/* E x, 6x6 */
static void contract(const double e[216], const double x[6], double ret[36])
{
    for (size_t k = 0; k < 36; k++) {
        ret[k] = tq_dot6(e + 6 * k, x);
    }
}

static void begin(const void *context, void *room, size_t d)
{
    const work *w = context;
    deepest *ret = room;
    const tq_freedom *freedom = &w->at.freedom[d];
    const composite *sum = &w->sum[w->at.model->joints[freedom->joint].child];
    const double *s = freedom->screw, *p = w->carried + 6 * d;
    double half[36], wrench[6];
    contract(sum->curvature, s, ret->l);
    contract(sum->curvature, p, ret->k);
    tq_wrench_cross_inertia(s, sum->slope, half);
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j < 6; j++) {
            ret->k[6 * i + j] += half[6 * i + j] + half[6 * j + i];
        }
    }
    tq_apply6(sum->slope, s, ret->row);
    tq_apply6(sum->slope, p, ret->moved);
    tq_wrench_cross(s, sum->force, wrench);
    tq_axpy6(1.0, wrench, ret->moved);
}

/* Here the vectors of the torque's own dof are those of the wrenches, which E makes symmetric. */
static void fill(const void *context, const void *room, size_t d, size_t e, bool mates,
                 tq_pair *ret)
{
    const work *w = context;
    const deepest *at = room;
    const double *s = w->at.freedom[e].screw, *p = w->carried + 6 * e;
    (void)d;
    (void)mates;
    memset(ret, 0, sizeof *ret);
    tq_apply6(at->k, p, ret->of_dq_dq);
    tq_apply6(at->k, s, ret->of_dq_dqd);
    tq_apply6(at->l, s, ret->of_dqd_dqd);
    tq_apply6(at->l, p, ret->of_dqd_dq);
    tq_wrench_cross(s, at->moved, ret->of_above_dq_dq);
    tq_axpy6(1.0, ret->of_dq_dq, ret->of_above_dq_dq);
    tq_wrench_cross(s, at->row, ret->of_above_dqd_dq);
    tq_axpy6(1.0, ret->of_dqd_dq, ret->of_above_dqd_dq);
    tq_wrench_cross(p, at->row, ret->own_dq_dq_s);
    tq_wrench_cross(s, at->row, ret->own_dq_dqd_s);
    for (unsigned k = 0; k < 6; k++) {
        ret->own_dq_dq_s[k] = -ret->own_dq_dq_s[k];
        ret->own_dq_dqd_s[k] = -ret->own_dq_dqd_s[k];
    }
    memcpy(ret->own_dq_dq_p, ret->of_dqd_dq, sizeof ret->own_dq_dq_p);
    memcpy(ret->own_dqd_dq, ret->of_dqd_dq, sizeof ret->own_dqd_dq);
    memcpy(ret->own_dqd_dqd, ret->of_dqd_dqd, sizeof ret->own_dqd_dqd);
    memcpy(ret->own_mates_dqd_dqd, ret->of_dqd_dqd, sizeof ret->own_mates_dqd_dqd);
    memcpy(ret->own_dq_dqd_p, ret->of_dqd_dqd, sizeof ret->own_dq_dqd_p);
}

tq_status tq_second_add_drag(const tq_branches *branches, const double *q, const double *qd,
                             tq_scratch *scratch, const tq_second_derivatives *ret,
                             tq_error *reterr)
{
    const tq_model *model = branches->at->model;
    if (model->nv == 0 || !tq_model_has_drag(model)) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.sum = tq_scratch_take(scratch, model->n_link, sizeof *w.sum),
              .carried =
                  tq_scratch_take(scratch, 6 * (size_t)model->n_joint, 6 * sizeof *w.carried)};
    if (w.sum == NULL || w.carried == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_second_drag_scratch_size(model));
    }
    /* with all of qd, even where the posture of the rigid bodies is at rest */
    const tq_status status = tq_configuration_compute(model, q, qd, scratch, &w.at, reterr);
    if (status == TQ_OK) {
        deepest room;
        const tq_second_derivatives moving = {
            .dq_dq = ret->dq_dq, .dqd_dqd = ret->dqd_dqd, .dqd_dq = ret->dqd_dq};
        const tq_triples_of of = {
            .context = &w, .p = w.carried, .step = 6, .room = &room, .begin = begin, .fill = fill};
        sum_subtrees(&w);
        tq_drag_carry(&w.at, qd, w.carried);
        tq_triples_add(branches, &of, &moving);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
