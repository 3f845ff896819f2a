/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/result.c - prints an answer as far as the buffer goes, and goes on from there. */
#include "api/response/result.h"

#include <assert.h>
#include <string.h>

#include "api/codec/json/print.h"

/* what is printed next */
enum { STEP_KEY, STEP_SAMPLE, STEP_NUMBERS, STEP_NOTES, STEP_TAIL, STEP_END };

/* more than any step but the tail puts at once */
enum { STEP_ROOM = 80 };

bool tqa_result_gives(tqa_media media)
{
    return media == TQA_MEDIA_NONE || media == TQA_MEDIA_JSON || media == TQA_MEDIA_CBOR ||
           media == TQA_MEDIA_NPY || media == TQA_MEDIA_NPZ || media == TQA_MEDIA_CSV;
}

void tqa_result_init(tqa_result *result, tqa_media media, size_t n_sample, bool flat)
{
    result->media = media;
    assert(n_sample > 0 && (!flat || n_sample == 1));
    result->n_array = result->n_member = result->n_told = 0;
    result->n_sample = n_sample;
    result->flat = flat;
    result->array = result->sample = result->row = 0;
    result->step = STEP_KEY;
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

static inline void put_text(tqa_json_out *out, const char *text)
{
    tqa_json_put(out, text, strlen(text));
}

static inline void put_char(tqa_json_out *out, char c)
{
    *out->p++ = c;
}

/* Printed at once, into memory of the result: all of its texts have bounded lengths. */
static void write_tail(tqa_result *result, const tqa_provenance *provenance)
{
    const bool cbor = result->media == TQA_MEDIA_CBOR;
    const bool is_first = result->n_array == 0 && result->notes == NULL;
    tqa_writer tail = {.cbor = cbor};
    tail.text = (tqa_json_text){
        .bytes = result->tail + 1, .capacity = sizeof result->tail - 3, .fixed = true};
    tqa_writer_members(&tail);
    tqa_writer_object_of(&tail, "provenance", tqa_provenance_count(provenance));
    tqa_provenance_put(&tail, provenance);
    tqa_writer_end(&tail);
    assert(!tail.text.failed);
    result->n_tail = tail.text.n;
    if (cbor) { /* the head of the root has counted its members: no comma, no end */
        memmove(result->tail, result->tail + 1, result->n_tail);
        return;
    }
    result->tail[0] = is_first ? '{' : ',';
    memcpy(result->tail + 1 + result->n_tail, "}\n", 2);
    result->n_tail += 3;
}

void tqa_result_provenance(tqa_result *result, const tqa_provenance *provenance)
{
    if (result->media == TQA_MEDIA_JSON || result->media == TQA_MEDIA_CBOR) {
        write_tail(result, provenance);
    }
    if (result->media == TQA_MEDIA_JSON && result->n_array == 0) {
        result->step = result->notes != NULL ? STEP_NOTES : STEP_TAIL;
    }
}

/* What precedes the key, of any length; then the key. */
static bool put_key(tqa_result *result, tqa_json_out *out)
{
    const tqa_result_array *array = &result->arrays[result->array];
    const char lead = result->array == 0 ? '{' : ',';
    if (array->before != NULL && result->n_told < array->n_before) {
        if (tqa_json_room(out) < 2) {
            return false;
        }
        if (result->n_told == 0) {
            put_char(out, lead);
        }
        const size_t left = array->n_before - result->n_told;
        const size_t n = left < tqa_json_room(out) ? left : tqa_json_room(out);
        tqa_json_put(out, array->before + result->n_told, n);
        result->n_told += n;
        return n == left;
    }
    if (tqa_json_room(out) < STEP_ROOM) {
        return false;
    }
    if (array->before == NULL) {
        put_char(out, lead);
    }
    put_char(out, '"');
    put_text(out, array->key);
    put_text(out, "\":");
    if (!result->flat) {
        put_char(out, '[');
    }
    result->sample = result->n_told = 0;
    result->step = STEP_SAMPLE;
    return true;
}

/* Goes on with the numbers of the open sample, and closes what is complete. */
static bool put_numbers(tqa_result *result, tqa_json_out *out)
{
    const tqa_result_array *array = &result->arrays[result->array];
    const tqa_json_row row = {
        .data = tqa_blocks_sample(array->blocks, result->sample) +
                array->first_row * array->blocks->stride,
        .stride = array->blocks->stride,
        .map = array->map,
        .n = array->n_row,
        .group = array->group,
        .plane = array->plane,
    };
    result->row = tqa_json_put_row(out, &row, result->row);
    if (result->row < row.n || tqa_json_room(out) < 3) {
        return false;
    }
    if (!array->scalar) {
        put_char(out, ']');
    }
    result->step = STEP_SAMPLE;
    if (++result->sample == result->n_sample) {
        if (!result->flat) {
            put_char(out, ']');
        }
        if (array->closes) {
            put_char(out, '}');
        }
        result->step = ++result->array < result->n_array ? STEP_KEY
                       : result->notes != NULL           ? STEP_NOTES
                                                         : STEP_TAIL;
    }
    return true;
}

/* Members after the arrays, of any length. */
static bool put_notes(tqa_result *result, tqa_json_out *out)
{
    if (tqa_json_room(out) < 2) {
        return false;
    }
    if (result->n_told == 0) {
        put_char(out, result->n_array > 0 ? ',' : '{');
    }
    const size_t left = result->n_notes - result->n_told;
    const size_t n = left < tqa_json_room(out) ? left : tqa_json_room(out);
    tqa_json_put(out, result->notes + result->n_told, n);
    result->n_told += n;
    result->step = n == left ? STEP_TAIL : STEP_NOTES;
    return n == left;
}

/* One step; false when the buffer has no room for it. */
static bool put_step(tqa_result *result, tqa_json_out *out)
{
    switch (result->step) {
    case STEP_NUMBERS:
        return put_numbers(result, out);
    case STEP_NOTES:
        return put_notes(result, out);
    case STEP_TAIL:
        if (tqa_json_room(out) < result->n_tail) {
            return false;
        }
        tqa_json_put(out, result->tail, result->n_tail);
        result->step = STEP_END;
        return true;
    case STEP_KEY:
        return put_key(result, out);
    case STEP_SAMPLE:
        if (tqa_json_room(out) < 2) {
            return false;
        }
        if (result->sample > 0) {
            put_char(out, ',');
        }
        if (!result->arrays[result->array].scalar) {
            put_char(out, '[');
        }
        result->row = 0;
        result->step = STEP_NUMBERS;
        return true;
    default:
        return false;
    }
}

static size_t read_json(tqa_result *result, char *out, size_t size)
{
    tqa_json_out to = {.p = out, .end = out + size};
    while (put_step(result, &to)) {
    }
    return (size_t)(to.p - out);
}

size_t tqa_result_read(tqa_result *result, char *out, size_t size)
{
    assert(size >= 4096);
    if (result->media == TQA_MEDIA_CBOR) {
        return tqa_result_read_cbor(result, out, size);
    }
    if (result->media == TQA_MEDIA_NPY) {
        return tqa_result_read_npy(result, out, size);
    }
    return read_json(result, out, size);
}
