/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/result_binary.c - an answer as CBOR with typed arrays, or its array as NPY. */
#include <assert.h>
#include <cbor.h>
#include <string.h>

#include "api/formats/cbor.h"
#include "api/operations/result.h"
#include "api/version.h"

/* what is written next; 0 is where a result starts */
enum { STEP_OPEN, STEP_KEY, STEP_VALUES, STEP_TAIL, STEP_END };

/* more than a key and the head of an array take */
enum { STEP_ROOM = 160 };

static void gather(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    const tqa_result *result = ctx;
    const tqa_result_array *array = &result->arrays[result->array];
    const size_t stride = array->blocks->stride;
    /* the only sample of a flat answer is an array of rank one: its rows are our columns */
    const double *data = tqa_blocks_sample(array->blocks, result->flat ? 0 : (size_t)row);
    const size_t first = result->flat ? (size_t)row : (size_t)column;
    for (size_t k = 0; k < n; k++) {
        const size_t r = array->map != NULL ? array->map[first + k] : first + k;
        ret[k] = data[r * stride];
    }
}

static void view_array(tqa_result *result)
{
    const size_t n_row = result->arrays[result->array].blocks->n_row;
    result->view = (tqa_array){.rank = result->flat ? 1 : 2, .gather = gather, .ctx = result};
    result->view.shape[0] = result->flat ? n_row : result->n_sample;
    result->view.shape[1] = n_row;
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

void tqa_result_tail_cbor(tqa_result *result, const char *robot_digest, const char *request_digest)
{
    unsigned char *const tail = (unsigned char *)result->tail;
    unsigned char *s = put_text(tail, "provenance");
    s += cbor_encode_map_start(3, s, STEP_ROOM);
    s = put_text(s, "engine");
    s = put_text(s, "torqued " TQA_VERSION);
    s = put_text(s, "robot_digest");
    s = put_text(s, robot_digest);
    s = put_text(s, "request_digest");
    s = put_text(s, request_digest);
    result->n_tail = (size_t)(s - tail);
    assert(result->n_tail < sizeof result->tail);
    result->step = STEP_OPEN;
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
            result->step = ++result->array == result->n_array ? STEP_TAIL : STEP_KEY;
        }
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
            s += cbor_encode_map_start(result->n_array + 1, s, room);
            result->step = result->n_array > 0 ? STEP_KEY : STEP_TAIL;
        }
        break;
    case STEP_KEY:
        if (*ret_more) {
            view_array(result);
            s = put_text(s, result->arrays[result->array].key);
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
