/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/operational_law.h - laws of operational-space control and Cartesian impedance, and the
 * error of their task. */
#ifndef TQ_PLANT_OPERATIONAL_LAW_H
#define TQ_PLANT_OPERATIONAL_LAW_H

#include <stdbool.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/motion/desired.h"
#include "core/motion/table.h"
#include "core/plant/plant.h"

/* With J the rows of a point's Jacobian along the task's axes (those of motion and those of force),
 * xd = J qd, e the error of the point's pose and ed = xd_d - xd that of its velocity, M and N
 * (Coriolis, gravity, friction, springs) of the controller's own model, and a0 the accelerations
 * that the posture asks of the joints:
 *
 *     lambda = (J M^-1 J^T)^-1                      inertia of the point along the axes
 *     a0     = qdd_d + posture_kd (qd_d - qd) + posture_kp (q_d - q)     0 without a posture
 *     F      = lambda (a - dJ/dt qd - J a0) + f
 *     tau    = M a0 + N + J^T F
 *
 * so that qdd = a0 + M^-1 J^T F: the motion of the point is xdd = a + lambda^-1 (f - f_env), f_env
 * the force with which it presses on its environment, and the posture moves the robot only within
 * what J leaves free, by the dynamically consistent null space: N0^T = 1 - J^T lambda J M^-1.
 *
 *     OPERATIONAL_SPACE    a = xdd_d + kd ed + kp e    ->  e'' + kd e' + kp e = lambda^-1 f_env
 *     CARTESIAN_IMPEDANCE  a = xdd_d, f = kp e + kd ed ->  lambda e'' + kd e' + kp e = f_env
 *
 * Along axes of force a = -kd xd for OPERATIONAL_SPACE, 0 for the other, and f is f_d, with
 * -kd xd added for CARTESIAN_IMPEDANCE: the force is commanded, not measured, so that its error is
 * that of the model. A damping `ratio` instead of kd, of CARTESIAN_IMPEDANCE: with lambda = Q Q^T
 * and kp = Q diag(k) Q^T, kd = 2 ratio Q diag(sqrt(k)) Q^T. The error of a rotation is its rotation
 * vector (tq_rotation_error): the equations hold exactly for turns about one axis.
 *
 * Near a singularity lambda grows without bound. With s the smallest eigenvalue of D J M^-1 J^T D,
 * where D divides shifts and turns by the root of the largest diagonal entry of each:
 *
 *     lambda^-1 = J M^-1 J^T + damping (1 - s / damping)^2 D^-2  where s < damping
 */
typedef enum tq_operational_law {
    TQ_OPERATIONAL_SPACE,
    TQ_CARTESIAN_IMPEDANCE,
} tq_operational_law;

enum { TQ_TASK_AXES = 6 }; /* shifts along x, y, z, turns about them */

/* Borrows everything it points to. */
typedef struct tq_operational_controller {
    tq_operational_law law;
    const tq_mechanism *mechanism; /* the controller's model of the robot */
    const double *gravity;         /* 3; NULL: the model's */
    unsigned without;              /* TQ_WITHOUT_...: terms that its model omits */
    uint32_t link;
    double at[3];    /* the point, in the link frame */
    double frame[9]; /* task axes in the world, as columns; row by row */
    bool moved[TQ_TASK_AXES], pushed[TQ_TASK_AXES]; /* axes of motion, of force; never both */
    const tq_reference *reference; /* of all coordinates: moves the point where goal is NULL */
    const tq_pose *goal;           /* of the link's axes and the point; NULL: the reference's */
    double kp[TQ_TASK_AXES], kd[TQ_TASK_AXES]; /* >= 0; 1/s^2, 1/s or N/m, N s/m and by rad */
    double ratio;                              /* >= 0, of motion; 0: kd */
    tq_table *force; /* f_d over time, N and N m: a column for each axis of force, in their order;
                        NULL: 0 */
    const tq_reference *posture;           /* of all coordinates; NULL: none */
    const double *posture_kp, *posture_kd; /* (nv) >= 0: 1/s^2, 1/s; NULL without a posture */
    double damping;                        /* 0 to 1; 0: a singular state is refused */
    const double *limit;                   /* (nv) maximum torque, > 0; NULL: none */
    double sample_time;                    /* s: torques are held between samples; 0: continuous */
} tq_operational_controller;

/* The error of the pose at time t and q (nq) along the axes of motion (0 along others), and the
 * place of the point on its reference; tq_operational_error_scratch_size bytes of `scratch`,
 * released. Returns as tq_configuration_compute. */
tq_status tq_operational_error(const tq_operational_controller *controller, double t,
                               const double *q, tq_scratch *scratch, double ret[TQ_TASK_AXES],
                               double ret_goal[3], tq_error *reterr);
size_t tq_operational_error_scratch_size(const tq_operational_controller *controller);

/* TQ_ERR_SINGULAR "task" where the effect would return it at q (nq); else TQ_OK, or as
 * tq_mass_matrix_flat. The same scratch. */
tq_status tq_operational_check(const tq_operational_controller *controller, const double *q,
                               tq_scratch *scratch, tq_error *reterr);

#endif
