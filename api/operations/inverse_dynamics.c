/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/inverse_dynamics.c - POST .../inverse-dynamics: joint torques from motion. */
#include <assert.h>
#include <stdatomic.h>

#include "api/operations/call.h"
#include "api/operations/reactions.h"
#include "api/operations/refuse.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/reactions.h"

static const tqa_field fields[] = {
    {.name = "q", .kind = TQA_FIELD_MOTION, .motion = TQA_MOTION_Q, .required = true},
    {.name = "qd", .kind = TQA_FIELD_MOTION, .motion = TQA_MOTION_QD, .required = true},
    {.name = "qdd", .kind = TQA_FIELD_MOTION, .motion = TQA_MOTION_QDD, .required = true},
    {.name = "joints", .kind = TQA_FIELD_JOINTS},
    {.name = "external_wrenches", .kind = TQA_FIELD_WRENCHES},
    {.name = "gravity", .kind = TQA_FIELD_GRAVITY},
    {.name = "without", .kind = TQA_FIELD_WITHOUT},
    {.name = "include", .kind = TQA_FIELD_INCLUDE},
};

static const tqa_choice without[] = {
    {"friction", TQ_WITHOUT_FRICTION}, {"rotor", TQ_WITHOUT_ROTOR},
    {"spring", TQ_WITHOUT_SPRING},     {"gravity", TQ_WITHOUT_GRAVITY},
    {"external", TQ_WITHOUT_EXTERNAL}, {"velocity", TQ_WITHOUT_VELOCITY},
    {"inertia", TQ_WITHOUT_INERTIA},   {NULL, 0},
};

enum { INCLUDE_REACTIONS = 1u << 0 };

static const tqa_choice include[] = {
    {"reactions", INCLUDE_REACTIONS},
    {NULL, 0},
};

/* Fitted to tests/bench/cost: within a factor of 1.6 from 1 to 4,096 samples with eight lanes. */
static double cost_us(const tqa_call *call)
{
    const double n_joint = (double)call->robot->model->n_joint;
    const double number_us = tqa_call_number_us(call);
    double each = 0.005 * n_joint + number_us * (double)call->robot->model->nv;
    if ((call->request.include & INCLUDE_REACTIONS) != 0) {
        each += (0.12 + 6.0 * number_us) * (n_joint + 1.0);
    }
    return 0.8 + each * (double)call->request.n_sample;
}

/* The scratch of one block: its wrenches, then the kernel's. */
static size_t scratch_size(const tqa_call *call)
{
    const size_t n_wrench = call->request.wrenches.n;
    size_t size = tq_inverse_scratch_size(call->robot->mechanism, n_wrench);
    const size_t other = tq_reactions_scratch_size(call->robot->mechanism);
    if ((call->request.include & INCLUDE_REACTIONS) != 0 && other > size) {
        size = other;
    }
    return tq_scratch_cost(n_wrench, sizeof(tq_external_wrench)) + size;
}

typedef struct block_run {
    tqa_call *call;
    size_t scratch_size;
    atomic_size_t failed; /* lowest block that has failed; SIZE_MAX: none */
} block_run;

static tq_status compute_block(tqa_call *call, size_t b, void *memory, size_t size, tq_error *error)
{
    tqa_request *request = &call->request;
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    tq_external_wrench *wrenches =
        tq_scratch_take(&scratch, request->wrenches.n, sizeof(tq_external_wrench));
    assert(wrenches != NULL || request->wrenches.n == 0);
    tqa_wrenches_block(&request->wrenches, b, wrenches);
    const tq_inverse_input in = {
        .n_sample = tq_block_samples(request->n_sample, b),
        .stride = request->motion[TQA_MOTION_Q].stride,
        .q = tqa_blocks_block(&request->motion[TQA_MOTION_Q], b),
        .qd = tqa_blocks_block(&request->motion[TQA_MOTION_QD], b),
        .qdd = tqa_blocks_block(&request->motion[TQA_MOTION_QDD], b),
        .wrenches = wrenches,
        .n_wrench = request->wrenches.n,
        .gravity = request->has_gravity ? request->gravity : NULL,
        .without = request->without,
    };
    const tq_mechanism *mechanism = call->robot->mechanism;
    const tq_status status =
        tq_inverse_dynamics(mechanism, &in, &scratch, tqa_blocks_block(&call->tau, b), error);
    if (status != TQ_OK || (request->include & INCLUDE_REACTIONS) == 0) {
        return status;
    }
    return tq_reactions(mechanism, &in, &scratch, tqa_blocks_block(&call->reactions, b), error);
}

static void run_block(void *arg, size_t b, void *memory)
{
    block_run *run = arg;
    if (compute_block(run->call, b, memory, run->scratch_size, NULL) == TQ_OK) {
        return;
    }
    size_t lowest = atomic_load(&run->failed);
    while (b < lowest && !atomic_compare_exchange_weak(&run->failed, &lowest, b)) {
    }
}

/* The first fault of the lowest block, whatever the threads did: it is computed once more. */
static bool refuse_block(tqa_call *call, size_t b, void *scratch, size_t size)
{
    tq_error error = {0};
    const tq_status status = compute_block(call, b, scratch, size, &error);
    (void)tqa_problem_from_status(&call->problem, status, &error);
    char pointer[TQA_POINTER_TEXT] = "/q";
    if (!call->request.flat) {
        tqa_place_index(pointer, b * TQ_BLOCK + error.index);
    }
    tqa_problem_fault(&call->problem, pointer, NULL, "%s", tq_status_text(status));
    return false;
}

static bool run(tqa_call *call, const tqa_world *world, void *scratch, size_t size)
{
    const tqa_request *request = &call->request;
    if (!tqa_blocks_reserve(&call->tau, request->n_sample)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    assert(call->tau.stride == request->motion[TQA_MOTION_Q].stride);
    tqa_result_add(&call->result, "tau", &call->tau, request->reordered ? request->v_map : NULL);
    if ((request->include & INCLUDE_REACTIONS) != 0 && !tqa_reactions_add(call)) {
        return false;
    }
    block_run blocks = {.call = call, .scratch_size = size, .failed = SIZE_MAX};
    tqa_call_each_block(call, world, scratch, run_block, &blocks);
    const size_t failed = atomic_load(&blocks.failed);
    if (failed != SIZE_MAX) {
        return refuse_block(call, failed, scratch, size);
    }
    return true;
}

const tqa_operation_methods tqa_inverse_dynamics_methods = {
    .schema =
        {
            .fields = fields,
            .n_field = sizeof fields / sizeof fields[0],
            .without = without,
            .include = include,
        },
    .cost_us = cost_us,
    .scratch_size = scratch_size,
    .run = run,
};
