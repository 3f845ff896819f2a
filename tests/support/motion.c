/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/motion.c - link motion as products of moving frames; Jacobians by geometry. */
#include "tests/support/motion.h"

/* this file promotes to 80 bits on purpose */
#pragma GCC diagnostic ignored "-Wdouble-promotion"

#include "tests/support/vec.h"

#include <stdlib.h>
#include <string.h>

static long double rate(const double *rows, size_t k)
{
    return rows == NULL ? 0.0L : (long double)rows[k];
}

static long double multiplier(const tq_joint *joint)
{
    return joint->mimic == TQ_NONE ? 1.0L : (long double)joint->mimic_multiplier;
}

static uint32_t source_row_q(const tq_model *model, const tq_joint *joint)
{
    return joint->mimic == TQ_NONE ? joint->q_index : model->joints[joint->mimic].q_index;
}

static uint32_t source_row_v(const tq_model *model, const tq_joint *joint)
{
    return joint->mimic == TQ_NONE ? joint->v_index : model->joints[joint->mimic].v_index;
}

long double tqt_joint_q(const tq_model *model, const tq_joint *joint, const double *q)
{
    const long double own = q[source_row_q(model, joint)];
    return joint->mimic == TQ_NONE ? own : multiplier(joint) * own + joint->mimic_offset;
}

long double tqt_joint_rate(const tq_model *model, const tq_joint *joint, const double *qd)
{
    return multiplier(joint) * rate(qd, source_row_v(model, joint));
}

static void unit_axis(const tq_joint *joint, long double ret_a[3])
{
    const long double x = joint->axis[0];
    const long double y = joint->axis[1];
    const long double z = joint->axis[2];
    const long double length = sqrtl(x * x + y * y + z * z);
    ret_a[0] = x / length;
    ret_a[1] = y / length;
    ret_a[2] = z / length;
}

/* the in-plane axes defined in core/model/model.h */
static void plane_axes(const tq_joint *joint, long double ret_e[3], long double ret_f[3])
{
    long double n[3];
    unit_axis(joint, n);
    const long double s = joint->axis[2] < 0.0 ? -1.0L : 1.0L;
    const long double k = 1.0L / (1.0L + s * n[2]);
    ret_e[0] = 1.0L - n[0] * n[0] * k;
    ret_e[1] = -n[0] * n[1] * k;
    ret_e[2] = -s * n[0];
    ret_f[0] = s * -n[0] * n[1] * k;
    ret_f[1] = s * (1.0L - n[1] * n[1] * k);
    ret_f[2] = -n[1];
}

/* Rodrigues' formula for a rotation about a fixed unit axis */
static void turn(const long double a[3], tqt_jet angle, tqt_jet ret_r[9])
{
    const tqt_jet s = tqt_jet_sin(angle);
    const tqt_jet c = tqt_jet_cos(angle);
    const tqt_jet versine = tqt_jet_add(tqt_jet_constant(1.0L), tqt_jet_scale(-1.0L, c));
    const long double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const tqt_jet sum = tqt_jet_add(tqt_jet_scale(cross[3 * i + k], s),
                                            tqt_jet_scale(a[i] * a[k], versine));
            ret_r[3 * i + k] = i == k ? tqt_jet_add(sum, c) : sum;
        }
    }
}

/* r of a unit quaternion w x y z, with r' = r [w] and r'' = r ([w][w] + [w']) in the child frame */
static void turn_freely(const double h[4], const long double w[3], const long double wd[3],
                        tqt_jet ret_r[9])
{
    long double u[4];
    long double square = 0.0L;
    for (int i = 0; i < 4; i++) {
        square += (long double)h[i] * h[i];
    }
    for (int i = 0; i < 4; i++) {
        u[i] = h[i] / sqrtl(square);
    }
    const long double r[9] = {1 - 2 * (u[2] * u[2] + u[3] * u[3]), 2 * (u[1] * u[2] - u[0] * u[3]),
                              2 * (u[1] * u[3] + u[0] * u[2]),     2 * (u[1] * u[2] + u[0] * u[3]),
                              1 - 2 * (u[1] * u[1] + u[3] * u[3]), 2 * (u[2] * u[3] - u[0] * u[1]),
                              2 * (u[1] * u[3] - u[0] * u[2]),     2 * (u[2] * u[3] + u[0] * u[1]),
                              1 - 2 * (u[1] * u[1] + u[2] * u[2])};
    for (int i = 0; i < 3; i++) {
        /* row i of r, times [w] from the right, is the cross product of the row with w */
        long double once[3];
        long double twice[3];
        long double extra[3];
        tqt_cross(&r[3 * i], w, once);
        tqt_cross(once, w, twice);
        tqt_cross(&r[3 * i], wd, extra);
        for (int k = 0; k < 3; k++) {
            ret_r[3 * i + k] = (tqt_jet){r[3 * i + k], once[k], twice[k] + extra[k]};
        }
    }
}

/* p' = r v, p'' = r (v' + w x v) for a twist in the child frame */
static void drift(const tqt_jet r[9], const double at[3], const long double twist[6],
                  const long double twist_dot[6], tqt_jet ret_p[3])
{
    long double bend[3];
    tqt_cross(&twist[3], twist, bend);
    for (int i = 0; i < 3; i++) {
        ret_p[i] = tqt_jet_constant(at[i]);
        for (int k = 0; k < 3; k++) {
            ret_p[i].d += r[3 * i + k].x * twist[k];
            ret_p[i].dd += r[3 * i + k].x * (twist_dot[k] + bend[k]);
        }
    }
}

static void move_freely(const tq_joint *joint, const tqt_state *state, tqt_jet_pose *ret_pose)
{
    const int floating = joint->kind == TQ_JOINT_FLOATING;
    const double *q = &state->q[joint->q_index];
    long double twist[6] = {0};
    long double twist_dot[6] = {0};
    for (uint32_t k = 0; k < joint->nv; k++) {
        twist[floating ? k : 3 + k] = rate(state->qd, joint->v_index + k);
        twist_dot[floating ? k : 3 + k] = rate(state->qdd, joint->v_index + k);
    }
    turn_freely(floating ? q + 3 : q, &twist[3], &twist_dot[3], ret_pose->r);
    drift(ret_pose->r, floating ? q : (double[3]){0, 0, 0}, twist, twist_dot, ret_pose->p);
}

static void move_in_plane(const tq_joint *joint, const tqt_state *state, tqt_jet_pose *ret_pose)
{
    long double a[3];
    long double e[3];
    long double f[3];
    tqt_jet c[3];
    unit_axis(joint, a);
    plane_axes(joint, e, f);
    for (uint32_t k = 0; k < 3; k++) {
        c[k] = (tqt_jet){state->q[joint->q_index + k], rate(state->qd, joint->v_index + k),
                         rate(state->qdd, joint->v_index + k)};
    }
    turn(a, c[2], ret_pose->r);
    for (int i = 0; i < 3; i++) {
        ret_pose->p[i] = tqt_jet_add(tqt_jet_scale(e[i], c[0]), tqt_jet_scale(f[i], c[1]));
    }
}

static void move_once(const tq_model *model, const tq_joint *joint, const tqt_state *state,
                      tqt_jet_pose *ret_pose)
{
    long double a[3];
    unit_axis(joint, a);
    const tqt_jet c = {tqt_joint_q(model, joint, state->q), tqt_joint_rate(model, joint, state->qd),
                       tqt_joint_rate(model, joint, state->qdd)};
    if (joint->kind == TQ_JOINT_PRISMATIC) {
        for (int i = 0; i < 3; i++) {
            ret_pose->p[i] = tqt_jet_scale(a[i], c);
        }
    } else {
        turn(a, c, ret_pose->r);
    }
}

/* The rotation nearest to a matrix that is a rotation except for rounding to 64 bits: two Newton
 * steps r (3 - r^T r) / 2 of the polar decomposition, so that inverse and transpose agree to 80
 * bits. */
static void nearest_rotation(const double r[9], long double ret_r[9])
{
    for (int i = 0; i < 9; i++) {
        ret_r[i] = r[i];
    }
    for (int step = 0; step < 2; step++) {
        long double square[9];
        long double product[9];
        tqt_multiply_transposed(ret_r, ret_r, square);
        tqt_multiply(square, ret_r, product);
        for (int i = 0; i < 9; i++) {
            ret_r[i] = 0.5L * (3.0L * ret_r[i] - product[i]);
        }
    }
}

static tqt_jet_pose rest_pose(const double r[9], const double p[3])
{
    tqt_jet_pose pose;
    long double turned[9];
    nearest_rotation(r, turned);
    for (int i = 0; i < 9; i++) {
        pose.r[i] = tqt_jet_constant(turned[i]);
    }
    for (int i = 0; i < 3; i++) {
        pose.p[i] = tqt_jet_constant(p[i]);
    }
    return pose;
}

static tqt_jet_pose joint_pose(const tq_model *model, const tq_joint *joint, const tqt_state *state)
{
    const tqt_jet_pose origin = rest_pose(joint->origin.r, joint->origin.p);
    tqt_jet_pose own =
        rest_pose((double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, (double[3]){0.0, 0.0, 0.0});
    switch (joint->kind) {
    case TQ_JOINT_FIXED:
        break;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
    case TQ_JOINT_PRISMATIC:
        move_once(model, joint, state, &own);
        break;
    case TQ_JOINT_PLANAR:
        move_in_plane(joint, state, &own);
        break;
    case TQ_JOINT_SPHERICAL:
    case TQ_JOINT_FLOATING:
        move_freely(joint, state, &own);
        break;
    }
    return tqt_jet_compose(&origin, &own);
}

/* [omega] = r' r^T and [omega'] + [omega][omega] = r'' r^T; the second is symmetric */
static void angular_motion(const tqt_jet_pose *pose, tqt_link_motion *ret_link)
{
    static const int row[3] = {2, 0, 1};
    static const int column[3] = {1, 2, 0};
    for (int i = 0; i < 3; i++) {
        ret_link->omega[i] = 0.0L;
        ret_link->omega_dot[i] = 0.0L;
        for (int k = 0; k < 3; k++) {
            const tqt_jet a = pose->r[3 * row[i] + k];
            const tqt_jet b = pose->r[3 * column[i] + k];
            ret_link->omega[i] += 0.5L * (a.d * b.x - b.d * a.x);
            ret_link->omega_dot[i] += 0.5L * (a.dd * b.x - b.dd * a.x);
        }
    }
}

static void read_motion(const tq_inertia *inertia, const tqt_jet_pose *pose,
                        tqt_link_motion *ret_link)
{
    static const int packed[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    long double about_com[9];
    long double half[9];
    for (int i = 0; i < 9; i++) {
        ret_link->r[i] = pose->r[i].x;
        about_com[i] = inertia->about_com[packed[i]];
    }
    for (int i = 0; i < 3; i++) {
        tqt_jet com = pose->p[i];
        for (int k = 0; k < 3; k++) {
            com = tqt_jet_add(com, tqt_jet_scale(inertia->com[k], pose->r[3 * i + k]));
        }
        ret_link->p[i] = pose->p[i].x;
        ret_link->com[i] = com.x;
        ret_link->com_v[i] = com.d;
        ret_link->com_a[i] = com.dd;
    }
    angular_motion(pose, ret_link);
    tqt_multiply(ret_link->r, about_com, half);
    tqt_multiply_transposed(half, ret_link->r, ret_link->inertia);
}

void tqt_move(const tq_model *model, const tqt_state *state, tqt_link_motion *ret_links)
{
    tqt_jet_pose *poses = calloc(model->n_link, sizeof *poses);
    if (poses == NULL) {
        abort();
    }
    poses[model->root] =
        rest_pose((double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, (double[3]){0.0, 0.0, 0.0});
    for (uint32_t n = 0; n < model->n_joint; n++) {
        const tq_joint *joint = &model->joints[model->order[n]];
        const tqt_jet_pose own = joint_pose(model, joint, state);
        poses[joint->child] = tqt_jet_compose(&poses[joint->parent], &own);
    }
    for (uint32_t i = 0; i < model->n_link; i++) {
        read_motion(&model->links[i].inertia, &poses[i], &ret_links[i]);
    }
    free(poses);
}

/* the column of a translation along, or a rotation about, v, a direction in the child's frame (its
 * own rotation does not change v) */
static tqt_column column_of(const tqt_link_motion *child, uint32_t row, int angular,
                            const long double v[3], long double factor)
{
    tqt_column column = {.row = row, .factor = factor};
    long double *to = angular ? column.angular : column.linear;
    tqt_rotate(child->r, v, to);
    for (int i = 0; i < 3; i++) {
        to[i] *= factor;
        column.at[i] = child->p[i];
    }
    return column;
}

/* in-plane axes are fixed in the joint frame, which moves with the parent */
static tqt_column column_in_plane(const tqt_link_motion *parent, const tq_joint *joint,
                                  uint32_t row, const long double v[3])
{
    tqt_column column = {.row = row, .factor = 1.0L};
    long double r[9];
    long double turned[3];
    nearest_rotation(joint->origin.r, r);
    tqt_rotate(r, v, turned);
    tqt_rotate(parent->r, turned, column.linear);
    return column;
}

static uint32_t joint_columns(const tq_model *model, const tqt_link_motion *links,
                              const tq_joint *joint, tqt_column *ret_columns)
{
    static const long double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tqt_link_motion *child = &links[joint->child];
    const uint32_t row = source_row_v(model, joint);
    long double a[3];
    long double e[3];
    long double f[3];
    uint32_t n = 0;
    switch (joint->kind) {
    case TQ_JOINT_FIXED:
        break;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
    case TQ_JOINT_PRISMATIC:
        unit_axis(joint, a);
        ret_columns[n++] =
            column_of(child, row, joint->kind != TQ_JOINT_PRISMATIC, a, multiplier(joint));
        break;
    case TQ_JOINT_PLANAR:
        unit_axis(joint, a);
        plane_axes(joint, e, f);
        ret_columns[n++] = column_in_plane(&links[joint->parent], joint, row, e);
        ret_columns[n++] = column_in_plane(&links[joint->parent], joint, row + 1, f);
        ret_columns[n++] = column_of(child, row + 2, 1, a, 1.0L);
        break;
    case TQ_JOINT_SPHERICAL:
    case TQ_JOINT_FLOATING:
        for (uint32_t k = 0; k < joint->nv; k++, n++) {
            const int angular = k + 3 >= joint->nv;
            ret_columns[n] = column_of(child, row + k, angular, unit[k % 3], 1.0L);
        }
        break;
    }
    return n;
}

uint32_t tqt_columns(const tq_model *model, const tqt_link_motion *links, uint32_t link,
                     tqt_column *ret_columns)
{
    const uint32_t j = model->links[link].joint;
    if (j == TQ_NONE) {
        return 0;
    }
    const tq_joint *joint = &model->joints[j];
    const uint32_t before = tqt_columns(model, links, joint->parent, ret_columns);
    const uint32_t own = joint_columns(model, links, joint, &ret_columns[before]);
    for (uint32_t k = 0; k < own; k++) {
        ret_columns[before + k].joint = j;
    }
    return before + own;
}
