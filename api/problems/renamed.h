/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/renamed.h - other words for names of requests: what is read as ours, and hints. */
#ifndef TQA_PROBLEMS_RENAMED_H
#define TQA_PROBLEMS_RENAMED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the `n` bytes of `text` are another word for `name`, such as one from before the names of
 * /v1 were frozen: 0, or a rank, of which the least is meant where several names are known.
 * **ret_note: text to write instead, NULL: the name itself; unchanged with 0. */
unsigned tqa_renamed(const char *text, size_t n, const char *name, const char **ret_note);

/* A name that another word is read as. */
typedef struct tqa_renamed_field {
    const char *name;   /* of those that are known */
    const char *member; /* the field of the object `name` that is meant; NULL: `name` itself */
    const char *text;   /* such as "initial/q" */
} tqa_renamed_field;

/* Whether `text` has one meaning among the names that are known (end with NULL), with the same
 * values: another word for one, or the same letters in another spelling. A misspelt name has none.
 */
bool tqa_renamed_reads(const char *text, size_t n, const char *const *known,
                       tqa_renamed_field *ret);

#endif
