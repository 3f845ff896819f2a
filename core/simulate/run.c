/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run.c - steps from stop to stop, and outputs between them. */
#include "core/simulate/run.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contact/contact.h"
#include "core/integrate/fixed_step.h"
#include "core/integrate/midpoint.h"
#include "core/simulate/run_private.h"

/* rad/s or m/s: above any physical velocity; the simulation has diverged */
static const double runaway = 1e6;
/* step / t below which an adaptive method has stalled at a singularity */
static const double stalled_step_ratio = 1e-10;
enum { TICK_STEPS = 256 };
/* Steps between restarts without history, at which a run can be saved regardless of the time to the
 * next output; a multistep method pays some 50 steps for each restart. */
enum { REST_STEPS = 256, REST_STEPS_MULTISTEP = 1024 };

int tq_run_is_adaptive(tq_run_method method)
{
    return method <= TQ_RUN_BDF;
}

static int is_multistep(const tq_run_private *p)
{
    return p->options.method == TQ_RUN_BDF;
}

/* Order of the derivatives of effects whose discontinuities stop a step: the method's order; for
 * implicit multistep methods only jumps: each stop costs a restart, and their error test handles
 * discontinuities of derivatives. */
static unsigned smoothness(tq_run_method method)
{
    static const unsigned order[TQ_RUN_METHODS] = {8, 5, 5, 1, 4, 1, 2, 2};
    return order[method];
}

void tq_run_spread(const tq_run_private *p, const double *y, const tq_trajectories *to)
{
    double *parts[] = {to->q, to->qd, to->z};
    const size_t n[] = {p->model->nq, p->model->nv, p->n_z};
    for (unsigned k = 0; k < 3; k++) {
        for (size_t r = 0; r < n[k]; r++) {
            for (size_t i = 0; i < TQ_RUN_LANE; i++) {
                parts[k][r * TQ_RUN_LANE + i] = *y;
            }
            y++;
        }
    }
}

/* the same for the first lane only: rates of one trajectory read no other */
static void put_first(const tq_run_private *p, const double *y, const tq_trajectories *to)
{
    double *parts[] = {to->q, to->qd, to->z};
    const size_t n[] = {p->model->nq, p->model->nv, p->n_z};
    for (unsigned k = 0; k < 3; k++) {
        for (size_t r = 0; r < n[k]; r++) {
            parts[k][r * TQ_RUN_LANE] = *y++;
        }
    }
}

void tq_run_gather(const tq_run_private *p, const tq_trajectories *from, double *y)
{
    const double *parts[] = {from->q, from->qd, from->z};
    const size_t n[] = {p->model->nq, p->model->nv, p->n_z};
    for (unsigned k = 0; k < 3; k++) {
        for (size_t r = 0; r < n[k]; r++) {
            *y++ = parts[k][r * TQ_RUN_LANE];
        }
    }
}

/* up to a stop effects are evaluated with their values before it */
double tq_run_before(const tq_run_private *p, double t)
{
    return t < p->limit ? t : nextafter(p->limit, -DBL_MAX);
}

int tq_run_ode_rate(void *ctx, double t, const double *y, double *ret_rate)
{
    tq_run_private *p = ctx;
    tq_run_block *b = &p->inner;
    put_first(p, y, &b->as);
    const tq_status status =
        tq_plant_rate(p->plant, tq_run_before(p, t), &b->as, p->scratch, &b->rates, &p->run.error);
    if (status != TQ_OK) {
        p->run.status = status;
        return status == TQ_ERR_STOPPED ? -1 : 1; /* a smaller step does not help */
    }
    const tq_trajectories rates = {.q = b->rates.q, .qd = b->rates.qd, .z = b->rates.z};
    tq_run_gather(p, &rates, ret_rate);
    for (size_t k = p->n - p->n_z; k < p->n; k++) {
        if (!isfinite(ret_rate[k])) {
            p->run.status = tq_fail(&p->run.error, TQ_ERR_OVERFLOW, "z", k, ret_rate[k]);
            return 1;
        }
    }
    return 0;
}

int tq_run_project(void *ctx, double t, double *y)
{
    (void)t;
    tq_run_private *p = ctx;
    tq_run_spread(p, y, &p->inner.as);
    p->run.status = tq_plant_project(p->plant, &p->inner.as, p->scratch, &p->run.error);
    tq_run_gather(p, &p->inner.as, y);
    return p->run.status == TQ_OK ? 0 : 1;
}

int tq_run_end_at(tq_run_private *p, tq_run_end why, uint32_t joint)
{
    p->run.end = why;
    p->run.joint = joint;
    return 0;
}

int tq_run_refuse(tq_run_private *p)
{
    return tq_run_end_at(p, TQ_RUN_REFUSED, TQ_NONE);
}

/* next time at which a step must end: samples and discontinuities */
static double next_stop(const tq_run_private *p)
{
    double stop = tq_plant_next_break(p->plant, p->run.t, smoothness(p->options.method), NULL);
    for (size_t k = 0; k < p->plant->n_effect; k++) {
        const tq_effect *effect = &p->plant->effects[k];
        if (effect->sample != NULL) {
            stop = fmin(stop, (double)p->due[k] * effect->sample_time);
        }
    }
    return stop;
}

/* samples due at run.t */
static int take_samples(tq_run_private *p)
{
    for (size_t k = 0; k < p->plant->n_effect; k++) {
        const tq_effect *effect = &p->plant->effects[k];
        if (effect->sample == NULL || (double)p->due[k] * effect->sample_time > p->run.t) {
            continue;
        }
        p->due[k]++;
        p->run.status =
            tq_plant_sample(p->plant, k, p->run.t, &p->now.as, p->scratch, &p->run.error);
        if (p->run.status != TQ_OK) {
            return tq_run_end_at(p, TQ_RUN_REFUSED, TQ_NONE);
        }
    }
    return 1;
}

static tq_status try_step(tq_run_private *p, double stop)
{
    tq_error error;
    if (p->fresh) {
        const tq_status status =
            tq_ode_start(p->ode, p->run.t, p->y, fmin(p->h, stop - p->run.t), &error);
        if (status != TQ_OK) {
            return status;
        }
        p->fresh = 0;
    }
    return tq_ode_step(p->ode, stop, &p->ahead_t, p->ahead, &error);
}

/* one adaptive step from run.t, not beyond `stop`, into ahead */
static int step_adaptive(tq_run_private *p, double stop)
{
    double h = p->h > 0.0 ? fmin(p->h, stop - p->run.t) : stop - p->run.t;
    tq_status status = try_step(p, stop);
    /* a rate failed: the domain of the equations may end just ahead; approach the boundary */
    while (status != TQ_OK && status != TQ_ERR_MEMORY && p->run.status != TQ_OK &&
           p->run.status != TQ_ERR_STOPPED && h > 64.0 * DBL_EPSILON * fabs(p->run.t)) {
        h *= 0.125;
        p->h = h;
        p->fresh = 1;
        p->run.status = TQ_OK;
        status = try_step(p, stop);
    }
    if (status == TQ_ERR_MEMORY) { /* all results are invalid */
        p->run.status = status;
    }
    if (status == TQ_OK && p->ahead_t > p->run.t) {
        if (p->ahead_t - p->run.t > stalled_step_ratio * fmax(1.0, p->run.t)) {
            p->run.status = TQ_OK; /* a rate is defined again */
        }
        p->h = fmax(tq_ode_next_step(p->ode), p->ahead_t == stop ? p->h : 0.0);
        return 1;
    }
    return tq_run_end_at(p, p->run.status != TQ_OK ? TQ_RUN_REFUSED : TQ_RUN_TOO_SMALL, TQ_NONE);
}

int tq_run_fixed(tq_run_private *p, double h, double *ret_y)
{
    tq_run_spread(p, p->y, &p->inner.as);
    p->inner.as.held = p->now.as.held;
    if (p->options.method == TQ_RUN_MIDPOINT) {
        size_t n_eval = 0;
        p->run.status = tq_midpoint_step(p->plant, p->run.t, h, &p->inner.as, p->scratch, &n_eval,
                                         &p->run.error);
        p->n_eval += n_eval;
    } else if (p->options.method == TQ_RUN_MOREAU) {
        size_t n_eval = 0;
        p->run.status = tq_contact_step(p->plant, p->run.t, h, &p->inner.as, p->scratch, &n_eval,
                                        &p->run.error);
        p->n_eval += n_eval;
    } else {
        const int rk4 = p->options.method == TQ_RUN_RK4;
        p->run.status = tq_fixed_step(p->plant, rk4 ? TQ_FIXED_RK4 : TQ_FIXED_SEMI_IMPLICIT,
                                      p->run.t, h, &p->inner.as, p->scratch, &p->run.error);
        p->n_eval += rk4 ? 4 : 1;
    }
    tq_run_gather(p, &p->inner.as, ret_y);
    return p->run.status == TQ_OK;
}

/* one of the equal steps to `stop` */
static int step_fixed(tq_run_private *p, double stop)
{
    const double way = stop - p->run.t;
    const double n = tq_fixed_count(way, p->options.step);
    p->before.n_step++;
    if (!tq_run_fixed(p, way / n, p->ahead)) {
        return tq_run_refuse(p);
    }
    p->ahead_t = n > 1.0 ? p->run.t + way / n : stop;
    return 1;
}

/* the state is finite, and no velocity is above `runaway` */
static int is_sound(tq_run_private *p)
{
    const double *qd = p->ahead + p->model->nq;
    for (uint32_t j = 0; j < p->model->n_joint; j++) {
        const tq_joint *joint = &p->model->joints[j];
        for (uint32_t k = 0; k < joint->nv; k++) {
            if (!(fabs(qd[joint->v_index + k]) < runaway)) {
                return tq_run_end_at(p, TQ_RUN_RUNAWAY, j);
            }
        }
    }
    return 1;
}

static int may_go_on(tq_run_private *p)
{
    if (++p->untold < TICK_STEPS) {
        return 1;
    }
    p->untold = 0;
    if (p->options.max_evaluations > 0) {
        const tq_ode_stats now = p->ode != NULL ? tq_ode_count(p->ode) : (tq_ode_stats){0};
        if (now.n_evaluation + p->n_eval + p->before.n_evaluation > p->options.max_evaluations) {
            return tq_run_end_at(p, TQ_RUN_TOO_MUCH, TQ_NONE);
        }
    }
    return p->options.tick == NULL || p->options.tick(p->options.ctx, p->run.t) == 0
               ? 1
               : tq_run_end_at(p, TQ_RUN_STOPPED, TQ_NONE);
}

static int advance(tq_run_private *p, double stop)
{
    p->watched = 0;
    if (tq_time_meets(p->run.t, stop)) {
        memcpy(p->ahead, p->y, p->n * sizeof *p->y);
        p->ahead_t = stop;
        p->fresh = 1;
        return 1;
    }
    const int stepped =
        tq_run_is_adaptive(p->options.method) ? step_adaptive(p, stop) : step_fixed(p, stop);
    if (!stepped || !is_sound(p) || !may_go_on(p) || !tq_run_watch_step(p)) {
        p->ahead_t = p->run.t; /* the step is discarded */
        return 0;
    }
    return 1;
}

static void move_to(tq_run_private *p, double t, const double *y)
{
    p->run.t = t;
    memmove(p->y, y, p->n * sizeof *y);
    tq_run_spread(p, p->y, &p->now.as);
}

/* reports pairs that closed or opened in the step to ahead */
static void tell_contacts(tq_run_private *p)
{
    const size_t first = p->n - p->n_z + tq_contact_z(p->plant) + TQ_CONTACT_SUMS;
    for (uint32_t k = 0; p->options.on_event != NULL && k < p->plant->contacts->n_pair; k++) {
        const double *old = p->y + first + (size_t)TQ_CONTACT_OF_PAIR * k;
        const double *now = p->ahead + first + (size_t)TQ_CONTACT_OF_PAIR * k;
        const bool touches = now[TQ_CONTACT_TOUCHES] > old[TQ_CONTACT_TOUCHES];
        tq_event event = {.t = now[TQ_CONTACT_SINCE],
                          .kind = TQ_EVENT_TOUCH,
                          .joint = TQ_NONE,
                          .rule = k,
                          .value = now[TQ_CONTACT_APPROACH]};
        if (touches) {
            p->options.on_event(p->options.ctx, &event);
        }
        if (now[TQ_CONTACT_CLOSED] == 0.0 && (touches || old[TQ_CONTACT_CLOSED] != 0.0)) {
            event.kind = TQ_EVENT_LIFT;
            event.value = 0.0;
            p->options.on_event(p->options.ctx, &event);
        }
    }
}

/* the step becomes the run's state */
static int accept(tq_run_private *p)
{
    if (p->plant->contacts != NULL) {
        tell_contacts(p);
    }
    move_to(p, p->ahead_t, p->ahead);
    if (!tq_run_watch_act(p)) {
        return 0;
    }
    if (p->run.t < p->limit) {
        return 1;
    }
    p->fresh = 1;
    if (!take_samples(p)) {
        return 0;
    }
    p->limit = next_stop(p);
    return 1;
}

static void tell_stats(tq_run_private *p)
{
    const tq_ode_stats now = p->ode != NULL ? tq_ode_count(p->ode) : (tq_ode_stats){0};
    p->run.stats =
        (tq_ode_stats){.n_step = now.n_step + p->before.n_step,
                       .n_rejected = now.n_rejected + p->before.n_rejected,
                       .n_evaluation = now.n_evaluation + p->before.n_evaluation + p->n_eval};
}

/* at the end of an accepted step */
static void rest_at_times(tq_run_private *p)
{
    if (++p->n_since < (is_multistep(p) ? REST_STEPS_MULTISTEP : REST_STEPS)) {
        return;
    }
    p->n_since = 0;
    p->fresh = 1;
    if (p->options.on_rest != NULL) {
        tell_stats(p);
        p->options.on_rest(p->options.ctx);
    }
}

/* True if the run was cancelled, between two steps or within one: results after that are invalid.
 */
static int is_stopped(tq_run_private *p)
{
    if (tq_scratch_is_stopped(p->scratch)) {
        (void)tq_run_end_at(p, TQ_RUN_STOPPED, TQ_NONE);
    }
    return p->run.end == TQ_RUN_STOPPED;
}

int tq_run_to(tq_run *run, double t, int anew)
{
    tq_run_private *p = run->own;
    while (!is_stopped(p) && p->run.end == TQ_RUN_GOES_ON && p->run.t < t) {
        if (p->ahead_t <= p->run.t) {
            (void)advance(p, fmin(is_multistep(p) ? fmax(t, p->options.end) : t, p->limit));
        } else if (t < p->ahead_t) {
            if (tq_ode_at(p->ode, t, p->y) != TQ_OK) {
                (void)tq_run_end_at(p, TQ_RUN_TOO_SMALL, TQ_NONE);
                break;
            }
            move_to(p, t, p->y);
        } else if (accept(p) && !is_stopped(p)) {
            if (p->options.on_step != NULL) {
                p->options.on_step(p->options.ctx);
            }
            rest_at_times(p);
        }
    }
    if (anew) {
        p->n_since = 0;
    }
    if (!is_multistep(p) || anew) {
        if (p->ahead_t > p->run.t && p->run.end == TQ_RUN_GOES_ON) {
            (void)tq_run_watch_anew(p);
        }
        p->fresh = 1;
        p->ahead_t = p->run.t;
        p->pending = 0;
    }
    tell_stats(p);
    return !is_stopped(p) && p->run.end == TQ_RUN_GOES_ON;
}

tq_status tq_run_rates(tq_run *run, const tq_rates *ret, tq_error *reterr)
{
    tq_run_private *p = run->own;
    return tq_plant_rate(p->plant, run->t, &p->now.as, p->scratch, ret, reterr);
}

void tq_run_restart(tq_run_private *p, double t, double h, const tq_ode_stats *before)
{
    move_to(p, t, p->ahead);
    tq_run_spread(p, p->y, &p->inner.as);
    p->run.end = TQ_RUN_GOES_ON;
    p->run.joint = TQ_NONE;
    p->ahead_t = t;
    p->fresh = 1;
    p->n_since = 0;
    p->h = h;
    p->before = *before;
    p->limit = next_stop(p);
    tell_stats(p);
}

tq_status tq_run_start(tq_run *run, double t, const double *q, const double *qd, const double *z)
{
    tq_run_private *p = run->own;
    memcpy(p->ahead, q, p->model->nq * sizeof *q);
    memcpy(p->ahead + p->model->nq, qd, p->model->nv * sizeof *qd);
    memset(p->ahead + p->n - p->n_z, 0, p->n_z * sizeof *q);
    if (z != NULL) {
        memcpy(p->ahead + p->n - p->n_z, z, p->n_z * sizeof *z);
    }
    move_to(p, t, p->ahead);
    tq_run_spread(p, p->y, &p->inner.as);
    run->end = TQ_RUN_GOES_ON;
    run->joint = TQ_NONE;
    p->ahead_t = t;
    p->fresh = 1;
    p->n_since = 0;
    p->h = 0.0;
    for (size_t k = 0; k < p->plant->n_effect; k++) {
        const tq_effect *effect = &p->plant->effects[k];
        p->due[k] = effect->sample != NULL ? (uint64_t)ceil(t / effect->sample_time) : 0;
    }
    if (!take_samples(p)) {
        return run->status;
    }
    p->limit = next_stop(p);
    if (!tq_run_watch_start(p)) {
        return run->status;
    }
    run->status = tq_plant_rate(p->plant, t, &p->now.as, p->scratch, &p->inner.rates, &run->error);
    return run->status;
}
