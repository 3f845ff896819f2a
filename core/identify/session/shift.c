/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/shift.c - delay of the motion against the torque, by the whole model. */
#include <math.h>

#include "core/identify/session/session_private.h"

/* Above the cut-off a delay is visible only for heavy rotors (align.c). Below it, every term and
 * the reversals of friction depend on the delay, at any sample rate, once the friction law is
 * known; a law that was chosen with a wrong delay is searched once more. Presliding friction itself
 * is delayed after a reversal, by the time of its travel (0.2 mrad at 0.3 rad/s^2: 36 ms). The two
 * delays cannot be separated, so that none is searched with presliding; but a smoothed sign with
 * its delay is tried against presliding without one. */

enum { ROUNDS = 3 };
static const double least_late = 2.5e-4; /* s, least delay that is applied */
static const double least_gain = 0.015;  /* nats, per joint */
static const double clear_gain = 0.2;    /* the same after a delay was found above the cut-off */
static const double lag_gain = 0.03;     /* the same by which a first-order lag beats a delay */
static const double moves_width = 1e-3;  /* s of delay: the width of a smoothed sign was another */
/* Lag times the cut-off (Hz): a corner at three cut-offs takes 5 % of the torque at the cut-off,
 * and 0.06 % where the motion is; as little as that is friction that turns otherwise. */
static const double least_corner = 1.0 / 3.0 / (2.0 * M_PI);

bool tq_session_can_shift(const tq_identify *id)
{
    const size_t size = tq_shift_size(id->fit);
    return id->now.after_converge == TQ_SESSION_SHIFT && id->now.n_shift < ROUNDS && size > 0 &&
           size <= id->options.memory_max;
}

tq_status tq_session_shift(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    const size_t size = tq_shift_size(id->fit);
    id->now.state = TQ_SESSION_CHECK_EXTRA;
    if ((id->now.law.on_trial || !(id->now.presliding > 0.0)) && size > 0 &&
        size <= id->options.memory_max) {
        tq_session_need(id, TQ_IDENTIFY_OF_STEP, size);
        id->now.state = TQ_SESSION_SHIFT_PASS;
    }
    return TQ_OK;
}

static void end_of_trial(tq_identify *id)
{
    id->now.law.on_trial = false;
    tq_session_law_stays(id);
}

tq_status tq_session_shift_pass(tq_identify *id, tq_error *reterr)
{
    const tq_identify_recording *first = &id->options.recordings[0];
    const double period = first->step * (double)id->options.filter.decimate;
    size_t n = 0;
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        n += tq_identify_expected(id, i, id->now.in_part);
    }
    const tq_status status = tq_shift_begin(id->fit, id->result.solution.value, period, n,
                                            &id->memory[TQ_IDENTIFY_OF_STEP], &id->shift, reterr);
    if (status == TQ_OK && id->shift == NULL && id->now.law.on_trial) {
        end_of_trial(id);
    } else if (status == TQ_OK && id->shift == NULL) {
        id->now.state = TQ_SESSION_CHECK_EXTRA;
    } else if (status == TQ_OK) {
        tq_session_request(id, TQ_IDENTIFY_PASS_SHIFT, id->options.n_fitted, TQ_SESSION_SHIFTED);
    }
    return status;
}

tq_status tq_session_shifted(tq_identify *id, tq_error *reterr)
{
    tq_session_now *now = &id->now;
    tq_shift_found found;
    const tq_status status = tq_shift_find(id->shift, &found, reterr);
    const double delay = now->delay - found.late;
    id->shift = NULL;
    tq_session_need(id, TQ_IDENTIFY_OF_STEP, 0);
    /* flexible gears change the phase above the cut-off */
    const bool is_doubtful = now->delay != 0.0 && now->n_shift == 0;
    const double least = (is_doubtful ? clear_gain : least_gain) * (double)id->nv;
    /* the end of the search interval is not a minimum */
    const bool is_late = fabs(found.late) > least_late && fabs(delay) < 0.999 * TQ_SHIFT_FARTHEST &&
                         found.gain > least;
    if (status == TQ_OK && now->law.on_trial &&
        !(is_late && tq_session_law_is_better(id, tq_session_misfit(id) - found.gain))) {
        end_of_trial(id);
        return TQ_OK;
    }
    now->state = TQ_SESSION_CHECK_EXTRA;
    if (status == TQ_OK && is_late && now->n_shift++ < ROUNDS) {
        if (now->law.on_trial) {
            now->presliding = now->relaxation = 0.0;
            now->law.on_trial = false;
        }
        now->delay = delay;
        now->searches_delay = true;
        now->searches_sign = id->options.searches_sign && fabs(found.late) > moves_width;
        tq_fit_unfreeze(id->fit);
        now->state = TQ_SESSION_CONVERGE;
    } else if (found.lag_gain > lag_gain * (double)id->nv &&
               found.lag * tq_session_corner(id) > least_corner) {
        now->torque_lag = found.lag;
        now->torque_lag_gain = found.lag_gain;
    }
    return status;
}
