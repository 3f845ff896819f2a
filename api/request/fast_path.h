/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/fast_path.h - a short request in the usual form: one sample, compact JSON, in one
   piece. */
#ifndef TQA_REQUEST_FAST_PATH_H
#define TQA_REQUEST_FAST_PATH_H

#include "api/request/request.h"

/* Bytes of the longest such body: three arrays of 36 numbers. */
enum { TQA_FAST_PATH_MAX = 3072 };

/**
 * Take a whole JSON body at once: an object whose fields are flat arrays of motion, each there
 * once, each of its right length, written with no space but one after a comma or colon.
 *
 * Does what the scanner and the receivers of tqa_request_events do with such a body, in half their
 * instructions: no state between tokens, no events, no numbers but into their block.
 *
 * Returns  False for anything else, faults among it, as if it had not been asked: the scanner reads
 *          it, and says what is wrong.
 * Checked  tests/unit/api/request/test_fast_path.c: both ways, the same
 */
bool tqa_fast_path_take(tqa_request *request, const char *bytes, size_t n);

/* tqa_request_finish for a request read by the fast path, with fewer checks. */
bool tqa_fast_path_finish(tqa_request *request);

#endif
