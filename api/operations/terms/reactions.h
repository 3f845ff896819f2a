/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/reactions.h - `include: ["reactions"]`: the wrench at every joint and the
 * base. */
#ifndef TQA_OPERATIONS_TERMS_REACTIONS_H
#define TQA_OPERATIONS_TERMS_REACTIONS_H

#include "api/call/call.h"

/* Makes room for the wrenches of all samples, and adds to the result the object that states whose
 * they are, where they act and along which axes. False: the problem is set. */
bool tqa_reactions_add(tqa_call *call);

#endif
