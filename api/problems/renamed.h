/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/renamed.h - field names from before the names of /v1 were frozen, for hints. */
#ifndef TQA_PROBLEMS_RENAMED_H
#define TQA_PROBLEMS_RENAMED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the field `name` of a request was called by the `n` bytes of `text` before. */
bool tqa_renamed(const char *text, size_t n, const char *name);

#endif
