/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/status.h - problems from statuses of core. */
#ifndef TQA_PROBLEMS_STATUS_H
#define TQA_PROBLEMS_STATUS_H

#include "api/problem.h"
#include "core/base/status.h"

/* Starts a problem from a core status (a switch without default: every new status needs its HTTP
 * code here). */
bool tqa_problem_from_status(tqa_problem *problem, tq_status status, const tq_error *error);

/* The usual remedy for a core status. */
const char *tqa_problem_status_hint(tq_status status);

#endif
