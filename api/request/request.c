/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/request.c - the memory of a request. */
#include "api/request/request.h"

#include <assert.h>
#include <string.h>

static size_t small_bytes(size_t n_row)
{
    return n_row * TQ_BLOCK_PAD * sizeof(double);
}

/* Room for every array that some operation takes: to find those of this one costs more. */
size_t tqa_request_arena_size(const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    const size_t bytes = ((size_t)model->nq + model->nv) * sizeof(uint32_t);
    return (bytes + 63) / 64 * 64 + small_bytes(model->nq) +
           (TQA_MOTION_COUNT - 1) * small_bytes(model->nv) + tqa_options_box_bytes(model->nq);
}

void tqa_request_init(tqa_request *request, const tqa_schema *schema, const tqa_robot *robot,
                      void *arena, tqa_budget *budget, tqa_problem *problem)
{
    assert(schema->n_field <= 32);
    const tq_model *model = robot->model;
    memset(request, 0, offsetof(tqa_request, rows));
    request->schema = schema;
    request->robot = robot;
    request->problem = problem;
    request->budget = budget;
    unsigned char *memory = arena;
    for (size_t m = 0; m < TQA_MOTION_COUNT; m++) {
        const size_t n_row = m == TQA_MOTION_Q ? model->nq : model->nv;
        tqa_rows_init(&request->rows[m], 0, n_row);
        tqa_blocks_init(&request->motion[m], n_row, (double *)(void *)memory, budget);
        memory += small_bytes(n_row);
    }
    request->options.box = (double *)(void *)memory;
    memory += tqa_options_box_bytes(model->nq);
    request->options.frame.link = TQ_NONE;
    request->q_map = (uint32_t *)(void *)memory;
    request->v_map = request->q_map + model->nq;
}

void tqa_request_clear(tqa_request *request)
{
    tqa_request_drop_samples(request);
    tqa_tree_free(request->tree);
    request->tree = NULL;
}

void tqa_request_drop_samples(tqa_request *request)
{
    for (size_t m = 0; m < TQA_MOTION_COUNT; m++) {
        tqa_blocks_clear(&request->motion[m]);
    }
    tqa_wrenches_clear(&request->wrenches);
}
