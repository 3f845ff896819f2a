/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/compliant.c - forces of contacts that give way, out of depth and velocity. */
#include "core/contact/compliant.h"

#include <math.h>
#include <string.h>

#include "core/contact/points.h"
#include "core/elementary/elementary.h"

/* What the contacts of one state add up to. Rows of a pair or wrench are `stride` apart. */
typedef struct sums {
    size_t stride;
    double *wrench;      /* (6 n_link) of the links; NULL: not required */
    double *force;       /* (3 n_pair) */
    double stored;       /* J */
    double damped, slid; /* W */
} sums;

/* One sample's working memory. */
typedef struct room {
    double *q, *qd;           /* (nq), (nv) */
    tq_contact_point *points; /* of one pair */
} room;

size_t tq_compliant_scratch_size(const tq_model *model)
{
    return tq_configuration_scratch_size(model) + tq_scratch_cost(model->nq + 1, sizeof(double)) +
           tq_scratch_cost(model->nv + 1, sizeof(double)) +
           tq_scratch_cost(TQ_CONTACT_PAIR_POINTS, sizeof(tq_contact_point));
}

static bool take(const tq_model *model, tq_scratch *scratch, room *ret)
{
    ret->q = tq_scratch_take(scratch, model->nq + 1, sizeof(double));
    ret->qd = tq_scratch_take(scratch, model->nv + 1, sizeof(double));
    ret->points = tq_scratch_take(scratch, TQ_CONTACT_PAIR_POINTS, sizeof *ret->points);
    return ret->points != NULL && ret->qd != NULL && ret->q != NULL;
}

static double power_of(double x, double exponent)
{
    return exponent == 1.0 ? x : exponent == 1.5 ? x * sqrt(x) : tq_pow(x, exponent);
}

/* Normal force and two tangents at depth x > 0, where b moves against a by u (normal, two
 * tangents); adds energy and losses. */
static void press(const tq_compliance *law, double friction, double x, const double u[3],
                  double ret_force[3], sums *to)
{
    const double elastic = law->stiffness * power_of(x, law->exponent);
    const double rate = -u[0];
    const double normal = elastic * fmax(0.0, 1.0 + law->dissipation * rate);
    const double speed = sqrt(u[1] * u[1] + u[2] * u[2] + law->slip_speed * law->slip_speed);
    ret_force[0] = normal;
    ret_force[1] = -friction * normal * (u[1] / speed);
    ret_force[2] = -friction * normal * (u[2] / speed);
    to->stored += elastic * x / (law->exponent + 1.0);
    to->damped += (normal - elastic) * rate;
    to->slid -= ret_force[1] * u[1] + ret_force[2] * u[2];
}

/* v += sign * the velocity of the link's point at p */
static void add_velocity(const tq_configuration *at, uint32_t link, const double p[3], double sign,
                         double v[3])
{
    double turn[3];
    if (link == TQ_NONE) {
        return;
    }
    const double *twist = at->twist + 6 * (size_t)link;
    tq_vec_cross(twist + 3, p, turn);
    for (int k = 0; k < 3; k++) {
        v[k] += sign * (twist[k] + turn[k]);
    }
}

/* sign * force at p on the link, about its origin */
static void add_wrench(const tq_compliant_contacts *c, const tq_configuration *at, uint32_t link,
                       const double p[3], double sign, const double force[3], const sums *to)
{
    size_t slot = 0;
    while (slot < c->n_link && c->links[slot] != link) {
        slot++;
    }
    if (to->wrench == NULL || slot == c->n_link) {
        return;
    }
    double lever[3], moment[3];
    for (int k = 0; k < 3; k++) {
        lever[k] = p[k] - at->pose[link].p[k];
    }
    tq_vec_cross(lever, force, moment);
    for (size_t k = 0; k < 3; k++) {
        to->wrench[(6 * slot + k) * to->stride] += sign * force[k];
        to->wrench[(6 * slot + 3 + k) * to->stride] += sign * moment[k];
    }
}

/* One point that touches. */
static void add_point(const tq_compliant_contacts *c, const tq_configuration *at,
                      const tq_contact_point *point, sums *to)
{
    const tq_contact_pair *pair = &c->contacts->pairs[point->pair];
    const uint32_t a = c->contacts->geoms[pair->a].link, b = c->contacts->geoms[pair->b].link;
    double v[3] = {0.0}, u[3] = {0.0}, local[3], force[3];
    add_velocity(at, b, point->at, 1.0, v);
    add_velocity(at, a, point->at, -1.0, v);
    for (size_t i = 0; i < 3; i++) {
        u[0] += point->frame[3 * i + 2] * v[i];
        u[1] += point->frame[3 * i] * v[i];
        u[2] += point->frame[3 * i + 1] * v[i];
    }
    tq_compliance law = c->laws[point->pair];
    law.stiffness *= point->touch.weight;
    press(&law, pair->friction, -point->gap, u, local, to);
    tq_contact_to_world(point, local, force);
    add_wrench(c, at, b, point->at, 1.0, force, to);
    add_wrench(c, at, a, point->at, -1.0, force, to);
    for (size_t k = 0; k < 3; k++) {
        to->force[(3 * point->pair + k) * to->stride] += force[k];
    }
}

/* All points at the state r->q, r->qd. */
static tq_status add_all(const tq_compliant_contacts *c, const room *r, tq_scratch *scratch,
                         sums *to, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_configuration at;
    const tq_status status = tq_configuration_compute(c->model, r->q, r->qd, scratch, &at, reterr);
    for (size_t pair = 0; status == TQ_OK && pair < c->contacts->n_pair; pair++) {
        const unsigned n = tq_contact_find_pair(c->contacts, &at, pair, false, r->points);
        for (unsigned k = 0; k < n; k++) {
            if (r->points[k].gap < 0.0) {
                add_point(c, &at, &r->points[k], to);
            }
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

static tq_status short_of(const tq_compliant_contacts *c, tq_scratch *scratch, size_t mark,
                          tq_error *reterr)
{
    tq_scratch_rewind(scratch, mark);
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                   (double)tq_compliant_scratch_size(c->model));
}

static void gather(const double *rows, size_t n, size_t stride, double *ret)
{
    for (size_t k = 0; k < n; k++) {
        ret[k] = rows[k * stride];
    }
}

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    const tq_compliant_contacts *c = ctx;
    const size_t mark = tq_scratch_mark(scratch);
    const size_t n_impulse = 3 * c->contacts->n_pair, stride = at->stride;
    room r;
    if (!take(c->model, scratch, &r)) {
        return short_of(c, scratch, mark, reterr);
    }
    tq_status status = TQ_OK;
    for (size_t i = 0; status == TQ_OK && i < at->n_sample; i++) {
        double *impulse = to->zd + TQ_COMPLIANT_SUMS * stride + i;
        sums sum = {.stride = stride,
                    .wrench = to->wrench + 6 * c->first_wrench * stride + i,
                    .force = impulse};
        for (size_t k = 0; k < n_impulse; k++) {
            impulse[k * stride] = 0.0;
        }
        gather(at->q + i, c->model->nq, stride, r.q);
        gather(at->qd + i, c->model->nv, stride, r.qd);
        status = add_all(c, &r, scratch, &sum, reterr);
        to->zd[TQ_COMPLIANT_DAMPED * stride + i] = sum.damped;
        to->zd[TQ_COMPLIANT_SLID * stride + i] = sum.slid;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_effect tq_compliant_effect(tq_compliant_contacts *compliant)
{
    return (tq_effect){.ctx = compliant,
                       .n_z = TQ_COMPLIANT_SUMS + 3 * compliant->contacts->n_pair,
                       .scratch_size = tq_compliant_scratch_size(compliant->model),
                       .act = act,
                       .timeless = 1};
}

size_t tq_compliant_z(const tq_plant *plant)
{
    size_t z = 0;
    for (size_t k = 0; k < plant->n_effect && plant->effects[k].act != act; k++) {
        z += plant->effects[k].n_z;
    }
    return z;
}

tq_status tq_compliant_at(const tq_compliant_contacts *compliant, const double *q, const double *qd,
                          tq_scratch *scratch, double *ret_force, double *ret_stored,
                          tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    sums sum = {.stride = 1, .force = ret_force};
    room r;
    if (!take(compliant->model, scratch, &r)) {
        return short_of(compliant, scratch, mark, reterr);
    }
    memcpy(r.q, q, compliant->model->nq * sizeof *q);
    memcpy(r.qd, qd, compliant->model->nv * sizeof *qd);
    memset(ret_force, 0, 3 * compliant->contacts->n_pair * sizeof *ret_force);
    const tq_status status = add_all(compliant, &r, scratch, &sum, reterr);
    *ret_stored = sum.stored;
    tq_scratch_rewind(scratch, mark);
    return status;
}
