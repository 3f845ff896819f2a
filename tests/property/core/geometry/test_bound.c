/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/geometry/test_bound.c - bounds of distances of random solids: never above the
 * distance, of every pair of kinds, and the same near pairs as by trying all. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/geometry/bound.h"
#include "core/geometry/distance.h"
#include "core/geometry/hull.h"
#include "tests/support/random.h"

enum { N_SOLID = 60, N_SCENE = 12, POINTS = 16 };

typedef struct solid {
    tq_geom geom;
    tq_hull hull;
    tq_pose pose;
} solid;

static void random_solid(tqt_random *r, unsigned k, double where, solid *s)
{
    static const tq_geom_kind kinds[] = {TQ_GEOM_SPHERE, TQ_GEOM_CAPSULE, TQ_GEOM_BOX,
                                         TQ_GEOM_HULL};
    const double size[3] = {tqt_random_uniform(r, 0.01, 0.4), tqt_random_uniform(r, 0.01, 0.8),
                            tqt_random_uniform(r, 0.01, 0.4)};
    double wxyz[4], points[3 * POINTS], off[3];
    s->geom = tq_geom_of(kinds[k % 4], size);
    for (unsigned i = 0; i < 3; i++) {
        off[i] = tqt_random_uniform(r, -0.5, 0.5);
    }
    for (unsigned i = 0; i < 3 * POINTS; i++) {
        points[i] = off[i % 3] + tqt_random_uniform(r, -0.3, 0.3) * (i % 3 == 0 ? 1.0 : 0.3);
    }
    if (s->geom.kind == TQ_GEOM_HULL) {
        tq_error e = {0};
        cr_assert(eq(int, tq_hull_of(POINTS, points, &s->hull, &e), TQ_OK), "%s", e.what);
        s->geom.hull = &s->hull;
    }
    for (unsigned i = 0; i < 4; i++) {
        wxyz[i] = tqt_random_uniform(r, -1.0, 1.0);
    }
    s->pose = tq_pose_identity;
    if (k % 5 != 0) {
        tq_mat_of_quaternion(wxyz, s->pose.r);
    }
    for (unsigned i = 0; i < 3; i++) {
        s->pose.p[i] = where + tqt_random_uniform(r, -1.3, 1.3);
    }
}

/* near: less than 0.1 m. Of those that are not, by far most are known without their distance. */
Test(bound, is_below_the_distance_and_near_pairs_are_the_same)
{
    static solid s[N_SOLID];
    tqt_random r = tqt_random_seed(5);
    size_t n_near = 0, n_pruned = 0, n = 0, n_overlap = 0;
    for (unsigned scene = 0; scene < N_SCENE; scene++) {
        const double where = scene % 3 == 0 ? 1e3 : 0.0;
        for (unsigned k = 0; k < N_SOLID; k++) {
            random_solid(&r, k, where, &s[k]);
        }
        for (unsigned i = 0; i < N_SOLID * N_SOLID; i++) {
            const solid *a = &s[i / N_SOLID], *b = &s[i % N_SOLID];
            if (a == b) {
                continue;
            }
            tq_proximity is;
            tq_geom_distance(&a->geom, &a->pose, &b->geom, &b->pose, &is);
            const double apart = tq_geom_apart(&a->geom, &a->pose, &b->geom, &b->pose);
            cr_assert(le(dbl, apart, is.distance), "%u %u: %g", i / N_SOLID, i % N_SOLID,
                      apart - is.distance);
            cr_assert(eq(dbl, apart, tq_geom_apart(&b->geom, &b->pose, &a->geom, &a->pose)));
            n++;
            n_near += is.distance < 0.1;
            n_overlap += is.distance < 0.0;
            n_pruned += apart >= 0.1;
        }
    }
    cr_assert(all(gt(sz, n_near, n / 50), gt(sz, n_overlap, n / 100)));
    cr_assert(gt(sz, n_pruned, (n - n_near) * 3 / 4), "%zu of %zu", n_pruned, n - n_near);
}

/* Spheres: exact; the face of a box and a sphere beside it too. */
Test(bound, is_the_distance_of_spheres_and_of_a_sphere_beside_a_face)
{
    const double r[3] = {0.2, 0.0, 0.0}, sides[3] = {1.0, 2.0, 0.4};
    const tq_geom ball = tq_geom_of(TQ_GEOM_SPHERE, r), box = tq_geom_of(TQ_GEOM_BOX, sides);
    tq_pose at = tq_pose_identity;
    at.p[0] = 3.0;
    at.p[1] = 0.3;
    const double between = hypot(3.0, 0.3) - 0.4;
    cr_assert(epsilon_eq(dbl, tq_geom_apart(&ball, &tq_pose_identity, &ball, &at), between, 1e-11));
    cr_assert(epsilon_eq(dbl, tq_geom_apart(&box, &tq_pose_identity, &ball, &at), 2.3, 1e-11));
    const tq_geom floor = tq_geom_of(TQ_GEOM_HALF_SPACE, r);
    cr_assert(lt(dbl, tq_geom_apart(&floor, &tq_pose_identity, &ball, &at), -1e300));
}
