/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/cbor.c - CBOR answers as they come, arrays of numbers into the caller's memory. */
#include "clients/c/cbor.h"

#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "typed arrays are copied as they are: little-endian doubles"
#endif

enum { UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, OTHER };
enum { TAG_SHAPED = 40, TAG_DOUBLES = 86, INDEFINITE = 31 };

size_t tqci_cbor_head(unsigned char out[9], unsigned major, uint64_t argument)
{
    const unsigned shape = argument < 24         ? 0
                           : argument < 1u << 8  ? 1
                           : argument < 1u << 16 ? 2
                           : argument >> 32 == 0 ? 4
                                                 : 8;
    static const unsigned char short_form[] = {0, 24, 25, 0, 26, 0, 0, 0, 27};
    out[0] = (unsigned char)(major << 5 | (shape == 0 ? (unsigned)argument : short_form[shape]));
    for (unsigned i = 0; i < shape; i++) {
        out[shape - i] = (unsigned char)(argument >> 8 * i);
    }
    return 1 + shape;
}

void tqci_cbor_open(tqci_cbor *reader, tqc_result *results, size_t n_result)
{
    memset(reader, 0, sizeof *reader);
    reader->results = results;
    reader->n_result = n_result;
    for (size_t i = 0; i < n_result; i++) {
        results[i].n = results[i].rows = results[i].columns = 0;
    }
}

void tqci_cbor_texts(tqci_cbor *reader, const tqci_text *texts, size_t n_text)
{
    reader->texts = texts;
    reader->n_text = n_text;
    for (size_t i = 0; i < n_text; i++) {
        texts[i].to[0] = '\0';
    }
}

/* ---------------------------------------------------------------------------------------- items */

/* the item that was begun last is complete */
static void end_item(tqci_cbor *r)
{
    r->tag = 0;
    while (r->depth > 0) {
        tqci_level *level = &r->levels[r->depth - 1];
        level->index++;
        if (!level->indefinite) {
            level->left--;
        }
        if (level->indefinite || level->left > 0) {
            return;
        }
        r->n_path = level->n_path;
        r->depth--;
    }
    r->is_done = true;
}

/* the place of the next item in the document: its key or index after the path of its level */
static void extend_path(tqci_cbor *r)
{
    if (r->depth == 0) {
        return;
    }
    const tqci_level *level = &r->levels[r->depth - 1];
    if (!level->is_map && !level->is_shaped && !level->is_extents) {
        const int n = snprintf(r->path + level->n_path, sizeof r->path - level->n_path, "%s%llu",
                               level->n_path > 0 ? "." : "", (unsigned long long)level->index);
        r->n_path = level->n_path + (size_t)n < sizeof r->path ? level->n_path + (size_t)n
                                                               : sizeof r->path - 1;
    }
}

static bool open_level(tqci_cbor *r, unsigned major, uint64_t argument, bool indefinite)
{
    if (r->depth == TQCI_NESTED_MAX || (!indefinite && argument > UINT64_MAX / 2)) {
        return false;
    }
    const bool in_shaped = r->depth > 0 && r->levels[r->depth - 1].is_shaped;
    const tqci_level level = {
        .left = major == MAP ? 2 * argument : argument,
        .indefinite = indefinite,
        .is_map = major == MAP,
        .is_shaped = major == ARRAY && r->tag == TAG_SHAPED,
        .is_extents = in_shaped && r->levels[r->depth - 1].index == 0,
        .n_path = r->n_path,
    };
    if (level.is_shaped) {
        r->rank = 0;
    }
    r->tag = 0;
    r->levels[r->depth++] = level;
    if (!indefinite && argument == 0) { /* empty: complete at once */
        r->depth--;
        end_item(r);
    }
    return true;
}

static bool is_here(const tqci_cbor *r, const char *name)
{
    return strlen(name) == r->n_path && memcmp(name, r->path, r->n_path) == 0;
}

static tqc_result *wanted(tqci_cbor *r)
{
    for (size_t i = 0; i < r->n_result; i++) {
        if (is_here(r, r->results[i].name)) {
            return &r->results[i];
        }
    }
    return NULL;
}

static void place_text(tqci_cbor *r)
{
    for (size_t i = 0; i < r->n_text; i++) {
        if (is_here(r, r->texts[i].name)) {
            r->to = r->texts[i].to;
            r->n_room = r->texts[i].room - 1;
            r->to[0] = '\0';
        }
    }
}

/* `n` doubles come; false: they have no room */
static bool place(tqci_cbor *r, size_t n, bool is_shaped)
{
    tqc_result *result = wanted(r);
    r->to = NULL;
    if (result == NULL) {
        return true;
    }
    result->n = n;
    result->rows = is_shaped && r->rank > 1 ? r->extents[0] : 0;
    result->columns = result->rows > 0 ? n / result->rows : n;
    if (n > result->room) {
        r->small = result;
        return false;
    }
    r->n_found++;
    r->to = (char *)result->values;
    return true;
}

static bool take_number(tqci_cbor *r, double value)
{
    if (!place(r, 1, false)) {
        return false;
    }
    if (r->to != NULL) {
        memcpy(r->to, &value, sizeof value);
        r->to = NULL;
    }
    end_item(r);
    return true;
}

static bool take_integer(tqci_cbor *r, unsigned major, uint64_t argument)
{
    if (major == UNSIGNED && r->depth > 0 && r->levels[r->depth - 1].is_extents) {
        if (r->rank == TQCI_RANK_MAX) {
            return false;
        }
        r->extents[r->rank++] = (size_t)argument;
        end_item(r);
        return true;
    }
    return take_number(r, major == UNSIGNED ? (double)argument : -1.0 - (double)argument);
}

/* halves and singles hold whole numbers here; doubles as they are */
static bool take_other(tqci_cbor *r, unsigned shape, uint64_t argument)
{
    if (shape == 27) {
        double value;
        memcpy(&value, &argument, sizeof value);
        return take_number(r, value);
    }
    if (shape == 26) {
        const uint32_t bits = (uint32_t)argument;
        float value;
        memcpy(&value, &bits, sizeof value);
        return take_number(r, (double)value);
    }
    end_item(r); /* false, true, null, halves: no numbers of arrays */
    return true;
}

static bool begin_string(tqci_cbor *r, unsigned major, uint64_t n)
{
    tqci_level *level = r->depth > 0 ? &r->levels[r->depth - 1] : NULL;
    r->is_key = level != NULL && level->is_map && level->index % 2 == 0;
    r->to = NULL;
    if (r->is_key) {
        if (major != TEXT) {
            return false;
        }
        r->n_path = level->n_path;
        if (r->n_path > 0 && r->n_path + 1 < sizeof r->path) {
            r->path[r->n_path++] = '.';
        }
    } else if (major == BYTES && r->tag == TAG_DOUBLES) {
        if (n % sizeof(double) != 0 ||
            !place(r, (size_t)(n / sizeof(double)), level != NULL && level->is_shaped)) {
            return false;
        }
        r->n_room = (size_t)n;
    } else if (major == TEXT) {
        place_text(r);
    }
    r->is_text = major == TEXT;
    r->n_skipped = n;
    if (n == 0) {
        end_item(r);
    }
    return true;
}

static bool take_head(tqci_cbor *r)
{
    const unsigned major = r->head[0] >> 5, shape = r->head[0] & 31;
    uint64_t argument = shape < 24 ? shape : 0;
    for (size_t i = 1; i < r->n_head; i++) {
        argument = argument << 8 | r->head[i];
    }
    r->n_head = 0;
    if (major == OTHER && shape == INDEFINITE) { /* break */
        if (r->depth == 0 || !r->levels[r->depth - 1].indefinite) {
            return false;
        }
        r->depth--;
        r->n_path = r->levels[r->depth].n_path;
        end_item(r);
        return true;
    }
    if (shape > 27 && !(shape == INDEFINITE && (major == ARRAY || major == MAP))) {
        return false;
    }
    if (major == TAG) {
        r->tag = argument;
        return true;
    }
    extend_path(r);
    switch (major) {
    case UNSIGNED:
    case NEGATIVE:
        return take_integer(r, major, argument);
    case BYTES:
    case TEXT:
        return begin_string(r, major, argument);
    case ARRAY:
    case MAP:
        return open_level(r, major, argument, shape == INDEFINITE);
    default:
        return take_other(r, shape, argument);
    }
}

/* bytes of a string: into the path, into a result, or nowhere; returns how many */
static size_t take_string(tqci_cbor *r, const unsigned char *bytes, size_t n)
{
    n = n < r->n_skipped ? n : (size_t)r->n_skipped;
    if (r->is_key) {
        const size_t room = sizeof r->path - 1 - r->n_path;
        memcpy(r->path + r->n_path, bytes, n < room ? n : room);
        r->n_path += n < room ? n : room;
    } else if (r->to != NULL) {
        const size_t taken = n < r->n_room ? n : r->n_room;
        memcpy(r->to, bytes, taken);
        r->to += taken;
        r->n_room -= taken;
        if (r->is_text) {
            *r->to = '\0';
        }
    }
    r->n_skipped -= n;
    if (r->n_skipped == 0) {
        end_item(r);
    }
    return n;
}

bool tqci_cbor_push(tqci_cbor *r, const unsigned char *bytes, size_t n)
{
    static const size_t longer[] = {1, 2, 4, 8};
    for (size_t at = 0; at < n && !r->is_bad;) {
        if (r->n_skipped > 0) {
            at += take_string(r, bytes + at, n - at);
            continue;
        }
        r->is_bad = r->is_done; /* bytes after the end */
        r->head[r->n_head++] = bytes[at++];
        const unsigned shape = r->head[0] & 31;
        const size_t whole = shape >= 24 && shape < 28 ? 1 + longer[shape - 24] : 1;
        if (!r->is_bad && r->n_head == whole) {
            r->is_bad = !take_head(r);
        }
    }
    return !r->is_bad;
}
