/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print/print.c - answers as tables, and by the format that was chosen. */
#include "clients/torquectl/print/print.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/torquectl/help.h"
#include "clients/torquectl/print/pretty.h"
#include "clients/torquectl/print/shown.h"

enum { COLUMNS_MAX = 32, CELL_BYTES = 1024, NAME_BYTES = 64, NARROWEST = 8, WIDEST_NAME = 35 };

static const json_t *find(const json_t *row, const char *name)
{
    const char *dot = strchr(name, '.');
    if (dot == NULL) {
        return json_object_get(row, name);
    }
    char first[NAME_BYTES];
    (void)snprintf(first, sizeof first, "%.*s", (int)(dot - name), name);
    return find(json_object_get(row, first), dot + 1);
}

static void print_cell(const json_t *value, char out[CELL_BYTES])
{
    if (value == NULL || json_is_null(value)) {
        (void)snprintf(out, CELL_BYTES, "-");
    } else if (json_is_string(value)) {
        (void)ctl_shown(json_string_value(value), SIZE_MAX, out, CELL_BYTES);
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        (void)ctl_shown(text != NULL ? text : "?", SIZE_MAX, out, CELL_BYTES);
        free(text);
    }
}

/* -------------------------------------------------- tables */

typedef struct table {
    char names[COLUMNS_MAX][NAME_BYTES];
    size_t widths[COLUMNS_MAX];
    bool is_text[COLUMNS_MAX];
    size_t n;
} table;

/* "fraction" of "progress.fraction" */
static const char *title_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

static void split(const char *columns, table *t)
{
    t->n = 0;
    while (*columns != '\0' && t->n < COLUMNS_MAX) {
        const size_t length = strcspn(columns, " ");
        (void)snprintf(t->names[t->n++], NAME_BYTES, "%.*s", (int)length, columns);
        columns += length + strspn(columns + length, " ");
    }
}

/* "#" is the number of the row, from 0 */
static void cell_of(const json_t *list, size_t row, const char *name, char out[CELL_BYTES])
{
    if (strcmp(name, "#") == 0) {
        (void)snprintf(out, CELL_BYTES, "%zu", row);
    } else {
        print_cell(find(json_array_get(list, row), name), out);
    }
}

/* terminal cells of UTF-8 text, each character as one */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++) {
        n += (*text & 0xc0) != 0x80;
    }
    return n;
}

/* to `width` characters, with dots where something is left out; padded unless it is the last */
static void print_fitted(FILE *out, const char *text, size_t width, bool is_last)
{
    const size_t own = width_of(text);
    size_t left = own > width ? width - 2 : own;
    const char *at = text;
    for (; *at != '\0' && left > 0; left--) {
        do {
            fputc(*at++, out);
        } while ((*at & 0xc0) == 0x80);
    }
    if (own > width) {
        fputs("..", out);
    }
    for (size_t i = own; i < width && !is_last; i++) {
        fputc(' ', out);
    }
    fputs(is_last ? "\n" : "  ", out);
}

/* The first column, a name or an id, is never cut, nor are numbers; of texts the widest one first.
 * Returns how many columns have room. */
static size_t fit(table *t)
{
    for (size_t n = t->n;;) {
        size_t all = 2 * (n - 1), widest = 0;
        for (size_t c = 0; c < n; c++) {
            all += t->widths[c];
            if (c > 0 && t->is_text[c] && (widest == 0 || t->widths[c] > t->widths[widest])) {
                widest = c;
            }
        }
        if (all <= CTL_WIDTH || n < 2) {
            return n;
        }
        if (widest == 0 || t->widths[widest] <= NARROWEST) {
            n--;
            continue;
        }
        const size_t surplus = all - CTL_WIDTH, room = t->widths[widest] - NARROWEST;
        t->widths[widest] -= surplus < room ? surplus : room;
    }
}

static void measure(table *t, const json_t *list)
{
    char cell[CELL_BYTES];
    for (size_t c = 0; c < t->n; c++) {
        t->widths[c] = strlen(title_of(t->names[c]));
        t->is_text[c] = false;
        for (size_t r = 0; r < json_array_size(list); r++) {
            cell_of(list, r, t->names[c], cell);
            const size_t width = width_of(cell);
            const json_t *value = find(json_array_get(list, r), t->names[c]);
            t->widths[c] = width > t->widths[c] ? width : t->widths[c];
            t->is_text[c] = t->is_text[c] || json_is_string(value);
        }
    }
}

void ctl_print_table(FILE *out, const json_t *list, const char *columns)
{
    table t;
    char cell[CELL_BYTES];
    split(columns, &t);
    if (t.n == 0) {
        return;
    }
    measure(&t, list);
    const size_t n = fit(&t);
    for (size_t r = 0; r <= json_array_size(list); r++) {
        for (size_t c = 0; c < n; c++) {
            if (r == 0) {
                (void)ctl_shown(title_of(t.names[c]), SIZE_MAX, cell, sizeof cell);
            } else {
                cell_of(list, r - 1, t.names[c], cell);
            }
            print_fitted(out, cell, t.widths[c], c + 1 == n);
        }
    }
    if (n < t.n) {
        fprintf(out, "(%zu columns more: -o json)\n", t.n - n);
    }
}

/* -------------------------------------------------- objects */

static bool is_list_of_objects(const json_t *value)
{
    return json_is_array(value) && json_is_object(json_array_get(value, 0));
}

static bool is_arrays(const json_t *value)
{
    return json_is_array(value) && json_array_size(value) > 0 &&
           (json_is_array(json_array_get(value, 0)) || json_array_size(value) > 16);
}

/* in lines, after the names */
static void print_text(FILE *out, const char *text, size_t width)
{
    const size_t size = 6 * strlen(text) + 16;
    char *shown = malloc(size);
    if (shown != NULL) {
        (void)ctl_shown(text, SIZE_MAX, shown, size);
        ctl_wrap(out, shown, width, width);
    }
    free(shown);
}

/* What print_members does: it measures names, or prints. */
typedef struct members {
    FILE *out; /* NULL: measure */
    size_t width, n_row;
} members;

static void print_line(FILE *out, size_t width, const char *name, const json_t *value)
{
    char cell[CELL_BYTES];
    (void)ctl_shown(name, SIZE_MAX, cell, sizeof cell);
    const size_t n = strlen(cell), at = (n > width ? n : width) + 2;
    fprintf(out, "%-*s  ", (int)width, cell);
    const json_t *first = json_array_get(value, 0);
    if (json_is_string(value)) {
        print_text(out, json_string_value(value), at); /* whole: a problem ends with its hint */
    } else if (json_is_string(first) && strchr(json_string_value(first), ' ') != NULL) {
        for (size_t i = 0; i < json_array_size(value); i++) { /* sentences */
            const char *text = json_string_value(json_array_get(value, i));
            fprintf(out, "%*s", i > 0 ? (int)at : 0, "");
            print_text(out, text != NULL ? text : "", at);
        }
    } else {
        print_cell(value, cell);
        ctl_wrap(out, cell, at, at);
    }
}

static void print_members(members *m, const json_t *object, const char *prefix)
{
    const char *key;
    json_t *value;
    char name[4 * NAME_BYTES];
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        (void)snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", key);
        const bool is_column = json_is_array(value) && m->n_row > 0 &&
                               json_is_number(json_array_get(value, 0)) &&
                               (m->n_row == 1 || json_array_size(value) == m->n_row);
        if (json_is_object(value)) {
            print_members(m, value, name);
        } else if (is_list_of_objects(value) || is_arrays(value) || is_column) {
            continue;
        } else if (m->out != NULL) {
            print_line(m->out, m->width, name, value);
        } else if (strlen(name) > m->width && strlen(name) < WIDEST_NAME) {
            m->width = strlen(name);
        }
    }
}

/* columns of a list: the members of its first entry that are no lists of lists or of objects */
static void columns_of(const json_t *first, char *columns, size_t size)
{
    const char *key;
    json_t *value;
    size_t used = 0;
    columns[0] = '\0';
    json_object_foreach((json_t *)(uintptr_t)first, key, value)
    {
        const json_t *inner = json_array_get(value, 0);
        if (json_is_object(value) || json_is_object(inner) || json_is_array(inner) ||
            strpbrk(key, " .") != NULL || used + strlen(key) + 2 > size) {
            continue;
        }
        used += (size_t)snprintf(columns + used, size - used, "%s%s", used > 0 ? " " : "", key);
    }
}

static void print_lists(FILE *out, const json_t *object, const char *prefix)
{
    const char *key;
    json_t *value;
    char name[4 * NAME_BYTES], shown[CELL_BYTES], columns[512];
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        (void)snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", key);
        if (json_is_object(value)) {
            print_lists(out, value, name);
        } else if (is_list_of_objects(value)) {
            (void)ctl_shown(name, SIZE_MAX, shown, sizeof shown);
            fprintf(out, "\n%s\n", shown);
            columns_of(json_array_get(value, 0), columns, sizeof columns);
            ctl_print_table(out, value, columns);
        }
    }
}

/* One object: a line for each value, a table for each list of objects, then arrays of numbers. */
static void print_object(FILE *out, const json_t *object)
{
    ctl_samples samples;
    const bool has_samples = ctl_samples_read(&samples, object, NULL, false);
    members m = {.width = NARROWEST, .n_row = has_samples ? samples.n_row : 0};
    print_members(&m, object, "");
    m.out = out;
    print_members(&m, object, "");
    print_lists(out, object, "");
    if (has_samples) {
        fputc('\n', out);
        ctl_samples_table(out, &samples);
        ctl_samples_clear(&samples);
    }
}

/* -------------------------------------------------- formats */

static int print_numbers(const ctl *c, const json_t *document)
{
    ctl_samples samples;
    if (!ctl_samples_read(&samples, document, c->format == CTL_NPY ? c->field : NULL,
                          c->is_single)) {
        ctl_fault("the answer has no arrays of numbers%s%s: -o json", c->field != NULL ? " " : "",
                  c->field != NULL ? c->field : "");
        return CTL_FAILED;
    }
    if (c->format == CTL_CSV) {
        ctl_samples_csv(stdout, &samples);
    } else {
        ctl_samples_npy(stdout, &samples);
    }
    ctl_samples_clear(&samples);
    return CTL_DONE;
}

/* a list of objects as CSV: the columns of its table, whole */
static void print_list_csv(const json_t *list, const char *columns)
{
    table t;
    char cell[CELL_BYTES];
    split(columns, &t);
    for (size_t r = 0; r <= json_array_size(list); r++) {
        for (size_t k = 0; k < t.n; k++) {
            if (r == 0) {
                (void)snprintf(cell, sizeof cell, "%s", t.names[k]);
            } else {
                cell_of(list, r - 1, t.names[k], cell);
            }
            const bool is_quoted = strpbrk(cell, ",\"\n") != NULL;
            fputs(is_quoted ? "\"" : "", stdout);
            for (const char *at = strcmp(cell, "-") == 0 ? "" : cell; *at != '\0'; at++) {
                fputs(*at == '"' ? "\"" : "", stdout);
                putchar(*at);
            }
            fputs(is_quoted ? "\"" : "", stdout);
            putchar(k + 1 < t.n ? ',' : '\n');
        }
    }
}

int ctl_print_document(ctl *c, json_t *document)
{
    const ctl_command *command = c->command;
    const json_t *list = command->list != NULL ? json_object_get(document, command->list) : NULL;
    switch (c->format) {
    case CTL_JSON:
        ctl_print_json(stdout, document);
        return CTL_DONE;
    case CTL_YAML:
        ctl_print_yaml(stdout, document);
        return CTL_DONE;
    case CTL_CSV:
        if (list != NULL) {
            print_list_csv(list, command->columns);
            return CTL_DONE;
        }
        return print_numbers(c, document);
    case CTL_NPY:
        return print_numbers(c, document);
    case CTL_NPZ:
        ctl_fault("the answer is not one that the service gives as NPZ: -o json");
        return CTL_FAILED;
    case CTL_TABLE:
        break;
    }
    if (list != NULL) {
        ctl_print_table(stdout, list, command->columns);
    } else {
        print_object(stdout, document);
    }
    return CTL_DONE;
}

int ctl_print_answer(ctl *c, const char *bytes, size_t n)
{
    if (n == 0) {
        return CTL_DONE;
    }
    if (c->format == CTL_JSON) {
        ctl_pretty(stdout, bytes, n, isatty(STDOUT_FILENO) != 0);
        return CTL_DONE;
    }
    json_t *document = json_loadb(bytes, n, JSON_ALLOW_NUL, NULL);
    if (document == NULL) {
        ctl_pretty(stdout, bytes, n, isatty(STDOUT_FILENO) != 0);
        return CTL_DONE;
    }
    const int status = ctl_print_document(c, document);
    json_decref(document);
    return status;
}
