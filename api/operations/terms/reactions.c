/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/reactions.c - joint and base wrenches in an answer, with their points and
   axes. */
#include "api/operations/terms/reactions.h"

#include "api/request/refuse.h"

enum { WRENCH = 6, N_STATED = 4, N_ARRAY = 2 };

/* Members that are the same for all wrenches. */
static char *state(const tqa_call *call, size_t *ret_n)
{
    tqa_writer text = {.cbor = call->accept == TQA_MEDIA_CBOR};
    tqa_writer_members(&text);
    tqa_writer_object_of(&text, "reactions", N_STATED + N_ARRAY);
    tqa_writer_string(&text, "applied_to", "child link");
    tqa_writer_string(&text, "expressed_in", "child link");
    tqa_writer_string(&text, "at", "origin");
    tqa_writer_names(&text, "joints", call->robot->joint_names, call->robot->model->n_joint);
    return tqa_writer_take_open(&text, ret_n);
}

bool tqa_reactions_add(tqa_call *call)
{
    const size_t n_joint = call->robot->model->n_joint;
    size_t n_text = 0;
    tqa_blocks_init(&call->reactions, WRENCH * (n_joint + 1), NULL, &call->budget);
    char *text = state(call, &n_text);
    if (!tqa_call_keep_text(call, text) ||
        !tqa_blocks_reserve(&call->reactions, call->request.n_sample)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    const tqa_result_array joints = {
        .key = "joint_wrenches",
        .blocks = &call->reactions,
        .n_row = WRENCH * n_joint,
        .group = WRENCH,
        .before = text,
        .n_before = n_text,
    };
    const tqa_result_array base = {
        .key = "base_wrench",
        .blocks = &call->reactions,
        .first_row = WRENCH * n_joint,
        .n_row = WRENCH,
        .closes = true,
    };
    tqa_result_add_array(&call->result, &joints);
    tqa_result_add_array(&call->result, &base);
    return true;
}
