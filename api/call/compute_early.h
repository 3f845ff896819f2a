/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/compute_early.h - which blocks have been computed before the body was complete. */
#ifndef TQA_CALL_COMPUTE_EARLY_H
#define TQA_CALL_COMPUTE_EARLY_H

#include "api/call/call.h"

/* Blocks that need not be computed again; the request is complete. */
size_t tqa_overlap_done(const tqa_call *call);

#endif
