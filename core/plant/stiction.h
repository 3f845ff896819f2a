/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/stiction.h - dry friction and end stops whose state is known: who slips, sticks,
 * rests. */
#ifndef TQ_PLANT_STICTION_H
#define TQ_PLANT_STICTION_H

#include "core/constraints/project.h"
#include "core/dynamics/forward.h"

/* What a joint does, as tq_trajectories.mode says it. */
enum {
    TQ_MODE_FREE = 0,   /* friction by its own formula */
    TQ_MODE_PLUS = 1,   /* slips: dry friction as of a positive velocity, whatever qd is */
    TQ_MODE_MINUS = -1, /* the other way */
    TQ_MODE_STUCK = 2,  /* held by dry friction: does not accelerate */
    TQ_MODE_LOWER = 3,  /* rests on its lower limit: does not accelerate */
    TQ_MODE_UPPER = 4,
};

/* Whether a joint can stick: one freedom of its own, dry friction that is not smoothed. */
int tq_can_stick(const tq_joint *joint);

/* Dry friction at a speed, sign left out, N m or N. */
double tq_dry_friction(const tq_friction *friction, double speed);

/**
 * Accelerations of one sample while some joints are held, and what holds them.
 *
 *     M qdd + C qd + ... = tau - friction(mode) + hold,   qdd = 0 where held, hold = 0 elsewhere
 *
 * Shapes   in->n_sample is 1; mode (n_joint); ret_hold (nv x stride) may be NULL.
 * Memory   tq_locked_scratch_size bytes of `scratch`, all given back.
 * Returns  as tq_forward_dynamics; TQ_ERR_SHAPE "nv" above TQ_LOCKED_MAX.
 * Cost     That of tq_forward_dynamics, or of inverse dynamics, M and a Cholesky factor when some
 *          joint is held.
 * Checked  tests/property/core/simulate/test_run_event.c
 */
tq_status tq_locked_forward(const tq_mechanism *mechanism, const tq_forward_input *in,
                            const signed char *mode, tq_scratch *scratch, double *ret_qdd,
                            double *ret_hold, tq_error *reterr);
size_t tq_locked_scratch_size(const tq_mechanism *mechanism, size_t stride, size_t n_wrench);
enum { TQ_LOCKED_MAX = 256 };

/* Rows of one sample, the caller's. */
typedef struct tq_locked_motion {
    double *qdd;  /* (nv x stride) */
    double *hold; /* (nv x stride) what holds the joints that do not move; NULL: not wanted */
    double *multipliers; /* (n_row x stride) of the constraints */
} tq_locked_motion;

/**
 * The same under constraints: holds and multipliers that go with A qdd = -dA/dt qd.
 *
 * Where constraints leave it open how held joints share a load, accelerations do not depend on it,
 * and the hold is that of tq_constrained_stick: above dry friction at standstill only where the
 * joint cannot be held. Modes of limits are not taken.
 *
 * Shapes   as tq_locked_forward.
 * Memory   tq_locked_constrained_scratch_size bytes of `scratch`, all given back.
 * Returns  as tq_constrained_forward.
 * Cost     That of tq_constrained_forward and O(nv^2) for each held joint.
 * Checked  tests/unit/api/operations/simulate/test_constrained_friction.c
 */
tq_status tq_locked_constrained_forward(const tq_mechanism *mechanism,
                                        const tq_constraints *constraints,
                                        const tq_forward_input *in, const signed char *mode,
                                        tq_scratch *scratch, const tq_locked_motion *ret,
                                        tq_error *reterr);
size_t tq_locked_constrained_scratch_size(const tq_mechanism *mechanism,
                                          const tq_constraints *constraints, size_t n_wrench);

/**
 * Bring one sample back onto its constraints by the least motion of the joints that are not held:
 * held ones stay where they are, at rest.
 *
 * Shapes   q (nq x stride), qd (nv x stride), in and out; mode (n_joint).
 * Memory   tq_locked_project_scratch_size bytes of `scratch`, all given back.
 * Returns  as tq_constraints_project; rows from n_row on stand for held joints.
 */
tq_status tq_locked_project(const tq_mechanism *mechanism, const tq_constraints *constraints,
                            const signed char *mode, const tq_constraint_states *states,
                            double tolerance, tq_scratch *scratch, tq_error *reterr);
size_t tq_locked_project_scratch_size(const tq_mechanism *mechanism,
                                      const tq_constraints *constraints);

/* Torques of the effects less friction by mode, of one sample: in->tau into ret_tau (nv x stride),
 * padded. */
void tq_locked_friction(const tq_model *model, const tq_forward_input *in, const signed char *mode,
                        double *ret_tau);

/* An impulse along one joint of one freedom. */
typedef struct tq_impulse {
    uint32_t joint;
    double qd;   /* the velocity that the joint shall have */
    double loss; /* written: kinetic energy that went, J */
} tq_impulse;

/**
 * Change the velocity of one joint by an impulse along it alone: all others follow by M.
 *
 * Shapes   one sample in rows of TQ_BLOCK_PAD: q (nq), qd_rows (nv) in and out, all lanes.
 * Memory   as tq_locked_forward.
 * Returns  TQ_OK; TQ_ERR_SINGULAR when M is not definite; TQ_ERR_OVERFLOW, TQ_ERR_SCRATCH.
 * Checked  tests/property/core/simulate/test_run_event.c
 */
tq_status tq_joint_impulse(const tq_mechanism *mechanism, unsigned without, const double *q,
                           tq_impulse *impulse, tq_scratch *scratch, double *qd_rows,
                           tq_error *reterr);

#endif
