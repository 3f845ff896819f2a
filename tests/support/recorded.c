/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/recorded.c - a reader of arrays: the part of api/recordings. */
#include "tests/support/recorded.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/signal/survey.h"
#include "tests/support/pendulum.h"
#include "tests/support/random_robot.h"

static void *take(tqt_recorded *r, size_t n)
{
    assert(r->n_piece < TQT_RECORDED_PIECES);
    void *piece = aligned_alloc(TQ_SCRATCH_ALIGN,
                                (n + TQ_SCRATCH_ALIGN) / TQ_SCRATCH_ALIGN * TQ_SCRATCH_ALIGN);
    assert(piece != NULL);
    r->pieces[r->n_piece++] = piece;
    return piece;
}

tq_scratch tqt_recorded_scratch(tqt_recorded *r, size_t n)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, take(r, n), n);
    return scratch;
}

tqt_recorded *tqt_recorded_pendulum(unsigned quantities, size_t room)
{
    tqt_recorded *r = calloc(1, sizeof *r);
    assert(r != NULL);
    r->model = tqt_pendulum();
    r->subject = tqt_subject_new(r->model, 0);
    r->room = room;
    r->options = (tq_recording_options){
        .mechanism = r->subject->mechanism,
        .model = tq_mechanism_model(r->subject->mechanism),
        .filter = {.kind = TQ_SMOOTHING_BUTTERWORTH, .order = 4, .cutoff = 20.0, .decimate = 1},
    };
    r->recording.options = &r->options;
    tq_channels *channels = &r->recording.channels;
    for (unsigned q = 0; q < TQ_QUANTITIES; q++) {
        channels->has[q] = (quantities >> q & 1u) != 0;
        channels->first[q] = channels->has[q] ? channels->n : 0;
        channels->n += channels->has[q] ? 1 : 0;
    }
    r->t = take(r, room * sizeof *r->t);
    r->values = take(r, channels->n * room * sizeof *r->values);
    return r;
}

void tqt_recorded_free(tqt_recorded *r)
{
    for (size_t k = 0; k < r->n_piece; k++) {
        free(r->pieces[k]);
    }
    tqt_subject_free(r->subject);
    tqt_model_free(r->model);
    free(r);
}

double *tqt_recorded_at(tqt_recorded *r, tq_quantity quantity, size_t k)
{
    assert(r->recording.channels.has[quantity] && k < r->room);
    return r->values + r->recording.channels.first[quantity] * r->room + k;
}

void tqt_recorded_rows(const tqt_recorded *r, size_t from, size_t n, tqt_raw_rows *ret)
{
    const tq_channels *channels = &r->recording.channels;
    memset(ret->state, TQ_ROW_GOOD, sizeof ret->state);
    for (size_t i = 0; i < n; i++) {
        ret->t[i] = r->t[from + i];
        ret->row[i] = from + i;
    }
    for (tq_quantity q = 0; q < TQ_QUANTITIES; q++) {
        double *to = ret->values + channels->first[q] * TQ_RAW_ROWS;
        if (channels->has[q]) {
            memcpy(to, r->values + channels->first[q] * r->room + from, n * sizeof *to);
            tq_rows_check(q, n, to, ret->state);
        }
    }
    ret->rows = (tq_raw_rows){.n = n,
                              .values = ret->values,
                              .t = ret->t,
                              .row = ret->row,
                              .state = ret->state,
                              .all_good = tq_rows_all_good(n, ret->state)};
}

static size_t run_of(const tqt_recorded *r, size_t from)
{
    return r->n - from < TQ_RAW_ROWS ? r->n - from : (size_t)TQ_RAW_ROWS;
}

static void give(tqt_recorded *r, tq_survey *survey)
{
    if (tq_survey_wants(survey) > 0) {
        tq_survey_give(survey, take(r, tq_survey_wants(survey)));
    }
}

tq_status tqt_recorded_survey(tqt_recorded *r, tq_recording_fault *ret_fault)
{
    tq_scratch memory = tqt_recorded_scratch(r, tq_survey_size(&r->recording));
    static tqt_raw_rows raw;
    tq_survey survey;
    tq_error error = {0};
    tq_status status = tq_survey_begin(&r->recording, &memory, &survey, &error);
    for (size_t from = 0; from < r->n && status == TQ_OK; from += TQ_RAW_ROWS) {
        tqt_recorded_rows(r, from, run_of(r, from), &raw);
        for (size_t at = 0; at < raw.rows.n && status == TQ_OK;) {
            give(r, &survey);
            status = tq_survey_push(&survey, &raw.rows, &at, &error);
        }
    }
    if (status != TQ_OK) {
        return status;
    }
    give(r, &survey);
    r->recording.n_row = r->n;
    return tq_survey_end(&survey, ret_fault, &error);
}

static tq_status run(tqt_recorded *r, const tq_pass_plan *plan, tq_block_sink *sink, void *ctx,
                     tq_uniform *ret)
{
    tq_scratch memory = tqt_recorded_scratch(r, plan->size);
    static tqt_raw_rows raw;
    tq_pass *pass = NULL;
    size_t at = 0;
    tq_status status = tq_pass_begin(&r->recording, plan, sink, ctx, &memory, &pass, NULL);
    if (tq_recording_is_cached(&r->recording)) {
        tq_raw_rows cached;
        while (status == TQ_OK && tq_row_cache_next(&r->recording.cache, &at, &cached)) {
            status = tq_pass_push(pass, &cached);
        }
    } else {
        for (; at < r->n && status == TQ_OK; at += TQ_RAW_ROWS) {
            tqt_recorded_rows(r, at, run_of(r, at), &raw);
            status = tq_pass_push(pass, &raw.rows);
        }
    }
    if (status == TQ_OK) {
        status = tq_pass_end(pass);
    }
    if (status == TQ_OK && tq_pass_uniform(pass) != NULL) {
        *ret = *tq_pass_uniform(pass);
    }
    return status;
}

tq_status tqt_recorded_inspect(tqt_recorded *r, tq_uniform *ret, tq_recording_fault *ret_fault)
{
    tq_pass_plan plan;
    *ret = (tq_uniform){0};
    const tq_status status =
        tq_pass_prepare(&r->recording, TQ_PASS_INSPECT, NULL, &plan, ret_fault);
    return status == TQ_OK ? run(r, &plan, NULL, NULL, ret) : status;
}

tq_status tqt_recorded_pass(tqt_recorded *r, tq_block_sink *sink, void *ctx,
                            tq_recording_fault *ret_fault)
{
    tq_pass_plan plan;
    tq_uniform none = {0};
    const tq_status status = tq_pass_prepare(&r->recording, TQ_PASS_BLOCKS, NULL, &plan, ret_fault);
    return status == TQ_OK ? run(r, &plan, sink, ctx, &none) : status;
}
