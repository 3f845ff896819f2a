/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/renamed.h - other words for names of requests, for hints. */
#ifndef TQA_PROBLEMS_RENAMED_H
#define TQA_PROBLEMS_RENAMED_H

#include <stddef.h>

/* Whether the `n` bytes of `text` are another word for `name`, such as one from before the names of
 * /v1 were frozen: 0, or a rank, of which the least is meant where several names are known.
 * *ret_note: what to write instead, NULL where the name says it; unchanged with 0. */
unsigned tqa_renamed(const char *text, size_t n, const char *name, const char **ret_note);

#endif
