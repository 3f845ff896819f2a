/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/csv.c - tables of numbers as text, read as they arrive. */
#include "api/codec/csv/csv.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/csv/cell.h"
#include "api/codec/number/number.h"

typedef struct piece {
    const char *text;
    size_t n;
} piece;

struct tqa_csv_decoder {
    const tqa_csv_sink *sink;
    void *ctx;
    tqa_decode status;
    char detail[TQA_CSV_DETAIL];
    uint64_t line; /* the one that is read, from 1 */
    char delimiter;
    bool begun; /* the columns have been reported */
    bool cut;
    size_t n_column;
    double *values; /* (n_column) */
    char *held;     /* the beginning of a line that a piece has cut */
    size_t n_held, held_size;
    char *comment; /* the last one above the first row */
    size_t n_comment;
};

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
        free(decoder);
    }
}

bool tqa_csv_decoder_cut(const tqa_csv_decoder *decoder)
{
    return decoder->cut;
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

static tqa_decode stop(tqa_csv_decoder *decoder, tqa_decode status, const char *detail)
{
    decoder->status = status;
    if (detail != NULL) {
        snprintf(decoder->detail, sizeof decoder->detail, "%s", detail);
    }
    return status;
}

/* ---------------------------------------------------------------------------------- first line */

static char find_delimiter(const char *p, const char *end)
{
    static const char candidates[] = {'\t', ';', ','};
    for (size_t i = 0; i < sizeof candidates; i++) {
        if (tqa_csv_cell_end(p, end, candidates[i]) < end) {
            return candidates[i];
        }
    }
    return ' ';
}

/* The next cell from *p on; false when the line has no more. *p is then after its delimiter, or
 * NULL after the last. */
static bool next_cell(const char **p, const char *end, char delimiter, piece *ret)
{
    const char *at = *p;
    if (at == NULL) {
        return false;
    }
    if (delimiter == ' ') {
        while (at < end && (*at == ' ' || *at == '\t')) {
            at++;
        }
        if (at == end) {
            return false;
        }
    }
    const char *stop_at = tqa_csv_cell_end(at, end, delimiter);
    *ret = (piece){at, (size_t)(stop_at - at)};
    *p = stop_at < end ? stop_at + 1 : NULL;
    return true;
}

/* cells of a line, an empty one after a last delimiter not counted; *ret_text: one of them is
 * text */
static size_t count_cells(const char *p, const char *end, char delimiter, bool *ret_text)
{
    size_t n = 0;
    piece cell = {p, 0};
    *ret_text = false;
    while (next_cell(&p, end, delimiter, &cell)) {
        double ignored;
        n++;
        *ret_text = *ret_text || tqa_csv_cell_read(cell.text, cell.n, delimiter != ',', &ignored) ==
                                     TQA_CELL_TEXT;
    }
    tqa_csv_cell_trim(&cell.text, &cell.n);
    return n > 1 && cell.n == 0 ? n - 1 : n;
}

/* reports the columns to the sink; `names` is the header's line, NULL if there is none */
static tqa_decode report_columns(tqa_csv_decoder *decoder, const char *names, const char *end)
{
    const size_t n = decoder->n_column;
    char *texts = calloc(n, TQA_CSV_NAME_MAX + 1);
    const char **list = calloc(n, sizeof *list);
    decoder->values = calloc(n, sizeof *decoder->values);
    if (texts == NULL || list == NULL || decoder->values == NULL) {
        free(texts);
        free(list);
        return stop(decoder, TQA_DECODE_REFUSED, "memory is short");
    }
    for (size_t i = 0; i < n; i++) {
        piece cell = {"", 0};
        if (names != NULL && next_cell(&names, end, decoder->delimiter, &cell)) {
            tqa_csv_cell_trim(&cell.text, &cell.n);
        }
        char *name = texts + i * (TQA_CSV_NAME_MAX + 1);
        size_t length = cell.n < TQA_CSV_NAME_MAX ? cell.n : TQA_CSV_NAME_MAX;
        while (length < cell.n && length > 0 && ((unsigned char)cell.text[length] & 0xc0) == 0x80) {
            length--; /* no half a character */
        }
        memcpy(name, cell.text, length);
        list[i] = name;
    }
    decoder->begun = true;
    if (!decoder->sink->columns(decoder->ctx, n, list)) {
        (void)stop(decoder, TQA_DECODE_REFUSED, NULL);
    }
    free(texts);
    free(list);
    return decoder->status;
}

/* the first line that is no comment: *ret_header when it holds the names */
static tqa_decode begin(tqa_csv_decoder *decoder, const char *p, const char *end, bool *ret_header)
{
    if (memchr(p, '\0', (size_t)(end - p)) != NULL) {
        return stop(decoder, TQA_DECODE_MALFORMED, "the file is neither NPY nor text");
    }
    if (decoder->delimiter == '\0') {
        decoder->delimiter = find_delimiter(p, end);
    }
    decoder->n_column = count_cells(p, end, decoder->delimiter, ret_header);
    if (decoder->n_column == 0 || decoder->n_column > TQA_CSV_COLUMNS_MAX) {
        return stop(decoder, TQA_DECODE_LIMIT, "a table may have 1 to 4096 columns");
    }
    if (*ret_header) {
        return report_columns(decoder, p, end);
    }
    bool has_text = false;
    const char *comment = decoder->comment;
    if (comment != NULL &&
        count_cells(comment, comment + decoder->n_comment, decoder->delimiter, &has_text) ==
            decoder->n_column &&
        has_text) {
        return report_columns(decoder, comment, comment + decoder->n_comment);
    }
    return report_columns(decoder, NULL, NULL);
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
            piece cell = {at, 0};
            p = at;
            (void)next_cell(&p, end, delimiter, &cell);
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
    const size_t n = read_cells(decoder, p, end, &n_text);
    if (n != decoder->n_column) {
        if (is_last && n < decoder->n_column) {
            decoder->cut = true;
            return TQA_DECODE_OK;
        }
        decoder->status = TQA_DECODE_MALFORMED;
        if (n == SIZE_MAX) {
            snprintf(decoder->detail, sizeof decoder->detail, "the row has more than %zu cells",
                     decoder->n_column);
        } else {
            snprintf(decoder->detail, sizeof decoder->detail, "the row has %zu cells and not %zu",
                     n, decoder->n_column);
        }
        return decoder->status;
    }
    if (!decoder->sink->row(decoder->ctx, decoder->values, n, n_text)) {
        return stop(decoder, TQA_DECODE_REFUSED, NULL);
    }
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
        if (!decoder->begun) {
            keep_comment(decoder, first, end);
        }
        return TQA_DECODE_OK;
    }
    if (!decoder->begun) {
        bool is_header = false;
        if (begin(decoder, p, end, &is_header) != TQA_DECODE_OK || is_header) {
            return decoder->status;
        }
    }
    return read_row(decoder, p, end, is_last);
}

/* appends to the line that is not complete yet */
static bool hold(tqa_csv_decoder *decoder, const char *bytes, size_t n)
{
    if (decoder->n_held + n > TQA_CSV_LINE_MAX) {
        (void)stop(decoder, TQA_DECODE_LIMIT, "the line is longer than 1 MiB");
        return false;
    }
    if (decoder->n_held + n + 1 > decoder->held_size) {
        const size_t size = 2 * decoder->held_size + n + 1;
        char *grown = realloc(decoder->held, size);
        if (grown == NULL) {
            (void)stop(decoder, TQA_DECODE_REFUSED, "memory is short");
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
            (void)stop(decoder, TQA_DECODE_LIMIT, "the line is longer than 1 MiB");
        } else {
            (void)read_line(decoder, p, line_end, false);
        }
        if (decoder->status == TQA_DECODE_OK) {
            decoder->line++;
        }
        p = line_end + 1;
    }
    return decoder->status;
}

tqa_decode tqa_csv_decoder_finish(tqa_csv_decoder *decoder)
{
    if (decoder->status == TQA_DECODE_OK && decoder->n_held > 0) {
        const size_t n_held = decoder->n_held;
        decoder->n_held = 0;
        (void)read_line(decoder, decoder->held, decoder->held + n_held, true);
    }
    if (decoder->status == TQA_DECODE_OK && !decoder->begun) {
        (void)stop(decoder, TQA_DECODE_MALFORMED, "the file has no rows");
    }
    return decoder->status;
}
