/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/picture.c - the arrays of a call's result over its samples, as a picture. */
#include "api/call/picture.h"

#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX = 64 << 20, /* of the answer that is drawn: 400,000 samples of seven joints */
    TEXT_FIRST = 64 << 10,
    READ_MIN = 4096, /* of tqa_result_read */
    JOINTS_MAX = 256,
};

/* The joint whose only freedom is a row of qd and tau; NULL: it has more. */
static const char *joint_of(const tqa_robot *robot, uint32_t row)
{
    const tq_model *model = robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv == 1 && model->joints[j].v_index == row) {
            return robot->joint_names[j];
        }
    }
    return NULL;
}

/* An object with the joint of each row, in the order of the request; no names where a joint has
 * several rows. It stays open: the members of the answer follow. */
static char *put_names(const tqa_call *call, size_t *ret_n)
{
    const tqa_request *request = &call->request;
    const uint32_t n = call->model->nv <= JOINTS_MAX ? call->model->nv : 0;
    const char *names[JOINTS_MAX];
    uint32_t n_named = 0;
    while (n_named < n &&
           (names[n_named] = joint_of(call->robot, request->reordered ? request->v_map[n_named]
                                                                      : n_named)) != NULL) {
        n_named++;
    }
    tqa_writer text = {.cbor = false};
    tqa_writer_object(&text, NULL);
    tqa_writer_names(&text, "joints", names, n_named == n ? n : 0);
    return tqa_writer_take_open(&text, ret_n);
}

/* Appends the answer as JSON, whose bracket the text has already. False: longer than TEXT_MAX, or
 * memory is short (*n is 0 then). */
static bool append(tqa_result *result, char **text, size_t *n)
{
    const size_t begin = *n;
    const uint64_t known = tqa_result_length(result);
    size_t size = *n + (known < TEXT_MAX ? (size_t)known : 0) + TEXT_FIRST;
    for (size_t got = 1; got > 0; *n += got) {
        char *grown = size - *n < READ_MIN || *n == begin ? realloc(*text, size *= 2) : *text;
        if (grown == NULL) {
            *n = 0;
            return false;
        }
        *text = grown;
        got = *n <= TEXT_MAX ? tqa_result_read(result, *text + *n, size - *n) : 0;
    }
    memmove(*text + begin, *text + begin + 1, *n - begin - 1);
    *n -= 1;
    return *n <= TEXT_MAX;
}

tqa_archive *tqa_picture_of_call(tqa_call *call, tqa_problem *reterr)
{
    if (call->request.n_sample < 2) {
        (void)tqa_problem_set(reterr, "not-acceptable",
                              "a picture is drawn over samples: send several");
        return NULL;
    }
    size_t n = 0;
    char *text = put_names(call, &n);
    if (text != NULL && append(&call->result, &text, &n)) {
        return tqa_archive_of_text(text, n, TQA_MEDIA_SVG, call->operation->name, true, reterr);
    }
    const bool is_long = text != NULL && n > 0;
    free(text);
    (void)(is_long ? tqa_problem_set(reterr, "not-acceptable",
                                     "a picture is drawn of %d MiB of JSON at most: send fewer "
                                     "samples, or accept another form",
                                     (int)(TEXT_MAX >> 20))
                   : tqa_problem_set(reterr, "busy", "there is no memory for this picture now"));
    return NULL;
}
