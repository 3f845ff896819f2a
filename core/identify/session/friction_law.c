/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/friction_law.c - choice of the friction's sign law, and the width of a
 * smoothed sign. */
#include <float.h>
#include <math.h>

#include "core/elementary/elementary.h"
#include "core/identify/session/session_private.h"

enum { LAWS = 3, STEPS = 4, ROUNDS = 3 };
static const double negligible = 1e-4; /* residual over torque of a joint: below it laws are not
                                          distinguished */
static const double friction_gain_min =
    0.05;                              /* per joint: gain in the log of the residual deviation */
static const double width_gain = 0.01; /* of the mean square residual, relative */
static const double gain_least = 1e-4; /* relative gain below which the first width is kept */
static const double bracket_spacing[ROUNDS] = {0.69, 0.15, 0.03}; /* of log(width) */

/* sum over the joints of log(max(sigma, 1e-4 rms torque)): invariant to the size of a joint */
double tq_session_misfit(const tq_identify *id)
{
    double sum = 0.0;
    tq_fit_usual_torque(id->fit, id->usual);
    for (size_t r = 0; r < id->nv; r++) {
        const double least = fmax(negligible * sqrt(id->usual[r]), DBL_MIN);
        sum += tq_log(fmax(id->result.solution.sigma[r], least));
    }
    return sum;
}

static void pass(tq_identify *id, tq_session_state state)
{
    tq_session_request(id, TQ_IDENTIFY_PASS_FIT, id->options.n_fitted, state);
}

/* ------------------------------------------------------------------------------------------------
 * Width of a smoothed sign: most robot files do not state it, and the other friction terms would
 * compensate a wrong one.
 */

static void evaluate_width(tq_identify *id, double at, tq_session_state state)
{
    id->now.law.at = at;
    tq_fit_set_sign(id->fit, tq_exp(at), 0.0, 0.0);
    pass(id, state);
}

/* mean square residual of the last pass */
static double left_now(const tq_identify *id)
{
    return tq_exp(2.0 * tq_session_misfit(id) / (double)id->nv);
}

/* three widths about `centre`, equally spaced by `apart` */
static void bracket(tq_identify *id, double centre, double apart)
{
    tq_session_law *s = &id->now.law;
    s->centre = centre;
    s->apart = apart;
    s->i = 0;
    s->bracket.at[0] = centre + (0.0 - 1.0) * apart;
    evaluate_width(id, s->bracket.at[0], TQ_SESSION_WIDTH_LOOK);
}

/* minimum of the parabola through three points, within the outer two */
static double lowest(const tq_session_bracket *v)
{
    const double before = v->at[0] - v->at[1];
    const double after = v->at[2] - v->at[1];
    const double a = (v->left[0] - v->left[1]) * after;
    const double b = (v->left[2] - v->left[1]) * before;
    const double bend = a - b;
    if (!(bend > 0.0)) { /* concave or straight */
        return v->at[1] + (v->left[2] < v->left[0] ? after : before);
    }
    return v->at[1] + fmax(fmin(0.5 * (a * after - b * before) / bend, after), before);
}

static void end_of_law(tq_identify *id)
{
    tq_session_now *now = &id->now;
    const tq_session_law *s = &now->law;
    now->presliding = s->laws[s->best][0];
    now->relaxation = s->laws[s->best][1];
    tq_fit_set_sign(id->fit, now->smoothing, now->presliding, now->relaxation);
    pass(id, TQ_SESSION_CONVERGE_AGAIN);
}

bool tq_session_law_is_better(const tq_identify *id, double misfit)
{
    const tq_session_law *s = &id->now.law;
    return misfit < s->left[s->best] - friction_gain_min * (double)id->nv;
}

void tq_session_law_stays(tq_identify *id)
{
    id->now.smoothing = id->now.law.smoothing;
    end_of_law(id);
}

/* The width is known: the smoothed sign, or Dahl's law, or first the smoothed sign's delay. */
static void end_of_width(tq_identify *id, double left, double width)
{
    tq_session_now *now = &id->now;
    tq_session_law *s = &now->law;
    if (left < (1.0 - gain_least) * s->at_start) {
        now->smoothing = width;
    }
    if (s->best == 0) {
        end_of_law(id);
    } else if (tq_session_can_shift(id)) {
        s->on_trial = true;
        tq_fit_set_sign(id->fit, now->smoothing, 0.0, 0.0);
        pass(id, TQ_SESSION_SHIFT);
    } else {
        tq_session_law_stays(id);
    }
}

/* Evaluates the next width downhill while each step decreases the residual enough; then the next
 * bracket. At a spacing of a factor of two the residual is not a parabola: its minimum may be off
 * by more than the spacing of the next bracket. */
static void go_down(tq_identify *id)
{
    tq_session_law *s = &id->now.law;
    const tq_session_bracket *v = &s->bracket;
    const double gain = s->round == 0 ? width_gain : 0.0;
    if (s->i < STEPS && v->left[s->side] < (1.0 - gain) * v->left[1]) {
        evaluate_width(id, v->at[s->side] + s->way, TQ_SESSION_WIDTH_DOWN);
        return;
    }
    const double least = fmin(v->left[1], fmin(v->left[0], v->left[2]));
    if (tq_session_law_is_better(id, 0.5 * (double)id->nv * tq_log(least))) {
        s->best = 0;
    }
    if (++s->round < ROUNDS && s->best == 0) { /* the first tells whether Dahl's law is met */
        bracket(id, lowest(v), bracket_spacing[s->round]);
        return;
    }
    end_of_width(id, least, tq_exp(lowest(v)));
}

tq_status tq_session_width_look(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_law *s = &id->now.law;
    tq_session_bracket *v = &s->bracket;
    v->left[s->i++] = left_now(id);
    if (s->i < 3) {
        v->at[s->i] = s->centre + ((double)s->i - 1.0) * s->apart;
        evaluate_width(id, v->at[s->i], TQ_SESSION_WIDTH_LOOK);
        return TQ_OK;
    }
    s->at_start = s->at_start > 0.0 ? s->at_start : v->left[1];
    s->side = v->left[2] < v->left[0] ? 2 : 0;
    s->way = v->at[s->side] - v->at[1];
    s->i = 1;
    go_down(id);
    return TQ_OK;
}

tq_status tq_session_width_down(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_law *s = &id->now.law;
    tq_session_bracket *v = &s->bracket;
    v->at[2 - s->side] = v->at[1];
    v->left[2 - s->side] = v->left[1];
    v->at[1] = v->at[s->side];
    v->left[1] = v->left[s->side];
    v->at[s->side] = s->at;
    v->left[s->side] = left_now(id);
    s->i++;
    go_down(id);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * One pass for each law: a smoothed sign, Dahl's model without and with relaxation. The last is the
 * default; another law must have a clearly smaller residual. The very first pass also uses the
 * default, but with the measured torque as gear load, which includes friction: it is not compared.
 *
 * A smoothed sign of the wrong width, or at the wrong time, is no match for a law whose sign comes
 * late after each reversal by itself. So where Dahl's is not clearly worse at the first width, the
 * smoothed sign is judged at its own best width, and then at its own best delay (shift.c).
 */
tq_status tq_session_law_first(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    const bool is_smoothed = now->found_sign && !(now->presliding > 0.0);
    now->law = (tq_session_law){
        .laws = {{0.0, 0.0}, {now->presliding, 0.0}, {now->presliding, now->relaxation}},
        .smoothing = now->smoothing};
    if (is_smoothed) { /* its width alone: at another delay, or without a term left out since */
        now->law.round = now->after_converge == TQ_SESSION_SHIFT ? 0 : 1;
        bracket(id, tq_log(now->smoothing), bracket_spacing[now->law.round]);
    } else {
        tq_fit_set_sign(id->fit, now->smoothing, 0.0, 0.0);
        pass(id, TQ_SESSION_LAW_NEXT);
    }
    return TQ_OK;
}

tq_status tq_session_law_next(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    tq_session_law *s = &now->law;
    s->left[s->k] = tq_session_misfit(id);
    s->best = s->left[s->k] < s->left[s->best] ? s->k : s->best;
    if (++s->k < LAWS) {
        tq_fit_set_sign(id->fit, now->smoothing, s->laws[s->k][0], s->laws[s->k][1]);
        pass(id, TQ_SESSION_LAW_NEXT);
        return TQ_OK;
    }
    if (s->left[s->best] > s->left[LAWS - 1] - friction_gain_min * (double)id->nv) {
        s->best = LAWS - 1;
    }
    now->found_sign = true;
    bracket(id, tq_log(now->smoothing), bracket_spacing[0]);
    return TQ_OK;
}
