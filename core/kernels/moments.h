/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/moments.h - inertial parameters of a body: constants of the robot, or one set per
 * sample. */
#ifndef TQ_KERNELS_MOMENTS_H
#define TQ_KERNELS_MOMENTS_H

#include "core/kernels/joints.h"

/* A kernel file that defines TQ_VARIED before its includes reads rows of in->varied; the sums are
 * in the same order, so the bits are those of a robot with these parameters. */
#ifdef TQ_VARIED
typedef real moment;
typedef struct body_moments {
    moment m, h[3], s[6], tensor[6], scale_turn, scale_slide;
} body_moments;

#define tq_fmam  tq_fma
#define tq_fnmam tq_fnma

TQ_INLINE real moment_real(moment x)
{
    return x;
}

/* of body b with joint k, samples from i on */
TQ_INLINE const body_moments *moments_of(const tq_canonical_joint *k, const tq_kernel_input *in,
                                         int b, long i, body_moments *room)
{
    (void)k;
    const long stride = in->varied_stride;
    const double *at = in->varied + (long)TQ_VARIED_ROWS * b * stride + i;
    room->m = load(at);
    for (int r = 0; r < 3; r++) {
        room->h[r] = load(at + (1 + r) * stride);
    }
    for (int r = 0; r < 6; r++) {
        room->s[r] = load(at + (4 + r) * stride);
        room->tensor[r] = load(at + (10 + r) * stride);
    }
    room->scale_turn = load(at + 16 * stride);
    room->scale_slide = load(at + 17 * stride);
    return room;
}
#else
typedef double moment;
typedef tq_canonical_joint body_moments;

#define tq_fmam  tq_fmac
#define tq_fnmam tq_fnmac

TQ_INLINE real moment_real(moment x)
{
    return splat(x);
}

TQ_INLINE const body_moments *moments_of(const tq_canonical_joint *k, const tq_kernel_input *in,
                                         int b, long i, const body_moments *room)
{
    (void)in, (void)b, (void)i, (void)room;
    return k;
}
#endif

#endif
