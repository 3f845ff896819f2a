/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/trial.c - smooth motion over some time with given points in contact: the implicit
 * midpoint rule with impulses that satisfy the laws at its end. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/contact/laws.h"
#include "core/contact/step_private.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/plant/state.h"

/* from UNDAMPED on steps are shorter: where contact of a middle opens it at the next, and closes it
 * at the one after, full ones alternate for ever */
enum { ITERATIONS = 200, UNDAMPED = 30 };
static const double damped = 0.2;
/* m: of a face on a face smaller gaps differ by rounding and no motion of rigid bodies closes all
 * of them; divided by h they would be velocities that contradict each other. */
static const double level = 1e-8;
/* m: smaller ones are left as they are; closed within a step they would end as velocities */
static const double little = 1e-10;
/* convergence: change of v between iterations, relative to max(|v|, h |qdd|) */
static const double left_over = 1e-13;
/* the same from which on friction is judged */
static const double nearly = 1e-6;
/* the same from which on energy is balanced */
static const double near_enough = 1e-3;
/* m/s: twice the mean velocity of points that stick */
static const double standing = 1e-12;
/* the same where the change does not become less: of impulses that are not unique */
static const double tolerable = 1e-10;

/* ret = q + time * rate (a block) */
static void move(const tq_contact_work *w, double time, double *ret)
{
    for (size_t k = 0; k < w->nq; k++) {
        ret[k] = w->q[k] + time * w->rate_q[k * TQ_CONTACT_LANE];
    }
}

/* First coordinate of the quaternion of joint j, or SIZE_MAX. */
static size_t quaternion_of(const tq_model *model, uint32_t j)
{
    const tq_joint *joint = &model->joints[j];
    return joint->kind == TQ_JOINT_SPHERICAL  ? joint->q_index
           : joint->kind == TQ_JOINT_FLOATING ? joint->q_index + 3
                                              : SIZE_MAX;
}

/* Attitudes after h and in the middle of the turn, by rates (a block) at its begin. The chord of a
 * point r is what its rate at the middle says,
 *
 *     R(q') r - R(q) r = h omega x R(qm) r,   2 sin(angle / 2) = h |omega|,
 *
 * so that the work of a force on a point that turns is the change of its energy:
 *     q' = cos(angle / 2) q + x,   qm = cos(angle / 4) q + x / (2 cos(angle / 4)),   x = h dq/dt */
static void turn(const tq_contact_work *w, double h, double *middle, double *next)
{
    for (uint32_t j = 0; j < w->model->n_joint; j++) {
        const size_t at = quaternion_of(w->model, j);
        double x[4];
        double square = 0.0;
        for (size_t k = 0; at != SIZE_MAX && k < 4; k++) {
            x[k] = h * w->rate_q[(at + k) * TQ_CONTACT_LANE];
            square += x[k] * x[k];
        }
        const double half = sqrt(fmax(1.0 - square, 0.0));
        const double quarter = sqrt(0.5 * (1.0 + half));
        for (size_t k = 0; at != SIZE_MAX && k < 4; k++) {
            middle[at + k] = quarter * w->q[at + k] + x[k] / (2.0 * quarter);
            next[at + k] = half * w->q[at + k] + x[k];
        }
    }
}

/* q with quaternions of `attitudes`, of unit length; the block of q too */
static void take_attitudes(tq_contact_work *w, const double *attitudes, double *q)
{
    for (uint32_t j = 0; j < w->model->n_joint; j++) {
        const size_t at = quaternion_of(w->model, j);
        if (at != SIZE_MAX) {
            memmove(q + at, attitudes + at, 4 * sizeof *q);
        }
    }
    for (size_t k = 0; k < w->nq; k++) {
        w->block_q[k * TQ_CONTACT_LANE] = q[k];
    }
    tq_state_normalise(w->model, 1, TQ_CONTACT_LANE, w->block_q);
    for (size_t k = 0; k < w->nq; k++) {
        q[k] = w->block_q[k * TQ_CONTACT_LANE];
    }
}

/* middle, rates there, and the end of the coordinates by the mean velocity */
static tq_status rate_at_middle(tq_contact_work *w, double h)
{
    for (size_t k = 0; k < w->nq; k++) {
        w->block_q[k * TQ_CONTACT_LANE] = w->q[k];
    }
    for (size_t k = 0; k < w->nv; k++) {
        w->block_v[k * TQ_CONTACT_LANE] = 0.5 * (w->v[k] + w->next_v[k]);
    }
    tq_state_rate(w->model, 1, TQ_CONTACT_LANE, w->block_q, w->block_v, w->rate_q);
    move(w, 0.5 * h, w->middle);
    turn(w, h, w->middle, w->turned);
    take_attitudes(w, w->middle, w->middle);
    const tq_trajectories at = {.n_sample = 1,
                                .stride = TQ_CONTACT_LANE,
                                .q = w->block_q,
                                .qd = w->block_v,
                                .z = w->z,
                                .held = w->held};
    const tq_rates rates = {.q = w->rate_q, .qd = w->rate_v, .z = w->zd};
    w->n_eval++;
    const tq_status status =
        tq_plant_rate(w->plant, w->t + 0.5 * h, &at, w->scratch, &rates, w->error);
    if (status == TQ_OK) {
        move(w, h, w->next_q);
        take_attitudes(w, w->turned, w->next_q);
    }
    return status;
}

/* The gap of listed point k, which its motion may close; of those below `level` the least of their
 * pair. */
static double gap_of(const tq_contact_work *w, size_t k)
{
    const tq_contact_point *own = &w->now.points[w->listed[k]];
    double least = fmax(own->gap, 0.0);
    for (size_t i = 0; least <= level && i < w->n_listed; i++) {
        const tq_contact_point *point = &w->now.points[w->listed[i]];
        least = point->pair == own->pair ? fmin(least, fmax(point->gap, 0.0)) : least;
    }
    return least > little ? least : 0.0;
}

/* J v of row r */
static double row_velocity(const tq_contact_work *w, const tq_contact_rows_at *at, size_t r,
                           const double *v)
{
    double sum = 0.0;
    for (size_t c = 0; c < w->nv; c++) {
        sum += at->rows[r * w->nv + c] * v[c];
    }
    return sum;
}

/* Rows of the laws without J(mid) v', into w->u, where (J(end) - J(mid)) v' is. Normals are along
 * chords, so that 2 J_n(mid) vm = 2 (gap(end) - gap(now)) / h, which p_n > 0 keeps at -2 gap / h.
 * Tangents: with u the mean velocity J(mid) (v + v') / 2 that impulses act on, and J v where the
 * motion begins and ends, the law is for J v' less their defect
 *
 *     d = (J(now) v + J(end) v') / 2 - J(mid) (v + v') / 2 = O(h^2),
 *
 * for then u is (d_before - d) / 2; where friction would do work so, for 2 u. */
static void add_laws(tq_contact_work *w, double h)
{
    for (size_t r = 0; r < 3 * w->n_listed; r++) {
        const double before = row_velocity(w, &w->mid, r, w->v);
        if (r % 3 == 0) {
            const double ends = fmin(w->begin[3 * w->listed[r / 3]], 0.0);
            w->u[r] = before - ends + 2.0 * (w->bend[r / 3] + gap_of(w, r / 3) / h);
        } else if (w->is_mean[r / 3] != 0) {
            w->u[r] = before;
        } else {
            const double turned = w->begin[3 * w->listed[r / 3] + r % 3] - before;
            w->u[r] -= 0.5 * (w->u[r] + turned);
        }
    }
}

/* Whether the friction of some pair does work: at its points it will be opposed to the mean
 * velocity, at all of them, as laws of points of one face may not contradict each other. */
static bool oppose(tq_contact_work *w)
{
    bool found = false;
    for (size_t k = 0, to = 0; k < w->n_listed; k = to) {
        const size_t pair = w->now.points[w->listed[k]].pair;
        double work = 0.0;
        double size = 0.0;
        for (; to < w->n_listed && w->now.points[w->listed[to]].pair == pair; to++) {
            for (size_t r = 3 * to + 1; w->is_mean[to] == 0 && r < 3 * to + 3; r++) {
                size += fabs(w->p[r]);
                work += w->p[r] * (row_velocity(w, &w->mid, r, w->v) +
                                   row_velocity(w, &w->mid, r, w->next_v));
            }
        }
        if (work > standing * size) {
            memset(w->is_mean + k, 1, to - k);
            found = true;
        }
    }
    return found;
}

/* impulses, on top of the velocity in `change` that the end has without them:
 *     J(end) v' = J(mid) v' + (J(end) - J(mid)) v'_before */
static tq_status press(tq_contact_work *w, double h)
{
    const size_t n = 3 * w->n_listed;
    tq_status status = tq_contact_mass(w, w->middle);
    if (status == TQ_OK) {
        status = tq_contact_at_listed(w, w->next_q, &w->end);
    }
    if (status == TQ_OK) {
        for (size_t k = 0; k < w->nv; k++) {
            w->mean[k] = 0.5 * (w->v[k] + w->next_v[k]);
        }
        status = tq_contact_at_middle(w, w->middle, w->mean, h);
    }
    if (status != TQ_OK) {
        return status;
    }
    tq_contact_couple(w, &w->mid);
    tq_contact_velocity(w, &w->end, w->next_v, w->u);
    tq_contact_velocity(w, &w->mid, w->next_v, w->b);
    for (size_t r = 0; r < n; r++) {
        w->u[r] -= w->b[r];
    }
    add_laws(w, h);
    tq_mass_matrix_solve(w->nv, w->m, 1, w->tilted);
    for (size_t k = 0; k < w->nv; k++) {
        w->change[k] += w->tilted[k];
    }
    tq_contact_velocity(w, &w->mid, w->change, w->b);
    for (size_t r = 0; r < n; r++) {
        w->b[r] += w->u[r];
    }
    const double violation = tq_contact_solve(w, &w->mid);
    double *worst = tq_contact_sum_z(w, TQ_CONTACT_RESIDUAL);
    *worst = fmax(*worst, violation);
    for (size_t k = 0; k < w->n_listed; k++) {
        double inverse = 0.0;
        for (size_t c = 0; c < w->nv; c++) {
            inverse += w->mid.rows[3 * k * w->nv + c] * w->x[c * n + 3 * k];
        }
        w->push[k] = inverse * w->p[3 * k];
    }
    tq_contact_push(w, w->change);
    return TQ_OK;
}

/* Impulses in time h by the forces of the last step, of points that had none then 0. */
static void recall(tq_contact_work *w, double h)
{
    size_t slot = 0;
    for (size_t k = 0; k < w->n_listed; k++) {
        const double key = tq_contact_key(&w->now.points[w->listed[k]]);
        while (slot<w->room_active && * tq_contact_point_z(w, slot, 0)> 0.0 &&
               *tq_contact_point_z(w, slot, 0) < key) {
            slot++;
        }
        const bool has = slot < w->room_active && *tq_contact_point_z(w, slot, 0) == key;
        for (size_t i = 0; i < 3; i++) {
            w->p[3 * k + i] = has ? h * *tq_contact_point_z(w, slot, 1 + i) : 0.0;
            w->start[3 * k + i] = w->p[3 * k + i];
        }
    }
}

tq_status tq_contact_trial(tq_contact_work *w, double h)
{
    double last = (double)INFINITY;
    double size = DBL_MIN;
    memcpy(w->next_v, w->v, w->nv * sizeof *w->v);
    recall(w, h);
    memset(w->missed, 0, w->n_listed * sizeof *w->missed);
    memset(w->push, 0, w->n_listed * sizeof *w->push);
    memset(w->is_mean, 0, w->n_listed);
    tq_contact_balance_open(w);
    for (unsigned it = 0; it < ITERATIONS; it++) {
        tq_status status = rate_at_middle(w, h);
        if (status == TQ_OK && w->balance_left > 0 && last <= near_enough * size) {
            status = tq_contact_balance(w, h);
        }
        for (size_t k = 0; k < w->nv; k++) {
            w->change[k] = w->v[k] + h * w->rate_v[k * TQ_CONTACT_LANE] + w->correction[k];
        }
        if (status == TQ_OK && w->n_listed > 0) {
            status = press(w, h);
        }
        if (status != TQ_OK) {
            return status;
        }
        const double part = it < UNDAMPED ? 1.0 : damped;
        double change = 0.0;
        size = DBL_MIN;
        for (size_t k = 0; k < w->nv; k++) {
            change = fmax(change, fabs(w->change[k] - w->next_v[k]));
            const double free = h * fabs(w->rate_v[k * TQ_CONTACT_LANE]);
            size = fmax(fmax(size, free), fmax(fabs(w->change[k]), fabs(w->v[k])));
            w->next_v[k] = part * w->change[k] + (1.0 - part) * w->next_v[k];
        }
        const bool near = change <= nearly * size && oppose(w);
        if (near) {
            tq_contact_balance_again(w);
        }
        if (!near &&
            (change <= left_over * size || (change <= tolerable * size && change >= last))) {
            return TQ_OK;
        }
        last = change;
    }
    return last <= tolerable * size ? TQ_OK
                                    : tq_fail(w->error, TQ_ERR_NO_CONVERGENCE, "step", 0, h);
}
