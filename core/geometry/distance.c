/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/distance.c - two boxes, each of which may have no extent along some of its axes. */
#include "core/geometry/distance.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/geometry/hull_distance.h"
#include "core/geometry/nearest.h"

/* A core in the world: c + sum_k t_k half[k] axis k, |t_k| <= 1. */
typedef struct core {
    double c[3], axis[3][3], half[3];
} core;

static core core_of(const tq_geom *shape, const tq_pose *pose)
{
    core r;
    memcpy(r.c, pose->p, sizeof r.c);
    memcpy(r.half, shape->half, sizeof r.half);
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < 3; i++) {
            r.axis[k][i] = pose->r[3 * i + k];
        }
    }
    return r;
}

/* corner number `bits`: + along axis k where bit k is set */
static void corner(const core *of, unsigned bits, double *ret)
{
    memcpy(ret, of->c, sizeof of->c);
    for (unsigned k = 0; k < 3; k++) {
        tq_near_along(ret, (bits >> k & 1u) != 0 ? of->half[k] : -of->half[k], of->axis[k], ret);
    }
}

/* true if the corner repeats another: a bit is set of an axis without extent */
static bool is_repeated(const core *of, unsigned bits)
{
    for (unsigned k = 0; k < 3; k++) {
        if (of->half[k] == 0.0 && (bits >> k & 1u) != 0) {
            return true;
        }
    }
    return false;
}

static double extent(const core *of, const double *n)
{
    double sum = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        sum += of->half[k] * fabs(tq_near_dot(of->axis[k], n));
    }
    return sum;
}

/* the point of a core that is nearest to x */
static void clamp_to(const core *of, const double *x, double *ret)
{
    double d[3];
    tq_near_minus(x, of->c, d);
    memcpy(ret, of->c, sizeof of->c);
    for (unsigned k = 0; k < 3; k++) {
        const double t = tq_near_dot(of->axis[k], d);
        tq_near_along(ret, fmin(fmax(t, -of->half[k]), of->half[k]), of->axis[k], ret);
    }
}

/* edge number `bits` along axis k: its middle */
static bool edge(const core *of, unsigned k, unsigned bits, double *ret_middle)
{
    if (of->half[k] == 0.0 || (bits >> k & 1u) != 0 || is_repeated(of, bits)) {
        return false;
    }
    corner(of, bits, ret_middle);
    tq_near_along(ret_middle, of->half[k], of->axis[k], ret_middle);
    return true;
}

/* nearest points of cores that are apart, or have no volume in common: corners to the other core,
 * and edges to edges */
static tq_nearest search(const core *a, const core *b)
{
    tq_nearest best = {.square = (double)INFINITY};
    double x[3];
    double y[3];
    for (unsigned bits = 0; bits < 8; bits++) {
        if (!is_repeated(a, bits)) {
            corner(a, bits, x);
            clamp_to(b, x, y);
            tq_near_note(&best, x, y);
        }
        if (!is_repeated(b, bits)) {
            corner(b, bits, y);
            clamp_to(a, y, x);
            tq_near_note(&best, x, y);
        }
    }
    for (unsigned i = 0; i < 24; i++) {
        if (!edge(a, i / 8, i % 8, x)) {
            continue;
        }
        for (unsigned j = 0; j < 24; j++) {
            if (edge(b, j / 8, j % 8, y)) {
                tq_near_segments(x, a->axis[i / 8], a->half[i / 8], y, b->axis[j / 8],
                                 b->half[j / 8], &best);
            }
        }
    }
    return best;
}

/* keeps the direction of the largest separation; n of any length */
static void try_direction(const core *a, const core *b, const double *n, double *separation,
                          double *normal)
{
    const double length = sqrt(tq_near_dot(n, n));
    if (length < 1e-8) {
        /* parallel edges: the direction is undefined, or the normal of a face, which is tried
         * anyway */
        return;
    }
    double unit[3];
    double c[3];
    tq_near_along((double[3]){0.0, 0.0, 0.0}, 1.0 / length, n, unit);
    tq_near_minus(b->c, a->c, c);
    const double away = tq_near_dot(unit, c);
    const double s = fabs(away) - extent(a, unit) - extent(b, unit);
    if (s > *separation) {
        *separation = s;
        tq_near_along((double[3]){0.0, 0.0, 0.0}, away < 0.0 ? -1.0 : 1.0, unit, normal);
    }
}

/* The largest separation over the directions that can be normals of the Minkowski difference:
 * above 0 where the cores are apart (then a lower bound of the distance), else minus the depth. */
static double separate(const core *a, const core *b, double *ret_normal)
{
    double separation = -(double)INFINITY;
    double n[3];
    for (unsigned k = 0; k < 3; k++) {
        try_direction(a, b, a->axis[k], &separation, ret_normal);
        try_direction(a, b, b->axis[k], &separation, ret_normal);
    }
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            if (a->half[i] > 0.0 && b->half[j] > 0.0) {
                tq_vec_cross(a->axis[i], b->axis[j], n);
                try_direction(a, b, n, &separation, ret_normal);
            }
        }
    }
    return separation;
}

/* the face, edge or corner of a core that is extreme along n */
static core feature(const core *of, const double *n)
{
    core r = *of;
    for (unsigned k = 0; k < 3; k++) {
        const double c = tq_near_dot(of->axis[k], n);
        if (fabs(c) > 1e-9) {
            tq_near_along(r.c, c > 0.0 ? of->half[k] : -of->half[k], of->axis[k], r.c);
            r.half[k] = 0.0;
        }
    }
    return r;
}

static void of_cores(const core *a, const core *b, tq_proximity *ret)
{
    double n[3] = {0.0, 0.0, 1.0};
    const double separation = separate(a, b, n);
    tq_nearest best;
    if (separation > 0.0) {
        best = search(a, b);
        ret->distance = sqrt(best.square);
        if (ret->distance > 1e-12) {
            tq_near_minus(best.b, best.a, n);
            tq_near_along((double[3]){0.0, 0.0, 0.0}, 1.0 / ret->distance, n, n);
        }
    } else {
        /* b moved by the depth along n touches a with the features that are extreme along n */
        const double back[3] = {-n[0], -n[1], -n[2]};
        const core on_a = feature(a, n);
        core on_b = feature(b, back);
        tq_near_along(on_b.c, -separation, n, on_b.c);
        best = search(&on_a, &on_b);
        tq_near_along(best.b, separation, n, best.b);
        ret->distance = separation;
    }
    memcpy(ret->a, best.a, sizeof ret->a);
    memcpy(ret->b, best.b, sizeof ret->b);
    memcpy(ret->normal, n, sizeof ret->normal);
}

/* a is the half-space */
static void of_half_space(const tq_pose *plane, const core *b, double radius, tq_proximity *ret)
{
    const double n[3] = {plane->r[2], plane->r[5], plane->r[8]};
    const double back[3] = {-n[0], -n[1], -n[2]};
    const core lowest = feature(b, back);
    double d[3];
    tq_near_minus(lowest.c, plane->p, d);
    ret->distance = tq_near_dot(n, d) - radius;
    tq_near_along(lowest.c, -radius, n, ret->b);
    tq_near_along(ret->b, -ret->distance, n, ret->a);
    memcpy(ret->normal, n, sizeof n);
}

void tq_geom_distance(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                      const tq_pose *pose_b, tq_proximity *ret)
{
    assert(a->kind != TQ_GEOM_HALF_SPACE || b->kind != TQ_GEOM_HALF_SPACE);
    if (a->kind == TQ_GEOM_HULL || b->kind == TQ_GEOM_HULL) {
        tq_hull_distance(a, pose_a, b, pose_b, ret);
        return;
    }
    const core core_a = core_of(a, pose_a), core_b = core_of(b, pose_b);
    if (a->kind == TQ_GEOM_HALF_SPACE) {
        of_half_space(pose_a, &core_b, b->radius, ret);
    } else if (b->kind == TQ_GEOM_HALF_SPACE) {
        of_half_space(pose_b, &core_a, a->radius, ret);
        tq_near_exchange(ret);
    } else {
        of_cores(&core_a, &core_b, ret);
        tq_near_along(ret->a, a->radius, ret->normal, ret->a);
        tq_near_along(ret->b, -b->radius, ret->normal, ret->b);
        ret->distance -= a->radius + b->radius;
    }
}
