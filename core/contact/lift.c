/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/lift.c - solids that have sunk into each other are lifted, with energy that contacts
 * have dissipated. */
#include <math.h>
#include <string.h>

#include "core/contact/step_private.h"
#include "core/plant/audit.h"
#include "core/plant/state.h"

static const double sunk = 1e-10; /* m: deeper points are lifted */
static const double laid = 1e-5;  /* m: deeper ones before a step were laid there */

/* kinetic and potential energy at q (nq) and v, J */
static tq_status energy_at(tq_contact_work *w, const double *q, double *ret)
{
    double both[2 * TQ_CONTACT_LANE];
    for (size_t k = 0; k < w->nq * TQ_CONTACT_LANE; k++) {
        w->block_q[k] = q[k / TQ_CONTACT_LANE];
    }
    for (size_t k = 0; k < w->nv * TQ_CONTACT_LANE; k++) {
        w->block_v[k] = w->v[k / TQ_CONTACT_LANE];
    }
    tq_state_normalise(w->model, 1, TQ_CONTACT_LANE, w->block_q);
    const tq_status status = tq_audit_energy(w->plant, 1, TQ_CONTACT_LANE, w->block_q, w->block_v,
                                             w->scratch, both, w->error);
    *ret = both[0] + both[TQ_CONTACT_LANE];
    return status;
}

/* q = next_q, or a part of the way to it: it costs no more than contacts have dissipated. What was
 * laid into another solid goes all the way. */
static tq_status rise(tq_contact_work *w, bool pays, double spent)
{
    double before = 0.0;
    double after = 0.0;
    tq_status status = energy_at(w, w->q, &before);
    if (status == TQ_OK) {
        status = energy_at(w, w->next_q, &after);
    }
    const double cost = after - before;
    const double part = pays && cost > fmax(spent, 0.0) ? fmax(spent, 0.0) / cost : 1.0;
    for (size_t k = 0; k < w->nq; k++) {
        w->q[k] += part * (w->next_q[k] - w->q[k]);
    }
    if (pays) {
        tq_contact_lose(w, TQ_CONTACT_FRICTION_LOSS, -part * cost);
    }
    return status;
}

double tq_contact_deepest(const tq_contact_work *w)
{
    double deepest = 0.0;
    for (size_t i = 0; i < w->n_point; i++) {
        deepest = fmin(deepest, w->now.points[i].gap);
    }
    return -deepest;
}

tq_status tq_contact_lift(tq_contact_work *w, double before, double spent)
{
    if (tq_contact_deepest(w) < sunk) {
        return TQ_OK;
    }
    tq_status status = tq_contact_mass(w, w->q);
    if (status == TQ_OK) {
        status = tq_contact_at_closed(w, w->q);
    }
    if (status != TQ_OK) {
        return status;
    }
    tq_contact_couple(w, &w->now);
    memset(w->mu, 0, w->n_listed * sizeof *w->mu);
    for (size_t r = 0; r < 3 * w->n_listed; r++) {
        w->b[r] = r % 3 == 0 ? w->now.points[w->listed[r / 3]].gap : 0.0;
        w->start[r] = w->p[r] = 0.0;
    }
    (void)tq_contact_solve(w, &w->now);
    memset(w->change, 0, w->nv * sizeof *w->change);
    tq_contact_push(w, w->change);
    for (size_t k = 0; k < w->nq; k++) {
        w->block_q[k * TQ_CONTACT_LANE] = w->q[k];
    }
    for (size_t k = 0; k < w->nv; k++) {
        w->block_v[k * TQ_CONTACT_LANE] = w->change[k];
    }
    tq_state_rate(w->model, 1, TQ_CONTACT_LANE, w->block_q, w->block_v, w->rate_q);
    for (size_t k = 0; k < w->nq; k++) {
        w->next_q[k] = w->q[k] + w->rate_q[k * TQ_CONTACT_LANE];
    }
    status = rise(w, before < laid, spent);
    return status == TQ_OK ? tq_contact_at(w, w->q) : status;
}
