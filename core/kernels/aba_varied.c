/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/aba_varied.c - forward dynamics with per-sample inertial parameters. */
#define TQ_VARIED 1
#include "core/kernels/aba.h"

void TQ_KERNEL(tq_aba_varied)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                              double *ret_qdd, tq_kernel_fault *ret_fault)
{
    forward(c, in, work, ret_qdd, ret_fault);
}
