/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/signal/pose/test_pose_rates.c - a screw of constant rate, a parabola, and their
 * axes. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/signal/pose/pose_rates.h"

enum { N = 40, STRIDE = 48 };
static const double step = 0.01;

/* rotation by the angle 2 t rad about the unit vector (2, 3, 6) / 7: w = 2 (2, 3, 6) / 7 in both
 * frames; of p = (t^2, 1, 3 t) the velocity (2 t, 0, 3) in the parent's axes */
static void sample(double *position, double *quaternion)
{
    for (size_t i = 0; i < N; i++) {
        const double t = step * (double)i;
        const double axis[3] = {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0};
        quaternion[i] = cos(t);
        for (size_t k = 0; k < 3; k++) {
            quaternion[(k + 1) * STRIDE + i] = sin(t) * axis[k];
        }
        position[i] = t * t;
        position[STRIDE + i] = 1.0;
        position[2 * STRIDE + i] = 3.0 * t;
    }
}

Test(pose_rates, are_exact_for_constant_turns_and_parabolas)
{
    double position[3 * STRIDE], quaternion[4 * STRIDE], rates[6 * STRIDE];
    sample(position, quaternion);
    const tq_pose_samples pose = {N, STRIDE, position, quaternion};
    tq_pose_rates(&pose, step, rates);
    tq_pose_to_parent(&pose, rates);
    for (size_t i = 0; i < N; i++) {
        const double t = step * (double)i;
        const double want[6] = {2.0 * t, 0.0, 3.0, 4.0 / 7.0, 6.0 / 7.0, 12.0 / 7.0};
        for (size_t k = 0; k < 6; k++) {
            cr_assert(lt(dbl, fabs(rates[k * STRIDE + i] - want[k]), 1e-12), "row %zu, sample %zu",
                      k, i);
        }
    }
    /* a quarter turn about z: x of the parent is -y of the child */
    const double half = sqrt(0.5);
    double turned[4] = {half, 0.0, 0.0, half};
    double x[3] = {1.0, 0.0, 0.0};
    const tq_pose_samples one = {1, 1, NULL, turned};
    tq_pose_to_child(&one, x);
    cr_assert(lt(dbl, fabs(x[0]) + fabs(x[1] + 1.0) + fabs(x[2]), 1e-15));
}

Test(pose_rates, of_a_rotation_alone)
{
    double position[3 * STRIDE], quaternion[4 * STRIDE], rates[3 * STRIDE];
    sample(position, quaternion);
    const tq_pose_samples pose = {N, STRIDE, NULL, quaternion};
    tq_pose_rates(&pose, step, rates);
    for (size_t i = 0; i < N; i++) {
        cr_assert(lt(dbl, fabs(rates[2 * STRIDE + i] - 12.0 / 7.0), 1e-12));
    }
}
