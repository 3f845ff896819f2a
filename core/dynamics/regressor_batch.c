/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/regressor_batch.c - from the bodies' canonical parameters to the links' own. */
#include "core/dynamics/regressor_batch.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/model/layout.h"

/* samples whose body regressors are held at once: one group of the widest lanes */
enum { RUN = TQ_BLOCK_PAD, TEN = TQ_PARAMETERS_OF_LINK };

/* Column p: the moments in the body's frame, as the kernel orders them, of a link whose parameter p
 * is 1 and whose others are 0. */
static void link_map(const tq_canonical_link *link, double map[TEN][TEN])
{
    static const int place[6] = {4, 5, 7, 6, 8, 9}; /* of S xx xy xz yy yz zz among the kernel's */
    for (int p = 0; p < TEN; p++) {
        double unit[TEN] = {0.0};
        unit[p] = 1.0;
        const double half_trace = 0.5 * (unit[4] + unit[7] + unit[9]);
        const tq_moments own = {.m = unit[0],
                                .h = {unit[1], unit[2], unit[3]},
                                .s = {half_trace - unit[4], -unit[5], -unit[6],
                                      half_trace - unit[7], -unit[8], half_trace - unit[9]}};
        tq_moments moved = {.m = 0.0};
        tq_moments_add(&moved, &own, &link->in_body);
        map[0][p] = moved.m;
        for (int k = 0; k < 3; k++) {
            map[1 + k][p] = moved.h[k];
        }
        for (int k = 0; k < 6; k++) {
            map[place[k]][p] = moved.s[k];
        }
    }
}

/* the ten columns of one link in the row of one freedom */
static void add_link(const double *body, double map[TEN][TEN], double factor, size_t n_sample,
                     size_t stride, double *y)
{
    for (size_t p = 0; p < TEN; p++) {
        for (size_t k = 0; k < TEN; k++) {
            const double by = factor * map[k][p];
            for (size_t i = 0; by != 0.0 && i < n_sample; i++) {
                y[p * stride + i] += by * body[k * RUN + i];
            }
        }
    }
}

static void spread(const tq_mechanism *mechanism, const double *bodies, size_t n_sample,
                   size_t stride, double *y)
{
    const tq_canonical *c = &mechanism->canonical;
    const tq_model *model = &mechanism->model;
    const size_t n_parameter = (size_t)TEN * model->n_joint, n_dof = (size_t)c->n_dof;
    for (size_t e = 0; e < (size_t)c->nv * n_parameter; e++) {
        for (size_t i = 0; i < n_sample; i++) {
            y[e * stride + i] = 0.0;
        }
    }
    for (size_t at = 0; at < model->n_joint; at++) {
        const tq_canonical_link *link = &c->links[model->joints[model->order[at]].child];
        double map[TEN][TEN];
        link_map(link, map);
        for (int32_t up = link->body; up >= 0; up = c->joints[up].parent) {
            const tq_canonical_joint *k = &c->joints[up];
            for (int32_t f = k->dof; f < k->dof + tq_canonical_freedoms(k->kind); f++) {
                const size_t row = (size_t)c->dof_rows[f];
                const size_t body = (size_t)link->body * n_dof + (size_t)f;
                add_link(bodies + body * TEN * RUN, map, c->dof_factors[f], n_sample, stride,
                         y + (row * n_parameter + at * TEN) * stride);
            }
        }
    }
}

static size_t body_doubles(const tq_canonical *c)
{
    return (size_t)c->n_body * (size_t)c->n_dof * TEN * RUN;
}

size_t tq_regressor_batch_scratch_size(const tq_mechanism *mechanism)
{
    const tq_canonical *c = &mechanism->canonical;
    return tq_scratch_cost(tq_regressor_work_doubles(c), sizeof(double)) +
           tq_scratch_cost(body_doubles(c), sizeof(double));
}

static tq_status regressor_checked(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                   tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    const double *gravity = in->gravity != NULL ? in->gravity : mechanism->model.gravity;
    const double weight = (in->without & TQ_WITHOUT_GRAVITY) != 0 ? 0.0 : 1.0;
    const double *qd = (in->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : in->qd;
    const double *qdd = (in->without & TQ_WITHOUT_INERTIA) != 0 ? NULL : in->qdd;
    double *work = tq_scratch_take(scratch, tq_regressor_work_doubles(c), sizeof(double));
    double *bodies = tq_scratch_take(scratch, body_doubles(c), sizeof(double));
    if (work == NULL || bodies == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_regressor_batch_scratch_size(mechanism));
    }
    for (size_t first = 0; first < in->n_sample; first += RUN) {
        const size_t left = in->n_sample - first, count = left < RUN ? left : (size_t)RUN;
        const tq_kernel_input run = {
            .n_sample = (long)count,
            .stride = (long)in->stride,
            .out_stride = RUN,
            .q = in->q + first,
            .qd = qd != NULL ? qd + first : NULL,
            .qdd = qdd != NULL ? qdd + first : NULL,
            .gravity = {weight * gravity[0], weight * gravity[1], weight * gravity[2]},
        };
        tq_kernels_for(in->n_sample)->regressor(c, &run, work, bodies);
        spread(mechanism, bodies, count, in->stride, ret_y + first);
    }
    for (size_t e = 0; e < (size_t)c->nv * mechanism->model.n_joint * TEN; e++) {
        const tq_status status = tq_check_result("regressor", 1, in->n_sample, in->stride,
                                                 ret_y + e * in->stride, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    return TQ_OK;
}

tq_status tq_regressor_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                             tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    assert(mechanism != NULL && in != NULL && scratch != NULL);
    assert(mechanism->model.nv == 0 || (in->q != NULL && ret_y != NULL));
    tq_status status = tq_check_block(in->n_sample, in->stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, in->n_sample, in->stride, in->q, reterr);
    if (status == TQ_OK) {
        status = regressor_checked(mechanism, in, scratch, ret_y, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
