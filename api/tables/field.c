/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/field.c - follows the keys of a path through a document's events. */
#include "api/tables/field.h"

#include <stdlib.h>
#include <string.h>

#include "api/codec/json/scan.h"
#include "api/codec/npy/npy.h"
#include "api/codec/number/number.h"
#include "api/tables/records.h"

enum { PATH_MAX_KEYS = 4, NAME_MAX_BYTES = 160, RANK_MAX = TQA_ARRAY_RANK_MAX, NUMBER_ROOM = 32 };

struct tqa_field {
    tqa_field_format format;
    char name[NAME_MAX_BYTES];
    const char *keys[PATH_MAX_KEYS];
    size_t n_key;
    /* where the scanner is */
    size_t level; /* maps and arrays open, the target's own not counted */
    size_t on_path;
    bool pending; /* the value to come is the next of the path */
    size_t depth; /* arrays open inside the target, itself counted; 0: not in it */
    /* the target */
    bool writing; /* second pass */
    bool found;
    const char *fault;
    size_t rank;                  /* 0: not known yet */
    uint64_t shape[RANK_MAX + 1]; /* of level 1 .. rank; UINT64_MAX: not known yet */
    uint64_t count[RANK_MAX + 1]; /* entries of the open array of each level so far */
    /* output */
    bool short_of_memory;
    char *out;
    size_t n_out, out_size;
    tqa_json_scan scan;
    tqa_records *records; /* of a list of objects, in CSV */
};

/* events inside the objects of such a list belong to them */
static bool is_inside(const tqa_field *f)
{
    return f->records != NULL && tqa_records_is_open(f->records);
}

static bool refuse(tqa_field *f, const char *why)
{
    f->fault = why;
    return false;
}

/* ------------------------------------------------------------------------------------- output */

static char *room(tqa_field *f, size_t n)
{
    if (f->n_out + n > f->out_size) {
        const size_t size = 2 * f->out_size + n;
        char *larger = realloc(f->out, size);
        if (larger == NULL) {
            f->short_of_memory = true;
            return NULL;
        }
        f->out = larger;
        f->out_size = size;
    }
    return f->out + f->n_out;
}

static bool put(tqa_field *f, const char *text, size_t n)
{
    char *at = room(f, n);
    if (at != NULL) {
        memcpy(at, text, n);
        f->n_out += n;
    }
    return at != NULL;
}

static uint64_t columns(const tqa_field *f)
{
    uint64_t n = 1;
    for (size_t i = 2; i <= f->rank; i++) {
        n *= f->shape[i];
    }
    return n;
}

/* True when the number to come is the first of its line. */
static bool begins_line(const tqa_field *f)
{
    for (size_t i = 2; i <= f->rank; i++) {
        /* an array that is open counts in the one around it */
        if (f->count[i] > (i < f->rank ? 1 : 0)) {
            return false;
        }
    }
    return true;
}

static bool put_numbers(tqa_field *f, const double *values, size_t n)
{
    if (f->format == TQA_FIELD_NPY) {
        /* as they lie in memory: little-endian */
        return put(f, (const char *)values, n * sizeof *values);
    }
    for (size_t i = 0; i < n; i++) {
        char *at = room(f, NUMBER_ROOM);
        if (at == NULL) {
            return false;
        }
        char *p = at;
        if (f->rank == 1 || begins_line(f)) {
            *p++ = '\n';
        } else {
            *p++ = ',';
        }
        p = tqa_number_print(values[i], p);
        f->n_out += (size_t)(p - at);
        f->count[f->rank]++;
    }
    return true;
}

/* ------------------------------------------------------------------------------------- events */

static bool of_records(tqa_field *f, bool good)
{
    f->fault = good ? f->fault : tqa_records_fault(f->records);
    f->short_of_memory = f->short_of_memory || (!good && f->fault == NULL);
    return good;
}

static bool on_begin_record(tqa_field *f)
{
    if (f->format != TQA_FIELD_CSV || f->depth > 1 || (f->rank > 0 && f->records == NULL)) {
        return refuse(f, "holds objects");
    }
    if (f->records == NULL) {
        f->records = tqa_records_new();
        f->short_of_memory = f->records == NULL;
    }
    return f->records != NULL && of_records(f, tqa_records_begin_map(f->records));
}

static bool on_end_record(tqa_field *f)
{
    size_t n = 0;
    if (!of_records(f, tqa_records_end_map(f->records)) || is_inside(f) || !f->writing) {
        return f->fault == NULL;
    }
    const char *line = tqa_records_line(f->records, &n);
    f->short_of_memory = f->short_of_memory || (line == NULL && n > 0);
    return !f->short_of_memory && put(f, "\n", 1) && (n == 0 || put(f, line, n));
}

static bool on_begin_map(void *ctx, uint64_t at)
{
    (void)at;
    tqa_field *f = ctx;
    if (f->depth > 0) {
        return on_begin_record(f);
    }
    if (f->pending && f->on_path + 1 < f->n_key) {
        f->on_path++;
    } else if (f->pending) {
        return refuse(f, "is an object: name one of its arrays, with a dot between");
    }
    f->pending = false;
    f->level++;
    return true;
}

static bool on_end_map(void *ctx, uint64_t at)
{
    (void)at;
    tqa_field *f = ctx;
    if (f->depth > 0) {
        return on_end_record(f);
    }
    f->level--;
    if (f->on_path > 0 && f->on_path >= f->level) {
        f->on_path = f->level > 0 ? f->level - 1 : 0;
    }
    return true;
}

static bool on_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    tqa_field *f = ctx;
    if (is_inside(f)) {
        return of_records(f, tqa_records_key(f->records, text, n));
    }
    const char *wanted = f->keys[f->on_path];
    f->pending = f->level == f->on_path + 1 && strlen(wanted) == n && memcmp(wanted, text, n) == 0;
    return true;
}

static bool on_begin_array(void *ctx, uint64_t at)
{
    (void)at;
    tqa_field *f = ctx;
    if (is_inside(f)) {
        return of_records(f, tqa_records_begin_array(f->records));
    }
    if (f->records != NULL && f->depth > 0) {
        return refuse(f, "has arrays beside objects");
    }
    if (f->depth == 0 && !(f->pending && f->on_path + 1 == f->n_key)) {
        f->pending = false;
        f->level++;
        return true;
    }
    f->pending = false;
    if (f->depth > 0) {
        if (f->depth == f->rank) {
            return refuse(f, "has rows of unlike depth");
        }
        f->count[f->depth]++;
    }
    if (f->depth == RANK_MAX) {
        return refuse(f, "has too many dimensions");
    }
    f->count[++f->depth] = 0;
    f->found = true;
    return true;
}

static bool on_end_array(void *ctx, uint64_t at)
{
    (void)at;
    tqa_field *f = ctx;
    if (is_inside(f)) {
        return of_records(f, tqa_records_end_array(f->records));
    }
    if (f->depth == 0) {
        f->level--;
        return true;
    }
    if (f->shape[f->depth] == UINT64_MAX) {
        f->shape[f->depth] = f->count[f->depth];
    } else if (f->shape[f->depth] != f->count[f->depth]) {
        return refuse(f, "has rows of unlike length");
    }
    f->depth--;
    return f->depth > 0 || !f->writing || f->format != TQA_FIELD_CSV || put(f, "\n", 1);
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    tqa_field *f = ctx;
    for (size_t i = 0; is_inside(f) && i < n; i++) {
        if (!of_records(f, tqa_records_number(f->records, values[i]))) {
            return false;
        }
    }
    if (is_inside(f)) {
        return true;
    }
    if (f->records != NULL && f->depth > 0) {
        return refuse(f, "has numbers beside objects");
    }
    if (f->depth == 0) {
        if (f->pending && f->on_path + 1 == f->n_key) {
            return refuse(f, "is one number, not an array");
        }
        f->pending = false;
        return true;
    }
    if (f->rank == 0) {
        f->rank = f->depth;
    }
    if (f->depth != f->rank) {
        return refuse(f, "has rows of unlike depth");
    }
    if (!f->writing) {
        f->count[f->depth] += n;
        return true;
    }
    if (f->format == TQA_FIELD_NPY) {
        f->count[f->depth] += n;
    }
    return put_numbers(f, values, n);
}

static bool on_number(void *ctx, uint64_t at, double value)
{
    return on_numbers(ctx, at, &value, 1);
}

static bool on_other(tqa_field *f)
{
    if (f->depth > 0 || (f->pending && f->on_path + 1 == f->n_key)) {
        return refuse(f, "is not of numbers alone");
    }
    f->pending = false;
    return true;
}

static bool on_string(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    tqa_field *f = ctx;
    return is_inside(f) ? of_records(f, tqa_records_text(f->records, text, n)) : on_other(f);
}

static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    (void)at;
    tqa_field *f = ctx;
    return is_inside(f) ? of_records(f, tqa_records_text(f->records, value ? "true" : "false",
                                                         value ? 4 : 5))
                        : on_other(f);
}

static bool on_null(void *ctx, uint64_t at)
{
    (void)at;
    tqa_field *f = ctx;
    return is_inside(f) ? of_records(f, tqa_records_none(f->records)) : on_other(f);
}

static const tqa_events events = {
    .begin_map = on_begin_map,
    .end_map = on_end_map,
    .key = on_key,
    .begin_array = on_begin_array,
    .end_array = on_end_array,
    .number = on_number,
    .numbers = on_numbers,
    .string = on_string,
    .boolean = on_boolean,
    .null = on_null,
};

/* -------------------------------------------------------------------------------------- passes */

static void rewind_document(tqa_field *f)
{
    f->level = f->on_path = f->depth = 0;
    f->pending = false;
    tqa_json_scan_init(&f->scan, &events, f);
}

tqa_field *tqa_field_new(const char *name, tqa_field_format format)
{
    tqa_field *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    f->format = format;
    const size_t n = strlen(name) < sizeof f->name - 1 ? strlen(name) : sizeof f->name - 1;
    memcpy(f->name, name, n);
    for (char *key = f->name; f->n_key < PATH_MAX_KEYS;) {
        f->keys[f->n_key++] = key;
        char *dot = f->n_key < PATH_MAX_KEYS ? strchr(key, '.') : NULL;
        if (dot == NULL) {
            break;
        }
        *dot = '\0';
        key = dot + 1;
    }
    for (size_t i = 0; i <= RANK_MAX; i++) {
        f->shape[i] = UINT64_MAX;
    }
    rewind_document(f);
    return f;
}

void tqa_field_free(tqa_field *field)
{
    if (field != NULL) {
        tqa_records_free(field->records);
        free(field->out);
        free(field);
    }
}

static bool explain(const tqa_field *f, tqa_problem *reterr)
{
    if (f->fault != NULL) {
        tqa_problem_set(reterr, "not-acceptable", "the result's \"%.64s\" %s",
                        f->keys[f->n_key - 1], f->fault);
    } else {
        tqa_problem_set(reterr, "not-acceptable", "the result is no JSON document");
    }
    return false;
}

bool tqa_field_measure(tqa_field *field, const char *bytes, size_t n, tqa_problem *reterr)
{
    return tqa_json_scan_feed(&field->scan, bytes, n) == TQA_DECODE_OK || explain(field, reterr);
}

static bool put_csv_header(tqa_field *f)
{
    const char *name = f->keys[f->n_key - 1];
    const uint64_t n = columns(f);
    for (uint64_t i = 0; i < n; i++) {
        char digits[NUMBER_ROOM];
        size_t k = sizeof digits;
        uint64_t left = i;
        do {
            digits[--k] = (char)('0' + left % 10);
            left /= 10;
        } while (left > 0);
        if ((i > 0 && !put(f, ",", 1)) || !put(f, name, strlen(name)) || !put(f, "_", 1) ||
            !put(f, digits + k, sizeof digits - k)) {
            return false;
        }
    }
    return true;
}

static bool put_header(tqa_field *f)
{
    if (f->records != NULL) {
        size_t n = 0;
        tqa_records_turn(f->records);
        const char *names = tqa_records_names(f->records, &n);
        if (names != NULL && n == 0) {
            return refuse(f, "holds objects without a number, a word or a flag");
        }
        return names != NULL && put(f, names, n);
    }
    if (f->format == TQA_FIELD_CSV) {
        return put_csv_header(f);
    }
    tqa_npy_encoder encoder;
    tqa_array array = {.rank = f->rank};
    for (size_t i = 0; i < f->rank; i++) {
        array.shape[i] = f->shape[i + 1];
    }
    tqa_npy_encoder_init(&encoder, &array);
    return put(f, encoder.header, encoder.header_size);
}

bool tqa_field_measured(tqa_field *field, tqa_problem *reterr)
{
    if (tqa_json_scan_finish(&field->scan) != TQA_DECODE_OK) {
        return explain(field, reterr);
    }
    if (!field->found) {
        tqa_problem_set(reterr, "not-found", "the result has no \"%.64s\"",
                        field->keys[field->n_key - 1]);
        return false;
    }
    if (field->rank == 0) {
        field->rank = 1; /* empty */
    }
    rewind_document(field);
    field->writing = true;
    if (!put_header(field)) {
        if (field->fault != NULL) {
            return explain(field, reterr);
        }
        tqa_problem_set(reterr, "busy", "memory is short");
        return false;
    }
    return true;
}

uint64_t tqa_field_size(const tqa_field *field)
{
    if (field->format == TQA_FIELD_CSV) {
        return 0;
    }
    uint64_t n = sizeof(double);
    for (size_t i = 1; i <= field->rank; i++) {
        n *= field->shape[i];
    }
    tqa_npy_encoder encoder;
    tqa_array array = {.rank = field->rank};
    for (size_t i = 0; i < field->rank; i++) {
        array.shape[i] = field->shape[i + 1];
    }
    tqa_npy_encoder_init(&encoder, &array);
    return encoder.header_size + n;
}

const char *tqa_field_feed(tqa_field *field, const char *bytes, size_t n, size_t *ret_n)
{
    /* the header has been put by `measured`, before the first call */
    const bool first = field->scan.fed == 0;
    if (!first) {
        field->n_out = 0;
    }
    if (tqa_json_scan_feed(&field->scan, bytes, n) != TQA_DECODE_OK || field->short_of_memory) {
        return NULL;
    }
    *ret_n = field->n_out;
    return field->out; /* the header was put there: never NULL */
}
