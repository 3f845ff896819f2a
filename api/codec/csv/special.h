/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/special.h - cells that are neither a number nor a word: times (ISO 8601), and lists
 * of numbers or words in one cell. */
#ifndef TQA_CODEC_CSV_SPECIAL_H
#define TQA_CODEC_CSV_SPECIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* YYYY-MM-DD, then T or a space, hh:mm[:ss[.fff]], perhaps Z or an offset (+hh:mm, +hhmm, +hh); the
 * separators of the date may be slashes. *ret_day counts from 1970-01-01; seconds of that day are
 * in [0, 86401), both in UTC where the cell has an offset. False: it is no such time. */
bool tqa_csv_time_read(const char *text, size_t n, int64_t *ret_day, double *ret_seconds);

/* A part of a list; a word is borrowed from the cell, without its quotes. */
typedef struct tqa_csv_item {
    double value; /* NaN of a word */
    const char *word;
    size_t n_word; /* 0: a number */
} tqa_csv_item;

/**
 * The elements of [1, 2], (1; 2), [1 2], array('d', [1, 2]) or ['a', 'b'].
 *
 * Stores the first `room` of them in ret. Returns how many there are; 0: the cell is no list, or
 * has something else in it.
 */
size_t tqa_csv_list_read(const char *text, size_t n, size_t room, tqa_csv_item *ret);

#endif
