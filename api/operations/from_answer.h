/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/from_answer.h - `log` and `residual` in an answer whose motion is a recording. */
#ifndef TQA_OPERATIONS_FROM_ANSWER_H
#define TQA_OPERATIONS_FROM_ANSWER_H

#include "api/call/call.h"

/* After the torques are computed: `log`, and with recorded torque `tau_measured` and `residual`.
 * False: the problem is set. */
bool tqa_from_add(tqa_call *call);

#endif
