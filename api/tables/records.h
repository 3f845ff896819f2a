/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/records.h - a list of objects as CSV: a column for each key, a line each. */
#ifndef TQA_TABLES_RECORDS_H
#define TQA_TABLES_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Columns are the keys in the order in which they first come, "a.b" of an object in an object,
 * "key_0", "key_1" ... of an array of numbers. Other values (arrays of arrays, lists of words or
 * objects) have no column: they are arrays of their own. */
typedef struct tqa_records tqa_records;

/* NULL: no memory. */
tqa_records *tqa_records_new(void);
void tqa_records_free(tqa_records *records); /* accepts NULL */

/* Events of the list's contents, in both passes. False: see tqa_records_fault. */
bool tqa_records_begin_map(tqa_records *records);
bool tqa_records_end_map(tqa_records *records);
bool tqa_records_begin_array(tqa_records *records);
bool tqa_records_end_array(tqa_records *records);
bool tqa_records_key(tqa_records *records, const char *text, size_t n);
bool tqa_records_number(tqa_records *records, double value);
bool tqa_records_text(tqa_records *records, const char *text, size_t n);
bool tqa_records_none(tqa_records *records);

/* Some object is open. */
bool tqa_records_is_open(const tqa_records *records);
/* Why not, to follow the name of the list; NULL: memory was short. */
const char *tqa_records_fault(const tqa_records *records);

/* From the first pass to the second. */
void tqa_records_turn(tqa_records *records);
/* The line of names, and that of the object that has just ended; without its end of line. Borrowed
 * until the next event; NULL when memory is short. */
const char *tqa_records_names(tqa_records *records, size_t *ret_n);
const char *tqa_records_line(tqa_records *records, size_t *ret_n);

#endif
