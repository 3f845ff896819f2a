/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/notes.h - what an answer of streamed samples states beside its arrays. */
#ifndef TQA_CALL_NOTES_H
#define TQA_CALL_NOTES_H

#include "api/call/call.h"

/* The writer of the next of such members, whose object is open: counts it. NPY and NPZ have room
 * for arrays only: tqa_notes_fit. */
tqa_writer *tqa_notes_next(tqa_call *call);
static inline bool tqa_notes_fit(const tqa_call *call)
{
    return call->accept == TQA_MEDIA_JSON || call->accept == TQA_MEDIA_CBOR;
}

/* `warnings` of a request that is a tree, where there are any. */
void tqa_notes_put_warnings(tqa_writer *to, const tqa_tree *tree);

/* Elements of `assumed_zero`: joints that the field `key` of a request, an object by name, lacks.
 * True: there are any. `to` may be NULL. */
bool tqa_notes_put_unnamed(tqa_writer *to, const tqa_robot *robot, const json_t *named,
                           const char *key);

/* Writes what every such operation states of its request, and puts all members after the arrays of
 * the result. False: the problem is set. */
bool tqa_notes_end(tqa_call *call);

#endif
