/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/configuration.c - link poses, joint screws and their rates at one state.
 */
#include "core/dynamics/kinematics/configuration.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/spatial/screw.h"

static const double quaternion_slack = 1e-6; /* tolerance of the interface */

static uint32_t freedoms_of(const tq_joint *joint)
{
    return tq_joint_kind_nv(joint->kind);
}

static size_t freedom_total(const tq_model *model)
{
    size_t total = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        total += freedoms_of(&model->joints[j]);
    }
    return total;
}

size_t tq_configuration_scratch_size(const tq_model *model)
{
    return tq_scratch_cost(model->n_link, sizeof(tq_pose)) +
           tq_scratch_cost(model->n_link, 6 * sizeof(double)) +
           tq_scratch_cost(freedom_total(model), sizeof(tq_freedom)) +
           2 * tq_scratch_cost(model->n_joint, sizeof(uint32_t));
}

static void compose(const tq_pose *outer, const tq_pose *inner, tq_pose *ret)
{
    double moved[3];
    tq_mat_vec(outer->r, inner->p, moved);
    for (unsigned i = 0; i < 3; i++) {
        ret->p[i] = outer->p[i] + moved[i];
        for (unsigned j = 0; j < 3; j++) {
            ret->r[3 * i + j] = outer->r[3 * i] * inner->r[j] +
                                outer->r[3 * i + 1] * inner->r[3 + j] +
                                outer->r[3 * i + 2] * inner->r[6 + j];
        }
    }
}

/* Rodrigues' formula */
static void rotation_about(const double axis[3], double angle, double r[9])
{
    const double s = tq_sin(angle);
    const double c = tq_cos(angle);
    const double t = 1.0 - c;
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            r[3 * i + j] = t * axis[i] * axis[j] + (i == j ? c : 0.0);
        }
    }
    r[1] -= s * axis[2];
    r[2] += s * axis[1];
    r[3] += s * axis[2];
    r[5] -= s * axis[0];
    r[6] -= s * axis[1];
    r[7] += s * axis[0];
}

static tq_status rotation_of_quaternion(const double *wxyz, uint32_t joint, double r[9],
                                        tq_error *reterr)
{
    const double length =
        sqrt(wxyz[0] * wxyz[0] + wxyz[1] * wxyz[1] + wxyz[2] * wxyz[2] + wxyz[3] * wxyz[3]);
    if (!(fabs(length - 1.0) <= quaternion_slack)) {
        return tq_fail(reterr, TQ_ERR_QUATERNION, "q", joint, length);
    }
    const double w = wxyz[0] / length;
    const double x = wxyz[1] / length;
    const double y = wxyz[2] / length;
    const double z = wxyz[3] / length;
    const double m[9] = {
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z),       2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),       2.0 * (y * z + w * x),       1.0 - 2.0 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
    return TQ_OK;
}

/* the in-plane axes e and f of a planar joint, see core/model/model.h */
static void planar_axes(const double n[3], double e[3], double f[3])
{
    const double s = n[2] < 0.0 ? -1.0 : 1.0;
    const double k = 1.0 / (1.0 + s * n[2]);
    e[0] = 1.0 - n[0] * n[0] * k;
    e[1] = -n[0] * n[1] * k;
    e[2] = -s * n[0];
    f[0] = -s * n[0] * n[1] * k;
    f[1] = s * (1.0 - n[1] * n[1] * k);
    f[2] = -n[1];
}

/* screw of a rotation about `axis` (world) through the point `at` */
static void revolute_screw(const double axis[3], const double at[3], double screw[6])
{
    tq_vec_cross(at, axis, screw);
    memcpy(screw + 3, axis, 3 * sizeof(double));
}

static void prismatic_screw(const double axis[3], double screw[6])
{
    memcpy(screw, axis, 3 * sizeof(double));
    memset(screw + 3, 0, 3 * sizeof(double));
}

/* pose of the child frame in the joint frame, at the joint's coordinates */
static tq_status joint_motion(const tq_joint *joint, uint32_t number, const double *q, tq_pose *ret,
                              tq_error *reterr)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(ret->r, identity, sizeof identity);
    memset(ret->p, 0, sizeof ret->p);
    switch (joint->kind) {
    case TQ_JOINT_FIXED:
        return TQ_OK;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
        rotation_about(joint->axis, q[0], ret->r);
        return TQ_OK;
    case TQ_JOINT_PRISMATIC:
        for (unsigned k = 0; k < 3; k++) {
            ret->p[k] = q[0] * joint->axis[k];
        }
        return TQ_OK;
    case TQ_JOINT_PLANAR: {
        double x[3];
        double y[3];
        planar_axes(joint->axis, x, y);
        for (unsigned k = 0; k < 3; k++) {
            ret->p[k] = q[0] * x[k] + q[1] * y[k];
        }
        rotation_about(joint->axis, q[2], ret->r);
        return TQ_OK;
    }
    case TQ_JOINT_SPHERICAL:
        return rotation_of_quaternion(q, number, ret->r, reterr);
    case TQ_JOINT_FLOATING:
        memcpy(ret->p, q, 3 * sizeof(double));
        return rotation_of_quaternion(q + 3, number, ret->r, reterr);
    }
    return TQ_OK;
}

/* the joint's screws in the world; ret_carried: number of this joint's dofs that move each of them
 */
static void joint_screws(const tq_joint *joint, const tq_pose *frame, const tq_pose *child,
                         tq_freedom *freedom, uint32_t *ret_carried)
{
    double axis[3];
    tq_mat_vec(frame->r, joint->axis, axis);
    const uint32_t n = freedoms_of(joint);
    switch (joint->kind) {
    case TQ_JOINT_FIXED:
        break;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
        revolute_screw(axis, frame->p, freedom[0].screw);
        ret_carried[0] = 0;
        break;
    case TQ_JOINT_PRISMATIC:
        prismatic_screw(axis, freedom[0].screw);
        ret_carried[0] = 0;
        break;
    case TQ_JOINT_PLANAR: {
        double plane[2][3];
        double world[3];
        planar_axes(joint->axis, plane[0], plane[1]);
        for (unsigned k = 0; k < 2; k++) {
            tq_mat_vec(frame->r, plane[k], world);
            prismatic_screw(world, freedom[k].screw);
            ret_carried[k] = 0;
        }
        revolute_screw(axis, child->p, freedom[2].screw);
        ret_carried[2] = 2;
        break;
    }
    case TQ_JOINT_SPHERICAL:
    case TQ_JOINT_FLOATING:
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t along = k % 3;
            const double unit[3] = {child->r[along], child->r[3 + along], child->r[6 + along]};
            if (n == 6 && k < 3) {
                prismatic_screw(unit, freedom[k].screw);
            } else {
                revolute_screw(unit, child->p, freedom[k].screw);
            }
            ret_carried[k] = n; /* fixed to the child: moves with all of them */
        }
        break;
    }
}

/* a mimic joint's own coordinate, and its rate per unit rate of the master */
static double mimic_coordinate(const tq_model *model, const tq_joint *joint, const double *q,
                               double *ret_factor)
{
    const tq_joint *master = &model->joints[joint->mimic];
    *ret_factor = joint->mimic_multiplier;
    return joint->mimic_multiplier * q[master->q_index] + joint->mimic_offset;
}

static tq_status place_joint(const tq_configuration *p, uint32_t number, const double *q,
                             const double *qd, tq_error *reterr)
{
    const tq_joint *joint = &p->model->joints[number];
    const double *parent_twist = p->twist + 6 * (size_t)joint->parent;
    double *child_twist = p->twist + 6 * (size_t)joint->child;
    tq_freedom *freedom = p->freedom + p->first[number];
    double factor = 1.0;
    double own = 0.0;
    const double *coordinates = q + joint->q_index;
    if (joint->mimic != TQ_NONE) {
        own = mimic_coordinate(p->model, joint, q, &factor);
        coordinates = &own;
    }
    tq_pose frame;
    tq_pose motion;
    uint32_t carried[6] = {0};
    compose(&p->pose[joint->parent], &joint->origin, &frame);
    const tq_status status = joint_motion(joint, number, coordinates, &motion, reterr);
    if (status != TQ_OK) {
        return status;
    }
    compose(&frame, &motion, &p->pose[joint->child]);
    joint_screws(joint, &frame, &p->pose[joint->child], freedom, carried);
    memcpy(child_twist, parent_twist, 6 * sizeof(double));
    for (uint32_t k = 0; k < p->count[number]; k++) {
        freedom[k].joint = number;
        freedom[k].row = joint->v_index + k;
        freedom[k].factor = factor;
        if (qd != NULL) {
            tq_axpy6(factor * qd[freedom[k].row], freedom[k].screw, child_twist);
        }
    }
    for (uint32_t k = 0; k < p->count[number]; k++) {
        double carrier[6];
        memcpy(carrier, parent_twist, sizeof carrier);
        for (uint32_t m = 0; m < carried[k] && qd != NULL; m++) {
            tq_axpy6(factor * qd[freedom[m].row], freedom[m].screw, carrier);
        }
        tq_screw_cross(carrier, freedom[k].screw, freedom[k].rate);
    }
    return TQ_OK;
}

tq_status tq_configuration_compute(const tq_model *model, const double *q, const double *qd,
                                   tq_scratch *scratch, tq_configuration *ret_posture,
                                   tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_configuration p = {.model = model, .n_freedom = freedom_total(model)};
    p.pose = tq_scratch_take(scratch, model->n_link, sizeof(tq_pose));
    p.twist = tq_scratch_take(scratch, model->n_link, 6 * sizeof(double));
    p.freedom = tq_scratch_take(scratch, p.n_freedom, sizeof(tq_freedom));
    p.first = tq_scratch_take(scratch, model->n_joint, sizeof(uint32_t));
    p.count = tq_scratch_take(scratch, model->n_joint, sizeof(uint32_t));
    if (p.pose == NULL || p.twist == NULL || p.freedom == NULL || p.first == NULL ||
        p.count == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_configuration_scratch_size(model));
    }
    p.pose[model->root] = (tq_pose){.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memset(p.twist + 6 * (size_t)model->root, 0, 6 * sizeof(double));
    uint32_t next = 0;
    tq_status status = TQ_OK;
    for (uint32_t k = 0; status == TQ_OK && k < model->n_joint; k++) {
        const uint32_t number = model->order[k];
        p.first[number] = next;
        p.count[number] = freedoms_of(&model->joints[number]);
        next += p.count[number];
        status = place_joint(&p, number, q, qd, reterr);
    }
    if (status != TQ_OK) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    *ret_posture = p;
    return TQ_OK;
}

/* a twist about the world origin, expressed in another frame of the same link */
static void express(const tq_pose *pose, const double at[3], tq_jacobian_frame frame,
                    const double twist[6], double ret[6])
{
    if (frame == TQ_JACOBIAN_WORLD) {
        memcpy(ret, twist, 6 * sizeof(double));
        return;
    }
    double arm[3];
    double turning[3];
    double velocity[6];
    tq_mat_vec(pose->r, at, arm);
    for (unsigned k = 0; k < 3; k++) {
        arm[k] += pose->p[k];
    }
    tq_vec_cross(twist + 3, arm, turning);
    for (unsigned k = 0; k < 3; k++) {
        velocity[k] = twist[k] + turning[k];
        velocity[3 + k] = twist[3 + k];
    }
    if (frame == TQ_JACOBIAN_LINK) {
        tq_mat_tvec(pose->r, velocity, ret);
        tq_mat_tvec(pose->r, velocity + 3, ret + 3);
    } else {
        memcpy(ret, velocity, sizeof velocity);
    }
}

/* time derivative of express(): the frame itself moves with the link */
static void express_rate(const tq_configuration *p, uint32_t link, const double at[3],
                         tq_jacobian_frame frame, const tq_freedom *freedom, double ret[6])
{
    const tq_pose *pose = &p->pose[link];
    const double *twist = p->twist + 6 * (size_t)link;
    if (frame == TQ_JACOBIAN_WORLD) {
        memcpy(ret, freedom->rate, 6 * sizeof(double));
        return;
    }
    if (frame == TQ_JACOBIAN_LINK) {
        double seen[6];
        tq_screw_cross(twist, freedom->screw, seen);
        for (unsigned k = 0; k < 6; k++) {
            seen[k] = freedom->rate[k] - seen[k];
        }
        express(pose, at, frame, seen, ret);
        return;
    }
    /* d/dt (v + w x x), where x moves with the velocity of the point */
    double point[6];
    double turning[3];
    express(pose, at, frame, freedom->rate, ret);
    express(pose, at, frame, twist, point);
    tq_vec_cross(freedom->screw + 3, point, turning);
    for (unsigned k = 0; k < 3; k++) {
        ret[k] += turning[k];
    }
}

void tq_configuration_jacobian(const tq_configuration *posture, uint32_t link, const double at[3],
                               tq_jacobian_frame frame, double *ret_jacobian, double *ret_rate)
{
    const tq_model *model = posture->model;
    const size_t nv = model->nv;
    memset(ret_jacobian, 0, 6 * nv * sizeof(double));
    if (ret_rate != NULL) {
        memset(ret_rate, 0, 6 * nv * sizeof(double));
    }
    for (uint32_t at_link = link; model->links[at_link].joint != TQ_NONE;
         at_link = model->joints[model->links[at_link].joint].parent) {
        const uint32_t number = model->links[at_link].joint;
        for (uint32_t k = 0; k < posture->count[number]; k++) {
            const tq_freedom *freedom = &posture->freedom[posture->first[number] + k];
            double column[6];
            express(&posture->pose[link], at, frame, freedom->screw, column);
            for (unsigned r = 0; r < 6; r++) {
                ret_jacobian[r * nv + freedom->row] += freedom->factor * column[r];
            }
            if (ret_rate != NULL) {
                express_rate(posture, link, at, frame, freedom, column);
                for (unsigned r = 0; r < 6; r++) {
                    ret_rate[r * nv + freedom->row] += freedom->factor * column[r];
                }
            }
        }
    }
}

void tq_configuration_velocity(const tq_configuration *posture, uint32_t link, const double at[3],
                               tq_jacobian_frame frame, double ret_velocity[6])
{
    express(&posture->pose[link], at, frame, posture->twist + 6 * (size_t)link, ret_velocity);
}

void tq_configuration_add_wrench(const tq_configuration *posture, uint32_t link,
                                 const double wrench[6], double *tau)
{
    const tq_model *model = posture->model;
    for (uint32_t at_link = link; model->links[at_link].joint != TQ_NONE;
         at_link = model->joints[model->links[at_link].joint].parent) {
        const uint32_t number = model->links[at_link].joint;
        for (uint32_t k = 0; k < posture->count[number]; k++) {
            const tq_freedom *freedom = &posture->freedom[posture->first[number] + k];
            tau[freedom->row] += freedom->factor * tq_dot6(freedom->screw, wrench);
        }
    }
}
