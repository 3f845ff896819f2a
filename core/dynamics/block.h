/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/block.h - parts common to inverse and forward dynamics of a block: private to this
 * folder. */
#ifndef TQ_DYNAMICS_BLOCK_H
#define TQ_DYNAMICS_BLOCK_H

#include "core/base/block.h"
#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/external_wrench.h"
#include "core/kernels/table.h"
#include "core/model/layout.h"
#include "core/model/mechanism.h"

/* TQ_ERR_SHAPE unless 1 <= n_sample <= TQ_BLOCK, n_sample <= stride <= TQ_BLOCK_STRIDE, and stride
 * is a multiple of the padding. */
tq_status tq_check_block(size_t n_sample, size_t stride, tq_error *reterr);

/* The slow path of a failed check: finds the first bad sample for the error. */
tq_status tq_find_quaternion(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                             const double *q, tq_error *reterr);
tq_status tq_find_overflow(const char *what, size_t n_row, size_t n_sample, size_t stride,
                           const double *x, tq_error *reterr);

/* A call for one sample takes a few hundred instructions, so whatever every call executes is
 * inline: the next two functions, and the *_take functions below. */

/* TQ_ERR_QUATERNION at the first sample with a quaternion off unit length by more than 1e-6. */
static inline tq_status tq_check_quaternions(const tq_mechanism *mechanism, size_t n_sample,
                                             size_t stride, const double *q, tq_error *reterr)
{
    return mechanism->canonical.n_ball == 0
               ? TQ_OK
               : tq_find_quaternion(mechanism, n_sample, stride, q, reterr);
}

/* TQ_ERR_OVERFLOW at the first sample of x (n_row x stride) that is not finite. */
static inline tq_status tq_check_result(const char *what, size_t n_row, size_t n_sample,
                                        size_t stride, const double *x, tq_error *reterr)
{
    return tq_kernels_for(n_sample)->finite((long)n_row, (long)n_sample, (long)stride, x)
               ? TQ_OK
               : tq_find_overflow(what, n_row, n_sample, stride, x, reterr);
}

/* With external wrenches a block is computed in runs of this many samples, to bound the memory for
 * wrenches and poses of robots with thousands of bodies. */
enum { TQ_WRENCH_RUN = 32 };

/* Memory for the wrenches on bodies of one run, and for the poses that world axes require. */
typedef struct tq_wrench_room {
    double *rows;  /* (6 n_body x TQ_WRENCH_RUN) */
    double *poses; /* (12 n_body x TQ_WRENCH_RUN) */
} tq_wrench_room;

size_t tq_wrench_room_size(const tq_mechanism *mechanism, size_t n_wrench);
tq_status tq_wrench_room_take_some(const tq_mechanism *mechanism, tq_scratch *scratch,
                                   tq_wrench_room *ret, tq_error *reterr);
static inline tq_status tq_wrench_room_take(const tq_mechanism *mechanism, size_t n_wrench,
                                            tq_scratch *scratch, tq_wrench_room *ret,
                                            tq_error *reterr)
{
    *ret = (tq_wrench_room){NULL, NULL};
    return n_wrench == 0 ? TQ_OK : tq_wrench_room_take_some(mechanism, scratch, ret, reterr);
}

/* Rows at a stride of TQ_BLOCK doubles are 2 KiB apart and map to the same cache sets (conflict
 * misses). For robots of many dofs each run of samples is copied to rows close together. Same bits.
 */
enum {
    TQ_PACKED_STRIDE = TQ_WRENCH_RUN + TQ_BLOCK_PAD,
    TQ_PACKED_NEAR = 64, /* strides above this that are multiples of it conflict */
};
typedef struct tq_packed_rows {
    double *q, *qd, *third, *out; /* third: qdd or tau; all NULL: packing is not used for this
                                     block */
} tq_packed_rows;

/* Takes memory for packed rows if a block of this stride benefits; else *ret is all NULL. */
size_t tq_packed_rows_size(const tq_mechanism *mechanism);
tq_status tq_packed_rows_take_some(const tq_mechanism *mechanism, size_t stride,
                                   tq_scratch *scratch, tq_packed_rows *ret);
static inline tq_status tq_packed_rows_take(const tq_mechanism *mechanism, size_t stride,
                                            tq_scratch *scratch, tq_packed_rows *ret)
{
    *ret = (tq_packed_rows){NULL, NULL, NULL, NULL};
    return stride <= TQ_PACKED_NEAR ? TQ_OK
                                    : tq_packed_rows_take_some(mechanism, stride, scratch, ret);
}

/* Copies the run of n samples of `in` into the packed rows and points `in` there; qdd and tau must
 * not both be set. tq_packed_rows_return copies the results back to rows `stride` apart. */
void tq_packed_rows_fill(const tq_mechanism *mechanism, const tq_packed_rows *rows,
                         tq_kernel_input *in);
void tq_packed_rows_return(const tq_mechanism *mechanism, const tq_packed_rows *rows, size_t n,
                           size_t stride, double *to);

/* Computes room->rows for the run of in->n_sample samples from sample `first` of the block on and
 * points `in` at them. in->q is already at that sample. */
void tq_gather_wrenches(const tq_mechanism *mechanism, const tq_external_wrench *wrenches,
                        size_t n_wrench, size_t first, double *work, const tq_wrench_room *room,
                        tq_kernel_input *in);

/* Mass matrix of checked inputs, in the kernels' floating-point mode; rows of ret_m are
 * in->out_stride apart. */
tq_status tq_mass_matrix_checked(const tq_mechanism *mechanism, const tq_kernel_input *in,
                                 tq_scratch *scratch, double *ret_m, tq_error *reterr);

#endif
