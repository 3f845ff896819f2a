/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/constraints.c - terms of constraints in an answer, by name. */
#include "api/operations/terms/constraints.h"

#include <string.h>

#include "api/request/refuse.h"
#include "core/constraints/integrability.h"

static const uint64_t of_forces =
    TQA_INCLUDE_MULTIPLIERS | TQA_INCLUDE_CONSTRAINT_POWER | TQA_INCLUDE_ACTUATION;
static const uint64_t of_states =
    TQA_INCLUDE_CONSTRAINT_JACOBIAN | TQA_INCLUDE_PROJECTORS | TQA_INCLUDE_INTEGRABILITY;

/* the place is `include` */
static bool refuse(tqa_call *call, const char *hint, const char *detail)
{
    tqa_request *request = &call->request;
    request->bad_key = "include";
    request->n_bad_key = strlen(request->bad_key);
    (void)tqa_refuse(request, UINT64_MAX, "invalid-value", hint, "%s", detail);
    request->bad_key = NULL;
    return false;
}

static size_t n_row_of(const tqa_robot *robot)
{
    return robot->constraints != NULL ? robot->constraints->n_row : 0;
}

bool tqa_constraints_check(tqa_call *call)
{
    const tqa_request *request = &call->request;
    const bool is_inverse = call->operation->methods == &tqa_inverse_dynamics_methods;
    const bool is_forward = call->operation->methods == &tqa_forward_dynamics_methods;
    if ((request->include & (of_forces | of_states)) == 0) {
        return true;
    }
    const bool needs_rows =
        (request->include & (of_forces | of_states) & ~TQA_INCLUDE_ACTUATION) != 0;
    if (n_row_of(call->robot) == 0 && (needs_rows || call->robot->actuated == NULL)) {
        return refuse(call, "give \"constraints\" in the robot's document, or leave the name out",
                      "this robot has no constraints");
    }
    if ((request->include & of_forces) != 0 && !is_inverse && !is_forward) {
        return refuse(call, "ask inverse-dynamics or forward-dynamics",
                      "forces of constraints follow from torques or accelerations");
    }
    if ((request->include & TQA_INCLUDE_ACTUATION) != 0 && !is_inverse) {
        return refuse(call, "ask inverse-dynamics",
                      "torques come with this request: there is nothing to distribute");
    }
    return true;
}

bool tqa_constraints_reserve(tqa_call *call)
{
    if ((call->request.include & of_forces) == 0) {
        return true;
    }
    tqa_blocks_init(&call->multipliers, n_row_of(call->robot) + TQA_ACTUATION_ROWS, NULL,
                    &call->budget);
    return tqa_blocks_reserve(&call->multipliers, call->request.n_sample);
}

double *tqa_constraints_block(const tqa_call *call, size_t b)
{
    return (call->request.include & of_forces) != 0 ? tqa_blocks_block(&call->multipliers, b)
                                                    : NULL;
}

size_t tqa_constraints_scratch_size(const tqa_call *call)
{
    const tq_constraints *set = call->robot->constraints;
    if (set == NULL) {
        return 0;
    }
    const size_t n_wrench = call->request.wrenches.n;
    return tq_scratch_cost(TQ_BLOCK, sizeof(tq_actuation)) +
           tq_larger(tq_constrained_forward_scratch_size(call->mechanism, set, n_wrench),
                     tq_constrained_inverse_scratch_size(call->mechanism, set, n_wrench));
}

size_t tqa_constraints_terms_size(const tqa_call *call)
{
    const tq_constraints *set = call->robot->constraints;
    if (set == NULL || (call->request.include & (of_forces | of_states)) == 0) {
        return 0;
    }
    /* at rank 0 there are most directions, at full rank most rows that are solved for */
    const size_t nv = call->model->nv, n = set->n_row;
    tq_constrained loose = {.nv = nv, .n_row = n, .posture = {.model = call->model}};
    tq_constrained tight = loose;
    tight.rank = nv < n ? nv : n;
    size_t inner = 2 * tq_scratch_cost(nv * (tight.rank + 1), sizeof(double));
    if ((call->request.include & TQA_INCLUDE_INTEGRABILITY) != 0) {
        inner = tq_larger(inner, tq_integrability_scratch_size(&loose) +
                                     tq_elimination_scratch_size(&tight));
    }
    return tq_constrained_scratch_size(call->mechanism, set) + inner +
           tq_scratch_cost(n + TQA_ACTUATION_ROWS, sizeof(double));
}

/* Seen on arms of 3 to 6 axes with 2 to 4 rows on a busy machine: 12 to 18 us a sample, and as much
 * again for most names. */
double tqa_constraints_cost_us(const tqa_call *call)
{
    const tq_constraints *set = call->robot->constraints;
    if (set == NULL) {
        return 0.0;
    }
    const double nv = (double)call->model->nv, n = (double)set->n_row;
    const double each = 10.0 + 0.5 * (nv + n) + 0.002 * nv * nv * (nv + n);
    double names = 1.0;
    for (uint64_t bits = call->request.include & (of_forces | of_states); bits != 0;
         bits &= bits - 1) {
        names += 1.0;
    }
    names += (call->request.include & TQA_INCLUDE_INTEGRABILITY) != 0 ? nv : 0.0;
    return each * names;
}

/* ------------------------------------------------------------------------------------------------
 * Names
 */

/* `ret` stays in the moment's scratch */
static tq_status factor(const tqa_term_input *moment, tq_constrained *ret, tq_error *error)
{
    const unsigned without = moment->sample.without;
    const tq_constrained_at at = {.q = moment->sample.q,
                                  .qd = (without & TQ_WITHOUT_VELOCITY) != 0 ? NULL
                                                                             : moment->sample.qd,
                                  .without = without};
    return tq_constrained_factor(moment->call->mechanism, moment->call->robot->constraints, &at,
                                 moment->scratch, ret, error);
}

/* values, force, redundant, rank */
tq_status tqa_term_multipliers(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t mark = tq_scratch_mark(moment->scratch);
    tq_constrained s;
    const tq_status status = factor(moment, &s, error);
    if (status != TQ_OK) {
        return status;
    }
    double *force = ret + s.n_row, *redundant = force + s.nv;
    memcpy(ret, moment->multipliers, s.n_row * sizeof *ret);
    tq_constrained_force(&s, ret, force);
    for (size_t k = 0; k < s.n_row; k++) {
        redundant[s.pivot[k]] = k < s.rank ? 0.0 : 1.0;
    }
    redundant[s.n_row] = (double)s.rank;
    tq_scratch_rewind(moment->scratch, mark);
    return TQ_OK;
}

tq_status tqa_term_constraint_power(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t mark = tq_scratch_mark(moment->scratch);
    tq_constrained s;
    const tq_status status = factor(moment, &s, error);
    if (status != TQ_OK) {
        return status;
    }
    *ret = tq_constrained_power(&s, moment->multipliers, moment->sample.qd);
    tq_scratch_rewind(moment->scratch, mark);
    return TQ_OK;
}

tq_status tqa_term_actuation(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    memcpy(ret, moment->multipliers + n_row_of(moment->call->robot),
           TQA_ACTUATION_ROWS * sizeof *ret);
    return TQ_OK;
}

/* matrix, rate_term, position_residual, velocity_residual */
tq_status tqa_term_constraint_jacobian(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t mark = tq_scratch_mark(moment->scratch);
    tq_constrained s;
    const tq_status status = factor(moment, &s, error);
    if (status != TQ_OK) {
        return status;
    }
    memcpy(ret, s.a, s.n_row * s.nv * sizeof *ret);
    ret += s.n_row * s.nv;
    memcpy(ret, s.gamma, s.n_row * sizeof *ret);
    memcpy(ret + s.n_row, s.position, s.n_row * sizeof *ret);
    memcpy(ret + 2 * s.n_row, s.velocity, s.n_row * sizeof *ret);
    tq_scratch_rewind(moment->scratch, mark);
    return TQ_OK;
}

/* force, motion */
tq_status tqa_term_projectors(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t mark = tq_scratch_mark(moment->scratch);
    tq_constrained s;
    tq_status status = factor(moment, &s, error);
    if (status == TQ_OK) {
        status = tq_constraint_projector(&s, moment->scratch, ret, error);
        for (size_t k = 0; status == TQ_OK && k < s.nv * s.nv; k++) {
            ret[s.nv * s.nv + k] = ret[k % s.nv * s.nv + k / s.nv];
        }
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

/* freedoms, new_directions, defect */
tq_status tqa_term_integrability(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t mark = tq_scratch_mark(moment->scratch);
    tq_constrained s;
    tq_integrability found;
    tq_status status = factor(moment, &s, error);
    if (status == TQ_OK) {
        status = tq_constraint_integrability(&s, moment->sample.q, moment->scratch, &found, error);
    }
    if (status == TQ_OK) {
        ret[0] = (double)found.n_free;
        ret[1] = (double)found.n_new;
        ret[2] = found.defect;
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}
