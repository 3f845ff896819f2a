/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/cbor/decode.c - a resumable state machine over CBOR data items. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"
#include "api/codec/cbor/item.h"

enum {
    TAG_ARRAY = 40, /* row-major: a pair of extents and values */
    TAG_CBOR = 55799,
};

/* What must follow. */
enum {
    WANT_ITEM,
    WANT_TEXT,      /* a chunk of an indefinite text, or its break */
    WANT_PAIR,      /* tag 40 was read: the array of two */
    WANT_EXTENTS,   /* its first entry */
    WANT_EXTENT,    /* one of them */
    WANT_VALUES,    /* its second entry, which must have the tag of a typed array */
    WANT_BYTES,     /* the byte string of a typed array */
    WANT_CHUNK,     /* a chunk of an indefinite byte string, or its break */
    WANT_PAYLOAD,   /* bytes of a byte string */
    WANT_PAIR_BREAK /* the end of an indefinite pair */
};

void tqa_cbor_decoder_init(tqa_cbor_decoder *decoder, const tqa_events *events, void *ctx)
{
    assert(decoder != NULL && events != NULL);
    /* the buffers are written before they are read: no need to clear them for each request */
    decoder->events = events;
    decoder->ctx = ctx;
    decoder->status = TQA_DECODE_OK;
    decoder->error = (tqa_decode_error){0, NULL};
    decoder->offset = 0;
    decoder->state = WANT_ITEM;
    decoder->is_root_done = false;
    decoder->depth = 0;
    decoder->n_text = 0;
    decoder->n_held = 0;
}

static bool stop(tqa_cbor_decoder *d, tqa_decode status, const char *detail)
{
    d->status = status;
    d->error = (tqa_decode_error){d->offset, detail};
    return false;
}

static bool malformed(tqa_cbor_decoder *d, const char *detail)
{
    return stop(d, TQA_DECODE_MALFORMED, detail);
}

static bool limit(tqa_cbor_decoder *d, const char *detail)
{
    return stop(d, TQA_DECODE_LIMIT, detail);
}

/* Handles the return value of a callback. */
static bool on_event(tqa_cbor_decoder *d, bool accepted)
{
    return accepted || stop(d, TQA_DECODE_REFUSED, NULL);
}

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
static bool is_utf8(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < n;) {
        const unsigned char lead = s[i++];
        if (lead < 0x80) {
            continue;
        }
        const size_t more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        if (lead < 0xc2 || lead > 0xf4 || n - i < more) {
            return false;
        }
        const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (s[i] < low || s[i] > high) {
            return false;
        }
        for (size_t k = 1; k < more; k++) {
            if ((s[i + k] & 0xc0) != 0x80) {
                return false;
            }
        }
        i += more;
    }
    return true;
}

/* A value is complete, and perhaps the maps and arrays around it. */
static bool finish_value(tqa_cbor_decoder *d)
{
    d->state = WANT_ITEM;
    while (d->depth > 0) {
        tqa_cbor_level *level = &d->levels[d->depth - 1];
        level->key_next = level->is_map;
        if (level->indefinite || --level->left > 0) {
            return true;
        }
        d->depth--;
        if (!on_event(d, level->is_map ? d->events->end_map(d->ctx, d->offset)
                                       : d->events->end_array(d->ctx, d->offset))) {
            return false;
        }
    }
    d->is_root_done = true;
    return true;
}

static bool open_level(tqa_cbor_decoder *d, const tqa_cbor_item *it)
{
    const bool is_map = it->kind == TQA_CBOR_MAP;
    if (d->depth == TQA_EVENT_DEPTH_MAX) {
        return limit(d, "maps and arrays are nested too deep");
    }
    if (!on_event(d, is_map ? d->events->begin_map(d->ctx, d->offset)
                            : d->events->begin_array(d->ctx, d->offset))) {
        return false;
    }
    if (!it->indefinite && it->count == 0) {
        return on_event(d, is_map ? d->events->end_map(d->ctx, d->offset)
                                  : d->events->end_array(d->ctx, d->offset)) &&
               finish_value(d);
    }
    d->levels[d->depth++] = (tqa_cbor_level){
        .is_map = is_map, .indefinite = it->indefinite, .key_next = is_map, .left = it->count};
    return true;
}

static bool close_level(tqa_cbor_decoder *d)
{
    const tqa_cbor_level *level = d->depth > 0 ? &d->levels[d->depth - 1] : NULL;
    if (level == NULL || !level->indefinite || level->is_map != level->key_next) {
        return malformed(d, "a break where nothing of indefinite length can end");
    }
    d->depth--;
    return on_event(d, level->is_map ? d->events->end_map(d->ctx, d->offset)
                                     : d->events->end_array(d->ctx, d->offset)) &&
           finish_value(d);
}

static bool push_text(tqa_cbor_decoder *d, uint64_t at, const char *text, size_t n)
{
    tqa_cbor_level *level = d->depth > 0 ? &d->levels[d->depth - 1] : NULL;
    d->state = WANT_ITEM;
    if (level != NULL && level->key_next) {
        level->key_next = false;
        return on_event(d, d->events->key(d->ctx, at, text, n));
    }
    return on_event(d, d->events->string(d->ctx, at, text, n)) && finish_value(d);
}

static bool check_text(tqa_cbor_decoder *d, const tqa_cbor_item *it, size_t before)
{
    if (it->count > TQA_EVENT_TEXT_MAX - before) {
        return limit(d, "a text is too long");
    }
    return is_utf8(it->text, it->count) || malformed(d, "a text is not UTF-8");
}

static bool take_chunk_of_text(tqa_cbor_decoder *d, const tqa_cbor_item *it)
{
    if (it->kind == TQA_CBOR_BREAK) {
        return push_text(d, d->text_offset, d->text, d->n_text);
    }
    if (it->kind != TQA_CBOR_TEXT) {
        return malformed(d, "a chunk of a text is no text");
    }
    if (!check_text(d, it, d->n_text)) {
        return false;
    }
    memcpy(d->text + d->n_text, it->text, it->count);
    d->n_text += it->count;
    return true;
}

static bool take_tag(tqa_cbor_decoder *d, uint64_t tag)
{
    if (tqa_cbor_array_type(tag, &d->array.element)) {
        d->array.rank = 1;
        d->array.extents[0] = UINT64_MAX;
        d->state = WANT_BYTES;
        return true;
    }
    if (tag == TAG_ARRAY) {
        d->state = WANT_PAIR;
        return true;
    }
    return (tag == TAG_CBOR && d->offset == 0) || limit(d, "this tag is not accepted");
}

static bool take_number(tqa_cbor_decoder *d, double x)
{
    if (!isfinite(x)) {
        return stop(d, TQA_DECODE_NOT_FINITE, "a number is not finite");
    }
    return on_event(d, d->events->number(d->ctx, d->offset, x)) && finish_value(d);
}

/* An item in a place where any item is allowed. */
static bool take_item(tqa_cbor_decoder *d, const tqa_cbor_item *it)
{
    if (d->is_root_done) {
        return malformed(d, "there are bytes after the document");
    }
    if (d->depth > 0 && d->levels[d->depth - 1].key_next && it->kind != TQA_CBOR_TEXT &&
        it->kind != TQA_CBOR_TEXT_START && it->kind != TQA_CBOR_BREAK) {
        return limit(d, "a key is no text");
    }
    switch (it->kind) {
    case TQA_CBOR_INTEGER:
    case TQA_CBOR_NUMBER:
        return take_number(d, it->number);
    case TQA_CBOR_TEXT:
        return check_text(d, it, 0) && push_text(d, d->offset, it->text, it->count);
    case TQA_CBOR_TEXT_START:
        d->state = WANT_TEXT;
        d->text_offset = d->offset;
        d->n_text = 0;
        return true;
    case TQA_CBOR_ARRAY:
    case TQA_CBOR_MAP:
        return open_level(d, it);
    case TQA_CBOR_TAG:
        return take_tag(d, it->count);
    case TQA_CBOR_BOOLEAN:
        return on_event(d, d->events->boolean(d->ctx, d->offset, it->truth)) && finish_value(d);
    case TQA_CBOR_NULL:
        return on_event(d, d->events->null(d->ctx, d->offset)) && finish_value(d);
    case TQA_CBOR_BREAK:
        return close_level(d);
    case TQA_CBOR_UNDEFINED:
        return limit(d, "undefined is not accepted");
    case TQA_CBOR_BYTES:
        return limit(d, "a byte string is accepted only as a typed array");
    }
    return malformed(d, "no CBOR");
}

static bool take_extents(tqa_cbor_decoder *d, const tqa_cbor_item *it)
{
    if (it->kind != TQA_CBOR_ARRAY) {
        return malformed(d, "an array of several dimensions does not start with its extents");
    }
    if (!it->indefinite && (it->count == 0 || it->count > TQA_ARRAY_RANK_MAX)) {
        return limit(d, "an array has no dimensions or too many");
    }
    d->extents_indefinite = it->indefinite;
    d->extents_left = it->indefinite ? 0 : (size_t)it->count;
    d->array.rank = 0;
    d->state = WANT_EXTENT;
    return true;
}

static bool take_extent(tqa_cbor_decoder *d, const tqa_cbor_item *it)
{
    tqa_cbor_array *array = &d->array;
    if (it->kind == TQA_CBOR_BREAK && d->extents_indefinite && array->rank > 0) {
        d->state = WANT_VALUES;
        return true;
    }
    if (it->kind != TQA_CBOR_INTEGER) {
        return malformed(d, "an extent is no integer of at least 0");
    }
    if (array->rank == TQA_ARRAY_RANK_MAX) {
        return limit(d, "an array has too many dimensions");
    }
    if (it->count == 0 && array->rank > 0) {
        return limit(d, "only the first extent of an array may be 0");
    }
    if (it->count > (uint64_t)1 << 48) {
        return limit(d, "an extent of an array is too large");
    }
    array->extents[array->rank++] = it->count;
    if (!d->extents_indefinite && --d->extents_left == 0) {
        d->state = WANT_VALUES;
    }
    return true;
}

static bool begin_array(tqa_cbor_decoder *d, const tqa_cbor_item *it)
{
    tqa_cbor_array *array = &d->array;
    if (d->depth + array->rank > TQA_EVENT_DEPTH_MAX) {
        return limit(d, "maps and arrays are nested too deep");
    }
    if (array->extents[0] == UINT64_MAX && !it->indefinite) {
        array->extents[0] = it->count / array->element.size;
    }
    const tqa_decode status = tqa_cbor_array_begin(array, d->events, d->ctx, &d->error, d->offset);
    d->status = status;
    d->bytes_indefinite = it->indefinite;
    d->bytes_left = it->count;
    d->state = it->indefinite ? WANT_CHUNK : WANT_PAYLOAD;
    return status == TQA_DECODE_OK;
}

static bool end_array(tqa_cbor_decoder *d)
{
    d->status = tqa_cbor_array_end(&d->array, d->events, d->ctx, &d->error, d->offset);
    if (d->status != TQA_DECODE_OK) {
        return false;
    }
    if (d->pair_indefinite) {
        d->state = WANT_PAIR_BREAK;
        return true;
    }
    return finish_value(d);
}

static bool take(tqa_cbor_decoder *d, const tqa_cbor_item *it)
{
    switch (d->state) {
    case WANT_TEXT:
        return take_chunk_of_text(d, it);
    case WANT_PAIR:
        d->pair_indefinite = it->indefinite;
        d->state = WANT_EXTENTS;
        return (it->kind == TQA_CBOR_ARRAY && (it->indefinite || it->count == 2)) ||
               malformed(d, "an array of several dimensions is no pair");
    case WANT_EXTENTS:
        return take_extents(d, it);
    case WANT_EXTENT:
        return take_extent(d, it);
    case WANT_VALUES:
        d->state = WANT_BYTES;
        return (it->kind == TQA_CBOR_TAG && tqa_cbor_array_type(it->count, &d->array.element)) ||
               limit(d, "the values of an array of several dimensions are no typed array");
    case WANT_BYTES:
        return it->kind == TQA_CBOR_BYTES ? begin_array(d, it)
                                          : malformed(d, "a typed array is no byte string");
    case WANT_CHUNK:
        if (it->kind == TQA_CBOR_BREAK) {
            return end_array(d);
        }
        d->bytes_left = it->count;
        d->state = WANT_PAYLOAD;
        return (it->kind == TQA_CBOR_BYTES && !it->indefinite) ||
               malformed(d, "a chunk of a byte string is no byte string");
    case WANT_PAIR_BREAK:
        return it->kind == TQA_CBOR_BREAK ? finish_value(d)
                                          : malformed(d, "a pair has a third entry");
    default:
        /* a typed array without tag 40 has no pair around it */
        d->pair_indefinite = false;
        return take_item(d, it);
    }
}

/* Decodes the item at s. Returns its length; 0 when n bytes are too few, or after a fault. */
static size_t read_item(tqa_cbor_decoder *d, const char *s, size_t n)
{
    tqa_cbor_item it = {.kind = TQA_CBOR_UNDEFINED};
    size_t size = 0;
    if (!tqa_cbor_item_read(s, n, &it, &size)) {
        malformed(d, "no CBOR");
        return 0;
    }
    if (size > 0 && !take(d, &it)) {
        return 0;
    }
    d->offset += size;
    return size;
}

static size_t feed_payload(tqa_cbor_decoder *d, const char *bytes, size_t n)
{
    const size_t run = n < d->bytes_left ? n : (size_t)d->bytes_left;
    d->status = tqa_cbor_array_feed(&d->array, d->events, d->ctx, &d->error, d->offset, bytes, run);
    d->offset += run;
    d->bytes_left -= run;
    return run;
}

/* An item that the last piece has split: adds bytes until it is whole. */
static size_t feed_held(tqa_cbor_decoder *d, const char *bytes, size_t n)
{
    size_t used = 0;
    while (used < n && d->n_held > 0 && d->status == TQA_DECODE_OK) {
        if (d->n_held == sizeof d->held) {
            limit(d, "a text is too long");
            break;
        }
        d->held[d->n_held++] = bytes[used++];
        if (read_item(d, d->held, d->n_held) > 0) {
            d->n_held = 0;
        }
    }
    return used;
}

bool tqa_cbor_decoder_is_last(const tqa_cbor_decoder *decoder)
{
    const tqa_cbor_level *root = &decoder->levels[0];
    return decoder->is_root_done || (decoder->depth > 0 && root->is_map && !root->indefinite &&
                                     !root->key_next && root->left == 1);
}

tqa_decode tqa_cbor_decoder_feed(tqa_cbor_decoder *d, const char *bytes, size_t n)
{
    assert(d != NULL && (bytes != NULL || n == 0));
    size_t used = 0;
    while (d->status == TQA_DECODE_OK) {
        if (d->state == WANT_PAYLOAD && d->bytes_left == 0) {
            if (d->bytes_indefinite) {
                d->state = WANT_CHUNK;
            } else {
                (void)end_array(d);
            }
            continue;
        }
        if (used == n) {
            break;
        }
        if (d->state == WANT_PAYLOAD) {
            used += feed_payload(d, bytes + used, n - used);
        } else if (d->n_held > 0) {
            used += feed_held(d, bytes + used, n - used);
        } else {
            const size_t size = read_item(d, bytes + used, n - used);
            used += size;
            if (size == 0 && d->status == TQA_DECODE_OK) {
                if (n - used > sizeof d->held) {
                    limit(d, "a text is too long");
                    break;
                }
                memcpy(d->held, bytes + used, n - used);
                d->n_held = n - used;
                used = n;
            }
        }
    }
    return d->status;
}

tqa_decode tqa_cbor_decoder_finish(tqa_cbor_decoder *d)
{
    assert(d != NULL);
    if (d->status == TQA_DECODE_OK && (!d->is_root_done || d->n_held > 0)) {
        malformed(d, "the document is cut short");
    }
    return d->status;
}
