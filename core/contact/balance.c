/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/balance.c - the energy of a mechanism that bends: what the midpoint rule misses. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contact/step_private.h"
#include "core/dynamics/inverse.h"
#include "core/linalg/dense.h"
#include "core/plant/audit.h"

enum { BASE = 6, TIMES = 4 }; /* rows of a free base; how often at most, in a trial */
/* of what is missed: smaller changes of it end the search, and those by rounding of energies */
static const double exact = 1e-6, rounding = 32.0 * DBL_EPSILON;
/* the most of a joint's velocity that is added, in a step: joints that hardly move do not make up
 * for what others miss */
static const double gentle = 0.02;

/* How many rows joint j has, if it bends the mechanism. */
static size_t rows_of(const tq_model *model, uint32_t j)
{
    const tq_joint *joint = &model->joints[j];
    const bool is_free = joint->kind == TQ_JOINT_FLOATING && joint->parent == 0;
    return is_free || joint->mimic != TQ_NONE ? 0 : joint->nv;
}

void tq_contact_balance_open(tq_contact_work *w)
{
    size_t n = 0;
    for (uint32_t j = 0; j < w->model->n_joint; j++) {
        n += rows_of(w->model, j);
    }
    w->bends = n > 0;
    w->is_balanced = false;
    w->balance_left = w->bends ? TIMES : 0;
    w->part = w->lacking = w->energy = w->energy_size = 0.0;
    memset(w->correction, 0, w->nv * sizeof *w->correction);
}

void tq_contact_balance_again(tq_contact_work *w)
{
    w->balance_left = w->bends ? TIMES : 0;
}

/* one sample, with its padding */
static void fill(size_t n, const double *x, double *block)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < TQ_CONTACT_LANE; i++) {
            block[k * TQ_CONTACT_LANE + i] = x[k];
        }
    }
}

/* kinetic and potential energy, J; *ret_size: the sum of their sizes */
static tq_status energy_at(tq_contact_work *w, const double *q, const double *v, double *ret,
                           double *ret_size)
{
    double both[2 * TQ_CONTACT_LANE];
    fill(w->nq, q, w->block_q);
    fill(w->nv, v, w->block_v);
    const tq_status status = tq_audit_energy(w->plant, 1, TQ_CONTACT_LANE, w->block_q, w->block_v,
                                             w->scratch, both, w->error);
    *ret = both[0] + both[TQ_CONTACT_LANE];
    *ret_size = both[0] + fabs(both[TQ_CONTACT_LANE]);
    return status;
}

/* J: vm . (M (v' - v) + h bias) at the middle, the energy that forces have given, and those of the
 * correction */
static tq_status given(tq_contact_work *w, double h, double *ret)
{
    const unsigned others = TQ_WITHOUT_FRICTION | TQ_WITHOUT_DRAG | TQ_WITHOUT_EXTERNAL;
    for (size_t k = 0; k < w->nv; k++) {
        w->direction[k] = (w->next_v[k] - w->v[k]) / h;
        w->mean[k] = 0.5 * (w->v[k] + w->next_v[k]);
    }
    fill(w->nq, w->middle, w->block_q);
    fill(w->nv, w->mean, w->block_v);
    fill(w->nv, w->direction, w->qdd);
    const tq_inverse_input in = {.n_sample = 1,
                                 .stride = TQ_CONTACT_LANE,
                                 .q = w->block_q,
                                 .qd = w->block_v,
                                 .qdd = w->qdd,
                                 .gravity = w->plant->gravity,
                                 .without = w->plant->without | others};
    const tq_status status =
        tq_inverse_dynamics(w->plant->mechanism, &in, w->scratch, w->tau, w->error);
    double power = 0.0;
    for (size_t k = 0; status == TQ_OK && k < w->nv; k++) {
        power += w->tau[k * TQ_CONTACT_LANE] * w->mean[k];
    }
    *ret = h * power;
    return status;
}

/* ret (nv) = M x by M = L^T D L */
static void momentum(const tq_contact_work *w, const double *x, double *ret)
{
    const size_t nv = w->nv;
    memset(ret, 0, nv * sizeof *ret);
    for (size_t k = 0; k < nv; k++) {
        const double *l = w->m + k * nv;
        double sum = x[k];
        for (size_t i = 0; i < k; i++) {
            sum += l[i] * x[i];
        }
        sum *= l[k];
        ret[k] += sum;
        for (size_t i = 0; i < k; i++) {
            ret[i] += l[i] * sum;
        }
    }
}

/* The motion of the free base whose rows begin at `first` that has momentum -p of the tree. */
static tq_status lock(const tq_contact_work *w, size_t first, const double *p, double *ret)
{
    const size_t nv = w->nv;
    double m[BASE * BASE] = {0.0};
    for (size_t k = first; k < nv; k++) {
        const double *l = w->m + k * nv;
        for (size_t a = 0; a < BASE && first + a <= k; a++) {
            const double x = (first + a < k ? l[first + a] : 1.0) * l[k];
            for (size_t b = 0; b <= a; b++) {
                m[b * BASE + a] += x * (first + b < k ? l[first + b] : 1.0);
            }
        }
    }
    for (size_t a = 0; a < BASE; a++) {
        ret[a] = -p[first + a];
    }
    tq_status status = tq_cholesky_factor(BASE, m, BASE, w->error);
    return status == TQ_OK ? tq_cholesky_solve(BASE, 1, m, BASE, ret, BASE, w->error) : status;
}

/* w->direction: joints move as they do in the mean, free bases so that they keep their momentum.
 * *ret_weight: J, the work of impulses that cause it */
static tq_status turn_to_joints(tq_contact_work *w, double *ret_weight)
{
    tq_status status = TQ_OK;
    memset(w->direction, 0, w->nv * sizeof *w->direction);
    for (uint32_t j = 0; j < w->model->n_joint; j++) {
        const size_t first = w->model->joints[j].v_index;
        memcpy(w->direction + first, w->mean + first, rows_of(w->model, j) * sizeof *w->mean);
    }
    momentum(w, w->direction, w->change);
    for (uint32_t j = 0; j < w->model->n_joint && status == TQ_OK; j++) {
        const tq_joint *joint = &w->model->joints[j];
        if (joint->kind == TQ_JOINT_FLOATING && rows_of(w->model, j) == 0) {
            status = lock(w, joint->v_index, w->change, w->direction + joint->v_index);
        }
    }
    momentum(w, w->direction, w->change);
    *ret_weight = 0.0;
    for (size_t k = 0; k < w->nv; k++) {
        *ret_weight += w->change[k] * w->mean[k];
    }
    return status;
}

tq_status tq_contact_balance(tq_contact_work *w, double h)
{
    double end = 0.0;
    double forces = 0.0;
    double size = 0.0;
    double weight = 0.0;
    tq_status status = TQ_OK;
    if (!w->is_balanced) {
        status = energy_at(w, w->q, w->v, &w->energy, &w->energy_size);
        if (status == TQ_OK && w->n_listed == 0) {
            status = tq_contact_mass(w, w->middle);
        }
    }
    if (status == TQ_OK) {
        status = energy_at(w, w->next_q, w->next_v, &end, &size);
    }
    if (status == TQ_OK) {
        status = given(w, h, &forces);
    }
    if (status == TQ_OK) {
        status = turn_to_joints(w, &weight);
    }
    if (status != TQ_OK) {
        return status;
    }
    const double lacking = forces - (end - w->energy);
    const double least = rounding * (size + w->energy_size);
    const bool is_known =
        fabs(lacking - w->lacking) <= exact * fabs(lacking) + least && w->is_balanced;
    w->balance_left = is_known ? 0 : w->balance_left - 1;
    w->lacking = lacking;
    w->is_balanced = true;
    w->part = weight > 0.0 && fabs(lacking) > least ? lacking / weight : 0.0;
    w->part = fmin(fmax(w->part, -gentle), gentle);
    for (size_t k = 0; k < w->nv; k++) {
        w->correction[k] = w->part * w->direction[k];
    }
    return TQ_OK;
}
