/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/npy/test_npz_events.c - archives as events of documents, for any split into
 * pieces. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/codec/npy/npz_events.h"

enum { ROOM = 8192, COUNT_MAX = 1 << 20 };

/* ------------------------------------------------------- the events as one line of text */

typedef struct teller {
    char text[2048];
    size_t n;
    size_t n_event, refuse_at; /* the event that is refused; 0: none */
} teller;

static bool say(void *ctx, const char *text, size_t n)
{
    teller *t = ctx;
    cr_assert(lt(sz, t->n + n, sizeof t->text));
    memcpy(t->text + t->n, text, n);
    t->n += n;
    t->text[t->n] = '\0';
    return ++t->n_event != t->refuse_at;
}

static bool log_begin_map(void *ctx, uint64_t at)
{
    cr_assert(eq(u64, at, UINT64_MAX));
    return say(ctx, "{", 1);
}

static bool log_end_map(void *ctx, uint64_t at)
{
    (void)at;
    return say(ctx, "}", 1);
}

static bool log_begin_array(void *ctx, uint64_t at)
{
    (void)at;
    return say(ctx, "[", 1);
}

static bool log_end_array(void *ctx, uint64_t at)
{
    (void)at;
    return say(ctx, "]", 1);
}

static bool log_key(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    return say(ctx, text, n) && say(ctx, ":", 1);
}

static bool log_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        char digits[32];
        good = say(ctx, digits, (size_t)snprintf(digits, sizeof digits, "%g,", values[i]));
    }
    return good;
}

static bool log_rows(void *ctx, uint64_t at, const double *values, size_t n_row, size_t n_column,
                     size_t n_byte)
{
    (void)at;
    (void)n_byte;
    bool good = true;
    for (size_t i = 0; i < n_row && good; i++) {
        good = say(ctx, "[", 1) && log_numbers(ctx, at, values + i * n_column, n_column) &&
               say(ctx, "]", 1);
    }
    return good;
}

static const tqa_events array_by_array = {.begin_map = log_begin_map,
                                          .end_map = log_end_map,
                                          .key = log_key,
                                          .begin_array = log_begin_array,
                                          .end_array = log_end_array,
                                          .numbers = log_numbers};
static const tqa_events in_rows = {.begin_map = log_begin_map,
                                   .end_map = log_end_map,
                                   .key = log_key,
                                   .begin_array = log_begin_array,
                                   .end_array = log_end_array,
                                   .numbers = log_numbers,
                                   .rows = log_rows};

/* -------------------------------------------------------------------------- archives */

/* 1, 2, 3 ... by position */
static void count(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    const uint64_t n_column = *(const uint64_t *)ctx;
    for (size_t k = 0; k < n; k++) {
        ret[k] = (double)(row * n_column + column + k + 1);
    }
}

static size_t write_archive(char *out, const tqa_npz_member *members, size_t n_member)
{
    tqa_npz_encoder encoder;
    cr_assert(tqa_npz_encoder_init(&encoder, members, n_member));
    size_t used = 0;
    for (size_t n; (n = tqa_npz_encoder_read(&encoder, out + used, ROOM - used)) > 0;) {
        used += n;
    }
    return used;
}

static size_t four_arrays(char *out)
{
    static const uint64_t wide[] = {1, 3, 2, 0};
    const tqa_array arrays[] = {
        {.rank = 1, .shape = {4}, .gather = count, .ctx = (void *)(uintptr_t)&wide[0]},
        {.rank = 2, .shape = {2, 3}, .gather = count, .ctx = (void *)(uintptr_t)&wide[1]},
        {.rank = 2, .shape = {0, 2}, .gather = count, .ctx = (void *)(uintptr_t)&wide[2]},
        {.rank = 2, .shape = {3, 0}, .gather = count, .ctx = (void *)(uintptr_t)&wide[3]},
    };
    const tqa_npz_member members[] = {
        {"line", &arrays[0]}, {"table", &arrays[1]}, {"none", &arrays[2]}, {"narrow", &arrays[3]}};
    return write_archive(out, members, 4);
}

static const char expected_events[] = "{line:[1,2,3,4,]table:[[1,2,3,][4,5,6,]]none:[]narrow:[]}";

/* A table of 3 x 2 as numpy saves it with order='F'. */
static size_t fortran(char *out)
{
    uint64_t n_column = 2;
    const tqa_array array = {.rank = 2, .shape = {3, 2}, .gather = count, .ctx = &n_column};
    const tqa_npz_member member = {"q", &array};
    const size_t n = write_archive(out, &member, 1);
    enum { LOCAL = 30 + 5, VALUES = 6 * sizeof(double), DESCRIPTOR = 16, CRC_OF_ENTRY = 16 };
    memcpy(memmem(out, n, "False", 5), "True ", 5);
    char *descriptor = memmem(out, n, "PK\x07\x08", 4);
    char *entry = memmem(out, n, "PK\x01\x02", 4);
    const uLong crc = crc32(0, (const Bytef *)out + LOCAL, (uInt)(descriptor - out) - LOCAL);
    const uint32_t little = (uint32_t)crc;
    memcpy(descriptor + 4, &little, sizeof little);
    memcpy(entry + CRC_OF_ENTRY, &little, sizeof little);
    return n;
}

static tqa_decode decode(const char *bytes, size_t n, size_t step, const tqa_events *events,
                         teller *t)
{
    tqa_npz_events archive;
    t->n = t->n_event = 0;
    t->text[0] = '\0';
    tqa_npz_events_init(&archive, events, t, COUNT_MAX);
    tqa_decode state = TQA_DECODE_OK;
    for (size_t at = 0; at < n && state == TQA_DECODE_OK; at += step) {
        state = tqa_npz_events_feed(&archive, bytes + at, n - at < step ? n - at : step);
    }
    if (state == TQA_DECODE_OK) {
        state = tqa_npz_events_finish(&archive);
    }
    cr_assert(not(tqa_npz_events_busy(&archive)));
    tqa_npz_events_clear(&archive);
    return state;
}

Test(npz_events, the_same_however_it_is_cut)
{
    static char bytes[ROOM];
    static teller t;
    const size_t n = four_arrays(bytes);
    static const size_t steps[] = {1, 3, 8, 100, ROOM};
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        for (int with_rows = 0; with_rows < 2; with_rows++) {
            cr_assert(
                eq(int, (int)decode(bytes, n, steps[s], with_rows ? &in_rows : &array_by_array, &t),
                   TQA_DECODE_OK));
            cr_assert(eq(str, t.text, (char *)(uintptr_t)expected_events), "step %zu", steps[s]);
        }
    }
}

Test(npz_events, an_archive_of_nothing_is_an_empty_map)
{
    static char bytes[ROOM];
    static teller t;
    const size_t n = write_archive(bytes, NULL, 0);
    cr_assert(eq(int, (int)decode(bytes, n, n, &in_rows, &t), TQA_DECODE_OK));
    cr_assert(eq(str, t.text, "{}"));
}

Test(npz_events, fortran_order_is_turned)
{
    static char bytes[ROOM];
    static teller t;
    const size_t n = fortran(bytes);
    for (size_t step = 1; step < 200; step += 33) {
        cr_assert(eq(int, (int)decode(bytes, n, step, &in_rows, &t), TQA_DECODE_OK));
        cr_assert(eq(str, t.text, "{q:[[1,4,][2,5,][3,6,]]}"), "step %zu", step);
    }
}

Test(npz_events, fortran_order_is_bounded_before_its_values_come)
{
    static char bytes[ROOM];
    static teller t;
    uint64_t n_column = 2;
    const tqa_array array = {
        .rank = 2, .shape = {(1 << 21) + 1, 2}, .gather = count, .ctx = &n_column};
    const tqa_npz_member member = {"q", &array};
    tqa_npz_encoder encoder;
    cr_assert(tqa_npz_encoder_init(&encoder, &member, 1));
    const size_t n = tqa_npz_encoder_read(&encoder, bytes, ROOM);
    memcpy(memmem(bytes, n, "False", 5), "True ", 5);
    tqa_npz_events archive;
    tqa_npz_events_init(&archive, &in_rows, &t, 1 << 24);
    cr_assert(eq(int, (int)tqa_npz_events_feed(&archive, bytes, n), TQA_DECODE_LIMIT));
    cr_assert(ne(ptr, strstr(tqa_npz_events_error(&archive).detail, "Fortran"), NULL));
    tqa_npz_events_clear(&archive);
}

Test(npz_events, a_receiver_may_refuse_anything)
{
    static char bytes[ROOM];
    static teller t;
    size_t n = four_arrays(bytes);
    (void)decode(bytes, n, n, &in_rows, &t);
    const size_t n_event = t.n_event;
    for (t.refuse_at = 1; t.refuse_at <= n_event; t.refuse_at++) {
        cr_assert(eq(int, (int)decode(bytes, n, 50, &in_rows, &t), TQA_DECODE_REFUSED), "event %zu",
                  t.refuse_at);
        cr_assert(eq(sz, t.n_event, t.refuse_at));
    }
    n = fortran(bytes);
    t.refuse_at = 5;
    cr_assert(eq(int, (int)decode(bytes, n, 50, &in_rows, &t), TQA_DECODE_REFUSED));
}

Test(npz_events, damage_is_malformed)
{
    static char bytes[ROOM];
    static teller t;
    const size_t n = four_arrays(bytes);
    cr_assert(eq(int, (int)decode(bytes, n - 1, ROOM, &in_rows, &t), TQA_DECODE_MALFORMED));
    bytes[200] ^= 1; /* a changed value: detected by the checksum */
    cr_assert(ne(int, (int)decode(bytes, n, ROOM, &in_rows, &t), TQA_DECODE_OK));
}
