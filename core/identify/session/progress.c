/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/progress.c - fraction of a session's work that is done. */
#include <math.h>

#include "core/identify/session/session_private.h"

/* Cost of a row, relative to one of the last fit; measured on a million rows of seven joints.
 * Instruments double the columns and quadruple the work of folding them. */
typedef struct costs {
    double search, fit, validate;
} costs;
static const costs least_squares = {1.0, 1.0, 1.0};
static const costs by_instruments = {3.8, 2.2, 1.0};

enum { PASSES_OF_LAWS = 4, PASSES_OF_LOAD = 7 }; /* typical number of passes */

void tq_session_foretell(tq_identify *id)
{
    tq_session_now *now = &id->now;
    const unsigned laws = now->searches_sign ? PASSES_OF_LAWS : 0;
    const unsigned loads = now->extra != 0 ? PASSES_OF_LOAD : 0;
    now->n_planned[now->took_instruments ? 1 : 0] = 1 + laws + loads;
    now->n_pass = 0;
    now->is_last = false;
}

/* costs of the searches, the last fit and the validation; second: those of the second fit, with
 * instruments */
static costs work_of(const tq_identify *id, bool second)
{
    const bool first = tq_session_has_instruments(id) && !id->now.took_instruments;
    const costs *cost = second || first ? &by_instruments : &least_squares;
    const unsigned n_pass = id->now.n_planned[second ? 1 : 0];
    double searched = 0.0;
    double fitted = 0.0;
    double all = 0.0;
    for (size_t i = 0; i < id->options.n_recording; i++) {
        const tq_identify_recording *r = &id->options.recordings[i];
        const bool in_part = id->now.is_sampled && r->n_cached > 0;
        all += r->n_row;
        fitted += i < id->options.n_fitted ? r->n_row : 0.0;
        searched += i >= id->options.n_fitted ? 0.0 : in_part ? (double)r->n_cached : r->n_row;
    }
    return (costs){cost->search * searched * (n_pass > 0 ? n_pass : 1),
                   id->now.is_sampled ? cost->fit * fitted : 0.0, cost->validate * all};
}

static double sum_of(const costs *work)
{
    return work->search + work->fit + work->validate;
}

double tq_identify_progress(const tq_identify *id, double part)
{
    const tq_session_now *now = &id->now;
    const costs first = work_of(id, false);
    const costs second = work_of(id, true);
    const costs *work = now->took_instruments ? &second : &first;
    const bool is_double = now->took_instruments || now->foresees_instruments;
    const double all = sum_of(&first) + (is_double ? sum_of(&second) : 0.0);
    double done = now->took_instruments ? sum_of(&first) : 0.0;
    const double of_pass =
        fmin(((double)now->recording + part) / (double)(now->n_end > 0 ? now->n_end : 1), 1.0);
    if (now->pass == TQ_IDENTIFY_PASS_INSTRUMENTS || now->pass == TQ_IDENTIFY_PASS_COMPARE) {
        return 1.0; /* the result is final */
    }
    if (now->pass == TQ_IDENTIFY_PASS_VALIDATE) {
        done += work->search + work->fit + of_pass * work->validate;
    } else if (now->is_last) {
        done += work->search + of_pass * work->fit;
    } else {
        const double planned = (double)now->n_planned[now->took_instruments ? 1 : 0];
        const double searched = now->pass == TQ_IDENTIFY_PASS_FIT ? of_pass : 0.0;
        done += work->search * fmin((now->n_pass + searched) / fmax(planned, 1.0), 1.0);
    }
    return fmin(done / fmax(all, 1.0), 1.0);
}
