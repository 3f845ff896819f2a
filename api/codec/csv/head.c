/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/head.c - the first lines of a table: delimiter, header, and kinds of cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/csv/cell.h"
#include "api/codec/csv/csv_private.h"
#include "api/codec/csv/special.h"

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

bool tqa_csv_next_cell(const char **p, const char *end, char delimiter, tqa_csv_piece *ret)
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
    *ret = (tqa_csv_piece){at, (size_t)(stop_at - at)};
    *p = stop_at < end ? stop_at + 1 : NULL;
    return true;
}

/* a time, and a list of numbers, are as good as a number */
static tqa_cell kind_of(const tqa_csv_piece *cell, char delimiter)
{
    double ignored;
    int64_t day = 0;
    tqa_csv_item item = {0};
    const tqa_cell kind = tqa_csv_cell_read(cell->text, cell->n, delimiter != ',', &ignored);
    if (kind != TQA_CELL_TEXT) {
        return kind;
    }
    const bool is_list = tqa_csv_list_read(cell->text, cell->n, 1, &item) > 0 && item.word == NULL;
    return is_list || tqa_csv_time_read(cell->text, cell->n, &day, &ignored) ? TQA_CELL_NUMBER
                                                                             : TQA_CELL_TEXT;
}

typedef struct count {
    size_t n; /* cells, an empty one after a last delimiter not counted */
    size_t n_text, n_number;
    size_t word_at; /* the first cell of text */
} count;

static count count_cells(const char *p, const char *end, char delimiter)
{
    count ret = {0};
    tqa_csv_piece cell = {p, 0};
    while (tqa_csv_next_cell(&p, end, delimiter, &cell)) {
        const tqa_cell kind = kind_of(&cell, delimiter);
        ret.word_at = kind == TQA_CELL_TEXT && ret.n_text == 0 ? ret.n : ret.word_at;
        ret.n_text += kind == TQA_CELL_TEXT ? 1 : 0;
        ret.n_number += kind == TQA_CELL_NUMBER ? 1 : 0;
        ret.n++;
    }
    tqa_csv_cell_trim(&cell.text, &cell.n);
    ret.n -= ret.n > 1 && cell.n == 0 ? 1 : 0;
    return ret;
}

bool tqa_csv_needs_second(tqa_csv_decoder *decoder, const char *p, const char *end)
{
    if (decoder->delimiter == '\0') {
        decoder->delimiter = find_delimiter(p, end);
    }
    return count_cells(p, end, decoder->delimiter).n_text > 0;
}

/* A word of the first line has a number below it. */
static bool has_word_above_number(const tqa_csv_decoder *decoder, const char *p, const char *end,
                                  const char *below, const char *below_end)
{
    tqa_csv_piece upper;
    tqa_csv_piece lower;
    while (tqa_csv_next_cell(&p, end, decoder->delimiter, &upper) &&
           tqa_csv_next_cell(&below, below_end, decoder->delimiter, &lower)) {
        if (kind_of(&upper, decoder->delimiter) == TQA_CELL_TEXT &&
            kind_of(&lower, decoder->delimiter) == TQA_CELL_NUMBER) {
            return true;
        }
    }
    return false;
}

static bool is_comment_header(const tqa_csv_decoder *decoder)
{
    if (decoder->comment == NULL) {
        return false;
    }
    const count words =
        count_cells(decoder->comment, decoder->comment + decoder->n_comment, decoder->delimiter);
    return words.n == decoder->n_cell && words.n_text > 0;
}

/* ------------------------------------------------------------------------ what the cells hold */

/* kinds of the cells by the first row: NULL where all are plain; the number of columns */
static bool find_kinds(tqa_csv_decoder *decoder, const char *row, const char *end)
{
    tqa_csv_piece cell;
    tqa_csv_kind *kinds = calloc(decoder->n_cell, sizeof *kinds);
    bool special = false;
    if (kinds == NULL) {
        (void)tqa_csv_stop(decoder, TQA_DECODE_REFUSED, "memory is short");
        return false;
    }
    decoder->n_column = decoder->n_cell;
    for (size_t i = 0;
         i < decoder->n_cell && tqa_csv_next_cell(&row, end, decoder->delimiter, &cell); i++) {
        int64_t day = 0;
        double seconds = 0.0;
        kinds[i].n = tqa_csv_list_read(cell.text, cell.n, 0, NULL);
        kinds[i].is_time = kinds[i].n == 0 && tqa_csv_time_read(cell.text, cell.n, &day, &seconds);
        special = special || kinds[i].n > 0 || kinds[i].is_time;
        decoder->n_column += kinds[i].n > 0 ? kinds[i].n - 1 : 0;
        if (kinds[i].is_time && !decoder->has_day) {
            decoder->first_day = day;
            decoder->has_day = true;
        }
        if (decoder->n_column > TQA_CSV_COLUMNS_MAX) {
            break;
        }
    }
    decoder->kinds = special ? kinds : NULL;
    if (!special) {
        free(kinds);
    }
    return true;
}

static void copy_name(char name[TQA_CSV_NAME_MAX + 1], const char *text, size_t n)
{
    size_t length = n < TQA_CSV_NAME_MAX ? n : TQA_CSV_NAME_MAX;
    while (length < n && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
        length--; /* no half a character */
    }
    memcpy(name, text, length);
    name[length] = '\0';
}

/* the words of one cell of the first row, into those of its columns */
static void keep_words(tqa_csv_decoder *decoder, const tqa_csv_piece *cell, size_t n_list,
                       size_t column)
{
    tqa_csv_piece word = *cell;
    if (n_list == 0) {
        if (kind_of(cell, decoder->delimiter) == TQA_CELL_TEXT) {
            tqa_csv_cell_trim(&word.text, &word.n);
            copy_name(decoder->words[column], word.text, word.n);
        }
        return;
    }
    tqa_csv_item *items = calloc(n_list, sizeof *items);
    if (items != NULL) {
        (void)tqa_csv_list_read(cell->text, cell->n, n_list, items);
        for (size_t k = 0; k < n_list; k++) {
            copy_name(decoder->words[column + k], items[k].word != NULL ? items[k].word : "",
                      items[k].n_word);
        }
        free(items);
    }
}

static void find_words(tqa_csv_decoder *decoder, const char *row, const char *end)
{
    tqa_csv_piece cell;
    size_t column = 0;
    for (size_t i = 0;
         i < decoder->n_cell && tqa_csv_next_cell(&row, end, decoder->delimiter, &cell); i++) {
        const size_t n_list = decoder->kinds != NULL ? decoder->kinds[i].n : 0;
        keep_words(decoder, &cell, n_list, column);
        column += n_list > 0 ? n_list : 1;
    }
}

/* names of the columns from the header's cells: a list of n has n */
static void name_columns(const tqa_csv_decoder *decoder, const char *names, const char *end,
                         char (*texts)[TQA_CSV_NAME_MAX + 1])
{
    size_t column = 0;
    for (size_t i = 0; i < decoder->n_cell; i++) {
        tqa_csv_piece cell = {"", 0};
        const size_t n_list = decoder->kinds != NULL ? decoder->kinds[i].n : 0;
        if (names != NULL && tqa_csv_next_cell(&names, end, decoder->delimiter, &cell)) {
            tqa_csv_cell_trim(&cell.text, &cell.n);
        }
        copy_name(texts[column], cell.text, cell.n);
        for (size_t k = 0; k < n_list && cell.n > 0; k++) {
            const int n = (int)(cell.n < TQA_CSV_NAME_MAX - 8 ? cell.n : TQA_CSV_NAME_MAX - 8);
            (void)snprintf(texts[column + k], TQA_CSV_NAME_MAX + 1, "%.*s[%zu]", n, cell.text, k);
        }
        column += n_list > 0 ? n_list : 1;
    }
}

/* reports the columns to the sink; `names` is the header's line, NULL if there is none */
static tqa_decode report_columns(tqa_csv_decoder *decoder, const char *names, const char *end)
{
    const size_t n = decoder->n_column;
    char(*texts)[TQA_CSV_NAME_MAX + 1] = calloc(n, sizeof *texts);
    const char **list = calloc(n, sizeof *list);
    decoder->values = calloc(n, sizeof *decoder->values);
    decoder->begun = true;
    if (texts == NULL || list == NULL || decoder->values == NULL) {
        (void)tqa_csv_stop(decoder, TQA_DECODE_REFUSED, "memory is short");
    } else {
        name_columns(decoder, names, end, texts);
        for (size_t i = 0; i < n; i++) {
            list[i] = texts[i];
        }
        if (!decoder->sink->columns(decoder->ctx, n, list)) {
            (void)tqa_csv_stop(decoder, TQA_DECODE_REFUSED, NULL);
        }
    }
    free(texts);
    free(list);
    return decoder->status;
}

static bool learn_row(tqa_csv_decoder *decoder, const char *row, const char *end)
{
    if (!find_kinds(decoder, row, end)) {
        return false;
    }
    if (decoder->n_column > TQA_CSV_COLUMNS_MAX) {
        (void)tqa_csv_stop(decoder, TQA_DECODE_LIMIT, "a table may have 1 to 4096 columns");
        return false;
    }
    const count all = count_cells(row, end, decoder->delimiter);
    if (all.n_text > 0) {
        decoder->words = calloc(decoder->n_column, sizeof *decoder->words);
        if (decoder->words == NULL) {
            (void)tqa_csv_stop(decoder, TQA_DECODE_REFUSED, "memory is short");
            return false;
        }
        find_words(decoder, row, end);
    }
    return true;
}

tqa_decode tqa_csv_begin(tqa_csv_decoder *decoder, const char *first, const char *first_end,
                         const char *second, const char *second_end, bool *ret_first_is_row)
{
    const count upper = count_cells(first, first_end, decoder->delimiter);
    decoder->n_cell = decoder->n_column = upper.n;
    *ret_first_is_row = upper.n_text == 0;
    if (upper.n == 0 || upper.n > TQA_CSV_COLUMNS_MAX) {
        return tqa_csv_stop(decoder, TQA_DECODE_LIMIT, "a table may have 1 to 4096 columns");
    }
    if (upper.n_text > 0 && upper.n_number > 0) {
        decoder->first_line.has_both = true;
        decoder->first_line.cell = upper.word_at;
        *ret_first_is_row =
            second != NULL &&
            count_cells(second, second_end, decoder->delimiter).n == decoder->n_cell &&
            !has_word_above_number(decoder, first, first_end, second, second_end);
        decoder->first_line.is_row = *ret_first_is_row;
    }
    if (*ret_first_is_row) {
        second = first;
        second_end = first_end;
    }
    if (second != NULL && !learn_row(decoder, second, second_end)) {
        return decoder->status;
    }
    if (!*ret_first_is_row) {
        return report_columns(decoder, first, first_end);
    }
    return is_comment_header(decoder)
               ? report_columns(decoder, decoder->comment, decoder->comment + decoder->n_comment)
               : report_columns(decoder, NULL, NULL);
}
