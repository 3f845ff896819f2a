/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/undragged.h - refusal of robots with drag or tendons, by operations without.
 */
#ifndef TQA_OPERATIONS_UNDRAGGED_H
#define TQA_OPERATIONS_UNDRAGGED_H

#include "api/request/value.h"

/* True when no medium drags the robot and it has no tendon, else false with the problem set;
 * `what`: the operation's result that would be without them. */
bool tqa_undragged(const tqa_value *root, const char *what);

#endif
