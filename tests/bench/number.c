/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/number.c - scanning and printing numbers, as ratios to peers in the same run.
 * Usage: number [ROUNDS]. Rounds interleave all rows; each figure is the median over rounds of the
 * thread's CPU time, with the spread from the first to the third quarter. yyjson reads and writes
 * in a pool that is warm. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/codec/number/number.h"
#include "tests/bench/yyjson.h"
#include "tests/support/number_text.h"

enum { COUNT = 100000, ROUNDS_MAX = 101 };

/* One array of numbers, as text "[a,b,...]" and as doubles. */
typedef struct sample {
    const char *name;
    double *values;
    char *text;
    size_t size;
    void *document; /* of the peer, to be written; NULL: not measured */
} sample;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static volatile double sink;

static void scan_ours(const sample *s)
{
    double sum = 0.0;
    const char *end = s->text + s->size;
    for (const char *p = s->text + 1; p < end; p++) {
        double x = 0.0;
        if (tqa_number_scan(&p, end, &x) != TQA_NUMBER_OK) {
            abort();
        }
        sum += x;
    }
    sink = sum;
}

static void scan_strtod(const sample *s)
{
    double sum = 0.0;
    char *p = s->text + 1;
    for (int i = 0; i < COUNT; i++) {
        sum += strtod(p, &p);
        p++;
    }
    sink = sum;
}

static void scan_jansson(const sample *s)
{
    json_t *root = json_loadb(s->text, s->size, 0, NULL);
    double sum = 0.0;
    for (size_t i = 0; i < COUNT; i++) {
        sum += json_number_value(json_array_get(root, i));
    }
    json_decref(root);
    sink = sum;
}

static char out[COUNT * 32 + 64];

static void print_ours(const sample *s)
{
    char *p = out;
    for (int i = 0; i < COUNT; i++) {
        p = tqa_number_print(s->values[i], p);
        *p++ = ',';
    }
    sink = (double)(p - out);
}

static void print_libc(const sample *s)
{
    char *p = out;
    for (int i = 0; i < COUNT; i++) {
        p += snprintf(p, 32, "%.17g,", s->values[i]);
    }
    sink = (double)(p - out);
}

static void print_jansson(const sample *s)
{
    json_t *root = json_array();
    for (int i = 0; i < COUNT; i++) {
        json_array_append_new(root, json_real(s->values[i]));
    }
    sink = (double)json_dumpb(root, out, sizeof out, JSON_COMPACT);
    json_decref(root);
}

static void scan_yyjson(const sample *s)
{
    sink = tqb_yyjson_sum(s->text, s->size);
}

static void print_yyjson(const sample *s)
{
    sink = (double)tqb_yyjson_write(s->document);
}

static const struct {
    const char *name;
    void (*run)(const sample *s);
    int own; /* the row that is ours for the same work */
    bool is_yyjson;
    const char *target;
} rows[] = {
    {"scan, ours", scan_ours, 0, false, ""},
    {"scan, strtod", scan_strtod, 0, false, ""},
    {"scan, jansson", scan_jansson, 0, false, "  target 15"},
    {"scan, yyjson", scan_yyjson, 0, true, "  target 1.3"},
    {"print, ours", print_ours, 4, false, ""},
    {"print, %.17g", print_libc, 4, false, ""},
    {"print, jansson", print_jansson, 4, false, ""},
    {"print, yyjson", print_yyjson, 4, true, "  target 0.74"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static sample make_sample(const char *name, const char *format)
{
    sample s = {.name = name, .values = malloc(COUNT * sizeof(double)), .text = malloc(COUNT * 32)};
    uint64_t state = 5;
    char *p = s.text;
    *p++ = '[';
    for (int i = 0; i < COUNT; i++) {
        const double unit = (double)(number_random(&state) >> 11) * 0x1p-53;
        const int n = snprintf(p, 32, format, 6.0 * unit - 3.0);
        s.values[i] = strtod(p, NULL);
        p += n;
        *p++ = ',';
    }
    p[-1] = ']';
    s.size = (size_t)(p - s.text);
    s.document = tqb_yyjson_document(s.text, s.size);
    return s;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const int wanted = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 15;
    const int rounds = wanted < 1 || wanted > ROUNDS_MAX ? 15 : wanted;
    sample samples[] = {make_sample("17 digits, |x| < 3", "%.17g"),
                        make_sample("6 decimals, |x| < 3", "%.6f")};
    for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++) {
        const sample *s = &samples[k];
        static double ns[ROWS][ROUNDS_MAX];
        for (int round = -1; round < rounds; round++) { /* round -1 warms up */
            for (int row = 0; row < ROWS; row++) {
                if (rows[row].is_yyjson && s->document == NULL) {
                    continue;
                }
                const double start = now_ns();
                rows[row].run(s);
                ns[row][round < 0 ? 0 : round] = (now_ns() - start) / (double)COUNT;
            }
        }
        for (int row = 0; row < ROWS; row++) {
            qsort(ns[row], (size_t)rounds, sizeof ns[row][0], by_size);
        }
        printf("%s, %.1f bytes a number\n", s->name, (double)s->size / (double)COUNT);
        for (int row = 0; row < ROWS; row++) {
            const double median = ns[row][rounds / 2];
            if (rows[row].is_yyjson && s->document == NULL) {
                printf("  %-16s not measured (make deps-bench)\n", rows[row].name);
                continue;
            }
            printf("  %-16s %7.1f ns (%.1f .. %.1f)  %6.2f x ours%s\n", rows[row].name, median,
                   ns[row][rounds / 4], ns[row][3 * rounds / 4],
                   median / ns[rows[row].own][rounds / 2], rows[row].target);
        }
        free(s->values);
        free(s->text);
    }
    return 0;
}
