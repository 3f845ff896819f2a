/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/ensemble.c - many trajectories of one plant side by side. */
#include "core/simulate/ensemble.h"

#include <math.h>
#include <string.h>

/* rad/s or m/s: nothing that is built moves so fast; beyond it the numbers mean nothing */
static const double runaway = 1e6;

enum { ASK_STEPS = 256 }; /* between questions whether to stop */

typedef struct work {
    const tq_ensemble *ensemble;
    const tq_members *members;
    const tq_model *model;
    tq_trajectories state;
    tq_scratch *scratch;
    double *home;       /* (nq x stride) the starts, where ended members stand */
    uint64_t *n_sample; /* (n_effect) samples taken */
    size_t n_ended;
    uint64_t n_step;
} work;

size_t tq_ensemble_scratch_size(const tq_ensemble *ensemble, size_t stride)
{
    const tq_model *model = tq_mechanism_model(ensemble->plant->mechanism);
    return tq_scratch_cost(model->nq * stride, sizeof(double)) +
           tq_scratch_cost(ensemble->plant->n_effect, sizeof(uint64_t)) +
           tq_fixed_step_scratch_size(ensemble->plant, stride);
}

static int has_ended(const work *w, size_t i)
{
    return !isinf(w->members->ret_ended[i]);
}

static void end(work *w, size_t i, double t)
{
    if (!has_ended(w, i)) {
        w->members->ret_ended[i] = t;
        w->n_ended++;
    }
}

/* brings ended members back to their starts, at rest, and the padding after the last member */
static void park(work *w)
{
    const tq_members *m = w->members;
    for (size_t i = 0; i < m->n_member && w->n_ended > 0; i++) {
        if (!has_ended(w, i)) {
            continue;
        }
        for (size_t r = 0; r < w->model->nq; r++) {
            m->q[r * m->stride + i] = w->home[r * m->stride + i];
        }
        for (size_t r = 0; r < w->model->nv; r++) {
            m->qd[r * m->stride + i] = 0.0;
        }
        for (size_t r = 0; r < tq_plant_n_z(w->ensemble->plant); r++) {
            m->z[r * m->stride + i] = 0.0;
        }
    }
    if (w->n_ended > 0) {
        tq_block_pad(m->q, w->model->nq, m->stride, m->n_member);
        tq_block_pad(m->qd, w->model->nv, m->stride, m->n_member);
    }
}

static void find_runaways(work *w, double t)
{
    const tq_members *m = w->members;
    int sound = 1;
    for (size_t r = 0; r < w->model->nv; r++) {
        const double *row = m->qd + r * m->stride;
        for (size_t i = 0; i < m->n_member; i++) {
            sound &= fabs(row[i]) < runaway; /* not NaN either */
        }
    }
    if (sound) {
        return;
    }
    for (size_t i = 0; i < m->n_member; i++) {
        for (size_t r = 0; r < w->model->nv; r++) {
            if (!(fabs(m->qd[r * m->stride + i]) < runaway)) {
                end(w, i, t);
            }
        }
    }
}

/* The member that a fault names; n_member: the fault is the whole block's. */
static size_t faulty(const work *w, tq_status status, const tq_error *error)
{
    const int of_joint = error->what != NULL && strcmp(error->what, "joint.inertia") == 0;
    const double index = of_joint ? error->value : (double)error->index;
    const int of_member =
        status == TQ_ERR_SINGULAR || status == TQ_ERR_OVERFLOW || status == TQ_ERR_QUATERNION;
    return of_member && index >= 0.0 && index < (double)w->members->n_member ? (size_t)index
                                                                             : w->members->n_member;
}

static tq_status step(work *w, double t, double h, tq_error *reterr)
{
    const tq_ensemble *e = w->ensemble;
    tq_error error = {0};
    tq_status status = tq_fixed_step(e->plant, e->method, t, h, &w->state, w->scratch, &error);
    while (status != TQ_OK) {
        /* the states are as before the step: without that member it is tried again */
        const size_t i = faulty(w, status, &error);
        if (i == w->members->n_member || has_ended(w, i)) {
            return tq_fail(reterr, status, error.what, error.index, error.value);
        }
        end(w, i, t);
        park(w);
        status = tq_fixed_step(e->plant, e->method, t, h, &w->state, w->scratch, &error);
    }
    find_runaways(w, t + h);
    park(w);
    if (++w->n_step % ASK_STEPS == 0 && e->stopped != NULL && e->stopped(e->ctx) != 0) {
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stopped", 0, t);
    }
    return TQ_OK;
}

static double sample_due(const work *w, size_t k)
{
    const tq_effect *effect = &w->ensemble->plant->effects[k];
    return effect->sample != NULL && effect->sample_time > 0.0
               ? (double)w->n_sample[k] * effect->sample_time
               : (double)INFINITY;
}

/* the next time after t where steps must land */
static double next_stop(const work *w, double t, double output)
{
    const unsigned order = w->ensemble->method == TQ_FIXED_RK4 ? 4 : 1;
    double stop = fmin(output, tq_plant_next_break(w->ensemble->plant, t, order, NULL));
    for (size_t k = 0; k < w->ensemble->plant->n_effect; k++) {
        stop = fmin(stop, sample_due(w, k));
    }
    return stop;
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
    while (t < to) {
        tq_status status = take_samples(w, t, reterr);
        const double stop = next_stop(w, t, to);
        while (t < stop && status == TQ_OK) {
            /* as a single run does it, so that a member has the bits of a simulation */
            const double way = stop - t;
            const double n = fmax(1.0, ceil(way / w->ensemble->step * (1.0 - 1e-12)));
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
    w->home = tq_scratch_take(w->scratch, w->model->nq * m->stride, sizeof(double));
    w->n_sample = tq_scratch_take(w->scratch, e->plant->n_effect, sizeof *w->n_sample);
    if (w->home == NULL || w->n_sample == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_ensemble_scratch_size(e, m->stride));
    }
    memcpy(w->home, m->q, w->model->nq * m->stride * sizeof(double));
    for (size_t k = 0; k < e->plant->n_effect; k++) {
        w->n_sample[k] = 0;
    }
    for (size_t i = 0; i < m->n_member; i++) {
        m->ret_ended[i] = (double)INFINITY;
    }
    put_rows(w, 0);
    for (size_t k = 1; k < e->n_output; k++) {
        const tq_status status = advance(w, e->times[k - 1], e->times[k], reterr);
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
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.ensemble = ensemble,
              .members = members,
              .model = tq_mechanism_model(ensemble->plant->mechanism),
              .state = {.n_sample = members->n_member,
                        .stride = members->stride,
                        .q = members->q,
                        .qd = members->qd,
                        .z = members->z,
                        .held = members->held},
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
    return (tq_effect){.ctx = offsets, .n_z = offsets->n, .act = act};
}
