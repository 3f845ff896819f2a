/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/validate.c - the validation pass: residuals, predictions, rollouts, static
 * check. */
#include <math.h>
#include <string.h>

#include "core/identify/session/session_private.h"

static const double outliers_reported = 0.01; /* of the rows of a recording; more are reported */
static const double lag_most = 0.01;          /* s, of a first-order lag of torque: parameters are
                                                 not usable above */

#define STANDSTILL 0.25 /* s, the shortest pose of the static check */

static tq_rollout_plan rollout_plan(const tq_identify *id, size_t i)
{
    const double period = id->options.recordings[i].step * (double)id->options.filter.decimate;
    return tq_rollout_plan_for(period, TQ_IDENTIFY_HORIZON, tq_identify_expected(id, i, false));
}

static size_t rollout_size(const tq_identify *id)
{
    size_t most = 0;
    for (size_t i = 0; tq_rollout_can(id->fit) && i < id->options.n_recording; i++) {
        const tq_rollout_plan plan = rollout_plan(id, i);
        const size_t size = tq_rollout_size(id->fit, &plan);
        most = size > most ? size : most;
    }
    return most;
}

static tq_static_check_plan static_check_plan(const tq_identify *id, size_t i)
{
    enum { LEAST = 4 };
    const double period = id->options.recordings[i].step * (double)id->options.filter.decimate;
    const double n = round(STANDSTILL / period);
    return (tq_static_check_plan){.period = period,
                                  .row_is_used = id->options.recordings[i].row_is_used,
                                  .moving = TQ_IDENTIFY_MOVING,
                                  .least = n > (double)LEAST ? (size_t)n : LEAST};
}

/* memory for the predictions of a recording; *ret_every: samples per point */
static size_t series_room(const tq_identify *id, size_t i, uint64_t *ret_every)
{
    const size_t n = i < id->options.n_fitted ? id->fitted[i] : tq_identify_expected(id, i, false);
    const size_t n_point = id->options.n_point;
    *ret_every = n > n_point ? (n + n_point - 1) / n_point : 1;
    return n / *ret_every + 2;
}

static size_t results_size(const tq_identify *id)
{
    const size_t n = id->options.n_recording;
    const size_t nv = id->nv;
    size_t size = tq_scratch_cost((n + 2) * 3 * nv, sizeof(tq_residual_stats)) +
                  tq_scratch_cost((n + 1) * nv, sizeof(tq_rollout_error)) +
                  tq_scratch_cost(n, sizeof(tq_identify_residuals)) +
                  tq_scratch_cost(n, sizeof(tq_identify_series)) +
                  tq_scratch_cost(n, sizeof(tq_identify_rollouts)) +
                  tq_scratch_cost(tq_fit_value_count(id->fit), sizeof(double)) +
                  tq_scratch_cost(nv * TQ_BLOCK, sizeof(double));
    for (size_t i = 0; i < n; i++) {
        uint64_t every = 1;
        const size_t room = series_room(id, i, &every);
        size +=
            tq_scratch_cost(room, sizeof(double)) + 2 * tq_scratch_cost(room * nv, sizeof(double));
    }
    return size;
}

/* A robot document cannot represent presliding and load-dependent friction. */
static bool needs_stand_in(const tq_identify *id)
{
    const tq_fit_model model = tq_session_fit_options(id).model;
    return model.kind == TQ_FIT_BASE && (model.with & (unsigned)TQ_REGRESS_COULOMB) != 0 &&
           (model.presliding > 0.0 || (model.extra & (unsigned)TQ_FIT_LOAD) != 0);
}

size_t tq_session_validation_size(const tq_identify *id)
{
    return 3 * tq_residuals_size(id->fit) + 2 * tq_static_check_size(id->fit) +
           tq_noise_bias_size(id->fit) + tq_diagnosis_size(id->fit, id->options.n_fitted) +
           (needs_stand_in(id) ? tq_stand_in_size(id->fit) : 0) + tq_fit_solve_size(id->fit) +
           rollout_size(id) + results_size(id);
}

/* the memory of earlier passes is released first */
tq_status tq_session_validate(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    tq_session_need(id, TQ_IDENTIFY_OF_STREAM, 0);
    tq_session_need(id, TQ_IDENTIFY_OF_SOLVER, 0);
    tq_session_need(id, TQ_IDENTIFY_OF_VALIDATION, tq_session_validation_size(id));
    id->now.state = TQ_SESSION_VALIDATE_PASS;
    return TQ_OK;
}

static bool take_series(tq_identify *id, size_t i, tq_scratch *scratch)
{
    tq_identify_series *s = &id->result.series[i];
    *s = (tq_identify_series){0};
    s->room = series_room(id, i, &s->every);
    s->t = tq_scratch_take(scratch, s->room, sizeof(double));
    s->measured = tq_scratch_take(scratch, s->room * id->nv, sizeof(double));
    s->predicted = tq_scratch_take(scratch, s->room * id->nv, sizeof(double));
    return s->t != NULL && s->measured != NULL && s->predicted != NULL;
}

static void place_stats(const tq_identify *id, size_t k, tq_identify_residuals *ret)
{
    for (size_t part = 0; part < 3; part++) {
        ret->parts[part] = id->validation.stats + (3 * k + part) * id->nv;
    }
}

/* arrays of the results; zero until a recording has ended */
static bool take_results(tq_identify *id, tq_scratch *scratch)
{
    const size_t n = id->options.n_recording;
    const size_t nv = id->nv;
    tq_identify_result *result = &id->result;
    tq_session_validation *v = &id->validation;
    v->value = tq_scratch_take(scratch, tq_fit_value_count(id->fit), sizeof *v->value);
    v->tau = tq_scratch_take(scratch, nv * TQ_BLOCK, sizeof *v->tau);
    v->stats = tq_scratch_take(scratch, (n + 2) * 3 * nv, sizeof *v->stats);
    v->errors = tq_scratch_take(scratch, (n + 1) * nv, sizeof *v->errors);
    result->recordings = tq_scratch_take(scratch, n, sizeof *result->recordings);
    result->series = tq_scratch_take(scratch, n, sizeof *result->series);
    result->rollouts = tq_scratch_take(scratch, n, sizeof *result->rollouts);
    if (v->value == NULL || v->tau == NULL || v->stats == NULL || v->errors == NULL ||
        result->recordings == NULL || result->series == NULL || result->rollouts == NULL) {
        return false;
    }
    memset(v->stats, 0, (n + 2) * 3 * nv * sizeof *v->stats);
    memset(v->errors, 0, (n + 1) * nv * sizeof *v->errors);
    memset(result->rollouts, 0, n * sizeof *result->rollouts);
    result->all_rollouts = (tq_identify_rollouts){.joints = v->errors + n * nv};
    place_stats(id, n, &result->fitted);
    place_stats(id, n + 1, &result->validated);
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        place_stats(id, i, &result->recordings[i]);
        good = good && take_series(id, i, scratch);
    }
    return good;
}

tq_status tq_session_validation_begin(tq_identify *id, tq_error *reterr)
{
    tq_session_validation *v = &id->validation;
    tq_scratch *scratch = &id->memory[TQ_IDENTIFY_OF_VALIDATION];
    const double *value = id->result.solution.value;
    *v = (tq_session_validation){0};
    if (!take_results(id, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_session_validation_size(id));
    }
    tq_status status =
        tq_residuals_begin(id->fit, value, TQ_IDENTIFY_MOVING, scratch, &v->fitted, reterr);
    if (status == TQ_OK) {
        status =
            tq_residuals_begin(id->fit, value, TQ_IDENTIFY_MOVING, scratch, &v->validated, reterr);
    }
    if (status == TQ_OK && !tq_session_has_instruments(id)) {
        status = tq_noise_bias_begin(id->fit, &id->result.solution, scratch, &v->noise, reterr);
    }
    if (status == TQ_OK) {
        const tq_diagnosis_window window = tq_diagnosis_window_for(
            id->fit, id->options.n_fitted, id->variance, tq_session_corner(id));
        status = tq_diagnosis_begin(id->fit, &id->result.solution, id->options.n_fitted, window,
                                    scratch, &v->diagnosis, reterr);
    }
    if (status == TQ_OK && needs_stand_in(id)) {
        status = tq_stand_in_begin(id->fit, id->options.n_fitted, scratch, &v->stand_in, reterr);
    }
    for (unsigned k = 0; status == TQ_OK && k < 2; k++) {
        status = tq_static_check_begin(id->fit, scratch, &v->checks[k], reterr);
    }
    v->mark = tq_scratch_mark(scratch);
    return status;
}

tq_status tq_session_validate_pass(tq_identify *id, tq_error *reterr)
{
    tq_session_request(id, TQ_IDENTIFY_PASS_VALIDATE, id->options.n_recording,
                       TQ_SESSION_VALIDATED);
    return tq_session_validation_begin(id, reterr);
}

/* ------------------------------------------------------------------------------------------------
 * One recording
 */

tq_status tq_session_validate_begin_recording(tq_identify *id, size_t i, tq_error *reterr)
{
    tq_session_validation *v = &id->validation;
    tq_scratch *scratch = &id->memory[TQ_IDENTIFY_OF_VALIDATION];
    v->is_fitted = i < id->options.n_fitted;
    v->is_left_out = v->is_fitted && id->options.validation == TQ_VALIDATE_LEAVE_ONE_OUT;
    v->has_own = !(v->is_fitted && id->options.n_fitted == 1); /* with a single recording `fitted`
                                                                  is the same */
    v->rollout = NULL;
    tq_scratch_rewind(scratch, v->mark);
    memcpy(v->value, id->result.solution.value, tq_fit_value_count(id->fit) * sizeof *v->value);
    tq_status status = TQ_OK;
    if (v->is_left_out) {
        status = tq_fit_solve_without(id->fit, i, scratch, v->value, reterr);
    }
    if (status == TQ_OK) {
        status =
            tq_residuals_begin(id->fit, v->value, TQ_IDENTIFY_MOVING, scratch, &v->own, reterr);
    }
    if (status == TQ_OK && tq_rollout_can(id->fit)) {
        const tq_rollout_plan plan = rollout_plan(id, i);
        status = tq_rollout_begin(id->fit, v->value, &plan, scratch, &v->rollout, reterr);
    }
    if (status == TQ_OK) {
        const tq_static_check_plan plan = static_check_plan(id, i);
        status = tq_static_check_next(v->checks[v->is_fitted ? 0 : 1], v->value, &plan, reterr);
    }
    if (v->is_fitted && v->diagnosis != NULL) {
        tq_diagnosis_next(v->diagnosis, i, tq_identify_expected(id, i, false));
    }
    if (v->is_fitted && v->stand_in != NULL) {
        tq_stand_in_next(v->stand_in, tq_identify_expected(id, i, false));
    }
    v->validated.value = v->value;
    v->fitted.row_is_used = v->validated.row_is_used = v->own.row_is_used =
        id->options.recordings[i].row_is_used;
    tq_residuals_next(&v->fitted);
    tq_residuals_next(&v->validated);
    return status;
}

static void keep_points(tq_identify *id, const tq_experiment_block *block, const double *t)
{
    tq_identify_series *s = &id->result.series[id->now.recording];
    const size_t nv = id->nv;
    const size_t stride = block->stride;
    for (size_t i = 0; i < block->n_sample; i++) {
        if (s->n_seen++ % s->every != 0 || s->n == s->room) {
            continue;
        }
        s->t[s->n] = t[i];
        for (size_t r = 0; r < nv; r++) {
            s->measured[s->n * nv + r] = block->tau_raw[r * stride + i];
            s->predicted[s->n * nv + r] = id->validation.tau[r * stride + i];
        }
        s->n++;
    }
}

tq_status tq_session_validate_push(tq_identify *id, const tq_experiment_block *block,
                                   const double *t, tq_error *reterr)
{
    tq_session_validation *v = &id->validation;
    tq_status status = TQ_OK;
    if (v->is_fitted) {
        status = tq_residuals_push(&v->fitted, block, v->has_own ? NULL : v->tau, reterr);
    }
    if (status == TQ_OK && (v->is_left_out || !v->is_fitted)) {
        status = tq_residuals_push(&v->validated, block, NULL, reterr);
    }
    if (status == TQ_OK && v->has_own) {
        status = tq_residuals_push(&v->own, block, v->tau, reterr);
    }
    if (status == TQ_OK && v->is_fitted && v->stand_in != NULL) {
        status = tq_stand_in_push(v->stand_in, block, v->value, v->tau, reterr);
    }
    if (status == TQ_OK && v->rollout != NULL) {
        status = tq_rollout_push(v->rollout, block, t, reterr);
    }
    if (status == TQ_OK) {
        status = tq_static_check_push(v->checks[v->is_fitted ? 0 : 1], block, t, reterr);
    }
    if (status == TQ_OK && v->is_fitted && v->noise != NULL) {
        status =
            tq_noise_bias_push(v->noise, block, id->variance + id->now.recording * id->nv, reterr);
    }
    if (status == TQ_OK && v->is_fitted && v->diagnosis != NULL) {
        status = tq_diagnosis_push(v->diagnosis, block, t, reterr);
    }
    if (status == TQ_OK) {
        keep_points(id, block, t);
    }
    return status;
}

static void keep_stats(const tq_residuals *sums, size_t nv, const tq_identify_residuals *ret)
{
    for (unsigned part = 0; part < 3; part++) {
        for (size_t r = 0; r < nv; r++) {
            ret->parts[part][r] = tq_residuals_of(sums, part, r);
        }
    }
}

static tq_status keep_rollouts(tq_identify *id, size_t i, tq_error *reterr)
{
    tq_session_validation *v = &id->validation;
    tq_identify_rollouts *of = &id->result.rollouts[i];
    tq_identify_rollouts *all = &id->result.all_rollouts;
    if (v->rollout == NULL) {
        return TQ_OK;
    }
    const tq_status status = tq_rollout_end(v->rollout, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const tq_rollout_plan plan = rollout_plan(id, i);
    of->joints = v->errors + i * id->nv;
    of->step = plan.period * (double)plan.every;
    of->n_window = tq_rollout_windows(v->rollout, &of->n_lost);
    all->n_window += of->n_window;
    all->n_lost += of->n_lost;
    for (size_t r = 0; r < id->nv; r++) {
        of->joints[r] = tq_rollout_of(v->rollout, r);
        tq_rollout_add(&all->joints[r], &of->joints[r]);
    }
    return TQ_OK;
}

tq_status tq_session_validate_end_recording(tq_identify *id, size_t i, tq_error *reterr)
{
    tq_session_validation *v = &id->validation;
    tq_status status = keep_rollouts(id, i, reterr);
    if (status == TQ_OK) {
        status = tq_static_check_end(v->checks[v->is_fitted ? 0 : 1], reterr);
    }
    keep_stats(v->has_own ? &v->own : &v->fitted, id->nv, &id->result.recordings[i]);
    v->validated.value = id->result.solution.value;
    tq_scratch_rewind(&id->memory[TQ_IDENTIFY_OF_VALIDATION], v->mark);
    return status;
}

/* True if the joint is deliberately at rest: its position is constant in all recordings, and other
 * joints have constant positions too. */
static bool rests(const tq_identify *id, uint32_t joint)
{
    size_t n_still = 0, n_other = 0;
    for (size_t e = 0; e < id->options.n_fitted; e++) {
        const tq_identify_recording *r = &id->options.recordings[e];
        bool is_still = false;
        for (size_t k = 0; k < r->n_stuck; k++) {
            is_still = is_still || (r->stuck[k].is_whole && r->stuck[k].joint == joint);
            n_other += r->stuck[k].is_whole && r->stuck[k].joint != joint;
        }
        n_still += is_still;
    }
    return n_still == id->options.n_fitted && n_other > 0;
}

/* The joint's torque is left out in the recording: it is read as 0. */
static bool is_left_out(const tq_identify *id, const tq_identify_recording *r, uint32_t joint)
{
    const size_t row = tq_mechanism_model(id->mechanism)->joints[joint].v_index;
    return !tq_fit_uses_row(id->fit, row) || (r->row_is_used != NULL && !r->row_is_used[row]);
}

/* recordings with replaced values, and the largest fraction of their rows */
static void put_outliers(tq_identify *id)
{
    tq_identify_result *result = &id->result;
    tq_finding found = {.kind = TQ_FINDING_OUTLIERS, .joint = TQ_NONE, .other = TQ_NONE};
    for (size_t e = 0; e < id->options.n_fitted && e < TQ_FINDING_RUNS; e++) {
        const tq_identify_recording *r = &id->options.recordings[e];
        const uint64_t n = r->n_outlier != NULL ? *r->n_outlier : 0;
        if ((double)n > outliers_reported * r->n_row) {
            found.runs |= (uint64_t)1 << e;
            found.size = fmax(found.size, (double)n / fmax(r->n_row, 1.0));
        }
    }
    if (found.runs != 0 && result->n_finding < TQ_FINDING_MAX) {
        result->findings[result->n_finding++] = found;
    }
}

/* Stuck columns come first: they spoil every other comparison. */
static tq_status diagnose(tq_identify *id, tq_error *reterr)
{
    tq_identify_result *result = &id->result;
    bool is_gross = false;
    result->n_finding = 0;
    for (size_t e = 0; e < id->options.n_fitted && e < TQ_FINDING_RUNS; e++) {
        const tq_identify_recording *r = &id->options.recordings[e];
        for (size_t k = 0; k < r->n_stuck && result->n_finding < TQ_FINDING_MAX; k++) {
            const tq_stuck *s = &r->stuck[k];
            if ((s->is_whole && rests(id, s->joint)) ||
                (s->of_torque && is_left_out(id, r, s->joint))) {
                continue;
            }
            result->findings[result->n_finding++] = (tq_finding){
                .kind = s->of_torque ? TQ_FINDING_TORQUE_STUCK : TQ_FINDING_POSITION_STUCK,
                .joint = s->joint,
                .other = TQ_NONE,
                .runs = (uint64_t)1 << e,
                .from = s->from,
                .to = s->to,
                .is_gross = !s->is_whole};
            is_gross = is_gross || !s->is_whole;
        }
    }
    put_outliers(id);
    if (id->now.torque_lag > 0.0 && result->n_finding < TQ_FINDING_MAX) {
        result->findings[result->n_finding++] =
            (tq_finding){.kind = TQ_FINDING_TORQUE_LAG,
                         .joint = TQ_NONE,
                         .other = TQ_NONE,
                         .size = 1.0 / (2.0 * M_PI * id->now.torque_lag),
                         .explained = id->now.torque_lag_gain,
                         .is_gross = id->now.torque_lag > lag_most};
    }
    result->is_diagnosed = !is_gross && id->validation.diagnosis != NULL;
    if (is_gross || result->n_finding == TQ_FINDING_MAX || id->validation.diagnosis == NULL) {
        return TQ_OK;
    }
    size_t n = 0;
    const tq_status status = tq_diagnosis_find(id->validation.diagnosis, id->variance,
                                               result->findings + result->n_finding,
                                               TQ_FINDING_MAX - result->n_finding, &n, reterr);
    result->n_finding += n;
    return status;
}

/* The static check uses the recordings for validation if they contain poses. */
tq_status tq_session_validated(tq_identify *id, tq_error *reterr)
{
    const tq_session_validation *v = &id->validation;
    const tq_identify_validation kind = id->options.validation;
    keep_stats(&v->fitted, id->nv, &id->result.fitted);
    keep_stats(&v->validated, id->nv, &id->result.validated);
    const bool has_own = kind == TQ_VALIDATE_SEPARATE && id->nv > 0 &&
                         tq_static_check_of(v->checks[1], 0).n_pose > 0;
    id->result.document = v->stand_in != NULL ? tq_stand_in_rows(v->stand_in) : NULL;
    id->result.static_check = v->checks[has_own ? 1 : 0];
    id->result.static_check_unseen = has_own || kind == TQ_VALIDATE_LEAVE_ONE_OUT;
    id->now.state = id->now.after_validate;
    return diagnose(id, reterr);
}

/* sums and results of the recordings completed so far */
void tq_session_validation_archive(tq_identify *id, tq_archive *archive)
{
    tq_session_validation *v = &id->validation;
    const size_t n = id->now.recording;
    const size_t nv = id->nv;
    tq_residuals_archive(&v->fitted, archive);
    tq_residuals_archive(&v->validated, archive);
    tq_static_check_archive(v->checks[0], archive);
    tq_static_check_archive(v->checks[1], archive);
    if (v->noise != NULL) {
        tq_noise_bias_archive(v->noise, archive);
    }
    if (v->diagnosis != NULL) {
        tq_diagnosis_archive(v->diagnosis, archive);
    }
    if (v->stand_in != NULL) {
        tq_stand_in_archive(v->stand_in, archive);
    }
    tq_archive_bytes(archive, v->stats, n * 3 * nv * sizeof *v->stats);
    tq_archive_bytes(archive, v->errors, n * nv * sizeof *v->errors);
    tq_identify_rollouts *all = &id->result.all_rollouts;
    tq_archive_bytes(archive, &all->n_window, sizeof all->n_window);
    tq_archive_bytes(archive, &all->n_lost, sizeof all->n_lost);
    tq_archive_bytes(archive, all->joints, nv * sizeof *all->joints);
    for (size_t i = 0; i < n; i++) {
        tq_identify_rollouts *of = &id->result.rollouts[i];
        tq_identify_series *s = &id->result.series[i];
        of->joints = tq_rollout_can(id->fit) ? v->errors + i * nv : NULL;
        tq_archive_bytes(archive, &of->n_window, sizeof of->n_window);
        tq_archive_bytes(archive, &of->n_lost, sizeof of->n_lost);
        tq_archive_doubles(archive, &of->step, 1);
        tq_archive_bytes(archive, &s->n, sizeof s->n);
        tq_archive_bytes(archive, &s->n_seen, sizeof s->n_seen);
        const size_t n_point = s->n < s->room ? s->n : s->room;
        tq_archive_doubles(archive, s->t, n_point);
        tq_archive_doubles(archive, s->measured, n_point * nv);
        tq_archive_doubles(archive, s->predicted, n_point * nv);
    }
}
