/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print.c - prints answers as tables or as unchanged JSON. */
#include "clients/torquectl/print.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/torquectl/shown.h"

enum { COLUMNS_MAX = 12, CELL_BYTES = 256, NAME_BYTES = 64 };

static const json_t *find(const json_t *row, const char *name)
{
    const char *dot = strchr(name, '.');
    if (dot == NULL) {
        return json_object_get(row, name);
    }
    char first[NAME_BYTES];
    snprintf(first, sizeof first, "%.*s", (int)(dot - name), name);
    return json_object_get(json_object_get(row, first), dot + 1);
}

static void print_cell(const json_t *value, char out[CELL_BYTES])
{
    if (value == NULL || json_is_null(value)) {
        snprintf(out, CELL_BYTES, "-");
    } else if (json_is_string(value)) {
        (void)tqc_shown(json_string_value(value), SIZE_MAX, out, CELL_BYTES);
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        (void)tqc_shown(text != NULL ? text : "?", SIZE_MAX, out, CELL_BYTES);
        free(text);
    }
}

static size_t split(const char *columns, char names[COLUMNS_MAX][NAME_BYTES])
{
    size_t n = 0;
    while (*columns != '\0' && n < COLUMNS_MAX) {
        const size_t length = strcspn(columns, " ");
        snprintf(names[n++], NAME_BYTES, "%.*s", (int)length, columns);
        columns += length + strspn(columns + length, " ");
    }
    return n;
}

void tqc_print_table(const json_t *list, const char *columns)
{
    char names[COLUMNS_MAX][NAME_BYTES];
    char cell[CELL_BYTES];
    size_t widths[COLUMNS_MAX];
    const size_t n = split(columns, names);
    const size_t n_row = json_array_size(list);
    for (size_t c = 0; c < n; c++) {
        widths[c] = strlen(names[c]);
        for (size_t r = 0; r < n_row; r++) {
            print_cell(find(json_array_get(list, r), names[c]), cell);
            widths[c] = strlen(cell) > widths[c] ? strlen(cell) : widths[c];
        }
    }
    for (size_t r = 0; r <= n_row; r++) {
        for (size_t c = 0; c < n; c++) {
            if (r == 0) {
                snprintf(cell, sizeof cell, "%.*s", NAME_BYTES - 1, names[c]);
            } else {
                print_cell(find(json_array_get(list, r - 1), names[c]), cell);
            }
            printf("%-*s%s", c + 1 < n ? (int)widths[c] : 0, cell, c + 1 < n ? "  " : "\n");
        }
    }
}

void tqc_print_object(json_t *object)
{
    const char *key;
    const json_t *value;
    char cell[CELL_BYTES];
    char name[CELL_BYTES];
    void *it = json_object_iter(object);
    for (; it != NULL; it = json_object_iter_next(object, it)) {
        key = json_object_iter_key(it);
        value = json_object_iter_value(it);
        if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
            continue;
        }
        print_cell(value, cell);
        (void)tqc_shown(key, SIZE_MAX, name, sizeof name);
        printf("%-16s %s\n", name, cell);
    }
}

/* "doctor: link a: ...", with a count if it occurs more than once */
static void print_finding(const char *list, const json_t *finding)
{
    char where[CELL_BYTES], text[4 * CELL_BYTES];
    const char *of = json_string_value(json_object_get(finding, "where"));
    const char *what = json_string_value(json_object_get(finding, "text"));
    const long long count = json_integer_value(json_object_get(finding, "count"));
    (void)tqc_shown(of != NULL ? of : "", SIZE_MAX, where, sizeof where);
    (void)tqc_shown(what != NULL ? what : "", SIZE_MAX, text, sizeof text);
    fprintf(stderr, "%s: %s%s%s", list, where, where[0] != '\0' ? ": " : "", text);
    if (count > 1) {
        fprintf(stderr, " (%lld)", count);
    }
    fputc('\n', stderr);
}

size_t tqc_print_findings(const json_t *robot)
{
    static const char *const lists[] = {"understood", "ignored", "doctor"};
    size_t n = 0;
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        const json_t *list = json_object_get(robot, lists[l]);
        n = json_array_size(list);
        for (size_t i = 0; i < n; i++) {
            print_finding(lists[l], json_array_get(list, i));
        }
    }
    return n; /* of the last list, the doctor's */
}
