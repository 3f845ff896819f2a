/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run_rest.c - joints that stop, bounce, rest, stick and slip at an event. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/plant/stiction.h"
#include "core/simulate/run_private.h"

/* rad/s or m/s: a joint that leaves a limit more slowly stays there */
static const double rest_speed = 1e-8;
/* m/s: a held tendon that is faster was struck */
static const double held_drift = 1e-6;

int tq_run_holds(const tq_run_private *p)
{
    for (uint32_t j = 0; p->mode != NULL && j < tq_run_stickers(p->model); j++) {
        if (p->mode[j] >= TQ_MODE_STUCK) {
            return 1;
        }
    }
    return 0;
}

void tq_run_tell(const tq_run_private *p, tq_event_kind kind, uint32_t which, uint32_t rule,
                 double value)
{
    const bool of_tendon = which != TQ_NONE && which >= p->model->n_joint;
    const tq_event event = {.t = p->run.t,
                            .kind = kind,
                            .joint = of_tendon ? TQ_NONE : which,
                            .rule = rule,
                            .tendon = of_tendon ? which - p->model->n_joint : TQ_NONE,
                            .value = value};
    if (p->options.on_event != NULL) {
        p->options.on_event(p->options.ctx, &event);
    }
}

int tq_run_stop_joint(tq_run_private *p, uint32_t joint)
{
    const size_t row = p->model->joints[joint].v_index;
    p->y[p->model->nq + row] = 0.0;
    for (size_t i = 0; i < TQ_RUN_LANE; i++) {
        p->now.as.qd[row * TQ_RUN_LANE + i] = 0.0;
    }
    return 1;
}

/* Its length is at rest, as those are that are held; the event's location is as accurate. */
int tq_run_stop_tendon(tq_run_private *p, uint32_t which)
{
    p->mode[which] = TQ_MODE_STUCK;
    p->fresh_stuck[which] = 1;
    tq_run_spread(p, p->y, &p->now.as);
    p->run.status = tq_locked_rest(p->plant->mechanism, p->plant->without, p->now.as.q, p->mode,
                                   p->scratch, p->now.as.qd, &p->run.error);
    if (p->run.status != TQ_OK) {
        return tq_run_refuse(p);
    }
    tq_run_gather(p, &p->now.as, p->y);
    return 1;
}

/* impulse that gives joint `joint` the velocity qd */
static int strike(tq_run_private *p, uint32_t joint, double qd)
{
    tq_impulse impulse = {.joint = joint, .qd = qd};
    const tq_status status = tq_joint_impulse(p->plant->mechanism, p->plant->without, p->now.as.q,
                                              &impulse, p->scratch, p->now.as.qd, &p->run.error);
    if (status != TQ_OK) {
        p->run.status = status;
        return tq_run_refuse(p);
    }
    double *z = p->now.as.z;
    for (size_t k = 0; k < p->plant->n_effect; k++) {
        const tq_effect *effect = &p->plant->effects[k];
        if (effect->impact != NULL) {
            effect->impact(effect->ctx, TQ_RUN_LANE, impulse.loss, z);
        }
        z += effect->n_z * TQ_RUN_LANE;
    }
    tq_run_gather(p, &p->now.as, p->y);
    return 1;
}

/* joint `joint` stops at a limit, or reverses */
int tq_run_bounce(tq_run_private *p, const tq_event_rule *rule)
{
    const double arrives = tq_run_velocity(p, p->y, rule->joint);
    double leaves = -rule->restitution * arrives;
    if (fabs(leaves) < rest_speed) {
        leaves = 0.0;
    }
    p->y[p->model->joints[rule->joint].q_index] = rule->level;
    tq_run_spread(p, p->y, &p->now.as);
    if (!strike(p, rule->joint, leaves)) {
        return 0;
    }
    if (leaves == 0.0) {
        p->mode[rule->joint] = rule->kind == TQ_EVENT_LOWER ? TQ_MODE_LOWER : TQ_MODE_UPPER;
        tq_run_tell(p, TQ_EVENT_REST, rule->joint, TQ_NONE, 0.0);
    }
    return 1;
}

/* an impulse moved joints at rest on a limit: those that it pushes outwards stay */
static int keep_resting(tq_run_private *p)
{
    for (uint32_t round = 0; round < 2 * p->model->n_joint; round++) {
        uint32_t pushed = TQ_NONE;
        for (uint32_t j = 0; j < p->model->n_joint; j++) {
            const double v = p->mode[j] == TQ_MODE_LOWER || p->mode[j] == TQ_MODE_UPPER
                                 ? tq_run_velocity(p, p->y, j)
                                 : 0.0;
            if (v == 0.0) {
                continue;
            }
            if ((v > 0.0) == (p->mode[j] == TQ_MODE_LOWER)) {
                p->mode[j] = tq_run_sticks(p->plant, j) ? (v > 0.0 ? TQ_MODE_PLUS : TQ_MODE_MINUS)
                                                        : TQ_MODE_FREE;
                tq_run_tell(p, TQ_EVENT_LEAVE, j, TQ_NONE, v);
            } else {
                pushed = j;
            }
        }
        if (pushed == TQ_NONE) {
            return 1;
        }
        if (!strike(p, pushed, 0.0)) {
            return 0;
        }
    }
    return 1;
}

/* the hold of joint or tendon j exceeds its limit: it slips, or leaves its limit */
static void let_go(tq_run_private *p, uint32_t j)
{
    const double hold = tq_run_hold(p, j);
    const int stuck = p->mode[j] == TQ_MODE_STUCK;
    if (!stuck || p->fresh_stuck[j] == 0) {
        tq_run_tell(p, stuck ? TQ_EVENT_SLIP : TQ_EVENT_LEAVE, j, TQ_NONE, hold);
    }
    p->fresh_stuck[j] = 0;
    p->mode[j] = !tq_run_sticks(p->plant, j) ? TQ_MODE_FREE
                 : hold > 0.0                ? TQ_MODE_MINUS
                                             : TQ_MODE_PLUS;
}

/* Releases joints whose hold exceeds its limit: the worst one, or under constraints, where joints
 * slip together, all. True if there was one. */
static int release(tq_run_private *p, const double *gauge)
{
    uint32_t worst = TQ_NONE;
    for (uint32_t j = 0; j < tq_run_stickers(p->model); j++) {
        const double left = gauge[p->options.n_rule + j];
        if (p->mode[j] < TQ_MODE_STUCK || !(left < 0.0)) {
            continue;
        }
        if (p->plant->constraints != NULL) {
            let_go(p, j);
        }
        if (worst == TQ_NONE || left < gauge[p->options.n_rule + worst]) {
            worst = j;
        }
    }
    if (worst != TQ_NONE && p->plant->constraints == NULL) {
        let_go(p, worst);
    }
    return worst != TQ_NONE;
}

/* rad/s or m/s: faster ones slip. The length of a held tendon drifts by the integrator's error. */
static double standstill(const tq_run_private *p, uint32_t j)
{
    const bool of_tendon = j >= p->model->n_joint;
    return !of_tendon ? 0.0 : p->mode[j] == TQ_MODE_STUCK ? held_drift : 0.1 * TQ_RUN_REST_TOGETHER;
}

/* Sticking and slipping joints with dry friction: joints at standstill stick unless the required
 * hold exceeds the breakaway torque; the worst is released first. The same for joints on limits,
 * whose hold is unilateral. */
int tq_run_resolve(tq_run_private *p)
{
    double *g = p->gauge + 2 * p->n_watch;
    for (uint32_t j = 0; j < tq_run_stickers(p->model); j++) {
        const double v = tq_run_sticks(p->plant, j) ? tq_run_velocity(p, p->y, j) : 0.0;
        if (!tq_run_sticks(p->plant, j) || p->mode[j] == TQ_MODE_LOWER ||
            p->mode[j] == TQ_MODE_UPPER) {
            continue;
        }
        if (fabs(v) > standstill(p, j)) {
            p->mode[j] = v > 0.0 ? TQ_MODE_PLUS : TQ_MODE_MINUS;
        } else if (p->mode[j] != TQ_MODE_STUCK) {
            p->mode[j] = TQ_MODE_STUCK;
            p->fresh_stuck[j] = 1;
        }
    }
    for (uint32_t round = 0; round <= tq_run_stickers(p->model) && tq_run_holds(p); round++) {
        if (!tq_run_gauge(p, p->run.t, p->y, g)) {
            return tq_run_refuse(p);
        }
        if (!release(p, g)) {
            break;
        }
    }
    for (uint32_t j = 0; j < tq_run_stickers(p->model); j++) {
        if (p->fresh_stuck[j] != 0) {
            tq_run_tell(p, TQ_EVENT_STICK, j, TQ_NONE, tq_run_hold(p, j));
            p->fresh_stuck[j] = 0;
        }
    }
    return 1;
}

/* A joint came to rest under constraints: joints that the constraints stop with it rest too, and
 * the velocities of all others are projected, so that no later projection moves it. This changes
 * velocities by rounding only; if the change would be larger, near a dead centre, they are kept. */
static int rest_with_others(tq_run_private *p)
{
    for (uint32_t j = 0; j < p->model->n_joint; j++) {
        if (tq_run_sticks(p->plant, j) &&
            fabs(tq_run_velocity(p, p->y, j)) < TQ_RUN_REST_TOGETHER) {
            tq_run_stop_joint(p, j);
            p->fresh_stuck[j] = p->mode[j] != TQ_MODE_STUCK;
            p->mode[j] = TQ_MODE_STUCK;
        }
    }
    tq_run_spread(p, p->y, &p->inner.as);
    p->run.status = tq_plant_project(p->plant, &p->inner.as, p->scratch, &p->run.error);
    if (p->run.status != TQ_OK) {
        return tq_run_refuse(p);
    }
    tq_run_gather(p, &p->inner.as, p->spare);
    double change = 0.0;
    for (size_t k = 0; k < p->n - p->n_z; k++) {
        change = fmax(change, fabs(p->spare[k] - p->y[k]));
    }
    if (change < 100.0 * TQ_RUN_REST_TOGETHER) {
        memcpy(p->y, p->spare, (p->n - p->n_z) * sizeof *p->y);
        tq_run_spread(p, p->y, &p->now.as);
    }
    return 1;
}

int tq_run_rest(tq_run_private *p, int stopped)
{
    if (stopped && p->plant->constraints != NULL && !rest_with_others(p)) {
        return 0;
    }
    return keep_resting(p) && tq_run_resolve(p);
}
