/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/pairs.c - contact pairs of a heap of free bodies: all distances beside those of pairs
 * that bounds do not show to be apart. pairs */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/geometry/bound.h"
#include "core/geometry/distance.h"
#include "core/geometry/hull.h"
#include "tests/support/random.h"

enum { BODIES_MAX = 100, POINTS = 16, ROUNDS = 7 };

static tq_geom geoms[BODIES_MAX];
static tq_pose poses[BODIES_MAX];
static tq_hull hulls[BODIES_MAX];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* solids of 0.1 to 0.2 m in layers of 4 x 4 with 0.17 m between their middles */
static void heap(unsigned n, int with_hulls)
{
    tqt_random r = tqt_random_seed(n);
    for (unsigned k = 0; k < n; k++) {
        const double size[3] = {tqt_random_uniform(&r, 0.1, 0.2), tqt_random_uniform(&r, 0.1, 0.2),
                                tqt_random_uniform(&r, 0.1, 0.2)};
        double wxyz[4], points[3 * POINTS];
        for (unsigned i = 0; i < 3 * POINTS; i++) {
            points[i] = tqt_random_uniform(&r, -0.5, 0.5) * size[i % 3];
        }
        geoms[k] = tq_geom_of(with_hulls ? TQ_GEOM_HULL : TQ_GEOM_BOX, size);
        geoms[k].hull = with_hulls ? &hulls[k] : NULL;
        if (with_hulls && tq_hull_of(POINTS, points, &hulls[k], NULL) != TQ_OK) {
            exit(2);
        }
        for (unsigned i = 0; i < 4; i++) {
            wxyz[i] = tqt_random_uniform(&r, -1.0, 1.0);
        }
        tq_mat_of_quaternion(wxyz, poses[k].r);
        poses[k].p[0] = 0.17 * (k % 4);
        poses[k].p[1] = 0.17 * (k / 4 % 4);
        poses[k].p[2] = 0.17 * (k / 16);
    }
}

/* s of one pass over all pairs, the shortest of several; *ret_n: distances computed */
static double pass(unsigned n, int bounded, unsigned *ret_n, double *sum)
{
    double best = 1e9;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const double begin = now();
        *ret_n = 0;
        for (unsigned i = 0; i < n; i++) {
            for (unsigned j = i + 1; j < n; j++) {
                tq_proximity is;
                if (bounded && tq_geom_apart(&geoms[i], &poses[i], &geoms[j], &poses[j]) > 1e-5) {
                    continue;
                }
                tq_geom_distance(&geoms[i], &poses[i], &geoms[j], &poses[j], &is);
                *sum += is.distance;
                ++*ret_n;
            }
        }
        const double time = now() - begin;
        best = time < best ? time : best;
    }
    return best;
}

int main(void)
{
    double sum = 0.0;
    printf("solids  bodies  pairs  near   all pairs   with bounds\n");
    for (int with_hulls = 0; with_hulls < 2; with_hulls++) {
        static const unsigned bodies[] = {10, 30, 100};
        for (unsigned k = 0; k < 3; k++) {
            unsigned n_all = 0;
            unsigned n_near = 0;
            heap(bodies[k], with_hulls);
            const double all = pass(bodies[k], 0, &n_all, &sum);
            const double bounded = pass(bodies[k], 1, &n_near, &sum);
            printf("%-6s %7u %6u %5u %8.3f ms %8.3f ms  %.1f times\n",
                   with_hulls ? "hulls" : "boxes", bodies[k], n_all, n_near, 1e3 * all,
                   1e3 * bounded, all / bounded);
        }
    }
    return sum > 1e300;
}
