/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run_inside.c - double crossings: levels crossed twice within one step. */
#include <math.h>
#include <string.h>

#include "core/simulate/run_private.h"

static const double nudge = 1e-4; /* fraction of a step for the difference quotient of a slope */
enum { NARROWINGS = 8 };

/* one end of a subinterval of the step */
typedef struct end {
    double t, gauge, slope; /* both multiplied by the side: > 0 is the watched side */
} end;

static int is_position(const tq_event_rule *rule)
{
    return rule->kind <= TQ_EVENT_Q && rule->joint != TQ_NONE;
}

/* d/dt of all event functions at t and y, where they are `gauge`: a velocity, or the difference
 * quotient (g(t + dt, y + y' dt) - g(t, y)) / dt. Undefined rates: 0. */
static void find_slopes(tq_run_private *p, double t, const double *y, const double *gauge,
                        double dt, double *ret)
{
    double *off = p->gauge + 3 * p->n_watch;
    double *rate = p->spare + p->n;
    int differ = 0;
    for (size_t k = 0; k < p->options.n_rule; k++) {
        const tq_event_rule *rule = &p->options.rules[k];
        const int upper = rule->kind == TQ_EVENT_UPPER;
        ret[k] =
            is_position(rule) ? (upper ? -1.0 : 1.0) * tq_run_velocity(p, y, rule->joint) : 0.0;
        differ |= !is_position(rule);
    }
    if (!differ) {
        return;
    }
    p->n_eval++;
    int known = tq_run_ode_rate(p, t, y, rate) == 0;
    for (size_t r = 0; known && r < p->n; r++) {
        rate[r] = y[r] + rate[r] * dt;
    }
    known = known && tq_run_gauge(p, t + dt, rate, off);
    p->run.status = TQ_OK;
    for (size_t k = 0; known && k < p->options.n_rule; k++) {
        ret[k] = is_position(&p->options.rules[k]) ? ret[k] : (off[k] - gauge[k]) / dt;
    }
}

/* minimum of the cubic Hermite interpolant of values and slopes; NAN: at an end */
static double least_between(const end *a, const end *b)
{
    /* its slope is c2 s^2 + c1 s + d0, s = 0 .. 1 */
    const double h = b->t - a->t;
    const double d0 = h * a->slope;
    const double d1 = h * b->slope;
    const double c2 = 6.0 * (a->gauge - b->gauge) + 3.0 * (d0 + d1);
    const double c1 = -6.0 * (a->gauge - b->gauge) - 4.0 * d0 - 2.0 * d1;
    const double root = c1 * c1 - 4.0 * c2 * d0;
    if (root < 0.0) {
        return (double)NAN;
    }
    /* the root at which the slope changes from negative to positive */
    const double q = -0.5 * (c1 + (c1 < 0.0 ? -1.0 : 1.0) * sqrt(root));
    const double first = c2 != 0.0 ? q / c2 : -1.0;
    const double second = q != 0.0 ? d0 / q : -1.0;
    const double s = first > 0.0 && first < 1.0 ? first : second;
    return s > 0.0 && s < 1.0 ? a->t + s * h : (double)NAN;
}

/* True if the event function may reach 0 between both ends: a convex function is above its
 * tangents. */
static int may_pass(const end *a, const end *b)
{
    const double h = b->t - a->t;
    return a->slope < 0.0 && b->slope > 0.0 && a->gauge < fmax(-a->slope, b->slope) * h;
}

/* the step ends at ahead_t = t, beyond a level or at the farthest point from it */
static void cut(tq_run_private *p, double t, const double *g, double *g_high)
{
    p->ahead_t = t;
    p->fresh = 1;
    memcpy(g_high, g, p->n_watch * sizeof *g);
}

/* Rule k is on side `side` at both ends of the step, or on its level at the first: searches for the
 * minimum of its event function. 1: the step was cut; 0: not, and ahead is its end; -1: failed. */
static int look_for(tq_run_private *p, size_t k, double side, end a, end b, double *g_high)
{
    const int leaves = p->side[k] == 0.0;
    double *g = p->gauge + 2 * p->n_watch;
    double *slopes = p->gauge + 6 * p->n_watch;
    int found = 0;
    memcpy(p->spare, p->ahead, p->n * sizeof *p->ahead);
    for (unsigned n = 0; n < NARROWINGS && found == 0 && may_pass(&a, &b); n++) {
        double t = least_between(&a, &b);
        /* every third step bisects, so that both ends move */
        t = n % 3 == 2 || isnan(t) ? 0.5 * (a.t + b.t) : t;
        if (!(t > a.t && t < b.t)) {
            break;
        }
        p->fresh = p->options.method != TQ_RUN_BDF ? 1 : p->fresh;
        if (!tq_run_leap(p, t) || !tq_run_gauge(p, t, p->ahead, g)) {
            found = -1;
            break;
        }
        find_slopes(p, t, p->ahead, g, nudge * (b.t - t), slopes);
        const end middle = {.t = t, .gauge = side * g[k], .slope = side * slopes[k]};
        if (leaves || middle.gauge <= 0.0 || tq_run_any_passed(p, g)) {
            found = 1;
            cut(p, t, g, g_high);
        } else if (middle.slope < 0.0) {
            a = middle;
        } else {
            b = middle;
        }
    }
    if (found == 0) {
        memcpy(p->ahead, p->spare, p->n * sizeof *p->ahead);
    }
    return found;
}

/* The side from which rule k is searched for a double crossing: its own side; if the step starts on
 * the level, the opposite of the direction of its slope; 0: none. */
static double side_to_look_from(const tq_run_private *p, size_t k, double slope)
{
    const tq_event_rule *rule = &p->options.rules[k];
    if (rule->action == TQ_EVENT_BOUNCE && p->side[k] == 0.0) {
        return 0.0; /* at rest on its limit */
    }
    return p->side[k] != 0.0 ? p->side[k] : -tq_run_sign(slope);
}

/* True if some coordinate may approach its level within the step, by the signs of its velocities.
 * For most steps the search ends here. */
static int is_worth_it(const tq_run_private *p)
{
    for (size_t k = 0; k < p->options.n_rule; k++) {
        const tq_event_rule *rule = &p->options.rules[k];
        if (!is_position(rule) || p->side[k] == 0.0) {
            return 1;
        }
        const double side = rule->kind == TQ_EVENT_UPPER ? -p->side[k] : p->side[k];
        if (side * tq_run_velocity(p, p->y, rule->joint) < 0.0 &&
            side * tq_run_velocity(p, p->ahead, rule->joint) > 0.0) {
            return 1;
        }
    }
    return 0;
}

int tq_run_look_inside(tq_run_private *p, double *g_low, double *g_high)
{
    const double t1 = p->ahead_t;
    const double h = t1 - p->run.t;
    double *slope0 = p->gauge + 4 * p->n_watch;
    double *slope1 = p->gauge + 5 * p->n_watch;
    if (!is_worth_it(p)) {
        return 1;
    }
    if (!tq_run_gauge(p, p->run.t, p->y, g_low)) {
        return 0;
    }
    find_slopes(p, p->run.t, p->y, g_low, nudge * h, slope0);
    find_slopes(p, t1, p->ahead, g_high, -nudge * h, slope1);
    for (size_t k = 0; k < p->options.n_rule; k++) {
        const double side = side_to_look_from(p, k, slope0[k]);
        if (side == 0.0 || (p->side[k] != 0.0 && side * g_high[k] <= 0.0)) {
            continue; /* it crossed its level, and its side is renewed */
        }
        const end a = {p->run.t, side * g_low[k], side * slope0[k]};
        const end b = {t1, side * g_high[k], side * slope1[k]};
        const int found = look_for(p, k, side, a, b, g_high);
        if (found != 0) {
            return found > 0;
        }
    }
    return 1;
}
