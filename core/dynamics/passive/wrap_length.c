/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/wrap_length.c - length of a path around a sphere or a cylinder, with its
 * derivatives by the points at its ends. */
#include "core/dynamics/passive/wrap.h"
#include "core/elementary/elementary.h"

/* In the plane: squares of the distances of the ends, and r^2 sin, r^2 cos of the angle between
 * them. */
typedef struct flat {
    tq_jet square[2], sine, cosine;
} flat;

static tq_jet dot(const tq_jet a[3], const tq_jet b[3])
{
    tq_jet sum = tq_jet_multiply(&a[0], &b[0]);
    for (int k = 1; k < 3; k++) {
        const tq_jet one = tq_jet_multiply(&a[k], &b[k]);
        sum = tq_jet_add(&sum, 1.0, &one);
    }
    return sum;
}

static void cross(const tq_jet a[3], const tq_jet b[3], tq_jet ret[3])
{
    for (unsigned k = 0; k < 3; k++) {
        const unsigned i = (k + 1) % 3, j = (k + 2) % 3;
        const tq_jet one = tq_jet_multiply(&a[i], &b[j]), other = tq_jet_multiply(&a[j], &b[i]);
        ret[k] = tq_jet_add(&one, -1.0, &other);
    }
}

static tq_jet along(const tq_jet a[3], const double axis[3])
{
    tq_jet sum = tq_jet_number(0.0);
    for (int k = 0; k < 3; k++) {
        sum = tq_jet_add(&sum, axis[k], &a[k]);
    }
    return sum;
}

/* a - x y */
static tq_jet less_product(const tq_jet *a, const tq_jet *x, const tq_jet *y)
{
    const tq_jet product = tq_jet_multiply(x, y);
    return tq_jet_add(a, -1.0, &product);
}

/* angle of (cosine, sine): atan2 of the values, and atan of what turns further from there */
static tq_jet angle_of(const tq_jet *sine, const tq_jet *cosine)
{
    const double s = sine->c[0], c = cosine->c[0];
    tq_jet up = tq_jet_number(0.0), down = tq_jet_number(0.0);
    up = tq_jet_add(&up, c, sine);
    up = tq_jet_add(&up, -s, cosine);
    down = tq_jet_add(&down, c, cosine);
    down = tq_jet_add(&down, s, sine);
    up.c[0] = 0.0;
    const tq_jet ratio = tq_jet_divide(&up, &down);
    return tq_jet_apply(&ratio, (const double[4]){tq_atan2(s, c), 1.0, 0.0, -2.0});
}

/* t - r atan(t / r), t = sqrt(a - r^2): the tangent less the arc that it spares. Its derivative by
 * a is t / (2 a). With t = 0 it has no second one: none is added. */
static tq_jet tangent_less_arc(const tq_jet *a, double r)
{
    const double x = a->c[0], square = fmax(x - r * r, 0.0), t = sqrt(square);
    const double t1 = t > 0.0 ? 0.5 / t : 0.0, t2 = t > 0.0 ? -0.25 / (t * square) : 0.0;
    const double g[4] = {t - r * tq_atan2(t, r), 0.5 * t / x, 0.5 * (t1 - t / x) / x,
                         0.5 * t2 / x - (t1 - t / x) / (x * x)};
    return tq_jet_apply(a, g);
}

static tq_jet outside(const tq_wrap *wrap, const flat *f, double r)
{
    tq_jet ret = angle_of(&f->sine, &f->cosine);
    double touching = wrap->angle; /* with whole turns */
    for (unsigned m = 1; m < 8; m++) {
        ret.c[m] *= r * wrap->turn;
    }
    for (int e = 0; e < 2; e++) {
        touching += tq_atan2(sqrt(fmax(f->square[e].c[0] - r * r, 0.0)), r);
    }
    ret.c[0] = r * touching;
    for (int e = 0; e < 2; e++) {
        const tq_jet one = tangent_less_arc(&f->square[e], r);
        ret = tq_jet_add(&ret, 1.0, &one);
    }
    return ret;
}

/* asin(r s / rho) */
static tq_jet refracted(const tq_jet *square, const tq_jet *s, double r)
{
    const tq_jet rs = tq_jet_multiply(&(tq_jet){.c = {r}}, s);
    const tq_jet rest = less_product(square, &rs, &rs), root = tq_jet_sqrt(&rest);
    return angle_of(&rs, &root);
}

/* 2 b - asin(A sin b) - asin(B sin b) = G holds at the value of b. Each step of Newton's method
 * with the slope there makes the derivatives of one order more right. The length is
 * sqrt(rho0^2 - d^2) + sqrt(rho1^2 - d^2) - 2 sqrt(r^2 - d^2), d = r sin b. */
static tq_jet inside(const tq_wrap *wrap, const flat *f, double r)
{
    const tq_jet between = angle_of(&f->sine, &f->cosine);
    const double sb = tq_sin(wrap->angle), cb = tq_cos(wrap->angle);
    tq_jet b = tq_jet_number(wrap->angle);
    double slope = 2.0;
    for (int e = 0; e < 2; e++) {
        slope -= r * cb / sqrt(f->square[e].c[0] - r * r * sb * sb);
    }
    const double sine[4] = {sb, cb, -sb, -cb};
    for (int step = 0; step < 3; step++) { /* one order each */
        const tq_jet s = tq_jet_apply(&b, sine);
        tq_jet fault = tq_jet_number(0.0);
        fault = tq_jet_add(&fault, 2.0, &b);
        for (int e = 0; e < 2; e++) {
            const tq_jet one = refracted(&f->square[e], &s, r);
            fault = tq_jet_add(&fault, -1.0, &one);
        }
        fault = tq_jet_add(&fault, -1.0, &between);
        fault.c[0] = 0.0;
        b = tq_jet_add(&b, -1.0 / slope, &fault);
    }
    const tq_jet s = tq_jet_apply(&b, sine);
    const tq_jet rs = tq_jet_multiply(&(tq_jet){.c = {r}}, &s);
    const tq_jet radius = tq_jet_number(r * r), within = less_product(&radius, &rs, &rs);
    const tq_jet leg = tq_jet_sqrt(&within);
    tq_jet sum = tq_jet_number(0.0);
    sum = tq_jet_add(&sum, -2.0, &leg);
    for (int e = 0; e < 2; e++) {
        const tq_jet rest = less_product(&f->square[e], &rs, &rs), root = tq_jet_sqrt(&rest);
        sum = tq_jet_add(&sum, 1.0, &root);
    }
    return sum;
}

tq_jet tq_wrap_length(const tq_tendon_point *solid, const tq_wrap *wrap, const double axis[3],
                      tq_jet end[2][3])
{
    const bool sphere = solid->axis[0] == 0.0 && solid->axis[1] == 0.0 && solid->axis[2] == 0.0;
    const tq_jet z[2] = {along(end[0], axis), along(end[1], axis)};
    tq_jet normal[3];
    flat f = {.square = {dot(end[0], end[0]), dot(end[1], end[1])}, .cosine = dot(end[0], end[1])};
    cross(end[0], end[1], normal);
    if (sphere) {
        const tq_jet square = dot(normal, normal);
        f.sine = tq_jet_sqrt(&square);
    } else {
        f.square[0] = less_product(&f.square[0], &z[0], &z[0]);
        f.square[1] = less_product(&f.square[1], &z[1], &z[1]);
        f.cosine = less_product(&f.cosine, &z[0], &z[1]);
        f.sine = along(normal, axis);
    }
    if (wrap->kind == TQ_WRAP_INSIDE && f.sine.c[0] < 0.0) {
        const tq_jet mirrored = f.sine, none = tq_jet_number(0.0);
        f.sine = tq_jet_add(&none, -1.0, &mirrored);
    }
    const tq_jet length = wrap->kind == TQ_WRAP_INSIDE ? inside(wrap, &f, solid->radius)
                                                       : outside(wrap, &f, solid->radius);
    if (sphere) {
        return length;
    }
    const tq_jet height = tq_jet_add(&z[1], -1.0, &z[0]);
    const tq_jet flat_square = tq_jet_multiply(&length, &length);
    const tq_jet rise = tq_jet_multiply(&height, &height);
    const tq_jet square = tq_jet_add(&flat_square, 1.0, &rise);
    return tq_jet_sqrt(&square);
}
