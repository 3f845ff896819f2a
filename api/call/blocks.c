/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/blocks.c - blocks side by side, and the first sample that cannot be computed. */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/call.h"
#include "api/call/compute_early.h"
#include "api/problems/status.h"
#include "api/request/refuse.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/linalg/dense.h"

typedef struct block_run {
    tqa_call *call;
    tqa_block_compute *compute;
    size_t scratch_size;
    size_t first;         /* all blocks before it have been computed */
    atomic_size_t failed; /* lowest block that has failed; SIZE_MAX: none */
} block_run;

static void run_block(void *arg, size_t i, void *memory)
{
    block_run *run = arg;
    const size_t b = run->first + i;
    if (tqa_overlap_has(run->call, b)) {
        return;
    }
    if (memory != NULL && run->compute(run->call, b, memory, run->scratch_size, NULL) == TQ_OK) {
        return;
    }
    size_t lowest = atomic_load(&run->failed);
    while (b < lowest && !atomic_compare_exchange_weak(&run->failed, &lowest, b)) {
    }
}

/* The joint whose row of `direction` is largest. */
static uint32_t joint_of(const tq_model *model, const double *direction)
{
    uint32_t best = 0;
    double most = -1.0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        for (uint32_t k = 0; k < model->joints[j].nv; k++) {
            const double x = direction[model->joints[j].v_index + k];
            if (x * x > most) {
                most = x * x;
                best = j;
            }
        }
    }
    return best;
}

/* The motion without inertia: the eigenvector of M's smallest eigenvalue. "" when not known. */
static void name_direction(const tqa_call *call, size_t sample, char *text, size_t size)
{
    enum { FREEDOMS_MAX = 128 };
    const tq_model *model = call->model;
    const size_t nv = model->nv;
    text[0] = '\0';
    if (nv == 0 || nv > FREEDOMS_MAX) {
        return;
    }
    const size_t inner = tq_lagrangian_scratch_size(model) + tq_eigen_symmetric_scratch_size(nv);
    const size_t bytes = tq_configuration_scratch_size(model) + inner +
                         tq_scratch_cost(nv * nv + nv + model->nq, sizeof(double));
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL) {
        return;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, bytes);
    double *m = tq_scratch_take(&scratch, nv * nv + nv + model->nq, sizeof *m);
    double *values = m + nv * nv, *q = values + nv;
    const tqa_blocks *blocks = &call->request.motion[TQA_MOTION_Q];
    for (size_t r = 0; r < model->nq; r++) {
        q[r] = tqa_blocks_sample(blocks, sample)[r * blocks->stride];
    }
    tq_configuration posture;
    if (tq_configuration_compute(model, q, NULL, &scratch, &posture, NULL) == TQ_OK &&
        tq_lagrangian_mass_matrix(&posture, &scratch, m, NULL) == TQ_OK &&
        tq_eigen_symmetric(nv, m, nv, &scratch, values, NULL) == TQ_OK) {
        const char *name = call->robot->joint_names[joint_of(model, m)];
        (void)snprintf(text, size,
                       "the mass matrix is singular here: no inertia resists motion of joint "
                       "\"%.64s\" (smallest eigenvalue %.3g, largest %.3g)",
                       name, values[0], values[nv - 1]);
    }
    free(memory);
}

/* The text for a singular robot, with a remedy. */
static const char *explain_singular(const tqa_call *call, const tq_error *error, size_t sample,
                                    char *text, size_t size)
{
    const char *what = error->what != NULL ? error->what : "";
    if (strcmp(what, "joint.inertia") == 0) {
        (void)snprintf(text, size, "no inertia resists motion of joint \"%.64s\" here",
                       call->robot->joint_names[error->index]);
        return "give the links beyond it a mass, or its rotor an inertia; or leave this state";
    }
    if (strcmp(what, "constraint") == 0) {
        (void)snprintf(text, size, "constraint \"%.64s\" has no direction at this state",
                       call->robot->constraint_notes[error->index].name);
        return "leave this state: a disk lies flat, centres coincide, or an expression has no value";
    }
    if (strcmp(what, "constraint.row") == 0) {
        (void)snprintf(text, size,
                       "row \"%.64s\" of the constraints depends on others at this state and "
                       "contradicts them: no acceleration satisfies all",
                       call->robot->row_names[error->index]);
        return "start from coordinates and velocities that satisfy the constraints, such as the "
               "robot's \"assembled\" at rest";
    }
    if (strcmp(what, "jacobian") == 0) {
        (void)snprintf(
            text, size,
            "the point cannot move along all of the axes: its inertia is infinite there");
        return "name in \"axes\" those of x, y, z, rx, ry, rz along which it can move";
    }
    name_direction(call, sample, text, size);
    return tqa_problem_status_hint(TQ_ERR_SINGULAR);
}

bool tqa_names_a_thing(const tq_error *error)
{
    return error->what != NULL && (strcmp(error->what, "joint.inertia") == 0 ||
                                   strncmp(error->what, "constraint", 10) == 0);
}

/* The first fault of the lowest block, whatever the threads did: it is computed once more. */
static bool refuse_block(block_run *run, size_t b, void *scratch)
{
    tqa_call *call = run->call;
    tq_error error = {0};
    const tq_status status = run->compute(call, b, scratch, run->scratch_size, &error);
    if (status == TQ_OK) { /* its thread had no memory for it */
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    const size_t in_block = tqa_names_a_thing(&error) ? (size_t)error.value : error.index;
    const size_t sample = b * TQ_BLOCK + in_block;
    assert(sample < call->request.n_sample);
    char pointer[TQA_POINTER_TEXT] = "/q";
    char detail[TQA_PROBLEM_TEXT] = "";
    const char *hint = status == TQ_ERR_OVERFLOW
                           ? "smaller numbers in this sample (rad, m, s), a payload or a wrench"
                           : tqa_problem_status_hint(status);
    if (!call->request.flat) {
        tqa_place_index(pointer, sample);
    }
    if (status == TQ_ERR_SINGULAR) {
        hint = explain_singular(call, &error, sample, detail, sizeof detail);
    }
    if (detail[0] != '\0') {
        (void)tqa_problem_set(&call->problem, "singular", "%s: %s", pointer, detail);
    } else {
        (void)tqa_problem_from_status(&call->problem, status, &error);
    }
    tqa_problem_fault(&call->problem, pointer, hint, "%s",
                      detail[0] != '\0' ? detail : tq_status_text(status));
    return false;
}

bool tqa_call_compute(tqa_call *call, const tqa_host *host, void *scratch, size_t size,
                      tqa_block_compute *compute)
{
    block_run run = {.call = call, .compute = compute, .scratch_size = size, .failed = SIZE_MAX};
    run.first = tqa_overlap_done(call);
    tqa_call_each_block(call, host, run.first, scratch, run_block, &run);
    const size_t failed = atomic_load(&run.failed);
    return failed == SIZE_MAX || refuse_block(&run, failed, scratch);
}
