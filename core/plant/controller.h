/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/controller.h - tracking controllers: torques that follow a reference, as an effect on
 * a plant. */
#ifndef TQ_PLANT_CONTROLLER_H
#define TQ_PLANT_CONTROLLER_H

#include "core/motion/desired.h"
#include "core/plant/plant.h"

/* With e = q_d - q (tq_state_difference for joints with quaternions), ed = qd_d - qd, s the
 * integral of e, and M, C, g, f of the controller's own model (f: friction and springs):
 *
 *     FEEDFORWARD      tau = M(q_d) qdd_d + C(q_d, qd_d) qd_d + g(q_d) + f(q_d, qd_d): open loop
 *     PD               tau = kp e + kd ed + ki s
 *     PD_GRAVITY       tau = kp e + kd ed + ki s + g(q) + springs
 *     COMPUTED_TORQUE  tau = M(q) (qdd_d + kp e + kd ed + ki s) + C(q, qd) qd + g(q) + f(q, qd)
 *                      (a floating joint's position along axes that do not rotate)
 *     PASSIVITY        v = qd_d + lambda e,  tau = M(q) vdot + C(q, qd) v + g(q) + f(q, v)
 *                      + kd (v - qd) + ki s,  C by Christoffel symbols (Slotine & Li) */
typedef enum tq_control_law {
    TQ_LAW_FEEDFORWARD,
    TQ_LAW_PD,
    TQ_LAW_PD_GRAVITY,
    TQ_LAW_COMPUTED_TORQUE,
    TQ_LAW_PASSIVITY,
} tq_control_law;

/* Borrows everything it points to. Gains that the law does not use are NULL. */
typedef struct tq_controller {
    tq_control_law law;
    const tq_mechanism *mechanism; /* the controller's model of the robot */
    const double *gravity;         /* 3; NULL: the model's */
    unsigned without;              /* TQ_WITHOUT_...: terms that its model omits */
    const tq_reference *reference;
    const double *kp, *kd, *lambda; /* (nv) >= 0 */
    const double *ki;               /* (nv) >= 0; NULL: no integral */
    const double *limit;            /* (nv) maximum torque, > 0 or INFINITY; NULL: none */
    const bool *driven;             /* (nv) joints that are actuated; NULL: all */
    double sample_time;             /* s: torques are held between samples (zero-order hold); 0:
                                       continuous */
} tq_controller;

/**
 * Check a controller and create its effect.
 *
 * Torques saturate at their limits, and an integral does not grow into saturation
 * (conditional integration, anti-windup). Joints that are not actuated get no torque
 * and no integral. A sampled controller computes its torque at 0, Ts, 2 Ts ... and
 * sums e Ts in its integral.
 *
 * Memory   The effect borrows the controller, its ctx.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       "reference": coordinates are not those of the model; "joint": joint
 *                             `index` has a quaternion, and the reference is not
 *                             TQ_REFERENCE_SETPOINT; "kp", "kd", "lambda": required by the law
 *          TQ_ERR_RANGE       a gain below 0, a limit not above 0, "sample_time" below 0
 *          TQ_ERR_NOT_FINITE  a gain, "sample_time"
 * Cost     Per evaluation at most inverse dynamics, and with passivity
 *          the Coriolis matrix.
 * Source   B. Siciliano et al., Robotics: Modelling, Planning and Control, 2009, 8.5; J.-J.
 *          Slotine, W. Li, On the adaptive control of robot manipulators, IJRR 6(3), 1987; K.
 *          Astrom, L. Rundqwist, Integrator windup and how to avoid it, ACC 1989.
 * Checked  tests/property/core/plant/test_controller.c
 */
tq_status tq_controller_effect(tq_controller *controller, tq_effect *ret_effect, tq_error *reterr);

#endif
