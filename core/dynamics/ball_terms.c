/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/ball_terms.c - dampers, springs and inertias of spherical and floating joints. */
#include "core/dynamics/ball_terms.h"

#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/spatial/frame.h"

static _Bool is_ball(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
}

double tq_ball_inertia(const tq_joint *joint)
{
    return is_ball(joint) ? joint->rotor.ratio * joint->rotor.ratio * joint->rotor.inertia : 0.0;
}

void tq_ball_add_damper(const tq_joint *joint, size_t n_sample, size_t stride, const double *qd,
                        double sign, double *tau)
{
    if (!is_ball(joint) || qd == NULL || joint->friction.viscous == 0.0) {
        return;
    }
    const double factor = sign * joint->friction.viscous;
    for (uint32_t r = joint->v_index; r < joint->v_index + joint->nv; r++) {
        for (size_t i = 0; i < n_sample; i++) {
            tau[r * stride + i] += factor * qd[r * stride + i];
        }
    }
}

static void cross(const double a[3], const double b[3], double ret[3])
{
    for (unsigned k = 0; k < 3; k++) {
        const unsigned x = (k + 1) % 3, y = (k + 2) % 3;
        ret[k] = a[x] * b[y] - a[y] * b[x];
    }
}

/* three rows from `first` on */
static void load(const double *rows, size_t first, size_t stride, double ret[3])
{
    for (size_t k = 0; k < 3; k++) {
        ret[k] = rows[(first + k) * stride];
    }
}

void tq_ball_add_inertia(const tq_joint *joint, size_t n_sample, size_t stride, const double *qd,
                         const double *qdd, double sign, double *tau)
{
    const double factor = sign * tq_ball_inertia(joint);
    if (factor == 0.0) {
        return;
    }
    const size_t first = joint->v_index;
    for (uint32_t r = 0; qdd != NULL && r < joint->nv; r++) {
        for (size_t i = 0; i < n_sample; i++) {
            tau[(first + r) * stride + i] += factor * qdd[(first + r) * stride + i];
        }
    }
    for (size_t i = 0; qd != NULL && joint->kind == TQ_JOINT_FLOATING && i < n_sample; i++) {
        double v[3], w[3], turned[3];
        load(qd + i, first, stride, v);
        load(qd + i, first + 3, stride, w);
        cross(w, v, turned);
        for (size_t k = 0; k < 3; k++) {
            tau[(first + k) * stride + i] += factor * turned[k];
        }
    }
}

/* Displacement from rest in the child's axes (floating; else 0), and the rotation vector. */
static void stretch_of(const tq_joint *joint, size_t stride, const double *q, double ret_x[3],
                       double ret_turn[3])
{
    static const double none[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    const double *given = joint->spring.pose;
    const _Bool is_given = given[3] != 0.0 || given[4] != 0.0 || given[5] != 0.0 || given[6] != 0.0;
    const double *rest = is_given ? given : none;
    const _Bool floats = joint->kind == TQ_JOINT_FLOATING;
    const size_t first = joint->q_index + (floats ? 3 : 0);
    double quaternion[4], square = 0.0;
    for (size_t k = 0; k < 4; k++) {
        quaternion[k] = q[(first + k) * stride];
        square += quaternion[k] * quaternion[k];
    }
    const double length = sqrt(square);
    for (size_t k = 0; k < 4; k++) {
        quaternion[k] /= length;
    }
    memset(ret_x, 0, 3 * sizeof *ret_x);
    if (floats) {
        double away[3], turn[9];
        for (size_t k = 0; k < 3; k++) {
            away[k] = q[(joint->q_index + k) * stride] - rest[k];
        }
        tq_mat_of_quaternion(quaternion, turn);
        for (unsigned k = 0; k < 3; k++) {
            ret_x[k] = turn[k] * away[0] + turn[3 + k] * away[1] + turn[6 + k] * away[2];
        }
    }
    /* conj(rest) * quaternion, of which the shorter way: MuJoCo's mju_subQuat */
    const double *u = rest + 3, *p = quaternion;
    double side[3];
    cross(p + 1, u + 1, side);
    const double cosine = u[0] * p[0] + u[1] * p[1] + u[2] * p[2] + u[3] * p[3];
    double norm = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        ret_turn[k] = u[0] * p[1 + k] - p[0] * u[1 + k] + side[k];
        norm += ret_turn[k] * ret_turn[k];
    }
    const double sine = sqrt(norm);
    const double sign = cosine < 0.0 ? -1.0 : 1.0;
    const double scale = sine > 0.0 ? 2.0 * tq_atan2(sine, fabs(cosine)) / sine : 2.0;
    for (unsigned k = 0; k < 3; k++) {
        ret_turn[k] *= sign * scale;
    }
}

void tq_ball_add_spring(const tq_joint *joint, size_t n_sample, size_t stride, const double *q,
                        double sign, double *tau)
{
    const double factor = is_ball(joint) ? sign * joint->spring.stiffness : 0.0;
    const _Bool floats = joint->kind == TQ_JOINT_FLOATING;
    const size_t turns = joint->v_index + (floats ? 3 : 0);
    for (size_t i = 0; factor != 0.0 && i < n_sample; i++) {
        double x[3], turn[3];
        stretch_of(joint, stride, q + i, x, turn);
        for (size_t k = 0; k < 3; k++) {
            tau[(turns + k) * stride + i] += factor * turn[k];
            if (floats) {
                tau[(joint->v_index + k) * stride + i] += factor * x[k];
            }
        }
    }
}

/* to the numbers that are `step` apart */
static void add_diagonal(const tq_model *model, size_t step, double *diagonal)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double inertia = tq_ball_inertia(joint);
        for (size_t r = joint->v_index; inertia != 0.0 && r < joint->v_index + joint->nv; r++) {
            diagonal[r * step] += inertia;
        }
    }
}

void tq_ball_add_mass(const tq_model *model, size_t stride, double *m)
{
    add_diagonal(model, (model->nv + 1) * stride, m);
}

void tq_ball_add_mass_diagonal(const tq_model *model, double *diagonal)
{
    add_diagonal(model, 1, diagonal);
}

/* entry (row, column) of [x]: [x] y = x cross y */
static double skew(const double x[3], size_t row, size_t column)
{
    return row == column ? 0.0 : (row + 1) % 3 == column ? -x[(row + 2) % 3] : x[(row + 1) % 3];
}

void tq_ball_add_coriolis(const tq_model *model, size_t stride, const double *qd, double *c)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const size_t first = joint->v_index;
        const double inertia = joint->kind == TQ_JOINT_FLOATING ? tq_ball_inertia(joint) : 0.0;
        double w[3];
        for (size_t k = 0; inertia != 0.0 && k < 9; k++) {
            load(qd, first + 3, stride, w);
            c[((first + k / 3) * model->nv + first + k % 3) * stride] +=
                inertia * skew(w, k / 3, k % 3);
        }
    }
}

void tq_ball_add_christoffel(const tq_model *model, double *gamma)
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const size_t nv = model->nv;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const size_t first = joint->v_index;
        const double inertia = joint->kind == TQ_JOINT_FLOATING ? tq_ball_inertia(joint) : 0.0;
        for (size_t k = 0; inertia != 0.0 && k < 27; k++) {
            const size_t row = first + k / 9, column = first + k / 3 % 3;
            gamma[(row * nv + column) * nv + first + 3 + k % 3] +=
                inertia * skew(unit[k % 3], k / 9, k / 3 % 3);
        }
    }
}

/* (1/th^2 - cos(th/2)/(2 th sin(th/2))) and its derivative by th, over th */
static void log_factor(double square, double *ret, double *ret_slope)
{
    const double angle = sqrt(square), half = 0.5 * angle;
    if (angle < 1e-1) { /* next terms: 2e-8 th^8 and 2e-7 th^6 of factors of th^2 and th^3 */
        *ret = 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0));
        *ret_slope = 1.0 / 360.0 + square * (1.0 / 7560.0 + square / 201600.0);
        return;
    }
    const double sine = tq_sin(half), cot = tq_cos(half) / sine;
    *ret = 1.0 / square - cot / (2.0 * angle);
    *ret_slope = (-2.0 / square + cot / (2.0 * angle) + 1.0 / (4.0 * sine * sine)) / square;
}

/* d(log of R exp(d))/dd = 1 + [t]/2 + factor [t]^2, t = log R */
static void log_slope(const double t[3], double ret[9])
{
    const double square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    double factor, unused;
    log_factor(square, &factor, &unused);
    for (size_t k = 0; k < 9; k++) {
        const size_t r = k / 3, c = k % 3;
        ret[k] =
            (r == c ? 1.0 - factor * square : 0.0) + 0.5 * skew(t, r, c) + factor * t[r] * t[c];
    }
}

/* its derivative by d, once more: [9 k + 3 r + c] is that of entry (r, c) by d_k */
static void log_curvature(const double t[3], double ret[27])
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const double square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    double factor, slope, by_d[9];
    log_factor(square, &factor, &slope);
    log_slope(t, by_d);
    memset(ret, 0, 27 * sizeof *ret);
    for (size_t m = 0; m < 3; m++) { /* by t_m: [t]^2 = t t^T - |t|^2 */
        for (size_t e = 0; e < 9; e++) {
            const size_t r = e / 3, c = e % 3;
            const double same = r == c ? 1.0 : 0.0;
            const double value =
                0.5 * skew(unit[m], r, c) + slope * t[m] * (t[r] * t[c] - same * square) +
                factor * (unit[m][r] * t[c] + t[r] * unit[m][c] - 2.0 * same * t[m]);
            for (size_t k = 0; k < 3; k++) {
                ret[9 * k + e] += value * by_d[3 * m + k];
            }
        }
    }
}

static void add_block(const tq_model *model, size_t row, size_t column, size_t stride,
                      double factor, const double block[9], double *to)
{
    for (size_t k = 0; k < 9; k++) {
        to[((row + k / 3) * model->nv + column + k % 3) * stride] += factor * block[k];
    }
}

static void skew_block(const double x[3], double ret[9])
{
    for (size_t k = 0; k < 9; k++) {
        ret[k] = skew(x, k / 3, k % 3);
    }
}

static void spring_slopes(const tq_model *model, const tq_joint *joint, size_t stride,
                          const double *q, double *dq)
{
    static const double one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const _Bool floats = joint->kind == TQ_JOINT_FLOATING;
    const size_t first = joint->v_index, turns = first + (floats ? 3 : 0);
    const double k = joint->spring.stiffness;
    double x[3], turn[3], block[9];
    stretch_of(joint, stride, q, x, turn);
    log_slope(turn, block);
    add_block(model, turns, turns, stride, k, block, dq);
    if (floats) { /* R^T x: its rate is v - w x (R^T x) */
        skew_block(x, block);
        add_block(model, first, first, stride, k, one, dq);
        add_block(model, first, turns, stride, k, block, dq);
    }
}

void tq_ball_add_derivatives(const tq_model *model, unsigned terms, size_t stride, const double *q,
                             const double *qd, double *dq, double *dqd)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const size_t first = joint->v_index;
        if (!is_ball(joint)) {
            continue;
        }
        if ((terms & TQ_BALL_SPRING) != 0 && joint->spring.stiffness != 0.0) {
            spring_slopes(model, joint, stride, q, dq);
        }
        for (size_t r = first; (terms & TQ_BALL_DAMPER) != 0 && r < first + joint->nv; r++) {
            dqd[(r * model->nv + r) * stride] += joint->friction.viscous;
        }
        const double inertia = tq_ball_inertia(joint);
        if (inertia != 0.0 && joint->kind == TQ_JOINT_FLOATING && qd != NULL &&
            (terms & TQ_BALL_INERTIA) != 0) {
            double v[3], w[3], block[9];
            load(qd, first, stride, v);
            load(qd, first + 3, stride, w);
            skew_block(w, block); /* d(w x v) = w x dv - v x dw */
            add_block(model, first, first, stride, inertia, block, dqd);
            skew_block(v, block);
            add_block(model, first, first + 3, stride, -inertia, block, dqd);
        }
    }
}

/* of a spring: of k log R, and of k R^T x by shifts v and turns w, by which R^T x moves by v - w x
 * R^T x */
static void spring_curvatures(const tq_model *model, const tq_joint *joint, const double *q,
                              double *dq_dq)
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const _Bool floats = joint->kind == TQ_JOINT_FLOATING;
    const size_t nv = model->nv, first = joint->v_index, turns = first + (floats ? 3 : 0);
    const double stiffness = joint->spring.stiffness;
    double x[3], turn[3], curvature[27], side[3];
    stretch_of(joint, 1, q, x, turn);
    log_curvature(turn, curvature);
    for (size_t k = 0; k < 3; k++) {
        cross(x, unit[k], side);
        for (size_t e = 0; e < 9; e++) {
            const size_t r = e / 3, c = turns + e % 3;
            dq_dq[((turns + r) * nv + c) * nv + turns + k] += stiffness * curvature[9 * k + e];
            if (floats) {
                double *row = dq_dq + ((first + r) * nv + c) * nv;
                row[first + k] += stiffness * skew(unit[k], r, e % 3);
                row[turns + k] += stiffness * skew(side, r, e % 3);
            }
        }
    }
}

void tq_ball_add_second_derivatives(const tq_model *model, unsigned terms, const double *q,
                                    double *dq_dq, double *dqd_dqd)
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const size_t nv = model->nv;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double inertia = joint->kind == TQ_JOINT_FLOATING ? tq_ball_inertia(joint) : 0.0;
        const size_t first = joint->v_index;
        if (is_ball(joint) && (terms & TQ_BALL_SPRING) != 0 && joint->spring.stiffness != 0.0) {
            spring_curvatures(model, joint, q, dq_dq);
        }
        if (inertia == 0.0 || (terms & TQ_BALL_INERTIA) == 0) {
            continue;
        }
        for (size_t e = 0; e < 27; e++) { /* w x v is bilinear */
            const size_t row = first + e / 9, v = first + e / 3 % 3, w = first + 3 + e % 3;
            const double value = inertia * skew(unit[e % 3], e / 9, e / 3 % 3);
            dqd_dqd[(row * nv + v) * nv + w] += value;
            dqd_dqd[(row * nv + w) * nv + v] += value;
        }
    }
}

void tq_ball_energy(const tq_joint *joint, size_t stride, const double *q, const double *qd,
                    double *kinetic, double *potential)
{
    const double inertia = tq_ball_inertia(joint);
    for (size_t r = joint->v_index; qd != NULL && r < joint->v_index + joint->nv; r++) {
        *kinetic += 0.5 * inertia * qd[r * stride] * qd[r * stride];
    }
    if (is_ball(joint) && joint->spring.stiffness != 0.0 && q != NULL) {
        double x[3], turn[3];
        stretch_of(joint, stride, q, x, turn);
        for (unsigned k = 0; k < 3; k++) {
            *potential += 0.5 * joint->spring.stiffness * (x[k] * x[k] + turn[k] * turn[k]);
        }
    }
}
