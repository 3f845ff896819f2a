/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/midpoint.c - fixed-point iteration for the velocity at the midpoint of a step. */
#include "core/integrate/midpoint.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/coriolis.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/linalg/dense.h"

enum { LANE = TQ_BLOCK_PAD, ITERATIONS = 200 };

/* relative change of v at which the iteration may stop: bounds the energy error per step */
static const double left_over = 1e-12;

typedef struct work {
    size_t n, n_z;
    double *q, *v, *z;       /* blocks: at the midpoint */
    double *rate, *qdd, *zd; /* blocks: rates at the midpoint */
    double *m, *c;           /* blocks (n^2 x LANE) */
    double *dense;           /* (n x n) */
    double *p0, *next;       /* (n) */
} work;

size_t tq_midpoint_scratch_size(const tq_plant *plant)
{
    const tq_mechanism *mechanism = plant->mechanism;
    const size_t n = tq_mechanism_model(mechanism)->nv;
    const size_t z = tq_plant_n_z(plant);
    const size_t m = tq_mass_matrix_scratch_size(mechanism);
    const size_t c = tq_coriolis_scratch_size(mechanism);
    const size_t rate = tq_plant_scratch_size(plant, LANE);
    const size_t call = m > c ? m : c;
    return 4 * tq_scratch_cost(n * LANE, sizeof(double)) +
           2 * tq_scratch_cost(z * LANE, sizeof(double)) +
           2 * tq_scratch_cost(n * n * LANE, sizeof(double)) +
           tq_scratch_cost(n * n, sizeof(double)) + 2 * tq_scratch_cost(n, sizeof(double)) +
           (call > rate ? call : rate);
}

static int take(work *w, const tq_plant *plant, tq_scratch *scratch)
{
    const size_t n = w->n = tq_mechanism_model(plant->mechanism)->nv;
    w->n_z = tq_plant_n_z(plant);
    double **blocks[] = {&w->q, &w->v, &w->rate, &w->qdd, &w->z, &w->zd, &w->m, &w->c};
    const size_t sizes[] = {n * LANE,      n * LANE,      n * LANE,     n * LANE,
                            w->n_z * LANE, w->n_z * LANE, n * n * LANE, n * n * LANE};
    for (unsigned k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        *blocks[k] = tq_scratch_take(scratch, sizes[k], sizeof(double));
        if (*blocks[k] == NULL) {
            return 0;
        }
    }
    w->dense = tq_scratch_take(scratch, n * n, sizeof(double));
    w->p0 = tq_scratch_take(scratch, n, sizeof(double));
    w->next = tq_scratch_take(scratch, n, sizeof(double));
    return w->dense != NULL && w->p0 != NULL && w->next != NULL;
}

static tq_status mass_at(const tq_plant *plant, const double *q, work *w, tq_scratch *scratch,
                         tq_error *reterr)
{
    return tq_mass_matrix(plant->mechanism, 1, LANE, q, plant->without, scratch, w->m, reterr);
}

/* ret = M v for the block v */
static void momentum(const work *w, const double *v, double *ret)
{
    for (size_t a = 0; a < w->n; a++) {
        double sum = 0.0;
        for (size_t b = 0; b < w->n; b++) {
            sum += w->m[(a * w->n + b) * LANE] * v[b * LANE];
        }
        ret[a] = sum;
    }
}

/* x := M^-1 x */
static tq_status solve(const work *w, double *x, tq_error *reterr)
{
    for (size_t k = 0; k < w->n * w->n; k++) {
        w->dense[k] = w->m[k * LANE];
    }
    const tq_status status = tq_cholesky_factor(w->n, w->dense, w->n, reterr);
    return status != TQ_OK ? status : tq_cholesky_solve(w->n, 1, w->dense, w->n, x, w->n, reterr);
}

/* w->q, w->z: the midpoint for velocity v; rates and matrices there */
static tq_status midpoint_rates(const tq_plant *plant, double t, double h,
                                const tq_trajectories *state, work *w, tq_scratch *scratch,
                                tq_error *reterr)
{
    for (size_t k = 0; k < w->n * LANE; k++) {
        w->q[k] = state->q[k] + 0.5 * h * w->v[k];
    }
    tq_trajectories middle = *state;
    middle.q = w->q;
    middle.qd = w->v;
    middle.z = w->z;
    const tq_rates rates = {.q = w->rate, .qd = w->qdd, .z = w->zd};
    tq_status status = tq_plant_rate(plant, t + 0.5 * h, &middle, scratch, &rates, reterr);
    if (status == TQ_OK) {
        status = mass_at(plant, w->q, w, scratch, reterr);
    }
    if (status == TQ_OK) {
        status = tq_coriolis_matrix(plant->mechanism, 1, LANE, w->q, w->v, scratch, w->c, reterr);
    }
    for (size_t k = 0; k < w->n_z * LANE; k++) {
        w->z[k] = state->z[k] + 0.5 * h * w->zd[k];
    }
    return status;
}

/* next = M^-1 (p0 + h/2 (M qdd + Mdot v)), Mdot = C + C^T; returns the largest change relative to
 * |v| */
static tq_status improve(double h, work *w, double *ret_change, tq_error *reterr)
{
    for (size_t a = 0; a < w->n; a++) {
        double push = 0.0;
        for (size_t b = 0; b < w->n; b++) {
            push += w->m[(a * w->n + b) * LANE] * w->qdd[b * LANE] +
                    (w->c[(a * w->n + b) * LANE] + w->c[(b * w->n + a) * LANE]) * w->v[b * LANE];
        }
        w->next[a] = w->p0[a] + 0.5 * h * push;
    }
    const tq_status status = solve(w, w->next, reterr);
    double change = 0.0;
    double size = DBL_MIN;
    for (size_t a = 0; a < w->n; a++) {
        change = fmax(change, fabs(w->next[a] - w->v[a * LANE]));
        size = fmax(size, fabs(w->next[a]));
        for (size_t i = 0; i < LANE; i++) {
            w->v[a * LANE + i] = w->next[a];
        }
    }
    *ret_change = change / size;
    return status;
}

static tq_status iterate(const tq_plant *plant, double t, double h, const tq_trajectories *state,
                         work *w, tq_scratch *scratch, size_t *n_eval, tq_error *reterr)
{
    double last = (double)INFINITY;
    for (unsigned k = 0; k < ITERATIONS; k++) {
        double change = 0.0;
        tq_status status = midpoint_rates(plant, t, h, state, w, scratch, reterr);
        ++*n_eval;
        if (status == TQ_OK) {
            status = improve(h, w, &change, reterr);
        }
        if (status != TQ_OK) {
            return status;
        }
        /* converged to rounding, or to left_over without further progress */
        if (change <= DBL_EPSILON || (change <= left_over && change >= last)) {
            return TQ_OK;
        }
        last = change;
    }
    return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "step", 0, h);
}

static tq_status step(const tq_plant *plant, double t, double h, const tq_trajectories *state,
                      work *w, tq_scratch *scratch, size_t *n_eval, tq_error *reterr)
{
    tq_status status = mass_at(plant, state->q, w, scratch, reterr);
    if (status != TQ_OK) {
        return status;
    }
    momentum(w, state->qd, w->p0);
    memcpy(w->v, state->qd, w->n * LANE * sizeof *w->v);
    if (w->n_z > 0) {
        memcpy(w->z, state->z, w->n_z * LANE * sizeof *w->z);
    }
    status = iterate(plant, t, h, state, w, scratch, n_eval, reterr);
    if (status != TQ_OK) {
        return status;
    }
    momentum(w, w->v, w->next);
    for (size_t a = 0; a < w->n; a++) {
        w->next[a] = 2.0 * w->next[a] - w->p0[a];
    }
    for (size_t k = 0; k < w->n * LANE; k++) {
        w->q[k] = state->q[k] + h * w->v[k];
    }
    status = mass_at(plant, w->q, w, scratch, reterr);
    if (status == TQ_OK) {
        status = solve(w, w->next, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    memcpy(state->q, w->q, w->n * LANE * sizeof *w->q);
    for (size_t k = 0; k < w->n * LANE; k++) {
        state->qd[k] = w->next[k / LANE];
    }
    for (size_t k = 0; k < w->n_z * LANE; k++) {
        state->z[k] += h * w->zd[k];
    }
    return tq_plant_project(plant, state, scratch, reterr);
}

tq_status tq_midpoint_step(const tq_plant *plant, double t, double h, const tq_trajectories *state,
                           tq_scratch *scratch, size_t *ret_evaluations, tq_error *reterr)
{
    assert(state->n_sample == 1 && state->stride == LANE);
    assert(tq_mechanism_model(plant->mechanism)->nq == tq_mechanism_model(plant->mechanism)->nv);
    const size_t mark = tq_scratch_mark(scratch);
    work w;
    *ret_evaluations = 0;
    const tq_status status = take(&w, plant, scratch)
                                 ? step(plant, t, h, state, &w, scratch, ret_evaluations, reterr)
                                 : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                                           (double)tq_midpoint_scratch_size(plant));
    tq_scratch_rewind(scratch, mark);
    return status;
}
