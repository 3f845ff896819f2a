/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/wrenches.c - external wrenches of any link, point and axes, converted to body
 * frames. */
#include "core/dynamics/block.h"
#include "core/model/layout.h"

size_t tq_wrench_room_size(const tq_mechanism *mechanism, size_t n_wrench)
{
    const size_t n_body = (size_t)mechanism->canonical.n_body;
    return n_wrench == 0 ? 0
                         : tq_scratch_cost(6 * n_body * TQ_WRENCH_RUN, sizeof(double)) +
                               tq_scratch_cost(12 * n_body * TQ_WRENCH_RUN, sizeof(double));
}

tq_status tq_wrench_room_take_some(const tq_mechanism *mechanism, tq_scratch *scratch,
                                   tq_wrench_room *ret, tq_error *reterr)
{
    const size_t n_body = (size_t)mechanism->canonical.n_body;
    ret->rows = tq_scratch_take(scratch, 6 * n_body * TQ_WRENCH_RUN, sizeof(double));
    ret->poses = tq_scratch_take(scratch, 12 * n_body * TQ_WRENCH_RUN, sizeof(double));
    if (ret->rows == NULL || ret->poses == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    return TQ_OK;
}

/* One sample: (f, m) about the point `at`, in world or link axes, converted to the body's frame. */
static void to_body(const tq_external_wrench *w, const tq_canonical_link *link, const double *pose,
                    const double given[6], double ret[6])
{
    double f[3], m[3], at[3], lever[3];
    if (w->expressed_in == TQ_FRAME_WORLD) {
        double r[9];
        for (int k = 0; k < 9; k++) {
            r[k] = pose[k * TQ_WRENCH_RUN];
        }
        tq_mat_tvec(r, given, f);
        tq_mat_tvec(r, given + 3, m);
    } else {
        tq_mat_vec(link->in_body.r, given, f);
        tq_mat_vec(link->in_body.r, given + 3, m);
    }
    tq_mat_vec(link->in_body.r, w->at, at);
    for (int k = 0; k < 3; k++) {
        at[k] += link->in_body.p[k];
    }
    tq_vec_cross(at, f, lever);
    for (int k = 0; k < 3; k++) {
        ret[k] = f[k];
        ret[3 + k] = m[k] + lever[k];
    }
}

static void add_wrench(const tq_external_wrench *w, const tq_canonical_link *link, size_t first,
                       size_t n_sample, const tq_wrench_room *room)
{
    double *rows = room->rows + 6L * link->body * TQ_WRENCH_RUN;
    const double *pose = room->poses + 12L * link->body * TQ_WRENCH_RUN;
    for (size_t i = 0; i < n_sample; i++) {
        double given[6], in_body[6];
        for (size_t k = 0; k < 6; k++) {
            given[k] = w->rows[k * w->row_stride + (first + i) * w->sample_step];
        }
        to_body(w, link, pose + i, given, in_body);
        for (size_t k = 0; k < 6; k++) {
            rows[k * TQ_WRENCH_RUN + i] += in_body[k];
        }
    }
}

void tq_gather_wrenches(const tq_mechanism *mechanism, const tq_external_wrench *wrenches,
                        size_t n_wrench, size_t first, double *work, const tq_wrench_room *room,
                        tq_kernel_input *in)
{
    const tq_canonical *c = &mechanism->canonical;
    _Bool world = 0;
    for (size_t k = 0; k < n_wrench; k++) {
        world = world || wrenches[k].expressed_in == TQ_FRAME_WORLD;
    }
    if (world) {
        tq_kernels_for((size_t)in->n_sample)->kinematics(c, in, work, room->poses, TQ_WRENCH_RUN);
    }
    for (size_t k = 0; k < 6 * (size_t)c->n_body * TQ_WRENCH_RUN; k++) {
        room->rows[k] = 0.0;
    }
    for (size_t k = 0; k < n_wrench; k++) {
        const tq_canonical_link *link = &c->links[wrenches[k].link];
        if (link->body >= 0) { /* a wrench on the base does no work on any dof */
            add_wrench(&wrenches[k], link, first, (size_t)in->n_sample, room);
        }
    }
    in->wrench = room->rows;
    in->wrench_stride = TQ_WRENCH_RUN;
}
