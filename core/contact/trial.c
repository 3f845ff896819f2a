/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/trial.c - smooth motion over some time with given points in contact: the implicit
 * midpoint rule with impulses that satisfy the laws at its end. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contact/laws.h"
#include "core/contact/step_private.h"
#include "core/plant/state.h"

enum { ITERATIONS = 60 };
/* m: of a face on a face smaller gaps differ by rounding and no motion of rigid bodies closes all
 * of them; divided by h they would be velocities that contradict each other. */
static const double level = 1e-8;
/* convergence: change of v between iterations, relative to max(|v|, h |qdd|) */
static const double left_over = 1e-13;
/* the same where the change does not become less: of impulses that are not unique */
static const double tolerable = 1e-10;

/* ret = q + time * rate (a block), quaternions of unit length; the block of ret too */
static void move(tq_contact_work *w, double time, double *ret)
{
    for (size_t k = 0; k < w->nq; k++) {
        w->block_q[k * TQ_CONTACT_LANE] = w->q[k] + time * w->rate_q[k * TQ_CONTACT_LANE];
    }
    tq_state_normalise(w->model, 1, TQ_CONTACT_LANE, w->block_q);
    for (size_t k = 0; k < w->nq; k++) {
        ret[k] = w->block_q[k * TQ_CONTACT_LANE];
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
    return least;
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

/* impulses, on top of the velocity in `change` that the end has without them:
 *     u = J(mid) v' + (J(end) - J(mid)) v'_before,  u_n >= -gap / h,
 * and p_n does no work on the mean velocity:  J(mid) (v + v') <= 0 where p_n > 0 */
static tq_status press(tq_contact_work *w, double h)
{
    const size_t n = 3 * w->n_listed;
    tq_status status = tq_contact_mass(w, w->middle);
    if (status == TQ_OK) {
        status = tq_contact_at_listed(w, w->middle, &w->mid);
    }
    if (status == TQ_OK) {
        status = tq_contact_at_listed(w, w->next_q, &w->end);
    }
    if (status != TQ_OK) {
        return status;
    }
    tq_contact_delassus(w, &w->mid);
    tq_contact_velocity(w, &w->end, w->next_v, w->u);
    tq_contact_velocity(w, &w->mid, w->next_v, w->b);
    for (size_t r = 0; r < n; r++) {
        w->u[r] -= w->b[r];
    }
    tq_contact_velocity(w, &w->mid, w->change, w->b);
    for (size_t r = 0; r < n; r++) {
        w->b[r] += r % 3 == 0
                       ? fmax(w->u[r] + gap_of(w, r / 3) / h, row_velocity(w, &w->mid, r, w->v))
                       : w->u[r];
    }
    const double violation = tq_contact_solve(w);
    double *worst = tq_contact_sum_z(w, TQ_CONTACT_RESIDUAL);
    *worst = fmax(*worst, violation);
    tq_contact_push(w, w->change);
    return TQ_OK;
}

tq_status tq_contact_trial(tq_contact_work *w, double h)
{
    double last = (double)INFINITY;
    double size = DBL_MIN;
    memcpy(w->next_v, w->v, w->nv * sizeof *w->v);
    for (size_t r = 0; r < 3 * w->n_listed; r++) {
        w->start[r] = w->p[r] = h * *tq_contact_point_z(w, w->listed[r / 3], r % 3);
    }
    for (unsigned it = 0; it < ITERATIONS; it++) {
        tq_status status = rate_at_middle(w, h);
        for (size_t k = 0; k < w->nv; k++) {
            w->change[k] = w->v[k] + h * w->rate_v[k * TQ_CONTACT_LANE];
        }
        if (status == TQ_OK && w->n_listed > 0) {
            status = press(w, h);
        }
        if (status != TQ_OK) {
            return status;
        }
        double change = 0.0;
        size = DBL_MIN;
        for (size_t k = 0; k < w->nv; k++) {
            change = fmax(change, fabs(w->change[k] - w->next_v[k]));
            const double free = h * fabs(w->rate_v[k * TQ_CONTACT_LANE]);
            size = fmax(fmax(size, free), fmax(fabs(w->change[k]), fabs(w->v[k])));
            w->next_v[k] = w->change[k];
        }
        if (change <= left_over * size || (change <= tolerable * size && change >= last)) {
            return TQ_OK;
        }
        last = change;
    }
    return last <= tolerable * size ? TQ_OK
                                    : tq_fail(w->error, TQ_ERR_NO_CONVERGENCE, "step", 0, h);
}
