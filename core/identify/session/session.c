/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/session.c - the session's loop: memory, passes, states. */
#include "core/identify/session.h"

#include <string.h>

#include "core/identify/session/session_private.h"
#include "core/model/layout.h"

enum { SAMPLES_A_COLUMN = 20 }; /* of a search: least number */

/* ------------------------------------------------------------------------------------------------
 * Passes
 */

size_t tq_identify_expected(const tq_identify *id, size_t recording, bool in_part)
{
    const tq_identify_recording *r = &id->options.recordings[recording];
    const double rows = in_part && r->n_cached > 0 ? (double)r->n_cached : r->n_moving;
    return (size_t)(rows * r->period / r->step / (double)id->options.filter.decimate) + 1;
}

static bool takes_friction_rows(tq_identify_pass pass)
{
    return pass == TQ_IDENTIFY_PASS_FIT || pass == TQ_IDENTIFY_PASS_SHIFT ||
           pass == TQ_IDENTIFY_PASS_INSTRUMENTS;
}

static bool compares(const tq_identify *id)
{
    return id->now.pass == TQ_IDENTIFY_PASS_INSTRUMENTS || id->now.pass == TQ_IDENTIFY_PASS_COMPARE;
}

static tq_status begin_recording(tq_identify *id, tq_identify_step *ret_step, tq_error *reterr)
{
    tq_session_now *now = &id->now;
    const size_t i = now->recording;
    tq_status status = TQ_OK;
    *ret_step = (tq_identify_step){
        .kind = TQ_STEP_PASS,
        .pass = now->pass,
        .recording = i,
        .delay = now->delay,
        .in_part = now->in_part,
        .n_expected = tq_identify_expected(id, i, now->in_part),
        .fit = takes_friction_rows(now->pass) ? id->fit : NULL,
    };
    if (now->pass == TQ_IDENTIFY_PASS_SHIFT) {
        tq_shift_next(id->shift);
    }
    if (now->pass == TQ_IDENTIFY_PASS_FIT) {
        tq_scratch *scratch = &id->memory[TQ_IDENTIFY_OF_STREAM];
        tq_scratch_rewind(scratch, 0);
        status = tq_fit_begin(id->fit, i, ret_step->n_expected, scratch, &id->stream, reterr);
    } else if (now->pass == TQ_IDENTIFY_PASS_VALIDATE) {
        status = tq_session_validate_begin_recording(id, i, reterr);
    } else if (compares(id)) {
        status = tq_session_compare_begin_recording(id, i, reterr);
    }
    id->pushed[i] = 0;
    id->is_reading = true;
    return status;
}

bool tq_identify_has_enough(const tq_identify *id)
{
    return (id->now.pass == TQ_IDENTIFY_PASS_ALIGN && id->now.align.n_left == 0) ||
           (id->now.pass == TQ_IDENTIFY_PASS_SHIFT && tq_shift_has_enough(id->shift));
}

static void push_align(tq_identify *id, const tq_experiment_block *block)
{
    tq_session_align *a = &id->now.align;
    const size_t nv = id->nv;
    const size_t stride = block->stride;
    for (size_t r = 0; a->n_left > 0 && r < nv; r++) {
        tq_high_frequency_inertia_add(&id->aligns[r], block->n_sample, block->fast + r * stride,
                                      block->fast + (nv + r) * stride, block->tau + r * stride,
                                      block->tau_raw + r * stride);
    }
    a->n_left -= block->n_sample < a->n_left ? block->n_sample : a->n_left;
}

tq_status tq_identify_push(tq_identify *id, const tq_experiment_block *block, const double *t,
                           tq_error *reterr)
{
    const size_t i = id->now.recording;
    id->pushed[i] += block->n_sample;
    switch (id->now.pass) {
    case TQ_IDENTIFY_PASS_ALIGN:
        push_align(id, block);
        return TQ_OK;
    case TQ_IDENTIFY_PASS_FIT:
        return tq_fit_push(id->stream, block, reterr);
    case TQ_IDENTIFY_PASS_SHIFT:
        return tq_shift_push(id->shift, block, reterr);
    case TQ_IDENTIFY_PASS_NOISE:
        return tq_noise_bias_push(id->noise, block, id->variance + i * id->nv, reterr);
    case TQ_IDENTIFY_PASS_VALIDATE:
        return tq_session_validate_push(id, block, t, reterr);
    case TQ_IDENTIFY_PASS_INSTRUMENTS:
    case TQ_IDENTIFY_PASS_COMPARE:
        return tq_comparison_push(id->comparison, block, t, reterr);
    case TQ_IDENTIFY_PASS_NONE:
    default:
        return tq_fail(reterr, TQ_ERR_SHAPE, "pass", 0, 0.0);
    }
}

static tq_status end_recording(tq_identify *id, tq_error *reterr)
{
    tq_status status = TQ_OK;
    tq_session_now *now = &id->now;
    if (now->pass == TQ_IDENTIFY_PASS_FIT) {
        status = tq_fit_end(id->stream, reterr);
        id->fitted[now->recording] = id->pushed[now->recording];
    } else if (now->pass == TQ_IDENTIFY_PASS_VALIDATE) {
        status = tq_session_validate_end_recording(id, now->recording, reterr);
    } else if (compares(id)) {
        status = tq_comparison_end_recording(id->comparison, reterr);
    }
    now->recording = tq_identify_has_enough(id) ? now->n_end : now->recording + 1;
    id->is_reading = false;
    return status;
}

static bool has_too_few(const tq_identify *id)
{
    size_t n = 0;
    for (size_t i = 0; i < id->options.n_fitted; i++) {
        n += id->pushed[i];
    }
    return n < SAMPLES_A_COLUMN * id->result.n_column;
}

/* The pass is repeated with all rows instead of the cached ones. */
static void read_whole(tq_identify *id)
{
    id->now.in_part = id->now.is_sampled = false;
    id->now.recording = 0;
}

static tq_status end_pass(tq_identify *id, tq_error *reterr)
{
    tq_session_now *now = &id->now;
    if (now->pass != TQ_IDENTIFY_PASS_FIT) {
        now->pass = TQ_IDENTIFY_PASS_NONE;
        return TQ_OK;
    }
    if (now->in_part && has_too_few(id)) { /* the cached rows contain too little motion */
        read_whole(id);
        return TQ_OK;
    }
    tq_scratch *memory = &id->memory[TQ_IDENTIFY_OF_SOLUTION];
    tq_scratch_rewind(memory, 0);
    const tq_status status = tq_fit_solve(id->fit, memory, &id->memory[TQ_IDENTIFY_OF_SOLVER],
                                          &id->result.solution, reterr);
    if (status == TQ_ERR_SHAPE && now->in_part) { /* their runs are no longer than two lags */
        read_whole(id);
        return TQ_OK;
    }
    now->pass = TQ_IDENTIFY_PASS_NONE;
    now->n_pass++;
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * The loop
 */

static tq_session_enter *const enter[TQ_SESSION_STATES] = {
    [TQ_SESSION_START] = tq_session_start,
    [TQ_SESSION_BUILD] = tq_session_build,
    [TQ_SESSION_BUILD_ONE] = tq_session_build_one,
    [TQ_SESSION_BUILD_ALL] = tq_session_build_all,
    [TQ_SESSION_VARIANCE] = tq_session_variance,
    [TQ_SESSION_FIND_VARIANCE] = tq_session_find_variance,
    [TQ_SESSION_THIN] = tq_session_thin,
    [TQ_SESSION_PLAN] = tq_session_plan,
    [TQ_SESSION_ALIGN] = tq_session_align_start,
    [TQ_SESSION_ALIGN_NEXT] = tq_session_align_next,
    [TQ_SESSION_MEMORY] = tq_session_take_memory,
    [TQ_SESSION_CONFIRM] = tq_session_confirm_start,
    [TQ_SESSION_CONFIRM_FIRST] = tq_session_confirm_first,
    [TQ_SESSION_CONFIRM_NEXT] = tq_session_confirm_next,
    [TQ_SESSION_CONVERGE] = tq_session_converge,
    [TQ_SESSION_LAW_FIRST] = tq_session_law_first,
    [TQ_SESSION_LAW_NEXT] = tq_session_law_next,
    [TQ_SESSION_WIDTH_LOOK] = tq_session_width_look,
    [TQ_SESSION_WIDTH_DOWN] = tq_session_width_down,
    [TQ_SESSION_CONVERGE_AGAIN] = tq_session_converge_again,
    [TQ_SESSION_SHIFT] = tq_session_shift,
    [TQ_SESSION_SHIFT_PASS] = tq_session_shift_pass,
    [TQ_SESSION_SHIFTED] = tq_session_shifted,
    [TQ_SESSION_CHECK_EXTRA] = tq_session_check_extra,
    [TQ_SESSION_FORESEE] = tq_session_foresee,
    [TQ_SESSION_FORESEE_PASS] = tq_session_foresee_pass,
    [TQ_SESSION_FORESEEN] = tq_session_foreseen,
    [TQ_SESSION_READ_ALL] = tq_session_read_all,
    [TQ_SESSION_OUTPUT] = tq_session_output,
    [TQ_SESSION_OUTPUT_BEGIN] = tq_session_output_begin,
    [TQ_SESSION_OUTPUT_NEXT] = tq_session_output_next,
    [TQ_SESSION_OUTPUT_CHECK] = tq_session_output_check,
    [TQ_SESSION_OUTPUT_TAKE] = tq_session_output_take,
    [TQ_SESSION_OUTPUT_SOLVE] = tq_session_output_solve,
    [TQ_SESSION_VALIDATE] = tq_session_validate,
    [TQ_SESSION_VALIDATE_PASS] = tq_session_validate_pass,
    [TQ_SESSION_VALIDATED] = tq_session_validated,
    [TQ_SESSION_BIAS] = tq_session_bias,
    [TQ_SESSION_FIND_BIAS] = tq_session_find_bias,
    [TQ_SESSION_INSTRUMENTS] = tq_session_instruments,
    [TQ_SESSION_COMPARE] = tq_session_compare,
    [TQ_SESSION_COMPARE_BEGIN] = tq_session_compare_begin,
    [TQ_SESSION_COMPARE_NEXT] = tq_session_compare_next,
    [TQ_SESSION_RESUME] = tq_session_resume,
    [TQ_SESSION_RESUME_FIT] = tq_session_resume_fit,
    [TQ_SESSION_RESUME_REST] = tq_session_resume_rest,
};

/* memory requests first */
static void put_need(tq_identify *id, tq_identify_step *ret_step)
{
    *ret_step = (tq_identify_step){
        .kind = TQ_STEP_MEMORY, .slot = id->needs[0].slot, .size = id->needs[0].size};
    id->n_need--;
    memmove(id->needs, id->needs + 1, id->n_need * sizeof *id->needs);
}

tq_status tq_identify_next(tq_identify *id, tq_identify_step *ret_step, tq_error *reterr)
{
    tq_session_now *now = &id->now;
    tq_status status = id->is_reading ? end_recording(id, reterr) : TQ_OK;
    while (status == TQ_OK) {
        if (id->n_need > 0) {
            put_need(id, ret_step);
            return TQ_OK;
        }
        if (id->n_enough > 0) {
            *ret_step = (tq_identify_step){.kind = TQ_STEP_THIN, .n_enough = id->n_enough};
            id->n_enough = 0;
            return TQ_OK;
        }
        if (now->pass != TQ_IDENTIFY_PASS_NONE && now->recording < now->n_end) {
            return begin_recording(id, ret_step, reterr);
        }
        if (now->pass != TQ_IDENTIFY_PASS_NONE) {
            status = end_pass(id, reterr);
        } else if (now->state == TQ_SESSION_DONE) {
            *ret_step = (tq_identify_step){.kind = TQ_STEP_DONE};
            return TQ_OK;
        } else {
            status = enter[now->state](id, reterr);
        }
    }
    return status;
}

size_t tq_identify_size(const tq_mechanism *mechanism, const tq_identify_options *options)
{
    const size_t nv = mechanism->model.nv;
    return tq_scratch_cost(1, sizeof(tq_identify)) +
           2 * tq_scratch_cost(options->n_recording, sizeof(size_t)) +
           tq_scratch_cost(nv, sizeof(double)) +
           tq_scratch_cost(options->n_fitted * nv, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(tq_high_frequency_inertia_sums));
}

/* hash of all inputs that a saved state depends on */
static uint64_t fingerprint_of(const tq_identify_options *o, size_t nv)
{
    uint64_t sum = (uint64_t)o->n_recording * 1000003u + (uint64_t)o->n_fitted * 31u + nv;
    const tq_recording_filter f = o->filter;
    const double numbers[] = {
        (double)f.kind,          (double)f.order,  f.cutoff,           f.tau_f,
        (double)f.window,        (double)f.degree, (double)f.decimate, (double)o->fit.method,
        o->is_output ? 1.0 : 0.0};
    sum ^= tq_archive_checksum((const unsigned char *)numbers, sizeof numbers);
    if (f.own != NULL) {
        sum ^= tq_archive_checksum((const unsigned char *)f.own, nv * sizeof *f.own);
    }
    for (size_t i = 0; i < o->n_recording; i++) {
        const tq_identify_recording *r = &o->recordings[i];
        const double measured[] = {r->n_row,  r->n_moving, (double)r->n_cached,
                                   r->period, r->step,     r->motion};
        sum = sum * 1099511628211u ^
              tq_archive_checksum((const unsigned char *)measured, sizeof measured);
        if (r->floor != NULL) {
            sum ^= tq_archive_checksum((const unsigned char *)r->floor, nv * sizeof *r->floor);
        }
    }
    return sum;
}

tq_status tq_identify_begin(const tq_mechanism *mechanism, const tq_identify_options *options,
                            tq_scratch *memory, tq_scratch *own, tq_identify **ret_session,
                            tq_error *reterr)
{
    const size_t nv = mechanism->model.nv;
    tq_identify *id = tq_scratch_take(own, 1, sizeof *id);
    size_t *pushed = tq_scratch_take(own, options->n_recording, sizeof *pushed);
    size_t *fitted = tq_scratch_take(own, options->n_recording, sizeof *fitted);
    double *usual = tq_scratch_take(own, nv, sizeof *usual);
    double *variance = tq_scratch_take(own, options->n_fitted * nv, sizeof *variance);
    tq_high_frequency_inertia_sums *aligns = tq_scratch_take(own, nv, sizeof *aligns);
    if (id == NULL || pushed == NULL || fitted == NULL || usual == NULL || variance == NULL ||
        aligns == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "own", 0,
                       (double)tq_identify_size(mechanism, options));
    }
    memset(id, 0, sizeof *id);
    memset(pushed, 0, options->n_recording * sizeof *pushed);
    memset(fitted, 0, options->n_recording * sizeof *fitted);
    id->mechanism = mechanism;
    id->options = *options;
    id->memory = memory;
    id->nv = nv;
    id->pushed = pushed;
    id->fitted = fitted;
    id->usual = usual;
    id->variance = variance;
    id->aligns = aligns;
    id->result.variance = variance;
    id->now.state = TQ_SESSION_START;
    id->now.method = options->fit.method;
    id->now.extra = options->fit.model.extra;
    id->now.smoothing = options->fit.model.smoothing;
    id->now.presliding = options->fit.model.presliding;
    id->now.relaxation = options->fit.model.relaxation;
    id->now.lag_samples = options->fit.lag;
    id->now.lag = options->lag;
    id->now.delay = options->delay;
    id->now.searches_delay = options->searches_delay;
    id->now.searches_load = options->searches_load;
    id->now.searches_stribeck = options->searches_stribeck;
    id->now.searches_sign = options->searches_sign;
    id->fingerprint = fingerprint_of(options, nv);
    *ret_session = id;
    return TQ_OK;
}
