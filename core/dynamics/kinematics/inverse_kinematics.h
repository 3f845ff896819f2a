/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/inverse_kinematics.h - inverse kinematics of a point of a link. */
#ifndef TQ_DYNAMICS_KINEMATICS_INVERSE_KINEMATICS_H
#define TQ_DYNAMICS_KINEMATICS_INVERSE_KINEMATICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/model.h"

enum {
    TQ_IK_SEED_MAX = 4096,
    TQ_IK_SOLUTION_MAX = 64,
    TQ_IK_NV_MAX = 256, /* dofs; a step solves a dense system of this order */
};

/* The task. An axis that is false is free: the first three alone are a position task. Axes are the
 * world's: x, y, z of the point, then rotations about x, y, z. */
typedef struct tq_ik_task {
    uint32_t link;
    double at[3];   /* point of the link, in the link frame, m */
    tq_pose target; /* of the link's axes and the point, in the world */
    bool axes[6];
} tq_ik_task;

typedef struct tq_ik_options {
    const double *initial;     /* (nq) the first start; solutions are sorted by distance from it;
                                  NULL: the middle of the limits, or 0 */
    double position_tolerance; /* m, > 0 */
    double rotation_tolerance; /* rad, > 0 */
    uint32_t iterations;       /* per start, 1 .. 10000 */
    uint32_t n_seed;           /* starts, 1 .. TQ_IK_SEED_MAX, spread over the limits */
    uint32_t n_solution;       /* required, 1 .. TQ_IK_SOLUTION_MAX: the search ends there */
    bool within_limits;        /* coordinates stay inside the joints' limits */
} tq_ik_options;

typedef struct tq_ik_result {
    uint32_t n_solution;
    double *q; /* (TQ_IK_SOLUTION_MAX x nq) the solutions, nearest to `initial` first */
    double position_error[TQ_IK_SOLUTION_MAX]; /* m */
    double rotation_error[TQ_IK_SOLUTION_MAX]; /* rad */
    double
        smallest_singular[TQ_IK_SOLUTION_MAX]; /* of the task Jacobian: near 0 at a singularity */
    uint32_t starts;                           /* number of starts used */
    double best_position_error,
        best_rotation_error; /* smallest of all starts: residual of an unreachable target */
} tq_ik_result;

/**
 * Solve inverse kinematics by damped least squares from many starts.
 *
 * Each start runs Levenberg-Marquardt steps (J^T J + mu E) dq = J^T e on the pose error, with the
 * Jacobian of the posture, inside the box of limits (active set): a coordinate at a limit that is
 * pushed outward, or whose step would leave, is fixed there, and the others are solved again.
 * Solutions that differ by less than 1e-4
 * in every coordinate (angles modulo 2 pi) count as one. For an arm with as many dofs
 * as task axes the solutions are its branches, as far as the starts find them; a redundant arm has
 * infinitely many; the first ones found are returned. Deterministic: starts are a Halton sequence.
 * Threads (angles that slides follow) are advanced by whole turns to where the slides bring the
 * point nearest, before and between descents: each start finds the turn, at any distance or pitch.
 * Where that is not enough the last descent is of W e, the least step that makes up for e: an error
 * of a fine thread then counts as the turn that it takes.
 * A single start (n_seed 1) stays in its turn: what follows a path must not jump.
 *
 * Shapes   result->q is the caller's, TQ_IK_SOLUTION_MAX x nq.
 * Memory   tq_ik_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, also when nothing was found (n_solution 0)
 *          TQ_ERR_SHAPE    "task.link" does not exist; nv is 0 or above TQ_IK_NV_MAX; no axis is
 *                          true
 *          TQ_ERR_RANGE    an option outside its range: what = "options.iterations" ...
 *          TQ_ERR_QUATERNION  "initial"
 *          TQ_ERR_SCRATCH, TQ_ERR_STOPPED
 * Cost     O(n_seed iterations (n_joint + nv^3)).
 * Source   Y. Nakamura, H. Hanafusa, Inverse kinematic solutions with singularity robustness, J.
 *          DSMC 108, 1986;
 *          T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt
 *          method, IEEE TRO 27(5), 2011;
 *          W: the natural level function of P. Deuflhard, Newton Methods for Nonlinear Problems,
 *          Springer, 2004, section 3.3.
 * Checked  tests/property/core/dynamics/kinematics/test_inverse_kinematics.c
 */
tq_status tq_inverse_kinematics(const tq_model *model, const tq_ik_task *task,
                                const tq_ik_options *options, tq_scratch *scratch,
                                tq_ik_result *result, tq_error *reterr);
size_t tq_ik_scratch_size(const tq_model *model);

#endif
