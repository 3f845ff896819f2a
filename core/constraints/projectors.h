/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/projectors.h - motions and forces split by the constraints of one state. */
#ifndef TQ_CONSTRAINTS_PROJECTORS_H
#define TQ_CONSTRAINTS_PROJECTORS_H

#include "core/constraints/solve.h"

/**
 * The projectors of the kinetic metric: P_w takes a force to the part that moves the robot, P_T a
 * velocity to the part that the constraints allow.
 *
 *     P_w = E - A^T (A M^-1 A^T)^-1 A M^-1,   P_T = E - M^-1 A^T (A M^-1 A^T)^-1 A = P_w^T
 *
 * Idempotent; P_w M = M P_T, P_w A^T = 0, A P_T = 0, trace nv - rank. With redundant rows the
 * inverse is the pseudo-inverse, and the projectors are those of the independent rows.
 *
 * Shapes   ret_pw (nv x nv), row by row; P_T is its transpose.
 * Memory   2 nv rank doubles of `scratch`, given back.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Source   Z. Li, Y. Wu, lecture notes on Murray, Li, Sastry, slides 52 to 57, with their entry
 *          P_w(2, 1) put right.
 * Checked  tests/golden/test_seeds_constraints.c
 */
tq_status tq_constraint_projector(const tq_constrained *state, tq_scratch *scratch, double *ret_pw,
                                  tq_error *reterr);

/* Velocities by independent ones: qd = t u with A t = 0. Arrays lie in the scratch that made it. */
typedef struct tq_elimination {
    size_t n_free;   /* nv - rank */
    uint32_t *free;  /* (n_free) rows of qd that u is made of, rising */
    double *t;       /* (nv x n_free, column-major): identity in the free rows */
    uint32_t *bound; /* (rank) rows of qd that follow */
    double *follow;  /* (rank x rank, column-major): inverse of A's columns `bound`, in the rows
                          that are independent */
    size_t *rows;    /* (rank) those rows of A */
} tq_elimination;

/**
 * Solve the constraints for as many velocities as there are independent rows: A = [A1 A2], A2
 * invertible.
 *
 * The velocities that are solved for are chosen by pivoted QR, so that A2 is far from singular.
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
 * The same with velocities that the caller wants to be the independent ones.
 *
 * Shapes   free (n_free) rows of qd, rising.
 * Returns  as tq_constraint_eliminate; TQ_ERR_SINGULAR "constraint.coordinates": they do not tell
 *          the motion here. value = freedoms that the constraints leave
 * Checked  tests/property/core/constraints/test_projectors.c
 */
tq_status tq_constraint_eliminate_by(const tq_constrained *state, const uint32_t *free,
                                     size_t n_free, tq_scratch *scratch, tq_elimination *ret,
                                     tq_error *reterr);

/* The acceleration (nv) with A qdd = -dA/dt qd whose free rows are `ud` (n_free). */
void tq_elimination_acceleration(const tq_constrained *state, const tq_elimination *elimination,
                                 const double *ud, double *ret_qdd);

/**
 * Torques that move the robot along its constraints with free accelerations `ud`, and push on them
 * so that the constraints answer with `multipliers`:
 *
 *     tau = M qdd(ud) + bias - A^T multipliers
 *
 * With ud = ydd - Kv (u - yd) - Kp (y - y_d) and multipliers = m_d - Ki integral(m - m_d) this is
 * the hybrid law of position and force: e'' + Kv e' + Kp e = 0, and the error of force decays. With
 * ud = ud_d - Kp (u - u_d) it is the law for nonholonomic robots.
 *
 * Shapes   bias (nv): inverse dynamics at the state with qdd = 0; ud (n_free); multipliers (n_row);
 *          ret_tau (nv).
 * Source   Z. Li, Y. Wu, slides 61, 65, with multipliers of the force on the robot.
 */
void tq_constraint_torque(const tq_constrained *state, const tq_elimination *elimination,
                          const double *bias, const double *ud, const double *multipliers,
                          double *ret_tau);

#endif
