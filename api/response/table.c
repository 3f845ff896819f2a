/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/table.c - the arrays of a result as CSV, one line at a time. */
#include "api/response/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/number/number.h"

enum { CELL = 32, NAME = 160 };

struct tqa_result_table {
    const tqa_array *arrays;
    const char *const *names;
    size_t n_array, n_column;
    bool flat;          /* one sample, without a rank of its own */
    uint64_t n_row, at; /* lines, the header is line 0 */
    double *row;        /* (n_column) */
    char *line;
    size_t n_line, taken;
};

/* numbers of a sample in an array */
static uint64_t width(const tqa_array *array, bool flat)
{
    uint64_t n = 1;
    for (size_t r = flat ? 0 : 1; r < array->rank; r++) {
        n *= array->shape[r];
    }
    return n;
}

tqa_result_table *tqa_result_table_new(const tqa_result *result, const tqa_array *arrays,
                                       const char *const *names, bool *ret_short)
{
    uint64_t n = 0;
    *ret_short = false;
    for (size_t i = 0; i < result->n_array; i++) {
        n += width(&arrays[i], result->flat);
        if (n > TQA_TABLE_OUT_COLUMNS_MAX) {
            return NULL;
        }
    }
    tqa_result_table *t = calloc(1, sizeof *t);
    if (t != NULL) {
        t->arrays = arrays;
        t->names = names;
        t->n_array = result->n_array;
        t->n_column = (size_t)n;
        t->flat = result->flat;
        t->n_row = result->flat ? 1 : result->n_sample;
        t->row = malloc((t->n_column + 1) * sizeof *t->row);
        t->line = malloc(t->n_column * (NAME + CELL) + 2);
    }
    *ret_short = t == NULL || t->row == NULL || t->line == NULL;
    if (*ret_short) {
        tqa_result_table_free(t);
        return NULL;
    }
    return t;
}

void tqa_result_table_free(tqa_result_table *table)
{
    if (table != NULL) {
        free(table->row);
        free(table->line);
        free(table);
    }
}

static void put_names(tqa_result_table *t)
{
    char *p = t->line;
    for (size_t i = 0; i < t->n_array; i++) {
        const tqa_array *array = &t->arrays[i];
        const uint64_t n = width(array, t->flat);
        const bool plain = array->rank == (t->flat ? 0 : 1);
        for (uint64_t k = 0; k < n; k++) {
            p += snprintf(p, NAME, "%s%.*s", p == t->line ? "" : ",", NAME - 30, t->names[i]);
            p += plain ? 0 : snprintf(p, CELL, "_%llu", (unsigned long long)k);
        }
    }
    t->n_line = (size_t)(p - t->line);
}

static void gather(tqa_result_table *t, uint64_t row)
{
    double *to = t->row;
    for (size_t i = 0; i < t->n_array; i++) {
        const tqa_array *array = &t->arrays[i];
        const uint64_t first = t->flat ? 0 : row;
        const uint64_t end = !t->flat ? row + 1 : array->rank > 0 ? array->shape[0] : 1;
        const size_t n = (size_t)(width(array, false));
        for (uint64_t r = first; r < end; r++) {
            array->gather(array->ctx, r, 0, n, to);
            to += n;
        }
    }
}

static void put_row(tqa_result_table *t)
{
    char *p = t->line;
    gather(t, t->at - 1);
    for (size_t c = 0; c < t->n_column; c++) {
        if (c > 0) {
            *p++ = ',';
        }
        p = isfinite(t->row[c]) ? tqa_number_print(t->row[c], p) : p;
    }
    t->n_line = (size_t)(p - t->line);
}

size_t tqa_result_table_read(tqa_result_table *table, char *out, size_t size)
{
    tqa_result_table *t = table;
    size_t n = 0;
    while (n < size) {
        if (t->taken == t->n_line) {
            if (t->at > t->n_row) {
                break;
            }
            if (t->at == 0) {
                put_names(t);
            } else {
                put_row(t);
            }
            t->line[t->n_line++] = '\n';
            t->at++;
            t->taken = 0;
        }
        const size_t left = t->n_line - t->taken;
        const size_t some = left < size - n ? left : size - n;
        memcpy(out + n, t->line + t->taken, some);
        t->taken += some;
        n += some;
    }
    return n;
}
