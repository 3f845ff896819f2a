/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/wrap.c - where the shortest path between two points touches a sphere or a
 * cylinder. */
#include "core/dynamics/passive/wrap.h"

#include <string.h>

#include "core/elementary/elementary.h"
#include "core/spatial/screw.h"

/* MuJoCo's mjMINVAL, by which it tells what has no direction */
static const double least = 1e-15;
static const double half_pi = 1.57079632679489661923;

/* In the plane, about the centre. */
typedef struct circle {
    double radius, end[2][2], rho[2];
    bool has_side;
    double side[2];
} circle;

static double dot2(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1];
}

static double cross2(const double *a, const double *b)
{
    return a[0] * b[1] - a[1] * b[0];
}

static double arcsine(double x)
{
    return tq_atan2(x, sqrt(fmax((1.0 - x) * (1.0 + x), 0.0)));
}

/* The point of the segment between the ends that is nearest to the centre. */
static void nearest(const circle *c, double ret[2])
{
    const double d[2] = {c->end[1][0] - c->end[0][0], c->end[1][1] - c->end[0][1]};
    const double along = fmin(fmax(-dot2(d, c->end[0]) / dot2(d, d), 0.0), 1.0);
    ret[0] = c->end[0][0] + along * d[0];
    ret[1] = c->end[0][1] + along * d[1];
}

/* from direction a to direction b, in (-pi, pi] */
static double angle_between(const double *a, const double *b)
{
    return tq_atan2(cross2(a, b), dot2(a, b));
}

/* Turning about the centre from end 0 to end 1: that of the line between them, or by way of the
 * side. The path wraps where it turns by more than both tangents together. */
static tq_wrap_kind outside(const circle *c, tq_wrap *ret, double touch[2][2])
{
    if (c->rho[0] < c->radius || c->rho[1] < c->radius) {
        return TQ_WRAP_NONE;
    }
    const double winding =
        c->has_side ? angle_between(c->end[0], c->side) + angle_between(c->side, c->end[1])
                    : angle_between(c->end[0], c->end[1]);
    ret->turn = winding < 0.0 ? -1.0 : 1.0;
    ret->angle = fabs(winding);
    for (int e = 0; e < 2; e++) {
        const double *p = c->end[e], r = c->radius, square = dot2(p, p);
        const double t = sqrt(fmax(square - r * r, 0.0)), turn = e == 0 ? ret->turn : -ret->turn;
        touch[e][0] = (p[0] * r * r - turn * r * p[1] * t) / square;
        touch[e][1] = (p[1] * r * r + turn * r * p[0] * t) / square;
        ret->angle -= tq_atan2(t, r);
    }
    ret->arc = c->radius * ret->angle;
    return ret->angle > 0.0 ? TQ_WRAP_OUTSIDE : TQ_WRAP_NONE;
}

/* 2 b - asin(A sin b) - asin(B sin b) - G rises with b, the angle of incidence; A and B are the
 * radius by the distances of the ends, and G is the angle between them: the law of sines in the
 * triangles of the centre, the touching point and each end. Newton's method between bounds. */
static double incidence(const circle *c, double between)
{
    const double a = c->radius / c->rho[0], b = c->radius / c->rho[1];
    double low = 0.0, high = half_pi, at = fmin(between / (2.0 - a - b), 0.5 * high);
    for (int k = 0; k < 100; k++) {
        const double s = tq_sin(at), cosine = tq_cos(at);
        const double f = 2.0 * at - arcsine(a * s) - arcsine(b * s) - between;
        const double slope = 2.0 - a * cosine / sqrt((1.0 - a * s) * (1.0 + a * s)) -
                             b * cosine / sqrt((1.0 - b * s) * (1.0 + b * s));
        const double next = at - f / slope;
        if (!(fabs(f / slope) > 1e-15 * at)) {
            return next;
        }
        if (f > 0.0) {
            high = at;
        } else {
            low = at;
        }
        at = next > low && next < high ? next : 0.5 * (low + high);
    }
    return at;
}

static tq_wrap_kind inside(const circle *c, tq_wrap *ret, double touch[2][2])
{
    const double d[2] = {c->end[1][0] - c->end[0][0], c->end[1][1] - c->end[0][1]};
    double near[2];
    if (c->rho[0] <= c->radius || c->rho[1] <= c->radius) {
        return TQ_WRAP_NONE;
    }
    if (dot2(d, d) > least) {
        nearest(c, near);
        if (dot2(near, near) <= c->radius * c->radius) {
            return TQ_WRAP_NONE;
        }
    }
    const double cross = cross2(c->end[0], c->end[1]);
    ret->angle = incidence(c, tq_atan2(fabs(cross), dot2(c->end[0], c->end[1])));
    const double turned = ret->angle - arcsine(c->radius / c->rho[0] * tq_sin(ret->angle));
    const double along = c->radius * tq_cos(turned) / c->rho[0];
    const double across = (cross < 0.0 ? -1.0 : 1.0) * c->radius * tq_sin(turned) / c->rho[0];
    touch[0][0] = touch[1][0] = along * c->end[0][0] - across * c->end[0][1];
    touch[0][1] = touch[1][1] = along * c->end[0][1] + across * c->end[0][0];
    ret->arc = 0.0;
    return TQ_WRAP_INSIDE;
}

/* Axes of the plane, as columns; the third is across it. */
static void plane_of(const tq_tendon_point *solid, double end[2][3], double ret[9])
{
    double x[3], y[3], z[3];
    const double *axis = solid->axis;
    if (axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 0.0) {
        tq_mat_third_column(axis, ret);
        return;
    }
    tq_vec_cross(end[0], end[1], z);
    const double rho = sqrt(tq_dot3(end[0], end[0]));
    double length = sqrt(tq_dot3(z, z));
    for (int k = 0; k < 3; k++) {
        x[k] = end[0][k] / rho;
    }
    if (length < least) { /* any plane through the three; MuJoCo's choice in the link's axes */
        int largest = fabs(x[1]) > fabs(x[0]) ? 1 : 0;
        largest = fabs(x[2]) > fabs(x[largest]) ? 2 : largest;
        const double other[3] = {largest != 0, largest != 1, largest != 2};
        tq_vec_cross(x, other, z);
        length = sqrt(tq_dot3(z, z));
    }
    for (int k = 0; k < 3; k++) {
        z[k] /= length;
    }
    tq_vec_cross(z, x, y);
    for (size_t k = 0; k < 3; k++) {
        ret[3 * k] = x[k];
        ret[3 * k + 1] = y[k];
        ret[3 * k + 2] = z[k];
    }
}

/* From the plane into the frame of the link. On a cylinder the unrolled path is straight: heights
 * grow with the length in the plane. */
static void lift(const tq_tendon_point *solid, const circle *c, const double plane[9],
                 const double height[2], double touch[2][2], tq_wrap *ret)
{
    double flat[2], rise[2];
    for (int e = 0; e < 2; e++) {
        flat[e] = tq_hypot(touch[e][0] - c->end[e][0], touch[e][1] - c->end[e][1]);
    }
    const double slope = (height[1] - height[0]) / (flat[0] + ret->arc + flat[1]);
    rise[0] = height[0] + slope * flat[0];
    rise[1] = height[0] + slope * (flat[0] + ret->arc);
    ret->arc = tq_hypot(ret->arc, rise[1] - rise[0]);
    for (int e = 0; e < 2; e++) {
        const double local[3] = {touch[e][0], touch[e][1], rise[e]};
        tq_mat_vec(plane, local, ret->touch[e]);
        for (int k = 0; k < 3; k++) {
            ret->touch[e][k] += solid->at[k];
        }
    }
}

void tq_wrap_solve(const tq_tendon_point *solid, double end[2][3], const double *side, tq_wrap *ret)
{
    double own[2][3], plane[9], height[2], touch[2][2], local[3];
    circle c = {.radius = solid->radius, .has_side = side != NULL};
    *ret = (tq_wrap){.kind = TQ_WRAP_NONE};
    for (int e = 0; e < 2; e++) {
        for (int k = 0; k < 3; k++) {
            own[e][k] = end[e][k] - solid->at[k];
        }
        if (!(sqrt(tq_dot3(own[e], own[e])) >= least)) {
            return;
        }
    }
    plane_of(solid, own, plane);
    for (int e = 0; e < 2; e++) {
        tq_mat_tvec(plane, own[e], local);
        memcpy(c.end[e], local, sizeof c.end[e]);
        height[e] = local[2];
        c.rho[e] = sqrt(dot2(local, local));
    }
    bool within = false;
    if (side != NULL) {
        const double from[3] = {side[0] - solid->at[0], side[1] - solid->at[1],
                                side[2] - solid->at[2]};
        within = sqrt(tq_dot3(from, from)) < solid->radius;
        tq_mat_tvec(plane, from, local);
        memcpy(c.side, local, sizeof c.side);
    }
    if (solid->radius < least) {
        return;
    }
    ret->kind = within ? inside(&c, ret, touch) : outside(&c, ret, touch);
    if (ret->kind == TQ_WRAP_NONE) {
        ret->arc = 0.0;
    } else {
        lift(solid, &c, plane, height, touch, ret);
    }
}
