/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_csv.c - CSV of any bytes: the same table whole and in pieces, rows of one width.
 * The first byte of the input is the size of the pieces, the second chooses the delimiter. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/csv/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct received {
    size_t n_column;
    uint64_t n_row, n_text, n_gap, names;
    double sum;
} received;

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static bool on_columns(void *ctx, size_t n, const char *const *names)
{
    received *t = ctx;
    require(t->n_column == 0 && n > 0 && n <= TQA_CSV_COLUMNS_MAX);
    t->n_column = n;
    for (size_t i = 0; i < n; i++) {
        require(strlen(names[i]) <= TQA_CSV_NAME_MAX);
        for (const char *c = names[i]; *c != '\0'; c++) {
            t->names = t->names * 31 + (unsigned char)*c;
        }
    }
    return true;
}

static bool on_row(void *ctx, const double *values, size_t n, size_t n_text)
{
    received *t = ctx;
    require(n == t->n_column && n_text <= n);
    t->n_row++;
    t->n_text += n_text;
    for (size_t i = 0; i < n; i++) {
        t->n_gap += !isfinite(values[i]);
        t->sum = isfinite(values[i]) ? t->sum / 2 + values[i] / 4 : t->sum;
    }
    return true;
}

static tqa_decode decode(const char *bytes, size_t n, size_t piece, char delimiter, received *t,
                         uint64_t *ret_line)
{
    static const tqa_csv_sink sink = {on_columns, on_row};
    tqa_csv_decoder *decoder = tqa_csv_decoder_new(&sink, t, delimiter);
    require(decoder != NULL);
    for (size_t i = 0; i < n; i += piece) {
        /* exactly sized: a look beyond the piece is seen */
        const size_t some = n - i < piece ? n - i : piece;
        char *copy = malloc(some);
        require(copy != NULL);
        memcpy(copy, bytes + i, some);
        (void)tqa_csv_decoder_feed(decoder, copy, some);
        free(copy);
    }
    const tqa_decode status = tqa_csv_decoder_finish(decoder);
    *ret_line = tqa_csv_decoder_line(decoder) * 2 + tqa_csv_decoder_cut(decoder);
    require(status == TQA_DECODE_OK || tqa_csv_decoder_detail(decoder) != NULL);
    tqa_csv_decoder_free(decoder);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char delimiters[] = {0, ',', ';', '\t', ' '};
    if (size < 2) {
        return 0;
    }
    const char *bytes = (const char *)data + 2;
    const char delimiter = delimiters[data[1] % sizeof delimiters];
    received whole = {.n_row = 0};
    received pieces = {.n_row = 0};
    uint64_t whole_line = 0;
    uint64_t pieces_line = 0;
    const tqa_decode status = decode(bytes, size - 2, size, delimiter, &whole, &whole_line);
    require(decode(bytes, size - 2, (size_t)data[0] + 1, delimiter, &pieces, &pieces_line) ==
            status);
    require(whole.n_column == pieces.n_column && whole.names == pieces.names);
    require(whole_line == pieces_line && whole.n_row == pieces.n_row);
    require(whole.n_text == pieces.n_text && whole.n_gap == pieces.n_gap);
    require(memcmp(&whole.sum, &pieces.sum, sizeof whole.sum) == 0);
    return 0;
}
