/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/csv.c - tables of numbers as text, read as they arrive. */
#include "api/codec/csv/csv.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/csv/cell.h"
#include "api/codec/csv/csv_private.h"
#include "api/codec/csv/special.h"
#include "api/codec/number/number.h"

tqa_csv_decoder *tqa_csv_decoder_new(const tqa_csv_sink *sink, void *ctx, char delimiter)
{
    assert(sink != NULL);
    tqa_csv_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder != NULL) {
        decoder->sink = sink;
        decoder->ctx = ctx;
        decoder->delimiter = delimiter;
        decoder->line = 1;
    }
    return decoder;
}

void tqa_csv_decoder_free(tqa_csv_decoder *decoder)
{
    if (decoder != NULL) {
        free(decoder->values);
        free(decoder->held);
        free(decoder->comment);
        free(decoder->first);
        free(decoder->kinds);
        free(decoder->words);
        free(decoder);
    }
}

bool tqa_csv_decoder_cut(const tqa_csv_decoder *decoder)
{
    return decoder->cut;
}

uint64_t tqa_csv_decoder_line_at(const tqa_csv_decoder *decoder)
{
    return decoder->line_at;
}

uint64_t tqa_csv_decoder_line(const tqa_csv_decoder *decoder)
{
    return decoder->line;
}

const char *tqa_csv_decoder_detail(const tqa_csv_decoder *decoder)
{
    return decoder->detail;
}

char tqa_csv_decoder_delimiter(const tqa_csv_decoder *decoder)
{
    return decoder->delimiter;
}

tqa_csv_first_line tqa_csv_decoder_first_line(const tqa_csv_decoder *decoder)
{
    return decoder->first_line;
}

const char *tqa_csv_decoder_word(const tqa_csv_decoder *decoder, size_t column)
{
    return decoder->words != NULL ? decoder->words[column] : "";
}

bool tqa_csv_decoder_is_time(const tqa_csv_decoder *decoder, size_t column)
{
    size_t c = 0;
    for (size_t i = 0; decoder->kinds != NULL && i < decoder->n_cell && c <= column; i++) {
        if (c == column && decoder->kinds[i].is_time) {
            return true;
        }
        c += decoder->kinds[i].n > 0 ? decoder->kinds[i].n : 1;
    }
    return false;
}

tqa_decode tqa_csv_stop(tqa_csv_decoder *decoder, tqa_decode status, const char *detail)
{
    decoder->status = status;
    if (detail != NULL) {
        snprintf(decoder->detail, sizeof decoder->detail, "%s", detail);
    }
    return status;
}

static void keep_comment(tqa_csv_decoder *decoder, const char *p, const char *end)
{
    while (p < end && (*p == '#' || *p == '%' || *p == ' ')) {
        p++;
    }
    const size_t n = (size_t)(end - p);
    char *copy = malloc(n + 1);
    if (copy != NULL) {
        memcpy(copy, p, n);
        free(decoder->comment);
        decoder->comment = copy;
        decoder->n_comment = n;
    }
}

/* ---------------------------------------------------------------------------------------- rows */

/* The numbers of a list into its columns; another count than in the first row is text. */
static void read_list(const tqa_csv_piece *cell, size_t n, double *ret, size_t *ret_text)
{
    enum { ITEMS = 64 };
    tqa_csv_item few[ITEMS];
    tqa_csv_item *items = n > ITEMS ? calloc(n, sizeof *items) : few;
    const bool good = items != NULL && tqa_csv_list_read(cell->text, cell->n, n, items) == n;
    for (size_t k = 0; k < n; k++) {
        ret[k] = good ? items[k].value : (double)NAN;
        *ret_text += good && items[k].word != NULL ? 1 : 0;
    }
    *ret_text += good ? 0 : 1;
    if (items != few) {
        free(items);
    }
}

static void read_time(const tqa_csv_decoder *decoder, const tqa_csv_piece *cell, double *ret,
                      size_t *ret_text)
{
    int64_t day = 0;
    double seconds = 0.0;
    const bool good = tqa_csv_time_read(cell->text, cell->n, &day, &seconds);
    *ret = good ? (double)(day - decoder->first_day) * 86400.0 + seconds : (double)NAN;
    *ret_text += good ? 0 : 1;
}

/* as read_cells, of a table with times or lists */
static size_t read_kinds(tqa_csv_decoder *decoder, const char *p, const char *end, size_t *ret_text)
{
    tqa_csv_piece cell = {p, 0};
    double *to = decoder->values;
    size_t n = 0;
    *ret_text = 0;
    while (tqa_csv_next_cell(&p, end, decoder->delimiter, &cell)) {
        if (n == decoder->n_cell) {
            return cell.n == 0 && p == NULL ? n : SIZE_MAX;
        }
        const tqa_csv_kind kind = decoder->kinds[n++];
        if (kind.n > 0) {
            read_list(&cell, kind.n, to, ret_text);
        } else if (kind.is_time) {
            read_time(decoder, &cell, to, ret_text);
        } else {
            *ret_text +=
                tqa_csv_cell_read(cell.text, cell.n, decoder->delimiter != ',', to) == TQA_CELL_TEXT
                    ? 1
                    : 0;
        }
        to += kind.n > 0 ? kind.n : 1;
    }
    return n;
}

/* Reads cells into values: the number of them, SIZE_MAX when there are too many. The common cell,
 * a plain number up to the delimiter, is scanned in place. */
static size_t read_cells(tqa_csv_decoder *decoder, const char *p, const char *end, size_t *ret_text)
{
    const char delimiter = decoder->delimiter;
    double *values = decoder->values;
    size_t n = 0;
    *ret_text = 0;
    while (p != NULL) {
        double value;
        const char *at = p;
        if (delimiter == ' ') {
            while (at < end && (*at == ' ' || *at == '\t')) {
                at++;
            }
            if (at == end) {
                break;
            }
        }
        const char *after = at;
        /* the byte at `end` can be read: it ends the line */
        if (tqa_number_scan(&after, end + 1, &value) == TQA_NUMBER_OK &&
            (after == end || *after == delimiter)) {
            p = after < end ? after + 1 : NULL;
        } else {
            tqa_csv_piece cell = {at, 0};
            p = at;
            (void)tqa_csv_next_cell(&p, end, delimiter, &cell);
            const tqa_cell kind = tqa_csv_cell_read(cell.text, cell.n, delimiter != ',', &value);
            *ret_text += kind == TQA_CELL_TEXT ? 1 : 0;
            if (n == decoder->n_column) {
                /* a delimiter at the end of the line */
                return kind == TQA_CELL_EMPTY && cell.n == 0 && p == NULL ? n : SIZE_MAX;
            }
        }
        if (n == decoder->n_column) {
            return SIZE_MAX;
        }
        values[n++] = value;
    }
    return n;
}

static tqa_decode read_row(tqa_csv_decoder *decoder, const char *p, const char *end, bool is_last)
{
    size_t n_text = 0;
    const size_t n = decoder->kinds != NULL ? read_kinds(decoder, p, end, &n_text)
                                            : read_cells(decoder, p, end, &n_text);
    if (n != decoder->n_cell) {
        if (is_last && n < decoder->n_cell) {
            decoder->cut = true;
            return TQA_DECODE_OK;
        }
        decoder->status = TQA_DECODE_MALFORMED;
        if (n == SIZE_MAX) {
            snprintf(decoder->detail, sizeof decoder->detail, "the row has more than %zu cells",
                     decoder->n_cell);
        } else {
            snprintf(decoder->detail, sizeof decoder->detail, "the row has %zu cells and not %zu",
                     n, decoder->n_cell);
        }
        return decoder->status;
    }
    if (!decoder->sink->row(decoder->ctx, decoder->values, decoder->n_column, n_text)) {
        return tqa_csv_stop(decoder, TQA_DECODE_REFUSED, NULL);
    }
    return TQA_DECODE_OK;
}

/* the columns are known now; rows of the first lines */
static tqa_decode begin(tqa_csv_decoder *decoder, const char *second, const char *end, bool is_last)
{
    bool first_is_row = false;
    const char *first = decoder->first;
    if (tqa_csv_begin(decoder, first, first + decoder->n_first, second, end, &first_is_row) ==
            TQA_DECODE_OK &&
        first_is_row) {
        (void)read_row(decoder, first, first + decoder->n_first, false);
    }
    free(decoder->first);
    decoder->first = NULL;
    return decoder->status == TQA_DECODE_OK && second != NULL
               ? read_row(decoder, second, end, is_last)
               : decoder->status;
}

/* Lines until the columns are known: a first line with words waits for the second. */
static tqa_decode read_first(tqa_csv_decoder *decoder, const char *p, const char *end, bool is_last)
{
    bool ignored = false;
    if (decoder->first != NULL) {
        return begin(decoder, p, end, is_last);
    }
    if (memchr(p, '\0', (size_t)(end - p)) != NULL) {
        return tqa_csv_stop(decoder, TQA_DECODE_MALFORMED,
                            "the file is neither NPY, NPZ, JSON nor text");
    }
    if (!tqa_csv_needs_second(decoder, p, end)) {
        return tqa_csv_begin(decoder, p, end, NULL, NULL, &ignored) == TQA_DECODE_OK
                   ? read_row(decoder, p, end, is_last)
                   : decoder->status;
    }
    decoder->first = malloc((size_t)(end - p) + 1);
    if (decoder->first == NULL) {
        return tqa_csv_stop(decoder, TQA_DECODE_REFUSED, "memory is short");
    }
    memcpy(decoder->first, p, (size_t)(end - p));
    decoder->n_first = (size_t)(end - p);
    decoder->first[decoder->n_first] = '\n'; /* the number scanner reads up to a line's end */
    return TQA_DECODE_OK;
}

/* one line without its end */
static tqa_decode read_line(tqa_csv_decoder *decoder, const char *p, const char *end, bool is_last)
{
    if (end > p && end[-1] == '\r') {
        end--;
    }
    if (decoder->line == 1 && end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
    }
    const char *first = p;
    while (first < end && (*first == ' ' || (*first == '\t' && decoder->delimiter != '\t'))) {
        first++;
    }
    if (first == end) {
        return TQA_DECODE_OK;
    }
    if (*first == '#' || *first == '%') {
        if (!decoder->begun && decoder->first == NULL) {
            keep_comment(decoder, first, end);
        }
        return TQA_DECODE_OK;
    }
    if (!decoder->begun) {
        return read_first(decoder, p, end, is_last);
    }
    return read_row(decoder, p, end, is_last);
}

/* appends to the line that is not complete yet */
static bool hold(tqa_csv_decoder *decoder, const char *bytes, size_t n)
{
    if (decoder->n_held + n > TQA_CSV_LINE_MAX) {
        (void)tqa_csv_stop(decoder, TQA_DECODE_LIMIT, "the line is longer than 1 MiB");
        return false;
    }
    if (decoder->n_held + n + 1 > decoder->held_size) {
        const size_t size = 2 * decoder->held_size + n + 1;
        char *grown = realloc(decoder->held, size);
        if (grown == NULL) {
            (void)tqa_csv_stop(decoder, TQA_DECODE_REFUSED, "memory is short");
            return false;
        }
        decoder->held = grown;
        decoder->held_size = size;
    }
    memcpy(decoder->held + decoder->n_held, bytes, n);
    decoder->n_held += n;
    decoder->held[decoder->n_held] = '\n';
    return true;
}

tqa_decode tqa_csv_decoder_feed(tqa_csv_decoder *decoder, const char *bytes, size_t n)
{
    const char *p = bytes;
    const char *const end = bytes + n;
    while (decoder->status == TQA_DECODE_OK && p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        if (line_end == NULL || decoder->n_held > 0) {
            const char *taken = line_end != NULL ? line_end : end;
            if (!hold(decoder, p, (size_t)(taken - p))) {
                break;
            }
            if (line_end == NULL) {
                break;
            }
            const size_t n_held = decoder->n_held;
            decoder->n_held = 0;
            (void)read_line(decoder, decoder->held, decoder->held + n_held, false);
        } else if (line_end - p > TQA_CSV_LINE_MAX) {
            (void)tqa_csv_stop(decoder, TQA_DECODE_LIMIT, "the line is longer than 1 MiB");
        } else {
            (void)read_line(decoder, p, line_end, false);
        }
        if (decoder->status == TQA_DECODE_OK) {
            decoder->line++;
        }
        p = line_end + 1;
        decoder->line_at = decoder->n_fed + (uint64_t)(p - bytes);
    }
    decoder->n_fed += n;
    return decoder->status;
}

tqa_decode tqa_csv_decoder_finish(tqa_csv_decoder *decoder)
{
    if (decoder->status == TQA_DECODE_OK && decoder->n_held > 0) {
        const size_t n_held = decoder->n_held;
        decoder->n_held = 0;
        (void)read_line(decoder, decoder->held, decoder->held + n_held, true);
    }
    if (decoder->status == TQA_DECODE_OK && decoder->first != NULL) {
        (void)begin(decoder, NULL, NULL, true);
    }
    if (decoder->status == TQA_DECODE_OK && !decoder->begun) {
        (void)tqa_csv_stop(decoder, TQA_DECODE_MALFORMED, "the file has no rows");
    }
    return decoder->status;
}
