/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/residuals.c - the second pass over logs: residuals, predictions, forward
 * simulations. */
#include <math.h>
#include <string.h>

#include "api/operations/calibrate/calibrate.h"

typedef struct watcher {
    tqa_calibration *c;
    tqa_calibrate_series *series;
    tq_residuals *all; /* the fit's own values over everything fitted; NULL: a log for validation */
    tq_residuals *other; /* values that have not seen this log; NULL: none */
    tq_residuals *own;  /* this log alone, by the values that its series shows; NULL: it is `all` */
    tq_rollout *replay; /* NULL: none can be */
    tq_static_check *stand;
    const double *variance; /* (nv) of the accelerations' noise; NULL: nobody asks */
    double *tau;            /* (nv x TQ_BLOCK) */
    size_t log, n_block;
} watcher;

static void keep_points(const watcher *w, const tqa_recording_block *block)
{
    tqa_calibrate_series *s = w->series;
    const size_t nv = w->c->order.nv;
    const size_t stride = block->data.stride;
    for (size_t i = 0; i < block->data.n_sample; i++) {
        if (s->n_seen++ % s->every != 0 || s->n == s->room) {
            continue;
        }
        s->t[s->n] = block->t[i];
        for (size_t r = 0; r < nv; r++) {
            s->measured[s->n * nv + r] = block->data.tau_raw[r * stride + i];
            s->predicted[s->n * nv + r] = w->tau[r * stride + i];
        }
        s->n++;
    }
}

static bool judge_block(void *ctx, const tqa_recording_block *block)
{
    watcher *w = ctx;
    tq_error error = {0};
    tq_status status = TQ_OK;
    if (w->all != NULL) {
        status = tq_residuals_push(w->all, &block->data, w->own == NULL ? w->tau : NULL, &error);
    }
    if (status == TQ_OK && w->other != NULL) {
        status = tq_residuals_push(w->other, &block->data, NULL, &error);
    }
    if (status == TQ_OK && w->own != NULL) {
        status = tq_residuals_push(w->own, &block->data, w->tau, &error);
    }
    if (status == TQ_OK && w->replay != NULL) {
        status = tq_rollout_push(w->replay, &block->data, block->t, &error);
    }
    if (status == TQ_OK) {
        status = tq_static_check_push(w->stand, &block->data, block->t, &error);
    }
    if (status == TQ_OK && w->variance != NULL) {
        status = tq_noise_bias_push(w->c->noise, &block->data, w->variance, &error);
    }
    if (status != TQ_OK) {
        return tqa_calibration_fail(w->c, status, &error);
    }
    keep_points(w, block);
    return tqa_calibration_tell_within(w->c, TQA_STAGE_VALIDATE, w->log, ++w->n_block,
                                       (double)tqa_calibration_expected(w->c, &w->c->logs[w->log]));
}

static bool make_series(tqa_calibration *c, size_t i)
{
    tqa_calibrate_series *s = &c->series[i];
    const size_t nv = c->order.nv;
    const size_t n =
        i < c->n_fitted ? c->logs[i].signal.n_sample : tqa_calibration_expected(c, &c->logs[i]);
    s->every = n > c->n_point ? (n + c->n_point - 1) / c->n_point : 1;
    s->room = n / s->every + 2;
    s->t = tqa_tree_take(c->control, s->room, sizeof(double));
    s->measured = tqa_tree_take(c->control, s->room * nv, sizeof(double));
    s->predicted = tqa_tree_take(c->control, s->room * nv, sizeof(double));
    return s->t != NULL && s->measured != NULL && s->predicted != NULL;
}

static bool keep_judged(tqa_calibration *c, const tq_residuals *judge, tqa_calibrate_judged *ret)
{
    for (unsigned part = 0; part < 3; part++) {
        ret->parts[part] = tqa_tree_take(c->control, c->order.nv, sizeof *ret->parts[part]);
        if (ret->parts[part] == NULL) {
            return false;
        }
        for (size_t r = 0; r < c->order.nv; r++) {
            ret->parts[part][r] = tq_residuals_of(judge, part, r);
        }
    }
    return true;
}

static tq_rollout_plan plan_of(const tqa_calibration *c, size_t i)
{
    const tqa_recording *log = &c->logs[i];
    return tq_rollout_plan_for(log->signal.step * (double)c->request.options.filter.decimate,
                               TQA_CALIBRATE_HORIZON, tqa_calibration_expected(c, log));
}

static size_t replay_size(const tqa_calibration *c)
{
    size_t most = 0;
    for (size_t i = 0; tq_rollout_can(c->fit) && i < c->n_log; i++) {
        const tq_rollout_plan plan = plan_of(c, i);
        const size_t size = tq_rollout_size(c->fit, &plan);
        most = size > most ? size : most;
    }
    return most;
}

/* What the log's replay came to, and all logs' together. */
static bool keep_replayed(tqa_calibration *c, size_t i, tq_rollout *replay)
{
    tqa_calibrate_replayed *of = &c->replayed[i];
    tqa_calibrate_replayed *all = &c->all_replayed;
    tq_error error = {0};
    if (replay == NULL) {
        return true;
    }
    const tq_status status = tq_rollout_end(replay, &error);
    if (status != TQ_OK) {
        return tqa_calibration_fail(c, status, &error);
    }
    const tq_rollout_plan plan = plan_of(c, i);
    of->joints = tqa_tree_take(c->control, c->order.nv, sizeof *of->joints);
    of->step = plan.period * (double)plan.every;
    of->n_window = tq_rollout_windows(replay, &of->n_lost);
    all->n_window += of->n_window;
    all->n_lost += of->n_lost;
    for (size_t r = 0; of->joints != NULL && r < c->order.nv; r++) {
        of->joints[r] = tq_rollout_of(replay, r);
        tq_rollout_add(&all->joints[r], &of->joints[r]);
    }
    return of->joints != NULL;
}

static tq_static_check_plan stand_plan_of(const tqa_calibration *c, size_t i)
{
    enum { LEAST = 4 };
    const double period = c->logs[i].signal.step * (double)c->request.options.filter.decimate;
    const double n = round(TQA_CALIBRATE_STAND / period);
    return (tq_static_check_plan){.period = period,
                                  .moving = TQA_CALIBRATE_MOVING,
                                  .least = n > (double)LEAST ? (size_t)n : LEAST};
}

static bool end_stand(const tqa_calibration *c, tq_static_check *stand)
{
    tq_error error = {0};
    const tq_status status = tq_static_check_end(stand, &error);
    return status == TQ_OK || tqa_calibration_fail(c, status, &error);
}

/* One log: by the fit, and by values that have not seen it. */
static bool judge_log(tqa_calibration *c, size_t i, double *value, tq_scratch *scratch)
{
    const bool is_fitted = i < c->n_fitted;
    const bool is_left_out = is_fitted && c->validation == TQA_VALIDATE_LEAVE_ONE_OUT;
    const size_t mark = tq_scratch_mark(scratch);
    tq_residuals own;
    tq_error error = {0};
    const bool is_alone = c->n_fitted == 1 && is_fitted;
    watcher w = {.c = c, .series = &c->series[i], .own = is_alone ? NULL : &own, .log = i};
    w.all = is_fitted ? &c->fitted : NULL;
    w.other = is_left_out || !is_fitted ? &c->validated : NULL;
    w.tau = tq_scratch_take(scratch, c->order.nv * TQ_BLOCK, sizeof(double));
    w.stand = c->stands[is_fitted ? 0 : 1];
    w.variance = is_fitted && c->noise != NULL ? c->variance + i * c->order.nv : NULL;
    tq_status status = TQ_OK;
    memcpy(value, c->solution.value, tq_fit_value_count(c->fit) * sizeof *value);
    if (is_left_out) {
        status = tq_fit_solve_without(c->fit, i, scratch, value, &error);
    }
    if (status == TQ_OK) {
        status = tq_residuals_begin(c->fit, value, TQA_CALIBRATE_MOVING, scratch, &own, &error);
    }
    if (status == TQ_OK && tq_rollout_can(c->fit)) {
        const tq_rollout_plan plan = plan_of(c, i);
        status = tq_rollout_begin(c->fit, value, &plan, scratch, &w.replay, &error);
    }
    if (status == TQ_OK) {
        const tq_static_check_plan plan = stand_plan_of(c, i);
        status = tq_static_check_next(w.stand, value, &plan, &error);
    }
    if (status != TQ_OK) {
        return tqa_calibration_fail(c, status, &error);
    }
    c->validated.value = value;
    tq_residuals_next(&c->fitted);
    tq_residuals_next(&c->validated);
    const bool good = make_series(c, i) && tqa_recording_pass(&c->logs[i], judge_block, &w) &&
                      tqa_calibration_has_samples(&c->logs[i]) && keep_replayed(c, i, w.replay) &&
                      end_stand(c, w.stand) &&
                      keep_judged(c, is_alone ? &c->fitted : &own, &c->judged_logs[i]);
    c->validated.value = c->solution.value;
    tq_scratch_rewind(scratch, mark);
    return good;
}

double tqa_calibration_white(const tq_residual_stats *judged)
{
    return 2.0 / sqrt(judged->n_sample > 0 ? (double)judged->n_sample : 1.0);
}

double tqa_calibration_drift(const tq_rollout_error *joint)
{
    /* a joint that never moved a hundredth of a milliradian tells nothing */
    return joint->n > 0 && joint->coasting_q > 1e-5 ? joint->rmse_q / joint->coasting_q
                                                    : (double)NAN;
}

bool tqa_calibration_validate(tqa_calibration *c)
{
    tq_scratch *scratch = &c->of_judges;
    tq_error error = {0};
    /* of the fit before; a pass that follows takes its own again */
    tqa_tree_give_scratch(c->control, scratch);
    tqa_tree_give_scratch(c->control, &c->stream);
    tqa_tree_give_scratch(c->control, &c->scratch);
    double *value = tqa_tree_take(c->control, tq_fit_value_count(c->fit), sizeof *value);
    c->all_replayed = (tqa_calibrate_replayed){0};
    c->noise = NULL;
    c->series = tqa_tree_take(c->control, c->n_log, sizeof *c->series);
    c->judged_logs = tqa_tree_take(c->control, c->n_log, sizeof *c->judged_logs);
    c->replayed = tqa_tree_take(c->control, c->n_log, sizeof *c->replayed);
    c->all_replayed.joints = tqa_tree_take(c->control, c->order.nv, sizeof *c->all_replayed.joints);
    const size_t block = tq_scratch_cost(c->order.nv * TQ_BLOCK, sizeof(double));
    if (value == NULL || c->series == NULL || c->judged_logs == NULL || c->replayed == NULL ||
        c->all_replayed.joints == NULL ||
        !tqa_calibration_take(c,
                              3 * tq_residuals_size(c->fit) + 2 * tq_static_check_size(c->fit) +
                                  tq_noise_bias_size(c->fit) + block + tq_fit_solve_size(c->fit) +
                                  replay_size(c),
                              scratch)) {
        return false;
    }
    tq_status status = tq_residuals_begin(c->fit, c->solution.value, TQA_CALIBRATE_MOVING, scratch,
                                          &c->fitted, &error);
    if (status == TQ_OK) {
        status = tq_residuals_begin(c->fit, c->solution.value, TQA_CALIBRATE_MOVING, scratch,
                                    &c->validated, &error);
    }
    if (status == TQ_OK && !tqa_calibration_has_instruments(c)) {
        status = tq_noise_bias_begin(c->fit, &c->solution, scratch, &c->noise, &error);
    }
    for (unsigned k = 0; status == TQ_OK && k < 2; k++) {
        status = tq_static_check_begin(c->fit, scratch, &c->stands[k], &error);
    }
    if (status != TQ_OK) {
        return tqa_calibration_fail(c, status, &error);
    }
    for (size_t i = 0; i < c->n_log; i++) {
        if (!tqa_calibration_tell(c, TQA_STAGE_VALIDATE, (double)i, c->n_log, "validate") ||
            !judge_log(c, i, value, scratch)) {
            return false;
        }
    }
    return keep_judged(c, &c->fitted, &c->judged_fit) &&
           keep_judged(c, &c->validated, &c->judged_validation);
}
