/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/drag.h - drag of a medium on the boxes of links. */
#ifndef TQ_DYNAMICS_DRAG_H
#define TQ_DYNAMICS_DRAG_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"

/* A link with a box of edges b (tq_drag_box) moves through the medium (tq_medium) of density rho,
 * viscosity mu and velocity u. With v the velocity of the box's centre minus u, and w its angular
 * velocity, both in the axes of the box, and d = (b_x + b_y + b_z) / 3:
 *     force  along x   -3 pi d mu v_x   - rho b_y b_z |v_x| v_x / 2
 *     moment about x   -pi d^3 mu w_x   - rho b_x (b_y^4 + b_z^4) |w_x| w_x / 64
 * on the link, at the box's centre; y and z alike. Stokes' law for a sphere of the mean diameter,
 * and the stagnation pressure on the faces: MuJoCo's inertia-box model, whose boxes are those of
 * the bodies' inertias. Without velocity of the medium it takes energy only. Added mass, lift and
 * buoyancy are not part of it.
 *
 * In the equation of motion it is on the side of friction: tau has +J^T of what the link must
 * overcome. It has all of qd, even with TQ_WITHOUT_VELOCITY, as friction does. */

/* One of the six directions of a box: the scalar law along it. */
typedef struct tq_drag_line {
    double along[6]; /* unit wrench about the world origin in world axes: along . twist is the speed
                        (of a link, without the medium's) */
    double effort;   /* the drive's: opposite to what the medium does; N or N m */
    double slope;    /* of effort by speed: N s/m or N m s */
    double curvature; /* of effort by speed, twice; 0 at rest, where it jumps */
} tq_drag_line;

/* Forces along x y z, then moments. False, and nothing written: the medium does not act on the
 * link. */
bool tq_drag_lines(const tq_configuration *posture, uint32_t link, tq_drag_line ret[6]);

/* The medium's wrench ON the link, about the world origin in world axes; false as above. */
bool tq_drag_wrench(const tq_configuration *posture, uint32_t link, double ret_wrench[6]);

/* Adds the torque (nv) that overcomes drag at the posture and its velocity. O(n_joint depth). */
void tq_drag_add_at(const tq_configuration *posture, double *tau);

/* Rows of `stride`: q (nq), qd (nv) or NULL for rest. */
typedef struct tq_drag_samples {
    size_t n_sample, stride;
    const double *q, *qd;
} tq_drag_samples;

/**
 * Add sign * torque that overcomes drag, for n_sample samples.
 *
 * Shapes   tau (nv x stride).
 * Memory   tq_drag_scratch_size(model) bytes of `scratch`, released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, or TQ_ERR_QUATERNION as tq_configuration_compute.
 * Cost     O(n_joint depth) a sample, one sample at a time. Nothing without drag.
 * Source   MuJoCo documentation, Computation, Passive forces: inertia model.
 * Checked  tests/property/core/dynamics/test_drag.c, tests/peers/test_mujoco_drag.py
 */
tq_status tq_drag_add(const tq_model *model, const tq_drag_samples *in, double sign,
                      tq_scratch *scratch, double *tau, tq_error *reterr);

/* 0 without drag */
size_t tq_drag_scratch_size(const tq_model *model);

#endif
