/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/build.c - a session's requests, and the fit whose passes follow. */
#include "core/identify/session/session_private.h"

enum {
    FEW_RECORDINGS = 8,      /* with more, the bound on a fit's memory is far above its need */
    SAMPLES_ENOUGH = 90,     /* per column: more do not improve a search */
    SAMPLES_SEARCHED = 7500, /* at least */
};

void tq_session_need(tq_identify *id, tq_identify_memory slot, size_t size)
{
    id->needs[id->n_need].slot = slot;
    id->needs[id->n_need].size = size;
    id->n_need++;
}

void tq_session_request(tq_identify *id, tq_identify_pass pass, size_t n_end,
                        tq_session_state state)
{
    id->now.pass = pass;
    id->now.recording = 0;
    id->now.n_end = n_end;
    id->now.state = state;
}

tq_fit_options tq_session_fit_options(const tq_identify *id)
{
    tq_fit_options options = id->options.fit;
    options.method = id->now.method;
    options.lag = id->now.lag_samples;
    options.model.extra = id->now.extra;
    options.model.smoothing = id->now.smoothing;
    options.model.presliding = id->now.presliding;
    options.model.relaxation = id->now.relaxation;
    return options;
}

bool tq_session_has_instruments(const tq_identify *id)
{
    return id->now.method == TQ_FIT_IV || id->now.method == TQ_FIT_FEASIBLE_IV;
}

tq_status tq_session_start(tq_identify *id, tq_error *reterr)
{
    id->now.state = TQ_SESSION_BUILD;
    id->now.after_build = TQ_SESSION_VARIANCE;
    return tq_session_has_instruments(id) ? tq_session_choose_lag(id, reterr) : TQ_OK;
}

/* A fit of one recording determines the exact number of columns. */
tq_status tq_session_build(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    const tq_fit_options options = tq_session_fit_options(id);
    const size_t n = id->options.n_fitted;
    const bool is_many = n > FEW_RECORDINGS;
    id->fit = NULL;
    tq_session_need(id, TQ_IDENTIFY_OF_FIT, tq_fit_size(id->mechanism, &options, is_many ? 1 : n));
    id->now.state = is_many ? TQ_SESSION_BUILD_ONE : TQ_SESSION_BUILD_ALL;
    return TQ_OK;
}

static tq_status build_for(tq_identify *id, size_t n, tq_error *reterr)
{
    const tq_fit_options options = tq_session_fit_options(id);
    return tq_fit_build(id->mechanism, &options, n, &id->memory[TQ_IDENTIFY_OF_FIT], &id->fit,
                        reterr);
}

tq_status tq_session_build_one(tq_identify *id, tq_error *reterr)
{
    const tq_status status = build_for(id, 1, reterr);
    if (status == TQ_OK) {
        tq_session_need(id, TQ_IDENTIFY_OF_FIT, tq_fit_size_like(id->fit, id->options.n_fitted));
        id->now.state = TQ_SESSION_BUILD_ALL;
    }
    return status;
}

tq_status tq_session_build_all(tq_identify *id, tq_error *reterr)
{
    id->fit = NULL;
    const tq_status status = build_for(id, id->options.n_fitted, reterr);
    if (status == TQ_OK) {
        for (size_t e = 0; e < id->options.n_fitted; e++) {
            tq_fit_use_rows(id->fit, e, id->options.recordings[e].row_is_used);
        }
        id->result.fit = id->fit;
        id->result.columns = tq_fit_columns(id->fit, &id->result.n_column);
        id->result.base = tq_fit_base(id->fit);
        id->now.state = id->now.after_build;
    }
    return status;
}

/* Searches do not gain from more samples: their passes read only about n_enough. */
tq_status tq_session_thin(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    const size_t by_column = SAMPLES_ENOUGH * id->result.n_column;
    id->now.is_sampled = false;
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        id->now.is_sampled = id->now.is_sampled || id->options.recordings[i].n_cached > 0;
    }
    id->now.state = id->saved.bytes != NULL ? TQ_SESSION_RESUME : TQ_SESSION_PLAN;
    if (id->now.is_sampled) {
        id->n_enough = by_column > SAMPLES_SEARCHED ? by_column : (size_t)SAMPLES_SEARCHED;
    }
    return TQ_OK;
}
