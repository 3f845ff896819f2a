/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/block.c - checks of a block's shape, quaternions and results. */
#include "core/dynamics/block.h"

#include <math.h>

#include "core/base/finite.h"
#include "core/model/layout.h"

#define QUATERNION_TOLERANCE 1e-6

tq_status tq_check_block(size_t n_sample, size_t stride, tq_error *reterr)
{
    if (stride == 0 || stride > TQ_BLOCK_STRIDE || stride % TQ_BLOCK_PAD != 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "stride", 0, (double)stride);
    }
    if (n_sample == 0 || n_sample > stride || n_sample > TQ_BLOCK) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_sample", 0, (double)n_sample);
    }
    return TQ_OK;
}

/* slow path: names the sample, once the vector check has failed */
static tq_status of_rows(const double *row, size_t n_sample, size_t stride, tq_error *reterr)
{
    for (size_t i = 0; i < n_sample; i++) {
        const double w = row[i], x = row[stride + i];
        const double y = row[2 * stride + i], z = row[3 * stride + i];
        const double length = sqrt(w * w + x * x + y * y + z * z);
        if (!(fabs(length - 1.0) <= QUATERNION_TOLERANCE)) {
            return tq_fail(reterr, TQ_ERR_QUATERNION, "q", i, length);
        }
    }
    return TQ_OK;
}

tq_status tq_find_quaternion(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                             const double *q, tq_error *reterr)
{
    const tq_canonical *c = &mechanism->canonical;
    const tq_kernels *kernels = tq_kernels_for(n_sample);
    for (int32_t b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        if (k->ball < 0) {
            continue;
        }
        const int32_t row = k->q_row + (k->kind == TQ_CANONICAL_FLOATING ? 3 : 0);
        const double *at = q + (size_t)row * stride;
        /* |length^2 - 1| <= tol implies |length - 1| <= tol, with margin */
        if (kernels->unit((long)n_sample, (long)stride, at, QUATERNION_TOLERANCE)) {
            continue;
        }
        const tq_status status = of_rows(at, n_sample, stride, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    return TQ_OK;
}

tq_status tq_find_overflow(const char *what, size_t n_row, size_t n_sample, size_t stride,
                           const double *x, tq_error *reterr)
{
    size_t first = n_sample;
    double value = 0.0;
    for (size_t r = 0; r < n_row; r++) {
        const size_t i = tq_find_not_finite(x + r * stride, first);
        if (i < first) {
            first = i;
            value = x[r * stride + i];
        }
    }
    return first == n_sample ? TQ_OK : tq_fail(reterr, TQ_ERR_OVERFLOW, what, first, value);
}
