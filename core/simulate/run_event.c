/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run_event.c - events within a step: location by a bracketing root search, and their
 * effect on the run. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/constraints/hold.h"
#include "core/dynamics/energy.h"
#include "core/plant/stiction.h"
#include "core/simulate/run_private.h"

static const double least_bracket = 1e-13; /* s: width to which an event is located, or rounding */
enum { HALVINGS = 200, CHATTER_MAX = 256, LEAP_STEPS = 4096 };

/* True if rule k bounces now: take_sides sets the side of a rule with BOUNCE, to inside or at rest.
 */
static int bounces(const tq_run_private *p, size_t k)
{
    return p->options.rules[k].action == TQ_EVENT_BOUNCE;
}

/* event function g of rule k: its quantity minus its level; limits count inwards */
static double rule_gauge(const tq_run_private *p, const tq_event_rule *rule, const double *y,
                         const double *energy)
{
    const double *qd = y + p->model->nq;
    switch (rule->kind) {
    case TQ_EVENT_LOWER:
        return y[p->model->joints[rule->joint].q_index] - rule->level;
    case TQ_EVENT_UPPER:
        return rule->level - y[p->model->joints[rule->joint].q_index];
    case TQ_EVENT_Q:
        return y[rule->row] - rule->level;
    case TQ_EVENT_QD:
        return qd[rule->row] - rule->level;
    case TQ_EVENT_TAU:
        return p->tau[rule->row * TQ_RUN_LANE] - rule->level;
    case TQ_EVENT_KINETIC:
        return energy[0] - rule->level;
    case TQ_EVENT_ENERGY:
        return energy[0] + energy[TQ_RUN_LANE] - rule->level;
    case TQ_EVENT_STICK: /* these are reported, not detected */
    case TQ_EVENT_SLIP:
    case TQ_EVENT_REST:
    case TQ_EVENT_LEAVE:
    case TQ_EVENT_TOUCH:
    case TQ_EVENT_LIFT:
        break;
    }
    return 1.0;
}

/* rad/s or m/s: a slipping velocity below minus this has reversed; projection onto constraints
 * leaves rounding in velocities, as products do in the rates of tendons */
static double turned_back(const tq_run_private *p, uint32_t j)
{
    return p->plant->constraints != NULL || j >= p->model->n_joint ? 0.1 * TQ_RUN_REST_TOGETHER
                                                                   : 0.0;
}

/* event function of joint or tendon j: negative when its mode must change */
static double mode_gauge(const tq_run_private *p, uint32_t j, const double *y)
{
    const double hold = p->mode[j] >= TQ_MODE_STUCK ? tq_run_hold(p, j) : 0.0;
    switch (p->mode[j]) {
    case TQ_MODE_PLUS:
        return tq_run_velocity(p, y, j) + turned_back(p, j);
    case TQ_MODE_MINUS:
        return -tq_run_velocity(p, y, j) + turned_back(p, j);
    case TQ_MODE_STUCK:
        return tq_dry_friction(tq_run_friction(p, j), 0.0) *
                   (p->plant->constraints != NULL ? 1.0 + TQ_HOLD_SLACK : 1.0) -
               fabs(hold);
    case TQ_MODE_LOWER:
        return hold;
    case TQ_MODE_UPPER:
        return -hold;
    default:
        return 1.0;
    }
}

/* all event functions at t and y: rules, then joints and tendons. False: rates are undefined. */
int tq_run_gauge(tq_run_private *p, double t, const double *y, double *ret)
{
    _Alignas(64) double energy[2 * TQ_RUN_LANE] = {0};
    int want_rates = tq_run_holds(p);
    int want_energy = 0;
    for (size_t k = 0; k < p->options.n_rule; k++) {
        const tq_event_kind kind = p->options.rules[k].kind;
        want_rates |= kind == TQ_EVENT_TAU;
        want_energy |= kind == TQ_EVENT_KINETIC || kind == TQ_EVENT_ENERGY;
    }
    tq_run_spread(p, y, &p->inner.as);
    if (want_rates) {
        tq_rates rates = p->inner.rates;
        rates.tau = p->tau;
        rates.hold = p->hold;
        p->n_eval++;
        const tq_status status = tq_plant_rate(p->plant, tq_run_before(p, t), &p->inner.as,
                                               p->scratch, &rates, &p->run.error);
        if (status != TQ_OK) {
            p->run.status = status;
            return 0;
        }
    }
    if (want_energy) {
        const tq_inverse_input at = {.n_sample = 1,
                                     .stride = TQ_RUN_LANE,
                                     .q = p->inner.as.q,
                                     .qd = p->inner.as.qd,
                                     .gravity = p->plant->gravity};
        if (tq_energy(p->plant->mechanism, &at, p->scratch, energy, NULL) != TQ_OK) {
            return 0;
        }
    }
    for (size_t k = 0; k < p->options.n_rule; k++) {
        ret[k] = rule_gauge(p, &p->options.rules[k], y, energy);
    }
    for (uint32_t j = 0; j < tq_run_stickers(p->model); j++) {
        ret[p->options.n_rule + j] = p->mode != NULL ? mode_gauge(p, j, y) : 1.0;
    }
    return 1;
}

/* true if event function k changed sign in a watched direction */
static int has_passed(const tq_run_private *p, size_t k, double gauge)
{
    const double side = p->side[k];
    if (side == 0.0 || side * gauge > 0.0) {
        return 0;
    }
    if (k >= p->options.n_rule) {
        return 1;
    }
    const tq_event_rule *rule = &p->options.rules[k];
    if (rule->kind == TQ_EVENT_LOWER || rule->kind == TQ_EVENT_UPPER) {
        return side > 0.0;
    }
    return rule->direction == 0 || (rule->direction > 0) == (side < 0.0);
}

int tq_run_any_passed(const tq_run_private *p, const double *gauge)
{
    for (size_t k = 0; k < p->n_watch; k++) {
        if (has_passed(p, k, gauge[k])) {
            return 1;
        }
    }
    return 0;
}

int tq_run_leap(tq_run_private *p, double t)
{
    if (p->options.method == TQ_RUN_BDF) {
        return tq_ode_at(p->ode, t, p->ahead) == TQ_OK;
    }
    double at = p->run.t;
    if (!tq_run_is_adaptive(p->options.method)) {
        return tq_run_fixed(p, t - at, p->ahead);
    }
    tq_status status = tq_ode_start(p->ode, at, p->y, t - at, NULL);
    for (unsigned k = 0; status == TQ_OK && at < t && k < LEAP_STEPS; k++) {
        status = tq_ode_step(p->ode, t, &at, p->ahead, NULL);
    }
    if (status == TQ_OK && at < t) { /* chattering: rates alternate, and steps are as small as
                                        rounding */
        p->run.status = tq_fail(&p->run.error, TQ_ERR_NO_CONVERGENCE, "event", 0, at);
        return 0;
    }
    return status == TQ_OK;
}

/* regula falsi: first crossing of the line through both ends of the bracket, as a fraction */
static double guess(const tq_run_private *p, const double *low, const double *high)
{
    double first = 1.0;
    for (size_t k = 0; k < p->n_watch; k++) {
        if (has_passed(p, k, high[k]) && low[k] != high[k]) {
            first = fmin(first, low[k] / (low[k] - high[k]));
        }
    }
    return fmax(first, 0.0);
}

/* shrinks [run.t, ahead_t] around the first event; ahead becomes the state just after it */
static int locate(tq_run_private *p)
{
    double low = p->run.t;
    double high = p->ahead_t;
    double *g_low = p->gauge;
    double *g_high = p->gauge + p->n_watch;
    double *g = p->gauge + 2 * p->n_watch;
    for (unsigned k = 0; k < HALVINGS; k++) {
        const double width = high - low;
        const double least = fmax(least_bracket, 4.0 * DBL_EPSILON * fabs(high));
        if (width <= least) {
            break;
        }
        /* regula falsi with a small overshoot, so that both ends move; every third step bisects */
        const double part = k % 3 == 2 ? 0.5 : guess(p, g_low, g_high);
        const double nudge = 0.4 * least * (k % 2 == 0 ? 1.0 : -1.0);
        const double t =
            fmin(fmax(low + part * width + nudge, low + 0.3 * least), high - 0.3 * least);
        if (!tq_run_leap(p, t) || !tq_run_gauge(p, t, p->ahead, g)) {
            return 0;
        }
        const int passed = tq_run_any_passed(p, g);
        memcpy(passed ? g_high : g_low, g, p->n_watch * sizeof *g);
        *(passed ? &high : &low) = t;
    }
    if (!tq_run_leap(p, high)) {
        return 0;
    }
    p->ahead_t = high;
    return 1;
}

int tq_run_watch_step(tq_run_private *p)
{
    if (p->n_watch == 0) {
        return 1;
    }
    double *g_high = p->gauge + p->n_watch;
    if (!tq_run_gauge(p, p->ahead_t, p->ahead, g_high)) {
        return tq_run_refuse(p);
    }
    if (!tq_run_any_passed(p, g_high) && !tq_run_look_inside(p, p->gauge, g_high)) {
        return tq_run_refuse(p);
    }
    if (tq_run_any_passed(p, g_high)) {
        if (!tq_run_gauge(p, p->run.t, p->y, p->gauge) || !locate(p) ||
            !tq_run_gauge(p, p->ahead_t, p->ahead, g_high)) {
            return tq_run_refuse(p);
        }
        p->pending = 1;
    }
    memcpy(p->gauge, g_high, p->n_watch * sizeof *g_high);
    p->watched = 1;
    return 1;
}

/* Sides of rules at the end of a step without an event, from p->gauge: a level crossed in the
 * unwatched direction changes the side. On the level itself the side is 0 until a step ends off it.
 */
static void renew_sides(tq_run_private *p)
{
    for (size_t k = 0; k < p->options.n_rule; k++) {
        if (!bounces(p, k)) {
            p->side[k] = tq_run_sign(p->gauge[k]);
        }
    }
}

int tq_run_watch_anew(tq_run_private *p)
{
    if (p->options.n_rule == 0) {
        return 1;
    }
    if (!tq_run_gauge(p, p->run.t, p->y, p->gauge)) {
        return tq_run_refuse(p);
    }
    renew_sides(p);
    return 1;
}

/* new sides: for a joint always the side without a change of mode */
static int take_sides(tq_run_private *p)
{
    double *g = p->gauge;
    if (!tq_run_gauge(p, p->run.t, p->y, g)) {
        return tq_run_refuse(p);
    }
    for (size_t k = 0; k < p->n_watch; k++) {
        p->side[k] = k >= p->options.n_rule || bounces(p, k) ? 1.0 : tq_run_sign(g[k]);
    }
    for (size_t k = 0; k < p->options.n_rule; k++) { /* a joint at rest on a limit does not
                                                        arrive there */
        const tq_event_rule *rule = &p->options.rules[k];
        if (bounces(p, k) && p->mode[rule->joint] >= TQ_MODE_LOWER &&
            (rule->kind == TQ_EVENT_LOWER) == (p->mode[rule->joint] == TQ_MODE_LOWER)) {
            p->side[k] = 0.0;
        }
    }
    return 1;
}

int tq_run_watch_start(tq_run_private *p)
{
    p->pending = 0;
    p->chatter = 0;
    p->last_event = -(double)INFINITY;
    if (p->n_watch == 0) {
        return 1;
    }
    if (p->mode != NULL && !tq_run_resolve(p)) {
        return 0;
    }
    return take_sides(p);
}

/* reports rules whose level was crossed, and acts on them */
static int act_on_rules(tq_run_private *p)
{
    for (size_t k = 0; k < p->options.n_rule; k++) {
        const tq_event_rule *rule = &p->options.rules[k];
        if (!has_passed(p, k, p->gauge[k])) {
            continue;
        }
        const int limit = rule->kind == TQ_EVENT_LOWER || rule->kind == TQ_EVENT_UPPER;
        const int of_joint = limit || rule->joint != TQ_NONE;
        tq_run_tell(p, rule->kind, of_joint ? rule->joint : TQ_NONE, (uint32_t)k,
                    limit ? tq_run_velocity(p, p->y, rule->joint) : p->gauge[k] + rule->level);
        if (rule->action == TQ_EVENT_STOP) {
            return tq_run_end_at(p, TQ_RUN_EVENT, of_joint ? rule->joint : TQ_NONE);
        }
        if (rule->action == TQ_EVENT_BOUNCE && !tq_run_bounce(p, rule)) {
            return 0;
        }
    }
    return 1;
}

int tq_run_watch_act(tq_run_private *p)
{
    const int pending = p->pending;
    p->pending = 0;
    if (p->n_watch == 0) {
        return 1;
    }
    if (!pending) {
        if (p->watched) {
            renew_sides(p);
        }
        return 1;
    }
    p->fresh = 1;
    p->chatter = p->run.t - p->last_event <= 1e-11 * fmax(1.0, p->run.t) ? p->chatter + 1 : 0;
    p->last_event = p->run.t;
    if (p->chatter > CHATTER_MAX) {
        p->run.status = tq_fail(&p->run.error, TQ_ERR_NO_CONVERGENCE, "event", 0, p->run.t);
        return tq_run_refuse(p);
    }
    if (!act_on_rules(p)) {
        return 0;
    }
    int stopped = 0;
    for (uint32_t j = 0; p->mode != NULL && j < tq_run_stickers(p->model); j++) {
        const int slips = p->mode[j] == TQ_MODE_PLUS || p->mode[j] == TQ_MODE_MINUS;
        if (slips && has_passed(p, p->options.n_rule + j, p->gauge[p->options.n_rule + j])) {
            if (!(j < p->model->n_joint ? tq_run_stop_joint(p, j) : tq_run_stop_tendon(p, j))) {
                return 0;
            }
            stopped = 1;
        }
    }
    if (p->mode != NULL && !tq_run_rest(p, stopped)) {
        return 0;
    }
    return take_sides(p);
}
