/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/lagrange.h - the equation of motion by virtual work, in 80-bit arithmetic. */
#ifndef TQT_LAGRANGE_H
#define TQT_LAGRANGE_H

#include "core/dynamics/inverse.h"
#include "core/model/model.h"
#include "tests/support/motion.h"

#include <stddef.h>
#include <stdint.h>

/* One wrench applied to the robot; see tq_external_wrench. */
typedef struct tqt_wrench {
    uint32_t link;
    tq_frame expressed_in;
    double at[3];
    double value[6]; /* force, moment */
} tqt_wrench;

/* The inputs of tq_inverse_input for one sample. Borrowed. */
typedef struct tqt_problem {
    const tq_model *model;
    tqt_state state;
    const tqt_wrench *wrenches;
    size_t n_wrench;
    const double *gravity; /* NULL: the model's own */
    unsigned without;      /* TQ_WITHOUT_... */
} tqt_problem;

/* A number and the sum of the absolute values of the products that make it. The product of two
 * vectors counts with their lengths, and a lever arm with its whole length, so that `terms` does
 * not depend on the axes of a computation. */
typedef struct tqt_sum {
    long double value, terms;
} tqt_sum;

/**
 * Joint torques by Kane's form of d'Alembert's principle:
 *
 *     tau_k = sum_i m_i (a_i - g) . dv_i/dqd_k + (I_i w_i' + w_i x I_i w_i) . dw_i/dqd_k + ...
 *
 * with the acceleration of each link from tqt_move (no recursion of velocities, accelerations or
 * forces, no canonical form), friction, springs and rotors joint by joint.
 *
 * Shapes   ret_tau (nv).  Accuracy  about n 1e-19 relative to `terms`.
 */
void tqt_inverse_dynamics(const tqt_problem *problem, tqt_sum *ret_tau);

/* Mass matrix (nv x nv), row by row: sum_i m Jv^T Jv + Jw^T I Jw, and rotors. */
void tqt_mass_matrix(const tq_model *model, const double *q, tqt_sum *ret_m);

/* Coriolis matrix (nv x nv), row by row: integral of J^T dJ/dt over all links, rates as in qd. */
void tqt_coriolis_matrix(const tq_model *model, const double *q, const double *qd, tqt_sum *ret_c);

/* Wrench (force, moment) that joint `joint` carries from its parent to its child, along the child's
 * axes, about the child's origin; with joint = TQ_NONE, the wrench of the world on the root link,
 * its own weight included. Rate of momentum of all distal links, less weight and external wrenches.
 */
void tqt_joint_wrench(const tqt_problem *problem, uint32_t joint, tqt_sum ret_wrench[6]);

/* Kinetic energy, rotors included, and potential energy of gravity (0 if the centre of mass is at
 * height 0) and of springs, without the root link. */
void tqt_energy(const tqt_problem *problem, long double *ret_kinetic, long double *ret_potential);

/* Largest |x_k - value_k| / (eps n_joint terms_k) over n numbers: must be below 100. For a number
 * without terms it is 0 if the number is exactly 0, else infinite; infinite for NaN. */
double tqt_worst(const tq_model *model, const double *x, const tqt_sum *sums, size_t n);

#endif
