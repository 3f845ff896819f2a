/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/momentum/momentum_batch.c - centre of mass and momentum by the kernel. */
#include "core/dynamics/momentum/momentum_batch.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/model/layout.h"

size_t tq_momentum_batch_scratch_size(const tq_mechanism *mechanism)
{
    return tq_scratch_cost(tq_momentum_work_doubles(&mechanism->canonical), sizeof(double));
}

static tq_kernel_masses weigh(const tq_mechanism *mechanism)
{
    tq_kernel_masses w = {0};
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

static tq_status sum_up(const tq_mechanism *mechanism, const tq_inverse_input *at,
                        tq_scratch *scratch, double *ret_momentum, tq_error *reterr)
{
    const size_t n_sample = at->n_sample, stride = at->stride;
    const tq_kernel_input in = tq_kernel_input_at(n_sample, stride, at->q, at->qd);
    double *work =
        tq_scratch_take(scratch, tq_momentum_work_doubles(&mechanism->canonical), sizeof(double));
    if (work == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_momentum_batch_scratch_size(mechanism));
    }
    const tq_kernel_masses w = weigh(mechanism);
    tq_kernels_for(n_sample)->momentum(&mechanism->canonical, &in, &w, work, ret_momentum);
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
