/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/limits.h - `limits`: limits of the robot that the samples exceed. */
#ifndef TQA_OPERATIONS_TERMS_LIMITS_H
#define TQA_OPERATIONS_TERMS_LIMITS_H

#include "api/call/call.h"

/* Adds `limits` to the members of the answer after its arrays, if `include` has it, once the
   samples are computed. Torques are `tau` of the request or of the answer, as the operation has it.
   */
void tqa_limits_add(tqa_call *call);

#endif
