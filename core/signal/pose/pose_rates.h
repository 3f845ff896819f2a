/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pose/pose_rates.h - velocity of a pose by differences of its samples on the
 * manifold. */
#ifndef TQ_SIGNAL_POSE_POSE_RATES_H
#define TQ_SIGNAL_POSE_POSE_RATES_H

#include <stddef.h>

/* Samples of a pose, row by row. */
typedef struct tq_pose_samples {
    size_t n, stride;
    const double *position; /* (3 x stride) m, in the parent frame; NULL: a rotation alone */
    const double
        *quaternion; /* (4 x stride) w x y z of unit length, without jumps between q and -q */
} tq_pose_samples;

/**
 * Twist in the child frame, the rates qd of spherical and floating joints: v = R^T dp/dt, and
 * w = log(R[k-1]^T R[k+1]) / (2 h); at the two ends the one that continues its neighbours
 * linearly. No delay; w is exact for a rotation of constant rate, v for parabolas.
 *
 * Shapes   n >= 3; h: s between samples; ret (6 x stride) v then w in m/s and rad/s, of a rotation
 *          alone (3 x stride).
 * Source   J. Sola, J. Deray, D. Atchuthan, A micro Lie theory for state estimation in robotics,
 *          arXiv:1812.01537, 2018.
 * Checked  tests/unit/core/signal/pose/test_pose_rates.c
 */
void tq_pose_rates(const tq_pose_samples *pose, double h, double *ret);

/* Vectors in the axes of the parent into those of the child, and back: inout (3 x stride). */
void tq_pose_to_child(const tq_pose_samples *pose, double *inout);
void tq_pose_to_parent(const tq_pose_samples *pose, double *inout);

#endif
