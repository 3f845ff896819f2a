/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/terms.c - POST .../terms: any terms of the equation of motion, in one
 * pass. */
#include <assert.h>

#include "api/call/call.h"
#include "api/operations/motion_fields.h"
#include "api/operations/terms/include.h"
#include "api/operations/terms/limits.h"
#include "api/request/refuse.h"
#include "core/dynamics/inverse.h"

static const tqa_field fields[] = {
    TQA_MOTION_FIELDS("qdd", TQA_MOTION_QDD),
    TQA_REFERENCE_FIELDS,
    TQA_ANSWER_FIELDS,
    {.name = "angles", .receiver = &tqa_angles_receiver},
};

static double cost_us(const tqa_call *call)
{
    return 2.0 + tqa_include_cost_us(call) * (double)call->request.n_sample;
}

/* The scratch of one block: its wrenches, then that of the terms. */
static size_t scratch_size(const tqa_call *call)
{
    return tq_scratch_cost(call->request.wrenches.n, sizeof(tq_external_wrench)) +
           tqa_include_scratch_size(call);
}

static tq_status compute_block(tqa_call *call, size_t b, void *memory, size_t size, tq_error *error)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    const tq_inverse_input in = tqa_call_motion(call, b, &scratch);
    tqa_call_watch(call, &in);
    return tqa_include_block(call, b, &in, &scratch, error);
}

static bool run(tqa_call *call, const tqa_host *host, void *scratch, size_t size)
{
    if (call->request.include == 0) {
        return tqa_refuse(&call->request, UINT64_MAX, "missing-field",
                          "add \"include\": [\"mass_matrix\"], or other names of terms",
                          "there is no term to compute");
    }
    if (!tqa_include_add(call) || !tqa_call_compute(call, host, scratch, size, compute_block)) {
        return false;
    }
    return tqa_limits_add(call);
}

const tqa_operation_methods tqa_terms_methods = {
    .schema =
        {
            .fields = fields,
            .n_field = sizeof fields / sizeof fields[0],
            .required = 1u << 0 | 1u << 7, /* q, include */
            .unused = 32767u << 15,
            .without = tqa_without_choices,
            .include = tqa_include_choices,
        },
    .check = tqa_include_check,
    .cost_us = cost_us,
    .scratch_size = scratch_size,
    .run = run,
};
