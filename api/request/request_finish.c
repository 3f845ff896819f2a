/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/request_finish.c - checks that need the whole request. */
#include <assert.h>
#include <string.h>

#include "api/request/refuse.h"
#include "api/request/request.h"
#include "api/request/robot_fields.h"

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
    request->bad_key = field->name;
    request->n_bad_key = strlen(field->name);
    (void)tqa_refuse(request, UINT64_MAX, "wrong-length",
                     "give every array a row for each sample, or one sample for all",
                     "\"%s\" has %zu samples, but \"%s\" has %zu", field->name,
                     request->rows[field->motion].n_sample, first->name, request->n_sample);
    request->bad_key = NULL;
    return false;
}

static bool refuse_empty(tqa_request *request, const tqa_field *field)
{
    request->bad_key = field->name;
    request->n_bad_key = strlen(field->name);
    (void)tqa_refuse(request, UINT64_MAX, "wrong-length", TQA_HINT_NESTING, "there is no sample");
    request->bad_key = NULL;
    return false;
}

static bool is_motion_that_came(const tqa_request *request, size_t f)
{
    return (request->seen >> f & 1u) != 0 && tqa_field_is_motion(&request->schema->fields[f]);
}

/* As many samples as the arrays that came have; those of one sample have it for all. */
static bool count_samples(tqa_request *request)
{
    const tqa_field *first = NULL;
    request->flat = true;
    for (size_t f = 0; f < request->schema->n_field; f++) {
        if (!is_motion_that_came(request, f)) {
            continue;
        }
        const tqa_field *field = &request->schema->fields[f];
        const tqa_rows *rows = &request->rows[field->motion];
        request->flat = request->flat && rows->shape == TQA_SHAPE_FLAT;
        if (first == NULL || (request->n_sample == 1 && rows->n_sample != 1)) {
            first = field;
            request->n_sample = rows->n_sample;
        } else if (rows->n_sample != request->n_sample && rows->n_sample != 1) {
            return refuse_samples(request, field, first);
        }
    }
    assert(first != NULL);
    return request->n_sample > 0 || refuse_empty(request, first);
}

/* Zeros for every sample, padding included. */
static bool assume_zero(tqa_request *request, const tqa_field *field)
{
    tqa_blocks *blocks = &request->motion[field->motion];
    tqa_rows *rows = &request->rows[field->motion];
    if (!tqa_blocks_reserve(blocks, request->n_sample)) {
        return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    for (size_t b = 0; b < tq_block_count(request->n_sample); b++) {
        memset(tqa_blocks_block(blocks, b), 0, blocks->n_row * blocks->stride * sizeof(double));
    }
    rows->shape = request->flat ? TQA_SHAPE_FLAT : TQA_SHAPE_BATCH;
    rows->n_sample = request->n_sample;
    return true;
}

static bool agree(tqa_request *request)
{
    const tqa_schema *schema = request->schema;
    const uint32_t missing = schema->required & ~request->seen;
    for (size_t f = 0; f < schema->n_field && missing != 0; f++) {
        if ((missing >> f & 1u) != 0 && tqa_field_is_motion(&schema->fields[f])) {
            return refuse_missing(request, &schema->fields[f]);
        }
    }
    if (!count_samples(request)) {
        return false;
    }
    for (size_t f = 0; f < schema->n_field && request->n_sample > 1; f++) {
        const tqa_motion motion = schema->fields[f].motion;
        if (is_motion_that_came(request, f) && request->rows[motion].n_sample == 1 &&
            !tqa_rows_repeat(&request->rows[motion], &request->motion[motion], request->n_sample)) {
            return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
        }
    }
    request->assumed = schema->zero & ~request->seen;
    for (uint32_t left = request->assumed; left != 0; left &= left - 1) {
        if (!assume_zero(request, &schema->fields[__builtin_ctz(left)])) {
            return false;
        }
    }
    return true;
}

static void to_radians(tqa_request *request, tqa_motion motion)
{
    const tqa_robot *robot = request->robot;
    const bool *angle = robot->is_angle + (motion == TQA_MOTION_Q ? 0 : robot->model->nq);
    const tqa_blocks *blocks = &request->motion[motion];
    for (size_t i = 0; i < request->n_sample; i++) {
        double *sample = tqa_blocks_sample(blocks, i);
        for (size_t r = 0; r < blocks->n_row; r++) {
            double *x = &sample[r * blocks->stride];
            *x = angle[r] ? *x * tqa_radians_of_degree : *x;
        }
    }
}

/* Rows in the robot's order, and finite numbers where the kernels look. */
static bool arrange(tqa_request *request)
{
    /* only the fields present: few of many */
    for (uint32_t left = request->seen; left != 0; left &= left - 1) {
        const tqa_field *field = &request->schema->fields[__builtin_ctz(left)];
        if (!tqa_field_is_motion(field)) {
            continue;
        }
        tqa_blocks *blocks = &request->motion[field->motion];
        const uint32_t *map = field->motion == TQA_MOTION_Q ? request->q_map : request->v_map;
        const bool is_logged = request->from != NULL && field->motion < TQA_MOTION_TAU;
        const bool by_name = (request->by_name >> field->motion & 1u) != 0;
        if (request->reordered && !is_logged && !by_name &&
            !tqa_blocks_permute(blocks, request->n_sample, map)) {
            return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
        }
        if (request->in_degrees && !is_logged && field->motion != TQA_MOTION_TAU) {
            to_radians(request, field->motion);
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
