/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/limits.h - `limits`: which limits of the robot the samples exceed. */
#ifndef TQA_OPERATIONS_TERMS_LIMITS_H
#define TQA_OPERATIONS_TERMS_LIMITS_H

#include "api/call/call.h"

/* Adds `limits` to what the answer states beside its arrays, when `include` has it: the samples are
 * computed. Torques are `tau` of the request or of the answer, as the operation has it. */
void tqa_limits_add(tqa_call *call);

#endif
