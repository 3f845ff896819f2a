/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/watch.c - what closes during a trial. */
#include <math.h>

#include "core/contact/step_private.h"

/* Whether the gap of a point is that of its pair, which its solids have only one of. */
static bool is_nearest(const tq_contact_work *w, size_t i)
{
    return w->is_watched[i] != 0 && w->now.points[i].kind == TQ_CONTACT_NEAREST;
}

/* *gap is the least of itself and of the pairs' gaps of watched nearest points. Branch and bound:
 * `bounds` (n_point), the gap of the least bound first, then those whose bound is below the least
 * gap so far. */
static void least_of_nearest(const tq_contact_work *w, const tq_configuration *at,
                             const tq_contact_point *bounds, double *gap)
{
    size_t first = w->n_point;
    for (size_t i = 0; i < w->n_point; i++) {
        if (is_nearest(w, i) && (first == w->n_point || bounds[i].gap < bounds[first].gap)) {
            first = i;
        }
    }
    for (size_t k = 0; first < w->n_point && k <= w->n_point; k++) {
        const size_t i = k == 0 ? first : k - 1;
        if (k > 0 && (i == first || !is_nearest(w, i) || bounds[i].gap >= *gap)) {
            continue;
        }
        *gap = fmin(*gap, tq_contact_distance(w->contacts, at, w->now.points[i].pair));
    }
}

tq_status tq_contact_watched_gap(tq_contact_work *w, double *ret_gap)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_configuration at;
    const tq_status status =
        tq_configuration_compute(w->model, w->q, NULL, w->scratch, &at, w->error);
    *ret_gap = (double)INFINITY;
    for (size_t i = 0; i < w->n_point; i++) {
        if (w->is_watched[i] != 0 && !is_nearest(w, i)) {
            *ret_gap = fmin(*ret_gap, w->now.points[i].gap);
        }
    }
    if (status == TQ_OK) {
        least_of_nearest(w, &at, w->now.points, ret_gap);
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

/* Whether features touch of which the points know only some. */
static bool is_guarded(const tq_contact_work *w, const tq_contact_point *point)
{
    const tq_contact_pair *pair = &w->contacts->pairs[point->pair];
    return point->kind == TQ_CONTACT_TOUCH &&
           tq_geom_has_manifold(&w->contacts->geoms[pair->a], &w->contacts->geoms[pair->b]);
}

/* Least gap of the listed points of a pair; `none` if it has none. */
static double least_listed(const tq_contact_work *w, const tq_contact_rows_at *at, size_t pair,
                           double none)
{
    double least = (double)INFINITY;
    for (size_t k = 0; k < w->n_listed; k++) {
        const tq_contact_point *point = &at->points[w->listed[k]];
        least = point->pair == pair ? fmin(least, point->gap) : least;
    }
    return least < (double)INFINITY ? least : none;
}

/* Features that come to touch beside the listed ones bring the solids nearer than the gaps of
 * these: by how much less than TQ_CONTACT_UNSEEN, and than at the begin of the trial. */
static double guard(const tq_contact_work *w, const tq_configuration *at,
                    const tq_contact_point *now)
{
    const size_t pair = now->pair;
    const double before = now->apart - least_listed(w, &w->now, pair, fmax(now->apart, 0.0));
    const double after =
        tq_contact_distance(w->contacts, at, pair) - fmin(least_listed(w, &w->end, pair, 0.0), 0.0);
    return after - fmin(before, 0.0) + TQ_CONTACT_UNSEEN;
}

tq_status tq_contact_watch(tq_contact_work *w, double *ret_gap)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_configuration at;
    const tq_status status =
        tq_configuration_compute(w->model, w->next_q, NULL, w->scratch, &at, w->error);
    *ret_gap = (double)INFINITY;
    for (size_t i = 0; status == TQ_OK && i < w->n_point; i++) {
        const tq_contact_point *point = &w->now.points[i];
        if (is_nearest(w, i)) {
            w->end.points[i].gap = tq_contact_apart(w->contacts, &at, point->pair);
        } else if (w->is_watched[i] != 0) {
            tq_contact_follow(w->contacts, &at, point, &w->end.points[i]);
            *ret_gap = fmin(*ret_gap, w->end.points[i].gap);
        }
        if ((i == 0 || point[-1].pair != point->pair) && is_guarded(w, point)) {
            *ret_gap = fmin(*ret_gap, guard(w, &at, point));
        }
    }
    if (status == TQ_OK) {
        least_of_nearest(w, &at, w->end.points, ret_gap);
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}
