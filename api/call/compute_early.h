/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/compute_early.h - blocks that were computed before the body was complete. */
#ifndef TQA_CALL_COMPUTE_EARLY_H
#define TQA_CALL_COMPUTE_EARLY_H

#include "api/call/call.h"

/* Whether block b was computed early and its motion overwritten, although it must be computed
   again. */
bool tqa_overlap_has(const tqa_call *call, size_t b);
/* Whether block b still has its q, as those with samples that are far out do. */
bool tqa_overlap_has_q(const tqa_call *call, size_t b);
/* Blocks that need not be computed again; the request is complete. */
size_t tqa_overlap_done(const tqa_call *call);

#endif
