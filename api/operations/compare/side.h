/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/compare/side.h - one of the two tables that are compared. */
#ifndef TQA_OPERATIONS_COMPARE_SIDE_H
#define TQA_OPERATIONS_COMPARE_SIDE_H

#include "api/request/value.h"
#include "api/tables/table.h"

enum { TQA_SIDE_NAME = TQA_TABLE_NAME + 8 };

typedef struct tqa_side {
    const tqa_host *host;
    char name[256];
    tqa_table *table;
    size_t n_column, time; /* time: its column, or n_column: none */
    bool ended;
    size_t n_row;
    double *now, *before; /* (n_column) the present row and the one before it */
} tqa_side;

/* {"dataset": NAME} or {"job": ID}, read under the digest that the name has now; close the table.
 * False: the problem is set. */
bool tqa_side_open(tqa_tree *tree, tqa_side *s, const tqa_value *part);

/* A name as columns are compared by: "q[3]" of a result and "q_3" of a table are the same. */
void tqa_side_normal_name(const char *name, char out[TQA_SIDE_NAME]);

/* The column of that name; n_column: none. */
size_t tqa_side_find(const tqa_side *s, const char *name);

/* The column of `other` that is like one of s: of the same name, or of the same stem and number
 * (`q1`, `q_1`), counted from 1 where one has 1 to n and the other 0 to n - 1. n_column: none. */
size_t tqa_side_alike(const tqa_side *s, const tqa_side *other, size_t column);

/* A column by name, or by number counted from 0. False: the problem is set. */
bool tqa_side_column(const tqa_side *s, const tqa_value *part, size_t *ret);

#endif
