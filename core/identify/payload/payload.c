/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/payload/payload.c - sums over recordings: residual torque of the model, and the
 * carrier's columns. */
#include <math.h>
#include <string.h>

#include "core/identify/payload/payload_private.h"
#include "core/identify/regression/bodies.h"

enum {
    SEGMENTS_OF_ONE = 32,
    SEGMENTS_OF_ALL = 48,
    SEGMENTS_LEAST = 2,
    POSE_LEAST = 4, /* samples */
};
static const double moving = 0.01;     /* slower samples of a joint are left out */
static const double standstill = 0.25; /* s, the shortest pose */

tq_fit_options tq_payload_fit_options(const tq_model *model)
{
    tq_fit_options options = tq_fit_defaults();
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].spring.stiffness != 0.0) {
            options.model.with |= (unsigned)TQ_REGRESS_STIFFNESS;
        }
        if (model->joints[j].friction.stribeck_velocity > 0.0) {
            options.model.extra |= (unsigned)TQ_FIT_STRIBECK;
        }
    }
    return options;
}

/* index k of the joint model->order[k] whose child the link is; TQ_NONE: none */
static uint32_t position_of(const tq_model *model, uint32_t link)
{
    for (uint32_t k = 0; k < model->n_joint; k++) {
        if (model->joints[model->order[k]].child == link) {
            return k;
        }
    }
    return TQ_NONE;
}

static uint32_t joint_of_row(const tq_model *model, size_t row)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv == 1 && model->joints[j].v_index == row &&
            tq_is_rubbing(&model->joints[j])) {
            return j;
        }
    }
    return TQ_NONE;
}

static size_t count_rows(const tq_model *model, uint32_t link)
{
    size_t n = 0;
    for (size_t r = 0; r < model->nv; r++) {
        n += tq_row_moves_link(model, r, link);
    }
    return n;
}

bool tq_payload_is_moved(const tq_model *model, uint32_t link)
{
    return link != TQ_NONE && count_rows(model, link) > 0;
}

uint32_t tq_payload_last_link(const tq_model *model)
{
    uint32_t best = TQ_NONE;
    size_t most = 0;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const uint32_t link = model->joints[model->order[k]].child;
        const size_t n = count_rows(model, link);
        if (n > most) {
            most = n;
            best = link;
        }
    }
    return best;
}

static size_t segments_of(size_t n_recording)
{
    const size_t share = SEGMENTS_OF_ALL / n_recording;
    return n_recording == 1         ? (size_t)SEGMENTS_OF_ONE
           : share < SEGMENTS_LEAST ? (size_t)SEGMENTS_LEAST
                                    : share;
}

size_t tq_payload_size(const tq_fit *fit, const tq_payload_plan *plan)
{
    const size_t n_row = count_rows(&fit->mechanism->model, plan->link);
    const size_t n = plan->n_recording * segments_of(plan->n_recording);
    return tq_scratch_cost(1, sizeof(tq_payload)) + 2 * tq_scratch_cost(n_row, sizeof(uint32_t)) +
           tq_scratch_cost(tq_fit_value_count(fit), sizeof(double)) + tq_fit_run_size(fit) +
           tq_scratch_cost(TQ_FOLD_RUN, sizeof(double)) +
           tq_scratch_cost(n * n_row * TQ_PAYLOAD_GRAM, sizeof(double)) +
           tq_scratch_cost(n * n_row, sizeof(double)) + tq_scratch_cost(n, 1) +
           2 * tq_static_check_size(fit) +
           tq_scratch_cost(2 * n_row * TQ_PAYLOAD_GRAM, sizeof(double)) +
           tq_scratch_cost(n_row, sizeof(double)) +
           tq_scratch_cost(fit->n_row * TQ_PAYLOAD_FRICTIONS, sizeof(double)) +
           tq_scratch_cost(2 * fit->n_row, sizeof(double)) +
           tq_feasible_size(1, 0, TQ_PAYLOAD_TEN, 0);
}

/* values of all columns by the model: base combinations, and breakaway - Coulomb for Stribeck
 * columns */
static void put_values(const tq_fit *fit, double *ret)
{
    const tq_model *model = &fit->mechanism->model;
    memset(ret, 0, tq_fit_value_count(fit) * sizeof *ret);
    tq_fit_combine(fit, fit->options.prior, ret);
    for (size_t c = fit->base.n_base; c < fit->n_column; c++) {
        if (fit->columns[c].kind == TQ_COLUMN_STRIBECK) {
            const tq_friction *f = &model->joints[fit->columns[c].joint].friction;
            ret[c] = f->stribeck_velocity > 0.0 ? f->breakaway - f->coulomb : 0.0;
        }
    }
}

static tq_status take(tq_payload *p, tq_scratch *memory, tq_error *reterr)
{
    const tq_fit *fit = p->fit;
    const size_t n = p->plan.n_recording * p->each;
    p->row = tq_scratch_take(memory, p->n_row, sizeof *p->row);
    p->joint = tq_scratch_take(memory, p->n_row, sizeof *p->joint);
    p->value = tq_scratch_take(memory, tq_fit_value_count(fit), sizeof(double));
    p->torque = tq_scratch_take(memory, TQ_FOLD_RUN, sizeof(double));
    p->grams = tq_scratch_take(memory, n * p->n_row * TQ_PAYLOAD_GRAM, sizeof(double));
    p->count = tq_scratch_take(memory, n * p->n_row, sizeof(double));
    p->carries = tq_scratch_take(memory, n, 1);
    p->total = tq_scratch_take(memory, 2 * p->n_row * TQ_PAYLOAD_GRAM, sizeof(double));
    p->sigma = tq_scratch_take(memory, p->n_row, sizeof(double));
    p->friction = tq_scratch_take(memory, fit->n_row * TQ_PAYLOAD_FRICTIONS, sizeof(double));
    p->rms = tq_scratch_take(memory, 2 * fit->n_row, sizeof(double));
    tq_status status = tq_fit_run_take(fit, memory, &p->run, reterr);
    for (unsigned k = 0; status == TQ_OK && k < 2; k++) {
        status = tq_static_check_begin(fit, memory, &p->checks[k], reterr);
    }
    if (status != TQ_OK || p->row == NULL || p->joint == NULL || p->value == NULL ||
        p->torque == NULL || p->grams == NULL || p->count == NULL || p->carries == NULL ||
        p->total == NULL || p->sigma == NULL || p->friction == NULL || p->rms == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_payload_size(fit, &p->plan));
    }
    memset(p->grams, 0, n * p->n_row * TQ_PAYLOAD_GRAM * sizeof(double));
    memset(p->count, 0, n * p->n_row * sizeof(double));
    memset(p->carries, 0, n);
    return TQ_OK;
}

tq_status tq_payload_begin(const tq_fit *fit, const tq_payload_plan *plan, tq_scratch *memory,
                           tq_payload **ret, tq_error *reterr)
{
    const tq_model *model = &fit->mechanism->model;
    const uint32_t at = position_of(model, plan->link);
    const size_t n_row = count_rows(model, plan->link);
    if (at == TQ_NONE || n_row == 0) {
        return tq_fail(reterr, TQ_ERR_RANGE, "link", 0, (double)plan->link);
    }
    if (plan->n_recording == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_recording", 0, 0.0);
    }
    tq_payload *p = tq_scratch_take(memory, 1, sizeof *p);
    if (p == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_payload_size(fit, plan));
    }
    *p = (tq_payload){.fit = fit,
                      .plan = *plan,
                      .at = at,
                      .n_row = n_row,
                      .each = segments_of(plan->n_recording),
                      .memory = memory};
    const tq_status status = take(p, memory, reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t r = 0, k = 0; r < model->nv; r++) {
        if (tq_row_moves_link(model, r, plan->link)) {
            p->row[k] = (uint32_t)r;
            p->joint[k++] = joint_of_row(model, r);
        }
    }
    put_values(fit, p->value);
    tq_static_check_carrier(p->checks[0], at);
    tq_static_check_carrier(p->checks[1], at);
    *ret = p;
    return TQ_OK;
}

tq_status tq_payload_next(tq_payload *p, size_t n_sample, double period, bool carries,
                          tq_error *reterr)
{
    if (p->n_segment == p->plan.n_recording * p->each) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_recording", 0, (double)p->plan.n_recording);
    }
    const double n = round(standstill / period);
    const tq_static_check_plan poses = {.period = period,
                                        .moving = moving,
                                        .least = n > (double)POSE_LEAST ? (size_t)n : POSE_LEAST};
    p->first = p->n_segment;
    p->n_segment += p->each;
    memset(p->carries + p->first, carries, p->each);
    p->now_carries = carries;
    p->seen = 0;
    p->expected = n_sample > 0 ? n_sample : 1;
    return tq_static_check_next(p->checks[carries], p->value, &poses, reterr);
}

/* Adds sample i of the run to the sums of one row. */
static void add_sample(tq_payload *p, size_t segment, size_t k, size_t i)
{
    const size_t r = p->row[k];
    const size_t first = r * p->fit->n_link_column + (size_t)TQ_PAYLOAD_TEN * p->at;
    double *gram = p->grams + (segment * p->n_row + k) * TQ_PAYLOAD_GRAM;
    double x[TQ_PAYLOAD_WIDTH] = {0};
    for (size_t c = 0; c < TQ_PAYLOAD_TEN; c++) {
        x[c] = p->run.values[(first + c) * TQ_FOLD_RUN + i];
    }
    if (p->joint[k] != TQ_NONE) {
        x[TQ_PAYLOAD_FRICTION] = p->run.qd[r * TQ_FOLD_RUN + i];
        x[TQ_PAYLOAD_FRICTION + 1] = p->run.sign[r * TQ_FOLD_RUN + i];
        x[TQ_PAYLOAD_FRICTION + 2] = 1.0;
    }
    x[TQ_PAYLOAD_LEFT] = p->run.tau[r * TQ_FOLD_RUN + i] - p->torque[i];
    for (size_t a = 0; a < TQ_PAYLOAD_WIDTH; a++) {
        for (size_t b = a; b < TQ_PAYLOAD_WIDTH; b++) {
            gram[a * TQ_PAYLOAD_WIDTH + b] += x[a] * x[b];
        }
    }
    p->count[segment * p->n_row + k] += 1.0;
}

static size_t segment_of(const tq_payload *p, size_t i)
{
    const size_t segment = (p->seen + i) * p->each / p->expected;
    return p->first + (segment < p->each ? segment : p->each - 1);
}

static bool is_moving(const tq_payload *p, size_t k, size_t i)
{
    return p->joint[k] == TQ_NONE || fabs(p->run.qd[p->row[k] * TQ_FOLD_RUN + i]) >= moving;
}

static tq_status add_run(tq_payload *p, size_t n, tq_error *reterr)
{
    tq_fit_run_signs(p->fit, &p->run, n);
    const tq_status status = tq_fit_run_compute(p->fit, &p->run, n, p->value, reterr);
    if (status != TQ_OK) {
        return status;
    }
    bool moves[TQ_FOLD_RUN] = {false};
    for (size_t k = 0; k < p->n_row; k++) {
        tq_fit_run_torque(p->fit, &p->run, p->row[k], TQ_FIT_OF_ALL, p->value, p->torque);
        for (size_t i = 0; i < n; i++) {
            if (is_moving(p, k, i)) {
                add_sample(p, segment_of(p, i), k, i);
                moves[i] = true;
            }
        }
    }
    for (size_t i = 0; i < n && p->now_carries; i++) {
        p->n_sample++;
        p->n_moving += moves[i];
    }
    p->seen += n;
    return TQ_OK;
}

tq_status tq_payload_push(tq_payload *p, const tq_experiment_block *block, const double *t,
                          tq_error *reterr)
{
    tq_status status = tq_static_check_push(p->checks[p->now_carries], block, t, reterr);
    for (size_t first = 0; status == TQ_OK && first < block->n_sample; first += TQ_FOLD_RUN) {
        const size_t left = block->n_sample - first;
        const size_t n = left < TQ_FOLD_RUN ? left : (size_t)TQ_FOLD_RUN;
        tq_fit_run_copy(p->fit, &p->run, 0, block, first, n);
        status = add_run(p, n, reterr);
    }
    return status;
}

tq_status tq_payload_end(tq_payload *p, tq_error *reterr)
{
    return tq_static_check_end(p->checks[p->now_carries], reterr);
}
