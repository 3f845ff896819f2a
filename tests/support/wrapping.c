/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/wrapping.c - lengths of paths around spheres and cylinders by acos and by search.
 */
#include "tests/support/wrapping.h"

#include <math.h>
#include <string.h>

#include "core/spatial/screw.h"

static const double pi = 3.14159265358979323846;

static double gap(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

/* the least distance of the segment to the centre, and where */
static double clearance(double p[2][2], double at[2])
{
    double d[2] = {p[1][0] - p[0][0], p[1][1] - p[0][1]};
    double s = -(d[0] * p[0][0] + d[1] * p[0][1]) / (d[0] * d[0] + d[1] * d[1]);
    s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
    at[0] = p[0][0] + s * d[0];
    at[1] = p[0][1] + s * d[1];
    return sqrt(at[0] * at[0] + at[1] * at[1]);
}

/* how far the point turns about the centre on the way from a to b, in small steps */
static double turning(const double *a, const double *b)
{
    enum { STEPS = 3000 };
    double sum = 0.0;
    for (int k = 0; k < STEPS; k++) {
        const double s = (double)k / STEPS, t = (k + 1.0) / STEPS;
        const double p[2] = {a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])};
        const double q[2] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
        sum += atan2(p[0] * q[1] - p[1] * q[0], p[0] * q[0] + p[1] * q[1]);
    }
    return sum;
}

/* The shortest of the line, where it is clear, and of the two ways around that turns as the line by
 * way of the side does. */
static double outside(double r, double p[2][2], const double *side, tqt_wrapping *kind)
{
    double at[2], touching = 0.0, tangents = 0.0;
    const double straight = gap(p[0], p[1]), clear = clearance(p, at);
    const double winding =
        side != NULL ? turning(p[0], side) + turning(side, p[1]) : turning(p[0], p[1]);
    for (int e = 0; e < 2; e++) {
        const double rho = sqrt(p[e][0] * p[e][0] + p[e][1] * p[e][1]);
        if (rho < r) {
            return straight;
        }
        touching += acos(r / rho);
        tangents += sqrt(rho * rho - r * r);
    }
    if (clear > r && fabs(turning(p[0], p[1]) - winding) < 1e-3) {
        return straight;
    }
    *kind = TQT_OUTSIDE;
    return tangents + r * (fabs(winding) - touching);
}

static double inside(double r, double p[2][2], tqt_wrapping *kind)
{
    double at[2], low = atan2(p[0][1], p[0][0]), high = atan2(p[1][1], p[1][0]), best = 0.0;
    if (clearance(p, at) <= r) {
        return gap(p[0], p[1]);
    }
    high += high - low > pi ? -2.0 * pi : (high - low < -pi ? 2.0 * pi : 0.0);
    for (int k = 0; k < 200; k++) { /* golden section */
        const double step = 0.38196601125010515 * (high - low), x[2] = {low + step, high - step};
        double both[2];
        for (int e = 0; e < 2; e++) {
            const double c[2] = {r * cos(x[e]), r * sin(x[e])};
            both[e] = gap(p[0], c) + gap(c, p[1]);
        }
        if (both[0] < both[1]) {
            high = x[1];
        } else {
            low = x[0];
        }
        best = fmin(both[0], both[1]);
    }
    *kind = TQT_INSIDE;
    return best;
}

double tqt_wrapping_length(const tq_tendon_point *solid, double end[2][3], const double *side,
                           tqt_wrapping *ret_kind)
{
    const bool cylinder = sqrt(tq_dot3(solid->axis, solid->axis)) > 0.0;
    double x[3], y[3], z[3], p[2][3], s[3] = {0.0}, flat[2][2], rise = 0.0;
    for (int k = 0; k < 3; k++) {
        p[0][k] = end[0][k] - solid->at[k];
        p[1][k] = end[1][k] - solid->at[k];
        s[k] = side != NULL ? side[k] - solid->at[k] : 0.0;
        z[k] = solid->axis[k];
    }
    if (!cylinder) {
        tq_vec_cross(p[0], p[1], z);
    }
    const double size = sqrt(tq_dot3(z, z));
    for (int k = 0; k < 3; k++) {
        z[k] /= size;
    }
    const double some[3] = {z[1] + 0.3, z[2] - 0.7, z[0] + 0.9};
    tq_vec_cross(some, z, x);
    const double width = sqrt(tq_dot3(x, x));
    for (int k = 0; k < 3; k++) {
        x[k] /= width;
    }
    tq_vec_cross(z, x, y);
    for (int e = 0; e < 2; e++) {
        flat[e][0] = tq_dot3(p[e], x);
        flat[e][1] = tq_dot3(p[e], y);
        rise += (e == 0 ? -1.0 : 1.0) * tq_dot3(p[e], z);
    }
    *ret_kind = TQT_STRAIGHT;
    const double beside[2] = {tq_dot3(s, x), tq_dot3(s, y)};
    const double length =
        side != NULL && sqrt(tq_dot3(s, s)) < solid->radius
            ? inside(solid->radius, flat, ret_kind)
            : outside(solid->radius, flat, side != NULL ? beside : NULL, ret_kind);
    return cylinder ? sqrt(length * length + rise * rise) : length;
}

void tqt_wrapping_solid(tqt_random *r, const tq_model *model, double radius, tq_tendon_point *ret)
{
    const double kind = tqt_random_uniform(r, 0.0, 3.0);
    ret->radius = tqt_random_uniform(r, 0.5, 1.5) * radius;
    for (int k = 0; k < 3; k++) {
        ret->axis[k] = tqt_random_uniform(r, -1.0, 1.0);
        ret->side[k] = ret->at[k] + tqt_random_uniform(r, -0.5, 0.5) * ret->radius;
    }
    if (tqt_random_uniform(r, 0.0, 1.0) < 0.5) {
        memset(ret->axis, 0, sizeof ret->axis);
    }
    ret->has_side = kind > 1.0;
    ret->side_link = ret->link;
    if (kind > 2.0) {
        ret->side_link = tqt_random_below(r, model->n_link);
        ret->side[0] += 3.0;
    }
}
