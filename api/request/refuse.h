/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/refuse.h - problems of a request, with the place in the body they belong to. */
#ifndef TQA_REQUEST_REFUSE_H
#define TQA_REQUEST_REFUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/request/refusal.h"
#include "api/request/request.h"

/* A fault of the value being read, at byte `at` of the body (UINT64_MAX: not of one place). Always
 * false. */
bool tqa_refuse(tqa_request *request, uint64_t at, const char *slug, const char *hint,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same for a key. Always false. */
bool tqa_refuse_key(tqa_request *request, uint64_t at, const char *slug, const char *key, size_t n,
                    const char *hint);

/* The value has another type than `wanted`, such as "an array of names". Always false. */
bool tqa_refuse_type(tqa_request *request, uint64_t at, const char *wanted, const char *got);

/* Refuses by the result of tqa_rows_... for the array being read; true for TQA_ROWS_OK. */
bool tqa_refuse_rows_fault(tqa_request *request, uint64_t at, const tqa_rows *rows,
                           tqa_rows_fault fault);
static inline bool tqa_refuse_rows(tqa_request *request, uint64_t at, const tqa_rows *rows,
                                   tqa_rows_fault fault)
{
    return fault == TQA_ROWS_OK || tqa_refuse_rows_fault(request, at, rows, fault);
}

#endif
