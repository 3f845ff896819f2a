/* SPDX-License-Identifier: Apache-2.0 */
/* core/lanes/build.h - the builds of the kernels, and the name of a symbol in each. */
#ifndef TQ_LANES_BUILD_H
#define TQ_LANES_BUILD_H

#include "core/base/status.h"

/* In a kernel file TQ_KERNEL(tq_rnea) is tq_rnea_w8, tq_rnea_w4 ... by the Makefile's TQ_BUILD. */
#define TQ_KERNEL_JOIN(name, build)   name##_##build
#define TQ_KERNEL_EXPAND(name, build) TQ_KERNEL_JOIN(name, build)
#define TQ_KERNEL(name)               TQ_KERNEL_EXPAND(name, TQ_BUILD)

typedef enum tq_lanes_build {
    TQ_BUILD_PORTABLE, /* one lane, no instruction beyond the architecture's baseline */
    TQ_BUILD_W1,       /* one lane, fused multiply-add in hardware */
    TQ_BUILD_W1V,      /* the same with the registers of AVX-512 */
    TQ_BUILD_W2,
    TQ_BUILD_W4, /* AVX2 */
    TQ_BUILD_W8, /* AVX-512 */
    TQ_BUILD_COUNT
} tq_lanes_build;

/* The build that is used for blocks of samples, and the one for a single sample. */
tq_lanes_build tq_lanes_build_now(void);
tq_lanes_build tq_lanes_build_single(void);

/* For tests: run this build for blocks and single samples alike. TQ_ERR_RANGE when the CPU cannot.
 */
tq_status tq_lanes_force(tq_lanes_build build);

#endif
