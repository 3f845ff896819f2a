/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/csv/test_special.c - times, lists, and first lines with words. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/csv/csv.h"
#include "api/codec/csv/special.h"

Test(special, times_are_days_and_seconds_in_utc)
{
    /* days: by Python's datetime.date.toordinal() - 719163 */
    static const struct {
        const char *text;
        long day;
        double seconds;
    } good[] = {
        {"1970-01-01T00:00:00Z", 0, 0},
        {"2026-11-22T23:59:55.125", 20779, 86395.125},
        {"\"2026-11-22 23:59:55,5+01:00\"", 20779, 82795.5},
        {"2026-11-22T00:30+0100", 20778, 84600},
        {"2026-11-22T23:30:00-01", 20780, 1800},
        {"2024/02/29 12:00", 19782, 43200},
        {"2000-03-01T00:00:00.000000001", 11017, 1e-9},
        {"1999-12-31T23:59:60Z", 10956, 86400},
    };
    static const char *const bad[] = {"",
                                      "12.5",
                                      "2026-11-22",
                                      "2026-13-01T00:00:00",
                                      "2026-13-0100:00:00",
                                      "2026-01-00 00:00",
                                      "12:30",
                                      "-12:30",
                                      "2026-12:30",
                                      "2026-1112:30",
                                      "2026-11-22T24:00:00",
                                      "2026-11-22T1:00:00",
                                      "2026-11-22T10:00:00.",
                                      "2026-11-22T10:00:00+1",
                                      "2026-11-22T10:61",
                                      "20261122T100000"};
    int64_t day = 0;
    double seconds = 0.0;
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        cr_assert(tqa_csv_time_read(good[k].text, strlen(good[k].text), &day, &seconds), "%s",
                  good[k].text);
        cr_assert_eq(day, good[k].day, "%s: day %ld", good[k].text, (long)day);
        cr_assert_float_eq(seconds, good[k].seconds, 1e-10, "%s: %.12f", good[k].text, seconds);
    }
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        cr_assert_not(tqa_csv_time_read(bad[k], strlen(bad[k]), &day, &seconds), "%s", bad[k]);
    }
}

Test(special, lists_of_numbers_and_words)
{
    static const struct {
        const char *text;
        size_t n;
        double last;
        const char *word;
    } cases[] = {
        {"[1, 2, 3.5]", 3, 3.5, NULL},
        {"\"(1; -2)\"", 2, -2, NULL},
        {"[1 2  3]", 3, 3, NULL},
        {"\"array('d', [0.5, nan, 1e3])\"", 3, 1000, NULL},
        {"tensor([7])", 1, 7, NULL},
        {"['a', 'bc']", 2, 0, "bc"},
        {"\"[\"\"a\"\", \"\"bc\"\"]\"", 2, 0, "bc"},
        {"[]", 0, 0, NULL},
        {"[1, x]", 0, 0, NULL},
        {"[1", 0, 0, NULL},
        {"1]", 0, 0, NULL},
        {"(a)", 0, 0, NULL},
        {"f(1)", 0, 0, NULL},
        {"['a, 'b']", 0, 0, NULL},
        {"", 0, 0, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tqa_csv_item items[4] = {{0}};
        const size_t n = tqa_csv_list_read(cases[k].text, strlen(cases[k].text), 4, items);
        cr_assert_eq(n, cases[k].n, "%s: %zu", cases[k].text, n);
        if (n > 0 && cases[k].word == NULL) {
            cr_assert_eq(items[n - 1].value, cases[k].last, "%s", cases[k].text);
        } else if (n > 0) {
            cr_assert_eq(items[n - 1].n_word, strlen(cases[k].word));
            cr_assert_eq(memcmp(items[n - 1].word, cases[k].word, items[n - 1].n_word), 0);
        }
    }
}

typedef struct seen {
    char text[1000]; /* expected events: names, then rows */
    size_t n_text;
} seen;

static bool take_columns(void *ctx, size_t n, const char *const *names)
{
    seen *s = ctx;
    for (size_t c = 0; c < n; c++) {
        snprintf(s->text + strlen(s->text), 100, "%s,", names[c]);
    }
    return true;
}

static bool take_row(void *ctx, const double *values, size_t n, size_t n_text)
{
    seen *s = ctx;
    snprintf(s->text + strlen(s->text), 2, "|");
    for (size_t c = 0; c < n; c++) {
        snprintf(s->text + strlen(s->text), 40, isnan(values[c]) ? "-," : "%g,", values[c]);
    }
    s->n_text += n_text;
    return true;
}

static const tqa_csv_sink sink = {take_columns, take_row};

static tqa_csv_first_line decode(const char *text, size_t piece, seen *s, char words[200])
{
    const size_t n = strlen(text);
    tqa_csv_decoder *d = tqa_csv_decoder_new(&sink, s, 0);
    for (size_t at = 0; at < n; at += piece) {
        cr_assert_eq(tqa_csv_decoder_feed(d, text + at, n - at < piece ? n - at : piece),
                     TQA_DECODE_OK, "%s", tqa_csv_decoder_detail(d));
    }
    cr_assert_eq(tqa_csv_decoder_finish(d), TQA_DECODE_OK);
    words[0] = '\0';
    for (size_t c = 0; c < 3; c++) {
        snprintf(words + strlen(words), 60, "%s%s,", tqa_csv_decoder_word(d, c),
                 tqa_csv_decoder_is_time(d, c) ? "(time)" : "");
    }
    const tqa_csv_first_line first = tqa_csv_decoder_first_line(d);
    tqa_csv_decoder_free(d);
    return first;
}

Test(special, first_lines)
{
    static const struct {
        const char *text, *rows, *words;
        bool has_both, is_row;
        size_t n_text;
    } cases[] = {
        /* a header line; one with a number as a name; one above a line of units */
        {"t,a,b\n0,1,2\n", "t,a,b,|0,1,2,", ",,,", false, false, 0},
        {"t,1,b\n0,1,2\n", "t,1,b,|0,1,2,", ",,,", true, false, 0},
        {"t,a,b\ns,deg,Nm\n0,1,2\n", "t,a,b,|-,-,-,|0,1,2,", "s,deg,Nm,", false, false, 3},
        /* rows with words, and one alone */
        {"0,up,1\n1,up,2\n", ",,,|0,-,1,|1,-,2,", ",up,,", true, true, 2},
        {"0,up,1\n1,2,2\n", "0,up,1,|1,2,2,", ",,,", true, false, 0},
        {"t,a,b\n", "t,a,b,", ",,,", false, false, 0},
        {"0,up,1\n", "0,up,1,", ",,,", true, false, 0},
        /* times and lists, with a header and without */
        {"at,q,s\n2026-11-22T23:59:59Z,\"[1,2]\",up\n2026-11-23T00:00:01Z,\"[3,4]\",up\n",
         "at,q[0],q[1],s,|86399,1,2,-,|86401,3,4,-,", "(time),,,", false, false, 2},
        {"2026-11-22T00:00:01Z;1\n2026-11-22T00:00:02Z;2\n", ",,|1,1,|2,2,", NULL, false, false, 0},
        /* the seconds of all columns are from the midnight of the first time in the first row */
        {"at,until\n2026-11-22T00:00:01Z,2026-11-23T00:00:02Z\n2026-11-22T00:00:03Z,2026-11-23T00:00:04Z\n",
         "at,until,|1,86402,|3,86404,", "(time),(time),,", false, false, 0},
        {"n;q\n1;[1,2]\n2;[1]\n3;x\n", "n,q[0],q[1],|1,1,2,|2,-,-,|3,-,-,", ",,,", false, false, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (size_t piece = 1; piece < 60; piece += 3) {
            char words[200];
            seen s = {0};
            const tqa_csv_first_line first = decode(cases[k].text, piece, &s, words);
            cr_assert_str_eq(s.text, cases[k].rows);
            cr_assert_eq(first.has_both, cases[k].has_both, "%s", cases[k].text);
            cr_assert_eq(first.is_row, cases[k].is_row, "%s", cases[k].text);
            cr_assert_eq(s.n_text, cases[k].n_text, "%s: %zu", cases[k].text, s.n_text);
            if (cases[k].words != NULL) {
                cr_assert_str_eq(words, cases[k].words);
            }
        }
    }
}
