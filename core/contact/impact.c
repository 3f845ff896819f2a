/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/impact.c - impulses at points of contact, and the energy that they dissipate. */
#include <math.h>
#include <string.h>

#include "core/contact/step_private.h"

enum { BISECTIONS = 40 };

void tq_contact_lose(tq_contact_work *w, size_t sum, double loss)
{
    *tq_contact_sum_z(w, sum) += loss;
    size_t z = 0;
    for (size_t k = 0; k < w->plant->n_effect; k++) {
        const tq_effect *effect = &w->plant->effects[k];
        if (effect->impact != NULL) {
            effect->impact(effect->ctx, TQ_CONTACT_LANE, loss, w->z + z * TQ_CONTACT_LANE);
        }
        z += effect->n_z;
    }
}

void tq_contact_account(tq_contact_work *w, size_t sum, const double *mean)
{
    double loss = 0.0;
    for (size_t r = 0; r < 3 * w->n_listed; r++) {
        loss -= w->p[r] * mean[r];
    }
    tq_contact_lose(w, sum, loss);
}

/* Solves for the impulses of w->own at relative velocities u, with the fraction `part` of each
 * coefficient of restitution. Of its points p; b: mean of the relative velocities before and after.
 * Returns the energy dissipated, J. */
static double strike(tq_contact_work *w, double part, double *ret_violation)
{
    const tq_contact_island *own = &w->own;
    const size_t n = 3 * own->n;
    for (size_t r = 0; r < n; r++) {
        const size_t k = own->member[r / 3];
        const double u = w->u[3 * k + r % 3];
        const double e = w->contacts->pairs[w->now.points[w->listed[k]].pair].restitution;
        const bool bounces = r % 3 == 0 && u < -TQ_CONTACT_REST_SPEED;
        own->b[r] = u + (bounces ? part * e * u : 0.0);
        own->start[r] = own->p[r] = 0.0;
        own->mu[r / 3] = w->mu[k];
    }
    *ret_violation = tq_contact_solve_island(w);
    double loss = 0.0;
    for (size_t r = 0; r < n; r++) {
        const size_t to = 3 * own->member[r / 3] + r % 3;
        double after = w->u[to];
        for (size_t c = 0; c < n; c++) {
            after += own->w[r * n + c] * own->p[c];
        }
        loss -= 0.5 * own->p[r] * (w->u[to] + after);
        w->b[to] = 0.5 * (w->u[to] + after);
        w->p[to] = own->p[r];
    }
    return loss;
}

/* Strikes island k, with less restitution where it would gain energy. Returns the violation. */
static double strike_island(tq_contact_work *w, size_t k)
{
    double violation = 0.0;
    tq_contact_open_island(w, &w->now, k);
    if (strike(w, 1.0, &violation) < 0.0) {
        double low = 0.0;
        double high = 1.0;
        for (unsigned i = 0; i < BISECTIONS; i++) {
            const double part = 0.5 * (low + high);
            *(strike(w, part, &violation) < 0.0 ? &high : &low) = part;
        }
        (void)strike(w, low, &violation);
    }
    return violation;
}

static void note_hit(tq_contact_work *w, size_t k)
{
    const tq_contact_point *point = &w->now.points[w->listed[k]];
    double force[3];
    tq_contact_to_world(point, w->p + 3 * k, force);
    for (size_t i = 0; i < 3; i++) {
        *tq_contact_pair_z(w, point->pair, TQ_CONTACT_IMPULSE + i) += force[i];
    }
    if (!(w->u[3 * k] < -TQ_CONTACT_REST_SPEED)) {
        return;
    }
    double *touches = tq_contact_pair_z(w, point->pair, TQ_CONTACT_TOUCHES);
    double *approach = tq_contact_pair_z(w, point->pair, TQ_CONTACT_APPROACH);
    double *since = tq_contact_pair_z(w, point->pair, TQ_CONTACT_SINCE);
    /* another corner of this pair has counted the impact */

    if (w->has_hit[point->pair] != 0 && *since == w->t) {
        *approach = fmax(*approach, -w->u[3 * k]);
        return;
    }
    *touches += 1.0;
    *approach = -w->u[3 * k];
    *since = w->t;
    *tq_contact_pair_z(w, point->pair, TQ_CONTACT_CLOSED) = 1.0;
    w->has_hit[point->pair] = 1;
}

tq_status tq_contact_impact(tq_contact_work *w)
{
    tq_status status = tq_contact_mass(w, w->q);
    if (status == TQ_OK) {
        status = tq_contact_at_closed(w, w->q);
    }
    if (status != TQ_OK) {
        return status;
    }
    double violation = 0.0;
    tq_contact_couple(w, &w->now);
    tq_contact_velocity(w, &w->now, w->v, w->u);
    for (size_t k = 0; k < w->n_island; k++) {
        violation = fmax(violation, strike_island(w, k));
    }
    tq_contact_push(w, w->v);
    tq_contact_account(w, TQ_CONTACT_IMPACT_LOSS, w->b);
    double *worst = tq_contact_sum_z(w, TQ_CONTACT_RESIDUAL);
    *worst = fmax(*worst, violation);
    bool bounces = false;
    for (size_t k = 0; k < w->n_listed; k++) {
        bounces |= w->u[3 * k] < -TQ_CONTACT_REST_SPEED;
        note_hit(w, k);
    }
    *tq_contact_sum_z(w, TQ_CONTACT_IMPACTS) += bounces ? 1.0 : 0.0;
    return TQ_OK;
}
