/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/assemble.c - coordinates and rates that satisfy the constraints while some
 * joints keep theirs. */
#include "core/constraints/assemble.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/constraints/project.h"

enum { STEPS_MAX = 2000 };
static const double longest = 0.1;    /* step of kept coordinates, rad or m */
static const double tolerance = 1e-9; /* residual of closed constraints, rad or m */

size_t tq_constraints_keep_size(const tq_model *model, const tq_constraints *constraints)
{
    return tq_scratch_cost(constraints->n_constraint + model->nv, sizeof(tq_constraint)) +
           tq_scratch_cost(model->nv, sizeof(tq_coupling_term));
}

bool tq_constraints_keep(const tq_model *model, const tq_constraints *constraints, const bool *kept,
                         const double *q, size_t stride, tq_scratch *scratch, tq_constraints *ret)
{
    *ret = *constraints;
    ret->items =
        tq_scratch_take(scratch, constraints->n_constraint + model->nv, sizeof *ret->items);
    tq_coupling_term *terms = tq_scratch_take(scratch, model->nv, sizeof *terms);
    if (ret->items == NULL || terms == NULL) {
        return false;
    }
    memcpy(ret->items, constraints->items, constraints->n_constraint * sizeof *ret->items);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (!kept[j]) {
            continue;
        }
        *terms =
            (tq_coupling_term){.q_index = joint->q_index, .v_index = joint->v_index, .factor = 1.0};
        ret->items[ret->n_constraint++] = (tq_constraint){.kind = TQ_CONSTRAINT_COUPLING,
                                                          .coupling = terms,
                                                          .n_coupling = 1,
                                                          .offset = q[joint->q_index * stride],
                                                          .first_row = ret->n_row,
                                                          .n_row = 1};
        ret->n_row++;
        terms++;
    }
    return true;
}

typedef struct work {
    const tq_mechanism *mechanism;
    const tq_model *model;
    const tq_constraints *constraints;
    const bool *kept;
    tq_scratch *scratch;
    double *q, *start, *goal; /* (nq): on the way, at its start, at its end */
    double *block_q, *block_qd;
    double *target, *v; /* (n_row + nv), (nv) */
} work;

/* rows of the constraints with one for every kept joint */
static tq_constraints widest(const tq_model *model, const tq_constraints *constraints)
{
    tq_constraints most = *constraints;
    most.n_row += model->nv;
    most.n_constraint += model->nv;
    return most;
}

size_t tq_assemble_scratch_size(const tq_mechanism *mechanism, const tq_constraints *constraints)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const tq_constraints most = widest(model, constraints);
    const size_t project = tq_project_scratch_size(mechanism, &most);
    const size_t factor = tq_constrained_scratch_size(mechanism, &most);
    return 3 * tq_scratch_cost(model->nq, sizeof(double)) +
           tq_scratch_cost((size_t)model->nq * TQ_BLOCK_PAD, sizeof(double)) +
           tq_scratch_cost((size_t)model->nv * TQ_BLOCK_PAD, sizeof(double)) +
           tq_scratch_cost(most.n_row, sizeof(double)) +
           tq_scratch_cost(model->nv, sizeof(double)) +
           tq_constraints_keep_size(model, constraints) + (project > factor ? project : factor);
}

static bool take(work *w)
{
    const size_t nq = w->model->nq, nv = w->model->nv;
    w->q = tq_scratch_take(w->scratch, nq, sizeof(double));
    w->start = tq_scratch_take(w->scratch, nq, sizeof(double));
    w->goal = tq_scratch_take(w->scratch, nq, sizeof(double));
    w->block_q = tq_scratch_take(w->scratch, nq * TQ_BLOCK_PAD, sizeof(double));
    w->block_qd = tq_scratch_take(w->scratch, nv * TQ_BLOCK_PAD, sizeof(double));
    w->target = tq_scratch_take(w->scratch, w->constraints->n_row + nv, sizeof(double));
    w->v = tq_scratch_take(w->scratch, nv, sizeof(double));
    return w->q != NULL && w->start != NULL && w->goal != NULL && w->block_q != NULL &&
           w->block_qd != NULL && w->target != NULL && w->v != NULL;
}

/* kept coordinates of w->q at `part` of the way, exactly */
static void put_kept(work *w, double part)
{
    for (uint32_t j = 0; j < w->model->n_joint; j++) {
        const size_t r = w->model->joints[j].q_index;
        if (w->kept[j]) {
            w->q[r] = part == 1.0 ? w->goal[r] : w->start[r] + part * (w->goal[r] - w->start[r]);
        }
    }
}

/* Moves w->q onto the constraints; kept coordinates stay. w->q is unchanged unless TQ_OK. */
static tq_status close_at(work *w, double part, tq_error *reterr)
{
    const size_t nq = w->model->nq, nv = w->model->nv;
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_constraints all;
    if (!tq_constraints_keep(w->model, w->constraints, w->kept, w->q, 1, w->scratch, &all)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    for (size_t k = 0; k < nq * TQ_BLOCK_PAD; k++) {
        w->block_q[k] = w->q[k / TQ_BLOCK_PAD];
    }
    memset(w->block_qd, 0, nv * TQ_BLOCK_PAD * sizeof *w->block_qd);
    /* rates are solved for at the end: rows that prescribe some are left to that */
    const tq_constraint_states states = {
        .n_sample = 1, .stride = TQ_BLOCK_PAD, .q = w->block_q, .qd = w->block_qd};
    const tq_status status =
        tq_constraints_project(w->mechanism, &all, &states, tolerance, w->scratch, NULL, reterr);
    for (size_t k = 0; status == TQ_OK && k < nq; k++) {
        w->q[k] = w->block_q[k * TQ_BLOCK_PAD];
    }
    if (status == TQ_OK) {
        put_kept(w, part);
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

/* in n steps of the kept coordinates */
static tq_status walk(work *w, const double *near, unsigned n, tq_assembly *motion,
                      tq_error *reterr)
{
    tq_status status = TQ_OK;
    memcpy(w->q, near, w->model->nq * sizeof *w->q);
    if (n > 1) {
        status = close_at(w, 0.0, reterr);
    }
    for (unsigned k = 1; k <= n && status == TQ_OK; k++) {
        const double part = (double)k / (double)n;
        put_kept(w, part);
        status = close_at(w, part, reterr);
        motion->reached = status == TQ_OK ? part : motion->reached;
    }
    return status;
}

static tq_status reach(work *w, const double *near, tq_assembly *motion, tq_error *reterr)
{
    double way = 0.0;
    for (uint32_t j = 0; j < w->model->n_joint; j++) {
        const size_t r = w->model->joints[j].q_index;
        way = w->kept[j] ? fmax(way, fabs(w->goal[r] - w->start[r])) : way;
    }
    motion->reached = 0.0;
    const unsigned n = (unsigned)fmin(fmax(ceil(way / longest), 1.0), STEPS_MAX);
    if (n > 1 && walk(w, near, n, motion, NULL) == TQ_OK) {
        return TQ_OK;
    }
    return walk(w, near, 1, motion, reterr);
}

/* what A v shall be: rates are changed from those of the kept joints alone */
static void put_target(const work *w, const tq_constrained *state, const double *qdd)
{
    size_t row = w->constraints->n_row;
    for (size_t k = 0; k < row; k++) {
        w->target[k] = qdd != NULL ? -state->gamma[k] : -state->velocity[k];
    }
    for (uint32_t j = 0; j < w->model->n_joint; j++) {
        if (w->kept[j]) {
            w->target[row++] = qdd != NULL ? qdd[w->model->joints[j].v_index] : 0.0;
        }
    }
}

static void clear_others(const work *w, double *x)
{
    for (uint32_t j = 0; x != NULL && j < w->model->n_joint; j++) {
        const tq_joint *joint = &w->model->joints[j];
        for (size_t r = joint->v_index; r < (size_t)joint->v_index + joint->nv; r++) {
            x[r] = w->kept[j] ? x[r] : 0.0;
        }
    }
}

/* Rates (of_qdd false), or accelerations, of least length; kept ones stay. */
static tq_status differentiate(work *w, tq_assembly *motion, bool of_qdd, tq_error *reterr)
{
    const size_t nv = w->model->nv;
    double *x = of_qdd ? motion->qdd : motion->qd;
    tq_constraints all;
    tq_constrained state;
    if (!tq_constraints_keep(w->model, w->constraints, w->kept, w->q, 1, w->scratch, &all)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    clear_others(w, x);
    const tq_constrained_at at = {.q = w->q, .qd = motion->qd};
    tq_status status = tq_constrained_factor(w->mechanism, &all, &at, w->scratch, &state, reterr);
    if (status != TQ_OK) {
        return status;
    }
    motion->n_undecided = nv - state.rank;
    if (x == NULL) {
        return TQ_OK;
    }
    memset(w->v, 0, nv * sizeof *w->v);
    put_target(w, &state, of_qdd ? x : NULL);
    status = tq_constrained_nearest(&state, w->target, TQ_CONTRADICTION_REFUSE, w->scratch, w->v,
                                    NULL, reterr);
    for (uint32_t j = 0; status == TQ_OK && j < w->model->n_joint; j++) {
        const tq_joint *joint = &w->model->joints[j];
        for (size_t r = joint->v_index; r < (size_t)joint->v_index + joint->nv; r++) {
            x[r] = w->kept[j] ? x[r] : w->v[r];
        }
    }
    return status;
}

static tq_status assemble(work *w, const double *near, tq_assembly *motion, tq_error *reterr)
{
    if (!take(w)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_assemble_scratch_size(w->mechanism, w->constraints));
    }
    memcpy(w->start, near, w->model->nq * sizeof *w->start);
    memcpy(w->goal, motion->q, w->model->nq * sizeof *w->goal);
    tq_status status = reach(w, near, motion, reterr);
    if (status != TQ_OK) {
        return status;
    }
    memcpy(motion->q, w->q, w->model->nq * sizeof *w->q);
    for (unsigned k = 0; k < 2 && status == TQ_OK; k++) {
        const size_t mark = tq_scratch_mark(w->scratch);
        if (k == 0 || motion->qdd != NULL) {
            status = differentiate(w, motion, k == 1, reterr);
        }
        tq_scratch_rewind(w->scratch, mark);
    }
    return status;
}

tq_status tq_constraints_assemble(const tq_mechanism *mechanism, const tq_constraints *constraints,
                                  const double *near, tq_assembly *motion, tq_scratch *scratch,
                                  tq_error *reterr)
{
    assert(motion->qdd == NULL || motion->qd != NULL);
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.mechanism = mechanism,
              .model = tq_mechanism_model(mechanism),
              .constraints = constraints,
              .kept = motion->kept,
              .scratch = scratch};
    const tq_status status = assemble(&w, near, motion, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}
