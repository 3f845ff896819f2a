/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/result_array.c - an array of an answer as its encoders read it out of blocks. */
#include <string.h>

#include "api/response/result.h"
#include "core/dynamics/arrange.h"

static const double *turned_sample(const tqa_result_array *array, size_t i)
{
    return tqa_blocks_block(array->blocks, i / TQ_BLOCK) + i % TQ_BLOCK * array->n_row;
}

static void gather(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    const tqa_result_place *place = ctx;
    const tqa_result *result = place->result;
    const tqa_result_array *array = &result->arrays[place->array];
    const size_t stride = array->blocks->stride;
    if (array->is_transposed) {
        memcpy(ret, turned_sample(array, (size_t)row) + column, n * sizeof *ret);
        return;
    }
    const double *data = tqa_blocks_sample(array->blocks, result->flat ? 0 : (size_t)row) +
                         array->first_row * stride;
    /* the only sample of a flat answer has no rank of its own: its rows come one by one */
    const size_t inner = array->plane > 0 ? array->plane : array->group;
    const size_t each = inner > 0 ? inner : 1;
    const size_t first = (size_t)column + (result->flat ? (size_t)row * each : 0);
    for (size_t k = 0; k < n; k++) {
        const size_t r = array->map != NULL ? array->map[first + k] : first + k;
        ret[k] = data[r * stride];
    }
}

/* Whole samples: number by number, so that neighbouring samples are read side by side. */
static void gather_samples(void *ctx, uint64_t row, size_t n, double *ret)
{
    const tqa_result_place *place = ctx;
    const tqa_result *result = place->result;
    const tqa_result_array *array = &result->arrays[place->array];
    const size_t stride = array->blocks->stride;
    const size_t n_row = array->n_row;
    size_t i = (size_t)row;
    while (n > 0) {
        const size_t left = TQ_BLOCK - i % TQ_BLOCK;
        const size_t here = n < left ? n : left;
        const double *data = tqa_blocks_sample(array->blocks, i) + array->first_row * stride;
        if (array->map == NULL) {
            tq_block_to_samples(n_row, here, data, stride, ret, n_row);
        }
        for (size_t k = 0; array->map != NULL && k < n_row; k++) {
            tq_block_to_samples(1, here, data + array->map[k] * stride, stride, ret + k, n_row);
        }
        ret += here * n_row;
        i += here;
        n -= here;
    }
}

/* Numbers of the only sample, whose rows have no rank above them. */
static void gather_flat(void *ctx, uint64_t row, size_t n, double *ret)
{
    const tqa_result_place *place = ctx;
    const tqa_result_array *array = &place->result->arrays[place->array];
    const size_t inner = array->plane > 0 ? array->plane : array->group;
    const size_t each = inner > 0 ? inner : 1;
    gather(ctx, row, 0, n * each, ret);
}

/* Whole samples where they lie. */
static const double *find_samples(void *ctx, uint64_t row, size_t *n)
{
    const tqa_result_place *place = ctx;
    const size_t left = TQ_BLOCK - (size_t)row % TQ_BLOCK;
    *n = *n < left ? *n : left;
    return turned_sample(&place->result->arrays[place->array], (size_t)row);
}

tqa_array tqa_result_view(tqa_result_place *place)
{
    const tqa_result *result = place->result;
    const tqa_result_array *array = &result->arrays[place->array];
    tqa_array view = {.rank = 0, .gather = gather, .ctx = place};
    view.gather_rows = result->flat ? gather_flat : gather_samples;
    if (!result->flat) {
        view.find_rows = array->is_transposed ? find_samples : NULL;
        view.shape[view.rank++] = result->n_sample;
    }
    if (array->plane > 0) {
        view.shape[view.rank++] = array->n_row / array->plane;
        view.shape[view.rank++] = array->plane / array->group;
        view.shape[view.rank++] = array->group;
    } else if (array->group > 0) {
        view.shape[view.rank++] = array->n_row / array->group;
        view.shape[view.rank++] = array->group;
    } else if (!array->scalar) {
        view.shape[view.rank++] = array->n_row;
    }
    return view;
}
