/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/jet.h - a function of time with its first two derivatives, in 80-bit arithmetic. */
#ifndef TQT_JET_H
#define TQT_JET_H

#include <math.h>

/* x(t), x'(t), x''(t) at one time. */
typedef struct tqt_jet {
    long double x, d, dd;
} tqt_jet;

static inline tqt_jet tqt_jet_constant(long double x)
{
    return (tqt_jet){x, 0.0L, 0.0L};
}

static inline tqt_jet tqt_jet_add(tqt_jet a, tqt_jet b)
{
    return (tqt_jet){a.x + b.x, a.d + b.d, a.dd + b.dd};
}

static inline tqt_jet tqt_jet_scale(long double s, tqt_jet a)
{
    return (tqt_jet){s * a.x, s * a.d, s * a.dd};
}

static inline tqt_jet tqt_jet_multiply(tqt_jet a, tqt_jet b)
{
    return (tqt_jet){a.x * b.x, a.d * b.x + a.x * b.d, a.dd * b.x + 2.0L * a.d * b.d + a.x * b.dd};
}

static inline tqt_jet tqt_jet_sin(tqt_jet a)
{
    const long double s = sinl(a.x);
    const long double c = cosl(a.x);
    return (tqt_jet){s, c * a.d, c * a.dd - s * a.d * a.d};
}

static inline tqt_jet tqt_jet_cos(tqt_jet a)
{
    const long double s = sinl(a.x);
    const long double c = cosl(a.x);
    return (tqt_jet){c, -s * a.d, -s * a.dd - c * a.d * a.d};
}

/* A moving frame: x_world = r x + p. */
typedef struct tqt_jet_pose {
    tqt_jet r[9], p[3];
} tqt_jet_pose;

/* The frame b, given in the frame a, given in the world. */
static inline tqt_jet_pose tqt_jet_compose(const tqt_jet_pose *a, const tqt_jet_pose *b)
{
    tqt_jet_pose c;
    for (int i = 0; i < 3; i++) {
        c.p[i] = a->p[i];
        for (int k = 0; k < 3; k++) {
            c.p[i] = tqt_jet_add(c.p[i], tqt_jet_multiply(a->r[3 * i + k], b->p[k]));
            c.r[3 * i + k] = tqt_jet_multiply(a->r[3 * i], b->r[k]);
            for (int m = 1; m < 3; m++) {
                c.r[3 * i + k] =
                    tqt_jet_add(c.r[3 * i + k], tqt_jet_multiply(a->r[3 * i + m], b->r[3 * m + k]));
            }
        }
    }
    return c;
}

#endif
