/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/tables/test_dataset.c - properties of recorded data, found while the bytes are
 * read once. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/dataset.h"

static const tqa_dataset_options find = {.format = TQA_DATASET_FIND};

static char *summarise(const char *bytes, size_t n, size_t piece, uint64_t n_row, size_t n_points)
{
    const tqa_dataset_part part = {
        .n_row = n_row, .rows_per_point = n_points > 0 ? (n_row + n_points - 1) / n_points : 1};
    tqa_dataset *d = tqa_dataset_open(&find, n_points > 0 ? &part : NULL);
    for (size_t at = 0; at < n; at += piece) {
        const size_t take = n - at < piece ? n - at : piece;
        cr_assert(tqa_dataset_feed(d, bytes + at, take), "%s", tqa_dataset_problem(d)->detail);
    }
    cr_assert(tqa_dataset_finish(d), "%s", tqa_dataset_problem(d)->detail);
    size_t length = 0;
    char *text = tqa_dataset_summary(d, &length);
    cr_assert_eq(strlen(text), length);
    tqa_dataset_close(d);
    return text;
}

/* an NPY file: header padded to 128 bytes, then the values */
static size_t make_npy(char *out, const char *descr, bool fortran, const char *shape,
                       const void *values, size_t n)
{
    const int used = snprintf(out + 10, 118, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                              descr, fortran ? "True" : "False", shape);
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(out + 10 + used, ' ', 118 - (size_t)used);
    out[127] = '\n';
    memcpy(out + 128, values, n);
    return 128 + n;
}

Test(dataset, statistics_of_csv)
{
    static const char csv[] = "t,q\n0,1\n1,\n2,-3\n3,nan\n4";
    for (size_t piece = 1; piece < sizeof csv; piece++) {
        char *text = summarise(csv, sizeof csv - 1, piece, 0, 0);
        cr_assert_str_eq(
            text, "\"rows\":4,\"columns\":2,\"delimiter\":\"comma\",\"truncated_last_line\":true,"
                  "\"text_cells\":0,\"statistics\":["
                  "{\"name\":\"t\",\"min\":0.0,\"max\":3.0,\"mean\":1.5,\"not_finite\":0},"
                  "{\"name\":\"q\",\"min\":-3.0,\"max\":1.0,\"mean\":-1.0,\"not_finite\":2}]");
        free(text);
    }
}

Test(dataset, npy_of_both_orders_and_types_says_the_same)
{
    static const double by_row[] = {1, 10, 2, 20, 3, 30};
    static const double by_column[] = {1, 2, 3, 10, 20, 30};
    static const float narrow[] = {1, 10, 2, 20, 3, 30};
    /* 1, 10, 2 ... as big-endian binary32 */
    static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0x41, 0x20, 0, 0, 0x40, 0,    0, 0,
                                        0x41, 0xa0, 0, 0, 0x40, 0x40, 0, 0, 0x41, 0xf0, 0, 0};
    static const char expected[] =
        "\"rows\":3,\"columns\":2,\"statistics\":["
        "{\"name\":null,\"min\":1.0,\"max\":3.0,\"mean\":2.0,\"not_finite\":0},"
        "{\"name\":null,\"min\":10.0,\"max\":30.0,\"mean\":20.0,\"not_finite\":0}]";
    char file[256];
    for (int kind = 0; kind < 4; kind++) {
        const size_t n = kind == 0 ? make_npy(file, "<f8", false, "(3, 2)", by_row, sizeof by_row)
                         : kind == 1
                             ? make_npy(file, "<f8", true, "(3, 2)", by_column, sizeof by_column)
                         : kind == 2 ? make_npy(file, "<f4", false, "(3, 2)", narrow, sizeof narrow)
                                     : make_npy(file, ">f4", false, "(3, 2)", big, sizeof big);
        for (size_t piece = 1; piece < 50; piece += 7) {
            char *text = summarise(file, n, piece, 0, 0);
            cr_assert_str_eq(text, expected);
            free(text);
        }
    }
}

Test(dataset, npy_may_hold_nan_and_reports_it)
{
    const double values[] = {1, (double)NAN, 3};
    char file[256];
    const size_t n = make_npy(file, "<f8", false, "(3,)", values, sizeof values);
    char *text = summarise(file, n, 64, 0, 0);
    cr_assert_str_eq(text,
                     "\"rows\":3,\"columns\":1,\"statistics\":["
                     "{\"name\":null,\"min\":1.0,\"max\":3.0,\"mean\":2.0,\"not_finite\":1}]");
    free(text);
}

Test(dataset, points_keep_the_extremes)
{
    static const char csv[] = "q\n1\n5\n-2\n\n3\n4\n";
    char *text = summarise(csv, sizeof csv - 1, 3, 5, 2);
    cr_assert_str_eq(
        text,
        "\"rows\":5,\"columns\":1,\"first_row\":0,\"rows_per_point\":3,\"points\":2,\"series\":["
        "{\"name\":\"q\",\"min\":[-2.0,3.0],\"max\":[5.0,4.0]}]");
    free(text);
}

Test(dataset, mean_survives_cancellation)
{
    /* 1e16 + 1 - 1e16: simple summation in doubles gives 0 */
    static const char csv[] = "1e16\n1\n-1e16\n";
    char *text = summarise(csv, sizeof csv - 1, 100, 0, 0);
    cr_assert_not_null(strstr(text, "\"mean\":0.3333333333333333"), "%s", text);
    free(text);
}

Test(dataset, refusals)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *slug, *part;
    } bad[] = {
        {"1,2\n3\n5,6\n", 10, "malformed", "line 2"},
        {"", 0, "malformed", "empty"},
        {"\x93NUMPY\x09", 7, "malformed", "cut"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tqa_dataset *d = tqa_dataset_open(&find, NULL);
        cr_assert(!(tqa_dataset_feed(d, bad[i].bytes, bad[i].n) && tqa_dataset_finish(d)));
        const tqa_problem *problem = tqa_dataset_problem(d);
        cr_assert_str_eq(problem->slug, bad[i].slug);
        cr_assert_not_null(strstr(problem->detail, bad[i].part), "%s", problem->detail);
        tqa_dataset_close(d);
    }
}

Test(dataset, options)
{
    tqa_problem problem;
    tqa_dataset_options o;
    cr_assert(tqa_dataset_options_read("format=csv&delimiter=tab", NULL, &o, &problem));
    cr_assert(o.format == TQA_DATASET_CSV && o.delimiter == '\t');
    cr_assert(tqa_dataset_options_read(NULL, "application/x-npy", &o, &problem));
    cr_assert(o.format == TQA_DATASET_NPY);
    cr_assert(!tqa_dataset_options_read("delimiter=pipe", NULL, &o, &problem));
    cr_assert_str_eq(problem.slug, "invalid-value");
    cr_assert(!tqa_dataset_options_read(NULL, "image/png", &o, &problem));
    cr_assert_str_eq(problem.slug, "unsupported-media");
}
