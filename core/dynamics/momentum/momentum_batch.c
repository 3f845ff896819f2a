/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/momentum/momentum_batch.c - the kernel's sums about its own point, moved to the
 * world origin and the centre of mass. */
#include "core/dynamics/momentum/momentum_batch.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/model/layout.h"

enum { FIRST = 0, LINEAR = 3, ANGULAR = 6, POINT = 9, SUMS = 12 };

/* mass of all links, and first moment about the world origin of those fixed to the world */
typedef struct weights {
    double all, resting, moment[3];
} weights;

size_t tq_momentum_batch_scratch_size(const tq_mechanism *mechanism)
{
    return tq_scratch_cost(tq_momentum_work_doubles(&mechanism->canonical), sizeof(double)) +
           tq_scratch_cost((size_t)SUMS * TQ_BLOCK_STRIDE, sizeof(double));
}

static weights weigh(const tq_mechanism *mechanism)
{
    weights w = {0};
    for (uint32_t l = 0; l < mechanism->model.n_link; l++) {
        const tq_inertia *inertia = &mechanism->model.links[l].inertia;
        const tq_canonical_link *link = &mechanism->canonical.links[l];
        w.all += inertia->mass;
        if (link->body < 0) {
            double com[3];
            tq_mat_vec(link->in_body.r, inertia->com, com);
            w.resting += inertia->mass;
            for (int k = 0; k < 3; k++) {
                w.moment[k] += inertia->mass * (com[k] + link->in_body.p[k]);
            }
        }
    }
    return w;
}

static void cross(const double a[3], const double b[3], double ret[3])
{
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        ret[k] = a[m] * b[n] - a[n] * b[m];
    }
}

/* one sample: sums about O -> rows of tq_momentum */
static void put_sample(const weights *w, const double *sums, size_t stride, double *ret)
{
    const double mass = w->all > 0.0 ? w->all : 1.0;
    double point[3], lever[3], linear[3], by_lever[3], by_point[3];
    for (int k = 0; k < 3; k++) {
        point[k] = sums[(size_t)(POINT + k) * stride];
        linear[k] = sums[(size_t)(LINEAR + k) * stride];
        /* centre of mass relative to O */
        lever[k] =
            (sums[(size_t)(FIRST + k) * stride] + w->moment[k] - w->resting * point[k]) / mass;
    }
    cross(lever, linear, by_lever);
    cross(point, linear, by_point);
    for (int k = 0; k < 3; k++) {
        const double angular = sums[(size_t)(ANGULAR + k) * stride];
        const double com = w->all > 0.0 ? lever[k] + point[k] : 0.0;
        ret[(size_t)(TQ_MOMENTUM_COM + k) * stride] = com;
        ret[(size_t)(TQ_MOMENTUM_COM_VELOCITY + k) * stride] = linear[k] / mass;
        ret[(size_t)(TQ_MOMENTUM_LINEAR + k) * stride] = linear[k];
        ret[(size_t)(TQ_MOMENTUM_ANGULAR_COM + k) * stride] = angular - by_lever[k];
        ret[(size_t)(TQ_MOMENTUM_ANGULAR_ORIGIN + k) * stride] = angular + by_point[k];
    }
}

static tq_status sum_up(const tq_mechanism *mechanism, const tq_inverse_input *at,
                        tq_scratch *scratch, double *ret_momentum, tq_error *reterr)
{
    const size_t n_sample = at->n_sample, stride = at->stride;
    const tq_kernel_input in = tq_kernel_input_at(n_sample, stride, at->q, at->qd);
    double *work =
        tq_scratch_take(scratch, tq_momentum_work_doubles(&mechanism->canonical), sizeof(double));
    double *sums = tq_scratch_take(scratch, SUMS * stride, sizeof(double));
    if (work == NULL || sums == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_momentum_batch_scratch_size(mechanism));
    }
    const weights w = weigh(mechanism);
    tq_kernels_for(n_sample)->momentum(&mechanism->canonical, &in, work, sums);
    for (size_t i = 0; i < n_sample; i++) {
        put_sample(&w, sums + i, stride, ret_momentum + i);
    }
    return tq_check_result("momentum", TQ_MOMENTUM_ROWS, n_sample, stride, ret_momentum, reterr);
}

tq_status tq_momentum_batch(const tq_mechanism *mechanism, const tq_inverse_input *at,
                            tq_scratch *scratch, double *ret_momentum, tq_error *reterr)
{
    assert(mechanism != NULL && at != NULL && scratch != NULL && ret_momentum != NULL);
    assert(mechanism->model.nv == 0 || at->q != NULL);
    tq_status status = tq_check_block(at->n_sample, at->stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, at->n_sample, at->stride, at->q, reterr);
    if (status == TQ_OK) {
        status = sum_up(mechanism, at, scratch, ret_momentum, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
