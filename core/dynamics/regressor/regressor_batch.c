/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/regressor/regressor_batch.c - from the bodies' canonical parameters to those of the
 * links. */
#include "core/dynamics/regressor/regressor_batch.h"

#include <assert.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/model/layout.h"

/* with mimic joints: samples whose columns over all dofs are in memory at once */
enum { RUN = TQ_WORK_LANES, TEN = TQ_PARAMETERS_OF_LINK };

static size_t freedom_doubles(const tq_mechanism *mechanism)
{
    const tq_canonical *c = &mechanism->canonical;
    return c->has_mimic ? (size_t)c->n_dof * mechanism->model.n_joint * TEN * RUN : 0;
}

/* with gravity compensation: columns of a run of samples at rest */
static size_t carried_doubles(const tq_mechanism *mechanism)
{
    return (size_t)mechanism->model.nv * mechanism->model.n_joint * TEN * RUN;
}

size_t tq_regressor_batch_scratch_size(const tq_mechanism *mechanism)
{
    const tq_canonical *c = &mechanism->canonical;
    return tq_scratch_cost(tq_regressor_work_doubles(c), sizeof(double)) +
           tq_scratch_cost(freedom_doubles(mechanism), sizeof(double)) +
           tq_scratch_cost((size_t)c->n_dof, sizeof(int32_t)) +
           (mechanism->n_compensated > 0
                ? tq_scratch_cost(carried_doubles(mechanism), sizeof(double))
                : 0);
}

/* Y = G^T all: rows of all dofs, times their factors, summed into their masters' rows */
static void add_to_masters(const tq_mechanism *mechanism, const double *all, size_t n_sample,
                           size_t stride, double *y)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t n_parameter = (size_t)TEN * mechanism->model.n_joint;
    for (size_t e = 0; e < (size_t)c->nv * n_parameter; e++) {
        for (size_t i = 0; i < n_sample; i++) {
            y[e * stride + i] = 0.0;
        }
    }
    for (size_t f = 0; f < (size_t)c->n_dof; f++) {
        const size_t row = (size_t)c->dof_rows[f];
        for (size_t p = 0; p < n_parameter; p++) {
            for (size_t i = 0; i < n_sample; i++) {
                y[(row * n_parameter + p) * stride + i] +=
                    c->dof_factors[f] * all[(f * n_parameter + p) * RUN + i];
            }
        }
    }
}

/* Working memory of one call. */
typedef struct room {
    double *work;
    double *all;   /* with mimic joints: columns over all dofs */
    int32_t *rows; /* and the numbers of those */
    double *still; /* with gravity compensation: columns at rest */
} room;

static tq_status take_room(const tq_mechanism *mechanism, bool carried, tq_scratch *scratch,
                           room *ret, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    *ret = (room){
        .work = tq_scratch_take(scratch, tq_regressor_work_doubles(c), sizeof(double)),
    };
    if (c->has_mimic) {
        ret->all = tq_scratch_take(scratch, freedom_doubles(mechanism), sizeof(double));
        ret->rows = tq_scratch_take(scratch, (size_t)c->n_dof, sizeof(int32_t));
    }
    if (carried) {
        ret->still = tq_scratch_take(scratch, carried_doubles(mechanism), sizeof(double));
    }
    return ret->work == NULL || (c->has_mimic && (ret->all == NULL || ret->rows == NULL)) ||
                   (carried && ret->still == NULL)
               ? tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_regressor_batch_scratch_size(mechanism))
               : TQ_OK;
}

static void of_masters(const tq_mechanism *mechanism, const tq_kernel_input *in, const room *r,
                       double *ret_y)
{
    const tq_canonical *c = &mechanism->canonical;
    tq_kernel_input run = *in;
    for (int32_t f = 0; f < c->n_dof; f++) {
        r->rows[f] = f;
    }
    for (size_t first = 0; first < (size_t)in->n_sample; first += RUN) {
        const size_t left = (size_t)in->n_sample - first, count = left < RUN ? left : (size_t)RUN;
        run.n_sample = (long)count;
        run.out_stride = RUN;
        run.q = in->q + first;
        run.qd = in->qd != NULL ? in->qd + first : NULL;
        run.qdd = in->qdd != NULL ? in->qdd + first : NULL;
        tq_kernels_for((size_t)in->n_sample)->regressor(c, &run, r->work, r->rows, 0, r->all);
        add_to_masters(mechanism, r->all, count, (size_t)in->out_stride, ret_y + first);
    }
}

/* False: some entry may not be finite, although angles are. With mimic joints entries are
 * multiplied by factors of any size, so the result must be checked. */
static bool columns(const tq_mechanism *mechanism, const tq_kernel_input *in, const room *r,
                    bool again, double *ret_y)
{
    const tq_canonical *c = &mechanism->canonical;
    if (c->has_mimic) {
        of_masters(mechanism, in, r, ret_y);
        return false;
    }
    return tq_kernels_for((size_t)in->n_sample)
               ->regressor(c, in, r->work, c->dof_rows, again, ret_y) != 0;
}

/* to += share from, of a run: a whole one at once */
static inline void add_share(double share, const double *restrict from, size_t n,
                             double *restrict to)
{
    for (size_t i = 0; n == RUN && i < RUN; i++) {
        to[i] += share * from[i];
    }
    for (size_t i = 0; n < RUN && i < n; i++) {
        to[i] += share * from[i];
    }
}

/* What carries a link has a mass and first moments of c times the link's, and at rest only these
 * have columns: y += c still, at the n samples of a run. */
static void add_shares(const tq_mechanism *mechanism, const double *still, size_t n, size_t stride,
                       double *y)
{
    enum { FELT = 1 + 3 }; /* m, h */
    const tq_model *model = &mechanism->model;
    for (size_t col = 0; col < model->n_joint; col++) {
        const uint32_t link = model->joints[model->order[col]].child;
        const double share = model->links[link].gravity_compensation;
        for (size_t row = 0; share != 0.0 && row < model->nv; row++) {
            const size_t entry = (row * model->n_joint + col) * TEN;
            for (size_t e = entry; e < entry + FELT; e++) {
                add_share(share, still + e * RUN, n, y + e * stride);
            }
        }
    }
}

static void add_carried(const tq_mechanism *mechanism, const tq_kernel_input *in, const room *r,
                        double *y)
{
    const size_t n_sample = (size_t)in->n_sample;
    tq_kernel_input run = tq_kernel_input_at(RUN, (size_t)in->stride, in->q, NULL);
    run.out_stride = RUN;
    for (size_t k = 0; k < 3; k++) {
        run.gravity[k] = -in->gravity[k];
    }
    for (size_t first = 0; first < n_sample; first += RUN) {
        run.n_sample = (long)tq_smaller(RUN, n_sample - first);
        run.q = in->q + first;
        (void)columns(mechanism, &run, r, first > 0, r->still);
        add_shares(mechanism, r->still, (size_t)run.n_sample, (size_t)in->out_stride, y + first);
    }
}

static tq_status regressor_checked(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                   int again, tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    const double *gravity = in->gravity != NULL ? in->gravity : mechanism->model.gravity;
    const double weight = (in->without & TQ_WITHOUT_GRAVITY) != 0 ? 0.0 : 1.0;
    const tq_kernel_input whole = {
        .n_sample = (long)in->n_sample,
        .stride = (long)in->stride,
        .out_stride = (long)in->stride,
        .q = in->q,
        .qd = (in->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : in->qd,
        .qdd = (in->without & TQ_WITHOUT_INERTIA) != 0 ? NULL : in->qdd,
        .gravity = {weight * gravity[0], weight * gravity[1], weight * gravity[2]},
        .wrench_stride = 0, /* and all others: a memset of the struct takes longer */
        .fill = 0,
        .tau = NULL,
        .wrench = NULL,
        .varied = NULL,
        .varied_stride = 0,
        .rotors = 0.0,
    };
    const bool carried = mechanism->n_compensated > 0 && weight != 0.0;
    room r;
    const tq_status status = take_room(mechanism, carried, scratch, &r, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const bool bounded = columns(mechanism, &whole, &r, again != 0, ret_y);
    if (carried) {
        add_carried(mechanism, &whole, &r, ret_y);
    } else if (bounded &&
               tq_kernels_for(in->n_sample)
                   ->finite((long)mechanism->model.nq, whole.n_sample, whole.stride, in->q)) {
        return TQ_OK; /* the kernel's guarantee holds for finite angles only */
    }
    return tq_check_result("regressor", (size_t)c->nv * mechanism->model.n_joint * TEN,
                           in->n_sample, in->stride, ret_y, reterr);
}

static tq_status regressor(const tq_mechanism *mechanism, const tq_inverse_input *in, int again,
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
        status = regressor_checked(mechanism, in, again, scratch, ret_y, reterr);
    }
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_regressor_batch(const tq_mechanism *mechanism, const tq_inverse_input *in,
                             tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    return regressor(mechanism, in, 0, scratch, ret_y, reterr);
}

tq_status tq_regressor_batch_again(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                   tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    return regressor(mechanism, in, 1, scratch, ret_y, reterr);
}
