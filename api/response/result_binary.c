/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/result_binary.c - an answer as CBOR with typed arrays, or its array as NPY. */
#include <assert.h>
#include <cbor.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"
#include "api/response/result.h"
#include "core/dynamics/arrange.h"

/* what is written next; 0 is where a result starts */
enum { STEP_OPEN, STEP_KEY, STEP_VALUES, STEP_NOTES, STEP_TAIL, STEP_END };

/* more than a key and the head of an array take */
enum { STEP_ROOM = 160 };

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
    if (array->is_turned) {
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
    if (!result->flat) {
        view.gather_rows = gather_samples;
        view.find_rows = array->is_turned ? find_samples : NULL;
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

static void view_array(tqa_result *result)
{
    result->place = (tqa_result_place){.result = result, .array = result->array};
    result->view = tqa_result_view(&result->place);
    result->index = 0;
}

/* ------------------------------------------------------------------------------------------------
 * CBOR
 */

static unsigned char *put_text(unsigned char *s, const char *text)
{
    const size_t n = strlen(text);
    s += cbor_encode_string_start(n, s, STEP_ROOM);
    memcpy(s, text, n);
    return s + n;
}

/* Bytes of any length: what precedes a key, or what follows the arrays. */
static size_t put_bytes(tqa_result *result, const char *bytes, size_t n_bytes, char *out,
                        size_t room, bool *ret_more)
{
    const size_t left = n_bytes - result->n_told;
    const size_t n = left < room ? left : room;
    memcpy(out, bytes + result->n_told, n);
    result->n_told += n;
    *ret_more = n == left;
    return n;
}

/* The array has been written. */
static void end_array(tqa_result *result)
{
    result->step = ++result->array < result->n_array ? STEP_KEY
                   : result->notes != NULL           ? STEP_NOTES
                                                     : STEP_TAIL;
}

/* One step; returns the bytes written, and *ret_more = false when it must wait for room. */
static size_t put_step(tqa_result *result, char *out, size_t room, bool *ret_more)
{
    unsigned char *s = (unsigned char *)out;
    *ret_more = room >= STEP_ROOM;
    switch (result->step) {
    case STEP_VALUES: {
        const size_t n = tqa_array_encode(&result->view, &result->index, out, room);
        *ret_more = result->index == tqa_array_count(&result->view);
        if (*ret_more) {
            end_array(result);
        }
        return n;
    }
    case STEP_NOTES: {
        const size_t n = put_bytes(result, result->notes, result->n_notes, out, room, ret_more);
        result->step = *ret_more ? STEP_TAIL : STEP_NOTES;
        return n;
    }
    case STEP_TAIL:
        *ret_more = room >= result->n_tail;
        if (*ret_more) {
            memcpy(out, result->tail, result->n_tail);
            result->step = STEP_END;
        }
        return *ret_more ? result->n_tail : 0;
    case STEP_OPEN:
        if (*ret_more) {
            s += cbor_encode_map_start(result->n_member + 1, s, room);
            result->step = result->n_array > 0     ? STEP_KEY
                           : result->notes != NULL ? STEP_NOTES
                                                   : STEP_TAIL;
        }
        break;
    case STEP_KEY:
        if (result->n_told < result->arrays[result->array].n_before) {
            const tqa_result_array *array = &result->arrays[result->array];
            return put_bytes(result, array->before, array->n_before, out, room, ret_more);
        }
        if (*ret_more) {
            const tqa_result_array *array = &result->arrays[result->array];
            result->n_told = 0;
            s = put_text(s, array->key);
            if (array->scalar && result->flat) {
                const double *data = tqa_blocks_sample(array->blocks, 0);
                s += cbor_encode_double(data[array->first_row * array->blocks->stride], s, room);
                end_array(result);
                break;
            }
            view_array(result);
            s += tqa_cbor_array_head(&result->view, (char *)s);
            result->step = STEP_VALUES;
        }
        break;
    default:
        *ret_more = false;
        break;
    }
    return (size_t)((char *)s - out);
}

size_t tqa_result_read_cbor(tqa_result *result, char *out, size_t size)
{
    size_t n = 0;
    for (bool more = true; more;) {
        n += put_step(result, out + n, size - n, &more);
    }
    return n;
}

/* ------------------------------------------------------------------------------------------------
 * NPY
 */

size_t tqa_result_read_npy(tqa_result *result, char *out, size_t size)
{
    assert(result->n_array == 1);
    if (result->step == STEP_OPEN) {
        view_array(result);
        tqa_npy_encoder_init(&result->npy, &result->view);
        result->step = STEP_VALUES;
    }
    return tqa_npy_encoder_read(&result->npy, out, size);
}

/* ------------------------------------------------------------------------------------------------
 * Numbers in place
 */

const char *tqa_result_look(tqa_result *result, size_t *ret_n)
{
    const bool is_npy = result->media == TQA_MEDIA_NPY;
    if (result->media == TQA_MEDIA_JSON || result->step != STEP_VALUES ||
        (is_npy && result->npy.header_read < result->npy.header_size)) {
        return NULL;
    }
    const tqa_result_array *array = &result->arrays[result->array];
    uint64_t *index = is_npy ? &result->npy.index : &result->index;
    const uint64_t count = tqa_array_count(&result->view);
    if (!array->is_turned || *index == count) {
        return NULL;
    }
    const size_t each = TQ_BLOCK * array->n_row;
    const size_t at = (size_t)*index % each;
    const uint64_t left = count - *index;
    const size_t n = left < each - at ? (size_t)left : each - at;
    const double *from = tqa_blocks_block(array->blocks, (size_t)*index / each) + at;
    *index += n;
    *ret_n = n * sizeof *from;
    return (const char *)from;
}

/* ------------------------------------------------------------------------------------------------
 * Length: the same steps, without the numbers
 */

uint64_t tqa_result_length(const tqa_result *result)
{
    if (result->media == TQA_MEDIA_JSON || result->array > 0 || result->step > STEP_KEY) {
        return 0;
    }
    tqa_result copy = *result;
    if (result->media == TQA_MEDIA_NPY) {
        view_array(&copy);
        tqa_npy_encoder_init(&copy.npy, &copy.view);
        return tqa_npy_encoder_size(&copy.npy);
    }
    char out[TQA_RESULT_TAIL_MAX];
    uint64_t length = 0;
    while (copy.step != STEP_END) {
        bool more = true;
        if (copy.step == STEP_VALUES) {
            const uint64_t count = tqa_array_count(&copy.view);
            length += (count - copy.index) * sizeof(double);
            copy.index = count;
        }
        length += put_step(&copy, out, sizeof out, &more);
    }
    return length;
}
