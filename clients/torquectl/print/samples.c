/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print/samples.c - the arrays of numbers of an answer as CSV, NPY, or lines. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clients/torquectl/print/print.h"
#include "clients/torquectl/print/shown.h"

enum { COLUMNS_MOST = 100000, ROWS_SHOWN = 200 };

void ctl_number(double value, char out[CTL_NUMBER_BYTES])
{
    /* 15 digits do for what people write, 17 for all doubles; what is computed mostly needs 17 */
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(out, CTL_NUMBER_BYTES, "%.*g", digits, value);
        if (digits == 17 || strtod(out, NULL) == value) {
            break;
        }
    }
}

static bool is_number(const json_t *value)
{
    return json_is_number(value) || json_is_null(value);
}

/* numbers below a value of nested arrays; 0: something else is among them, or there are none */
static size_t count(const json_t *value)
{
    if (is_number(value)) {
        return 1;
    }
    const size_t n = json_array_size(value);
    size_t all = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t inner = count(json_array_get(value, i));
        if (inner == 0) {
            return 0;
        }
        all += inner;
    }
    return all;
}

static size_t rank_of(const json_t *value)
{
    size_t rank = 0;
    for (; json_is_array(value); value = json_array_get(value, 0)) {
        rank++;
    }
    return rank;
}

typedef struct reading {
    ctl_samples *samples;
    const char *field;
    bool is_single; /* one sample: all of an array is in one row */
    bool is_filling;
    size_t column;
} reading;

static size_t put(const json_t *value, double *to, size_t stride)
{
    if (!json_is_array(value)) {
        *to = json_is_null(value) ? (double)NAN : json_number_value(value);
        return 1;
    }
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(value); i++) {
        n += put(json_array_get(value, i), to + n * stride, stride);
    }
    return n;
}

/* q[r][j] -> column q_j; a matrix of each sample -> M_i_j */
static void name_columns(reading *r, const char *name, const json_t *row, char *suffix)
{
    ctl_samples *s = r->samples;
    const size_t n = strlen(suffix);
    if (!json_is_array(row)) {
        (void)snprintf(s->names[r->column++], sizeof s->names[0], "%.40s%.23s", name, suffix);
        return;
    }
    for (size_t i = 0; i < json_array_size(row); i++) {
        (void)snprintf(suffix + n, 64 - n, "_%zu", i);
        name_columns(r, name, json_array_get(row, i), suffix);
    }
    suffix[n] = '\0';
}

static void take_array(reading *r, const char *name, const json_t *value)
{
    ctl_samples *s = r->samples;
    const size_t all = count(value), n = r->is_single ? 1 : json_array_size(value);
    if (all == 0 || all % n != 0 || (s->n_row != 0 && s->n_row != n)) {
        return;
    }
    s->n_row = n;
    if (!r->is_filling) {
        s->n_column += all / n;
        return;
    }
    char suffix[64] = "";
    const size_t first = r->column;
    name_columns(r, name, r->is_single ? value : json_array_get(value, 0), suffix);
    for (size_t i = 0; i < n; i++) {
        const json_t *row = r->is_single ? value : json_array_get(value, i);
        if (count(row) == all / n) {
            (void)put(row, s->values + i * s->n_column + first, 1);
        }
    }
}

static void visit(reading *r, const json_t *object, const char *prefix)
{
    const char *key;
    json_t *value;
    char name[256];
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        (void)snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", key);
        if (json_is_object(value)) {
            visit(r, value, name);
        } else if (json_is_array(value) && (r->field == NULL || strcmp(r->field, name) == 0)) {
            take_array(r, name, value);
        }
    }
}

/* Of a batch the time, else the first array of rank two or more; of arrays of rank one alone, one
 * row of all of them. */
static size_t find_rows(const json_t *document)
{
    const json_t *t = json_object_get(document, "t");
    const char *key;
    json_t *value;
    if (json_is_array(t) && rank_of(t) == 1) {
        return json_array_size(t);
    }
    json_object_foreach((json_t *)(uintptr_t)document, key, value)
    {
        if (rank_of(value) >= 2 && count(value) > 0) {
            return json_array_size(value);
        }
    }
    return 0;
}

bool ctl_samples_read(ctl_samples *samples, const json_t *document, const char *field,
                      bool is_single)
{
    memset(samples, 0, sizeof *samples);
    reading r = {.samples = samples, .field = field, .is_single = is_single};
    if (!is_single) {
        samples->n_row = field != NULL ? 0 : find_rows(document);
        r.is_single = samples->n_row == 0 && field == NULL;
    }
    visit(&r, document, "");
    if (samples->n_column == 0 || samples->n_column > COLUMNS_MOST || samples->n_row == 0) {
        return false;
    }
    const size_t n = samples->n_row * samples->n_column;
    samples->names = calloc(samples->n_column, sizeof *samples->names);
    samples->values = malloc(n * sizeof *samples->values);
    if (samples->names == NULL || samples->values == NULL) {
        ctl_samples_clear(samples);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        samples->values[i] = (double)NAN;
    }
    r.is_filling = true;
    visit(&r, document, "");
    return true;
}

void ctl_samples_clear(ctl_samples *samples)
{
    free(samples->names);
    free(samples->values);
    memset(samples, 0, sizeof *samples);
}

void ctl_samples_csv(FILE *out, const ctl_samples *s)
{
    char number[CTL_NUMBER_BYTES];
    for (size_t k = 0; k < s->n_column; k++) {
        fprintf(out, "%s%s", s->names[k], k + 1 < s->n_column ? "," : "\n");
    }
    for (size_t i = 0; i < s->n_row * s->n_column; i++) {
        number[0] = '\0';
        if (!isnan(s->values[i])) { /* null is an empty cell */
            ctl_number(s->values[i], number);
        }
        fprintf(out, "%s%s", number, (i + 1) % s->n_column != 0 ? "," : "\n");
    }
}

void ctl_samples_npy(FILE *out, const ctl_samples *s)
{
    char head[129];
    char shape[96];
    (void)snprintf(shape, sizeof shape,
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", s->n_row,
                   s->n_column);
    (void)snprintf(head, sizeof head, "%-117s\n", shape);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, out);
    fwrite(head, 1, 118, out);
    fwrite(s->values, sizeof *s->values, s->n_row * s->n_column, out);
}

/* ------------------------------------------------------------------------------------- a screen */

/* as wide as the longest name, so that none is cut in the middle */
static int cell_width(const ctl_samples *s)
{
    enum { LEAST = 12, MOST = 24 };
    int width = LEAST;
    for (size_t k = 0; k < s->n_column; k++) {
        const int own = (int)strlen(s->names[k]) + 1;
        width = own > width ? own : width;
    }
    return width < MOST ? width : MOST;
}

static void print_block(FILE *out, const ctl_samples *s, size_t from, size_t to, bool has_time)
{
    const int cell = cell_width(s);
    const size_t n = s->n_row;
    char name[256];
    for (size_t line = 0; line <= n; line++) {
        if (line == ROWS_SHOWN / 2 && n > ROWS_SHOWN) {
            fprintf(out, "   ... %zu rows more: -o csv\n", n - ROWS_SHOWN);
            line = n - ROWS_SHOWN / 2 + 1;
        }
        for (size_t k = has_time ? 0 : from; k < to; k = k < from ? from : k + 1) {
            if (line == 0) {
                (void)ctl_shown(s->names[k], SIZE_MAX, name, sizeof name);
                const size_t length = strlen(name);
                fprintf(out, "%*s", cell,
                        length < (size_t)cell ? name : name + (length - (size_t)cell + 1));
            } else if (isnan(s->values[(line - 1) * s->n_column + k])) {
                fprintf(out, "%*s", cell, "-");
            } else {
                fprintf(out, "%*.5g", cell, s->values[(line - 1) * s->n_column + k]);
            }
        }
        fputc('\n', out);
    }
}

/* one sample: a line for each column */
static void print_single(FILE *out, const ctl_samples *s)
{
    char name[256];
    for (size_t k = 0; k < s->n_column; k++) {
        (void)ctl_shown(s->names[k], SIZE_MAX, name, sizeof name);
        fprintf(out, "%-24s %14.7g\n", name, s->values[k]);
    }
}

/* One sample of arrays of one length, "tau_0 ... tau_6 g_0 ... g_6": how many; 0: they differ. */
static size_t common_length(const ctl_samples *s)
{
    size_t length = 0, own = 0;
    for (size_t k = 0; k <= s->n_column; k++) {
        char number[24];
        (void)snprintf(number, sizeof number, "_%zu", own);
        const char *last = k < s->n_column ? strrchr(s->names[k], '_') : NULL;
        if (last != NULL && own > 0 && strcmp(last, number) == 0) {
            own++;
            continue;
        }
        if (own > 0 && length > 0 && own != length) {
            return 0;
        }
        length = own > 0 ? own : length;
        own = 1;
        if (k < s->n_column && (last == NULL || strcmp(last, "_0") != 0)) {
            return 0;
        }
    }
    return length;
}

/* a column for each array, a line for each joint */
static void print_across(FILE *out, const ctl_samples *s, size_t length, size_t across)
{
    enum { CELL = 16 };
    const size_t n = s->n_column / length;
    char name[256];
    for (size_t from = 0; from < n; from += across) {
        const size_t to = from + across < n ? from + across : n;
        fprintf(out, "%s%4s", from > 0 ? "\n" : "", "");
        for (size_t k = from; k < to; k++) {
            (void)ctl_shown(s->names[k * length], SIZE_MAX, name, sizeof name);
            name[strlen(name) - 2] = '\0'; /* _0 */
            const size_t n_name = strlen(name);
            fprintf(out, "%*s", CELL, n_name < CELL ? name : name + (n_name - CELL + 1));
        }
        for (size_t j = 0; j < length; j++) {
            fprintf(out, "\n%4zu", j);
            for (size_t k = from; k < to; k++) {
                fprintf(out, "%*.7g", CELL, s->values[k * length + j]);
            }
        }
        fputc('\n', out);
    }
}

void ctl_samples_table(FILE *out, const ctl_samples *s)
{
    const size_t wide = CTL_WIDTH / (size_t)cell_width(s);
    const bool has_time = s->n_column > 1 && strcmp(s->names[0], "t") == 0;
    const size_t first = has_time ? 1 : 0, across = has_time ? wide - 1 : wide;
    const size_t length = s->n_row == 1 ? common_length(s) : 0;
    if (length > 1) {
        print_across(out, s, length, 6);
        return;
    }
    if (s->n_row == 1) {
        print_single(out, s);
        return;
    }
    for (size_t from = first; from < s->n_column; from += across) {
        const size_t to = from + across < s->n_column ? from + across : s->n_column;
        fputs(from > first ? "\n" : "", out);
        print_block(out, s, from, to, has_time);
    }
}
