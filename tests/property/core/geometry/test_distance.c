/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/geometry/test_distance.c - distances of random pairs, verified by
 * certificates: two points of the solids at this distance, and a direction along which the solids
 * are separated by it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/geometry/distance.h"
#include "tests/support/random.h"

enum { N_PAIR = 20000 };

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static tq_geom random_geom(tqt_random *r)
{
    const double size[3] = {tqt_random_uniform(r, 0.05, 0.8), tqt_random_uniform(r, 0.05, 0.8),
                            tqt_random_uniform(r, 0.05, 0.8)};
    return tq_geom_of((tq_geom_kind)(int)tqt_random_uniform(r, 0.0, 2.999), size);
}

/* every fourth pose is axis-aligned, so that faces and edges are parallel */
static tq_pose random_pose(tqt_random *r, int k)
{
    tq_pose pose = tq_pose_identity;
    double wxyz[4];
    for (int i = 0; i < 4; i++) {
        wxyz[i] = tqt_random_uniform(r, -1.0, 1.0);
    }
    if (k % 4 != 0) {
        tq_mat_of_quaternion(wxyz, pose.r);
    }
    for (int i = 0; i < 3; i++) {
        pose.p[i] = tqt_random_uniform(r, -0.6, 0.6);
    }
    return pose;
}

/* the largest n . x of the solid */
static double support(const tq_geom *g, const tq_pose *pose, const double *n)
{
    double local[3];
    tq_mat_tvec(pose->r, n, local);
    double sum = dot(n, pose->p) + g->radius;
    for (int k = 0; k < 3; k++) {
        sum += g->half[k] * fabs(local[k]);
    }
    return sum;
}

/* distance by which x is outside of the solid */
static double outside(const tq_geom *g, const tq_pose *pose, const double *x)
{
    const double d[3] = {x[0] - pose->p[0], x[1] - pose->p[1], x[2] - pose->p[2]};
    double local[3];
    double sum = 0.0;
    tq_mat_tvec(pose->r, d, local);
    for (int k = 0; k < 3; k++) {
        const double over = fmax(fabs(local[k]) - g->half[k], 0.0);
        sum += over * over;
    }
    return sqrt(sum) - g->radius;
}

/* gap between the solids along n */
static double gap(const tq_geom *a, const tq_pose *at_a, const tq_geom *b, const tq_pose *at_b,
                  const double *n)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -support(b, at_b, back) - support(a, at_a, n);
}

Test(distance, is_that_of_its_witness_points_along_the_normal)
{
    tqt_random r = tqt_random_seed(7);
    int n_overlap = 0;
    for (int k = 0; k < N_PAIR; k++) {
        const tq_geom a = random_geom(&r), b = random_geom(&r);
        const tq_pose at_a = random_pose(&r, k), at_b = random_pose(&r, k);
        tq_proximity is;
        tq_geom_distance(&a, &at_a, &b, &at_b, &is);
        cr_assert(epsilon_eq(dbl, dot(is.normal, is.normal), 1.0, 1e-12), "pair %d", k);
        cr_assert(lt(dbl, outside(&a, &at_a, is.a), 1e-12), "pair %d", k);
        cr_assert(lt(dbl, outside(&b, &at_b, is.b), 1e-12), "pair %d", k);
        for (int i = 0; i < 3; i++) {
            cr_assert(epsilon_eq(dbl, is.b[i] - is.a[i], is.distance * is.normal[i], 1e-11),
                      "pair %d: %d %d, %g", k, a.kind, b.kind, is.distance);
        }
        /* separated: points at this distance, and a slab of this width between the solids */
        cr_assert(epsilon_eq(dbl, gap(&a, &at_a, &b, &at_b, is.normal), is.distance, 1e-11),
                  "pair %d: %d %d, %g", k, a.kind, b.kind, is.distance);
        n_overlap += is.distance < 0.0;
        for (int i = 0; i < 30 && is.distance < 0.0; i++) {
            /* no other direction, near the normal or far from it, has a larger gap */
            const double near = i < 15 ? 1.0 : 0.05;
            double n[3];
            for (int c = 0; c < 3; c++) {
                n[c] = tqt_random_uniform(&r, -near, near) + (i < 15 ? 0.0 : is.normal[c]);
            }
            const double length = sqrt(dot(n, n));
            for (int c = 0; c < 3; c++) {
                n[c] /= length;
            }
            cr_assert(lt(dbl, gap(&a, &at_a, &b, &at_b, n), is.distance + 1e-12), "pair %d", k);
        }
    }
    cr_assert(gt(int, n_overlap, N_PAIR / 10));
}

Test(distance, is_symmetric_in_its_pair)
{
    tqt_random r = tqt_random_seed(8);
    for (int k = 0; k < 500; k++) {
        const tq_geom a = random_geom(&r), b = random_geom(&r);
        const tq_pose at_a = random_pose(&r, k), at_b = random_pose(&r, k);
        tq_proximity one, other;
        tq_geom_distance(&a, &at_a, &b, &at_b, &one);
        tq_geom_distance(&b, &at_b, &a, &at_a, &other);
        cr_assert(epsilon_eq(dbl, one.distance, other.distance, 1e-13));
    }
}

Test(distance, to_a_half_space_is_that_of_the_lowest_point)
{
    tqt_random r = tqt_random_seed(9);
    for (int k = 0; k < 500; k++) {
        const tq_geom b = random_geom(&r);
        const tq_geom plane = tq_geom_of(TQ_GEOM_HALF_SPACE, NULL);
        const tq_pose at = random_pose(&r, k), at_b = random_pose(&r, k);
        const double up[3] = {at.r[2], at.r[5], at.r[8]}, down[3] = {-up[0], -up[1], -up[2]};
        tq_proximity is;
        tq_geom_distance(&plane, &at, &b, &at_b, &is);
        const double lowest = -support(&b, &at_b, down) - dot(up, at.p);
        cr_assert(epsilon_eq(dbl, is.distance, lowest, 1e-13));
        cr_assert(lt(dbl, outside(&b, &at_b, is.b), 1e-12));
        cr_assert(epsilon_eq(dbl, dot(up, is.a), dot(up, at.p), 1e-13));
        cr_assert(epsilon_eq(dbl, dot(up, is.normal), 1.0, 1e-13));
        tq_geom_distance(&b, &at_b, &plane, &at, &is);
        cr_assert(epsilon_eq(dbl, is.distance, lowest, 1e-13));
        cr_assert(epsilon_eq(dbl, dot(up, is.normal), -1.0, 1e-13));
    }
}

/* concentric, crossing and touching: depth, and unit normals where the direction is not unique */
Test(distance, of_degenerate_pairs)
{
    const double size[3] = {0.2, 0.6, 0.4};
    const tq_geom sphere = tq_geom_of(TQ_GEOM_SPHERE, size);
    const tq_geom capsule = tq_geom_of(TQ_GEOM_CAPSULE, size);
    const tq_geom box = tq_geom_of(TQ_GEOM_BOX, size);
    const tq_pose at = tq_pose_identity;
    const tq_pose across = {.r = {1, 0, 0, 0, 0, -1, 0, 1, 0}};
    const struct {
        const tq_geom *a, *b;
        tq_pose at_b;
        double distance;
    } cases[] = {{&sphere, &sphere, at, -0.4},
                 {&capsule, &capsule, at, -0.4},
                 {&capsule, &capsule, across, -0.4},
                 {&sphere, &box, at, -0.3},
                 {&box, &box, at, -0.2},
                 {&box, &box, {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0, 0, 0.4}}, 0.0},
                 {&box, &box, {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.2, 0.6, 0.4}}, 0.0},
                 {&sphere, &capsule, {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.4, 0, 0}}, 0.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tq_proximity is;
        tq_geom_distance(cases[k].a, &at, cases[k].b, &cases[k].at_b, &is);
        cr_assert(epsilon_eq(dbl, is.distance, cases[k].distance, 1e-12), "case %zu", k);
        cr_assert(epsilon_eq(dbl, dot(is.normal, is.normal), 1.0, 1e-12), "case %zu", k);
    }
}
