/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/constrained_controller.c - hybrid control: torques along the constraints, forces
 * normal to them. */
#include "core/plant/constrained_controller.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/constraints/actuation.h"
#include "core/constraints/projectors.h"
#include "core/dynamics/inverse.h"
#include "core/plant/state.h"
#include "core/plant/torque_table.h"

static const tq_model *model_of(const tq_constrained_controller *c)
{
    return tq_mechanism_model(c->mechanism);
}

static size_t n_sum(const tq_constrained_controller *c)
{
    return c->ki != NULL ? c->n_coordinate : 0;
}

static size_t n_push(const tq_constrained_controller *c)
{
    return c->force_ki > 0.0 ? c->constraints->n_row : 0;
}

/* memory of one evaluation */
typedef struct work {
    double *bias;      /* (nv x stride) */
    double *desired;   /* (3 nq) */
    double *force;     /* (n_row) force setpoints */
    double *push;      /* (n_row) commanded multipliers, of one sample */
    double *q, *qd;    /* one sample */
    double *e;         /* (nv) errors of its coordinates */
    double *ud, *tau;  /* (nv) */
    double *one, *got; /* (nv) */
} work;

static size_t work_size(const tq_constrained_controller *c, size_t stride)
{
    const tq_model *model = model_of(c);
    const size_t nv = model->nv, nq = model->nq, n_row = c->constraints->n_row;
    const size_t inverse = tq_inverse_scratch_size(c->mechanism, 0);
    const size_t factor = tq_constrained_scratch_size(c->mechanism, c->constraints) +
                          tq_elimination_scratch_most(model, c->constraints) +
                          tq_actuate_scratch_size(nv);
    return tq_scratch_cost(nv * stride, sizeof(double)) +
           6 * tq_scratch_cost(nv + 1, sizeof(double)) +
           4 * tq_scratch_cost(nq + 1, sizeof(double)) +
           2 * tq_scratch_cost(n_row + 1, sizeof(double)) + (inverse > factor ? inverse : factor);
}

static tq_status take(const tq_constrained_controller *c, size_t stride, tq_scratch *scratch,
                      work *w, tq_error *reterr)
{
    const size_t nv = model_of(c)->nv, nq = model_of(c)->nq, n_row = c->constraints->n_row;
    w->bias = tq_scratch_take(scratch, nv * stride, sizeof(double));
    w->desired = tq_scratch_take(scratch, 3 * nq, sizeof(double));
    w->q = tq_scratch_take(scratch, nq + 1, sizeof(double));
    w->force = tq_scratch_take(scratch, n_row + 1, sizeof(double));
    w->push = tq_scratch_take(scratch, n_row + 1, sizeof(double));
    double **const rows[] = {&w->e, &w->qd, &w->ud, &w->tau, &w->one, &w->got};
    bool all = w->bias != NULL && w->desired != NULL && w->q != NULL && w->force != NULL &&
               w->push != NULL;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        *rows[k] = tq_scratch_take(scratch, nv + 1, sizeof(double));
        all = all && *rows[k] != NULL;
    }
    return all ? TQ_OK
               : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)work_size(c, stride));
}

/* force setpoints at t, 0 without a table */
static void goals_at(const tq_constrained_controller *c, double t, double *ret)
{
    memset(ret, 0, c->constraints->n_row * sizeof *ret);
    if (c->force != NULL) {
        tq_table_at(c->force, t, ret, 1);
    }
}

/* accelerations of the free coordinates and commanded multipliers of sample i */
static void ask(const tq_constrained_controller *c, const tq_instant *at, size_t i, work *w)
{
    const size_t nq = model_of(c)->nq, sums = n_sum(c);
    tq_state_difference(model_of(c), w->desired, w->q, 1, w->e, 1);
    for (size_t f = 0; f < c->n_coordinate; f++) {
        const uint32_t r = c->coordinates[f];
        w->ud[f] = w->desired[2 * nq + r] + c->kd[r] * (w->desired[nq + r] - w->qd[r]);
        w->ud[f] += c->kp != NULL ? c->kp[r] * w->e[r] : 0.0;
        w->ud[f] += sums > 0 ? c->ki[r] * at->z[f * at->stride + i] : 0.0;
    }
    for (size_t r = 0; r < c->constraints->n_row; r++) {
        const double sum = n_push(c) > 0 ? at->z[(sums + r) * at->stride + i] : 0.0;
        w->push[r] = w->force[r] + c->force_ki * sum;
    }
}

/* torque of the control law for one sample, into w->got */
static tq_status compute(const tq_constrained_controller *c, const tq_instant *at, size_t i,
                         tq_scratch *scratch, work *w, tq_error *reterr)
{
    const size_t nv = model_of(c)->nv;
    const size_t mark = tq_scratch_mark(scratch);
    tq_constrained state;
    tq_elimination e;
    for (size_t r = 0; r < model_of(c)->nq; r++) {
        w->q[r] = at->q[r * at->stride + i];
    }
    for (size_t r = 0; r < nv; r++) {
        w->qd[r] = at->qd[r * at->stride + i];
        w->one[r] = w->bias[r * at->stride + i];
    }
    ask(c, at, i, w);
    const tq_constrained_at where = {.q = w->q, .qd = w->qd, .without = c->without};
    tq_status status =
        tq_constrained_factor(c->mechanism, c->constraints, &where, scratch, &state, reterr);
    if (status == TQ_OK) {
        status = tq_constraint_eliminate_by(&state, c->coordinates, c->n_coordinate, scratch, &e,
                                            reterr);
    }
    if (status == TQ_OK) {
        size_t rank = 0;
        tq_constraint_torque(&state, &e, w->one, w->ud, w->push, w->tau);
        memcpy(w->got, w->tau, nv * sizeof *w->got);
        if (tq_count_actuated(c->constraints, nv) < nv) {
            status = tq_constraint_actuate(&state, w->tau, scratch, w->got, &rank, reterr);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* saturates w->got at the limits; true if any did */
static bool limit(const tq_constrained_controller *c, work *w)
{
    bool cut = false;
    for (size_t r = 0; c->limit != NULL && r < model_of(c)->nv; r++) {
        cut = cut || fabs(w->got[r]) > c->limit[r];
        w->got[r] = fmin(fmax(w->got[r], -c->limit[r]), c->limit[r]);
    }
    return cut;
}

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    const tq_constrained_controller *c = ctx;
    const size_t nv = model_of(c)->nv;
    const size_t mark = tq_scratch_mark(scratch);
    work w;
    tq_status status = take(c, at->stride, scratch, &w, reterr);
    if (status == TQ_OK) {
        const tq_inverse_input still = {.n_sample = at->n_sample,
                                        .stride = at->stride,
                                        .q = at->q,
                                        .qd = at->qd,
                                        .gravity = c->gravity,
                                        .without = c->without};
        status = tq_inverse_dynamics(c->mechanism, &still, scratch, w.bias, reterr);
        const size_t nq = model_of(c)->nq;
        tq_reference_at(c->reference, at->t, w.desired, w.desired + nq, w.desired + 2 * nq);
        goals_at(c, at->t, w.force);
    }
    for (size_t i = 0; status == TQ_OK && i < at->n_sample; i++) {
        status = compute(c, at, i, scratch, &w, reterr);
        if (status != TQ_OK) {
            break;
        }
        const bool cut = limit(c, &w);
        for (size_t r = 0; r < nv; r++) {
            to->tau[r * at->stride + i] += w.got[r];
        }
        for (size_t f = 0; f < n_sum(c); f++) {
            const uint32_t r = c->coordinates[f];
            to->zd[f * at->stride + i] = cut ? 0.0 : w.e[r];
        }
        for (size_t r = 0; r < n_push(c); r++) { /* 1 if the integral may grow; observe
                                                    multiplies by the error */
            const bool grows = !cut && (c->pushed == NULL || c->pushed[r]);
            to->zd[(n_sum(c) + r) * at->stride + i] = grows ? 1.0 : 0.0;
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* measured constraint forces: the integrals of the force error grow where act allows it */
static tq_status observe(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_zd,
                         tq_error *reterr)
{
    const tq_constrained_controller *c = ctx;
    const size_t n_row = c->constraints->n_row;
    const size_t mark = tq_scratch_mark(scratch);
    assert(at->multipliers != NULL);
    double *goals = tq_scratch_take(scratch, n_row, sizeof *goals);
    if (goals == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)work_size(c, at->stride));
    }
    goals_at(c, at->t, goals);
    for (size_t r = 0; r < n_row; r++) {
        double *row = ret_zd + (n_sum(c) + r) * at->stride;
        for (size_t i = 0; i < at->n_sample; i++) {
            row[i] *= goals[r] - at->multipliers[r * at->stride + i];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

static double next_break(void *ctx, double t, unsigned *ret_order)
{
    const tq_constrained_controller *c = ctx;
    unsigned order[2] = {0, 0};
    const double motion = tq_reference_next_break(c->reference, t, &order[0]);
    const double force =
        c->force != NULL ? tq_table_next_break(c->force, t, &order[1]) : (double)INFINITY;
    const bool both = motion == force;
    if (ret_order != NULL) {
        *ret_order = both             ? (order[0] < order[1] ? order[0] : order[1])
                     : motion < force ? order[0]
                                      : order[1];
    }
    return fmin(motion, force);
}

static tq_status check_gains(const tq_constrained_controller *c, tq_error *reterr)
{
    const double *const gains[] = {c->kp, c->kd, c->ki};
    static const char *const what[] = {"kp", "kd", "ki"};
    const size_t nv = model_of(c)->nv;
    if (c->kd == NULL) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "kd", 0, 0.0);
    }
    for (size_t k = 0; k < sizeof gains / sizeof gains[0]; k++) {
        for (size_t r = 0; gains[k] != NULL && r < nv; r++) {
            if (!isfinite(gains[k][r]) || gains[k][r] < 0.0) {
                return tq_fail(reterr, isfinite(gains[k][r]) ? TQ_ERR_RANGE : TQ_ERR_NOT_FINITE,
                               what[k], r, gains[k][r]);
            }
        }
    }
    if (!isfinite(c->force_ki) || c->force_ki < 0.0) {
        return tq_fail(reterr, isfinite(c->force_ki) ? TQ_ERR_RANGE : TQ_ERR_NOT_FINITE, "force_ki",
                       0, c->force_ki);
    }
    for (size_t r = 0; c->limit != NULL && r < nv; r++) {
        if (!(c->limit[r] > 0.0)) {
            return tq_fail(reterr, TQ_ERR_RANGE, "limit", r, c->limit[r]);
        }
    }
    return TQ_OK;
}

static tq_status check(const tq_constrained_controller *c, tq_error *reterr)
{
    const tq_model *model = model_of(c);
    for (uint32_t j = 0; c->reference->kind != TQ_REFERENCE_SETPOINT && j < model->n_joint; j++) {
        if (model->joints[j].nq != model->joints[j].nv) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "joint", j, 0.0);
        }
    }
    if (c->reference->n_coordinate != model->nq) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "reference", 0, (double)c->reference->n_coordinate);
    }
    if (c->n_coordinate == 0 || c->n_coordinate > model->nv) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "coordinates", 0, (double)c->n_coordinate);
    }
    for (size_t f = 0; f < c->n_coordinate; f++) {
        if (c->coordinates[f] >= model->nv ||
            (f > 0 && c->coordinates[f] <= c->coordinates[f - 1])) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "coordinates", f, (double)c->coordinates[f]);
        }
    }
    if ((c->force != NULL || c->force_ki > 0.0) &&
        tq_count_actuated(c->constraints, model->nv) < model->nv) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "force", 0, 0.0);
    }
    return check_gains(c, reterr);
}

tq_status tq_constrained_controller_effect(tq_constrained_controller *controller,
                                           tq_effect *ret_effect, tq_error *reterr)
{
    assert(controller != NULL && controller->mechanism != NULL && controller->reference != NULL);
    assert(controller->constraints != NULL && controller->constraints->n_row > 0);
    const tq_status status = check(controller, reterr);
    if (status != TQ_OK) {
        return status;
    }
    *ret_effect = (tq_effect){.ctx = controller,
                              .n_z = n_sum(controller) + n_push(controller),
                              .scratch_size = work_size(controller, TQ_BLOCK_STRIDE),
                              .act = act,
                              .observe = n_push(controller) > 0 ? observe : NULL,
                              .next_break = next_break};
    return TQ_OK;
}
