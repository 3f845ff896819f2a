/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/ensemble.c - many trajectories of one plant in parallel, by fixed steps. */
#include <math.h>
#include <string.h>

#include "core/dynamics/varied.h"
#include "core/ensemble/ensemble_private.h"

enum { ASK_STEPS = 256 }; /* steps between calls of `stopped` */

typedef struct work {
    const tq_ensemble *ensemble;
    const tq_members *members;
    const tq_model *model;
    tq_trajectories state;
    tq_scratch *scratch;
    double *kept;       /* ((nq + nv + n_z) x stride) backup, with constraints */
    uint64_t *n_sample; /* (n_effect) samples taken */
    size_t n_ended;
    uint64_t n_step;
} work;

enum { LANE = TQ_BLOCK_PAD };

/* rows of a state, with held values and per-member parameters */
static size_t numbers_of(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return (size_t)model->nq + model->nv + tq_plant_n_z(plant) + tq_plant_n_held(plant) +
           tq_varied_rows(plant->mechanism);
}

static size_t alone_size(const tq_plant *plant)
{
    return tq_scratch_cost(numbers_of(plant) * LANE, sizeof(double));
}

/* size of the backup over a step that may violate constraints */
static size_t kept_numbers(const tq_plant *plant)
{
    return plant->constraints != NULL ? numbers_of(plant) : 0;
}

size_t tq_ensemble_scratch_size(const tq_ensemble *ensemble, size_t stride)
{
    if (ensemble->pair != NULL) {
        return tq_ensemble_pair_scratch_size(ensemble, stride);
    }
    const tq_plant *plant = ensemble->plant;
    const size_t start = tq_members_start_scratch_size(plant);
    const size_t step = tq_fixed_step_scratch_size(plant, stride);
    const size_t alone = alone_size(plant) + tq_fixed_step_scratch_size(plant, LANE);
    size_t inner = start > step ? start : step;
    inner = alone > inner ? alone : inner;
    return tq_scratch_cost(kept_numbers(plant) * stride, sizeof(double)) +
           tq_scratch_cost(plant->n_effect, sizeof(uint64_t)) + inner;
}

static int has_ended(const work *w, size_t i)
{
    return !isinf(w->members->ret_ended[i]);
}

static void end(work *w, size_t i, double t, tq_run_end why)
{
    if (!has_ended(w, i)) {
        w->members->ret_ended[i] = t;
        w->members->ret_end[i] = (double)why;
        w->n_ended++;
    }
}

static size_t n_varied(const work *w)
{
    return w->members->varied != NULL ? tq_varied_rows(w->ensemble->plant->mechanism) : 0;
}

static void park_rows(const work *w, double *rows, size_t n_row, size_t live)
{
    const tq_members *m = w->members;
    for (size_t r = 0; r < n_row; r++) {
        double *row = rows + r * m->stride;
        for (size_t i = 0; i < m->n_member; i++) {
            row[i] = has_ended(w, i) ? row[live] : row[i];
        }
    }
    tq_block_pad(rows, n_row, m->stride, m->n_member);
}

/* Replaces the members that have ended by copies of one that has not: their results are not read,
 * and the copies fail only where that member fails. */
static void park(work *w)
{
    const tq_members *m = w->members;
    const tq_plant *plant = w->ensemble->plant;
    size_t live = 0;
    while (live < m->n_member && has_ended(w, live)) {
        live++;
    }
    if (live < m->n_member) {
        park_rows(w, m->q, w->model->nq, live);
        park_rows(w, m->qd, w->model->nv, live);
        park_rows(w, m->z, tq_plant_n_z(plant), live);
        park_rows(w, m->held, tq_plant_n_held(plant), live);
        park_rows(w, m->varied, n_varied(w), live);
    }
}

static void find_runaways(work *w, double t)
{
    const tq_members *m = w->members;
    int sound = 1;
    for (size_t r = 0; r < w->model->nv; r++) {
        const double *row = m->qd + r * m->stride;
        for (size_t i = 0; i < m->n_member; i++) {
            sound &= fabs(row[i]) < TQ_MEMBER_RUNAWAY; /* false for NaN too */
        }
    }
    if (sound) {
        return;
    }
    for (size_t i = 0; i < m->n_member; i++) {
        for (size_t r = 0; r < w->model->nv; r++) {
            if (!(fabs(m->qd[r * m->stride + i]) < TQ_MEMBER_RUNAWAY)) {
                end(w, i, t, TQ_RUN_RUNAWAY);
            }
        }
    }
}

size_t tq_member_at_fault(tq_status status, const tq_error *error, size_t n_sample)
{
    const int of_joint = error->what != NULL && strcmp(error->what, "joint.inertia") == 0;
    const int of_row = error->what != NULL && strncmp(error->what, "constraint", 10) == 0;
    const double index = of_joint ? error->value : (double)error->index;
    const int of_member = !of_row && (status == TQ_ERR_SINGULAR || status == TQ_ERR_OVERFLOW ||
                                      status == TQ_ERR_QUATERNION);
    return of_member && index >= 0.0 && index < (double)n_sample ? (size_t)index : n_sample;
}

/* whether member i on its own fails in this step */
static int fails_alone(const work *w, size_t i, double t, double h)
{
    const tq_plant *plant = w->ensemble->plant;
    enum { PARTS = 5 };
    const double *from[PARTS] = {w->members->q, w->members->qd, w->members->z, w->members->held,
                                 w->members->varied};
    const size_t n[PARTS] = {w->model->nq, w->model->nv, tq_plant_n_z(plant),
                             tq_plant_n_held(plant), n_varied(w)};
    const size_t mark = tq_scratch_mark(w->scratch);
    double *x = tq_scratch_take(w->scratch, numbers_of(plant) * LANE, sizeof *x);
    double *to[PARTS], *at = x;
    for (unsigned p = 0; p < PARTS && x != NULL; p++) {
        to[p] = at;
        for (size_t r = 0; r < n[p]; r++) {
            for (size_t k = 0; k < LANE; k++) {
                *at++ = from[p][r * w->members->stride + i];
            }
        }
    }
    tq_status status = TQ_ERR_SCRATCH;
    if (x != NULL) {
        const tq_trajectories state = {.n_sample = 1,
                                       .stride = LANE,
                                       .q = to[0],
                                       .qd = to[1],
                                       .z = to[2],
                                       .held = to[3],
                                       .varied = n[4] > 0 ? to[4] : NULL};
        status = tq_fixed_step(plant, w->ensemble->method, t, h, &state, w->scratch, NULL);
    }
    tq_scratch_rewind(w->scratch, mark);
    return status != TQ_OK;
}

/* the member that caused a failed step; n_member: none of them */
static size_t find_fault(const work *w, tq_status status, const tq_error *error, double t, double h)
{
    const size_t n = w->members->n_member;
    const size_t named = tq_member_at_fault(status, error, n);
    if (status == TQ_ERR_SCRATCH || status == TQ_ERR_SHAPE) {
        return n;
    }
    /* the error may name the wrong member: only a member that also fails alone is ended */
    if (named < n && !has_ended(w, named) && fails_alone(w, named, t, h)) {
        return named;
    }
    size_t i;
    for (i = 0; i < n && (has_ended(w, i) || !fails_alone(w, i, t, h)); i++) {
    }
    return i;
}

/* backup of the states before a step that constraints may reject, and restore */
static void copy_states(const work *w, int back)
{
    const tq_members *m = w->members;
    double *at = w->kept;
    if (w->ensemble->plant->constraints == NULL) {
        return;
    }
    double *parts[] = {m->q, m->qd, m->z};
    const size_t n[] = {w->model->nq, w->model->nv, tq_plant_n_z(w->ensemble->plant)};
    for (unsigned p = 0; p < 3; p++) {
        const size_t size = n[p] * m->stride;
        if (size > 0) {
            memcpy(back ? parts[p] : at, back ? at : parts[p], size * sizeof *at);
        }
        at += size;
    }
}

static tq_status step(work *w, double t, double h, tq_error *reterr)
{
    const tq_ensemble *e = w->ensemble;
    const size_t n_ended = w->n_ended;
    tq_error error = {0};
    copy_states(w, 0);
    tq_status status = tq_fixed_step(e->plant, e->method, t, h, &w->state, w->scratch, &error);
    while (status != TQ_OK) {
        if (status == TQ_ERR_STOPPED) {
            return tq_fail(reterr, status, error.what, error.index, error.value);
        }
        /* repeats the step without that member, from the states before */
        copy_states(w, 1);
        const size_t i = find_fault(w, status, &error, t, h);
        if (i == w->members->n_member) {
            return tq_fail(reterr, status, error.what, error.index, error.value);
        }
        end(w, i, t, TQ_RUN_REFUSED);
        if (w->n_ended == w->members->n_member) {
            return TQ_OK;
        }
        park(w);
        copy_states(w, 0);
        status = tq_fixed_step(e->plant, e->method, t, h, &w->state, w->scratch, &error);
    }
    find_runaways(w, t + h);
    if (w->n_ended > n_ended) {
        park(w);
    }
    if (++w->n_step % ASK_STEPS == 0 && e->stopped != NULL && e->stopped(e->ctx) != 0) {
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stopped", 0, t);
    }
    return TQ_OK;
}

double tq_member_sample_due(const tq_effect *effect, uint64_t n_sample)
{
    return effect->sample != NULL && effect->sample_time > 0.0
               ? (double)n_sample * effect->sample_time
               : (double)INFINITY;
}

double tq_member_next_stop(const tq_ensemble *ensemble, double t, unsigned order,
                           const uint64_t *n_sample)
{
    double stop = tq_plant_next_break(ensemble->plant, t, order, NULL);
    for (size_t k = 0; k < ensemble->plant->n_effect; k++) {
        stop = fmin(stop, tq_member_sample_due(&ensemble->plant->effects[k], n_sample[k]));
    }
    return stop;
}

static double sample_due(const work *w, size_t k)
{
    return tq_member_sample_due(&w->ensemble->plant->effects[k], w->n_sample[k]);
}

static tq_status take_samples(work *w, double t, tq_error *reterr)
{
    const tq_plant *plant = w->ensemble->plant;
    for (size_t k = 0; k < plant->n_effect; k++) {
        if (!(sample_due(w, k) <= t)) {
            continue;
        }
        const tq_status status = tq_plant_sample(plant, k, t, &w->state, w->scratch, reterr);
        if (status != TQ_OK) {
            return status;
        }
        while (sample_due(w, k) <= t) {
            w->n_sample[k]++;
        }
    }
    return TQ_OK;
}

static tq_status advance(work *w, double from, double to, tq_error *reterr)
{
    double t = from;
    while (t < to && w->n_ended < w->members->n_member) {
        tq_status status = take_samples(w, t, reterr);
        const unsigned order = w->ensemble->method == TQ_FIXED_RK4 ? 4 : 1;
        const double stop = fmin(to, tq_member_next_stop(w->ensemble, t, order, w->n_sample));
        /* as in a single run, so that a member has the bits of a simulation */
        t = tq_time_meets(t, stop) ? stop : t;
        while (t < stop && status == TQ_OK && w->n_ended < w->members->n_member) {
            const double way = stop - t;
            const double n = tq_fixed_count(way, w->ensemble->step);
            const double h = way / n;
            status = step(w, t, h, reterr);
            t = n > 1.0 ? t + h : stop;
        }
        if (status != TQ_OK) {
            return status;
        }
    }
    return TQ_OK;
}

static void put_rows(const work *w, size_t k)
{
    const tq_members *m = w->members;
    const size_t nq = w->model->nq;
    const size_t nv = w->model->nv;
    double *rows = m->ret_rows + k * (nq + nv) * m->stride;
    memcpy(rows, m->q, nq * m->stride * sizeof *rows);
    memcpy(rows + nq * m->stride, m->qd, nv * m->stride * sizeof *rows);
    for (size_t i = 0; i < m->n_member && w->n_ended > 0; i++) {
        for (size_t r = 0; r < nq + nv && has_ended(w, i); r++) {
            rows[r * m->stride + i] = (double)NAN;
        }
    }
}

static tq_status run(work *w, tq_error *reterr)
{
    const tq_ensemble *e = w->ensemble;
    const tq_members *m = w->members;
    w->kept = tq_scratch_take(w->scratch, kept_numbers(e->plant) * m->stride, sizeof(double));
    w->n_sample = tq_scratch_take(w->scratch, e->plant->n_effect, sizeof *w->n_sample);
    if (w->kept == NULL || w->n_sample == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_ensemble_scratch_size(e, m->stride));
    }
    for (size_t k = 0; k < e->plant->n_effect; k++) {
        w->n_sample[k] = 0;
    }
    tq_status status = tq_members_start(e, m, w->scratch, reterr);
    for (size_t i = 0; i < m->n_member; i++) {
        w->n_ended += has_ended(w, i) ? 1 : 0;
    }
    if (status != TQ_OK) {
        return status;
    }
    if (w->n_ended > 0) {
        park(w);
    }
    put_rows(w, 0);
    for (size_t k = 1; k < e->n_output; k++) {
        status = advance(w, e->times[k - 1], e->times[k], reterr);
        if (status != TQ_OK) {
            return status;
        }
        put_rows(w, k);
    }
    return TQ_OK;
}

tq_status tq_ensemble_run(const tq_ensemble *ensemble, const tq_members *members,
                          tq_scratch *scratch, tq_error *reterr)
{
    if (ensemble->pair != NULL) {
        return tq_ensemble_run_pair(ensemble, members, scratch, reterr);
    }
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.ensemble = ensemble,
              .members = members,
              .model = tq_mechanism_model(ensemble->plant->mechanism),
              .state = {.n_sample = members->n_member,
                        .stride = members->stride,
                        .q = members->q,
                        .qd = members->qd,
                        .z = members->z,
                        .held = members->held,
                        .varied = members->varied},
              .scratch = scratch};
    const tq_status status = run(&w, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    (void)scratch;
    (void)reterr;
    const tq_offsets *offsets = ctx;
    for (size_t k = 0; k < offsets->n; k++) {
        double *tau = to->tau + offsets->rows[k] * at->stride;
        const double *offset = at->z + k * at->stride;
        double *rate = to->zd + k * at->stride;
        for (size_t i = 0; i < at->n_sample; i++) {
            tau[i] += offset[i];
            rate[i] = 0.0;
        }
    }
    return TQ_OK;
}

tq_effect tq_offsets_effect(tq_offsets *offsets)
{
    return (tq_effect){.ctx = offsets, .n_z = offsets->n, .act = act, .timeless = 1};
}
