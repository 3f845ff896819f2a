/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/npy/test_records.c - NPY files of records for any split into pieces, and
 * files that are not records. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/npy/records.h"

typedef struct found {
    size_t n_column, n_row;
    uint64_t n_row_stated;
    char names[8][TQA_RECORDS_NAME];
    double values[4][8];
} found;

static bool take_columns(void *ctx, size_t n, const char *const *names, uint64_t n_row)
{
    found *f = ctx;
    f->n_column = n;
    f->n_row_stated = n_row;
    for (size_t c = 0; c < n && c < 8; c++) {
        snprintf(f->names[c], sizeof f->names[c], "%s", names[c]);
    }
    return true;
}

static bool take_row(void *ctx, const double *values, size_t n)
{
    found *f = ctx;
    memcpy(f->values[f->n_row++ % 4], values, (n < 8 ? n : 8) * sizeof *values);
    return true;
}

static const tqa_records_sink sink = {take_columns, take_row};

static size_t make(char *out, const char *fields, const char *shape, const void *data, size_t n)
{
    const int used = snprintf(
        out + 10, 300, "{'descr': [%s], 'fortran_order': False, 'shape': %s, }\n", fields, shape);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(used & 255);
    out[9] = (char)(used >> 8);
    memcpy(out + 10 + used, data, n);
    return 10 + (size_t)used + n;
}

static tqa_decode decode(const char *bytes, size_t n, size_t piece, found *f, const char **why)
{
    static char reason[200];
    tqa_records_decoder *d = tqa_records_decoder_new(&sink, f);
    tqa_decode status = TQA_DECODE_OK;
    for (size_t at = 0; at < n && status == TQA_DECODE_OK; at += piece) {
        status = tqa_records_decoder_feed(d, bytes + at, n - at < piece ? n - at : piece);
    }
    status = status == TQA_DECODE_OK ? tqa_records_decoder_finish(d) : status;
    snprintf(reason, sizeof reason, "%s",
             tqa_records_decoder_detail(d) != NULL ? tqa_records_decoder_detail(d) : "");
    *why = reason;
    tqa_records_decoder_free(d);
    return status;
}

Test(records, fields_of_all_kinds_in_any_pieces)
{
    /* 86399.5 s of the second day; half a second later the third day begins */
    const struct __attribute__((packed)) {
        int64_t stamp;
        char word[4];
        float q[2];
        unsigned char on;
        short n;
    } rows[2] = {{(86400 + 86399) * 1000LL + 500, "ab", {1.5f, -2.0f}, 1, -7},
                 {(86400 + 86400) * 1000LL, "c", {2.5f, -3.0f}, 0, 8}};
    char file[600];
    const char *why = NULL;
    const size_t n =
        make(file,
             "('stamp', '<M8[ms]'), ('word', '|S4'), ('q', '<f4', (2,)), ('on', '|b1'), "
             "('n', '<i2')",
             "(2,)", rows, sizeof rows);
    cr_assert(tqa_records_found(file, n));
    for (size_t piece = 1; piece <= n; piece += piece < 40 ? 1 : 97) {
        found f = {0};
        cr_assert_eq(decode(file, n, piece, &f, &why), TQA_DECODE_OK, "%s", why);
        cr_assert_eq(f.n_column, 5);
        cr_assert_eq(f.n_row, 2);
        cr_assert_eq(f.n_row_stated, 2);
        static const char *const names[] = {"stamp", "q[0]", "q[1]", "on", "n"};
        static const double want[2][5] = {{86399.5, 1.5, -2, 1, -7}, {86400, 2.5, -3, 0, 8}};
        for (size_t c = 0; c < 5; c++) {
            cr_assert_str_eq(f.names[c], names[c]);
            cr_assert_eq(f.values[0][c], want[0][c]);
            cr_assert_eq(f.values[1][c], want[1][c]);
        }
    }
    found f = {0};
    cr_assert_eq(decode(file, n - 1, 50, &f, &why), TQA_DECODE_MALFORMED);
    file[n] = 0;
    cr_assert_eq(decode(file, n + 1, 50, &f, &why), TQA_DECODE_MALFORMED);
    cr_assert_str_eq(why, "there are bytes after the NPY array");
}

Test(records, what_is_no_list_of_numbers_is_refused)
{
    static const struct {
        const char *fields, *shape, *why;
    } cases[] = {
        {"('a', '|O')", "(1,)", "no number, time or text"},
        {"('a', '<M8[D]')", "(1,)", "no number, time or text"},
        {"('a', '<f3')", "(1,)", "no number, time or text"},
        {"('a', '|S4')", "(1,)", "have no numbers"},
        {"('a', '<f8', (70000,))", "(1,)", "64 KiB"},
        {"('a', '|S40000'), ('b', '|S25536'), ('c', '|u1')", "(1,)", "64 KiB"}, /* too large by one
                                                                                   byte */
        {"('a', '|u1', (5000,))", "(1,)", "1 to 4096 columns"},
        {"('a', '<f8', (2, 2))", "(1,)", "no list of fields"},
        {"('a', [('b', '<f8')])", "(1,)", "no list of fields"},
        {"('a', '<f8')", "(1, 1)", "no list of fields"},
        {"('a', '<f8'", "(1,)", "no list of fields"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char file[600];
        const char *why = NULL;
        found f = {0};
        const double zero[2] = {0};
        const size_t n = make(file, cases[k].fields, cases[k].shape, zero, sizeof zero);
        cr_assert_neq(decode(file, n, 600, &f, &why), TQA_DECODE_OK, "%s", cases[k].fields);
        cr_assert(strstr(why, cases[k].why) != NULL, "%s: %s", cases[k].fields, why);
    }
}
