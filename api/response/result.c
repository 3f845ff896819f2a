/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/result.c - writes an answer as far as the buffer goes, and goes on from there. */
#include "api/response/result.h"

#include <assert.h>
#include <string.h>

/* what is written next; 0 is where a result starts */
enum { STEP_OPEN, STEP_BEFORE, STEP_KEY, STEP_VALUES, STEP_NOTES, STEP_TAIL, STEP_END };

/* more than a key and the head of an array take */
enum { STEP_ROOM = 160 };

bool tqa_result_gives(tqa_media media)
{
    return media == TQA_MEDIA_NONE || media == TQA_MEDIA_JSON || media == TQA_MEDIA_CBOR ||
           media == TQA_MEDIA_NPY || media == TQA_MEDIA_NPZ || media == TQA_MEDIA_CSV;
}

void tqa_result_init(tqa_result *result, tqa_media media, size_t n_sample, bool flat)
{
    result->media = media;
    assert(n_sample > 0 && (!flat || n_sample == 1));
    result->n_array = result->n_member = result->n_put = 0;
    result->n_sample = n_sample;
    result->flat = flat;
    result->array = 0;
    result->step = STEP_OPEN;
    result->writer = (tqa_writer){.cbor = media == TQA_MEDIA_CBOR};
    result->n_tail = 0;
    result->notes = NULL;
}

void tqa_result_add_array(tqa_result *result, const tqa_result_array *array)
{
    assert(result->n_array < TQA_RESULT_ARRAYS_MAX && strlen(array->key) <= 64);
    assert(!array->scalar || array->n_row == 1);
    result->arrays[result->n_array++] = *array;
    result->n_member += array->before != NULL;
}

void tqa_result_add(tqa_result *result, const char *key, const tqa_blocks *blocks,
                    const uint32_t *map)
{
    const tqa_result_array array = {
        .key = key, .blocks = blocks, .n_row = blocks->n_row, .map = map};
    tqa_result_add_array(result, &array);
    result->n_member++;
}

void tqa_result_add_notes(tqa_result *result, const char *bytes, size_t n, size_t n_member)
{
    assert(result->notes == NULL);
    result->notes = bytes;
    result->n_notes = n;
    result->n_member += n_member;
}

/* Printed at once, into memory of the result: all of its texts have bounded lengths. */
static void write_tail(tqa_result *result, const tqa_provenance *provenance)
{
    tqa_writer tail = {.cbor = result->media == TQA_MEDIA_CBOR};
    tail.text =
        (tqa_json_text){.bytes = result->tail, .capacity = sizeof result->tail, .fixed = true};
    tqa_writer_members(&tail);
    tqa_writer_object_of(&tail, "provenance", tqa_provenance_count(provenance));
    tqa_provenance_put(&tail, provenance);
    tqa_writer_end(&tail);
    assert(!tail.text.failed);
    result->n_tail = tail.text.n;
}

void tqa_result_provenance(tqa_result *result, const tqa_provenance *provenance)
{
    if (result->media == TQA_MEDIA_JSON || result->media == TQA_MEDIA_CBOR) {
        write_tail(result, provenance);
    }
}

static size_t room_of(const tqa_result *result)
{
    return result->writer.text.capacity - result->writer.text.n - 1;
}

/* Members that are written already, of any length. False: the buffer is full. */
static bool put_encoded(tqa_result *result, const char *bytes, size_t n_bytes)
{
    if (room_of(result) < STEP_ROOM) {
        return false;
    }
    if (result->n_put == 0) {
        tqa_writer_encoded_begin(&result->writer);
    }
    const size_t left = n_bytes - result->n_put, room = room_of(result);
    const size_t n = left < room ? left : room;
    tqa_json_text_bytes(&result->writer.text, bytes + result->n_put, n);
    result->n_put += n;
    return n == left;
}

/* The array that is next, if any. */
static void begin_array(tqa_result *result)
{
    result->n_put = 0;
    result->step = result->array == result->n_array
                       ? (result->notes != NULL ? STEP_NOTES : STEP_TAIL)
                   : result->arrays[result->array].before != NULL ? STEP_BEFORE
                                                                  : STEP_KEY;
}

static void end_array(tqa_result *result)
{
    if (result->arrays[result->array].closes) {
        tqa_writer_end(&result->writer);
    }
    result->array++;
    begin_array(result);
}

static void view_array(tqa_result *result)
{
    result->place = (tqa_result_place){.result = result, .array = result->array};
    result->view = tqa_result_view(&result->place);
    result->index = 0;
}

static void put_key(tqa_result *result)
{
    const tqa_result_array *array = &result->arrays[result->array];
    if (array->scalar && result->flat) {
        const double *data = tqa_blocks_sample(array->blocks, 0);
        tqa_writer_number(&result->writer, array->key,
                          data[array->first_row * array->blocks->stride]);
        end_array(result);
        return;
    }
    view_array(result);
    tqa_writer_stream_begin(&result->writer, array->key, &result->view);
    result->step = STEP_VALUES;
}

/* One step of JSON or CBOR; false when the buffer has no room for it, or all is written. */
static bool put_step(tqa_result *result)
{
    tqa_writer *to = &result->writer;
    const tqa_result_array *array = &result->arrays[result->array];
    const bool has_room = room_of(result) >= STEP_ROOM;
    switch (result->step) {
    case STEP_VALUES:
        if (!tqa_writer_stream(to, &result->view, &result->index) || room_of(result) < 2) {
            return false;
        }
        tqa_writer_stream_end(to);
        end_array(result);
        return true;
    case STEP_BEFORE:
        if (!put_encoded(result, array->before, array->n_before)) {
            return false;
        }
        tqa_writer_reopen(to);
        result->step = STEP_KEY;
        return true;
    case STEP_KEY:
        if (has_room) {
            put_key(result);
        }
        return has_room;
    case STEP_NOTES:
        if (!put_encoded(result, result->notes, result->n_notes)) {
            return false;
        }
        result->step = STEP_TAIL;
        return true;
    case STEP_TAIL:
        if (room_of(result) < result->n_tail + 3) {
            return false;
        }
        tqa_writer_encoded_members(to, result->tail, result->n_tail);
        tqa_writer_end(to);
        tqa_writer_finish(to);
        result->step = STEP_END;
        return true;
    case STEP_OPEN:
        if (has_room) {
            tqa_writer_object_of(to, NULL, result->n_member + 1);
            begin_array(result);
        }
        return has_room;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------------------------------------
 * NPY
 */

static size_t read_npy(tqa_result *result, char *out, size_t size)
{
    assert(result->n_array == 1);
    if (result->step == STEP_OPEN) {
        view_array(result);
        tqa_npy_encoder_init(&result->npy, &result->view);
        result->step = STEP_VALUES;
    }
    return tqa_npy_encoder_read(&result->npy, out, size);
}

size_t tqa_result_read(tqa_result *result, char *out, size_t size)
{
    assert(size >= 4096);
    if (result->media == TQA_MEDIA_NPY) {
        return read_npy(result, out, size);
    }
    result->writer.text = (tqa_json_text){.bytes = out, .capacity = size, .fixed = true};
    while (put_step(result)) {
    }
    assert(!result->writer.text.failed);
    return result->writer.text.n;
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
    if (!array->is_transposed || *index == count) {
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
    char out[2 * TQA_RESULT_TAIL_MAX];
    uint64_t length = 0;
    while (copy.step != STEP_END) {
        if (copy.step == STEP_VALUES) {
            const uint64_t count = tqa_array_count(&copy.view);
            length += (count - copy.index) * sizeof(double);
            copy.index = count;
        }
        copy.writer.text = (tqa_json_text){.bytes = out, .capacity = sizeof out, .fixed = true};
        (void)put_step(&copy); /* false: an object's members go on in the next piece */
        length += copy.writer.text.n;
    }
    return length;
}
