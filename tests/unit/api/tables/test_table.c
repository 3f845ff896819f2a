/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/tables/test_table.c - equal numbers from CSV, NPY and results; invalid files. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/npy/npy.h"
#include "api/tables/table.h"

typedef struct bytes {
    const char *text;
    size_t n, piece; /* at most `piece` bytes in a read */
} bytes;

static long read_bytes(void *ctx, uint64_t offset, void *out, size_t n)
{
    const bytes *b = ctx;
    if (offset >= b->n) {
        return 0;
    }
    const size_t left = b->n - (size_t)offset;
    size_t count = n < left ? n : left;
    count = b->piece > 0 && count > b->piece ? b->piece : count;
    memcpy(out, b->text + offset, count);
    return (long)count;
}

/* rows of "t q[0] q[1]": t = k, q0 = k / 2, q1 = -k */
static void expect_rows(bytes b, size_t n_row, const char *const names[3])
{
    tqa_table *table = tqa_table_open(read_bytes, &b);
    cr_assert(eq(sz, tqa_table_columns(table), 3), "%s",
              tqa_table_fault(table) != NULL ? tqa_table_fault(table) : "");
    for (size_t c = 0; c < 3; c++) {
        cr_assert(
            eq(str, (char *)(uintptr_t)tqa_table_name(table, c), (char *)(uintptr_t)names[c]));
    }
    for (size_t k = 0; k < n_row; k++) {
        const double *row = tqa_table_next(table);
        cr_assert(row != NULL && row[0] == (double)k && row[1] == 0.5 * (double)k &&
                      row[2] == -(double)k,
                  "row %zu", k);
    }
    cr_assert(tqa_table_next(table) == NULL);
    cr_assert(tqa_table_next(table) == NULL);
    cr_assert(tqa_table_fault(table) == NULL);
    tqa_table_close(table);
}

/* the same rows, as many at a time as are available */
static void expect_many(bytes b, size_t n_row, size_t most)
{
    tqa_table *table = tqa_table_open(read_bytes, &b);
    size_t k = 0, n = 1;
    while (k < n_row && n > 0) {
        const double *rows = tqa_table_next_many(table, most, &n);
        cr_assert(le(sz, n, most));
        for (size_t i = 0; i < n; i++, k++) {
            cr_assert(eq(dbl, rows[3 * i], (double)k));
            cr_assert(eq(dbl, rows[3 * i + 2], -(double)k));
        }
    }
    cr_assert(eq(sz, k, n_row));
    cr_assert(tqa_table_next_many(table, most, &n) == NULL && n == 0);
    tqa_table_close(table);
}

enum { ROWS = 5000, TEXT = 1 << 18 };
static char text[TEXT];

Test(table, csv_in_any_pieces)
{
    size_t n = (size_t)snprintf(text, sizeof text, "t,a,b\n");
    for (int k = 0; k < ROWS; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%d,%.1f,%d\n", k, 0.5 * k, -k);
    }
    static const size_t pieces[] = {0, 1, 7, 4096};
    for (size_t p = 0; p < 4; p++) {
        expect_rows((bytes){text, n, pieces[p]}, ROWS, (const char *const[]){"t", "a", "b"});
        expect_many((bytes){text, n, pieces[p]}, ROWS, 256);
    }
    expect_rows((bytes){text + 6, n - 6, 0}, ROWS, (const char *const[]){"", "", ""});
    memmove(text + 3, text, n);
    memcpy(text, "\xef\xbb\xbf", 3); /* a byte order mark, as spreadsheet programs write it */
    expect_rows((bytes){text, n + 3, 0}, ROWS, (const char *const[]){"t", "a", "b"});
}

static void gather_rows(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    (void)ctx;
    for (size_t k = 0; k < n; k++) {
        const double i = (double)row;
        ret[k] = column + k == 0 ? i : column + k == 1 ? 0.5 * i : -i;
    }
}

static size_t encode(uint64_t n_row, char *out, size_t size)
{
    const tqa_array array = {.rank = 2, .shape = {n_row, 3}, .gather = gather_rows};
    tqa_npy_encoder encoder;
    tqa_npy_encoder_init(&encoder, &array);
    size_t n = 0;
    for (size_t got = 1; got > 0; n += got) {
        got = tqa_npy_encoder_read(&encoder, out + n, size - n);
    }
    return n;
}

Test(table, npy)
{
    const size_t n = encode(ROWS, text, sizeof text);
    expect_rows((bytes){text, n, 0}, ROWS, (const char *const[]){"", "", ""});
    expect_rows((bytes){text, n, 33}, ROWS, (const char *const[]){"", "", ""});
    expect_many((bytes){text, n, 33}, ROWS, 7);
    expect_many((bytes){text, n, 0}, ROWS, ROWS);
}

/* doubles that are copied directly from the file into the queue, for any size of reads */
Test(table, npy_of_many_pieces)
{
    enum { MANY = 60000, SIZE = MANY * 3 * 8 + 256 };
    char *file = malloc(SIZE);
    cr_assert(file != NULL);
    const size_t n = encode(MANY, file, SIZE);
    static const size_t pieces[] = {0, 100001, 262144, 7, 8};
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
        expect_rows((bytes){file, n, pieces[p]}, MANY, (const char *const[]){"", "", ""});
        expect_many((bytes){file, n, pieces[p]}, MANY, 256);
    }
    for (size_t less = 1; less < 400000;
         less = 3 * less + 5) { /* truncated: reported, and not read beyond the end */
        bytes b = {file, n - less, 0};
        tqa_table *table = tqa_table_open(read_bytes, &b);
        size_t k = 0;
        while (tqa_table_next(table) != NULL) {
            k++;
        }
        cr_expect(eq(sz, k, (n - less - (n - MANY * 3 * 8)) / 24));
        cr_expect(tqa_table_fault(table) != NULL);
        tqa_table_close(table);
    }
    free(file);
}

/* reads `first` rows, skips `over`, and checks the row after them */
static void expect_skip(bytes b, size_t n_row, size_t first, uint64_t over)
{
    tqa_table *table = tqa_table_open(read_bytes, &b);
    for (size_t k = 0; k < first; k++) {
        cr_assert(tqa_table_next(table) != NULL);
    }
    const uint64_t left = n_row - first;
    const uint64_t want = over < left ? over : left;
    cr_assert(eq(u64, tqa_table_skip(table, over), want));
    for (size_t k = first + (size_t)want; k < n_row; k++) {
        const double *row = tqa_table_next(table);
        cr_assert(row != NULL && row[0] == (double)k && row[2] == -(double)k, "row %zu", k);
    }
    cr_assert(tqa_table_next(table) == NULL && tqa_table_fault(table) == NULL);
    cr_assert(eq(u64, tqa_table_skip(table, 1), 0));
    tqa_table_close(table);
}

Test(table, rows_of_npy_may_be_passed_over)
{
    enum { MANY = 60000, SIZE = MANY * 3 * 8 + 256 };
    char *file = malloc(SIZE);
    cr_assert(file != NULL);
    const size_t n = encode(MANY, file, SIZE);
    static const size_t firsts[] = {0, 1, 20000, MANY};
    static const uint64_t overs[] = {0, 1, 5000, 30000, MANY, UINT64_MAX};
    for (size_t f = 0; f < 4; f++) {
        for (size_t o = 0; o < 6; o++) {
            expect_skip((bytes){file, n, 0}, MANY, firsts[f], overs[o]);
            expect_skip((bytes){file, n, 1001}, MANY, firsts[f], overs[o]);
        }
    }
    free(file);
    const size_t m = (size_t)snprintf(text, sizeof text, "t,a\n1,2\n3,4\n");
    bytes b = {text, m, 0};
    tqa_table *table = tqa_table_open(read_bytes, &b);
    cr_expect(eq(u64, tqa_table_skip(table, 1), 0), "only reading shows where lines begin");
    cr_expect(eq(dbl, tqa_table_next(table)[0], 1.0));
    tqa_table_close(table);
}

Test(table, npy_column_by_column)
{
    char head[80];
    (void)snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': True, 'shape': (%d, 3), }",
                   ROWS);
    memcpy(text, "\x93NUMPY\x01\x00v\x00", 10);
    size_t n = 10 + (size_t)snprintf(text + 10, 200, "%-117s\n", head);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < ROWS; k++, n += 8) {
            const double x = c == 0 ? k : c == 1 ? 0.5 * k : -k;
            memcpy(text + n, &x, sizeof x);
        }
    }
    expect_rows((bytes){text, n, 1000}, ROWS, (const char *const[]){"", "", ""});
}

Test(table, a_result_in_json)
{
    size_t n =
        (size_t)snprintf(text, sizeof text, "{\"note\":\"x\",\"stats\":{\"t\":[9,9]},\"t\":[");
    for (int k = 0; k < ROWS; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", k > 0 ? "," : "", k);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "],\"few\":[1,2],\"words\":[1,\"a\"],\"q\":[");
    for (int k = 0; k < ROWS; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s[%.1f,%d]", k > 0 ? "," : "", 0.5 * k,
                              -k);
    }
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "],\"ragged\":[[1],[2,3]],\"deep\":[[[1]]],\"ok\":true,\"no\":null}");
    expect_rows((bytes){text, n, 0}, ROWS, (const char *const[]){"t", "q[0]", "q[1]"});
    expect_rows((bytes){text, n, 5}, ROWS, (const char *const[]){"t", "q[0]", "q[1]"});
}

Test(table, reports_what_is_broken)
{
    static const struct {
        const char *text;
        size_t n_row; /* number of rows before the fault */
        const char *fault;
    } cases[] = {
        {"", 0, "the file is empty"},
        {"a,b\n1,2\n3\n4,5\n", 1, "line 3"},
        {"{\"t\":[1,2", 0, "no result document"},
        {"{\"a\":1}", 0, "no arrays over time"},
        {"\x93NUMPY\x01", 0, "too early"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        bytes b = {cases[c].text, strlen(cases[c].text), 0};
        tqa_table *table = tqa_table_open(read_bytes, &b);
        size_t n = 0;
        while (tqa_table_next(table) != NULL) {
            n++;
        }
        cr_assert(eq(sz, n, cases[c].n_row), "row %zu", c);
        cr_assert(tqa_table_fault(table) != NULL, "row %zu", c);
        cr_assert(strstr(tqa_table_fault(table), cases[c].fault) != NULL, "%s",
                  tqa_table_fault(table));
        tqa_table_close(table);
    }
}

Test(table, a_cut_last_line_is_reported)
{
    const char cut[] = "1,2,3\n4,5,6\n7,8";
    bytes b = {cut, sizeof cut - 1, 0};
    tqa_table *table = tqa_table_open(read_bytes, &b);
    cr_assert(tqa_table_next(table) != NULL && tqa_table_next(table) != NULL);
    cr_assert(tqa_table_next(table) == NULL);
    cr_assert(tqa_table_cut(table) && tqa_table_fault(table) == NULL);
    tqa_table_close(table);
}
