/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/rigid_body.h - one rigid body: point kinematics, momentum, energy, generalised
 * inertia. */
#ifndef TQ_DYNAMICS_RIGID_BODY_H
#define TQ_DYNAMICS_RIGID_BODY_H

#include "core/base/status.h"
#include "core/model/model.h"

/* Vectors are 3 doubles, twists (v, w) and wrenches (f, m) 6, matrices row by row. SI units. All
 * functions are pure, take finite numbers, allocate nothing, and cannot fail unless they return a
 * status. */

/* Angular velocity rate * axis and angular acceleration acceleration * axis + rate * axis_rate of a
 * rotation about an axis that itself rotates. `axis` is a unit vector, so axis_rate is
 * perpendicular to it; only a fixed axis gives an angular acceleration along it. */
void tq_axis_angle_motion(const double axis[3], const double axis_rate[3], double rate,
                          double acceleration, double ret_w[3], double ret_wd[3]);

/* Motion of a moving frame B relative to A, and of a point P relative to B. */
typedef struct tq_point_motion {
    double r[9];                                       /* rotation of B: x_A = r x_B */
    double origin_velocity[3], origin_acceleration[3]; /* of B's origin, in A */
    double w[3], wd[3];     /* angular velocity and acceleration of B, in A */
    double position[3];     /* of P, in B */
    double velocity[3];     /* of P relative to B, in B; zero for a point fixed to B */
    double acceleration[3]; /* relative to B, in B */
} tq_point_motion;

/* The terms of a point's acceleration, all in A; `total` is their sum. */
typedef struct tq_point_acceleration {
    double origin[3], relative[3], euler[3], centripetal[3], coriolis[3], total[3];
} tq_point_acceleration;

/* v = v_O + R v' + w x R p, in A. */
void tq_point_velocity(const tq_point_motion *motion, double ret_velocity[3]);

/* a = a_O + R a' + wd x R p + w x (w x R p) + 2 w x R v', in A. */
void tq_point_acceleration_of(const tq_point_motion *motion, tq_point_acceleration *ret);

/* Momentum and energy of a body; every vector in the world frame. */
typedef struct tq_body_momentum {
    double linear[3];        /* G = m v_C, kg m/s */
    double angular_com[3];   /* H_C = I w */
    double angular_point[3]; /* about the world origin: p_C x G + H_C */
    double kinetic;          /* v_C . G / 2 + w . H_C / 2, J */
    double inertia_world[6]; /* R I R^T about the centre of mass, in world axes */
} tq_body_momentum;

/* pose: of the body's frame in the world; twist: (v of the frame's origin, w), in the world frame.
 */
void tq_body_momentum_of(const tq_inertia *inertia, const tq_pose *pose, const double twist[6],
                         tq_body_momentum *ret_momentum);

/* Adjoint of a pose, 6x6: Ad = [R, p^ R; 0, R] maps a twist from the inner to the outer frame. */
void tq_adjoint(const tq_pose *pose, double ret_adjoint[36]);

/* Generalised inertia in another frame: Ad^T M Ad, where the new frame has `pose` in the old one.
 * Kinetic energy is invariant. */
void tq_generalised_inertia_move(const double spatial[36], const tq_pose *pose,
                                 double ret_spatial[36]);

/* V^T M V / 2. */
double tq_generalised_energy(const double spatial[36], const double twist[6]);

/* Lie bracket [a, b] = ad_a b of two twists (v, w): (w_a x v_b - w_b x v_a, w_a x w_b). */
void tq_lie_bracket(const double a[6], const double b[6], double ret[6]);

/* Newton-Euler equations in the body frame: F = M Vdot - ad_V^T M V. */
void tq_newton_euler(const double spatial[36], const double twist[6], const double twist_rate[6],
                     double ret_wrench[6]);

#endif
