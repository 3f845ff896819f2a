/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/reactions.c - joint and base wrenches in an answer, nothing left unstated. */
#include "api/operations/reactions.h"

#include <cbor.h>
#include <stdlib.h>
#include <string.h>

#include "api/formats/json_text.h"
#include "api/operations/refuse.h"

enum { WRENCH = 6, CBOR_HEAD = 9 };

/* What is the same for all wrenches. */
static const char *const stated[][2] = {
    {"applied_to", "child link"}, {"expressed_in", "child link"}, {"at", "origin"}};
enum { N_STATED = sizeof stated / sizeof stated[0] };

static char *json_head(const tqa_robot *robot, size_t *ret_n)
{
    tqa_json_text text = {0};
    tqa_json_text_raw(&text, ",\"reactions\":{");
    for (size_t i = 0; i < N_STATED; i++) {
        tqa_json_text_string(&text, stated[i][0]);
        tqa_json_text_raw(&text, ":");
        tqa_json_text_string(&text, stated[i][1]);
        tqa_json_text_raw(&text, ",");
    }
    tqa_json_text_raw(&text, "\"joints\":[");
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        tqa_json_text_raw(&text, j > 0 ? "," : "");
        tqa_json_text_string(&text, robot->joint_names[j]);
    }
    tqa_json_text_raw(&text, "]");
    return tqa_json_text_take(&text, ret_n);
}

static unsigned char *put_text(unsigned char *s, const char *text)
{
    const size_t n = strlen(text);
    s += cbor_encode_string_start(n, s, CBOR_HEAD);
    memcpy(s, text, n);
    return s + n;
}

static char *cbor_head(const tqa_robot *robot, size_t *ret_n)
{
    size_t size = 256;
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        size += strlen(robot->joint_names[j]) + CBOR_HEAD;
    }
    unsigned char *text = malloc(size);
    if (text == NULL) {
        return NULL;
    }
    unsigned char *s = put_text(text, "reactions");
    s += cbor_encode_map_start(N_STATED + 3, s, CBOR_HEAD);
    for (size_t i = 0; i < N_STATED; i++) {
        s = put_text(put_text(s, stated[i][0]), stated[i][1]);
    }
    s = put_text(s, "joints");
    s += cbor_encode_array_start(robot->model->n_joint, s, CBOR_HEAD);
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        s = put_text(s, robot->joint_names[j]);
    }
    *ret_n = (size_t)(s - text);
    return (char *)text;
}

bool tqa_reactions_add(tqa_call *call)
{
    const size_t n_joint = call->robot->model->n_joint;
    size_t n_text = 0;
    tqa_blocks_init(&call->reactions, WRENCH * (n_joint + 1), NULL, &call->budget);
    call->text = call->accept == TQA_MEDIA_CBOR ? cbor_head(call->robot, &n_text)
                                                : json_head(call->robot, &n_text);
    if (call->text == NULL || !tqa_blocks_reserve(&call->reactions, call->request.n_sample)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    const tqa_result_array joints = {
        .key = "joint_wrenches",
        .blocks = &call->reactions,
        .n_row = WRENCH * n_joint,
        .group = WRENCH,
        .before = call->text,
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
