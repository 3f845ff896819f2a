/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/payload.c - builds the mechanism of one request with its payload. */
#include "api/call/payload.h"

#include <stdlib.h>
#include <string.h>

#include "api/problems/status.h"
#include "api/request/refuse.h"
#include "core/dynamics/inverse.h"
#include "core/model/inertia.h"

static bool no_memory(tqa_call *call)
{
    return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
}

/* The model's own arrays may not change: copies of them, contiguous. NULL: no memory. */
static void *copy_parts(tq_model *model)
{
    const size_t links = model->n_link * sizeof(tq_link);
    const size_t joints = model->n_joint * sizeof(tq_joint);
    unsigned char *copy = malloc(links + joints);
    if (copy != NULL) {
        memcpy(copy, model->links, links);
        memcpy(copy + links, model->joints, joints);
        model->links = (tq_link *)(void *)copy;
        model->joints = (tq_joint *)(void *)(copy + links);
    }
    return copy;
}

static bool build(tqa_call *call, const tq_model *model)
{
    const size_t size = tq_mechanism_size(model);
    call->own_mechanism = aligned_alloc(64, (size + 63) / 64 * 64);
    if (call->own_mechanism == NULL) {
        return no_memory(call);
    }
    tq_error error = {0};
    const tq_status status =
        tq_mechanism_build(model, call->own_mechanism, size, &call->mechanism, &error);
    if (status != TQ_OK) {
        (void)tqa_problem_from_status(&call->problem, status, &error);
        tqa_problem_fault(&call->problem, "/payload", tqa_problem_status_hint(status), "%s",
                          tq_status_text(status));
        return false;
    }
    call->model = tq_mechanism_model(call->mechanism);
    return true;
}

bool tqa_payload_attach(tqa_call *call)
{
    const tqa_options *options = &call->request.options;
    const bool bare = call->request.include != 0 && (call->request.without & TQ_WITHOUT_ROTOR) != 0;
    if (!options->has_payload && !bare) {
        return true;
    }
    tq_model model = *call->robot->model;
    void *parts = copy_parts(&model);
    if (parts == NULL) {
        return no_memory(call);
    }
    if (options->has_payload) {
        tq_link *carrier = &model.links[options->payload.link];
        carrier->inertia = tq_inertia_add(&carrier->inertia, &options->payload.body);
    }
    for (uint32_t j = 0; bare && j < model.n_joint; j++) {
        model.joints[j].rotor.inertia = 0.0;
    }
    const bool built = build(call, &model);
    free(parts);
    return built;
}
