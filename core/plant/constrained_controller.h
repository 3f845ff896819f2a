/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/constrained_controller.h - motion along constraints and forces across them made to
 * follow goals, as an effect on a plant. */
#ifndef TQ_PLANT_CONSTRAINED_CONTROLLER_H
#define TQ_PLANT_CONSTRAINED_CONTROLLER_H

#include "core/constraints/constraints.h"
#include "core/motion/desired.h"
#include "core/motion/table.h"
#include "core/plant/plant.h"

/* With u the velocities of `coordinates`, as many as the constraints leave freedoms, e and s the
 * errors of their positions and the integral of it, lambda the multipliers (the force of the
 * constraints on the robot), and M, C, N, A of the controller's own model:
 *
 *     udot = udot_d + kd (u_d - u) + kp e + ki s,          A qdd = -dA/dt qd gives the others
 *     tau  = M qdd + C qd + N - A^T (lambda_d + force_ki integral(lambda_d - lambda))
 *
 * With kp this is hybrid control of position and force for holonomic constraints: e'' + kd e' + kp
 * e = 0, and an error of force decays as exp(-force_ki t). Without kp and ki it follows velocities
 * alone: the law for nonholonomic robots. Where not every joint is driven, the driven ones get the
 * torques of least norm that make the same motion, and forces are what comes with them.
 *
 * Borrows all it points to. */
typedef struct tq_constrained_controller {
    const tq_mechanism *mechanism;     /* what it believes the robot to be */
    const tq_constraints *constraints; /* of the robot, with rows */
    const double *gravity;             /* 3; NULL: the model's */
    unsigned without;                  /* TQ_WITHOUT_...: terms that it does not know of */
    const tq_reference *reference;     /* of all coordinates; only some are followed */
    size_t n_coordinate;
    const uint32_t *coordinates; /* (n_coordinate) rows of qd, rising */
    const double *kp, *kd, *ki;  /* (nv) >= 0; kp, ki may be NULL; kp 1/s^2, kd 1/s, ki 1/s^3 */
    tq_table *force;             /* (n_row) lambda_d over time; NULL: 0 */
    double force_ki;             /* 1/s, >= 0 */
    const bool *pushed;          /* (n_row) rows whose error is integrated; NULL: all */
    const double *limit;         /* (nv) largest effort, > 0 or INFINITY; NULL: none */
} tq_constrained_controller;

/**
 * Check a controller, and make it an effect.
 *
 * Torques beyond the limits are cut off, and integrals stand still while one is.
 *
 * Memory   The effect borrows the controller, its ctx.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       "reference": not as many coordinates as the model; "joint": joint
 *                             `index` has a quaternion, and the reference does not
 *                             stand; "kd": missing; "coordinates": none, more than nv, or not
 *                             rising; "force": a goal needs every joint driven
 *          TQ_ERR_RANGE       a gain below 0, a limit not above 0
 *          TQ_ERR_NOT_FINITE  a gain
 *          Its evaluations: TQ_ERR_SINGULAR "constraint.coordinates" where the coordinates do not
 *          tell the motion, and what tq_constrained_factor and tq_inverse_dynamics say.
 * Cost     Of one evaluation, inverse dynamics and for each sample a tq_constrained_factor.
 * Source   Z. Li, Y. Wu, lecture notes on Murray, Li & Sastry, A Mathematical Introduction to
 *          Robotic Manipulation, ch. 6, slides 61 and 65; M. Raibert, J. Craig, Hybrid
 *          position/force control of manipulators, J. Dyn. Sys. Meas. Control 103(2), 1981.
 * Checked  tests/property/core/plant/test_constrained_controller.c
 */
tq_status tq_constrained_controller_effect(tq_constrained_controller *controller,
                                           tq_effect *ret_effect, tq_error *reterr);

#endif
