/* SPDX-License-Identifier: Apache-2.0 */
/* core/spatial/screw.h - twists (v, w), wrenches (f, m) and 6x6 inertias of one state, in scalar
 * doubles. */
#ifndef TQ_SPATIAL_SCREW_H
#define TQ_SPATIAL_SCREW_H

#include "core/spatial/frame.h"

/* Every function writes `ret`, which must not overlap an argument unless its comment allows it.
 * Matrices row by row. For dense computations on one sample; kernels have vectorised forms of their
 * own. */

static inline double tq_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double tq_dot6(const double a[6], const double b[6])
{
    return tq_dot3(a, b) + tq_dot3(a + 3, b + 3);
}

/* a + s b, in place */
static inline void tq_axpy6(double s, const double b[6], double a[6])
{
    for (unsigned k = 0; k < 6; k++) {
        a[k] += s * b[k];
    }
}

/* ad_V S = V x S = (w x s_v + v x s_w, w x s_w): rate of a screw S fixed in a frame with twist V */
static inline void tq_screw_cross(const double v[6], const double s[6], double ret[6])
{
    double a[3];
    double b[3];
    tq_vec_cross(v + 3, s, a);
    tq_vec_cross(v, s + 3, b);
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = a[k] + b[k];
    }
    tq_vec_cross(v + 3, s + 3, ret + 3);
}

/* V x* F = -ad_V^T F = (w x f, w x m + v x f): rate of a wrench F fixed in a frame with twist V */
static inline void tq_wrench_cross(const double v[6], const double f[6], double ret[6])
{
    double a[3];
    double b[3];
    tq_vec_cross(v + 3, f, ret);
    tq_vec_cross(v + 3, f + 3, a);
    tq_vec_cross(v, f, b);
    for (unsigned k = 0; k < 3; k++) {
        ret[3 + k] = a[k] + b[k];
    }
}

/* A x for a 6x6 matrix */
static inline void tq_apply6(const double a[36], const double x[6], double ret[6])
{
    for (unsigned i = 0; i < 6; i++) {
        ret[i] = 0.0;
        for (unsigned k = 0; k < 6; k++) {
            ret[i] += a[6 * i + k] * x[k];
        }
    }
}

/* (V x*) A for a symmetric A. Its transpose is -A (V x). */
static inline void tq_wrench_cross_inertia(const double v[6], const double a[36], double ret[36])
{
    for (unsigned j = 0; j < 6; j++) {
        double column[6];
        tq_wrench_cross(v, a + 6 * j, column); /* row j of A is its column j */
        for (unsigned i = 0; i < 6; i++) {
            ret[6 * i + j] = column[i];
        }
    }
}

#endif
