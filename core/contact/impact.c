/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/impact.c - impulses at points of contact, and the energy that they dissipate. */
#include <math.h>
#include <string.h>

#include "core/contact/laws.h"
#include "core/contact/step_private.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"

enum { BISECTIONS = 40 };

tq_status tq_contact_mass(tq_contact_work *w, const double *q)
{
    const tq_status status =
        tq_mass_matrix_flat(w->plant->mechanism, q, w->plant->without, w->scratch, w->m, w->error);
    if (status != TQ_OK) {
        return status;
    }
    const size_t row = tq_mass_matrix_factor(w->nv, w->m);
    return row == w->nv ? TQ_OK : tq_fail(w->error, TQ_ERR_SINGULAR, "mass_matrix", 0, (double)row);
}

tq_status tq_contact_at(tq_contact_work *w, const double *q, int with_rows)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_configuration at;
    const tq_status status = tq_configuration_compute(w->model, q, NULL, w->scratch, &at, w->error);
    if (status == TQ_OK) {
        tq_contact_find(w->contacts, &at, w->now.points);
        for (size_t k = 0; with_rows && k < w->n_listed; k++) {
            const tq_contact_point *point = &w->now.points[w->listed[k]];
            double *rows = w->now.rows + 3 * k * w->nv;
            if (point->gap <= TQ_CONTACT_CLOSED_GAP) {
                tq_contact_rows(w->contacts, &at, point, w->jacobian, rows);
            } else {
                memset(rows, 0, 3 * w->nv * sizeof *rows);
            }
        }
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

tq_status tq_contact_at_listed(tq_contact_work *w, const double *q, tq_contact_rows_at *to)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_configuration at;
    const tq_status status = tq_configuration_compute(w->model, q, NULL, w->scratch, &at, w->error);
    for (size_t k = 0; status == TQ_OK && k < w->n_listed; k++) {
        tq_contact_point *point = &to->points[w->listed[k]];
        tq_contact_follow(w->contacts, &at, &w->now.points[w->listed[k]], point);
        tq_contact_rows(w->contacts, &at, point, w->jacobian, to->rows + 3 * k * w->nv);
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

void tq_contact_list(tq_contact_work *w, const unsigned char *flags)
{
    w->n_listed = 0;
    for (uint32_t i = 0; i < w->n_point; i++) {
        if (flags[i] != 0) {
            w->mu[w->n_listed] = w->contacts->pairs[w->now.points[i].pair].friction;
            w->listed[w->n_listed++] = i;
        }
    }
}

void tq_contact_delassus(tq_contact_work *w, const tq_contact_rows_at *at)
{
    const size_t n = 3 * w->n_listed;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < w->nv; c++) {
            w->x[c * n + r] = at->rows[r * w->nv + c];
        }
    }
    tq_mass_matrix_solve(w->nv, w->m, n, w->x);
    for (size_t r = 0; r < n; r++) {
        for (size_t c = r; c < n; c++) {
            double sum = 0.0;
            for (size_t k = 0; k < w->nv; k++) {
                sum += at->rows[r * w->nv + k] * w->x[k * n + c];
            }
            w->w[r * n + c] = w->w[c * n + r] = sum;
        }
    }
}

void tq_contact_velocity(const tq_contact_work *w, const tq_contact_rows_at *at, const double *v,
                         double *ret)
{
    for (size_t r = 0; r < 3 * w->n_listed; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < w->nv; c++) {
            sum += at->rows[r * w->nv + c] * v[c];
        }
        ret[r] = sum;
    }
}

double tq_contact_solve(tq_contact_work *w)
{
    const tq_contact_problem of = {
        .n = w->n_listed, .w = w->w, .b = w->b, .mu = w->mu, .start = w->start};
    return tq_contact_laws(&of, w->room, w->p);
}

void tq_contact_push(const tq_contact_work *w, double *v)
{
    const size_t n = 3 * w->n_listed;
    for (size_t c = 0; c < w->nv; c++) {
        for (size_t r = 0; r < n; r++) {
            v[c] += w->x[c * n + r] * w->p[r];
        }
    }
}

void tq_contact_account(tq_contact_work *w, size_t sum, const double *mean)
{
    double loss = 0.0;
    for (size_t r = 0; r < 3 * w->n_listed; r++) {
        loss -= w->p[r] * mean[r];
    }
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

/* Solves for the impulses at relative velocities u, with the fraction `part` of each coefficient of
 * restitution. b: mean of the relative velocities before and after. Returns the energy dissipated,
 * J. */
static double strike(tq_contact_work *w, double part, double *ret_violation)
{
    const size_t n = 3 * w->n_listed;
    for (size_t r = 0; r < n; r++) {
        const tq_contact_point *point = &w->now.points[w->listed[r / 3]];
        const double e = w->contacts->pairs[point->pair].restitution;
        const bool bounces = r % 3 == 0 && w->u[r] < -TQ_CONTACT_REST_SPEED;
        w->b[r] = w->u[r] + (bounces ? part * e * w->u[r] : 0.0);
        w->start[r] = w->p[r] = 0.0;
    }
    *ret_violation = tq_contact_solve(w);
    double loss = 0.0;
    for (size_t r = 0; r < n; r++) {
        double after = w->u[r];
        for (size_t c = 0; c < n; c++) {
            after += w->w[r * n + c] * w->p[c];
        }
        loss -= 0.5 * w->p[r] * (w->u[r] + after);
        w->b[r] = 0.5 * (w->u[r] + after);
    }
    return loss;
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
    tq_contact_list(w, w->is_closed);
    tq_status status = tq_contact_mass(w, w->q);
    if (status == TQ_OK) {
        status = tq_contact_at(w, w->q, 1);
    }
    if (status != TQ_OK) {
        return status;
    }
    double violation = 0.0;
    tq_contact_delassus(w, &w->now);
    tq_contact_velocity(w, &w->now, w->v, w->u);
    if (strike(w, 1.0, &violation) < 0.0) {
        double low = 0.0;
        double high = 1.0;
        for (unsigned k = 0; k < BISECTIONS; k++) {
            const double part = 0.5 * (low + high);
            *(strike(w, part, &violation) < 0.0 ? &high : &low) = part;
        }
        (void)strike(w, low, &violation);
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
