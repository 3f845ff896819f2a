/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/align.c - delay of the recorded motion against the torque. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/session/session_private.h"

/* Controllers estimate velocity by a filter and record it on arrival: the recorded state lags
 * behind the torque by some milliseconds. Only the part above the filter's cut-off is informative:
 * torque and acceleration must be in phase there. (A delay also shifts the sign of friction, but a
 * wrong friction law has a similar effect.) One delay for all recordings and joints: descent in
 * steps of half samples, then the minimum of a parabola. On nine recordings of a UR10e it is 6 ms;
 * above the cut-off the first joints' torque is then rotor inertia times acceleration, which
 * reduces the errors of leave-one-out predictions by 12 7 8 11 9 8 %. */

enum { SAMPLES = 30000, FARTHEST = 8 }; /* upper bound over all recordings; in half samples */
static const double misfit_increase_max = 0.04; /* per joint: increase of the misfit of the filtered
                                           torque */
static const double gain_least = 0.04; /* per joint: decrease of the log of the squared residual */

static void evaluate(tq_identify *id, double halves)
{
    tq_session_align *a = &id->now.align;
    memset(id->aligns, 0, id->nv * sizeof *id->aligns);
    a->n_left = SAMPLES;
    id->now.delay = 0.5 * halves * a->step;
    tq_session_request(id, TQ_IDENTIFY_PASS_ALIGN, id->options.n_fitted, TQ_SESSION_ALIGN_NEXT);
}

tq_status tq_session_align_start(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_align *a = &id->now.align;
    *a = (tq_session_align){.step = (double)INFINITY, .way = 1.0};
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        a->step = fmin(a->step, id->options.recordings[i].step);
    }
    evaluate(id, 0.0);
    return TQ_OK;
}

/* in half samples: misfits at (at - way, at, at + way) are left, here, right */
static double least_of_parabola(const tq_session_align *a)
{
    const double bend = a->left - 2.0 * a->here + a->right;
    return bend > 0.0 ? a->at + 0.5 * a->way * (a->left - a->right) / bend : a->at;
}

static void finish(tq_identify *id)
{
    tq_session_align *a = &id->now.align;
    double halves = 0.0;
    if (a->right < a->here) { /* no minimum within the range: the delay cannot be determined */
        id->now.searches_delay = false;
    } else {
        const double gain = a->misfit_at_0 - a->here;
        halves = gain > gain_least * (double)id->nv ? least_of_parabola(a) : 0.0;
    }
    id->now.delay = 0.5 * halves * a->step;
    id->now.state = TQ_SESSION_MEMORY;
    id->now.after_memory = TQ_SESSION_CONFIRM;
}

static void go_on(tq_identify *id)
{
    tq_session_align *a = &id->now.align;
    if (!(a->right < a->here && fabs(a->at + a->way) < (double)FARTHEST)) {
        finish(id);
        return;
    }
    a->at += a->way;
    a->left = a->here;
    a->here = a->right;
    evaluate(id, a->at + a->way);
}

tq_status tq_session_align_next(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_align *a = &id->now.align;
    double misfit = 0.0;
    for (size_t r = 0; r < id->nv; r++) {
        misfit += tq_log(tq_high_frequency_inertia_left_in_step(&id->aligns[r]));
    }
    switch (a->stage++) {
    case 0:
        a->misfit_at_0 = misfit;
        evaluate(id, 1.0);
        return TQ_OK;
    case 1:
        a->right = misfit;
        evaluate(id, -1.0);
        return TQ_OK;
    case 2:
        a->left = misfit;
        a->here = a->misfit_at_0;
        if (a->left < a->right) { /* the misfit decreases in the other direction */
            a->left = a->right;
            a->right = misfit;
            a->way = -1.0;
        }
        go_on(id);
        return TQ_OK;
    default:
        a->right = misfit;
        go_on(id);
        return TQ_OK;
    }
}

/* ------------------------------------------------------------------------------------------------
 * A step of the friction torque has components above the cut-off that resemble a shifted
 * acceleration. Therefore the delay must also not increase the misfit of the filtered torque. On
 * single recordings of a UR10e it increases by 2 % at most; with delays caused by such steps, by
 * 6.6 % at least. The first pass is not compared: its gear load is the measured torque, which
 * includes friction. */

tq_status tq_session_confirm_start(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    tq_session_confirm *c = &now->confirm;
    if (!now->searches_delay || now->delay == 0.0) {
        now->state = TQ_SESSION_CONVERGE;
        return TQ_OK;
    }
    *c = (tq_session_confirm){
        .delay = now->delay,
        .laws = {{0.0, 0.0}, {now->presliding, 0.0}, {now->presliding, now->relaxation}},
        .misfit = {(double)INFINITY, (double)INFINITY}};
    c->n_law = now->presliding == 0.0 ? 1 : now->relaxation == 0.0 ? 2 : 3;
    tq_fit_set_search(id->fit, true);
    tq_session_request(id, TQ_IDENTIFY_PASS_FIT, id->options.n_fitted, TQ_SESSION_CONFIRM_FIRST);
    return TQ_OK;
}

/* requests the pass for combination k: each law without the delay, then each law with it */
static void confirm_by(tq_identify *id)
{
    tq_session_confirm *c = &id->now.confirm;
    const double *law = c->laws[c->k % c->n_law];
    id->now.delay = c->k < c->n_law ? 0.0 : c->delay;
    tq_fit_set_sign(id->fit, id->now.smoothing, law[0], law[1]);
    tq_session_request(id, TQ_IDENTIFY_PASS_FIT, id->options.n_fitted, TQ_SESSION_CONFIRM_NEXT);
}

tq_status tq_session_confirm_first(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    confirm_by(id);
    return TQ_OK;
}

tq_status tq_session_confirm_next(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_now *now = &id->now;
    tq_session_confirm *c = &now->confirm;
    double *misfit = &c->misfit[c->k < c->n_law ? 0 : 1];
    *misfit = fmin(*misfit, tq_session_misfit(id));
    if (++c->k < 2 * c->n_law) {
        confirm_by(id);
        return TQ_OK;
    }
    const bool is_worse = c->misfit[1] - c->misfit[0] > misfit_increase_max * (double)id->nv;
    now->delay = is_worse ? 0.0 : c->delay;
    tq_fit_set_sign(id->fit, now->smoothing, now->presliding, now->relaxation);
    tq_fit_set_search(id->fit, false);
    now->state = TQ_SESSION_CONVERGE;
    return TQ_OK;
}
