/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/codec/test_writer.c - the bytes of nested documents, as JSON and as CBOR. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/writer.h"

static void write_all(tqa_writer *w)
{
    static const char *const names[] = {"a", "b\"c"};
    tqa_writer_object(w, NULL);
    tqa_writer_integer(w, "n", -500);
    tqa_writer_integer(w, "m", 24);
    tqa_writer_null(w, "none");
    tqa_writer_number_or_null(w, "x", (double)NAN);
    tqa_writer_names(w, "names", names, 2);
    tqa_writer_object_of(w, "o", 1);
    tqa_writer_flag(w, "f", true);
    tqa_writer_end(w);
    tqa_writer_end(w);
}

Test(writer, json)
{
    tqa_writer w = {.cbor = false};
    size_t n = 0;
    write_all(&w);
    char *text = tqa_writer_take(&w, &n);
    cr_assert(eq(str, text,
                 "{\"n\":-500,\"m\":24,\"none\":null,\"x\":null,\"names\":[\"a\",\"b\\\"c\"],"
                 "\"o\":{\"f\":true}}"));
    cr_expect(eq(sz, n, strlen(text)));
    cr_expect(not(w.not_finite));
    free(text);
}

/* what is no number is null, with its reason beside it */
Test(writer, numbers_that_are_not_finite_have_a_reason)
{
    tqa_writer w = {.cbor = false};
    size_t n = 0;
    tqa_writer_object(&w, NULL);
    tqa_writer_finite(&w, "a", 2.5, "unused");
    tqa_writer_finite(&w, "b", HUGE_VAL, "no data");
    tqa_writer_finite(&w, "c", (double)NAN, "it fits exactly");
    tqa_writer_number_or_null(&w, "d", (double)NAN);
    tqa_writer_end(&w);
    char *text = tqa_writer_take(&w, &n);
    cr_assert(eq(str, text,
                 "{\"a\":2.5,\"b\":null,\"b_reason\":\"no data\",\"c\":null,"
                 "\"c_reason\":\"it fits exactly\",\"d\":null}"));
    cr_expect(not(w.not_finite));
    free(text);
}

/* encoded by hand after RFC 8949 section 3: -500 is 39 01f3 (appendix A has -1000: 39 03e7) */
Test(writer, cbor)
{
    static const unsigned char want[] = {0xbf, 0x61, 'n',  0x39, 0x01, 0xf3, 0x61, 'm',  0x18, 0x18,
                                         0x64, 'n',  'o',  'n',  'e',  0xf6, 0x61, 'x',  0xf6, 0x65,
                                         'n',  'a',  'm',  'e',  's',  0x82, 0x61, 'a',  0x63, 'b',
                                         '"',  'c',  0x61, 'o',  0xa1, 0x61, 'f',  0xf5, 0xff};
    tqa_writer w = {.cbor = true};
    size_t n = 0;
    write_all(&w);
    char *bytes = tqa_writer_take(&w, &n);
    cr_assert(eq(sz, n, sizeof want));
    cr_expect(memcmp(bytes, want, n) == 0);
    free(bytes);
}

/* RFC 8746: a list of doubles, little endian, is tag 86 of bytes; a table tag 40 of its shape and
 * such a list */
Test(writer, rows_one_by_one)
{
    static const unsigned char list[] = {0x61, 'x',  0xd8, 0x56, 0x50, 0, 0, 0, 0, 0,   0,
                                         0xf0, 0x3f, 0,    0,    0,    0, 0, 0, 0, 0x40};
    static const unsigned char table[] = {0x61, 'x',  0xd8, 0x28, 0x82, 0x82, 0x02, 0x01, 0xd8,
                                          0x56, 0x50, 0,    0,    0,    0,    0,    0,    0xf0,
                                          0x3f, 0,    0,    0,    0,    0,    0,    0,    0x40};
    static const double x[] = {1.0, 2.0};
    for (int k = 0; k < 4; k++) {
        const bool flat = k % 2 == 0;
        tqa_writer w = {.cbor = k < 2};
        size_t n = 0;
        tqa_writer_object_of(&w, NULL, 1);
        tqa_writer_rows_begin(&w, "x", 2, 1, flat);
        for (size_t i = 0; i < 2; i++) {
            tqa_writer_row(&w, &x[i], 1, flat);
        }
        tqa_writer_rows_end(&w);
        tqa_writer_end(&w);
        char *bytes = tqa_writer_take(&w, &n);
        if (k < 2) {
            const unsigned char *want = flat ? list : table;
            cr_assert(eq(sz, n, 1 + (flat ? sizeof list : sizeof table)));
            cr_expect(eq(int, (unsigned char)bytes[0], 0xa1));
            cr_expect(memcmp(bytes + 1, want, n - 1) == 0);
        } else {
            cr_expect(eq(str, bytes,
                         flat ? (char *)"{\"x\":[1.0,2.0]}" : (char *)"{\"x\":[[1.0],[2.0]]}"));
        }
        free(bytes);
    }
}

/* members written without braces are inserted into the enclosing object */
Test(writer, members_without_brackets)
{
    tqa_writer w = {.cbor = false};
    size_t n = 0;
    tqa_writer_members(&w);
    tqa_writer_string(&w, "a", "b");
    tqa_writer_encoded(&w, "e", "[1]", 3);
    tqa_writer_object(&w, "o");
    char *text = tqa_writer_take_open(&w, &n);
    cr_expect(eq(str, text, "\"a\":\"b\",\"e\":[1],\"o\":{"));
    free(text);
    tqa_writer_encoded_members(&w, "\"p\":1", 5);
    tqa_writer_string(&w, "q", "");
    text = tqa_writer_take_open(&w, &n);
    cr_expect(eq(str, text, "\"p\":1,\"q\":\"\","));
    free(text);
}

/* a buffer of fixed size is not exceeded, and its failure is final */
Test(writer, fixed_buffer)
{
    static const char whole[] = "{\"key\":\"a text\",\"x\":0.1}";
    for (size_t size = 1; size < sizeof whole + 40; size++) {
        char *memory = malloc(size);
        tqa_writer w = {.text = {.bytes = memory, .capacity = size, .fixed = true}};
        tqa_writer_object(&w, NULL);
        tqa_writer_string(&w, "key", "a text");
        tqa_writer_number(&w, "x", 0.1);
        tqa_writer_end(&w);
        cr_assert(w.text.n < size, "size %zu", size);
        if (!w.text.failed) {
            cr_expect(eq(sz, w.text.n, sizeof whole - 1));
            cr_expect(memcmp(memory, whole, w.text.n) == 0);
        } else {
            tqa_json_text_raw(&w.text, "");
            cr_expect(w.text.failed);
        }
        free(memory);
    }
}

/* every byte of a string alone and next to others: unescaped bytes are copied */
Test(writer, strings)
{
    static const struct {
        const char *text, *json;
    } rows[] = {
        {"", "\"\""},
        {"plain text \x7f", "\"plain text \x7f\""},
        {"a\"b\\c\n\x1f", "\"a\\\"b\\\\c\\u000a\\u001f\""},
        {"\xc3\xa9tat \xe2\x82\xac", "\"\xc3\xa9tat \xe2\x82\xac\""},
        {"\xffz", "\"\xef\xbf\xbdz\""},
        {"a\xed\xa0\x80", "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* a surrogate */
        {"cut \xe2\x82", "\"cut \xef\xbf\xbd\xef\xbf\xbd\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqa_json_text text = {0};
        size_t n = 0;
        tqa_json_text_string(&text, rows[i].text);
        char *json = tqa_json_text_take(&text, &n);
        cr_expect(eq(str, json, (char *)rows[i].json), "row %zu", i);
        free(json);
    }
}

/* one byte of each value at each position of a longer string: escaped exactly if required */
Test(writer, every_byte_at_every_place)
{
    for (unsigned c = 1; c < 0x80; c++) {
        for (size_t at = 0; at < 20; at++) {
            char string[] = "abcdefgh!ZYX~01 #][x";
            char want[40];
            tqa_json_text text = {0};
            size_t n = 0;
            string[at] = (char)c;
            int used = snprintf(want, sizeof want, "\"%.*s", (int)at, string);
            used += snprintf(want + used, sizeof want - (size_t)used,
                             c < 0x20                ? "\\u%04x"
                             : c == '"' || c == '\\' ? "\\%c"
                                                     : "%c",
                             c);
            (void)snprintf(want + used, sizeof want - (size_t)used, "%s\"", string + at + 1);
            tqa_json_text_string(&text, string);
            char *json = tqa_json_text_take(&text, &n);
            cr_assert(eq(str, json, want), "byte %u at %zu", c, at);
            free(json);
        }
    }
}

/* the readable form: spaces, and line breaks where requested */
Test(writer, spaces_and_lines)
{
    static const double m[4] = {1.0, 2.0, 3.0, 4.0};
    tqa_writer w = {.is_spaced = true};
    size_t n = 0;
    tqa_writer_object(&w, NULL);
    tqa_writer_string(&w, "a", "b");
    tqa_writer_line(&w, 1);
    tqa_writer_list(&w, "l");
    for (size_t k = 0; k < 2; k++) {
        tqa_writer_line(&w, 4);
        tqa_writer_object(&w, NULL);
        tqa_writer_count(&w, "n", k);
        tqa_writer_matrix(&w, "m", m, 2, 2);
        tqa_writer_end(&w);
    }
    tqa_writer_line(&w, 0);
    tqa_writer_end(&w);
    tqa_writer_end(&w);
    tqa_writer_finish(&w);
    char *text = tqa_writer_take(&w, &n);
    cr_assert(eq(str, text,
                 "{\"a\": \"b\",\n \"l\": [\n    {\"n\": 0, \"m\": [[1.0, 2.0], [3.0, 4.0]]},"
                 "\n    {\"n\": 1, \"m\": [[1.0, 2.0], [3.0, 4.0]]}\n]}\n"));
    free(text);
}

static void count_up(void *ctx, uint64_t row, uint64_t column, size_t n, double *ret)
{
    const tqa_array *array = *(const tqa_array **)ctx;
    const uint64_t each = array->rank > 1 ? tqa_array_count(array) / array->shape[0] : 1;
    for (size_t k = 0; k < n; k++) {
        ret[k] = (double)(row * each + column + k) + 0.5;
    }
}

/* A document with one streamed array, in pieces of a buffer of `size` bytes. */
static size_t stream(const tqa_array *array, bool cbor, size_t size, char *ret)
{
    enum { MOST = 512 };
    char buffer[MOST];
    tqa_writer w = {.cbor = cbor};
    uint64_t index = 0;
    size_t n = 0;
    bool begun = false;
    for (bool more = true; more;) {
        w.text = (tqa_json_text){.bytes = buffer, .capacity = size, .fixed = true};
        if (!begun) {
            tqa_writer_object_of(&w, NULL, 1);
            tqa_writer_stream_begin(&w, "x", array);
            begun = true;
        }
        more = !tqa_writer_stream(&w, array, &index);
        if (!more && size - w.text.n < 3) {
            more = true; /* the end of the document in a separate buffer */
        } else if (!more) {
            tqa_writer_stream_end(&w);
            tqa_writer_end(&w);
        }
        cr_assert(not(w.text.failed));
        memcpy(ret + n, buffer, w.text.n);
        n += w.text.n;
    }
    return n;
}

/* the same bytes as from an array in memory (except spaces), for any size of the buffer */
Test(writer, streamed_arrays)
{
    static const struct {
        size_t rank;
        uint64_t shape[4];
    } rows[] = {{1, {1}},          {1, {7}},     {2, {1, 1}}, {2, {5, 3}}, {3, {2, 3, 2}},
                {4, {2, 2, 3, 2}}, {2, {40, 7}}, {1, {0}},    {2, {3, 0}}, {2, {0, 3}}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const bool cbor = i % 2 != 0;
        tqa_array array = {.rank = rows[i / 2].rank, .gather = count_up};
        const tqa_array *self = &array;
        double x[300];
        size_t shape[4], n_want = 0;
        static char got[1 << 13];
        array.ctx = &self;
        for (size_t r = 0; r < array.rank; r++) {
            array.shape[r] = shape[r] = (size_t)rows[i / 2].shape[r];
        }
        for (size_t k = 0; k < tqa_array_count(&array); k++) {
            x[k] = (double)k + 0.5;
        }
        tqa_writer w = {.cbor = cbor};
        tqa_writer_object_of(&w, NULL, 1);
        tqa_writer_array(&w, "x", x, array.rank, shape);
        tqa_writer_end(&w);
        char *want = tqa_writer_take(&w, &n_want);
        size_t n_plain = 0;
        for (size_t k = 0; k < n_want; k++) { /* separators inside are ", " there */
            if (cbor || want[k] != ' ') {
                want[n_plain++] = want[k];
            }
        }
        for (size_t size = 100; size < 512; size += 41) {
            const size_t n = stream(&array, cbor, size, got);
            cr_assert(n == n_plain && memcmp(got, want, n) == 0, "%zu, %zu: %.*s not %.*s", i, size,
                      (int)n, got, (int)n_plain, want);
        }
        free(want);
    }
}
