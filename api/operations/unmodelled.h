/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/unmodelled.h - refusal of robots with drag or tendons, by operations that
 * do not model these, and of payloads on links that are carried. */
#ifndef TQA_OPERATIONS_UNMODELLED_H
#define TQA_OPERATIONS_UNMODELLED_H

#include "api/request/value.h"

/* True when no medium drags the robot and it has no tendon, else false with the problem set;
 * `what`: the operation's result that would be without them. */
bool tqa_all_modelled(const tqa_value *root, const char *what);

/* True when the link has no gravity compensation, which in the regressor would carry a payload too,
 * else false with the problem set; `where`: the field that names it, or has no value. */
bool tqa_payload_weighs(const tqa_value *where, uint32_t link);

#endif
