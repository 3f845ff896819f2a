/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/ask.h - sends a request to a built-in robot, and reads numbers from its answer by
 * path. */
#ifndef TQT_ASK_H
#define TQT_ASK_H

#include <jansson.h>

#include "tests/support/one_call.h"

/* The answer, which must be a 200; json_decref it. Bodies are JSON with ' for ". `robot`: a
 * built-in, or a document in such JSON; NULL: an operation without a robot. */
json_t *tqt_ask(const char *robot, const char *operation, const char *body);
json_t *tqt_ask_form(const char *robot, const char *operation, const char *query, const char *body);

/* Checks that the request is refused with this status and problem; the first fault is compared, and
 * must have a hint. hint NULL or "": any hint. */
void tqt_refused(const char *robot, const char *operation, const char *body, int status,
                 const char *slug, const char *pointer, const char *hint);

/* The value at a path such as "frames.0.position.2"; ends the test if it is absent. */
json_t *tqt_at(json_t *root, const char *path);
double tqt_number(json_t *root, const char *path);
double tqt_at_number(json_t *root, const char *path, size_t i);
/* Reads the n numbers of an array, nested or not; ends the test if there are more or fewer. */
void tqt_numbers(json_t *root, const char *path, double *ret, size_t n);
/* Row `row` of the table at `table` times the vector at `vector`. */
double tqt_dot(json_t *root, const char *table, size_t row, const char *vector);

/* Checks that the answer in CBOR has the same numbers in the same order as `answer`. */
void tqt_same_in_cbor(const char *robot, const char *operation, const char *body, json_t *answer);

#endif
