/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/values.c - values of fields out of words and files: JSON, CSV, NPY. */
#include "clients/torquectl/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clients/torquectl/fields.h"

enum { FILE_MOST = 1 << 30, COLUMNS_MOST = 4096 };

const ctl_field *ctl_fields(size_t *ret_n)
{
    *ret_n = sizeof ctl_field_table / sizeof ctl_field_table[0];
    return ctl_field_table;
}

const ctl_field *ctl_field_of(const char *operation, const char *path)
{
    for (size_t i = 0; i < sizeof ctl_field_table / sizeof ctl_field_table[0]; i++) {
        if (strcmp(ctl_field_table[i].operation, operation) == 0 &&
            strcmp(ctl_field_table[i].path, path) == 0) {
            return &ctl_field_table[i];
        }
    }
    return NULL;
}

char *ctl_read_file(const char *name, size_t *ret_n)
{
    FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "rbe");
    size_t room = 1 << 16, n = 0, got = 0;
    char *bytes = in != NULL ? malloc(room) : NULL;
    while (bytes != NULL && (got = fread(bytes + n, 1, room - n - 1, in)) > 0) {
        n += got;
        if (n + 1 == room) {
            char *grown = room < FILE_MOST ? realloc(bytes, room *= 2) : NULL;
            if (grown == NULL) {
                free(bytes);
                errno = EFBIG;
            }
            bytes = grown;
        }
    }
    if (bytes == NULL || ferror(in) != 0) {
        ctl_fault("%s: %s", name, strerror(errno));
        free(bytes);
        bytes = NULL;
    } else {
        bytes[n] = '\0';
        *ret_n = n;
    }
    if (in != NULL && in != stdin) {
        (void)fclose(in);
    }
    return bytes;
}

/* -------------------------------------------------- NPY */

static json_t *row_of(const double *values, size_t n)
{
    json_t *row = json_array();
    for (size_t i = 0; i < n; i++) {
        double value;
        memcpy(&value, values + i, sizeof value); /* a head may have any length */
        json_array_append_new(row, json_real(value));
    }
    return row;
}

static json_t *decode_npy(const char *name, const char *bytes, size_t n)
{
    const unsigned char *h = (const unsigned char *)bytes;
    const size_t head =
        n >= 12 ? (h[6] == 1 ? 10u + h[8] + 256u * h[9] : 12u + h[8] + 256u * h[9] + 65536u * h[10])
                : SIZE_MAX;
    const char *shape = n >= 12 && head <= n ? memmem(bytes, head, "'shape': (", 10) : NULL;
    if (shape == NULL || memmem(bytes, head, "'<f8'", 5) == NULL ||
        memmem(bytes, head, "'fortran_order': False", 22) == NULL) {
        ctl_fault("%s: only arrays of float64 in C order: a.astype('<f8')", name);
        return NULL;
    }
    char *end = NULL;
    const size_t rows = strtoull(shape + 10, &end, 10);
    const bool is_rank_two = *end == ',' && end[1] == ' ';
    const size_t columns = is_rank_two ? strtoull(end + 2, &end, 10) : 1;
    if ((is_rank_two ? *end != ')' : *end != ',') || rows == 0 || columns == 0 ||
        rows > n / columns || rows * columns * sizeof(double) != n - head) {
        ctl_fault("%s: an array of rank one or two is expected", name);
        return NULL;
    }
    const double *values = (const double *)(const void *)(bytes + head);
    if (!is_rank_two) {
        return row_of(values, rows);
    }
    json_t *all = json_array();
    for (size_t r = 0; r < rows; r++) {
        json_array_append_new(
            all, row_of((const double *)(const void *)(bytes + head + r * columns * sizeof(double)),
                        columns));
    }
    return all;
}

/* -------------------------------------------------- CSV */

static char delimiter_of(const char *line, size_t n)
{
    static const char all[] = ",;\t ";
    for (const char *d = all; *d != '\0'; d++) {
        if (memchr(line, *d, n) != NULL) {
            return *d;
        }
    }
    return ',';
}

/* the cells of a line; false: a cell is no number (*ret_cell, from 1), or there is none */
static json_t *decode_line(const char *line, const char *end, char delimiter, bool is_text,
                           size_t *ret_cell)
{
    json_t *row = json_array();
    size_t cell = 0;
    while (line <= end) {
        const char *next = memchr(line, delimiter, (size_t)(end - line));
        const char *from = line, *to = next != NULL ? next : end;
        while (from < to && strchr(" \t\"'", *from) != NULL) {
            from++;
        }
        while (to > from && strchr(" \t\r\"'", to[-1]) != NULL) {
            to--;
        }
        cell++;
        char text[128];
        (void)snprintf(text, sizeof text, "%.*s", (int)(to - from), from);
        char *stop = NULL;
        const double value = strtod(text, &stop);
        const bool is_number = text[0] != '\0' && *stop == '\0';
        if ((!is_text && !is_number) || cell > COLUMNS_MOST) {
            *ret_cell = cell;
            json_decref(row);
            return NULL;
        }
        json_array_append_new(row,
                              is_text ? json_stringn(from, (size_t)(to - from)) : json_real(value));
        if (next == NULL) {
            break;
        }
        line = next + 1;
    }
    return row;
}

static json_t *decode_csv(const char *name, const char *bytes, size_t n, json_t **ret_names)
{
    const char *at = bytes, *all_end = bytes + n;
    json_t *rows = json_array();
    size_t number = 0, cell = 0;
    char delimiter = 0;
    while (at < all_end) {
        const char *end = memchr(at, '\n', (size_t)(all_end - at));
        end = end != NULL ? end : all_end;
        number++;
        const size_t blank = strspn(at, " \t\r");
        if (at + blank >= end || at[blank] == '#') {
            at = end + 1;
            continue;
        }
        delimiter = delimiter != 0 ? delimiter : delimiter_of(at, (size_t)(end - at));
        json_t *row = decode_line(at, end, delimiter, false, &cell);
        if (row == NULL && json_array_size(rows) == 0 && *ret_names == NULL) {
            *ret_names = decode_line(at, end, delimiter, true, &cell);
            row = *ret_names;
        } else if (row != NULL) {
            json_array_append_new(rows, row);
        }
        if (row == NULL) {
            ctl_fault("%s:%zu: cell %zu is no number", name, number, cell);
            json_decref(rows);
            return NULL;
        }
        at = end + 1;
    }
    return rows;
}

json_t *ctl_decode(const char *name, const char *bytes, size_t n, json_t **ret_names)
{
    json_error_t fault;
    *ret_names = NULL;
    if (n >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0) {
        return decode_npy(name, bytes, n);
    }
    const size_t blank = strspn(bytes, " \t\r\n");
    if (bytes[blank] == '{' || bytes[blank] == '[') {
        json_t *value = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &fault);
        if (value == NULL) {
            ctl_fault("%s:%d:%d: %s", name, fault.line, fault.column, fault.text);
        }
        return value;
    }
    return decode_csv(name, bytes, n, ret_names);
}

/* -------------------------------------------------- words */

static json_t *scalar(const char *text, size_t n)
{
    json_t *value = json_loadb(text, n, JSON_DECODE_ANY, NULL);
    return value != NULL ? value : json_stringn(text, n);
}

/* "1,2;3,4": rows by semicolons, numbers or words by commas */
static json_t *split(const char *text, char delimiter)
{
    json_t *list = json_array();
    for (;;) {
        const char *next = strchr(text, delimiter);
        const size_t n = next != NULL ? (size_t)(next - text) : strlen(text);
        if (delimiter == ';') {
            char *row = strndup(text, n);
            json_array_append_new(list, split(row != NULL ? row : "", ','));
            free(row);
        } else if (n > 0) {
            json_array_append_new(list, scalar(text, n));
        }
        if (next == NULL) {
            return list;
        }
        text = next + 1;
    }
}

json_t *ctl_value(const char *text, ctl_kind kind)
{
    if (text[0] == '@') {
        size_t n = 0;
        json_t *names = NULL, *value = NULL;
        char *bytes = ctl_read_file(text + 1, &n);
        if (bytes != NULL) {
            value = ctl_decode(text + 1, bytes, n, &names);
        }
        json_decref(names);
        free(bytes);
        return value;
    }
    if (kind == CTL_STRING) {
        return json_string(text);
    }
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    if (value != NULL && (kind != CTL_ARRAY || json_is_array(value) || json_is_object(value))) {
        return value;
    }
    json_decref(value);
    if (kind == CTL_ARRAY || strpbrk(text, ",;") != NULL) {
        return split(text, strchr(text, ';') != NULL ? ';' : ',');
    }
    return json_string(text);
}

/* the member or element of a container; `make` adds what is missing: an object */
static json_t *step(json_t *at, const char *name)
{
    char *end = NULL;
    if (json_is_array(at)) {
        const size_t i = strtoull(name, &end, 10);
        if (*end != '\0' || i > json_array_size(at)) {
            return NULL;
        }
        if (i == json_array_size(at)) {
            json_array_append_new(at, json_object());
        }
        return json_array_get(at, i);
    }
    json_t *next = json_object_get(at, name);
    if (next == NULL && json_is_object(at)) {
        next = json_object();
        json_object_set_new(at, name, next);
    }
    return next;
}

bool ctl_assign(json_t *body, const char *path, json_t *value)
{
    char name[256];
    const char *at = path;
    json_t *here = body;
    for (const char *dot; here != NULL && (dot = strchr(at, '.')) != NULL; at = dot + 1) {
        (void)snprintf(name, sizeof name, "%.*s", (int)(dot - at), at);
        json_t *next = step(here, name);
        /* a number after it makes a list of what is still empty */
        if (next != NULL && isdigit((unsigned char)dot[1]) && json_is_object(next) &&
            json_object_size(next) == 0 && json_is_object(here)) {
            next = json_array();
            json_object_set_new(here, name, next);
        }
        here = next;
    }
    bool good = json_is_object(here) && json_object_set(here, at, value) == 0;
    if (json_is_array(here)) {
        char *end = NULL;
        const size_t i = strtoull(at, &end, 10);
        good = *end == '\0' && (i < json_array_size(here)    ? json_array_set(here, i, value) == 0
                                : i == json_array_size(here) ? json_array_append(here, value) == 0
                                                             : false);
    }
    json_decref(value);
    if (!good) {
        ctl_fault("%s: there is no such place in the request", path);
    }
    return good;
}
