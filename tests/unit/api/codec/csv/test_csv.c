/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/csv/test_csv.c - tables of numbers as text, for any split into pieces. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/csv/cell.h"
#include "api/codec/csv/csv.h"

enum { ROWS = 8, COLUMNS = 6 };

/* Data received by the sink. */
typedef struct received {
    size_t n_column, n_row, n_text;
    char names[COLUMNS][TQA_CSV_NAME_MAX + 1];
    double values[ROWS][COLUMNS];
} received;

static bool take_columns(void *ctx, size_t n, const char *const *names)
{
    received *t = ctx;
    t->n_column = n;
    for (size_t i = 0; i < n && i < COLUMNS; i++) {
        snprintf(t->names[i], sizeof t->names[i], "%s", names[i]);
    }
    return true;
}

static bool take_row(void *ctx, const double *values, size_t n, size_t n_text)
{
    received *t = ctx;
    t->n_text += n_text;
    for (size_t i = 0; i < n && i < COLUMNS && t->n_row < ROWS; i++) {
        t->values[t->n_row][i] = values[i];
    }
    t->n_row++;
    return true;
}

static const tqa_csv_sink sink = {take_columns, take_row};

/* decodes text in pieces of `piece` bytes */
static tqa_decode decode(const char *text, size_t n, size_t piece, received *t,
                         tqa_csv_decoder **ret)
{
    memset(t, 0, sizeof *t);
    tqa_csv_decoder *decoder = tqa_csv_decoder_new(&sink, t, 0);
    tqa_decode status = TQA_DECODE_OK;
    for (size_t at = 0; at < n && status == TQA_DECODE_OK; at += piece) {
        const size_t take = n - at < piece ? n - at : piece;
        char *copy = malloc(take); /* so that a sanitizer detects a read beyond it */
        memcpy(copy, text + at, take);
        status = tqa_csv_decoder_feed(decoder, copy, take);
        free(copy);
    }
    if (status == TQA_DECODE_OK) {
        status = tqa_csv_decoder_finish(decoder);
    }
    *ret = decoder;
    return status;
}

static const double nan_ = (double)NAN;
static const double inf_ = (double)INFINITY;

/* clang-format off */
static const struct good {
    const char *text;
    size_t n_row, n_column;
    double row0[3], last[3];
    const char *name0;
    char delimiter;
    bool cut;
    size_t n_text;
} goods[] = {
    {"1,2,3\n4,5,6\n", 2, 3, {1, 2, 3}, {4, 5, 6}, "", ',', false, 0},
    {"t,q1,q2\r\n0.5,-1e3,2.25\r\n", 1, 3, {.5, -1000, 2.25}, {.5, -1000, 2.25}, "t", ',', false, 0},
    {"\xef\xbb\xbf" "time;q\n1,5;2,5\n", 1, 2, {1.5, 2.5, 0}, {1.5, 2.5, 0}, "time", ';', false, 0},
    {"a\tb\n1\t\n", 1, 2, {1, nan_, 0}, {1, nan_, 0}, "a", '\t', false, 0},
    {"  1   2  3  \n\n 4 5   6\n", 2, 3, {1, 2, 3}, {4, 5, 6}, "", ' ', false, 0},
    {"# made by hand\n# t q1 q2\n1 2 3\n", 1, 3, {1, 2, 3}, {1, 2, 3}, "t", ' ', false, 0},
    {"# one two three four\n1 2 3\n% between\n4 5 6\n", 2, 3, {1, 2, 3}, {4, 5, 6}, "", ' ', false, 0},
    {"1,2,3\n4,5,6\n7,8", 2, 3, {1, 2, 3}, {4, 5, 6}, "", ',', true, 0},
    {"1,2,3\n4,5,6", 2, 3, {1, 2, 3}, {4, 5, 6}, "", ',', false, 0},
    {"a,b,c,\n1,2,3,\n4,5,6,\n", 2, 3, {1, 2, 3}, {4, 5, 6}, "a", ',', false, 0},
    {"\"x, y\",\"z\"\n\"1.5\",+2\n", 1, 2, {1.5, 2, 0}, {1.5, 2, 0}, "x, y", ',', false, 0},
    {"a,b\nnan,-inf\n.5,5.\n", 2, 2, {nan_, -inf_, 0}, {.5, 5, 0}, "a", ',', false, 0},
    {"a,b\n007,1e999\n1,idle\n", 2, 2, {7, inf_, 0}, {1, nan_, 0}, "a", ',', false, 1},
    {"1\n2\n3\n", 3, 1, {1, 0, 0}, {3, 0, 0}, "", ' ', false, 0},
    {"name\n1\n-0.0", 2, 1, {1, 0, 0}, {-0.0, 0, 0}, "name", ' ', false, 0},
};
/* clang-format on */

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

Test(csv, reads_what_programs_write_in_any_pieces)
{
    for (size_t i = 0; i < sizeof goods / sizeof goods[0]; i++) {
        const struct good *g = &goods[i];
        const size_t n = strlen(g->text);
        for (size_t piece = 1; piece <= n; piece++) {
            received t;
            tqa_csv_decoder *decoder;
            cr_assert_eq(decode(g->text, n, piece, &t, &decoder), TQA_DECODE_OK, "%zu: %s", i,
                         tqa_csv_decoder_detail(decoder));
            cr_assert_eq(t.n_row, g->n_row, "%zu in pieces of %zu: %zu rows", i, piece, t.n_row);
            cr_assert_eq(t.n_column, g->n_column, "%zu: %zu columns", i, t.n_column);
            cr_assert_eq(t.n_text, g->n_text, "%zu: %zu texts", i, t.n_text);
            cr_assert_str_eq(t.names[0], g->name0);
            cr_assert_eq(tqa_csv_decoder_delimiter(decoder), g->delimiter);
            cr_assert_eq(tqa_csv_decoder_cut(decoder), g->cut);
            for (size_t c = 0; c < g->n_column; c++) {
                cr_assert(same(t.values[0][c], g->row0[c]), "%zu: %g", i, t.values[0][c]);
                cr_assert(same(t.values[t.n_row - 1][c], g->last[c]), "%zu: %g", i,
                          t.values[t.n_row - 1][c]);
            }
            tqa_csv_decoder_free(decoder);
        }
    }
}

Test(csv, refuses_with_the_line)
{
    static const struct {
        const char *text;
        size_t n;
        tqa_decode status;
        uint64_t line;
    } bad[] = {
        {"1,2\n3,4,5\n", 10, TQA_DECODE_MALFORMED, 2},
        {"1,2\n# c\n3\n4,5\n", 14, TQA_DECODE_MALFORMED, 3},
        {"", 0, TQA_DECODE_MALFORMED, 1},
        {"# only\n", 7, TQA_DECODE_MALFORMED, 2},
        {"\x00\x01\n", 3, TQA_DECODE_MALFORMED, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        received t;
        tqa_csv_decoder *decoder;
        cr_assert_eq(decode(bad[i].text, bad[i].n, 3, &t, &decoder), bad[i].status, "%zu", i);
        cr_assert_eq(tqa_csv_decoder_line(decoder), bad[i].line, "%zu", i);
        cr_assert_neq(tqa_csv_decoder_detail(decoder)[0], '\0');
        tqa_csv_decoder_free(decoder);
    }
}

Test(csv, bounds_lines_and_columns)
{
    const size_t n = (size_t)TQA_CSV_LINE_MAX + 2;
    char *text = malloc(n);
    memset(text, '1', n);
    received t;
    tqa_csv_decoder *decoder;
    cr_assert_eq(decode(text, n, 65536, &t, &decoder), TQA_DECODE_LIMIT);
    tqa_csv_decoder_free(decoder);
    for (size_t i = 0; i < n; i++) {
        text[i] = i % 2 == 0 ? '1' : ',';
    }
    const size_t too_many = 2 * ((size_t)TQA_CSV_COLUMNS_MAX + 1);
    text[too_many - 1] = '\n';
    cr_assert_eq(decode(text, too_many, 4096, &t, &decoder), TQA_DECODE_LIMIT);
    tqa_csv_decoder_free(decoder);
    text[too_many - 3] = '\n';
    cr_assert_eq(decode(text, too_many - 2, 4096, &t, &decoder), TQA_DECODE_OK);
    cr_assert_eq(t.n_column, (size_t)TQA_CSV_COLUMNS_MAX);
    tqa_csv_decoder_free(decoder);
    free(text);
}

Test(csv, cells)
{
    static const struct {
        const char *text;
        bool comma;
        tqa_cell kind;
        double value;
    } cells[] = {
        {"1.5", false, TQA_CELL_NUMBER, 1.5},    {" +1 ", false, TQA_CELL_NUMBER, 1},
        {"-.25e2", false, TQA_CELL_NUMBER, -25}, {"1,5", true, TQA_CELL_NUMBER, 1.5},
        {"1,5", false, TQA_CELL_TEXT, 0},        {".", false, TQA_CELL_TEXT, 0},
        {"-", false, TQA_CELL_TEXT, 0},          {"1e", false, TQA_CELL_TEXT, 0},
        {"0x10", false, TQA_CELL_TEXT, 0},       {"NaN", false, TQA_CELL_EMPTY, 0},
        {"-nan", false, TQA_CELL_EMPTY, 0},      {"N/A", false, TQA_CELL_EMPTY, 0},
        {"\"\"", false, TQA_CELL_EMPTY, 0},      {"-Infinity", false, TQA_CELL_NUMBER, -INFINITY},
        {"1_0", false, TQA_CELL_TEXT, 0},        {"0000", false, TQA_CELL_NUMBER, 0},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        double value = 0;
        cr_assert_eq(
            tqa_csv_cell_read(cells[i].text, strlen(cells[i].text), cells[i].comma, &value),
            cells[i].kind, "%s", cells[i].text);
        cr_assert(cells[i].kind == TQA_CELL_NUMBER ? value == cells[i].value : isnan(value) != 0,
                  "%s", cells[i].text);
    }
}
