/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/fpmode.c - flush-to-zero and denormals-are-zero, where the processor has them. */
#include "core/base/fpmode.h"

#if defined(__x86_64__)
#include <immintrin.h>

enum {
    MXCSR_KERNELS = 0x1f80 | 0x8000 | 0x0040, /* traps masked, flush-to-zero, denormals-are-zero */
};

tq_fpmode tq_fpmode_enter(void)
{
    const tq_fpmode before = {.control = _mm_getcsr()};
    _mm_setcsr(MXCSR_KERNELS);
    return before;
}

void tq_fpmode_leave(tq_fpmode before)
{
    _mm_setcsr((unsigned)before.control);
}

#elif defined(__aarch64__)

tq_fpmode tq_fpmode_enter(void)
{
    tq_fpmode before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before.control));
    const uint64_t flush_to_zero = UINT64_C(1) << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(flush_to_zero));
    return before;
}

void tq_fpmode_leave(tq_fpmode before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before.control));
}

#else

tq_fpmode tq_fpmode_enter(void)
{
    return (tq_fpmode){0};
}

void tq_fpmode_leave(tq_fpmode before)
{
    (void)before;
}

#endif
