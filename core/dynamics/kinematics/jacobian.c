/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/jacobian.c - Jacobians by the kernel. */
#include "core/dynamics/kinematics/jacobian.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/model/layout.h"

_Static_assert((int)TQ_POINT_WORLD == (int)TQ_JACOBIAN_WORLD, "same order");
_Static_assert((int)TQ_POINT_LINK == (int)TQ_JACOBIAN_LINK, "same order");
_Static_assert((int)TQ_POINT_WORLD_ALIGNED == (int)TQ_JACOBIAN_WORLD_ALIGNED, "same order");

size_t tq_jacobian_scratch_size(const tq_mechanism *mechanism)
{
    return tq_scratch_cost(tq_work_doubles(&mechanism->canonical), sizeof(double));
}

static tq_kernel_point in_body(const tq_canonical *c, const tq_jacobian_point *point)
{
    const tq_canonical_link *link = &c->links[point->link];
    tq_kernel_point p = {.body = link->body, .frame = (int)point->frame};
    tq_mat_vec(link->in_body.r, point->at, p.at);
    for (int k = 0; k < 3; k++) {
        p.at[k] += link->in_body.p[k];
    }
    __builtin_memcpy(p.r, link->in_body.r, sizeof p.r);
    return p;
}

tq_status tq_jacobian(const tq_mechanism *mechanism, const tq_jacobian_point *point,
                      const tq_inverse_input *at, tq_scratch *scratch, double *ret_jacobian,
                      double *ret_rate, tq_error *reterr)
{
    assert(mechanism != NULL && point != NULL && at != NULL && scratch != NULL);
    assert(mechanism->model.nv == 0 || (at->q != NULL && ret_jacobian != NULL));
    if (point->link >= mechanism->model.n_link) {
        return tq_fail(reterr, TQ_ERR_RANGE, "link", 0, point->link);
    }
    const size_t n_sample = at->n_sample, stride = at->stride;
    tq_status status = tq_check_block(n_sample, stride, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const tq_canonical *c = &mechanism->canonical;
    const tq_kernel_input in = tq_kernel_input_at(n_sample, stride, at->q, at->qd);
    const tq_kernel_point place = in_body(c, point);
    const size_t mark = tq_scratch_mark(scratch), n_row = 6 * (size_t)mechanism->model.nv;
    double *work = tq_scratch_take(scratch, tq_work_doubles(c), sizeof(double));
    if (work == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_jacobian_scratch_size(mechanism));
    }
    const tq_fpmode mode = tq_fpmode_enter();
    status = tq_check_quaternions(mechanism, n_sample, stride, at->q, reterr);
    if (status == TQ_OK) {
        tq_kernels_for(n_sample)->jacobian(c, &in, &place, work, ret_jacobian, ret_rate);
        status = tq_check_result("jacobian", n_row, n_sample, stride, ret_jacobian, reterr);
    }
    if (status == TQ_OK && ret_rate != NULL) {
        status = tq_check_result("jacobian", n_row, n_sample, stride, ret_rate, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
