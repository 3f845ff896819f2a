/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/npy/test_npy.c - NPY as numpy writes it, for any split into pieces, and
 * errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/npy/npy.h"

enum { VALUES_MAX = 64, FILE_MAX = 8192 };

/* Data received by the sink. */
typedef struct received {
    tqa_npy_shape shape;
    double values[VALUES_MAX]; /* [row * n_column + column] */
    size_t n;
    bool in_order;
    size_t refuse_at; /* number of values after which the sink returns false */
} received;

static bool on_shape(void *ctx, const tqa_npy_shape *shape)
{
    received *t = ctx;
    t->shape = *shape;
    return t->refuse_at != 0;
}

static bool on_values(void *ctx, uint64_t row, uint64_t column, const double *values, size_t n)
{
    received *t = ctx;
    const tqa_npy_shape *s = &t->shape;
    const uint64_t index = s->fortran_order ? column * s->n_row + row : row * s->n_column + column;
    t->in_order &= index == t->n && n > 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = s->fortran_order ? row + i : row;
        const uint64_t c = s->fortran_order ? column : column + i;
        t->in_order &= r < s->n_row && c < s->n_column;
        t->values[r * s->n_column + c] = values[i];
    }
    t->n += n;
    return t->n < t->refuse_at;
}

static const tqa_npy_sink sink = {.shape = on_shape, .values = on_values};

typedef struct file {
    size_t n;
    char bytes[FILE_MAX];
} file;

static void add(file *f, const void *bytes, size_t n)
{
    cr_assert(le(sz, f->n + n, FILE_MAX));
    memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
}

static file make_file(int version, const char *header, const void *data, size_t n)
{
    file f = {.n = 0};
    const size_t length = strlen(header);
    const unsigned char prefix[] = {0x93,
                                    'N',
                                    'U',
                                    'M',
                                    'P',
                                    'Y',
                                    (unsigned char)version,
                                    0,
                                    (unsigned char)length,
                                    (unsigned char)(length >> 8),
                                    0,
                                    0};
    add(&f, prefix, version == 1 ? 10 : 12);
    add(&f, header, length);
    add(&f, data, n);
    return f;
}

static tqa_decode decode(const file *f, size_t piece, received *t, tqa_decode_error *reterr)
{
    static tqa_npy_decoder decoder;
    *t = (received){.in_order = true, .refuse_at = t->refuse_at == 0 ? 1 : t->refuse_at};
    tqa_npy_decoder_init(&decoder, &sink, t, VALUES_MAX);
    for (size_t i = 0; i < f->n; i += piece) {
        const size_t n = f->n - i < piece ? f->n - i : piece;
        (void)tqa_npy_decoder_feed(&decoder, f->bytes + i, n);
    }
    const tqa_decode status = tqa_npy_decoder_finish(&decoder);
    *reterr = decoder.error;
    return status;
}

static const double six[] = {1.5, -2.25, 3.0, 1e300, -0.0, 6.0};
#define C_HEADER "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   \n"
#define F_HEADER "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }   \n"

Test(npy, orders_versions_and_pieces)
{
    for (int version = 1; version <= 3; version++) {
        for (size_t piece = 1; piece <= 150; piece++) {
            file f = make_file(version, C_HEADER, six, sizeof six);
            received t = {.refuse_at = 1000};
            tqa_decode_error error;
            cr_assert(eq(int, (int)decode(&f, piece, &t, &error), TQA_DECODE_OK), "%zu", piece);
            cr_assert(t.in_order && t.n == 6 && t.shape.rank == 2 && !t.shape.fortran_order);
            cr_assert(memcmp(t.values, six, sizeof six) == 0);

            f = make_file(version, F_HEADER, six, sizeof six);
            cr_assert(eq(int, (int)decode(&f, piece, &t, &error), TQA_DECODE_OK), "%zu", piece);
            cr_assert(t.in_order && t.n == 6 && t.shape.fortran_order);
            const double rows[] = {six[0], six[2], six[4], six[1], six[3], six[5]};
            cr_assert(memcmp(t.values, rows, sizeof rows) == 0, "%zu", piece);
        }
    }
}

/* bytes written by numpy: np.array([1, -2]).astype(type).tobytes(); unsigned: [1, 254] */
static const struct {
    const char *type;
    const char *bytes;
    size_t n;
    double second;
} types[] = {
    {"<f8", "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 16, -2.0},
    {">f8", "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16, -2.0},
    {"<f4", "\0\0\x80\x3f\0\0\0\xc0", 8, -2.0},
    {">f4", "\x3f\x80\0\0\xc0\0\0\0", 8, -2.0},
    {"<f2", "\0\x3c\0\xc0", 4, -2.0},
    {">f2", "\x3c\0\xc0\0", 4, -2.0},
    {"|i1", "\x01\xfe", 2, -2.0},
    {"|u1", "\x01\xfe", 2, 254.0},
    {"<i2", "\x01\0\xfe\xff", 4, -2.0},
    {">u2", "\0\x01\0\xfe", 4, 254.0},
    {"<i4", "\x01\0\0\0\xfe\xff\xff\xff", 8, -2.0},
    {">i4", "\0\0\0\x01\xff\xff\xff\xfe", 8, -2.0},
    {"<u4", "\x01\0\0\0\xfe\0\0\0", 8, 254.0},
    {"<i8", "\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 16, -2.0},
    {">u8", "\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\xfe", 16, 254.0},
};

Test(npy, element_types)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char header[96];
        snprintf(header, sizeof header,
                 "{\"shape\":(2,),\"descr\":\"%s\",\"fortran_order\":False}\n", types[i].type);
        const file f = make_file(1, header, types[i].bytes, types[i].n);
        for (size_t piece = 1; piece < 20; piece++) {
            received t = {.refuse_at = 1000};
            tqa_decode_error error;
            cr_assert(eq(int, (int)decode(&f, piece, &t, &error), TQA_DECODE_OK), "%s",
                      types[i].type);
            cr_assert(t.shape.rank == 1 && t.shape.n_row == 2 && t.shape.n_column == 1);
            cr_assert(eq(dbl, t.values[0], 1.0), "%s", types[i].type);
            cr_assert(eq(dbl, t.values[1], types[i].second), "%s", types[i].type);
        }
    }
}

static const struct {
    const char *header;
    tqa_decode status;
} headers[] = {
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }\n", TQA_DECODE_OK},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (6, 1)}", TQA_DECODE_OK},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (6), }\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (06,), }\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (-6,), }\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,,), }\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (,), }\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2 3), }\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': false, 'shape': (6,), }\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, }\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (6,)}\n",
     TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,), 'x': 1}\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8' 'fortran_order': False, 'shape': (6,)}\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,)} x\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,)\n", TQA_DECODE_MALFORMED},
    {"{'descr': '<f8, 'fortran_order': False, 'shape': (6,)}\n", TQA_DECODE_MALFORMED},
    {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}\n", TQA_DECODE_MALFORMED},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (6,), }\n", TQA_DECODE_LIMIT},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (6,), }\n", TQA_DECODE_LIMIT},
    {"{'descr': '<f1', 'fortran_order': False, 'shape': (6,), }\n", TQA_DECODE_LIMIT},
    {"{'descr': '<i3', 'fortran_order': False, 'shape': (6,), }\n", TQA_DECODE_LIMIT},
    {"{'descr': '=f8', 'fortran_order': False, 'shape': (6,), }\n", TQA_DECODE_LIMIT},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", TQA_DECODE_LIMIT},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }\n", TQA_DECODE_LIMIT},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (65,), }\n", TQA_DECODE_LIMIT},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}\n",
     TQA_DECODE_LIMIT},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}\n",
     TQA_DECODE_MALFORMED},
};

Test(npy, headers)
{
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        const file f = make_file(1, headers[i].header, six, sizeof six);
        received t = {.refuse_at = 1000};
        tqa_decode_error error;
        cr_assert(eq(int, (int)decode(&f, 7, &t, &error), (int)headers[i].status), "%s",
                  headers[i].header);
        cr_assert(eq(int, error.detail != NULL, headers[i].status != TQA_DECODE_OK));
    }
}

Test(npy, prefixes_sizes_and_values_refused)
{
    received t = {.refuse_at = 1000};
    tqa_decode_error error;
    file f = make_file(1, C_HEADER, six, sizeof six);
    for (size_t i = 0; i < 8; i++) { /* magic and version */
        file bent = f;
        bent.bytes[i] ^= 0x10;
        cr_assert(ne(int, (int)decode(&bent, 5, &t, &error), TQA_DECODE_OK), "byte %zu", i);
    }
    for (size_t n = 0; n < f.n; n++) {
        file cut = f;
        cut.n = n;
        cr_assert(eq(int, (int)decode(&cut, 9, &t, &error), TQA_DECODE_MALFORMED), "cut %zu", n);
    }
    add(&f, "x", 1);
    cr_assert(eq(int, (int)decode(&f, 200, &t, &error), TQA_DECODE_MALFORMED));
    cr_assert(eq(u64, error.offset, f.n - 1));
    cr_assert(eq(int, (int)decode(&f, 1, &t, &error), TQA_DECODE_MALFORMED));

    /* a header length of 64 KiB, of 1 */
    file huge = make_file(1, C_HEADER, six, sizeof six);
    huge.bytes[8] = huge.bytes[9] = '\xff';
    cr_assert(eq(int, (int)decode(&huge, 50, &t, &error), TQA_DECODE_LIMIT));
    huge.bytes[8] = 1;
    huge.bytes[9] = 0;
    cr_assert(eq(int, (int)decode(&huge, 50, &t, &error), TQA_DECODE_MALFORMED));

    /* the values before a non-finite one are passed, and its position is reported */
    double bad[6];
    memcpy(bad, six, sizeof bad);
    bad[4] = (double)NAN;
    file f2 = make_file(1, C_HEADER, bad, sizeof bad);
    for (size_t piece = 1; piece < 200; piece++) {
        cr_assert(eq(int, (int)decode(&f2, piece, &t, &error), TQA_DECODE_NOT_FINITE));
        cr_assert(eq(sz, t.n, 4));
        cr_assert(eq(u64, error.offset, f2.n - 16));
    }
}

Test(npy, the_sink_may_refuse)
{
    const file f = make_file(1, C_HEADER, six, sizeof six);
    received t = {.refuse_at = 4};
    tqa_decode_error error;
    cr_assert(eq(int, (int)decode(&f, 300, &t, &error), TQA_DECODE_REFUSED));
    cr_assert(error.detail == NULL);
    cr_assert(lt(sz, t.n, 7));
}

Test(npy, empty_arrays)
{
    const char *shapes[] = {"(0,)", "(0, 7)", "(7, 0)"};
    for (size_t i = 0; i < 3; i++) {
        char header[96];
        snprintf(header, sizeof header, "{'descr':'<f8','fortran_order':False,'shape':%s}\n",
                 shapes[i]);
        const file f = make_file(1, header, "", 0);
        received t = {.refuse_at = 1000};
        tqa_decode_error error;
        cr_assert(eq(int, (int)decode(&f, 8, &t, &error), TQA_DECODE_OK));
        cr_assert(eq(sz, t.n, 0));
    }
}

static void gather(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    const uint64_t n_column = *(const uint64_t *)ctx;
    for (size_t i = 0; i < n; i++) {
        ret[i] = (double)(row * n_column + column + i) / 8.0;
    }
}

/* for any size of the pieces the file is the same, and decodes to the original */
Test(npy, encoder_writes_what_the_decoder_reads)
{
    uint64_t n_column = 12;
    const tqa_array array = {.rank = 3, .shape = {5, 4, 3}, .gather = gather, .ctx = &n_column};
    for (size_t size = 8; size < 800; size += 9) {
        tqa_npy_encoder encoder;
        tqa_npy_encoder_init(&encoder, &array);
        file f = {.n = 0};
        char out[800];
        for (size_t n = 0; (n = tqa_npy_encoder_read(&encoder, out, size)) > 0;) {
            cr_assert(le(sz, n, size));
            add(&f, out, n);
        }
        cr_assert(eq(u64, f.n, tqa_npy_encoder_size(&encoder)));
        cr_assert(eq(sz, (f.n - 60 * 8) % 64, 0));
        const char *expected = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 4, 3), }";
        cr_assert(memcmp(f.bytes + 10, expected, strlen(expected)) == 0);
        for (size_t i = 0; i < 60; i++) {
            double x;
            memcpy(&x, f.bytes + f.n - 60 * 8 + i * 8, sizeof x);
            cr_assert(eq(dbl, x, (double)i / 8.0));
        }
    }

    const tqa_array table = {.rank = 2, .shape = {5, 12}, .gather = gather, .ctx = &n_column};
    tqa_npy_encoder encoder;
    tqa_npy_encoder_init(&encoder, &table);
    file f = {.n = 0};
    f.n = tqa_npy_encoder_read(&encoder, f.bytes, FILE_MAX);
    received t = {.refuse_at = 1000};
    tqa_decode_error error;
    cr_assert(eq(int, (int)decode(&f, 11, &t, &error), TQA_DECODE_OK));
    cr_assert(t.n == 60 && t.values[59] == 59.0 / 8.0);
}

/* Numbers are passed in place, without a copy, if the piece begins where the decoder requests. */
enum { PLACE = 256 };
static _Alignas(double) char place[PLACE];
static size_t n_in_place;

static bool on_values_in_place(void *ctx, uint64_t row, uint64_t column, const double *values,
                               size_t n)
{
    const uintptr_t at = (uintptr_t)values, from = (uintptr_t)place;
    n_in_place += at >= from && at < from + PLACE ? n : 0;
    return on_values(ctx, row, column, values, n);
}

Test(npy, aligned_numbers_are_not_copied)
{
    static const tqa_npy_sink in_place = {.shape = on_shape, .values = on_values_in_place};
    double values[60];
    for (size_t i = 0; i < 60; i++) {
        values[i] = (double)i - 0.25;
    }
    file f = make_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (20, 3), }  \n",
                       values, sizeof values);
    static tqa_npy_decoder decoder;
    const size_t head = f.n - sizeof values;
    for (size_t piece = 1; piece <= PLACE - 8; piece++) {
        received t = {.in_order = true, .refuse_at = 1000};
        tqa_npy_decoder_init(&decoder, &in_place, &t, VALUES_MAX);
        n_in_place = 0;
        size_t n_whole = 0; /* numbers that are not split, in pieces after the header's */
        for (size_t i = 0; i < f.n; i += piece) {
            const size_t n = f.n - i < piece ? f.n - i : piece;
            const size_t phase = i > head ? (i - head) % 8 : 0; /* bytes of a split number */
            n_whole += decoder.has_shape ? (n - (8 - phase) % 8 * (n >= 8 - phase)) / 8 : 0;
            memcpy(place + phase, f.bytes + i, n);
            cr_assert(
                eq(int, (int)tqa_npy_decoder_feed(&decoder, place + phase, n), TQA_DECODE_OK));
        }
        cr_assert(eq(int, memcmp(t.values, values, sizeof values), 0), "piece %zu", piece);
        cr_assert(ge(sz, n_in_place, n_whole), "piece %zu", piece);
        cr_assert(piece < 16 || n_in_place > 0);
    }
}

/* doubles in native byte order may be read directly from byte 10 + header; not if they need a
 * conversion, if the form is not known yet, or if NaN would pass unchecked */
Test(npy, only_doubles_in_native_byte_order_are_read_directly)
{
    static const struct {
        const char *type;
        size_t size;
        bool plain;
    } types[] = {{"<f8", 8, true},  {">f8", 8, false}, {"<f4", 4, false},
                 {"<i8", 8, false}, {"<u8", 8, false}, {"|i1", 1, false}};
    static tqa_npy_decoder decoder;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        static const unsigned char zeros[6 * sizeof(double)];
        char header[80];
        received t = {.in_order = true, .refuse_at = 1000};
        const uint64_t size = types[i].size;
        const size_t n = (size_t)snprintf(
            header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (3, 2)}\n",
            types[i].type);
        const file f = make_file(1, header, zeros, 6 * types[i].size);
        tqa_npy_decoder_init(&decoder, &sink, &t, VALUES_MAX);
        decoder.takes_not_finite = true;
        uint64_t left = 0;
        cr_assert(eq(u64, tqa_npy_decoder_plain(&decoder, &left), 0), "before the header");
        cr_assert(eq(int, (int)tqa_npy_decoder_feed(&decoder, f.bytes, 10 + n), TQA_DECODE_OK));
        cr_assert(eq(u64, tqa_npy_decoder_plain(&decoder, &left), types[i].plain ? 10 + n : 0),
                  "%s", types[i].type);
        cr_assert(eq(u64, left, types[i].plain ? 6 : 0), "%s", types[i].type);
        if (size > 1) { /* within a number */
            (void)tqa_npy_decoder_feed(&decoder, f.bytes + 10 + n, 1);
            cr_assert(eq(u64, tqa_npy_decoder_plain(&decoder, &left), 0), "%s", types[i].type);
            (void)tqa_npy_decoder_feed(&decoder, f.bytes + 11 + n, size - 1);
        } else {
            (void)tqa_npy_decoder_feed(&decoder, f.bytes + 10 + n, 1);
        }
        const uint64_t at = tqa_npy_decoder_plain(&decoder, &left);
        cr_assert(eq(u64, at, types[i].plain ? 10 + n + size : 0), "%s", types[i].type);
        cr_assert(eq(u64, left, types[i].plain ? 5 : 0), "%s", types[i].type);
        decoder.takes_not_finite = false;
        cr_assert(eq(u64, tqa_npy_decoder_plain(&decoder, &left), 0), "%s", types[i].type);
    }
}
