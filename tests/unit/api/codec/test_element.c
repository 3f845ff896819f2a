/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/test_element.c - numbers as bytes: every half-precision number, and
 * non-finite values. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "api/codec/element.h"

/* RFC 8949, appendix D, for all 65536 half-precision numbers; and through float if the value is
 * exact */
Test(element, every_half)
{
    const tqa_element half = {TQA_ELEMENT_FLOAT, 2, false};
    for (unsigned word = 0; word < 0x10000; word++) {
        const unsigned char bytes[] = {(unsigned char)word, (unsigned char)(word >> 8)};
        const unsigned exponent = (word >> 10) & 0x1f;
        const unsigned fraction = word & 0x3ff;
        double expected = 0.0;
        if (exponent == 0) {
            expected = ldexp(fraction, -24);
        } else if (exponent != 31) {
            expected = ldexp(fraction + 1024, (int)exponent - 25);
        } else {
            expected = fraction == 0 ? (double)INFINITY : (double)NAN;
        }
        double x = 7.0;
        tqa_element_decode(half, bytes, 1, &x);
        cr_assert(isnan(expected) ? isnan(x) : fabs(x) == expected, "%04x", word);
        if (!isnan(expected)) {
            cr_assert(eq(int, signbit(x) != 0, (word & 0x8000) != 0), "%04x", word);
        }
    }
}

Test(element, integers_at_their_ends)
{
    const unsigned char ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    const unsigned char top[8] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    double x = 0.0;
    for (unsigned size = 1; size <= 8; size *= 2) {
        tqa_element_decode((tqa_element){TQA_ELEMENT_SIGNED, size, false}, ones, 1, &x);
        cr_assert(eq(dbl, x, -1.0));
        tqa_element_decode((tqa_element){TQA_ELEMENT_UNSIGNED, size, false}, ones, 1, &x);
        cr_assert(eq(dbl, x, size == 8 ? 0x1p64 : ldexp(1.0, (int)(8 * size)) - 1.0));
        tqa_element_decode((tqa_element){TQA_ELEMENT_SIGNED, size, false}, top + 8 - size, 1, &x);
        cr_assert(eq(dbl, x, -ldexp(1.0, (int)(8 * size - 1))));
    }
}

Test(element, numbers_that_are_not_finite_are_located)
{
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -(double)NAN};
    double values[70];
    for (size_t i = 0; i < 70; i++) {
        values[i] = i % 2 == 0 ? DBL_MAX : -DBL_MAX; /* their sums would overflow */
    }
    for (size_t n = 0; n <= 70; n++) {
        cr_assert(eq(sz, tqa_element_not_finite(values, n), n));
    }
    for (size_t at = 0; at < 70; at++) {
        for (size_t k = 0; k < 4; k++) {
            const double kept = values[at];
            values[at] = bad[k];
            cr_assert(eq(sz, tqa_element_not_finite(values, 70), at));
            cr_assert(eq(sz, tqa_element_not_finite(values, at), at));
            values[at] = kept;
        }
    }
}

Test(element, runs_end_with_rows_and_with_cache_lines)
{
    static const struct {
        uint64_t index, length;
        size_t n, run;
    } runs[] = {
        {0, 7, 100000, 144 * 7}, /* 146 rows fit, 144 end with a line of eight samples */
        {144 * 7, 7, 100000, 144 * 7},
        {3 * 7, 7, 100000, 141 * 7},  /* up to the next such end */
        {3 * 7, 7, 4 * 7, 4 * 7},     /* too few to reach it */
        {3 * 7, 7, 5 * 7 + 1, 5 * 7}, /* just enough */
        {3 * 7, 7, 9 * 7, 5 * 7},
        {10, 7, 100000, 4}, /* first the rest of a row */
        {10, 7, 3, 3},      /* the rest of the row does not fit */
        {0, 7, 6, 6},       /* part of a row */
        {0, 21, 100000, 48 * 21},
        {0, 1, 100000, TQA_ELEMENT_RUN},
        {5, 1, 100000, TQA_ELEMENT_RUN - 5},
        {7, 5000, 100000, TQA_ELEMENT_RUN}, /* rows that do not fit are written in parts */
        {7, 0, 100000, TQA_ELEMENT_RUN},    /* no rows */
        {0, UINT64_MAX, 10, 10},
    };
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        cr_expect(eq(sz, tqa_element_run(runs[k].index, runs[k].length, runs[k].n, TQA_ELEMENT_RUN),
                     runs[k].run),
                  "row %zu", k);
    }
}

enum { TABLE_ROWS = 23, TABLE_COLUMNS = 5, TABLE_RUN = 4 };

static double cell(uint64_t row, uint64_t column)
{
    return 100.0 * (double)row + (double)column;
}

static void gather_cells(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    (void)ctx;
    for (size_t k = 0; k < n; k++) {
        ret[k] = cell(row, column + k);
    }
}

/* Rows are contiguous in runs of TABLE_RUN. */
static const double *find_cells(void *ctx, uint64_t row, size_t *n)
{
    const double *cells = ctx;
    const size_t left = TABLE_RUN - (size_t)row % TABLE_RUN;
    *n = *n < left ? *n : left;
    return cells + row * TABLE_COLUMNS;
}

Test(element, rows_are_written_without_a_copy)
{
    static double cells[TABLE_ROWS * TABLE_COLUMNS], out[TABLE_ROWS * TABLE_COLUMNS + 1];
    for (size_t i = 0; i < TABLE_ROWS * TABLE_COLUMNS; i++) {
        cells[i] = cell(i / TABLE_COLUMNS, i % TABLE_COLUMNS);
    }
    const tqa_array array = {.rank = 2,
                             .shape = {TABLE_ROWS, TABLE_COLUMNS},
                             .gather = gather_cells,
                             .find_rows = find_cells,
                             .ctx = cells};
    /* buffers that end within a number, a row, a run, and after the table */
    for (size_t room = sizeof(double); room <= sizeof out; room += 3) {
        uint64_t index = 0;
        size_t written = 0;
        memset(out, 0, sizeof out);
        while (index < TABLE_ROWS * TABLE_COLUMNS) {
            written += tqa_array_encode(&array, &index, (char *)out + written,
                                        room < sizeof out - written ? room : sizeof out - written);
        }
        cr_assert(eq(sz, written, sizeof cells));
        cr_assert(eq(int, memcmp(out, cells, sizeof cells), 0), "room %zu", room);
        cr_assert(eq(dbl, out[TABLE_ROWS * TABLE_COLUMNS], 0.0));
    }
}

Test(element, doubles_are_read_without_a_copy)
{
    static const double x[3] = {1.5, -2.25, 1e300};
    double room[3] = {0.0, 0.0, 0.0};
    _Alignas(double) unsigned char bytes[4 * sizeof(double)];
    const tqa_element here = {TQA_ELEMENT_FLOAT, 8, false}, other = {TQA_ELEMENT_FLOAT, 8, true};
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(bytes + shift, x, sizeof x);
        const double *seen = tqa_element_view(here, bytes + shift, 3, room);
        cr_assert(eq(int, seen == room, shift > 0), "shift %zu", shift);
        cr_assert(eq(int, memcmp(seen, x, sizeof x), 0));
    }
    memcpy(bytes, x, sizeof x);
    cr_assert(eq(ptr, (void *)tqa_element_view(other, bytes, 3, room), (void *)room));
}
