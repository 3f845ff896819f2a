/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/tables/test_blocks.c - plot points from blocks, compared with a loop over all
 * rows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/npy/npy.h"
#include "api/tables/blocks.h"

enum { ROWS = 5000, COLUMNS = 3 };

static double table[ROWS][COLUMNS];

static void fill(void)
{
    uint64_t state = 7;
    for (size_t k = 0; k < ROWS; k++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            table[k][c] = (double)(state >> 40) / 65536 - 128;
        }
        if (k % 97 == 0) {
            table[k][1] = (double)NAN;
        }
    }
}

typedef struct file {
    char *bytes;
    size_t n;
    size_t n_read; /* bytes read by read_file */
} file;

static file as_csv(void)
{
    const size_t room = (size_t)ROWS * COLUMNS * 32 + 100;
    file f = {malloc(room), 0, 0};
    f.n = (size_t)snprintf(f.bytes, room, "# a log\nx,y,z\n");
    for (size_t k = 0; k < ROWS; k++) {
        f.n += (size_t)snprintf(f.bytes + f.n, room - f.n, "%.17g,%.17g,%.17g\n%s", table[k][0],
                                table[k][1], table[k][2], k % 50 == 3 ? "\n" : "");
    }
    return f;
}

static file as_npy(void)
{
    char head[128];
    file f = {malloc(sizeof table + 128), 128, 0};
    const int n =
        snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                 ROWS, COLUMNS);
    memcpy(f.bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(f.bytes + 10, ' ', 117);
    memcpy(f.bytes + 10, head, (size_t)n);
    f.bytes[127] = '\n';
    memcpy(f.bytes + f.n, table, sizeof table);
    f.n += sizeof table;
    return f;
}

static long read_file(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    file *f = ctx;
    const size_t left = offset < f->n ? f->n - (size_t)offset : 0;
    const size_t some = left < n ? left : n;
    memcpy(bytes, f->bytes + offset, some);
    f->n_read += some;
    return (long)some;
}

static tqa_dataset *read_whole(file *f, const tqa_dataset_part *part, size_t piece)
{
    const tqa_dataset_options find = {.format = TQA_DATASET_FIND};
    tqa_dataset *d = tqa_dataset_open(&find, part);
    tqa_dataset_gather(d);
    for (size_t at = 0; at < f->n; at += piece) {
        cr_assert(tqa_dataset_feed(d, f->bytes + at, f->n - at < piece ? f->n - at : piece));
    }
    cr_assert(tqa_dataset_finish(d));
    return d;
}

/* the numbers after a key, of column c, by text */
static const char *series(const char *text, size_t c, const char *key)
{
    const char *p = text;
    for (size_t k = 0; k <= c; k++) {
        p = strstr(p + 1, key);
        cr_assert_not_null(p);
    }
    return strchr(p, '[') + 1;
}

/* the rows where the extremes of a column are, counted in each point from its first row */
static void check_places(const char *text, const tqa_dataset_part *part, size_t c)
{
    static const char *const keys[][2] = {{"\"min\":", "\"min_at\":"}, {"\"max\":", "\"max_at\":"}};
    const size_t each = (size_t)part->rows_per_point;
    for (size_t i = 0; i < 2; i++) {
        const char *value = series(text, c, keys[i][0]), *place = series(text, c, keys[i][1]);
        for (size_t row = (size_t)part->first_row; row < part->first_row + part->n_row;
             row += each) {
            const size_t at = strtoul(place, NULL, 10);
            cr_assert(strncmp(value, "null", 4) == 0 || (at < each && row + at < ROWS &&
                                                         table[row + at][c] == strtod(value, NULL)),
                      "row %zu column %zu: %zu of %.20s", row, c, at, value);
            value += strcspn(value, ",]") + 1;
            place += strcspn(place, ",]") + 1;
        }
    }
}

static void check(const char *text, const tqa_dataset_part *part)
{
    const size_t each = (size_t)part->rows_per_point;
    for (size_t c = 0; c < COLUMNS; c++) {
        const char *low = series(text, c, "\"min\":");
        const char *high = series(text, c, "\"max\":");
        for (size_t row = (size_t)part->first_row; row < part->first_row + part->n_row;
             row += each) {
            double least = (double)INFINITY, most = -(double)INFINITY;
            for (size_t k = row; k < row + each && k < ROWS; k++) {
                least = fmin(least, table[k][c]);
                most = fmax(most, table[k][c]);
            }
            char *end;
            cr_assert(isinf(least) ? strncmp(low, "null", 4) == 0 : strtod(low, &end) == least,
                      "row %zu column %zu of %.60s", row, c, low);
            cr_assert(isinf(most) ? strncmp(high, "null", 4) == 0 : strtod(high, &end) == most);
            low += strcspn(low, ",]") + 1;
            high += strcspn(high, ",]") + 1;
        }
        if (part->with_places) {
            check_places(text, part, c);
        }
    }
}

static const tqa_dataset_part parts[] = {
    {0, ROWS, 64, false}, {0, ROWS, 5024, false},  {64, 1000, 32, false},
    {4992, 8, 32, false}, {0, ROWS, 10, false},    {100, 900, 10, false},
    {4090, 17, 1, false}, {33, 4000, 64, false},   {4999, 1, 1, false},
    {31, 33, 3, false},   {4960, 40, 128, false},  {2048, 3000, 320, false},
    {0, 20, 1, false},    {1000, 4000, 33, false}, {0, ROWS, 64, true},
    {100, 900, 10, true}, {4960, 40, 128, true},
};

static void check_all(file f)
{
    for (size_t piece = 1000; piece <= f.n; piece = piece * 8 + 1) {
        tqa_dataset *d = read_whole(&f, NULL, piece);
        tqa_dataset_blocks *blocks = tqa_dataset_take_blocks(d);
        cr_assert_not_null(blocks);
        cr_assert_eq(blocks->n_block, (ROWS + 31) / 32);
        tqa_dataset_close(d);
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
            size_t n = 0, n_whole = 0;
            f.n_read = 0;
            char *text = tqa_dataset_points(blocks, &parts[k], read_file, &f, &n);
            cr_assert_not_null(text, "part %zu", k);
            cr_assert_eq(strlen(text), n);
            check(text, &parts[k]);
            /* and the result from all bytes is the same */
            d = read_whole(&f, &parts[k], piece);
            char *whole = tqa_dataset_summary(d, &n_whole);
            cr_assert_str_eq(text, whole);
            cr_assert(!tqa_blocks_fit(blocks, parts[k].first_row, parts[k].rows_per_point) ||
                      f.n_read == 0);
            tqa_dataset_close(d);
            free(whole);
            free(text);
        }
        /* for a few rows at the end only these are read, and the first block */
        f.n_read = 0;
        const tqa_dataset_part few = {4500, 30, 1, false};
        size_t n = 0;
        char *text = tqa_dataset_points(blocks, &few, read_file, &f, &n);
        cr_assert_not_null(text);
        cr_assert_lt(f.n_read, f.n / 2);
        free(text);
        tqa_dataset_blocks_free(blocks);
    }
    free(f.bytes);
}

Test(blocks, points_of_csv_are_those_of_all_rows)
{
    fill();
    check_all(as_csv());
}

Test(blocks, points_of_npy_are_those_of_all_rows)
{
    fill();
    check_all(as_npy());
}

Test(blocks, neighbours_are_merged_when_there_are_too_many)
{
    enum { WIDE = 4096, N = 5000 }; /* at most 64 blocks, of 128 rows each */
    double *row = calloc(WIDE, sizeof *row);
    tqa_dataset_blocks *blocks = tqa_blocks_new(WIDE);
    for (size_t k = 0; k < N; k++) {
        row[17] = (double)(k % 1000);
        cr_assert(tqa_blocks_add(blocks, k, 10 * k, 0, row, WIDE));
    }
    cr_assert_eq(blocks->rows_per_block, 128);
    cr_assert_eq(blocks->n_block, (N + 127) / 128);
    for (size_t b = 0; b < blocks->n_block; b++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (size_t k = 128 * b; k < 128 * b + 128 && k < N; k++) {
            least = fmin(least, (double)(k % 1000));
            most = fmax(most, (double)(k % 1000));
        }
        cr_assert_eq(blocks->least[b * WIDE + 17], least);
        cr_assert_eq(blocks->most[b * WIDE + 17], most);
        cr_assert_eq(blocks->offset[b], 1280 * b);
    }
    cr_assert_lt(tqa_dataset_blocks_bytes(blocks), 7 << 20);
    tqa_dataset_blocks_free(blocks);
    free(row);
}

Test(blocks, rows_of_a_point_are_whole_blocks_of_long_tables)
{
    /* a million rows of 8 columns: 31,250 blocks of 32 rows take 4.0 of 4.2 MB */
    cr_assert_eq(tqa_dataset_rows_per_point(1000000, 8, 1000000, 2000), 512);
    cr_assert_eq(tqa_dataset_rows_per_point(1000000, 9, 1000000, 2000), 512);
    cr_assert_eq(tqa_dataset_rows_per_point(1000000, 8, 60000, 2000), 32);
    cr_assert_eq(tqa_dataset_rows_per_point(1000000, 8, 20000, 2000), 10);
    cr_assert_eq(tqa_dataset_rows_per_point(1000, 8, 1000, 10), 100);
    cr_assert_eq(tqa_dataset_rows_per_point(10, 8, 0, 10), 1);
    /* the size of block at the end of gathering */
    cr_assert_eq(tqa_dataset_rows_per_point(100000, 4096, 100000, 1), 100352); /* 2,048 rows each */
}
