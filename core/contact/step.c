/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/step.c - one step of a plant with contacts, cut at its impacts. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/contact/laws.h"
#include "core/contact/step_private.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/plant/state.h"

enum { CUTS = 64, STRIKES = 16, HALVINGS = 30, SEARCH = 80, SHORTER = 6 };
static const double touching = 1e-12; /* m: accuracy of a located impact */
static const double stopped = 1e-9;   /* m/s: slower approaches of closed points are rounding */

static size_t work_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nq = model->nq, nv = model->nv, lane = TQ_CONTACT_LANE;
    const size_t n_z = tq_plant_n_z(plant), room = tq_contact_room(plant->contacts);
    const size_t n = tq_contact_room_active(plant->contacts);
    return 4 * tq_scratch_cost(nq, sizeof(double)) + 7 * tq_scratch_cost(nv, sizeof(double)) +
           2 * tq_scratch_cost(n_z * lane, sizeof(double)) +
           2 * tq_scratch_cost(nq * lane, sizeof(double)) +
           4 * tq_scratch_cost(nv * lane, sizeof(double)) +
           tq_scratch_cost(nv * nv, sizeof(double)) +
           3 * (tq_scratch_cost(room, sizeof(tq_contact_point)) +
                tq_scratch_cost(3 * n * nv, sizeof(double))) +
           2 * tq_scratch_cost(room, 1) + 3 * tq_scratch_cost(n, sizeof(uint32_t)) +
           2 * tq_scratch_cost(nv, sizeof(uint32_t)) +
           2 * tq_scratch_cost(3 * n * nv, sizeof(double)) +
           tq_scratch_cost(9 * n * n, sizeof(double)) + 7 * tq_scratch_cost(3 * n, sizeof(double)) +
           tq_scratch_cost(3 * room, sizeof(double)) +
           tq_scratch_cost(tq_contact_laws_work(n), sizeof(double)) +
           5 * tq_scratch_cost(n, sizeof(double)) + tq_scratch_cost(2 * n, sizeof(double)) +
           tq_scratch_cost(n, 1) + tq_scratch_cost(12 * nv, sizeof(double)) +
           tq_scratch_cost(3 * plant->contacts->n_pair, sizeof(double)) +
           tq_scratch_cost(plant->contacts->n_pair, 1);
}

size_t tq_contact_step_scratch_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t sizes[] = {
        tq_plant_scratch_size(plant, TQ_CONTACT_LANE),
        tq_mass_matrix_flat_scratch_size(plant->mechanism), tq_configuration_scratch_size(model),
        tq_energy_scratch_size(plant->mechanism), tq_inverse_scratch_size(plant->mechanism, 0)};
    size_t most = 0;
    for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        most = sizes[k] > most ? sizes[k] : most;
    }
    return work_size(plant) + most;
}

static int take_rows(const tq_contact_work *w, tq_scratch *scratch, tq_contact_rows_at *ret)
{
    ret->points = tq_scratch_take(scratch, w->room, sizeof *ret->points);
    ret->rows = tq_scratch_take(scratch, 3 * w->room_active * w->nv, sizeof(double));
    return ret->points != NULL && ret->rows != NULL;
}

static int take(tq_contact_work *w, tq_scratch *scratch)
{
    const size_t n = w->room_active, lane = TQ_CONTACT_LANE;
    const struct {
        double **to;
        size_t n;
    } arrays[] = {{&w->q, w->nq},
                  {&w->next_q, w->nq},
                  {&w->middle, w->nq},
                  {&w->turned, w->nq},
                  {&w->v, w->nv},
                  {&w->next_v, w->nv},
                  {&w->change, w->nv},
                  {&w->mean, w->nv},
                  {&w->tilted, w->nv},
                  {&w->direction, w->nv},
                  {&w->correction, w->nv},
                  {&w->qdd, w->nv * lane},
                  {&w->tau, w->nv * lane},
                  {&w->z, w->n_z * lane},
                  {&w->zd, w->n_z * lane},
                  {&w->block_q, w->nq * lane},
                  {&w->rate_q, w->nq * lane},
                  {&w->block_v, w->nv * lane},
                  {&w->rate_v, w->nv * lane},
                  {&w->m, w->nv * w->nv},
                  {&w->x, 3 * n * w->nv},
                  {&w->own.w, 9 * n * n},
                  {&w->own.g, 3 * n * w->nv},
                  {&w->own.b, 3 * n},
                  {&w->own.p, 3 * n},
                  {&w->own.start, 3 * n},
                  {&w->own.mu, n},
                  {&w->b, 3 * n},
                  {&w->u, 3 * n},
                  {&w->p, 3 * n},
                  {&w->start, 3 * n},
                  {&w->begin, 3 * w->room},
                  {&w->missed, n},
                  {&w->bend, n},
                  {&w->push, n},
                  {&w->tilt, 2 * n},
                  {&w->newton, tq_contact_laws_work(n)},
                  {&w->mu, n},
                  {&w->jacobian, 12 * w->nv},
                  {&w->force, 3 * w->contacts->n_pair}};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k].to = tq_scratch_take(scratch, arrays[k].n, sizeof(double));
        if (*arrays[k].to == NULL) {
            return 0;
        }
    }
    w->is_closed = tq_scratch_take(scratch, w->room, 1);
    w->is_watched = tq_scratch_take(scratch, w->room, 1);
    w->is_mean = tq_scratch_take(scratch, n, 1);
    w->listed = tq_scratch_take(scratch, n, sizeof *w->listed);
    w->island = tq_scratch_take(scratch, n, sizeof *w->island);
    w->own.member = tq_scratch_take(scratch, n, sizeof *w->own.member);
    w->tied = tq_scratch_take(scratch, w->nv, sizeof *w->tied);
    w->of_coordinate = tq_scratch_take(scratch, w->nv, sizeof *w->of_coordinate);
    w->has_hit = tq_scratch_take(scratch, w->contacts->n_pair, 1);
    return w->is_closed != NULL && w->is_watched != NULL && w->is_mean != NULL &&
           w->listed != NULL && w->island != NULL && w->own.member != NULL && w->tied != NULL &&
           w->of_coordinate != NULL && w->has_hit != NULL && take_rows(w, scratch, &w->now) &&
           take_rows(w, scratch, &w->mid) && take_rows(w, scratch, &w->end);
}

static void open_work(tq_contact_work *w, const tq_trajectories *state)
{
    for (size_t k = 0; k < w->nq; k++) {
        w->q[k] = state->q[k * TQ_CONTACT_LANE];
    }
    for (size_t k = 0; k < w->nv; k++) {
        w->v[k] = state->qd[k * TQ_CONTACT_LANE];
    }
    memcpy(w->z, state->z, w->n_z * TQ_CONTACT_LANE * sizeof *w->z);
    memset(w->force, 0, 3 * w->contacts->n_pair * sizeof *w->force);
    memset(w->has_hit, 0, w->contacts->n_pair);
    w->held = state->held;
}

/* ------------------------------------------------------------------------------------------------
 * Which points act
 */

/* relative velocities of closed points into `begin`, of others 0; *ret_hits: some closed point
 * approaches */
static tq_status find_closed_points(tq_contact_work *w, int *ret_hits)
{
    const tq_status status = tq_contact_at_closed(w, w->q);
    if (status != TQ_OK) {
        return status;
    }
    tq_contact_velocity(w, &w->now, w->v, w->u);
    memset(w->begin, 0, 3 * w->n_point * sizeof *w->begin);
    *ret_hits = 0;
    for (size_t k = 0; k < w->n_listed; k++) {
        memcpy(w->begin + 3 * w->listed[k], w->u + 3 * k, 3 * sizeof *w->u);
        *ret_hits |= w->u[3 * k] < -stopped;
    }
    return TQ_OK;
}

/* separating points are monitored like open ones: they may close again within the step */
static tq_status part_points(tq_contact_work *w)
{
    for (size_t i = 0; i < w->n_point; i++) {
        w->is_watched[i] = !w->is_closed[i] || w->begin[3 * i] > TQ_CONTACT_REST_SPEED;
        w->is_closed[i] = !w->is_watched[i];
    }
    return tq_contact_list(w, w->is_closed);
}

static tq_status try_time(tq_contact_work *w, double h, double *ret_gap)
{
    const tq_status status = tq_contact_trial(w, h);
    return status == TQ_OK ? tq_contact_watch(w, ret_gap) : status;
}

/* ------------------------------------------------------------------------------------------------
 * Time of an impact
 */

/* Of length *h, or of a half, quarter, ... of it where the trial does not converge: points that
 * begin to slide or stick alternate between both. */
static tq_status try_shorter(tq_contact_work *w, double *h, double *ret_gap)
{
    tq_status status = try_time(w, *h, ret_gap);
    for (unsigned k = 0; status == TQ_ERR_NO_CONVERGENCE && k < SHORTER; k++) {
        *h *= 0.5;
        status = try_time(w, *h, ret_gap);
    }
    return status;
}

/* The trial ends where the least gap of the watched points is 0, somewhere in (0, h), where it is
 * `gap` < 0: regula falsi (Illinois) with bisections. *ret_h 0: it is never positive. */
static tq_status locate(tq_contact_work *w, double h, double gap, double *ret_h)
{
    double low = 0.0;
    double high = h;
    double g_low = 0.0;
    double g_high = gap;
    *ret_h = 0.0;
    const tq_status begin = tq_contact_watched_gap(w, &g_low);
    if (begin != TQ_OK) {
        return begin;
    }
    for (unsigned k = 0; g_low <= TQ_CONTACT_CLOSED_GAP && k < HALVINGS; k++) {
        low = 0.5 * high;
        double g = 0.0;
        const tq_status status = try_time(w, low, &g);
        if (status != TQ_OK) {
            return status;
        }
        if (g > 0.0) {
            g_low = g;
            break;
        }
        high = low;
        g_high = g;
    }
    if (!(g_low > 0.0) || !(g_high < 0.0)) {
        return TQ_OK;
    }
    g_low = low > 0.0 ? g_low : fmin(g_low, TQ_CONTACT_UNSEEN);
    int side = 0;
    for (unsigned k = 0; k < SEARCH && high > low; k++) {
        double at =
            k % 8 == 7 ? 0.5 * (low + high) : (low * g_high - high * g_low) / (g_high - g_low);
        at = fmin(fmax(at, low), high);
        double g = 0.0;
        const tq_status status = try_time(w, at, &g);
        if (status != TQ_OK) {
            return status;
        }
        *ret_h = at;
        if (fabs(g) <= touching || high - low <= 1e-15 * h) {
            return TQ_OK;
        }
        if (g > 0.0) {
            low = at;
            g_low = g;
            g_high *= side > 0 ? 0.5 : 1.0;
            side = 1;
        } else {
            high = at;
            g_high = g;
            g_low *= side < 0 ? 0.5 : 1.0;
            side = -1;
        }
    }
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Acceptance
 */

/* accept the trial of length h as the new state */
static void accept(tq_contact_work *w, double h)
{
    for (size_t k = 0; k < w->n_z * TQ_CONTACT_LANE; k++) {
        w->z[k] += h * w->zd[k];
    }
    /* mean relative velocity of the points, by the rows through which the impulses act */
    for (size_t k = 0; k < w->nv; k++) {
        w->change[k] = 0.5 * (w->v[k] + w->next_v[k]);
    }
    tq_contact_velocity(w, &w->mid, w->change, w->u);
    for (size_t k = 0; k < w->n_listed; k++) {
        w->u[3 * k] += w->bend[k];
    }
    tq_contact_account(w, TQ_CONTACT_FRICTION_LOSS, w->u);
    for (size_t k = 0; k < w->room_active; k++) {
        const bool acts = k < w->n_listed;
        *tq_contact_point_z(w, k, 0) = acts ? tq_contact_key(&w->now.points[w->listed[k]]) : 0.0;
        for (size_t i = 0; i < 3; i++) {
            *tq_contact_point_z(w, k, 1 + i) = acts ? w->p[3 * k + i] / h : 0.0;
        }
    }
    for (size_t k = 0; k < w->n_listed; k++) {
        const tq_contact_point *point = &w->mid.points[w->listed[k]];
        double force[3];
        const double local[3] = {w->p[3 * k], w->p[3 * k + 1] + w->tilt[2 * k] * w->p[3 * k],
                                 w->p[3 * k + 2] + w->tilt[2 * k + 1] * w->p[3 * k]};
        tq_contact_to_world(point, local, force);
        for (size_t i = 0; i < 3; i++) {
            w->force[3 * point->pair + i] += force[i];
            *tq_contact_pair_z(w, point->pair, TQ_CONTACT_IMPULSE + i) += force[i];
        }
    }
    memcpy(w->q, w->next_q, w->nq * sizeof *w->q);
    memcpy(w->v, w->next_v, w->nv * sizeof *w->v);
    w->t += h;
}

/* impacts of closed points at the present state, until none approaches: velocities of more points
 * than bodies have freedoms may contradict each other, and some then approach after any impact */
static tq_status strike(tq_contact_work *w)
{
    int hits = 1;
    tq_status status = find_closed_points(w, &hits);
    for (unsigned k = 0; status == TQ_OK && hits && k < STRIKES; k++) {
        status = tq_contact_impact(w);
        if (status == TQ_OK) {
            status = find_closed_points(w, &hits);
        }
    }
    return status;
}

/* advance the state to t + h */
static tq_status advance(tq_contact_work *w, double h)
{
    double left = h;
    for (unsigned cut = 0; left > 0.0; cut++) {
        tq_status status = strike(w);
        double gap = 0.0;
        double span = left;
        if (status == TQ_OK) {
            status = part_points(w);
        }
        if (status == TQ_OK) {
            status = try_shorter(w, &span, &gap);
        }
        if (status != TQ_OK) {
            return status;
        }
        double way = span;
        if (gap < -touching && cut < CUTS) {
            status = locate(w, span, gap, &way);
        }
        if (status == TQ_OK && way == 0.0) { /* the flight is too short: keep the contact */
            way = span;
            for (size_t i = 0; i < w->n_point; i++) {
                w->is_closed[i] = w->now.points[i].gap <= TQ_CONTACT_CLOSED_GAP;
            }
            status = tq_contact_list(w, w->is_closed);
            status = status == TQ_OK ? tq_contact_trial(w, span) : status;
        }
        if (status != TQ_OK) {
            return status;
        }
        accept(w, way);
        left = way == left ? 0.0 : left - way;
    }
    return TQ_OK;
}

/* which pairs are closed after a step of length h, and the mean force of it */
static void record_closed(const tq_contact_work *w, double h)
{
    size_t i = 0;
    for (size_t k = 0; k < w->contacts->n_pair; k++) {
        double gap = (double)INFINITY;
        for (; i < w->n_point && w->now.points[i].pair == k; i++) {
            gap = fmin(gap, w->now.points[i].gap);
        }
        double *closed = tq_contact_pair_z(w, k, TQ_CONTACT_CLOSED);
        double *since = tq_contact_pair_z(w, k, TQ_CONTACT_SINCE);
        if (*closed == 0.0 && gap <= TQ_CONTACT_CLOSED_GAP) {
            *closed = 1.0;
            *since = w->t;
            *tq_contact_pair_z(w, k, TQ_CONTACT_TOUCHES) += 1.0;
            *tq_contact_pair_z(w, k, TQ_CONTACT_APPROACH) = 0.0;
        } else if (*closed != 0.0 && gap > 10.0 * TQ_CONTACT_CLOSED_GAP) {
            *closed = 0.0;
            *since = w->has_hit[k] != 0 ? *since : w->t;
        }
        for (size_t r = 0; r < 3; r++) {
            *tq_contact_pair_z(w, k, TQ_CONTACT_FORCE + r) = w->force[3 * k + r] / h;
        }
    }
}

/* pairs that are closed before anything moves: at the start of a run */
static void note_closed(const tq_contact_work *w)
{
    for (size_t i = 0; i < w->n_point; i++) {
        const size_t pair = w->now.points[i].pair;
        double *closed = tq_contact_pair_z(w, pair, TQ_CONTACT_CLOSED);
        if (*closed == 0.0 && w->now.points[i].gap <= TQ_CONTACT_CLOSED_GAP) {
            *closed = 1.0;
            *tq_contact_pair_z(w, pair, TQ_CONTACT_SINCE) = w->t;
            *tq_contact_pair_z(w, pair, TQ_CONTACT_TOUCHES) += 1.0;
        }
    }
}

/* J, dissipated by contacts so far */
static double lost(const tq_contact_work *w)
{
    return *tq_contact_sum_z(w, TQ_CONTACT_FRICTION_LOSS) +
           *tq_contact_sum_z(w, TQ_CONTACT_IMPACT_LOSS);
}

static tq_status step(tq_contact_work *w, double h)
{
    const double before = lost(w);
    tq_status status = tq_contact_at(w, w->q);
    const double deepest = tq_contact_deepest(w);
    if (status == TQ_OK) {
        note_closed(w);
        status = advance(w, h);
    }
    if (status == TQ_OK) {
        status = tq_contact_at(w, w->q);
    }
    if (status == TQ_OK) {
        status = tq_contact_lift(w, deepest, lost(w) - before);
    }
    if (status == TQ_OK) {
        record_closed(w, h);
    }
    return status;
}

tq_status tq_contact_step(const tq_plant *plant, double t, double h, const tq_trajectories *state,
                          tq_scratch *scratch, size_t *ret_evaluations, tq_error *reterr)
{
    assert(state->n_sample == 1 && state->stride == TQ_CONTACT_LANE && plant->contacts != NULL);
    const size_t mark = tq_scratch_mark(scratch);
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    tq_contact_work w = {.plant = plant,
                         .contacts = plant->contacts,
                         .model = model,
                         .scratch = scratch,
                         .error = reterr,
                         .nq = model->nq,
                         .nv = model->nv,
                         .room = tq_contact_room(plant->contacts),
                         .room_active = tq_contact_room_active(plant->contacts),
                         .n_z = tq_plant_n_z(plant),
                         .first_z = tq_contact_z(plant),
                         .t = t};
    tq_status status = TQ_ERR_SCRATCH;
    if (take(&w, scratch)) {
        open_work(&w, state);
        status = step(&w, h);
    } else {
        (void)tq_fail(reterr, status, "scratch", 0, (double)tq_contact_step_scratch_size(plant));
    }
    *ret_evaluations = w.n_eval;
    if (status == TQ_OK) {
        for (size_t k = 0; k < w.nq * TQ_CONTACT_LANE; k++) {
            state->q[k] = w.q[k / TQ_CONTACT_LANE];
        }
        for (size_t k = 0; k < w.nv * TQ_CONTACT_LANE; k++) {
            state->qd[k] = w.v[k / TQ_CONTACT_LANE];
        }
        for (size_t k = 0; k < w.n_z * TQ_CONTACT_LANE; k++) {
            state->z[k] = w.z[k - k % TQ_CONTACT_LANE];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status == TQ_OK ? tq_plant_project(plant, state, scratch, reterr) : status;
}
