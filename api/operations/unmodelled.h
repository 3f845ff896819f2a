/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/unmodelled.h - refusal of robots with drag or tendons, by operations that
 * do not model these. */
#ifndef TQA_OPERATIONS_UNMODELLED_H
#define TQA_OPERATIONS_UNMODELLED_H

#include "api/request/value.h"

/* True when no medium drags the robot and it has no tendon, else false with the problem set;
 * `what`: the operation's result that would be without them. */
bool tqa_all_modelled(const tqa_value *root, const char *what);

#endif
