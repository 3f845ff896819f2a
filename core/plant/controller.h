/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/controller.h - torques that make a robot follow a reference, as an effect on a
 * plant. */
#ifndef TQ_PLANT_CONTROLLER_H
#define TQ_PLANT_CONTROLLER_H

#include "core/motion/desired.h"
#include "core/plant/plant.h"

/* With e = q_d - q (tq_state_difference where joints have quaternions), ed = qd_d - qd, s the
 * integral of e, and M, C, g, f of the controller's own model (f: friction and springs):
 *
 *     FEEDFORWARD      tau = M(q_d) qdd_d + C(q_d, qd_d) qd_d + g(q_d) + f(q_d, qd_d): open loop
 *     PD               tau = kp e + kd ed + ki s
 *     PD_GRAVITY       tau = kp e + kd ed + ki s + g(q) + springs
 *     COMPUTED_TORQUE  tau = M(q) (qdd_d + kp e + kd ed + ki s) + C(q, qd) qd + g(q) + f(q, qd)
 *                      (a floating joint's place along axes that do not turn)
 *     PASSIVITY        v = qd_d + lambda e,  tau = M(q) vdot + C(q, qd) v + g(q) + f(q, v)
 *                      + kd (v - qd) + ki s,  with Christoffel's C
 */
typedef enum tq_control_law {
    TQ_LAW_FEEDFORWARD,
    TQ_LAW_PD,
    TQ_LAW_PD_GRAVITY,
    TQ_LAW_COMPUTED_TORQUE,
    TQ_LAW_PASSIVITY,
} tq_control_law;

/* Borrows all it points to. Gains are those of its law, the others NULL. */
typedef struct tq_controller {
    tq_control_law law;
    const tq_mechanism *mechanism; /* what it believes the robot to be */
    const double *gravity;         /* 3; NULL: the model's */
    unsigned without;              /* TQ_WITHOUT_...: terms that it does not know of */
    const tq_reference *reference;
    const double *kp, *kd, *lambda; /* (nv) >= 0 */
    const double *ki;               /* (nv) >= 0; NULL: no integral */
    const double *limit;            /* (nv) largest effort, > 0 or INFINITY; NULL: none */
    const bool *driven;             /* (nv) joints that it can push at all; NULL: every one */
    double sample_time;             /* s: torques are held between samples; 0: continuous */
} tq_controller;

/**
 * Check a controller, and make it an effect.
 *
 * Torques beyond the limits are cut off, and an integral does not grow against a limit that it
 * pushes (conditional integration). Joints that are not driven get no torque, whatever the law asks
 * of them, and no integral. A sampled controller computes its torque at 0, Ts, 2 Ts ... and
 * sums e Ts in its integral.
 *
 * Memory   The effect borrows the controller, its ctx.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       "reference": not as many coordinates as the model; "joint": joint
 *                             `index` has a quaternion, and the reference does not
 *                             stand; "kp", "kd", "lambda": the law wants it
 *          TQ_ERR_RANGE       a gain below 0, a limit not above 0, "sample_time" below 0
 *          TQ_ERR_NOT_FINITE  a gain, "sample_time"
 * Cost     Nothing; of one evaluation at most that of inverse dynamics, and with passivity that of
 *          the Coriolis matrix.
 * Source   B. Siciliano et al., Robotics: Modelling, Planning and Control, 2009, 8.5; J.-J.
 *          Slotine, W. Li, On the adaptive control of robot manipulators, IJRR 6(3), 1987; K.
 *          Astrom, L. Rundqwist, Integrator windup and how to avoid it, ACC 1989.
 * Checked  tests/property/core/plant/test_controller.c
 */
tq_status tq_controller_effect(tq_controller *controller, tq_effect *ret_effect, tq_error *reterr);

#endif
