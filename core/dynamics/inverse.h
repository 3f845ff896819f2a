/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/inverse.h - inverse dynamics: joint torques from motion. */
#ifndef TQ_DYNAMICS_INVERSE_H
#define TQ_DYNAMICS_INVERSE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/block.h"
#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/external_wrench.h"
#include "core/model/mechanism.h"

/* Terms of the equation of motion that a caller may omit. */
enum {
    TQ_WITHOUT_FRICTION = 1u << 0,
    TQ_WITHOUT_ROTOR = 1u << 1,
    TQ_WITHOUT_SPRING = 1u << 2,
    TQ_WITHOUT_GRAVITY = 1u << 3,
    TQ_WITHOUT_EXTERNAL = 1u << 4,
    TQ_WITHOUT_VELOCITY =
        1u << 5, /* Coriolis and centrifugal terms: the rigid-body part is computed at qd = 0 */
    TQ_WITHOUT_INERTIA = 1u << 6, /* M qdd: the rigid-body part is computed at qdd = 0 */
    TQ_WITHOUT_DRAG = 1u << 7,    /* of a medium, see core/dynamics/drag.h */
};

/* One block of motion; see core/base/block.h for the layout. All arrays are borrowed. */
typedef struct tq_inverse_input {
    size_t n_sample;  /* 1 .. TQ_BLOCK */
    size_t stride;    /* multiple of TQ_BLOCK_PAD, n_sample .. TQ_BLOCK_STRIDE; of all row arrays */
    const double *q;  /* (nq x stride) rad, m; quaternions w x y z of unit length within 1e-6 */
    const double *qd; /* (nv x stride) rad/s, m/s; NULL: all zero */
    const double *qdd;                  /* (nv x stride) rad/s^2, m/s^2; NULL: all zero */
    const tq_external_wrench *wrenches; /* (n_wrench) */
    size_t n_wrench;
    const double *gravity; /* 3, m/s^2 in the world frame; NULL: the model's own */
    unsigned without;      /* TQ_WITHOUT_... */
} tq_inverse_input;

/**
 * Compute inverse dynamics: the joint torques of a given motion.
 *
 *     tau = M(q) qdd + C(q, qd) qd + gravity_torque(q) + friction(qd) + drag(q, qd) + spring(q) -
 * J^T w
 *
 * M includes rotor inertia, and gravity_torque what carries links
 * (core/dynamics/passive/compensation.h). For mimic joints the torque is that of the master, by
 * virtual work.
 *
 * Shapes   ret_tau (nv x stride), the block layout of `in`. See tq_inverse_input for the rest.
 * Units    tau in N m (revolute) or N (prismatic); a floating joint's six rows are the wrench (f,
 *          m) on the child link in its own frame.
 * Memory   Borrows every argument for the call only. Takes at most
 *          tq_inverse_scratch_size(mechanism, n_wrench) bytes of `scratch` and releases them.
 *          ret_tau must not overlap an input. Re-entrant: threads may share the mechanism and
 *          inputs, never a scratch.
 * Bits     A sample has the same bits alone and in any block, at every lane width, from gcc and
 *          clang.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       n_sample is 0 or above stride, or stride is no multiple of
 *                             TQ_BLOCK_PAD
 *          TQ_ERR_QUATERNION  "q": sample `index`, value = its length
 *          TQ_ERR_OVERFLOW    "tau": sample `index`
 *          TQ_ERR_SCRATCH     too little scratch; value = bytes needed
 * Cost     O(n_joint) a sample.
 * Source   Luh, Walker & Paul, On-line computational scheme for mechanical manipulators, J. DSMC
 *          102, 1980; Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 5.
 * Checked  tests/property/core/dynamics/test_inverse.c
 */
tq_status tq_inverse_dynamics(const tq_mechanism *mechanism, const tq_inverse_input *in,
                              tq_scratch *scratch, double *ret_tau, tq_error *reterr);

/* Bytes of scratch that tq_inverse_dynamics needs with n_wrench external wrenches. */
size_t tq_inverse_scratch_size(const tq_mechanism *mechanism, size_t n_wrench);

#endif
