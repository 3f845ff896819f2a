/* SPDX-License-Identifier: Apache-2.0 */
/* core/lanes/table.c - selection of the kernel build for this CPU. */
#include "core/lanes/table.h"

#include <stdbool.h>

#include "core/lanes/build.h"

/* written once at start, before any thread; read by every entry of core/dynamics */
static tq_lanes_build build_of_blocks = TQ_BUILD_PORTABLE;
static tq_lanes_build build_of_singles = TQ_BUILD_PORTABLE;
static unsigned width_in_force;

static unsigned width_of(tq_lanes_build build)
{
    switch (build) {
    case TQ_BUILD_W2:
        return 2;
    case TQ_BUILD_W4:
        return 4;
    case TQ_BUILD_W8:
        return 8;
    case TQ_BUILD_PORTABLE:
    case TQ_BUILD_W1:
    case TQ_BUILD_W1V:
    case TQ_BUILD_COUNT:
        break;
    }
    return 1;
}

static bool cpu_runs(tq_lanes_build build)
{
#if defined(__x86_64__)
    const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool wide = fused && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    switch (build) {
    case TQ_BUILD_PORTABLE:
        return true;
    case TQ_BUILD_W1:
    case TQ_BUILD_W2:
    case TQ_BUILD_W4:
        return fused;
    case TQ_BUILD_W1V:
    case TQ_BUILD_W8:
        return wide;
    case TQ_BUILD_COUNT:
        break;
    }
    return false;
#else
    return build == TQ_BUILD_PORTABLE;
#endif
}

unsigned tq_lanes_widest(void)
{
    for (tq_lanes_build build = TQ_BUILD_W8; build > TQ_BUILD_PORTABLE; build--) {
        if (cpu_runs(build)) {
            return width_of(build);
        }
    }
    return 1;
}

tq_status tq_lanes_force(tq_lanes_build build)
{
    if (!cpu_runs(build)) {
        return TQ_ERR_RANGE;
    }
    build_of_blocks = build;
    build_of_singles = build;
    width_in_force = width_of(build);
    return TQ_OK;
}

tq_status tq_lanes_select(unsigned width)
{
    const unsigned wanted = width == 0 ? tq_lanes_widest() : width;
    for (tq_lanes_build build = TQ_BUILD_W8;; build--) {
        if (width_of(build) == wanted && cpu_runs(build)) {
            build_of_blocks = build;
            build_of_singles = cpu_runs(TQ_BUILD_W1V)  ? TQ_BUILD_W1V
                               : cpu_runs(TQ_BUILD_W1) ? TQ_BUILD_W1
                                                       : TQ_BUILD_PORTABLE;
            width_in_force = wanted;
            return TQ_OK;
        }
        if (build == TQ_BUILD_PORTABLE) {
            return TQ_ERR_RANGE;
        }
    }
}

unsigned tq_lanes_width(void)
{
    return width_in_force;
}

tq_lanes_build tq_lanes_build_now(void)
{
    return build_of_blocks;
}

tq_lanes_build tq_lanes_build_single(void)
{
    return build_of_singles;
}
