/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/pair.c - many trajectories in parallel, with step control per trajectory. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/ensemble/lanes.h"

enum { ASK_STEPS = 32 };

static const double safety = 0.95;
static const double shrink_most = 0.2, grow_most = 6.0;
static const double after_refusal = 0.125;

/* step of each lane: to its next stop, or the proposed length */
static void choose(tq_lane_set *w)
{
    const tq_ensemble *e = w->ensemble;
    for (size_t i = 0; i < w->n_lane; i++) {
        tq_lane *l = &w->lanes[i];
        const double stop = fmin(e->times[l->output], l->limit);
        const double way = stop - w->t[i];
        double h = e->max_step > 0.0 ? fmin(l->next, e->max_step) : l->next;
        l->to = stop;
        l->cut = h < l->next;
        if (h >= way * (1.0 - 1e-9)) {
            l->cut = 1;
            h = way;
        } else {
            if (2.0 * h > way) { /* two equal steps instead of a long and a short one */
                l->cut = 1;
                h = 0.5 * way;
            }
            l->to = w->t[i] + h;
        }
        l->way = h;
        l->refused = 0;
        w->h[i] = h;
        w->stop[i] = l->limit;
    }
}

/* factor of the next step, by square roots, which are correctly rounded on every machine */
static double growth(const tq_pair *pair, double error, int accepted)
{
    if (!(error > 0.0)) {
        return grow_most;
    }
    double root = sqrt(sqrt(error));
    /* order 5: exponent 1/8 for growth, 1/4 for reduction */
    root = pair->order > 5 || accepted ? sqrt(root) : root;
    return fmin(grow_most, fmax(shrink_most, safety / root));
}

static int runs_away(const tq_lane_set *w, size_t i)
{
    int sound = 1;
    for (size_t r = w->n_q; r < w->n_q + w->n_v; r++) {
        sound &= fabs(w->y[r * w->stride + i]) < TQ_MEMBER_RUNAWAY;
    }
    return !sound;
}

/* a lane at the end of its step; 0: the lane was removed */
static int arrive(tq_lane_set *w, size_t i)
{
    const tq_ensemble *e = w->ensemble;
    tq_lane *l = &w->lanes[i];
    if (runs_away(w, i)) {
        tq_lane_end(w, i, TQ_RUN_RUNAWAY);
        return 0;
    }
    if (w->t[i] >= e->times[l->output]) {
        tq_lane_put_row(w, i, l->output++, 0);
        if (l->output == e->n_output) {
            tq_lane_leave(w, i);
            return 0;
        }
    }
    if (w->t[i] >= l->limit && tq_lane_sample(w, i, NULL) != TQ_OK) {
        tq_lane_end(w, i, TQ_RUN_REFUSED);
        return 0;
    }
    return 1;
}

/* accepts or rejects the step of a lane; 0: the lane was removed */
static int judge(tq_lane_set *w, size_t i)
{
    const tq_ensemble *e = w->ensemble;
    tq_lane *l = &w->lanes[i];
    const double error = w->error[i];
    l->n_eval += e->pair->n_stage;
    if (l->refused || !isfinite(error) || error > 1.0) {
        const int nothing = l->refused || !isfinite(error);
        l->next = l->way * (nothing ? after_refusal : growth(e->pair, error, 0));
        l->turned_down = 1;
        const double whole = fabs(e->times[e->n_output - 1] - e->times[0]);
        if (l->next < 64.0 * DBL_EPSILON * fmax(fabs(w->t[i]), whole)) {
            tq_lane_end(w, i, nothing ? TQ_RUN_REFUSED : TQ_RUN_TOO_SMALL);
            return 0;
        }
    } else {
        const double factor = growth(e->pair, error, 1);
        const double next = l->way * (l->turned_down ? fmin(1.0, factor) : factor);
        l->next = l->cut ? fmax(next, l->next) : next;
        l->turned_down = 0;
        for (size_t r = 0; r < w->n; r++) {
            w->y[r * w->stride + i] = w->ahead[r * w->stride + i];
        }
        w->t[i] = l->to;
        if (!arrive(w, i)) {
            return 0;
        }
    }
    if (e->max_evaluations > 0 && l->n_eval > e->max_evaluations) {
        tq_lane_end(w, i, TQ_RUN_TOO_MUCH);
        return 0;
    }
    return 1;
}

/* One block */

static void set_tolerances(const tq_lane_set *w)
{
    const tq_plant *plant = w->ensemble->plant;
    for (size_t r = 0; r < w->n; r++) {
        w->atol[r] = w->ensemble->atol;
    }
    double *z = w->atol + w->n_q + w->n_v;
    for (size_t k = 0; k < plant->n_effect; k++) {
        const tq_effect *effect = &plant->effects[k];
        for (size_t r = 0; r < effect->n_z; r++, z++) {
            *z = effect->z_abs != NULL ? effect->z_abs[r] : *z;
        }
    }
}

/* all members at the first output */
static void fill(tq_lane_set *w)
{
    const tq_members *m = w->members;
    const size_t size = w->stride * sizeof(double);
    memcpy(w->y, m->q, w->n_q * size);
    memcpy(w->y + w->n_q * w->stride, m->qd, w->n_v * size);
    if (w->n_z > 0) {
        memcpy(w->y + (w->n_q + w->n_v) * w->stride, m->z, w->n_z * size);
    }
    if (w->n_held > 0) {
        memcpy(w->held, m->held, w->n_held * size);
    }
    memset(w->n_sample, 0, w->ensemble->plant->n_effect * w->stride * sizeof *w->n_sample);
    w->n_lane = m->n_member;
    for (size_t i = 0; i < m->n_member; i++) {
        w->lanes[i] = (tq_lane){.member = i, .output = 1};
        w->t[i] = w->ensemble->times[0];
        w->h[i] = 0.0;
        tq_lane_put_row(w, i, 0, m->ret_end[i] != (double)TQ_RUN_GOES_ON);
    }
}

/* initial step 1e-6 s if the estimate is not usable */
static double usable(tq_status status, double h)
{
    return status == TQ_OK && isfinite(h) && h > 0.0 ? h : 1e-6;
}

/* Some initial state has no rates, so the block has no common estimate: a step of length zero finds
 * and ends those members, then each lane is estimated alone. */
static tq_status set_out_apart(tq_lane_set *w, tq_error *reterr)
{
    for (size_t i = 0; i < w->n_lane; i++) {
        w->lanes[i].refused = 1;
    }
    const tq_status status = tq_lane_set_try(w, reterr);
    for (size_t i = 0; i < w->n_lane && status == TQ_OK; i++) {
        const tq_pair_step one = tq_lane_step_alone(w, i);
        double *h = one.ret_error;
        const tq_status known =
            tq_pair_first(w->ensemble->plant, w->ensemble->pair, &one, w->scratch, h, NULL);
        w->lanes[i].next = usable(known, *h);
    }
    return status;
}

/* samples at the start, and initial steps; members without rates at the start end there */
static tq_status set_out(tq_lane_set *w, tq_error *reterr)
{
    for (size_t i = 0; i < w->n_lane;) {
        if (w->ensemble->n_output == 1) {
            tq_lane_leave(w, i);
        } else if (w->members->ret_end[w->lanes[i].member] != (double)TQ_RUN_GOES_ON ||
                   tq_lane_sample(w, i, reterr) != TQ_OK) {
            tq_lane_end(w, i, TQ_RUN_REFUSED);
        } else {
            w->h[i] = 0.0;
            w->stop[i] = w->lanes[i].limit;
            i++;
        }
    }
    if (w->n_lane == 0) {
        return TQ_OK;
    }
    tq_lane_set_pad(w);
    const tq_pair_step all = tq_lane_set_step(w);
    const tq_status status =
        tq_pair_first(w->ensemble->plant, w->ensemble->pair, &all, w->scratch, w->error, NULL);
    if (status != TQ_OK) {
        return set_out_apart(w, reterr);
    }
    for (size_t i = 0; i < w->n_lane; i++) {
        w->lanes[i].next = usable(status, w->error[i]);
    }
    return TQ_OK;
}

static tq_status run(tq_lane_set *w, tq_error *reterr)
{
    const tq_ensemble *e = w->ensemble;
    if (!tq_lane_set_take(w)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_ensemble_pair_scratch_size(e, w->members->stride));
    }
    tq_status status = tq_members_start(e, w->members, w->scratch, reterr);
    if (status != TQ_OK) {
        return status;
    }
    set_tolerances(w);
    fill(w);
    status = set_out(w, reterr);
    while (w->n_lane > 0 && status == TQ_OK) {
        choose(w);
        status = tq_lane_set_try(w, reterr);
        for (size_t i = 0; i < w->n_lane && status == TQ_OK;) {
            const size_t last = w->n_lane - 1;
            if (judge(w, i)) {
                i++;
            } else { /* another member is in this lane now */
                tq_move_column(w->ahead, w->n, w->stride, i, last);
                w->error[i] = w->error[last];
            }
        }
        if (status == TQ_OK && ++w->n_try % ASK_STEPS == 0 && e->stopped != NULL &&
            e->stopped(e->ctx) != 0) {
            return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stopped", 0, 0.0);
        }
    }
    return status;
}

tq_status tq_ensemble_run_pair(const tq_ensemble *ensemble, const tq_members *members,
                               tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_lane_set w = {.ensemble = ensemble,
                     .members = members,
                     .model = tq_mechanism_model(ensemble->plant->mechanism),
                     .scratch = scratch};
    const tq_status status = run(&w, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}
