/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/archive.h - the arrays of an answer as an NPZ file, or as CSV. */
#ifndef TQA_RESPONSE_ARCHIVE_H
#define TQA_RESPONSE_ARCHIVE_H

#include "api/problem.h"
#include "api/response/result.h"

typedef struct tqa_archive tqa_archive;

/* The arrays of a result, which must outlive it: each under its key, those of an object as
 * "object.key"; `media` is NPZ or CSV, where samples are lines. NULL with a problem: too many
 * arrays or too large for the format, memory. */
tqa_archive *tqa_archive_of_result(const tqa_result *result, tqa_media media, tqa_problem *reterr);

/* The arrays of numbers in an answer written as JSON, named in the same way; as SVG drawn, under
 * the title: over time, or of samples over their number where there is none. Takes `text`, which is
 * malloc'ed, also when it fails. */
tqa_archive *tqa_archive_of_text(char *text, size_t n, tqa_media media, const char *title,
                                 bool of_samples, tqa_problem *reterr);

/* The next bytes, as many as fit; 0 at the end. `size` is at least 4096. */
size_t tqa_archive_read(tqa_archive *archive, char *out, size_t size);
void tqa_archive_close(tqa_archive *archive); /* accepts NULL */

#endif
