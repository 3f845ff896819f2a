/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/formats.c - the same table of numbers as JSON, CBOR and NPY: decoding and encoding,
 * as ratios to JSON in the same run. Usage: formats [ROUNDS]. Medians of the thread's CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/codec/cbor/cbor.h"
#include "api/codec/json/scan.h"
#include "api/codec/npy/npy.h"
#include "api/codec/number/number.h"
#include "tests/support/number_text.h"

enum { ROWS = 10000, COLUMNS = 21, COUNT = ROWS * COLUMNS, ROUNDS_MAX = 101, PIECE = 32768 };

static double values[COUNT];
static double columns[COLUMNS][ROWS]; /* where the sinks write: one column after another */
static size_t received;
static char json[COUNT * 26 + 64];
static char cbor[COUNT * 8 + 128];
static char npy[COUNT * 8 + TQA_NPY_HEADER_SIZE];
static char out[sizeof json];
static size_t json_size;
static size_t cbor_size;
static size_t npy_size;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static bool on_nothing(void *ctx, uint64_t at)
{
    (void)ctx;
    (void)at;
    return true;
}
static bool on_numbers(void *ctx, uint64_t at, const double *run, size_t n)
{
    (void)ctx;
    (void)at;
    size_t row = received / COLUMNS;
    size_t column = received % COLUMNS;
    for (size_t i = 0; i < n; i++) {
        columns[column][row] = run[i];
        if (++column == COLUMNS) {
            column = 0;
            row++;
        }
    }
    received += n;
    return true;
}
static bool on_number(void *ctx, uint64_t at, double value)
{
    return on_numbers(ctx, at, &value, 1);
}
static const tqa_events events = {
    .begin_array = on_nothing,
    .end_array = on_nothing,
    .number = on_number,
    .numbers = on_numbers,
};

static bool on_shape(void *ctx, const tqa_npy_shape *shape)
{
    (void)ctx;
    return shape->n_row == ROWS && shape->n_column == COLUMNS;
}
static bool on_values(void *ctx, uint64_t row, uint64_t column, const double *run, size_t n)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++) {
        columns[column + i][row] = run[i];
    }
    received += n;
    return true;
}

static void decode_json(void)
{
    static tqa_json_scan scan;
    tqa_json_scan_init(&scan, &events, NULL);
    for (size_t i = 0; i < json_size; i += PIECE) {
        (void)tqa_json_scan_feed(&scan, json + i, json_size - i < PIECE ? json_size - i : PIECE);
    }
    require(tqa_json_scan_finish(&scan) == TQA_DECODE_OK);
}

static void decode_cbor(void)
{
    static tqa_cbor_decoder decoder;
    tqa_cbor_decoder_init(&decoder, &events, NULL);
    for (size_t i = 0; i < cbor_size; i += PIECE) {
        (void)tqa_cbor_decoder_feed(&decoder, cbor + i,
                                    cbor_size - i < PIECE ? cbor_size - i : PIECE);
    }
    require(tqa_cbor_decoder_finish(&decoder) == TQA_DECODE_OK);
}

static void decode_npy(void)
{
    static const tqa_npy_sink sink = {.shape = on_shape, .values = on_values};
    static tqa_npy_decoder decoder;
    tqa_npy_decoder_init(&decoder, &sink, NULL, COUNT);
    for (size_t i = 0; i < npy_size; i += PIECE) {
        (void)tqa_npy_decoder_feed(&decoder, npy + i, npy_size - i < PIECE ? npy_size - i : PIECE);
    }
    require(tqa_npy_decoder_finish(&decoder) == TQA_DECODE_OK);
}

static void gather(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++) {
        ret[i] = columns[column + i][row];
    }
}
static const tqa_array array = {.rank = 2, .shape = {ROWS, COLUMNS}, .gather = gather};

static size_t print_json(char *to)
{
    char *p = to;
    *p++ = '[';
    for (size_t row = 0; row < ROWS; row++) {
        *p++ = '[';
        for (size_t column = 0; column < COLUMNS; column++) {
            p = tqa_number_print(columns[column][row], p);
            *p++ = ',';
        }
        p[-1] = ']';
        *p++ = ',';
    }
    p[-1] = ']';
    return (size_t)(p - to);
}

static size_t write_cbor(char *to)
{
    uint64_t index = 0;
    size_t n = tqa_cbor_array_head(&array, to);
    for (size_t got = 0; (got = tqa_array_encode(&array, &index, to + n, PIECE)) > 0;) {
        n += got;
    }
    return n;
}

static size_t write_npy(char *to)
{
    tqa_npy_encoder encoder;
    tqa_npy_encoder_init(&encoder, &array);
    size_t n = 0;
    for (size_t got = 0; (got = tqa_npy_encoder_read(&encoder, to + n, PIECE)) > 0;) {
        n += got;
    }
    return n;
}

static void encode_json(void)
{
    require(print_json(out) == json_size);
}
static void encode_cbor(void)
{
    require(write_cbor(out) == cbor_size);
}
static void encode_npy(void)
{
    require(write_npy(out) == npy_size);
}

static const struct {
    const char *name;
    void (*run)(void);
    bool decodes;
} rows[] = {
    {"decode, JSON", decode_json, true},  {"decode, CBOR", decode_cbor, true},
    {"decode, NPY", decode_npy, true},    {"encode, JSON", encode_json, false},
    {"encode, CBOR", encode_cbor, false}, {"encode, NPY", encode_npy, false},
};
enum { N_ROW = sizeof rows / sizeof rows[0], FIRST_ENCODE = 3 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    const int rounds = wanted < 1 || wanted > ROUNDS_MAX ? 15 : (int)wanted;
    uint64_t state = 7;
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = 6.0 * (double)(number_random(&state) >> 11) * 0x1p-53 - 3.0;
        columns[i % COLUMNS][i / COLUMNS] = values[i];
    }
    json_size = print_json(json);
    cbor_size = write_cbor(cbor);
    npy_size = write_npy(npy);

    static double ns[N_ROW][ROUNDS_MAX];
    for (int round = -1; round < rounds; round++) { /* round -1 warms up */
        for (int row = 0; row < N_ROW; row++) {
            received = 0;
            memset(columns, 0, rows[row].decodes ? sizeof columns : 0);
            const double start = now_ns();
            rows[row].run();
            ns[row][round < 0 ? 0 : round] = (now_ns() - start) / (double)COUNT;
            if (rows[row].decodes) {
                require(received == COUNT && columns[3][5] == values[5 * COLUMNS + 3]);
            }
        }
    }
    for (int row = 0; row < N_ROW; row++) {
        qsort(ns[row], (size_t)rounds, sizeof ns[row][0], by_size);
    }
    printf("%d x %d numbers, %.1f bytes each in JSON, in pieces of %d bytes\n", ROWS, COLUMNS,
           (double)json_size / (double)COUNT, PIECE);
    for (int row = 0; row < N_ROW; row++) {
        const int peer = rows[row].decodes ? 0 : FIRST_ENCODE;
        const double median = ns[row][rounds / 2];
        printf("  %-14s %6.2f ns (%.2f .. %.2f)  JSON takes %5.1f x as long\n", rows[row].name,
               median, ns[row][rounds / 4], ns[row][3 * rounds / 4], ns[peer][rounds / 2] / median);
    }
    return 0;
}
