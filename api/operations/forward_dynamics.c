/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/forward_dynamics.c - POST .../forward-dynamics: accelerations from torques. */
#include <assert.h>

#include "api/call/call.h"
#include "api/call/floating.h"
#include "api/call/transpose.h"
#include "api/operations/motion_fields.h"
#include "api/operations/terms/constraints.h"
#include "api/operations/terms/include.h"
#include "api/operations/terms/limits.h"
#include "api/request/refuse.h"
#include "core/dynamics/forward.h"

static const tqa_field fields[] = {
    TQA_MOTION_FIELDS("tau", TQA_MOTION_TAU),
    TQA_REFERENCE_FIELDS,
    {.name = "angles", .receiver = &tqa_angles_receiver},
};

/* As inverse dynamics, with some 10 ns a body and sample. */
static double cost_us(const tqa_call *call)
{
    double each =
        0.02 * (double)call->model->n_joint + tqa_call_number_us(call) * (double)call->model->nv;
    each += tqa_constraints_cost_us(call);
    if (call->request.include != 0) {
        each += tqa_include_cost_us(call);
    }
    return 2.0 + each * (double)call->request.n_sample;
}

/* The scratch of one block: its wrenches, then the kernel's. */
static size_t scratch_size(const tqa_call *call)
{
    const size_t n_wrench = call->request.wrenches.n;
    size_t own = tq_forward_scratch_size(call->mechanism, n_wrench);
    own = own > tqa_constraints_scratch_size(call) ? own : tqa_constraints_scratch_size(call);
    const size_t other = call->request.include != 0 ? tqa_include_scratch_size(call) : 0;
    return tq_scratch_cost(n_wrench, sizeof(tq_external_wrench)) + (own > other ? own : other) +
           tqa_transpose_scratch_size(call);
}

static tq_status compute_block(tqa_call *call, size_t b, void *memory, size_t size, tq_error *error)
{
    tqa_request *request = &call->request;
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    tq_inverse_input motion = tqa_call_motion(call, b, &scratch);
    tqa_call_watch(call, &motion);
    const tq_forward_input in = {
        .n_sample = motion.n_sample,
        .stride = motion.stride,
        .q = motion.q,
        .qd = motion.qd,
        .tau = tqa_blocks_block(&request->motion[TQA_MOTION_TAU], b),
        .wrenches = motion.wrenches,
        .n_wrench = motion.n_wrench,
        .gravity = motion.gravity,
        .without = motion.without,
    };
    const tqa_transpose out =
        tqa_transpose_begin(&call->tau, b, tqa_transpose_is_on(call), &scratch);
    double *qdd = out.rows;
    const tq_constraints *set = call->robot->constraints;
    const tq_status status = set != NULL && set->n_row > 0
                                 ? tq_constrained_forward(call->mechanism, set, &in, &scratch, qdd,
                                                          tqa_constraints_block(call, b), error)
                                 : tq_forward_dynamics(call->mechanism, &in, &scratch, qdd, error);
    tqa_transpose_end(&out, in.n_sample);
    if (status != TQ_OK || request->include == 0) {
        return status;
    }
    motion.qdd = qdd;
    return tqa_include_block(call, b, &motion, &scratch, error);
}

static tq_status ahead_block(tqa_call *call, size_t b, void *memory, size_t size, tq_error *error)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    const tq_inverse_input motion = tqa_overlap_motion(&call->ahead, b);
    const tq_forward_input in = {
        .n_sample = motion.n_sample,
        .stride = motion.stride,
        .q = motion.q,
        .qd = motion.qd,
        .tau = tqa_blocks_block(&call->ahead.in[2], b),
    };
    const tqa_transpose out = tqa_transpose_begin(&call->ahead.out, b, call->ahead.turns, &scratch);
    const tq_status status = tq_forward_dynamics(call->mechanism, &in, &scratch, out.rows, error);
    tqa_transpose_end(&out, in.n_sample);
    if (call->ahead.states != NULL) { /* its memory may be reused */
        tqa_floating_note(call, in.tau, in.stride, in.n_sample);
    }
    return status;
}

/* the accelerations of angles, in the unit of the request */
static void to_degrees(tqa_call *call)
{
    const tqa_blocks *blocks = &call->tau;
    const bool *angle = call->robot->is_angle + call->model->nq;
    const bool is_transposed = call->result.arrays[0].is_transposed;
    const size_t step = is_transposed ? 1 : blocks->stride;
    for (size_t i = 0; i < call->request.n_sample; i++) {
        double *sample = tqa_blocks_block(blocks, i / TQ_BLOCK) +
                         i % TQ_BLOCK * (is_transposed ? blocks->n_row : 1);
        for (size_t r = 0; r < blocks->n_row; r++) {
            sample[r * step] =
                angle[r] ? sample[r * step] / tqa_radians_of_degree : sample[r * step];
        }
    }
}

static bool run(tqa_call *call, const tqa_host *host, void *scratch, size_t size)
{
    const tqa_request *request = &call->request;
    if (!tqa_blocks_reserve(&call->tau, request->n_sample)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    assert(call->tau.stride == request->motion[TQA_MOTION_Q].stride);
    tqa_result_add(&call->result, "qdd", &call->tau, request->reordered ? request->v_map : NULL);
    call->result.arrays[0].is_transposed = tqa_transpose_is_on(call);
    if (request->include != 0 && !tqa_include_add(call)) {
        return false;
    }
    if (!tqa_call_compute(call, host, scratch, size, compute_block)) {
        return false;
    }
    if (!tqa_limits_add(call)) {
        return false;
    }
    if (request->in_degrees) {
        to_degrees(call);
    }
    return true;
}

const tqa_operation_methods tqa_forward_dynamics_methods = {
    .schema =
        {
            .fields = fields,
            .n_field = sizeof fields / sizeof fields[0],
            .required = 1u << 0,
            .zero = 1u << 1 | 1u << 2,
            .without = tqa_without_choices,
            .include = tqa_include_choices,
        },
    .check = tqa_include_check,
    .cost_us = cost_us,
    .scratch_size = scratch_size,
    .run = run,
    .ahead = ahead_block,
};
