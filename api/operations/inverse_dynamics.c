/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/inverse_dynamics.c - POST .../inverse-dynamics: joint torques from motion. */
#include <assert.h>

#include "api/operations/call.h"
#include "api/operations/from.h"
#include "api/operations/include.h"
#include "api/operations/refuse.h"
#include "core/dynamics/inverse.h"

static const tqa_field fields[] = {
    {.name = "q", .kind = TQA_FIELD_MOTION, .motion = TQA_MOTION_Q, .required = true},
    {.name = "qd", .kind = TQA_FIELD_MOTION, .motion = TQA_MOTION_QD, .required = true},
    {.name = "qdd", .kind = TQA_FIELD_MOTION, .motion = TQA_MOTION_QDD, .required = true},
    {.name = "joints", .kind = TQA_FIELD_JOINTS},
    {.name = "external_wrenches", .kind = TQA_FIELD_WRENCHES},
    {.name = "gravity", .kind = TQA_FIELD_GRAVITY},
    {.name = "without", .kind = TQA_FIELD_WITHOUT},
    {.name = "include", .kind = TQA_FIELD_INCLUDE},
    {.name = "payload", .kind = TQA_FIELD_PAYLOAD},
    {.name = "coriolis_form", .kind = TQA_FIELD_FORM},
    {.name = "frame", .kind = TQA_FIELD_FRAME},
    {.name = "at", .kind = TQA_FIELD_AT},
    {.name = "axes", .kind = TQA_FIELD_AXES},
    {.name = "box", .kind = TQA_FIELD_BOX},
    {.name = "from", .kind = TQA_FIELD_FROM},
    {.name = "qd_ref", .kind = TQA_FIELD_MOTION, .motion = TQA_MOTION_QD_REF},
    {.name = "qdd_ref", .kind = TQA_FIELD_MOTION, .motion = TQA_MOTION_QDD_REF},
};

/* Fitted to tests/bench/cost: within a factor of 1.6 from 1 to 4,096 samples with eight lanes. */
static double cost_us(const tqa_call *call)
{
    if (call->request.from != NULL) {
        return 1e6; /* a log is read: never on a connection's thread */
    }
    const double number_us = tqa_call_number_us(call);
    double each = 0.005 * (double)call->model->n_joint + number_us * (double)call->model->nv;
    if (call->request.include != 0) {
        each += tqa_include_cost_us(call);
    }
    return 0.8 + each * (double)call->request.n_sample;
}

/* The scratch of one block: its wrenches, then the kernel's. */
static size_t scratch_size(const tqa_call *call)
{
    const size_t n_wrench = call->request.wrenches.n;
    const size_t own = tq_inverse_scratch_size(call->mechanism, n_wrench);
    const size_t other = call->request.include != 0 ? tqa_include_scratch_size(call) : 0;
    return tq_scratch_cost(n_wrench, sizeof(tq_external_wrench)) + (own > other ? own : other);
}

static tq_status compute_block(tqa_call *call, size_t b, void *memory, size_t size, tq_error *error)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    const tq_inverse_input in = tqa_call_motion(call, b, &scratch);
    const tq_status status =
        tq_inverse_dynamics(call->mechanism, &in, &scratch, tqa_blocks_block(&call->tau, b), error);
    if (status != TQ_OK || call->request.include == 0) {
        return status;
    }
    return tqa_include_block(call, b, &in, &scratch, error);
}

static bool run(tqa_call *call, const tqa_world *world, void *scratch, size_t size)
{
    const tqa_request *request = &call->request;
    if (!tqa_blocks_reserve(&call->tau, request->n_sample)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    assert(call->tau.stride == request->motion[TQA_MOTION_Q].stride);
    tqa_result_add(&call->result, "tau", &call->tau, request->reordered ? request->v_map : NULL);
    if (request->include != 0 && !tqa_include_add(call)) {
        return false;
    }
    return tqa_call_compute(call, world, scratch, size, compute_block) &&
           (request->from == NULL || tqa_from_add(call));
}

const tqa_operation_methods tqa_inverse_dynamics_methods = {
    .schema =
        {
            .fields = fields,
            .n_field = sizeof fields / sizeof fields[0],
            .without = tqa_without_choices,
            .include = tqa_include_choices,
        },
    .cost_us = cost_us,
    .scratch_size = scratch_size,
    .run = run,
};
