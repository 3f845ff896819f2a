/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/lanes.c - SIMD lanes of members: filling, removal, sampling, attempts. */
#include "core/ensemble/lanes.h"

#include <math.h>

#include "core/dynamics/varied.h"

static size_t rows_of(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return (size_t)model->nq + model->nv + tq_plant_n_z(plant);
}

size_t tq_ensemble_pair_scratch_size(const tq_ensemble *ensemble, size_t stride)
{
    const tq_plant *plant = ensemble->plant;
    const size_t n = rows_of(plant), held = tq_plant_n_held(plant);
    const size_t step = tq_pair_scratch_size(plant, ensemble->pair, stride);
    const size_t start = tq_members_start_scratch_size(plant);
    return tq_scratch_cost((2 * n + held + 4) * stride + n, sizeof(double)) +
           tq_scratch_cost(stride, sizeof(tq_lane)) +
           tq_scratch_cost(plant->n_effect * stride, sizeof(uint64_t)) +
           tq_scratch_cost((2 * n + held + 5 + tq_varied_rows(plant->mechanism)) * TQ_LANE,
                           sizeof(double)) +
           (step > start ? step : start);
}

int tq_lane_set_take(tq_lane_set *w)
{
    const tq_plant *plant = w->ensemble->plant;
    w->stride = w->members->stride;
    w->n_q = w->model->nq;
    w->n_v = w->model->nv;
    w->n_z = tq_plant_n_z(plant);
    w->n_held = tq_plant_n_held(plant);
    w->n_varied = w->members->varied != NULL ? tq_varied_rows(plant->mechanism) : 0;
    w->n = w->n_q + w->n_v + w->n_z;
    const size_t rows = w->n * w->stride;
    double *x =
        tq_scratch_take(w->scratch, (2 * w->n + w->n_held + 4) * w->stride + w->n, sizeof *x);
    w->lanes = tq_scratch_take(w->scratch, w->stride, sizeof *w->lanes);
    w->n_sample = tq_scratch_take(w->scratch, plant->n_effect * w->stride, sizeof *w->n_sample);
    w->one =
        tq_scratch_take(w->scratch, (2 * w->n + w->n_held + 5 + w->n_varied) * TQ_LANE, sizeof *x);
    if (x == NULL || w->lanes == NULL || w->n_sample == NULL || w->one == NULL) {
        return 0;
    }
    w->y = x;
    w->ahead = w->y + rows;
    w->held = w->ahead + rows;
    w->t = w->held + w->n_held * w->stride;
    w->h = w->t + w->stride;
    w->stop = w->h + w->stride;
    w->error = w->stop + w->stride;
    w->atol = w->error + w->stride;
    return 1;
}

/* One lane */

void tq_lane_put_row(const tq_lane_set *w, size_t i, size_t output, int ended)
{
    const tq_members *m = w->members;
    const size_t n = w->n_q + w->n_v;
    double *row = m->ret_rows + output * n * m->stride + w->lanes[i].member;
    for (size_t r = 0; r < n; r++) {
        row[r * m->stride] = ended ? (double)NAN : w->y[r * w->stride + i];
    }
}

void tq_move_column(double *rows, size_t n, size_t stride, size_t to, size_t from)
{
    for (size_t r = 0; r < n; r++) {
        rows[r * stride + to] = rows[r * stride + from];
    }
}

void tq_lane_leave(tq_lane_set *w, size_t i)
{
    const size_t last = --w->n_lane;
    w->lanes[i] = w->lanes[last];
    tq_move_column(w->y, w->n, w->stride, i, last);
    tq_move_column(w->held, w->n_held, w->stride, i, last);
    tq_move_column(w->members->varied, w->n_varied, w->stride, i, last);
    w->t[i] = w->t[last];
    const size_t n_effect = w->ensemble->plant->n_effect;
    for (size_t k = 0; k < n_effect; k++) {
        w->n_sample[i * n_effect + k] = w->n_sample[last * n_effect + k];
    }
}

void tq_lane_end(tq_lane_set *w, size_t i, tq_run_end why)
{
    const tq_lane *l = &w->lanes[i];
    w->members->ret_ended[l->member] = w->t[i];
    w->members->ret_end[l->member] = (double)why;
    for (size_t k = l->output; k < w->ensemble->n_output; k++) {
        tq_lane_put_row(w, i, k, 1);
    }
    tq_lane_leave(w, i);
}

/* column i of rows as a block of one sample, padded */
static void bring(size_t n, double *to, const double *from, size_t stride, size_t i)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < TQ_LANE; k++) {
            to[r * TQ_LANE + k] = from[r * stride + i];
        }
    }
}

tq_status tq_lane_sample(tq_lane_set *w, size_t i, tq_error *reterr)
{
    const tq_ensemble *e = w->ensemble;
    double *y = w->one, *held = w->one + w->n * TQ_LANE;
    uint64_t *taken = w->n_sample + i * e->plant->n_effect;
    int brought = 0;
    for (size_t k = 0; k < e->plant->n_effect; k++) {
        const tq_effect *effect = &e->plant->effects[k];
        if (!(tq_member_sample_due(effect, taken[k]) <= w->t[i])) {
            continue;
        }
        if (!brought) {
            bring(w->n, y, w->y, w->stride, i);
            bring(w->n_held, held, w->held, w->stride, i);
            brought = 1;
        }
        const tq_trajectories at = {.n_sample = 1,
                                    .stride = TQ_LANE,
                                    .q = y,
                                    .qd = y + w->n_q * TQ_LANE,
                                    .z = y + (w->n_q + w->n_v) * TQ_LANE,
                                    .held = held};
        const tq_status status = tq_plant_sample(e->plant, k, w->t[i], &at, w->scratch, reterr);
        if (status != TQ_OK) {
            return status;
        }
        while (tq_member_sample_due(effect, taken[k]) <= w->t[i]) {
            taken[k]++;
        }
    }
    for (size_t r = 0; r < w->n_held && brought; r++) {
        w->held[r * w->stride + i] = held[r * TQ_LANE];
    }
    w->lanes[i].limit = tq_member_next_stop(e, w->t[i], e->pair->order, taken);
    return TQ_OK;
}

/* An attempt of all lanes */

void tq_lane_set_pad(const tq_lane_set *w)
{
    tq_block_pad(w->y, w->n, w->stride, w->n_lane);
    tq_block_pad(w->held, w->n_held, w->stride, w->n_lane);
    tq_block_pad(w->members->varied, w->n_varied, w->stride, w->n_lane);
    tq_block_pad(w->t, 1, w->stride, w->n_lane);
    tq_block_pad(w->h, 1, w->stride, w->n_lane);
    tq_block_pad(w->stop, 1, w->stride, w->n_lane);
}

tq_pair_step tq_lane_set_step(const tq_lane_set *w)
{
    return (tq_pair_step){.n_sample = w->n_lane,
                          .stride = w->stride,
                          .y = w->y,
                          .held = w->held,
                          .varied = w->members->varied,
                          .t = w->t,
                          .h = w->h,
                          .stop = w->stop,
                          .rtol = w->ensemble->rtol,
                          .atol = w->atol,
                          .ret_y = w->ahead,
                          .ret_error = w->error};
}

tq_pair_step tq_lane_step_alone(const tq_lane_set *w, size_t i)
{
    double *at = w->one + (2 * w->n + w->n_held) * TQ_LANE;
    tq_pair_step step = tq_lane_set_step(w);
    bring(w->n, w->one, w->y, w->stride, i);
    bring(w->n_held, w->one + w->n * TQ_LANE, w->held, w->stride, i);
    bring(w->n_varied, at + 5 * TQ_LANE, w->members->varied, w->stride, i);
    bring(1, at, w->t, w->stride, i);
    bring(1, at + TQ_LANE, w->h, w->stride, i);
    bring(1, at + 2 * TQ_LANE, w->stop, w->stride, i);
    step.n_sample = 1;
    step.stride = TQ_LANE;
    step.y = w->one;
    step.held = w->one + w->n * TQ_LANE;
    step.varied = w->n_varied > 0 ? at + 5 * TQ_LANE : NULL;
    step.t = at;
    step.h = at + TQ_LANE;
    step.stop = at + 2 * TQ_LANE;
    step.ret_y = w->one + (w->n + w->n_held) * TQ_LANE;
    step.ret_error = at + 3 * TQ_LANE;
    return step;
}

static int fails_alone(const tq_lane_set *w, size_t i)
{
    const tq_pair_step step = tq_lane_step_alone(w, i);
    return tq_pair_try(w->ensemble->plant, w->ensemble->pair, &step, w->scratch, NULL) != TQ_OK;
}

/* The lane that caused a failed attempt; n_lane: none of them. */
static size_t find_fault(const tq_lane_set *w, tq_status status, const tq_error *error)
{
    const size_t named = tq_member_at_fault(status, error, w->n_lane);
    if (status == TQ_ERR_SCRATCH || status == TQ_ERR_SHAPE) {
        return w->n_lane;
    }
    /* the error may name the wrong lane: only a lane that also fails alone is ended */
    if (named < w->n_lane && fails_alone(w, named)) {
        return named;
    }
    size_t i;
    for (i = 0; i < w->n_lane && !fails_alone(w, i); i++) {
    }
    return i;
}

tq_status tq_lane_set_try(tq_lane_set *w, tq_error *reterr)
{
    for (;;) {
        if (w->n_lane == 0) {
            return TQ_OK;
        }
        tq_lane_set_pad(w);
        const tq_pair_step step = tq_lane_set_step(w);
        tq_error error = {0};
        const tq_status status =
            tq_pair_try(w->ensemble->plant, w->ensemble->pair, &step, w->scratch, &error);
        if (status == TQ_OK) {
            return TQ_OK;
        }
        const size_t i = status == TQ_ERR_STOPPED ? w->n_lane : find_fault(w, status, &error);
        if (i >= w->n_lane || tq_scratch_is_stopped(w->scratch)) {
            return tq_fail(reterr, status, error.what, error.index, error.value);
        }
        if (w->lanes[i].refused) {
            const size_t last = w->n_lane - 1;
            tq_lane_end(w, i, TQ_RUN_REFUSED);
            w->h[i] = w->h[last];
            w->stop[i] = w->stop[last];
        } else {
            w->lanes[i].refused = 1;
            w->h[i] = 0.0;
        }
    }
}
