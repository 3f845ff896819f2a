/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/plant.c - evaluation of effects in order, then of accelerations. */
#include "core/plant/plant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/constraints/dynamics.h"
#include "core/constraints/project.h"
#include "core/plant/plant_private.h"
#include "core/plant/state.h"
#include "core/plant/stiction.h"

/* m or rad, and per second: constraint residuals after a step are a thousandth of it */
static const double constraint_tolerance = 1e-10;

size_t tq_plant_n_z(const tq_plant *plant)
{
    size_t n = 0;
    for (size_t k = 0; k < plant->n_effect; k++) {
        n += plant->effects[k].n_z;
    }
    return n;
}

size_t tq_plant_n_held(const tq_plant *plant)
{
    size_t n = 0;
    for (size_t k = 0; k < plant->n_effect; k++) {
        n += plant->effects[k].n_held;
    }
    return n;
}

static size_t effects_scratch(const tq_plant *plant)
{
    size_t most = 0;
    for (size_t k = 0; k < plant->n_effect; k++) {
        most = plant->effects[k].scratch_size > most ? plant->effects[k].scratch_size : most;
    }
    return most;
}

/* accelerations, and projection onto the constraints */
static size_t accelerate_scratch(const tq_plant *plant)
{
    if (plant->constraints == NULL) {
        return tq_mechanism_model(plant->mechanism)->nv <= TQ_LOCKED_MAX
                   ? tq_locked_scratch_size(plant->mechanism, TQ_BLOCK_PAD, plant->n_wrench)
                   : tq_forward_scratch_size(plant->mechanism, plant->n_wrench);
    }
    const size_t forward =
        tq_locked_constrained_scratch_size(plant->mechanism, plant->constraints, plant->n_wrench);
    const size_t project = tq_locked_project_scratch_size(plant->mechanism, plant->constraints);
    return forward > project ? forward : project;
}

/* memory of one evaluation */
typedef struct room {
    double *q; /* normalised; the state's own if there are no quaternions */
    double *tau, *wrench;
    double *multipliers; /* NULL: no constraints */
    tq_external_wrench *wrenches;
} room;

static int has_quaternions(const tq_model *model)
{
    return model->nq != model->nv;
}

static size_t n_multiplier(const tq_plant *plant)
{
    return plant->constraints != NULL ? plant->constraints->n_row : 0;
}

size_t tq_plant_scratch_size(const tq_plant *plant, size_t stride)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t forward = accelerate_scratch(plant);
    const size_t effects = effects_scratch(plant);
    return tq_scratch_cost(model->nq * stride, sizeof(double)) +
           tq_scratch_cost(model->nv * stride, sizeof(double)) +
           tq_scratch_cost(6 * plant->n_wrench * stride, sizeof(double)) +
           tq_scratch_cost(plant->n_wrench, sizeof(tq_external_wrench)) +
           tq_scratch_cost(n_multiplier(plant) * stride, sizeof(double)) +
           (forward > effects ? forward : effects) + tq_own_times_scratch_size(plant);
}

static int take(room *r, const tq_plant *plant, const tq_trajectories *state, tq_scratch *scratch)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t n_q = model->nq * state->stride;
    const size_t n_wrench = 6 * plant->n_wrench * state->stride;
    r->q = state->q;
    if (has_quaternions(model)) {
        r->q = tq_scratch_take(scratch, n_q, sizeof(double));
        if (r->q == NULL) {
            return 0;
        }
        memcpy(r->q, state->q, n_q * sizeof(double));
        tq_state_normalise(model, state->stride, state->stride, r->q);
    }
    r->tau = tq_scratch_take(scratch, model->nv * state->stride, sizeof(double));
    r->wrench = tq_scratch_take(scratch, n_wrench, sizeof(double));
    r->wrenches = tq_scratch_take(scratch, plant->n_wrench, sizeof *r->wrenches);
    if (r->tau == NULL || r->wrench == NULL || r->wrenches == NULL) {
        return 0;
    }
    r->multipliers = NULL;
    if (plant->constraints != NULL) {
        r->multipliers =
            tq_scratch_take(scratch, n_multiplier(plant) * state->stride, sizeof(double));
        if (r->multipliers == NULL) {
            return 0;
        }
    }
    memset(r->tau, 0, model->nv * state->stride * sizeof(double));
    memset(r->wrench, 0, n_wrench * sizeof(double));
    for (size_t k = 0; k < plant->n_wrench; k++) {
        r->wrenches[k] = plant->wrenches[k];
        r->wrenches[k].rows = r->wrench + 6 * k * state->stride;
        r->wrenches[k].row_stride = state->stride;
        r->wrenches[k].sample_step = 1;
    }
    return 1;
}

static double *rows_at(double *rows, size_t row, size_t stride)
{
    return rows != NULL ? rows + row * stride : NULL;
}

/* torques, wrenches and rates of auxiliary states by all effects, in order */
static tq_status act(const tq_plant *plant, double t, const tq_trajectories *state, const room *r,
                     tq_scratch *scratch, const tq_rates *ret, tq_error *reterr)
{
    const size_t stride = state->stride;
    tq_instant at = {
        .t = t, .n_sample = state->n_sample, .stride = stride, .q = r->q, .qd = state->qd};
    size_t z = 0;
    size_t held = 0;
    for (size_t k = 0; k < plant->n_effect; k++) {
        const tq_effect *effect = &plant->effects[k];
        at.z = rows_at(state->z, z, stride);
        at.held = rows_at(state->held, held, stride);
        const tq_action to = {.tau = r->tau, .wrench = r->wrench, .zd = rows_at(ret->z, z, stride)};
        if (effect->act != NULL) {
            const tq_status status = state->times != NULL && !effect->timeless
                                         ? tq_effect_at_own_times(plant, effect, state->times, &at,
                                                                  scratch, &to, NULL, reterr)
                                         : effect->act(effect->ctx, &at, scratch, &to, reterr);
            if (status != TQ_OK) {
                return status;
            }
        }
        z += effect->n_z;
        held += effect->n_held;
    }
    return TQ_OK;
}

static tq_status observe(const tq_plant *plant, double t, const tq_trajectories *state,
                         const room *r, tq_scratch *scratch, const tq_rates *ret, tq_error *reterr)
{
    const size_t stride = state->stride;
    tq_instant at = {.t = t,
                     .n_sample = state->n_sample,
                     .stride = stride,
                     .q = r->q,
                     .qd = state->qd,
                     .tau = r->tau,
                     .wrench = r->wrench,
                     .qdd = ret->qd,
                     .multipliers = r->multipliers};
    size_t z = 0;
    size_t held = 0;
    for (size_t k = 0; k < plant->n_effect; k++) {
        const tq_effect *effect = &plant->effects[k];
        at.z = rows_at(state->z, z, stride);
        at.held = rows_at(state->held, held, stride);
        if (effect->observe != NULL) {
            double *zd = rows_at(ret->z, z, stride);
            const tq_status status = state->times != NULL && !effect->timeless
                                         ? tq_effect_at_own_times(plant, effect, state->times, &at,
                                                                  scratch, NULL, zd, reterr)
                                         : effect->observe(effect->ctx, &at, scratch, zd, reterr);
            if (status != TQ_OK) {
                return status;
            }
        }
        z += effect->n_z;
        held += effect->n_held;
    }
    return TQ_OK;
}

static tq_status accelerate(const tq_plant *plant, const tq_trajectories *state, const room *r,
                            tq_scratch *scratch, const tq_rates *ret, tq_error *reterr)
{
    const tq_forward_input in = {.n_sample = state->n_sample,
                                 .stride = state->stride,
                                 .q = r->q,
                                 .qd = state->qd,
                                 .tau = r->tau,
                                 .wrenches = r->wrenches,
                                 .n_wrench = plant->n_wrench,
                                 .gravity = plant->gravity,
                                 .without = plant->without,
                                 .varied = state->varied};
    assert(state->varied == NULL || (plant->constraints == NULL && state->mode == NULL));
    if (state->mode != NULL && plant->constraints != NULL) {
        const tq_locked_motion to = {
            .qdd = ret->qd, .hold = ret->hold, .multipliers = r->multipliers};
        return tq_locked_constrained_forward(plant->mechanism, plant->constraints, &in, state->mode,
                                             scratch, &to, reterr);
    }
    if (state->mode != NULL) {
        return tq_locked_forward(plant->mechanism, &in, state->mode, scratch, ret->qd, ret->hold,
                                 reterr);
    }
    if (ret->hold != NULL) {
        const tq_model *model = tq_mechanism_model(plant->mechanism);
        memset(ret->hold, 0,
               ((size_t)model->nv + model->n_tendon) * state->stride * sizeof(double));
    }
    if (plant->constraints != NULL) {
        return tq_constrained_forward(plant->mechanism, plant->constraints, &in, scratch, ret->qd,
                                      r->multipliers, reterr);
    }
    return tq_forward_dynamics(plant->mechanism, &in, scratch, ret->qd, reterr);
}

static tq_status rate(const tq_plant *plant, double t, const tq_trajectories *state,
                      tq_scratch *scratch, const tq_rates *ret, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t stride = state->stride;
    room r;
    if (!take(&r, plant, state, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_plant_scratch_size(plant, stride));
    }
    tq_status status = act(plant, t, state, &r, scratch, ret, reterr);
    if (status != TQ_OK) {
        return status;
    }
    tq_block_pad(r.tau, model->nv, stride, state->n_sample);
    tq_block_pad(r.wrench, 6 * plant->n_wrench, stride, state->n_sample);
    status = accelerate(plant, state, &r, scratch, ret, reterr);
    if (status != TQ_OK) {
        return status;
    }
    status = observe(plant, t, state, &r, scratch, ret, reterr);
    if (ret->z != NULL) {
        tq_block_pad(ret->z, tq_plant_n_z(plant), stride, state->n_sample);
    }
    if (ret->tau != NULL) {
        memcpy(ret->tau, r.tau, model->nv * stride * sizeof(double));
    }
    if (ret->multipliers != NULL && r.multipliers != NULL) {
        memcpy(ret->multipliers, r.multipliers, n_multiplier(plant) * stride * sizeof(double));
    }
    if (ret->wrench != NULL) {
        memcpy(ret->wrench, r.wrench, 6 * plant->n_wrench * stride * sizeof(double));
    }
    /* a single trajectory has no neighbours: one lane is computed, its padding is not read */
    const size_t lanes = state->n_sample == 1 ? 1 : stride;
    tq_state_rate(model, lanes, stride, state->q, state->qd, ret->q);
    return status;
}

/* some 500 products a joint; where a matrix is factored, n^3, 2 n^2 of Jacobians by joint */
static double rate_work(const tq_plant *plant, const tq_trajectories *state)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const double nv = (double)model->nv, rows = (double)n_multiplier(plant);
    return (double)state->n_sample * (500.0 * (double)model->n_joint + nv * nv * (nv + 2.0 * rows));
}

tq_status tq_plant_rate(const tq_plant *plant, double t, const tq_trajectories *state,
                        tq_scratch *scratch, const tq_rates *ret, tq_error *reterr)
{
    assert(plant->n_effect == 0 || plant->effects != NULL);
    assert(plant->n_wrench == 0 || plant->wrenches != NULL);
    const size_t mark = tq_scratch_mark(scratch);
    tq_status status = tq_scratch_work(scratch, rate_work(plant, state), reterr);
    if (status == TQ_OK) {
        status = rate(plant, t, state, scratch, ret, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_plant_project(const tq_plant *plant, const tq_trajectories *state, tq_scratch *scratch,
                           tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    if (has_quaternions(model)) {
        tq_state_normalise(model, state->stride, state->stride, state->q);
    }
    if (plant->constraints == NULL) {
        return TQ_OK;
    }
    const tq_constraint_states states = {
        .n_sample = state->n_sample, .stride = state->stride, .q = state->q, .qd = state->qd};
    return state->mode != NULL
               ? tq_locked_project(plant->mechanism, plant->constraints, state->mode, &states,
                                   constraint_tolerance, scratch, reterr)
               : tq_constraints_project(plant->mechanism, plant->constraints, &states,
                                        constraint_tolerance, scratch, NULL, reterr);
}

tq_status tq_plant_sample(const tq_plant *plant, size_t k, double t, const tq_trajectories *state,
                          tq_scratch *scratch, tq_error *reterr)
{
    assert(k < plant->n_effect && plant->effects[k].sample != NULL);
    const size_t stride = state->stride;
    const size_t mark = tq_scratch_mark(scratch);
    size_t z = 0;
    size_t held = 0;
    for (size_t e = 0; e < k; e++) {
        z += plant->effects[e].n_z;
        held += plant->effects[e].n_held;
    }
    const tq_effect *effect = &plant->effects[k];
    const tq_instant at = {.t = t,
                           .n_sample = state->n_sample,
                           .stride = stride,
                           .q = state->q,
                           .qd = state->qd,
                           .z = rows_at(state->z, z, stride),
                           .held = rows_at(state->held, held, stride)};
    double *fresh = tq_scratch_take(scratch, effect->n_held * stride, sizeof(double));
    if (fresh == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_plant_scratch_size(plant, stride));
    }
    const tq_status status = effect->sample(effect->ctx, &at, scratch, fresh, reterr);
    if (status == TQ_OK && effect->n_held > 0) {
        tq_block_pad(fresh, effect->n_held, stride, state->n_sample);
        memcpy(state->held + held * stride, fresh, effect->n_held * stride * sizeof(double));
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

double tq_plant_next_break(const tq_plant *plant, double t, unsigned order, unsigned *ret_order)
{
    double next = (double)INFINITY;
    unsigned lowest = 0;
    for (size_t k = 0; k < plant->n_effect; k++) {
        const tq_effect *effect = &plant->effects[k];
        double at = t;
        unsigned jumps = order;
        /* breaks of a sufficiently high order are skipped */
        while (effect->next_break != NULL && at < next && jumps >= order) {
            at = effect->next_break(effect->ctx, at, &jumps);
        }
        if (effect->next_break == NULL || jumps >= order || !(at <= next)) {
            continue;
        }
        lowest = at < next || jumps < lowest ? jumps : lowest;
        next = at;
    }
    if (ret_order != NULL) {
        *ret_order = lowest;
    }
    return next;
}
