/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/tour.c - the order of poses: a short closed tour of legs that are clear. */
#include <math.h>
#include <string.h>

#include "core/excitation/excitation_private.h"
#include "core/excitation/poses_private.h"

enum { LEG_POINTS = 40, ROUNDS_MAX = 50 };

static const double blocked = 100.0; /* times as long */

double tq_poses_duration(const tq_pose_search *s, const double *from, const double *to)
{
    double most = 0.0;
    for (size_t v = 0; v < s->nv; v++) {
        const double limit = s->task->motion.velocity[v];
        most = fmax(most, fabs(to[v] - from[v]) / (isfinite(limit) ? limit : 1.0));
    }
    return most;
}

tq_status tq_poses_line(tq_pose_search *s, const double *from, const double *to, tq_pose_leg *ret,
                        tq_error *reterr)
{
    double *q = s->search.room->q;
    *ret = (tq_pose_leg){.duration = tq_poses_duration(s, from, to), .distance = HUGE_VAL};
    for (size_t i = 0; s->task->motion.clearance != NULL && i <= LEG_POINTS; i++) {
        const double part = (double)i / (double)LEG_POINTS;
        double least = HUGE_VAL;
        for (size_t v = 0; v < s->nv; v++) {
            q[v] = from[v] + part * (to[v] - from[v]);
        }
        const tq_status status =
            tq_clearance_at(&s->search, q, 0.0, 0.0, &least, NULL, NULL, reterr);
        if (status != TQ_OK) {
            return status;
        }
        ret->distance = fmin(ret->distance, least);
    }
    return TQ_OK;
}

static tq_status find_costs(tq_pose_search *s, tq_error *reterr)
{
    const size_t n = s->task->n_pose;
    const tq_clearance *clearance = s->task->motion.clearance;
    for (size_t a = 0; a < n; a++) {
        s->cost[a * n + a] = 0.0;
        for (size_t b = 0; b < a; b++) {
            tq_pose_leg leg;
            const tq_status status = tq_poses_line(s, s->q + s->chosen[a] * s->nv,
                                                   s->q + s->chosen[b] * s->nv, &leg, reterr);
            if (status != TQ_OK) {
                return status;
            }
            const bool is_clear = clearance == NULL || leg.distance >= clearance->least;
            s->cost[a * n + b] = s->cost[b * n + a] = leg.duration * (is_clear ? 1.0 : blocked);
        }
        if (s->stop != NULL && s->stop(s->stop_ctx)) {
            return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stop", 0, 0.0);
        }
    }
    return TQ_OK;
}

/* spare = numbers of the chosen poses, the nearest next */
static void nearest_next(tq_pose_search *s)
{
    const size_t n = s->task->n_pose;
    for (size_t k = 0; k < n; k++) {
        s->spare[k] = k;
    }
    for (size_t k = 1; k < n; k++) {
        const double *cost = s->cost + s->spare[k - 1] * n;
        size_t best = k;
        for (size_t i = k + 1; i < n; i++) {
            best = cost[s->spare[i]] < cost[s->spare[best]] ? i : best;
        }
        const size_t next = s->spare[best];
        s->spare[best] = s->spare[k], s->spare[k] = next;
    }
}

static void reverse(size_t *list, size_t from, size_t to)
{
    for (; from < to; from++, to--) {
        const size_t x = list[from];
        list[from] = list[to], list[to] = x;
    }
}

static bool shorten(tq_pose_search *s)
{
    const size_t n = s->task->n_pose;
    size_t *t = s->spare;
    bool changed = false;
    for (size_t i = 1; i + 1 < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            const size_t after = t[(j + 1) % n];
            const double now = s->cost[t[i - 1] * n + t[i]] + s->cost[t[j] * n + after];
            const double then = s->cost[t[i - 1] * n + t[j]] + s->cost[t[i] * n + after];
            if (then < now * (1.0 - 1e-12)) {
                reverse(t, i, j);
                changed = true;
            }
        }
    }
    return changed;
}

tq_status tq_poses_tour(tq_pose_search *s, tq_error *reterr)
{
    const size_t n = s->task->n_pose;
    tq_status status = find_costs(s, reterr);
    if (status != TQ_OK) {
        return status;
    }
    nearest_next(s);
    for (unsigned round = 0; round < ROUNDS_MAX && shorten(s); round++) {
    }
    for (size_t k = 0; k < n; k++) {
        s->tour[k] = s->chosen[s->spare[k]];
    }
    const tq_clearance *clearance = s->task->motion.clearance;
    for (size_t k = 0; k < n && status == TQ_OK; k++) {
        const double *from = s->q + s->tour[(k + n - 1) % n] * s->nv;
        const double *to = s->q + s->tour[k] * s->nv;
        tq_pose_leg *leg = &s->ret->legs[k];
        status = tq_poses_line(s, from, to, leg, reterr);
        if (status == TQ_OK && clearance != NULL && leg->distance < clearance->least) {
            status = tq_poses_around(s, k, from, to, reterr);
        }
        if (status == TQ_OK && s->stop != NULL && s->stop(s->stop_ctx)) {
            return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stop", 0, 0.0);
        }
    }
    return status;
}
