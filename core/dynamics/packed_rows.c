/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/packed_rows.c - rows of wide robots copied close together, against cache conflict
 * misses. */
#include <string.h>

#include "core/dynamics/block.h"
#include "core/model/layout.h"

enum {
    WIDE = 48, /* dofs from which on copying is cheaper than the conflict misses */
};

size_t tq_packed_rows_size(const tq_mechanism *mechanism)
{
    const tq_model *model = &mechanism->model;
    return model->nv < WIDE
               ? 0
               : tq_scratch_cost(((size_t)model->nq + 3 * (size_t)model->nv) * TQ_PACKED_STRIDE,
                                 sizeof(double));
}

tq_status tq_packed_rows_take_some(const tq_mechanism *mechanism, size_t stride,
                                   tq_scratch *scratch, tq_packed_rows *ret)
{
    const tq_model *model = &mechanism->model;
    const size_t nq = (size_t)model->nq * TQ_PACKED_STRIDE;
    const size_t nv = (size_t)model->nv * TQ_PACKED_STRIDE;
    if (model->nv < WIDE || stride % TQ_PACKED_NEAR != 0) {
        return TQ_OK;
    }
    double *at = tq_scratch_take(scratch, nq + 3 * nv, sizeof(double));
    if (at == NULL) {
        return TQ_ERR_SCRATCH;
    }
    *ret = (tq_packed_rows){at, at + nq, at + nq + nv, at + nq + 2 * nv};
    return TQ_OK;
}

static void copy(const double *from, size_t from_stride, size_t n_row, size_t n, double *to,
                 size_t to_stride)
{
    for (size_t r = 0; r < n_row; r++) {
        memcpy(to + r * to_stride, from + r * from_stride, n * sizeof *to);
    }
}

void tq_packed_rows_fill(const tq_mechanism *mechanism, const tq_packed_rows *rows,
                         tq_kernel_input *in)
{
    const size_t stride = (size_t)in->stride, nv = mechanism->model.nv;
    /* including the padding of the last vector, which kernels compute too */
    const size_t n = ((size_t)in->n_sample + TQ_BLOCK_PAD - 1) / TQ_BLOCK_PAD * TQ_BLOCK_PAD;
    copy(in->q, stride, mechanism->model.nq, n, rows->q, TQ_PACKED_STRIDE);
    in->q = rows->q;
    if (in->qd != NULL) {
        copy(in->qd, stride, nv, n, rows->qd, TQ_PACKED_STRIDE);
        in->qd = rows->qd;
    }
    const double **third = in->qdd != NULL ? &in->qdd : &in->tau;
    if (*third != NULL) {
        copy(*third, stride, nv, n, rows->third, TQ_PACKED_STRIDE);
        *third = rows->third;
    }
    in->stride = TQ_PACKED_STRIDE;
}

void tq_packed_rows_return(const tq_mechanism *mechanism, const tq_packed_rows *rows, size_t n,
                           size_t stride, double *to)
{
    copy(rows->out, TQ_PACKED_STRIDE, mechanism->model.nv, n, to, stride);
}
