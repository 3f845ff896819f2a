/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/records.c - NPY files of records: the list of fields, then one row a record. */
#include "api/codec/npy/records.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 12 };

typedef struct column {
    char name[TQA_RECORDS_NAME];
    tqa_element element;
    size_t at;   /* bytes from the record's beginning */
    double tick; /* s, of a time; 0: a number */
} column;

struct tqa_records_decoder {
    const tqa_records_sink *sink;
    void *ctx;
    tqa_decode status;
    const char *detail;
    size_t n_header; /* bytes; 0 while unknown */
    bool has_shape;
    uint64_t n_row, at_row;
    size_t n_record; /* bytes */
    size_t n_column, n_room;
    column *columns;
    double *values; /* (n_column) */
    double midnight;
    bool has_midnight;
    size_t n_held;
    char held[TQA_RECORDS_HEADER_MAX + PREFIX];
};

static_assert((int)TQA_RECORDS_SIZE_MAX <= (int)TQA_RECORDS_HEADER_MAX, "held has either");

bool tqa_records_found(const char *bytes, size_t n)
{
    static const char begin[] = "{'descr': [";
    const size_t prefix = n > 6 && bytes[6] > 1 ? 12 : 10;
    return n >= prefix + sizeof begin - 1 && memcmp(bytes, "\x93NUMPY", 6) == 0 &&
           memcmp(bytes + prefix, begin, sizeof begin - 1) == 0;
}

tqa_records_decoder *tqa_records_decoder_new(const tqa_records_sink *sink, void *ctx)
{
    tqa_records_decoder *d = calloc(1, sizeof *d);
    if (d != NULL) {
        d->sink = sink;
        d->ctx = ctx;
    }
    return d;
}

void tqa_records_decoder_free(tqa_records_decoder *decoder)
{
    if (decoder != NULL) {
        free(decoder->columns);
        free(decoder->values);
        free(decoder);
    }
}

const char *tqa_records_decoder_detail(const tqa_records_decoder *decoder)
{
    return decoder->detail;
}

static bool stop(tqa_records_decoder *d, tqa_decode status, const char *detail)
{
    d->status = status;
    d->detail = detail;
    return false;
}

static bool malformed(tqa_records_decoder *d)
{
    return stop(d, TQA_DECODE_MALFORMED, "the NPY header is no list of fields");
}

/* -------------------------------------------------------------------------------------- header */

/* past spaces and the text `wanted`; false: it is not there */
static bool take(const char **p, const char *wanted)
{
    while (**p == ' ' || **p == '\n') {
        (*p)++;
    }
    const size_t n = strlen(wanted);
    if (strncmp(*p, wanted, n) != 0) {
        return false;
    }
    *p += n;
    return true;
}

static bool take_string(const char **p, const char **ret, size_t *ret_n)
{
    if (!take(p, "'")) {
        return false;
    }
    *ret = *p;
    *ret_n = strcspn(*p, "'\\");
    *p += *ret_n;
    return take(p, "'");
}

static bool take_count(const char **p, uint64_t *ret)
{
    while (**p == ' ') {
        (*p)++;
    }
    const size_t n = strspn(*p, "0123456789");
    *ret = n > 0 && n < 16 ? strtoull(*p, NULL, 10) : 0;
    *p += n;
    return n > 0 && n < 16;
}

typedef struct field {
    const char *name, *type;
    size_t n_name, n_type;
    uint64_t n; /* numbers in it */
    bool is_array;
} field;

/* ('name', '<f8') or ('name', '<f8', (7,)) */
static bool take_field(const char **p, field *ret)
{
    *ret = (field){.n = 1};
    if (!take(p, "(") || !take_string(p, &ret->name, &ret->n_name) || !take(p, ",") ||
        !take_string(p, &ret->type, &ret->n_type)) {
        return false;
    }
    if (take(p, ",")) {
        ret->is_array = take(p, "(") && take_count(p, &ret->n) && take(p, ",") && take(p, ")");
        return ret->is_array && take(p, ")");
    }
    return take(p, ")");
}

/* seconds of one unit of '<M8[ns]' */
static double tick_of(const char *type, size_t n)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"[ns]", 1e-9}, {"[us]", 1e-6}, {"[ms]", 1e-3}, {"[s]", 1.0}};
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (n == 3 + strlen(units[u].unit) && memcmp(type + 3, units[u].unit, n - 3) == 0) {
            return units[u].seconds;
        }
    }
    return 0.0;
}

/* The element of a field and its bytes; *ret_kept is false for what has no number. */
static bool read_type(const field *f, tqa_element *ret, double *ret_tick, size_t *ret_size,
                      bool *ret_kept)
{
    const char *type = f->type;
    const char *digits = type + 2;
    uint64_t size = 0;
    if (f->n_type < 3 || strchr("<>|=", type[0]) == NULL || !take_count(&digits, &size) ||
        size > TQA_RECORDS_SIZE_MAX) {
        return false;
    }
    const bool is_power = size > 0 && size <= 8 && (size & (size - 1)) == 0;
    const bool is_end = digits == type + f->n_type;
    *ret_tick = 0.0;
    *ret_size = (size_t)size;
    *ret_kept = true;
    *ret = (tqa_element){.size = (unsigned)size, .big_endian = type[0] == '>'};
    switch (type[1]) {
    case 'f':
        ret->kind = TQA_ELEMENT_FLOAT;
        return is_power && is_end && size > 1;
    case 'i':
        ret->kind = TQA_ELEMENT_SIGNED;
        return is_power && is_end;
    case 'u':
    case 'b':
        ret->kind = TQA_ELEMENT_UNSIGNED;
        return is_power && is_end;
    case 'M':
        ret->kind = TQA_ELEMENT_SIGNED;
        *ret_tick = tick_of(type, f->n_type);
        return size == 8 && *ret_tick > 0.0;
    case 'U':
        *ret_size = 4 * (size_t)size;
        *ret_kept = false;
        return is_end;
    case 'S':
    case 'V':
        *ret_kept = false;
        return is_end;
    default:
        return false;
    }
}

static bool add_column(tqa_records_decoder *d, const field *f, uint64_t k, const column *like)
{
    if (d->n_column == d->n_room) {
        const size_t room = d->n_room > 0 ? 2 * d->n_room : 64;
        column *grown = realloc(d->columns, room * sizeof *grown);
        if (grown == NULL) {
            return stop(d, TQA_DECODE_REFUSED, "memory is short");
        }
        d->columns = grown;
        d->n_room = room;
    }
    column *c = &d->columns[d->n_column++];
    *c = *like;
    c->at = d->n_record + (size_t)k * like->element.size;
    const int n = (int)(f->n_name < 100 ? f->n_name : 100);
    if (f->is_array) {
        (void)snprintf(c->name, sizeof c->name, "%.*s[%u]", n, f->name, (unsigned)k);
    } else {
        (void)snprintf(c->name, sizeof c->name, "%.*s", n, f->name);
    }
    return true;
}

static bool add_field(tqa_records_decoder *d, const field *f)
{
    column like = {.at = 0};
    size_t size = 0;
    bool kept = false;
    if (!read_type(f, &like.element, &like.tick, &size, &kept)) {
        return stop(d, TQA_DECODE_LIMIT, "a field of the records is no number, time or text");
    }
    if (f->n > TQA_RECORDS_SIZE_MAX || f->n * size > TQA_RECORDS_SIZE_MAX - d->n_record) {
        return stop(d, TQA_DECODE_LIMIT, "a record may have 64 KiB at most");
    }
    if (kept && d->n_column + f->n > TQA_RECORDS_COLUMNS_MAX) {
        return stop(d, TQA_DECODE_LIMIT, "a table may have 1 to 4096 columns");
    }
    for (uint64_t k = 0; kept && k < f->n; k++) {
        if (!add_column(d, f, k, &like)) {
            return false;
        }
    }
    d->n_record += (size_t)f->n * size;
    return true;
}

/* {'descr': [fields], 'fortran_order': False, 'shape': (n,), } */
static bool read_header(tqa_records_decoder *d, const char *p)
{
    if (!take(&p, "{") || !take(&p, "'descr'") || !take(&p, ":") || !take(&p, "[")) {
        return malformed(d);
    }
    field f;
    while (!take(&p, "]")) {
        if (!take_field(&p, &f)) {
            return malformed(d);
        }
        if (!add_field(d, &f)) {
            return false;
        }
        (void)take(&p, ",");
    }
    if (!take(&p, ",") || !take(&p, "'fortran_order'") || !take(&p, ":") ||
        !(take(&p, "False") || take(&p, "True")) || !take(&p, ",") || !take(&p, "'shape'") ||
        !take(&p, ":") || !take(&p, "(") || !take_count(&p, &d->n_row) || !take(&p, ",") ||
        !take(&p, ")")) {
        return malformed(d);
    }
    if (d->n_column == 0 || d->n_record == 0) {
        return stop(d, TQA_DECODE_LIMIT, "the records have no numbers");
    }
    return true;
}

static bool report(tqa_records_decoder *d)
{
    const char **names = calloc(d->n_column, sizeof *names);
    d->values = calloc(d->n_column, sizeof *d->values);
    if (names == NULL || d->values == NULL) {
        free(names);
        return stop(d, TQA_DECODE_REFUSED, "memory is short");
    }
    for (size_t c = 0; c < d->n_column; c++) {
        names[c] = d->columns[c].name;
    }
    d->has_shape = true;
    d->n_held = 0;
    const bool good = d->sink->columns(d->ctx, d->n_column, names, d->n_row);
    free(names);
    return good || stop(d, TQA_DECODE_REFUSED, NULL);
}

static bool read_prefix(tqa_records_decoder *d)
{
    const unsigned char *b = (const unsigned char *)d->held;
    if (memcmp(b, "\x93NUMPY", 6) != 0 || b[6] < 1 || b[6] > 3) {
        return stop(d, TQA_DECODE_MALFORMED, "the file does not start as an NPY file");
    }
    size_t size = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) {
        size |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    size += b[6] == 1 ? 10 : 12;
    if (size < PREFIX || size > TQA_RECORDS_HEADER_MAX) {
        return stop(d, TQA_DECODE_LIMIT, "the NPY header is too long");
    }
    d->n_header = size;
    return true;
}

/* ---------------------------------------------------------------------------------------- rows */

static bool emit(tqa_records_decoder *d, const char *record)
{
    for (size_t c = 0; c < d->n_column; c++) {
        const column *from = &d->columns[c];
        double *to = &d->values[c];
        tqa_element_decode(from->element, (const unsigned char *)record + from->at, 1, to);
        if (from->tick > 0.0) {
            /* 2^63 counts: not a time */
            const double s = *to > -9.2e18 ? *to * from->tick : (double)NAN;
            if (!d->has_midnight && isfinite(s)) {
                d->midnight = 86400.0 * floor(s / 86400.0);
                d->has_midnight = true;
            }
            *to = (*to - d->midnight / from->tick) * from->tick;
            *to = isfinite(s) ? *to : (double)NAN;
        }
    }
    d->at_row++;
    return d->sink->row(d->ctx, d->values, d->n_column) || stop(d, TQA_DECODE_REFUSED, NULL);
}

/* collects up to `wanted` bytes; true when they are there */
static bool collect(tqa_records_decoder *d, const char **bytes, size_t *n, size_t wanted)
{
    const size_t left = wanted - d->n_held;
    const size_t used = *n < left ? *n : left;
    memcpy(d->held + d->n_held, *bytes, used);
    d->n_held += used;
    *bytes += used;
    *n -= used;
    return d->n_held == wanted;
}

static void feed_header(tqa_records_decoder *d, const char **bytes, size_t *n)
{
    if (d->n_header == 0) {
        if (collect(d, bytes, n, PREFIX)) {
            (void)read_prefix(d);
        }
    } else if (collect(d, bytes, n, d->n_header)) {
        d->held[d->n_header] = '\0';
        (void)(read_header(d, d->held + (d->held[6] == 1 ? 10 : 12)) && report(d));
    }
}

tqa_decode tqa_records_decoder_feed(tqa_records_decoder *decoder, const char *bytes, size_t n)
{
    tqa_records_decoder *d = decoder;
    while (d->status == TQA_DECODE_OK && !d->has_shape && n > 0) {
        feed_header(d, &bytes, &n);
    }
    while (d->status == TQA_DECODE_OK && n > 0) {
        if (d->at_row == d->n_row) {
            (void)stop(d, TQA_DECODE_MALFORMED, "there are bytes after the NPY array");
        } else if (d->n_held == 0 && n >= d->n_record) {
            (void)emit(d, bytes);
            bytes += d->n_record;
            n -= d->n_record;
        } else if (collect(d, &bytes, &n, d->n_record)) {
            d->n_held = 0;
            (void)emit(d, d->held);
        }
    }
    return d->status;
}

tqa_decode tqa_records_decoder_finish(tqa_records_decoder *decoder)
{
    if (decoder->status == TQA_DECODE_OK &&
        (!decoder->has_shape || decoder->at_row < decoder->n_row)) {
        (void)stop(decoder, TQA_DECODE_MALFORMED, "the NPY file is cut short");
    }
    return decoder->status;
}
