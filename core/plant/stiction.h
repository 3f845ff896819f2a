/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/stiction.h - dry friction and end stops with a given state of each joint: slipping,
 * sticking, resting. */
#ifndef TQ_PLANT_STICTION_H
#define TQ_PLANT_STICTION_H

#include "core/constraints/project.h"
#include "core/dynamics/forward.h"
#include "core/plant/sticking.h"

/**
 * Accelerations of one sample with some joints and tendons held, and what holds them.
 *
 *     M qdd + C qd + ... = tau - friction(mode) + hold + sum of J_t^T hold_t
 *
 * with qdd = 0 where a joint is held, d2L_t/dt2 = 0 where a tendon is, and no hold elsewhere. A
 * tendon whose joints are held, or which others hold already, has none.
 *
 * Shapes   in->n_sample is 1; mode (n_joint + n_tendon); ret_hold ((nv + n_tendon) x stride) may be
 *          NULL.
 * Memory   tq_locked_scratch_size bytes of `scratch`, all released.
 * Returns  as tq_forward_dynamics; TQ_ERR_SHAPE "nv" above TQ_LOCKED_MAX.
 * Cost     That of tq_forward_dynamics, or of inverse dynamics, M and a Cholesky factor if some
 *          joint is held.
 * Checked  tests/property/core/simulate/test_run_event.c, tests/contract/test_tendon_stiction.py
 */
tq_status tq_locked_forward(const tq_mechanism *mechanism, const tq_forward_input *in,
                            const signed char *mode, tq_scratch *scratch, double *ret_qdd,
                            double *ret_hold, tq_error *reterr);
size_t tq_locked_scratch_size(const tq_mechanism *mechanism, size_t stride, size_t n_wrench);
enum { TQ_LOCKED_MAX = 256 };

/**
 * The nearest velocity, by the metric of M, at which held joints and tendons are at rest.
 *
 * Shapes   q (nq x TQ_BLOCK_PAD), qd (nv x TQ_BLOCK_PAD) in and out; mode as above.
 * Memory   tq_locked_scratch_size bytes of `scratch`, all released.
 * Returns  as tq_locked_forward.
 */
tq_status tq_locked_rest(const tq_mechanism *mechanism, unsigned without, const double *q,
                         const signed char *mode, tq_scratch *scratch, double *qd,
                         tq_error *reterr);

/* Rows of one sample, in the caller's memory. */
typedef struct tq_locked_motion {
    double *qdd;         /* (nv x stride) */
    double *hold;        /* (nv x stride) holding torques of the held joints; NULL: not required */
    double *multipliers; /* (n_row x stride) of the constraints */
} tq_locked_motion;

/**
 * The same under constraints: holds and multipliers with A qdd = -dA/dt qd.
 *
 * Where constraints leave the distribution of a load undetermined, accelerations are unique
 * and the hold is that of tq_constrained_stick: above dry friction at standstill only where the
 * joint cannot be held. Modes of limits are excluded.
 *
 * Shapes   as tq_locked_forward.
 * Memory   tq_locked_constrained_scratch_size bytes of `scratch`, all released.
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
 * Project one sample onto its constraints by the least motion of the joints that are not held:
 * held ones keep their coordinates, at rest.
 *
 * Shapes   q (nq x stride), qd (nv x stride), in and out; mode (n_joint).
 * Memory   tq_locked_project_scratch_size bytes of `scratch`, all released.
 * Returns  as tq_constraints_project; rows from n_row on are those of held joints.
 */
tq_status tq_locked_project(const tq_mechanism *mechanism, const tq_constraints *constraints,
                            const signed char *mode, const tq_constraint_states *states,
                            double tolerance, tq_scratch *scratch, tq_error *reterr);
size_t tq_locked_project_scratch_size(const tq_mechanism *mechanism,
                                      const tq_constraints *constraints);

/* Torques of the effects minus friction by mode, of one sample: in->tau into ret_tau (nv x stride),
 * padded. tendon_mode (n_tendon); NULL: tendons slip by their rates. */
void tq_locked_friction(const tq_model *model, const tq_forward_input *in, const signed char *mode,
                        const signed char *tendon_mode, double *ret_tau);

/* An impulse along one one-dof joint. */
typedef struct tq_impulse {
    uint32_t joint;
    double qd;   /* the joint's velocity after the impulse */
    double loss; /* written: dissipated kinetic energy, J */
} tq_impulse;

/**
 * Change the velocity of one joint by an impulse along it: dqd = M^-1 e_r p.
 *
 * Shapes   one sample in rows of TQ_BLOCK_PAD: q (nq), qd_rows (nv) in and out, all lanes.
 * Memory   as tq_locked_forward.
 * Returns  TQ_OK; TQ_ERR_SINGULAR if M is not positive definite; TQ_ERR_OVERFLOW, TQ_ERR_SCRATCH.
 * Checked  tests/property/core/simulate/test_run_event.c
 */
tq_status tq_joint_impulse(const tq_mechanism *mechanism, unsigned without, const double *q,
                           tq_impulse *impulse, tq_scratch *scratch, double *qd_rows,
                           tq_error *reterr);

#endif
