/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/watch/observer.c - the generalised-momentum observer over blocks of samples. */
#include "core/identify/watch/observer.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/coriolis.h"
#include "core/dynamics/inverse.h"
#include "core/elementary/elementary.h"
#include "core/model/layout.h"

static const double gap = 1.5; /* periods: a longer time step is a gap */

struct tq_observer {
    const tq_mechanism *mechanism;
    double gain, period, keeps;
    double before;         /* time of the last sample; NaN: none */
    double *p, *u, *r;     /* (nv) of the last sample */
    double *momentum;      /* (nv x TQ_BLOCK_STRIDE) */
    double *rest;          /* (nv x TQ_BLOCK_STRIDE) gravity, friction, springs */
    double *c;             /* (nv^2 x TQ_BLOCK_STRIDE) */
    size_t filled, stride; /* samples of c that are written, and their stride */
    tq_scratch *memory;
};

static size_t work_size(const tq_mechanism *mechanism)
{
    const size_t a = tq_inverse_scratch_size(mechanism, 0), b = tq_coriolis_scratch_size(mechanism);
    return a > b ? a : b;
}

size_t tq_observer_size(const tq_mechanism *mechanism)
{
    const size_t nv = mechanism->model.nv;
    return tq_scratch_cost(1, sizeof(tq_observer)) + 3 * tq_scratch_cost(nv, sizeof(double)) +
           2 * tq_scratch_cost(nv * TQ_BLOCK_STRIDE, sizeof(double)) +
           tq_scratch_cost(nv * nv * TQ_BLOCK_STRIDE, sizeof(double)) + work_size(mechanism);
}

tq_status tq_observer_begin(const tq_mechanism *mechanism, double gain, tq_scratch *memory,
                            tq_observer **ret, tq_error *reterr)
{
    const size_t nv = mechanism->model.nv;
    if (!(gain > 0.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "gain", 0, gain);
    }
    tq_observer *o = tq_scratch_take(memory, 1, sizeof *o);
    if (o != NULL) {
        *o = (tq_observer){.mechanism = mechanism, .gain = gain, .memory = memory};
        o->p = tq_scratch_take(memory, nv, sizeof(double));
        o->u = tq_scratch_take(memory, nv, sizeof(double));
        o->r = tq_scratch_take(memory, nv, sizeof(double));
        o->momentum = tq_scratch_take(memory, nv * TQ_BLOCK_STRIDE, sizeof(double));
        o->rest = tq_scratch_take(memory, nv * TQ_BLOCK_STRIDE, sizeof(double));
        o->c = tq_scratch_take(memory, nv * nv * TQ_BLOCK_STRIDE, sizeof(double));
    }
    if (o == NULL || o->p == NULL || o->u == NULL || o->r == NULL || o->momentum == NULL ||
        o->rest == NULL || o->c == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_observer_size(mechanism));
    }
    o->before = (double)NAN;
    *ret = o;
    return TQ_OK;
}

tq_status tq_observer_next(tq_observer *o, double period, tq_error *reterr)
{
    if (!(period > 0.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "period", 0, period);
    }
    o->period = period;
    o->keeps = tq_exp(-o->gain * period);
    o->before = (double)NAN;
    return TQ_OK;
}

double tq_observer_keeps(const tq_observer *o)
{
    return o->keeps;
}

/* momentum, torque of the model at rest, and C, for one block */
static tq_status compute(tq_observer *o, const tq_experiment_block *block, tq_error *reterr)
{
    tq_inverse_input in = {.n_sample = block->n_sample,
                           .stride = block->stride,
                           .q = block->q,
                           .qdd = block->qd,
                           .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_GRAVITY |
                                      TQ_WITHOUT_VELOCITY | TQ_WITHOUT_DRAG};
    tq_status status = tq_inverse_dynamics(o->mechanism, &in, o->memory, o->momentum, reterr);
    if (status == TQ_OK) {
        in.qd = block->qd;
        in.qdd = NULL;
        in.without = TQ_WITHOUT_VELOCITY | TQ_WITHOUT_INERTIA;
        status = tq_inverse_dynamics(o->mechanism, &in, o->memory, o->rest, reterr);
    }
    if (status == TQ_OK) {
        /* structural zeros of C stay from block to block */
        const bool is_filled = o->filled >= block->n_sample && o->stride == block->stride;
        status = (is_filled ? tq_coriolis_matrix_again
                            : tq_coriolis_matrix)(o->mechanism, block->n_sample, block->stride,
                                                  block->q, block->qd, o->memory, o->c, reterr);
        o->filled = status == TQ_OK ? (is_filled ? o->filled : block->n_sample) : 0;
        o->stride = block->stride;
    }
    return status;
}

tq_status tq_observer_push(tq_observer *o, const tq_experiment_block *block, const double *t,
                           double *ret_r, bool *ret_begins, tq_error *reterr)
{
    const size_t nv = o->mechanism->model.nv, stride = block->stride;
    const tq_status status = compute(o, block, reterr);
    for (size_t i = 0; status == TQ_OK && i < block->n_sample; i++) {
        const double h = t[i] - o->before;
        const bool begins = !(h > 0.0 && h < gap * o->period) || (i == 0 && block->begins);
        for (size_t a = 0; a < nv; a++) {
            double u = block->tau[a * stride + i] - o->rest[a * stride + i];
            for (size_t b = 0; b < nv; b++) {
                u += o->c[(b * nv + a) * stride + i] * block->qd[b * stride + i];
            }
            const double p = o->momentum[a * stride + i];
            const double x = (p - o->p[a]) / o->period - 0.5 * (u + o->u[a]);
            o->r[a] = begins ? 0.0 : o->keeps * o->r[a] + (1.0 - o->keeps) * x;
            o->p[a] = p;
            o->u[a] = u;
            ret_r[a * TQ_BLOCK_STRIDE + i] = o->r[a];
        }
        ret_begins[i] = begins;
        o->before = t[i];
    }
    return status;
}
