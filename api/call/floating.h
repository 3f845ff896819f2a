/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/floating.h - torque that a request gives a floating joint, which no motor drives. */
#ifndef TQA_CALL_FLOATING_H
#define TQA_CALL_FLOATING_H

#include "api/call/call.h"

/* The first floating joint from j on that the robot does not list as `actuated`; TQ_NONE: there is
 * none. */
uint32_t tqa_floating_undriven(const tqa_robot *robot, uint32_t j);

/* The warning of its torque, `most` N m or N at the worst (0: not known). */
void tqa_floating_text(const tqa_robot *robot, uint32_t joint, double most,
                       char ret[TQA_PROBLEM_TEXT]);

/* The largest such torque of a block of tau in the robot's order, into call->base_tau: n samples,
 * rows of `stride`. Any thread. */
void tqa_floating_note(tqa_call *call, const double *tau, size_t stride, size_t n);

/* The same of all blocks of tau that are still there, and what was noted of the others. */
double tqa_floating_most(tqa_call *call);

#endif
