/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/values.h - values of fields out of words and files. */
#ifndef TORQUECTL_VALUES_H
#define TORQUECTL_VALUES_H

#include "clients/torquectl/ctl.h"

/* Bytes of a file, "-" for standard input, NUL-terminated; NULL with the fault said. */
char *ctl_read_file(const char *name, size_t *ret_n);

/* Bytes as a value: JSON, or rows of CSV or NPY as an array of arrays. `ret_names`: the columns
 * of a CSV with a header as an array of strings, else NULL. NULL with the fault said. */
json_t *ctl_decode(const char *name, const char *bytes, size_t n, json_t **ret_names);

/* "0.1,0.2" "[...]" "word" "@FILE" by the field's kind; NULL with the fault printed. */
json_t *ctl_value(const char *text, ctl_kind kind);

/* Puts a value at a path, "output.interval_s" or "vary.0.of". Takes the reference. False, with the
 * fault said: the path is occupied by another value. */
bool ctl_assign(json_t *body, const char *path, json_t *value);

/* Field of an operation, or NULL. */
const ctl_field *ctl_field_of(const char *operation, const char *path);
/* All fields; *ret_n of them. */
const ctl_field *ctl_fields(size_t *ret_n);

#endif
