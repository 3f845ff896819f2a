/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/sections.c - second-order sections (biquads) of an IIR filter, one signal per lane.
 */
#include "core/kernels/symbols.h"
#include "core/kernels/table.h"
#include "core/lanes/real.h"

/* The recursion is serial in time, so lanes are signals, not samples. Narrower builds process the
 * same eight signals in groups. Two sections run interleaved to hide latency. */

/* direct form I: the loop-carried dependency is one multiply-add */
typedef struct section {
    real b0, b1, b2, a1, a2;
    real u1, u2, y1, y2; /* inputs and outputs one and two samples ago */
} section;

/* steady state for the constant input `first` */
TQ_INLINE section steady_state(const double c[5], real first)
{
    const real at_rest = first * splat((c[0] + c[1] + c[2]) / (1.0 + c[3] + c[4]));
    return (section){.b0 = splat(c[0]),
                     .b1 = splat(c[1]),
                     .b2 = splat(c[2]),
                     .a1 = splat(c[3]),
                     .a2 = splat(c[4]),
                     .u1 = first,
                     .u2 = first,
                     .y1 = at_rest,
                     .y2 = at_rest};
}

TQ_INLINE real filter_sample(section *s, real u)
{
    const real driven = tq_fma(s->b0, u, tq_fma(s->b1, s->u1, s->b2 * s->u2));
    const real y = tq_fnma(s->a1, s->y1, tq_fnma(s->a2, s->y2, driven));
    s->u2 = s->u1;
    s->u1 = u;
    s->y2 = s->y1;
    s->y1 = y;
    return y;
}

TQ_INLINE void run_one(const double c[5], long n, double *x, long step)
{
    section s = steady_state(c, load(x));
    for (long k = 0; k < n; k++, x += step) {
        store(x, filter_sample(&s, load(x)));
    }
}

TQ_INLINE void run_two(const double c[10], long n, double *x, long step)
{
    section s = steady_state(c, load(x));
    section t = steady_state(c + 5, s.y1);
    for (long k = 0; k < n; k++, x += step) {
        store(x, filter_sample(&t, filter_sample(&s, load(x))));
    }
}

void TQ_KERNEL(tq_sections)(long n_section, const double *c, long n, double *x, int backward)
{
    const long step = backward ? -TQ_SECTION_LANES : TQ_SECTION_LANES;
    double *from = backward ? x + (n - 1) * TQ_SECTION_LANES : x;
    for (long group = 0; group < TQ_SECTION_LANES; group += TQ_LANES) {
        long s = 0;
        for (; s + 1 < n_section; s += 2) {
            run_two(c + 5 * s, n, from + group, step);
        }
        if (s < n_section) {
            run_one(c + 5 * s, n, from + group, step);
        }
    }
}
