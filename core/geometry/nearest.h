/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/nearest.h - the nearest pair of points of vertices, edges and triangles; private to
 * this folder. */
#ifndef TQ_GEOMETRY_NEAREST_H
#define TQ_GEOMETRY_NEAREST_H

#include <math.h>
#include <string.h>

#include "core/geometry/geom.h"

/* The nearest pair of points found so far. */
typedef struct tq_nearest {
    double square, a[3], b[3];
} tq_nearest;

static inline double tq_near_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tq_near_minus(const double *a, const double *b, double *ret)
{
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = a[k] - b[k];
    }
}

/* ret = a + s d */
static inline void tq_near_along(const double *a, double s, const double *d, double *ret)
{
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = a[k] + s * d[k];
    }
}

/* ret = n / length */
static inline void tq_near_unit(const double *n, double length, double *ret)
{
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = n[k] / length;
    }
}

static inline void tq_near_note(tq_nearest *best, const double *a, const double *b)
{
    double d[3];
    tq_near_minus(b, a, d);
    const double square = tq_near_dot(d, d);
    if (square < best->square) {
        best->square = square;
        memcpy(best->a, a, sizeof best->a);
        memcpy(best->b, b, sizeof best->b);
    }
}

/* Two segments p + s u, q + t v with |s| <= hu, |t| <= hv, u and v of unit length: the square of
 * the distance is convex in (s, t); its minimum in t for the best s, then in s again. */
static inline void tq_near_segments(const double *p, const double *u, double hu, const double *q,
                                    const double *v, double hv, tq_nearest *best)
{
    double r[3];
    double x[3];
    double y[3];
    tq_near_minus(p, q, r);
    const double b = tq_near_dot(u, v), c = tq_near_dot(u, r), f = tq_near_dot(v, r);
    const double determinant = 1.0 - b * b;
    double s = determinant > 1e-14 ? (b * f - c) / determinant : 0.0;
    s = fmin(fmax(s, -hu), hu);
    double t = b * s + f;
    t = fmin(fmax(t, -hv), hv);
    s = fmin(fmax(b * t - c, -hu), hu);
    tq_near_along(p, s, u, x);
    tq_near_along(q, t, v, y);
    tq_near_note(best, x, y);
}

/* Of the solids in exchanged order. */
static inline void tq_near_exchange(tq_proximity *p)
{
    for (unsigned k = 0; k < 3; k++) {
        const double a = p->a[k];
        p->a[k] = p->b[k];
        p->b[k] = a;
        p->normal[k] = -p->normal[k];
    }
}

#endif
