/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/fuzzed.h - properties of any answer to any bytes; a fuzzer aborts if one is
 * violated. */
#ifndef TQT_FUZZED_H
#define TQT_FUZZED_H

#include <stdlib.h>

#include "tests/support/one_call.h"

static inline void tqt_must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* 200, or a problem of the request: 400 to 499, or 503 if a call can be cancelled; never 500. */
void tqt_must_answer(const tqt_answer *answer, bool can_stop);

/* The same bytes, or the same kind of problem. */
void tqt_must_agree(const tqt_answer *a, const tqt_answer *b);

/* The answer is one JSON object without duplicate keys: no NaN, no comma too many. */
void tqt_must_be_object(const tqt_answer *answer);

#endif
