/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/joint_matrix.h - matrices over all dofs, and their reduction to master
 * joints: private to this folder. */
#ifndef TQ_DYNAMICS_KINEMATICS_JOINT_MATRIX_H
#define TQ_DYNAMICS_KINEMATICS_JOINT_MATRIX_H

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/kernels/table.h"
#include "core/model/mechanism.h"

/* A kernel that writes entry (rows[a], rows[b]) for all dofs a, b, of one matrix or of several in
 * succession. Returns 0 if some entry may not be finite. */
typedef int tq_matrix_kernel(const tq_canonical *c, const tq_kernel_input *in, double *work,
                             const int32_t *rows, long n_row, double *ret_m);

/* Calls it with checked inputs, in the kernels' floating-point mode; `work` is the kernel's own.
 * With mimic joints the result is G^T m G, qd_all = G qd. Rows of ret_m (n_matrix nv^2) are
 * in->out_stride apart. TQ_ERR_OVERFLOW if some entry may not be finite, TQ_ERR_SCRATCH without
 * tq_joint_matrix_scratch_size bytes. */
tq_status tq_joint_matrix(const tq_canonical *c, const tq_kernel_input *in,
                          tq_matrix_kernel *kernel, double *work, size_t n_matrix, _Bool symmetric,
                          tq_scratch *scratch, double *ret_m);
size_t tq_joint_matrix_scratch_size(const tq_mechanism *mechanism, size_t n_matrix);

#endif
