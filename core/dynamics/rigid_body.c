/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/rigid_body.c - one rigid body. Source: Murray, Li, Sastry, 1994, ch. 2 and 4. */
#include "core/dynamics/rigid_body.h"

#include "core/model/inertia.h"
#include "core/spatial/screw.h"

void tq_axis_angle_motion(const double axis[3], const double axis_rate[3], double rate,
                          double acceleration, double ret_w[3], double ret_wd[3])
{
    for (unsigned k = 0; k < 3; k++) {
        ret_w[k] = rate * axis[k];
        ret_wd[k] = acceleration * axis[k] + rate * axis_rate[k];
    }
}

void tq_point_velocity(const tq_point_motion *motion, double ret_velocity[3])
{
    double arm[3];
    double relative[3];
    double turning[3];
    tq_mat_vec(motion->r, motion->position, arm);
    tq_mat_vec(motion->r, motion->velocity, relative);
    tq_vec_cross(motion->w, arm, turning);
    for (unsigned k = 0; k < 3; k++) {
        ret_velocity[k] = motion->origin_velocity[k] + relative[k] + turning[k];
    }
}

void tq_point_acceleration_of(const tq_point_motion *motion, tq_point_acceleration *ret)
{
    double arm[3];
    double turning[3];
    double relative[3];
    tq_mat_vec(motion->r, motion->position, arm);
    tq_mat_vec(motion->r, motion->velocity, relative);
    tq_mat_vec(motion->r, motion->acceleration, ret->relative);
    tq_vec_cross(motion->wd, arm, ret->euler);
    tq_vec_cross(motion->w, arm, turning);
    tq_vec_cross(motion->w, turning, ret->centripetal);
    tq_vec_cross(motion->w, relative, ret->coriolis);
    for (unsigned k = 0; k < 3; k++) {
        ret->origin[k] = motion->origin_acceleration[k];
        ret->coriolis[k] *= 2.0;
        ret->total[k] = ret->origin[k] + ret->relative[k] + ret->euler[k] + ret->centripetal[k] +
                        ret->coriolis[k];
    }
}

void tq_body_momentum_of(const tq_inertia *inertia, const tq_pose *pose, const double twist[6],
                         tq_body_momentum *ret_momentum)
{
    const tq_inertia world = tq_inertia_move(inertia, pose);
    const double arm[3] = {world.com[0] - pose->p[0], world.com[1] - pose->p[1],
                           world.com[2] - pose->p[2]};
    const double *w = twist + 3;
    const double *s = world.about_com;
    double velocity[3];
    tq_vec_cross(w, arm, velocity);
    for (unsigned k = 0; k < 3; k++) {
        velocity[k] += twist[k];
        ret_momentum->linear[k] = world.mass * velocity[k];
    }
    double *h = ret_momentum->angular_com;
    h[0] = s[0] * w[0] + s[1] * w[1] + s[2] * w[2];
    h[1] = s[1] * w[0] + s[3] * w[1] + s[4] * w[2];
    h[2] = s[2] * w[0] + s[4] * w[1] + s[5] * w[2];
    tq_vec_cross(world.com, ret_momentum->linear, ret_momentum->angular_point);
    for (unsigned k = 0; k < 3; k++) {
        ret_momentum->angular_point[k] += h[k];
    }
    ret_momentum->kinetic = 0.5 * tq_dot3(velocity, ret_momentum->linear) + 0.5 * tq_dot3(w, h);
    for (unsigned k = 0; k < 6; k++) {
        ret_momentum->inertia_world[k] = s[k];
    }
}

void tq_adjoint(const tq_pose *pose, double ret_adjoint[36])
{
    for (unsigned j = 0; j < 3; j++) {
        const double column[3] = {pose->r[j], pose->r[3 + j], pose->r[6 + j]};
        double moved[3];
        tq_vec_cross(pose->p, column, moved);
        for (unsigned i = 0; i < 3; i++) {
            ret_adjoint[6 * i + j] = column[i];
            ret_adjoint[6 * i + 3 + j] = moved[i];
            ret_adjoint[6 * (3 + i) + j] = 0.0;
            ret_adjoint[6 * (3 + i) + 3 + j] = column[i];
        }
    }
}

void tq_generalised_inertia_move(const double spatial[36], const tq_pose *pose,
                                 double ret_spatial[36])
{
    double ad[36];
    double m_ad[36] = {0};
    tq_adjoint(pose, ad);
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j < 6; j++) {
            for (unsigned k = 0; k < 6; k++) {
                m_ad[6 * i + j] += spatial[6 * i + k] * ad[6 * k + j];
            }
        }
    }
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j < 6; j++) {
            double sum = 0.0;
            for (unsigned k = 0; k < 6; k++) {
                sum += ad[6 * k + i] * m_ad[6 * k + j];
            }
            ret_spatial[6 * i + j] = sum;
        }
    }
}

double tq_generalised_energy(const double spatial[36], const double twist[6])
{
    double momentum[6];
    tq_apply6(spatial, twist, momentum);
    return 0.5 * tq_dot6(twist, momentum);
}

void tq_lie_bracket(const double a[6], const double b[6], double ret[6])
{
    tq_screw_cross(a, b, ret);
}

void tq_newton_euler(const double spatial[36], const double twist[6], const double twist_rate[6],
                     double ret_wrench[6])
{
    double momentum[6];
    double turning[6];
    tq_apply6(spatial, twist, momentum);
    tq_wrench_cross(twist, momentum, turning);
    tq_apply6(spatial, twist_rate, ret_wrench);
    tq_axpy6(1.0, turning, ret_wrench);
}
