/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/verdict.c - what a kinematic calibration may be used for. */
#include <math.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"

static const double useless = 1.0;       /* of the error of left-out poses without the parameters */
static const double above_noise = 3.0;   /* residual over the stated noise */
static const double unsure = 3.0;        /* deviation within the limits, over the residual */
static const double misfit_most = 0.05;  /* residual over the extent of the positions */
static const double outliers_most = 0.1; /* of the poses */
static const double exact = 1e-9;        /* m */

/* sqrt(d^T C d) of a row of derivatives */
static double spread(const tq_kinematic_result *ret, const double *row)
{
    const size_t n = ret->n_active;
    double sum = 0.0;
    for (size_t a = 0; a < n; a++) {
        double part = 0.0;
        for (size_t b = 0; b < n; b++) {
            part += ret->covariance[a * n + b] * row[ret->active[b]];
        }
        sum += row[ret->active[a]] * part;
    }
    return fmax(sum, 0.0);
}

tq_status tq_kinematic_reach(tq_kinematic *k, tq_kinematic_result *ret, tq_error *reterr)
{
    const size_t n = k->n;
    const size_t mark = tq_scratch_mark(k->scratch);
    double *q = tq_scratch_take(k->scratch, k->problem->model->nq + 1u, sizeof *q);
    double *rows = tq_scratch_take(k->scratch, 3 * n, sizeof *rows);
    if (q == NULL || rows == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    tq_status status = TQ_OK;
    double sum = 0.0;
    ret->n_reach = 0;
    ret->reach_max = 0.0;
    for (size_t i = 0; status == TQ_OK && i < TQ_KINEMATIC_REACH; i++) {
        double square = 0.0;
        if (!tq_kinematic_random_pose(k, &ret->state, i, q)) {
            continue;
        }
        tq_kinematic_walk(k, q, &ret->state);
        tq_kinematic_position_rows(k, &ret->state, rows);
        for (size_t r = 0; r < 3; r++) {
            square += spread(ret, rows + r * n);
        }
        sum += square;
        ret->reach_max = fmax(ret->reach_max, sqrt(square));
        ret->n_reach++;
        status = tq_scratch_work(k->scratch, 3.0 * (double)ret->n_active * (double)ret->n_active,
                                 reterr);
    }
    ret->reach_rms = ret->n_reach > 0 ? sqrt(sum / (double)ret->n_reach) : (double)NAN;
    ret->reach_max = ret->n_reach > 0 ? ret->reach_max : (double)NAN;
    tq_scratch_rewind(k->scratch, mark);
    return status;
}

static void add(tq_kinematic_result *ret, tq_kinematic_verdict verdict, tq_kinematic_reason kind,
                size_t index, double value)
{
    ret->verdict = verdict > ret->verdict ? verdict : ret->verdict;
    if (ret->n_reason < TQ_KINEMATIC_REASON_MAX) {
        ret->reasons[ret->n_reason].kind = kind;
        ret->reasons[ret->n_reason].index = index;
        ret->reasons[ret->n_reason].value = value;
        ret->n_reason++;
    }
}

static void judge_poses(const tq_kinematic *k, tq_kinematic_result *ret)
{
    size_t first = SIZE_MAX;
    size_t count = 0;
    for (size_t c = 0; c < k->n; c++) {
        if (ret->estimate[c].role == TQ_KINEMATIC_NO_POSE) {
            first = first == SIZE_MAX ? c : first;
            count++;
        }
    }
    if (count > 0) {
        add(ret, TQ_KINEMATIC_INSUFFICIENT, TQ_KINEMATIC_REASON_NO_POSE, first, (double)count);
    }
    const double harmless = fmax(ret->held_before.position_rms, unsure * ret->after.position_rms);
    if (ret->reach_rms > fmax(harmless, exact)) {
        add(ret, TQ_KINEMATIC_INSUFFICIENT, TQ_KINEMATIC_REASON_REACH, 0, ret->reach_rms);
    }
}

/* Root mean square distance of the target from its mean, m. */
static double extent(tq_kinematic *k, const tq_kinematic_state *x)
{
    const tq_kinematic_problem *p = k->problem;
    double sum[3] = {0.0};
    double square = 0.0;
    for (size_t i = 0; i < p->n_pose; i++) {
        tq_kinematic_walk(k, p->q + i * p->model->nq, x);
        for (unsigned c = 0; c < 3; c++) {
            sum[c] += k->tip.p[c];
            square += k->tip.p[c] * k->tip.p[c];
        }
    }
    const double n = (double)p->n_pose;
    for (unsigned c = 0; c < 3; c++) {
        square -= sum[c] * sum[c] / n;
    }
    return sqrt(fmax(square, 0.0) / n);
}

void tq_kinematic_conclude(tq_kinematic *k, tq_kinematic_result *ret)
{
    ret->n_reason = 0;
    ret->verdict = TQ_KINEMATIC_USABLE;
    judge_poses(k, ret);
    const tq_kinematic_errors *before = &ret->held_before, *after = &ret->held_after;
    const double gain = after->position_rms / before->position_rms;
    const double turn = k->m == 6 ? after->rotation_rms / before->rotation_rms : gain;
    if (gain >= useless && turn >= useless && before->position_rms > exact) {
        add(ret, TQ_KINEMATIC_INCOMPLETE, TQ_KINEMATIC_REASON_NO_GAIN, 0, gain);
    }
    const double misfit = ret->after.position_rms / extent(k, &ret->state);
    if (misfit > misfit_most) { /* false for NaN: a target that does not move */
        add(ret, TQ_KINEMATIC_INCOMPLETE, TQ_KINEMATIC_REASON_MISFIT, 0, misfit);
    }
    for (size_t c = 0; c < k->n; c++) {
        if (ret->estimate[c].is_at_limit) {
            add(ret, TQ_KINEMATIC_INCOMPLETE, TQ_KINEMATIC_REASON_LIMIT, c, ret->estimate[c].value);
        }
    }
    if (ret->variance_factor > above_noise * above_noise) {
        add(ret, TQ_KINEMATIC_INCOMPLETE, TQ_KINEMATIC_REASON_NOISE, 0, sqrt(ret->variance_factor));
    }
    if (ret->n_outlier > 0) {
        const bool many = (double)ret->n_outlier > outliers_most * (double)k->problem->n_pose;
        const bool stays = !k->problem->is_robust;
        add(ret, many || stays ? TQ_KINEMATIC_INCOMPLETE : TQ_KINEMATIC_USABLE,
            TQ_KINEMATIC_REASON_OUTLIERS, 0, (double)ret->n_outlier);
    }
}
