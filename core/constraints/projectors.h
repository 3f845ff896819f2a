/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/projectors.h - projectors of motions and forces by the constraints at one state.
 */
#ifndef TQ_CONSTRAINTS_PROJECTORS_H
#define TQ_CONSTRAINTS_PROJECTORS_H

#include "core/constraints/solve.h"

/**
 * The projectors of the kinetic metric: P_w maps a force to the part that moves the robot, P_T a
 * velocity to the part that satisfies the constraints.
 *
 *     P_w = E - A^T (A M^-1 A^T)^-1 A M^-1,   P_T = E - M^-1 A^T (A M^-1 A^T)^-1 A = P_w^T
 *
 * Idempotent; P_w M = M P_T, P_w A^T = 0, A P_T = 0, trace nv - rank. With redundant rows the
 * inverse is the pseudo-inverse, and the projectors are those of the independent rows.
 *
 * Shapes   ret_pw (nv x nv), row by row; P_T is its transpose.
 * Memory   2 nv rank doubles of `scratch`, released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Source   Z. Li, Y. Wu, lecture notes on Murray, Li, Sastry, slides 52 to 57, with their entry
 *          P_w(2, 1) corrected.
 * Checked  tests/golden/test_seeds_constraints.c
 */
tq_status tq_constraint_projector(const tq_constrained *state, tq_scratch *scratch, double *ret_pw,
                                  tq_error *reterr);

/* Elimination of dependent velocities: qd = t u with A t = 0. Arrays are in the scratch from which
 * it was made. */
typedef struct tq_elimination {
    size_t n_free;   /* nv - rank */
    uint32_t *free;  /* (n_free) independent rows of qd, ascending */
    double *t;       /* (nv x n_free, column-major): identity in the free rows */
    uint32_t *bound; /* (rank) dependent rows of qd */
    double *follow;  /* (rank x rank, column-major): inverse of A's columns `bound`, in the
                        independent rows */
    size_t *rows;    /* (rank) the independent rows of A */
} tq_elimination;

/**
 * Solve the constraints for the dependent velocities, as many as independent rows: A = [A1 A2], A2
 * invertible.
 *
 * Dependent velocities are chosen by QR with column pivoting, so that A2 is well conditioned.
 *
 * Memory   tq_elimination_scratch_size(state) bytes of `scratch`; those of *ret stay taken.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Source   Z. Li, Y. Wu, slide 48.
 */
tq_status tq_constraint_eliminate(const tq_constrained *state, tq_scratch *scratch,
                                  tq_elimination *ret, tq_error *reterr);
size_t tq_elimination_scratch_size(const tq_constrained *state);
size_t tq_elimination_scratch_most(const tq_model *model, const tq_constraints *constraints);

/**
 * The same with independent velocities chosen by the caller.
 *
 * Shapes   free (n_free) rows of qd, ascending.
 * Returns  as tq_constraint_eliminate; TQ_ERR_SINGULAR "constraint.coordinates": do not determine
 *          the motion here. value = dofs left by the constraints
 * Checked  tests/property/core/constraints/test_projectors.c
 */
tq_status tq_constraint_eliminate_by(const tq_constrained *state, const uint32_t *free,
                                     size_t n_free, tq_scratch *scratch, tq_elimination *ret,
                                     tq_error *reterr);

/* The acceleration (nv) with A qdd = -dA/dt qd and `ud` (n_free) in the free rows. */
void tq_elimination_acceleration(const tq_constrained *state, const tq_elimination *elimination,
                                 const double *ud, double *ret_qdd);

/**
 * Torques for motion along the constraints with free accelerations `ud` and for constraint
 * forces `multipliers`:
 *
 *     tau = M qdd(ud) + bias - A^T multipliers
 *
 * With ud = y_d'' - Kv (u - y_d') - Kp (y - y_d) and multipliers = m_d - Ki integral(m - m_d) this
 * is the hybrid position/force control law: e'' + Kv e' + Kp e = 0, and the force error decays.
 * With ud = ud_d - Kp (u - u_d) it is the control law for nonholonomic robots.
 *
 * Shapes   bias (nv): inverse dynamics at the state with qdd = 0; ud (n_free); multipliers (n_row);
 *          ret_tau (nv).
 * Source   Z. Li, Y. Wu, slides 61, 65, with multipliers of the force on the robot.
 */
void tq_constraint_torque(const tq_constrained *state, const tq_elimination *elimination,
                          const double *bias, const double *ud, const double *multipliers,
                          double *ret_tau);

#endif
