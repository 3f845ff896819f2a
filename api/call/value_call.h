/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/value_call.h - the life of a call whose request is a tree of fields. */
#ifndef TQA_CALL_VALUE_CALL_H
#define TQA_CALL_VALUE_CALL_H

#include "api/call/call.h"

/* What call.c hands over when the operation's methods have `control`; same meaning as
 * tqa_call_... . Size, media and digest of the body are call.c's. */
bool tqa_control_open(tqa_call *call, const tqa_call_head *head, tqa_problem *reterr);
bool tqa_control_feed(tqa_call *call, const char *bytes, size_t n);
bool tqa_control_finish(tqa_call *call);
bool tqa_control_run(tqa_call *call, const tqa_world *world);
size_t tqa_control_read(tqa_call *call, char *out, size_t size);
void tqa_control_close(tqa_call *call);

/* Bytes of the head that may come: type, accept, query. False: *reterr is set. */
bool tqa_control_check_head(const tqa_operation *operation, const tqa_call_head *head,
                            tqa_problem *reterr);

#endif
