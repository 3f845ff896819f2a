/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/picture.h - the arrays of a call's result over its samples, as a picture. */
#ifndef TQA_CALL_PICTURE_H
#define TQA_CALL_PICTURE_H

#include "api/call/call.h"
#include "api/problem.h"
#include "api/response/archive.h"

/* An SVG of a call's result, which was begun as JSON and is read to its end: a panel for each
 * array, a line for each joint, over the time of a log or over the samples' number. NULL with a
 * problem: one sample, more than 64 MiB of JSON, memory is short. Cost: that of printing the answer
 * and reading it once. */
tqa_archive *tqa_picture_of_call(tqa_call *call, tqa_problem *reterr);

#endif
