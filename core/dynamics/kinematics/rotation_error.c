/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/rotation_error.c - rotation vector from one rotation to another. */
#include "core/dynamics/kinematics/rotation_error.h"

#include <math.h>

#include "core/elementary/elementary.h"
#include "core/spatial/screw.h"

void tq_rotation_error(const double target[9], const double r[9], double ret[3])
{
    double d[9];
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            d[3 * i + j] = target[3 * i] * r[3 * j] + target[3 * i + 1] * r[3 * j + 1] +
                           target[3 * i + 2] * r[3 * j + 2];
        }
    }
    const double twice_sine[3] = {d[7] - d[5], d[2] - d[6], d[3] - d[1]};
    const double sine = 0.5 * sqrt(tq_dot3(twice_sine, twice_sine));
    const double cosine = 0.5 * (d[0] + d[4] + d[8] - 1.0);
    const double angle = tq_atan2(sine, cosine);
    if (sine > 1e-9) {
        for (unsigned k = 0; k < 3; k++) {
            ret[k] = 0.5 * twice_sine[k] * angle / sine;
        }
        return;
    }
    /* angle 0, or pi: then d = 2 a a^T - E */
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = cosine > 0.0 ? 0.5 * twice_sine[k] : 0.0;
    }
    if (cosine < 0.0) {
        unsigned big = d[0] >= d[4] && d[0] >= d[8] ? 0 : d[4] >= d[8] ? 1 : 2;
        const double length = sqrt(fmax(0.5 * (d[4 * big] + 1.0), 0.25));
        for (unsigned k = 0; k < 3; k++) {
            const double part = k == big ? length : 0.5 * d[3 * big + k] / length;
            ret[k] = M_PI * part;
        }
    }
}
