/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/inverse_dynamics.c - POST .../inverse-dynamics: joint torques from motion. */
#include <assert.h>
#include <math.h>

#include "api/call/call.h"
#include "api/call/transpose.h"
#include "api/operations/from_answer.h"
#include "api/operations/motion_fields.h"
#include "api/operations/terms/constraints.h"
#include "api/operations/terms/include.h"
#include "api/operations/terms/limits.h"
#include "api/recordings/from.h"
#include "api/request/refuse.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/log_law.h"

static const tqa_field fields[] = {
    TQA_MOTION_FIELDS("qdd", TQA_MOTION_QDD),
    {.name = "from", .receiver = &tqa_from_receiver},
    TQA_REFERENCE_FIELDS,
    TQA_ANSWER_FIELDS,
    {.name = "angles", .receiver = &tqa_angles_receiver},
};

/* Fitted to tests/bench/cost: within a factor of 1.7 from 1 to 4,096 samples with eight lanes. */
static double cost_us(const tqa_call *call)
{
    if (call->request.from != NULL) {
        return 1e6; /* a log is read: never on a connection's thread */
    }
    const double number_us = tqa_call_number_us(call);
    double each = 0.003 * (double)call->model->n_joint + number_us * (double)call->model->nv;
    each += tqa_constraints_cost_us(call);
    if (call->request.include != 0) {
        each += tqa_include_cost_us(call);
    }
    return 0.8 + each * (double)call->request.n_sample;
}

/* The scratch of one block: its wrenches, then the kernel's. */
static size_t scratch_size(const tqa_call *call)
{
    const size_t n_wrench = call->request.wrenches.n;
    size_t own = tq_inverse_scratch_size(call->mechanism, n_wrench);
    own = own > tqa_constraints_scratch_size(call) ? own : tqa_constraints_scratch_size(call);
    const size_t other = call->request.include != 0 ? tqa_include_scratch_size(call) : 0;
    const size_t law =
        call->request.from != NULL ? tq_log_law_scratch_size(call->mechanism, TQ_BLOCK_STRIDE) : 0;
    own = own > law ? own : law;
    return tq_scratch_cost(n_wrench, sizeof(tq_external_wrench)) + (own > other ? own : other) +
           tqa_transpose_scratch_size(call);
}

/* Where some joints are not driven: what the others cannot produce of each sample's torque, 0 to
 * rounding. */
static void note_missing(const tqa_call *call, size_t b, const tq_inverse_input *in,
                         const tq_actuation *actuation, const double *tau)
{
    static const double least = 1e-6; /* N m or N, and of the largest torque */
    double *to = tqa_blocks_block(&call->missing, b);
    for (size_t i = 0; i < in->n_sample; i++) {
        double most = 1.0;
        for (size_t r = 0; r < call->model->nv; r++) {
            most = fmax(most, fabs(tau[r * in->stride + i]));
        }
        to[i] = actuation[i].missing > least * most ? actuation[i].missing : 0.0;
    }
}

/* torques of the actuated joints, and the forces of the constraints where they are requested */
static tq_status constrained(tqa_call *call, size_t b, const tq_inverse_input *in,
                             tq_scratch *scratch, double *tau, tq_error *error)
{
    const tq_constraints *set = call->robot->constraints;
    const size_t mark = tq_scratch_mark(scratch), stride = in->stride;
    double *multipliers = tqa_constraints_block(call, b);
    tq_actuation *actuation = tq_scratch_take(scratch, in->n_sample, sizeof *actuation);
    assert(actuation != NULL && "tqa_constraints_scratch_size counts it");
    const tq_status status = tq_constrained_inverse(call->mechanism, set, in, scratch, tau,
                                                    multipliers, actuation, error);
    for (size_t i = 0; status == TQ_OK && multipliers != NULL && i < in->n_sample; i++) {
        double *to = multipliers + set->n_row * stride + i;
        to[0] = (double)actuation[i].n_actuated;
        to[stride] = (double)actuation[i].n_freedom;
        to[2 * stride] = (double)actuation[i].n_internal;
        to[3 * stride] = actuation[i].missing;
    }
    if (status == TQ_OK && set->actuated != NULL) {
        note_missing(call, b, in, actuation, tau);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* The numbers of tq_actuation, of a tree whose torques follow from the motion one by one. */
static void state_actuation(const tqa_call *call, const tq_inverse_input *in, const double *tau,
                            double *ret)
{
    const size_t nv = call->model->nv, stride = in->stride;
    const bool *actuated = call->robot->actuated;
    for (size_t i = 0; i < in->n_sample; i++) {
        double driven = 0.0, missing = 0.0;
        for (size_t r = 0; r < nv; r++) {
            driven += actuated[r] ? 1.0 : 0.0;
            missing = actuated[r] ? missing : fmax(missing, fabs(tau[r * stride + i]));
        }
        const double values[] = {driven, (double)nv, 0.0, missing};
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            ret[k * stride + i] = values[k];
        }
    }
}

/* torques of an open chain; along a recording with what joints have there alone */
static tq_status free_chain(const tqa_call *call, size_t b, const tq_inverse_input *in,
                            tq_scratch *scratch, double *tau, tq_error *error)
{
    const tqa_from *from = call->request.from;
    tq_status status = tq_inverse_dynamics(call->mechanism, in, scratch, tau, error);
    if (status == TQ_OK && from != NULL && from->has_law) {
        status = tq_log_law_add(call->mechanism, in, tqa_blocks_block(&from->law, b), scratch, tau,
                                error);
    }
    double *actuation = tqa_constraints_block(call, b);
    if (status == TQ_OK && actuation != NULL) {
        state_actuation(call, in, tau, actuation);
    }
    return status;
}

static tq_status compute_block(tqa_call *call, size_t b, void *memory, size_t size, tq_error *error)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    const tq_inverse_input in = tqa_call_motion(call, b, &scratch);
    tqa_call_watch(call, &in);
    const tqa_transpose out =
        tqa_transpose_begin(&call->tau, b, tqa_transpose_is_on(call), &scratch);
    const tq_status status = call->robot->constraints != NULL
                                 ? constrained(call, b, &in, &scratch, out.rows, error)
                                 : free_chain(call, b, &in, &scratch, out.rows, error);
    tqa_transpose_end(&out, in.n_sample);
    if (status != TQ_OK || call->request.include == 0) {
        return status;
    }
    return tqa_include_block(call, b, &in, &scratch, error);
}

static tq_status ahead_block(tqa_call *call, size_t b, void *memory, size_t size, tq_error *error)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    tq_inverse_input in = tqa_overlap_motion(&call->ahead, b);
    in.qdd = tqa_blocks_block(&call->ahead.in[2], b);
    const tqa_transpose out = tqa_transpose_begin(&call->ahead.out, b, call->ahead.turns, &scratch);
    const tq_status status = tq_inverse_dynamics(call->mechanism, &in, &scratch, out.rows, error);
    tqa_transpose_end(&out, in.n_sample);
    return status;
}

static bool run(tqa_call *call, const tqa_host *host, void *scratch, size_t size)
{
    const tqa_request *request = &call->request;
    if (!tqa_blocks_reserve(&call->tau, request->n_sample)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    assert(call->tau.stride == request->motion[TQA_MOTION_Q].stride);
    if (call->robot->constraints != NULL && call->robot->actuated != NULL) {
        tqa_blocks_init(&call->missing, 1, NULL, &call->budget);
        if (!tqa_blocks_reserve(&call->missing, request->n_sample)) {
            return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
        }
    }
    tqa_result_add(&call->result, "tau", &call->tau, request->reordered ? request->v_map : NULL);
    call->result.arrays[0].is_transposed = tqa_transpose_is_on(call);
    if (request->include != 0 && !tqa_include_add(call)) {
        return false;
    }
    if (!tqa_call_compute(call, host, scratch, size, compute_block)) {
        return false;
    }
    return tqa_limits_add(call) && (request->from == NULL || tqa_from_add(call));
}

const tqa_operation_methods tqa_inverse_dynamics_methods = {
    .schema =
        {
            .fields = fields,
            .n_field = sizeof fields / sizeof fields[0],
            .required = 1u << 0,
            .zero = 1u << 1 | 1u << 2,
            .unused = 32767u << 16,
            .without = tqa_without_choices,
            .include = tqa_include_choices,
        },
    .check = tqa_include_check,
    .cost_us = cost_us,
    .scratch_size = scratch_size,
    .run = run,
    .ahead = ahead_block,
};
