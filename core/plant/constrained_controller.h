/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/constrained_controller.h - motion and force control under constraints (hybrid
 * control), as an effect on a plant. */
#ifndef TQ_PLANT_CONSTRAINED_CONTROLLER_H
#define TQ_PLANT_CONSTRAINED_CONTROLLER_H

#include "core/constraints/constraints.h"
#include "core/motion/desired.h"
#include "core/motion/table.h"
#include "core/plant/plant.h"

/* With u the velocities of `coordinates`, one per dof left by the constraints, e and s their
 * position errors and the integral of it, lambda the multipliers (constraint forces on the robot),
 * and M, C, N, A of the controller's own model:
 *
 *     udot = udot_d + kd (u_d - u) + kp e + ki s,          A qdd = -dA/dt qd gives the others
 *     tau  = M qdd + C qd + N - A^T (lambda_d + force_ki integral(lambda_d - lambda))
 *
 * With kp this is hybrid position/force control for holonomic constraints: e'' + kd e' + kp e = 0,
 * and a force error decays as exp(-force_ki t). Without kp and ki it tracks velocities only: the
 * law for nonholonomic robots. If not every joint is actuated, the actuated ones get the
 * minimum-norm torques of the same motion, and constraint forces are a consequence.
 *
 * Borrows everything it points to. */
typedef struct tq_constrained_controller {
    const tq_mechanism *mechanism;     /* the controller's model of the robot */
    const tq_constraints *constraints; /* of the robot, with rows */
    const double *gravity;             /* 3; NULL: the model's */
    unsigned without;                  /* TQ_WITHOUT_...: terms that its model omits */
    const tq_reference *reference;     /* of all coordinates; only some are tracked */
    size_t n_coordinate;
    const uint32_t *coordinates; /* (n_coordinate) rows of qd, ascending */
    const double *kp, *kd, *ki;  /* (nv) >= 0; kp, ki may be NULL; kp 1/s^2, kd 1/s, ki 1/s^3 */
    tq_table *force;             /* (n_row) lambda_d over time; NULL: 0 */
    double force_ki;             /* 1/s, >= 0 */
    const bool *pushed;          /* (n_row) rows whose force error is integrated; NULL: all */
    const double *limit;         /* (nv) maximum torque, > 0 or INFINITY; NULL: none */
} tq_constrained_controller;

/**
 * Check a controller and create its effect.
 *
 * Torques saturate at their limits; integrals stop while one does (anti-windup).
 *
 * Memory   The effect borrows the controller, its ctx.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       "reference": coordinates are not those of the model; "joint": joint
 *                             `index` has a quaternion, and the reference is not
 *                             TQ_REFERENCE_SETPOINT; "kd": missing; "coordinates": none, > nv,
 *                             or not ascending; "force": a setpoint requires all joints actuated
 *          TQ_ERR_RANGE       a gain below 0, a limit not above 0
 *          TQ_ERR_NOT_FINITE  a gain
 *          Evaluations: TQ_ERR_SINGULAR "constraint.coordinates" where the coordinates do not
 *          determine the motion; statuses of tq_constrained_factor and tq_inverse_dynamics.
 * Cost     Per evaluation, inverse dynamics and per sample a tq_constrained_factor.
 * Source   Z. Li, Y. Wu, lecture notes on Murray, Li & Sastry, A Mathematical Introduction to
 *          Robotic Manipulation, ch. 6, slides 61 and 65; M. Raibert, J. Craig, Hybrid
 *          position/force control of manipulators, J. Dyn. Sys. Meas. Control 103(2), 1981.
 * Checked  tests/property/core/plant/test_constrained_controller.c
 */
tq_status tq_constrained_controller_effect(tq_constrained_controller *controller,
                                           tq_effect *ret_effect, tq_error *reterr);

#endif
