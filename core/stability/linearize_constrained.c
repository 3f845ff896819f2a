/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/linearize_constrained.c - linearisation of a plant under constraints. */
#include <math.h>
#include <string.h>

#include "core/constraints/projectors.h"
#include "core/plant/stiction.h"
#include "core/stability/linearize.h"

/* relative step of central differences: cube root of eps, where rounding and truncation errors are
 * equal */
static const double nudge = 6e-6;

/* one state and the results for it */
typedef struct work {
    const tq_plant *plant;
    const tq_run_point *at;
    size_t nv, n_z, n_held;
    double *q, *qd;        /* (nv) of the displaced state */
    double *step;          /* (nv) a displacement, or a change of velocity */
    double *fore, *back;   /* (nv) accelerations on both sides of the point */
    signed char *mode;     /* (n_joint) the side of dry friction */
    tq_trajectories state; /* blocks of one sample */
    tq_rates rates;
    tq_elimination place, motion; /* of coordinates, of velocities */
    size_t rank;                  /* of all rows */
} work;

size_t tq_linearise_constrained_scratch_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nv = model->nv, pad = TQ_BLOCK_PAD;
    const size_t factor = tq_constrained_scratch_size(plant->mechanism, plant->constraints);
    const size_t most = tq_elimination_scratch_most(model, plant->constraints);
    return 5 * tq_scratch_cost(nv + 1, sizeof(double)) + tq_scratch_cost(model->n_joint, 1) +
           4 * tq_scratch_cost((nv + 1) * pad, sizeof(double)) +
           2 * tq_scratch_cost((tq_plant_n_z(plant) + 1) * pad, sizeof(double)) +
           tq_scratch_cost((tq_plant_n_held(plant) + 1) * pad, sizeof(double)) +
           2 * (factor + most) + tq_larger(factor, tq_plant_scratch_size(plant, pad));
}

static double *rows_of(const double *x, size_t n, tq_scratch *scratch)
{
    double *rows = tq_scratch_take(scratch, (n + 1) * TQ_BLOCK_PAD, sizeof *rows);
    for (size_t k = 0; rows != NULL && k < n * TQ_BLOCK_PAD; k++) {
        rows[k] = x != NULL ? x[k / TQ_BLOCK_PAD] : 0.0;
    }
    return rows;
}

/* Dry friction is discontinuous at velocity 0: no difference may cross it. Joints at standstill
 * count as moving in the positive direction; the slope is the same on both sides. */
static signed char *sides_of(const work *w, tq_scratch *scratch, bool *ret_any)
{
    const tq_model *model = tq_mechanism_model(w->plant->mechanism);
    signed char *mode = tq_scratch_take(scratch, model->n_joint, 1);
    *ret_any = false;
    for (uint32_t j = 0; mode != NULL && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        mode[j] = !tq_can_stick(joint)              ? TQ_MODE_FREE
                  : w->at->qd[joint->v_index] < 0.0 ? TQ_MODE_MINUS
                                                    : TQ_MODE_PLUS;
        *ret_any = *ret_any || mode[j] != TQ_MODE_FREE;
    }
    return mode;
}

static bool take(work *w, tq_scratch *scratch)
{
    double **const flat[] = {&w->q, &w->qd, &w->step, &w->fore, &w->back};
    bool all = true;
    for (size_t k = 0; k < sizeof flat / sizeof flat[0]; k++) {
        *flat[k] = tq_scratch_take(scratch, w->nv + 1, sizeof(double));
        all = all && *flat[k] != NULL;
    }
    bool any = false;
    w->mode = sides_of(w, scratch, &any);
    w->state = (tq_trajectories){.n_sample = 1,
                                 .stride = TQ_BLOCK_PAD,
                                 .q = rows_of(w->at->q, w->nv, scratch),
                                 .qd = rows_of(w->at->qd, w->nv, scratch),
                                 .z = rows_of(w->at->z, w->n_z, scratch),
                                 .held = rows_of(w->at->held, w->n_held, scratch),
                                 .mode = any ? w->mode : NULL};
    w->rates = (tq_rates){.q = rows_of(NULL, w->nv, scratch),
                          .qd = rows_of(NULL, w->nv, scratch),
                          .z = rows_of(NULL, w->n_z, scratch)};
    return all && w->mode != NULL && w->state.q != NULL && w->state.qd != NULL &&
           w->state.z != NULL && w->state.held != NULL && w->rates.q != NULL &&
           w->rates.qd != NULL && w->rates.z != NULL;
}

/* independent coordinates and velocities at the point */
static tq_status eliminate(work *w, tq_scratch *scratch, tq_error *reterr)
{
    const tq_row_choice choices[] = {TQ_ROWS_HOLONOMIC, TQ_ROWS_ALL};
    tq_elimination *const to[] = {&w->place, &w->motion};
    for (size_t k = 0; k < 2; k++) {
        tq_constrained state;
        const tq_constrained_at at = {
            .q = w->at->q, .qd = w->at->qd, .without = w->plant->without, .rows = choices[k]};
        tq_status status = tq_constrained_factor(w->plant->mechanism, w->plant->constraints, &at,
                                                 scratch, &state, reterr);
        if (status == TQ_OK) {
            status = tq_constraint_eliminate(&state, scratch, to[k], reterr);
        }
        if (status != TQ_OK) {
            return status;
        }
        w->rank = state.rank;
    }
    return TQ_OK;
}

/* makes the dependent velocities consistent at w->q */
static tq_status follow(work *w, tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_constrained state;
    const tq_constrained_at at = {.q = w->q, .qd = w->qd, .without = w->plant->without};
    const tq_status status = tq_constrained_factor(w->plant->mechanism, w->plant->constraints, &at,
                                                   scratch, &state, reterr);
    for (size_t i = 0; status == TQ_OK && i < w->rank; i++) {
        for (size_t j = 0; j < w->rank; j++) {
            w->qd[w->motion.bound[i]] -=
                w->motion.follow[j * w->rank + i] * state.velocity[w->motion.rows[j]];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* accelerations (nv) at the point displaced by `by` times w->step, in coordinates or velocities */
static tq_status displaced_acceleration(work *w, bool place, double by, tq_scratch *scratch,
                                        double *ret, tq_error *reterr)
{
    for (size_t r = 0; r < w->nv; r++) {
        w->q[r] = w->at->q[r] + (place ? by * w->step[r] : 0.0);
        w->qd[r] = w->at->qd[r] + (place ? 0.0 : by * w->step[r]);
    }
    tq_status status = place ? follow(w, scratch, reterr) : TQ_OK;
    for (size_t k = 0; k < w->nv * TQ_BLOCK_PAD; k++) {
        w->state.q[k] = w->q[k / TQ_BLOCK_PAD];
        w->state.qd[k] = w->qd[k / TQ_BLOCK_PAD];
    }
    if (status == TQ_OK) {
        status = tq_plant_rate(w->plant, w->at->t, &w->state, scratch, &w->rates, reterr);
    }
    for (size_t r = 0; status == TQ_OK && r < w->nv; r++) {
        ret[r] = w->rates.qd[r * TQ_BLOCK_PAD];
    }
    return status;
}

/* column c of the matrix: a difference in one free coordinate, or velocity */
static tq_status column(work *w, size_t c, tq_scratch *scratch, double *a, tq_error *reterr)
{
    const size_t n_q = w->place.n_free, n_v = w->motion.n_free, n = n_q + n_v;
    const bool place = c < n_q;
    const double *t = place ? w->place.t + c * w->nv : w->motion.t + (c - n_q) * w->nv;
    double speed[2][TQ_LINEAR_NV_MAX];
    memcpy(w->step, t, w->nv * sizeof *t);
    tq_status status = displaced_acceleration(w, place, nudge, scratch, w->fore, reterr);
    memcpy(speed[0], w->qd, w->nv * sizeof *t);
    if (status == TQ_OK) {
        status = displaced_acceleration(w, place, -nudge, scratch, w->back, reterr);
    }
    memcpy(speed[1], w->qd, w->nv * sizeof *t);
    for (size_t r = 0; status == TQ_OK && r < n_q; r++) {
        const uint32_t row = w->place.free[r];
        a[r * n + c] = (speed[0][row] - speed[1][row]) / (2.0 * nudge);
    }
    for (size_t r = 0; status == TQ_OK && r < n_v; r++) {
        const uint32_t row = w->motion.free[r];
        a[(n_q + r) * n + c] = (w->fore[row] - w->back[row]) / (2.0 * nudge);
    }
    return status;
}

tq_status tq_linearise_constrained(const tq_plant *plant, const tq_run_point *at,
                                   tq_scratch *scratch, double *ret_a, size_t *ret_n,
                                   tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t mark = tq_scratch_mark(scratch);
    if (model->nv > TQ_LINEAR_NV_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "nv", 0, (double)model->nv);
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nq != model->joints[j].nv) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "joint", j, 0.0);
        }
    }
    work w = {.plant = plant,
              .at = at,
              .nv = model->nv,
              .n_z = tq_plant_n_z(plant),
              .n_held = tq_plant_n_held(plant)};
    tq_status status = take(&w, scratch)
                           ? eliminate(&w, scratch, reterr)
                           : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                                     (double)tq_linearise_constrained_scratch_size(plant));
    *ret_n = status == TQ_OK ? w.place.n_free + w.motion.n_free : 0;
    for (size_t c = 0; status == TQ_OK && c < *ret_n; c++) {
        status = column(&w, c, scratch, ret_a, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
