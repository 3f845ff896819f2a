/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/request_finish.c - what can be judged only when the whole request is there. */
#include <assert.h>
#include <string.h>

#include "api/request/refuse.h"
#include "api/request/request.h"

static bool refuse_missing(tqa_request *request, const tqa_field *field)
{
    char hint[TQA_PROBLEM_TEXT];
    tqa_hint_missing_samples(field->name, request->rows[field->motion].n_row, hint);
    request->bad_key = field->name;
    request->n_bad_key = strlen(field->name);
    (void)tqa_refuse(request, UINT64_MAX, "missing-field", hint, "\"%s\" is missing", field->name);
    request->bad_key = NULL;
    return false;
}

static bool refuse_samples(tqa_request *request, const tqa_field *field, const tqa_field *first)
{
    const tqa_rows *rows = &request->rows[field->motion];
    const bool flat = rows->shape == TQA_SHAPE_FLAT;
    request->bad_key = field->name;
    request->n_bad_key = strlen(field->name);
    if (flat != request->flat) {
        (void)tqa_refuse(request, UINT64_MAX, "wrong-length", "write both the same way",
                         "\"%s\" is %s, but \"%s\" is %s", field->name,
                         flat ? "one sample" : "a batch", first->name,
                         request->flat ? "one sample" : "a batch");
    } else {
        (void)tqa_refuse(request, UINT64_MAX, "wrong-length",
                         "give every array a row for each sample",
                         "\"%s\" has %zu samples, but \"%s\" has %zu", field->name, rows->n_sample,
                         first->name, request->n_sample);
    }
    request->bad_key = NULL;
    return false;
}

static bool agree(tqa_request *request)
{
    const tqa_field *first = NULL;
    for (size_t f = 0; f < request->schema->n_field; f++) {
        const tqa_field *field = &request->schema->fields[f];
        if (!tqa_field_is_motion(field)) {
            continue;
        }
        if ((request->seen >> f & 1u) == 0) {
            if (field->required) {
                return refuse_missing(request, field);
            }
            continue;
        }
        const tqa_rows *rows = &request->rows[field->motion];
        if (first == NULL) {
            first = field;
            request->n_sample = rows->n_sample;
            request->flat = rows->shape == TQA_SHAPE_FLAT;
        } else if (rows->n_sample != request->n_sample ||
                   (rows->shape == TQA_SHAPE_FLAT) != request->flat) {
            return refuse_samples(request, field, first);
        }
    }
    assert(first != NULL);
    if (request->n_sample == 0) {
        request->bad_key = first->name;
        request->n_bad_key = strlen(first->name);
        (void)tqa_refuse(request, UINT64_MAX, "wrong-length", TQA_HINT_NESTING,
                         "there is no sample");
        request->bad_key = NULL;
        return false;
    }
    return true;
}

/* Rows in the robot's order, and finite numbers where the kernels look. */
static bool arrange(tqa_request *request)
{
    /* field by field of those that came: few of many */
    for (uint32_t left = request->seen; left != 0; left &= left - 1) {
        const tqa_field *field = &request->schema->fields[__builtin_ctz(left)];
        if (!tqa_field_is_motion(field)) {
            continue;
        }
        tqa_blocks *blocks = &request->motion[field->motion];
        const uint32_t *map = field->motion == TQA_MOTION_Q ? request->q_map : request->v_map;
        const bool is_logged = request->from != NULL && field->motion < TQA_MOTION_TAU;
        if (request->reordered && !is_logged &&
            !tqa_blocks_permute(blocks, request->n_sample, map)) {
            return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
        }
        tqa_blocks_pad(blocks, request->n_sample);
    }
    return true;
}

/* The next of the fields that came, of which `left` has the bits. */
static const tqa_receiver *next_receiver(const tqa_request *request, uint32_t *left)
{
    const tqa_field *field = &request->schema->fields[__builtin_ctz(*left)];
    *left &= *left - 1;
    return field->receiver;
}

bool tqa_request_arrive(tqa_request *request)
{
    if (!agree(request) || !arrange(request)) {
        return false;
    }
    for (uint32_t left = request->seen; left != 0;) {
        const tqa_receiver *receiver = next_receiver(request, &left);
        if (receiver->arrive != NULL && !receiver->arrive(request)) {
            return false;
        }
    }
    return true;
}

bool tqa_request_finish(tqa_request *request)
{
    if (request->from == NULL && !tqa_request_arrive(request)) {
        return false;
    }
    for (uint32_t left = request->seen; left != 0;) {
        const tqa_receiver *receiver = next_receiver(request, &left);
        if (receiver->finish != NULL && !receiver->finish(request)) {
            return false;
        }
    }
    return true;
}
