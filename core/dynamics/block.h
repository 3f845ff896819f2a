/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/block.h - what inverse and forward dynamics do alike with a block: private to this
 * folder. */
#ifndef TQ_DYNAMICS_BLOCK_H
#define TQ_DYNAMICS_BLOCK_H

#include "core/dynamics/inverse.h"
#include "core/kernels/table.h"

/* TQ_ERR_SHAPE unless 1 <= n_sample <= TQ_BLOCK, n_sample <= stride <= TQ_BLOCK_STRIDE, and stride
 * is a multiple of the padding. */
tq_status tq_check_block(size_t n_sample, size_t stride, tq_error *reterr);

/* TQ_ERR_QUATERNION at the first sample with a quaternion off unit length by more than 1e-6. */
tq_status tq_check_quaternions(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                               const double *q, tq_error *reterr);

/* TQ_ERR_OVERFLOW at the first sample of x (n_row x stride) that is not finite. */
tq_status tq_check_result(const char *what, size_t n_row, size_t n_sample, size_t stride,
                          const double *x, tq_error *reterr);

/* With external wrenches a block is computed in runs of this many samples, so that the wrenches and
 * poses of a robot of thousands of bodies stay small. */
enum { TQ_WRENCH_RUN = 32 };

/* Room for the wrenches on bodies of one run, and the poses that world axes need. */
typedef struct tq_wrench_room {
    double *rows;  /* (6 n_body x TQ_WRENCH_RUN) */
    double *poses; /* (12 n_body x TQ_WRENCH_RUN) */
} tq_wrench_room;

size_t tq_wrench_room_size(const tq_mechanism *mechanism, size_t n_wrench);
tq_status tq_wrench_room_take(const tq_mechanism *mechanism, size_t n_wrench, tq_scratch *scratch,
                              tq_wrench_room *ret, tq_error *reterr);

/* Rows at a stride of TQ_BLOCK lie 2 KiB apart, where they fight for the same lines of a cache:
 * robots of many coordinates are then computed in the same runs of samples, copied to rows that lie
 * close. Same bits. */
enum { TQ_CLOSE_STRIDE = TQ_WRENCH_RUN + TQ_BLOCK_PAD };
typedef struct tq_close_rows {
    double *q, *qd, *third, *out; /* third: qdd or tau; NULL, all of them: not for this block */
} tq_close_rows;

/* Decides whether a block of this stride wants close rows, and takes them. */
size_t tq_close_rows_size(const tq_mechanism *mechanism);
tq_status tq_close_rows_take(const tq_mechanism *mechanism, size_t stride, tq_scratch *scratch,
                             tq_close_rows *ret);

/* Copies the run of n samples that `in` points at and points `in` there; qdd and tau may not both
 * be given. Then the results back: out's rows to rows `stride` apart. */
void tq_close_rows_fill(const tq_mechanism *mechanism, const tq_close_rows *rows,
                        tq_kernel_input *in);
void tq_close_rows_return(const tq_mechanism *mechanism, const tq_close_rows *rows, size_t n,
                          size_t stride, double *to);

/* Fills room->rows for the run of in->n_sample samples that starts at sample `first` of the block
 * and points `in` at them. in->q stands at that sample already. */
void tq_gather_wrenches(const tq_mechanism *mechanism, const tq_external_wrench *wrenches,
                        size_t n_wrench, size_t first, double *work, const tq_wrench_room *room,
                        tq_kernel_input *in);

/* The mass matrix of inputs that have been checked, in the kernels' floating-point mode; rows of
 * ret_m are in->out_stride apart. */
tq_status tq_mass_matrix_checked(const tq_mechanism *mechanism, const tq_kernel_input *in,
                                 tq_scratch *scratch, double *ret_m, tq_error *reterr);

#endif
