/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/value_call.h - the life of a call whose request is a tree of fields. */
#ifndef TQA_CALL_VALUE_CALL_H
#define TQA_CALL_VALUE_CALL_H

#include "api/call/call.h"

/* Functions for operations whose methods have `tree`; same meaning as tqa_call_... . Size, media
   and digest of the body are call.c's. */
bool tqa_tree_open(tqa_call *call, const tqa_call_head *head, tqa_problem *reterr);
bool tqa_tree_finish(tqa_call *call);
bool tqa_tree_run(tqa_call *call, const tqa_host *host);
size_t tqa_tree_read(tqa_call *call, char *out, size_t size);
void tqa_tree_close(tqa_call *call);

/* Bytes of the head that may come: type, accept, query. False: *reterr is set. */
bool tqa_tree_check_head(const tqa_operation *operation, const tqa_call_head *head,
                         tqa_problem *reterr);

#endif
