/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/header.c - the dictionary in front of an NPY array. */
#include "api/codec/npy/header.h"

#include <assert.h>
#include <string.h>

/* 2^59 bytes: products of two such numbers are checked before they are formed */
static const uint64_t length_max = (uint64_t)1 << 56;

typedef struct cursor {
    const char *s;
    const char *end;
} cursor;

static void skip_spaces(cursor *c)
{
    while (c->s < c->end && (*c->s == ' ' || *c->s == '\n' || *c->s == '\t' || *c->s == '\r')) {
        c->s++;
    }
}

static bool take(cursor *c, char wanted)
{
    skip_spaces(c);
    if (c->s == c->end || *c->s != wanted) {
        return false;
    }
    c->s++;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    const size_t n = strlen(word);
    skip_spaces(c);
    if ((size_t)(c->end - c->s) < n || memcmp(c->s, word, n) != 0) {
        return false;
    }
    c->s += n;
    return true;
}

/* A Python string without escapes; false if there is none here. */
static bool take_string(cursor *c, const char **ret, size_t *ret_n)
{
    skip_spaces(c);
    if (c->s == c->end || (*c->s != '\'' && *c->s != '"')) {
        return false;
    }
    const char *start = c->s + 1;
    const char *close = memchr(start, *c->s, (size_t)(c->end - start));
    if (close == NULL || memchr(start, '\\', (size_t)(close - start)) != NULL) {
        return false;
    }
    *ret = start;
    *ret_n = (size_t)(close - start);
    c->s = close + 1;
    return true;
}

static bool take_length(cursor *c, uint64_t *ret)
{
    skip_spaces(c);
    const char *start = c->s;
    uint64_t value = 0;
    while (c->s < c->end && *c->s >= '0' && *c->s <= '9') {
        if (value > length_max) {
            return false;
        }
        value = value * 10 + (uint64_t)(*c->s++ - '0');
    }
    *ret = value;
    return c->s > start && (*start != '0' || c->s == start + 1);
}

static bool parse_type(const char *text, size_t n, tqa_element *ret)
{
    if (n != 3 || text[2] < '1' || text[2] > '8') {
        return false;
    }
    const unsigned size = (unsigned)(text[2] - '0');
    ret->size = size;
    ret->big_endian = text[0] == '>';
    ret->kind = text[1] == 'f'   ? TQA_ELEMENT_FLOAT
                : text[1] == 'i' ? TQA_ELEMENT_SIGNED
                                 : TQA_ELEMENT_UNSIGNED;
    const bool is_power = (size & (size - 1)) == 0;
    const bool known = text[1] == 'f' ? size >= 2 : text[1] == 'i' || text[1] == 'u';
    const bool ordered = text[0] == '<' || text[0] == '>' || (text[0] == '|' && size == 1);
    return is_power && known && ordered;
}

/* "(3, 4)", "(3,)"; counts every length, keeps the first two. */
static bool parse_shape(cursor *c, size_t *ret_rank, uint64_t lengths[2])
{
    size_t rank = 0;
    bool comma = true; /* a tuple of one needs its comma */
    if (!take(c, '(')) {
        return false;
    }
    while (!take(c, ')')) {
        uint64_t length = 0;
        if (!comma || !take_length(c, &length)) {
            return false;
        }
        comma = take(c, ',');
        if (rank < 2) {
            lengths[rank] = length;
        }
        rank++;
    }
    *ret_rank = rank;
    return rank != 1 || comma;
}

enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

typedef struct header {
    int seen;
    bool known_type;
    bool fortran_order;
    tqa_element element;
    size_t rank;
    uint64_t lengths[2];
} header;

static bool parse_entry(cursor *c, header *h)
{
    const char *key = NULL;
    const char *type = NULL;
    size_t n = 0;
    int now = 0;
    if (!take_string(c, &key, &n) || !take(c, ':')) {
        return false;
    }
    if (n == 5 && memcmp(key, "descr", 5) == 0) {
        now = SEEN_DESCR;
        if (!take_string(c, &type, &n)) {
            return false;
        }
        h->known_type = parse_type(type, n, &h->element);
    } else if (n == 13 && memcmp(key, "fortran_order", 13) == 0) {
        now = SEEN_ORDER;
        h->fortran_order = take_word(c, "True");
        if (!h->fortran_order && !take_word(c, "False")) {
            return false;
        }
    } else if (n == 5 && memcmp(key, "shape", 5) == 0) {
        now = SEEN_SHAPE;
        if (!parse_shape(c, &h->rank, h->lengths)) {
            return false;
        }
    }
    const bool fresh = now != 0 && (h->seen & now) == 0;
    h->seen |= now;
    return fresh;
}

static bool parse_dictionary(cursor *c, header *h)
{
    bool comma = true;
    if (!take(c, '{')) {
        return false;
    }
    while (!take(c, '}')) {
        if (!comma || !parse_entry(c, h)) {
            return false;
        }
        comma = take(c, ',');
    }
    skip_spaces(c);
    return c->s == c->end && h->seen == SEEN_ALL;
}

tqa_decode tqa_npy_header_parse(const char *text, size_t n, tqa_npy_shape *ret,
                                const char **ret_detail)
{
    cursor c = {text, text + n};
    header h = {.seen = 0};
    if (!parse_dictionary(&c, &h)) {
        *ret_detail = "the NPY header is not a dictionary of descr, fortran_order and shape";
        return TQA_DECODE_MALFORMED;
    }
    if (!h.known_type) {
        *ret_detail = "the NPY element type is not one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8";
        return TQA_DECODE_LIMIT;
    }
    if (h.rank != 1 && h.rank != 2) {
        *ret_detail = "the NPY array has neither one nor two dimensions";
        return TQA_DECODE_LIMIT;
    }
    *ret = (tqa_npy_shape){
        .rank = h.rank,
        .n_row = h.lengths[0],
        .n_column = h.rank == 2 ? h.lengths[1] : 1,
        .fortran_order = h.fortran_order,
        .element = h.element,
    };
    return TQA_DECODE_OK;
}

static char *append(char *out, const char *text)
{
    const size_t n = strlen(text);
    memcpy(out, text, n);
    return out + n;
}

static char *append_length(char *out, uint64_t value)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (n > 0) {
        *out++ = digits[--n];
    }
    return out;
}

size_t tqa_npy_header_print(const tqa_array *array, char *out)
{
    char *s = out + 10;
    s = append(s, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (size_t i = 0; i < array->rank; i++) {
        s = append_length(s, array->shape[i]);
        s = append(s, i + 1 < array->rank ? ", " : array->rank == 1 ? ",), }" : "), }");
    }
    while ((s + 1 - out) % 64 != 0) {
        *s++ = ' ';
    }
    *s++ = '\n';
    const size_t size = (size_t)(s - out);
    assert(size <= TQA_NPY_HEADER_SIZE);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(size - 10);
    out[9] = 0;
    return size;
}
