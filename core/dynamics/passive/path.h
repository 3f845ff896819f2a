/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path.h - the lines between points on links, around solids in their way,
 * that a tendon follows: length, its rate, and what pulls along them; private to the tendons. */
#ifndef TQ_DYNAMICS_PASSIVE_PATH_H
#define TQ_DYNAMICS_PASSIVE_PATH_H

#include <stddef.h>

#include "core/model/model.h"

/* For one sample, whose rows of q, qd and tau are `stride` apart; of tendon->points alone.
 *
 * A line between points a and b, u its unit vector from a to b, grows by u . (J_b - J_a) qd, J the
 * Jacobians of the points. Joints that carry both ends cancel and are left out. Shorter than
 * TQ_PATH_LEAST it has no direction: it does not change, and nothing pulls. Around a solid, lines
 * end where they touch it: the length is stationary there, so that to first order these points are
 * fixed to the solid's link, and the arc between them has its length.
 *
 * Cost     O(points + joints between them), no memory.
 * Checked  tests/property/core/dynamics/test_paths.c,
 *          tests/peers/test_mujoco_paths.py, test_mujoco_wraps.py */

/* m; MuJoCo's mjMINVAL */
#define TQ_PATH_LEAST 1e-15

double tq_path_length(const tq_model *model, const tq_tendon *tendon, size_t stride,
                      const double *q);
double tq_path_rate(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                    const double *qd);

/* Adds dL/dq tension to tau. */
void tq_path_pull(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                  double tension, double *tau);

/* A force on a link, in its axes, at a point in its frame. */
typedef struct tq_path_force {
    uint32_t link;
    double at[3], force[3]; /* m, N */
} tq_path_force;

/* What the tendon under `tension` does to links from point k to the next (k + 1 < n_point), and to
 * the one behind a solid; returns how many forces there are: 2, around a solid 4, or none. */
unsigned tq_path_forces(const tq_model *model, const tq_tendon *tendon, size_t stride,
                        const double *q, uint32_t k, double tension, tq_path_force ret[4]);

#endif
