/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/problem.h - maps a status of the store to a problem for a client. */
#ifndef TQD_STORE_PROBLEM_H
#define TQD_STORE_PROBLEM_H

#include "api/problem.h"
#include "daemon/store/store.h"

/* Sets the problem for any status but OK and NOT_FOUND, which the caller handles. */
void tqd_store_problem(tqd_store_status status, tqa_problem *problem);

/* For OWNED: whose the `what` ("robot", "dataset", "job") of this name is. */
void tqd_store_owned(const char *what, const char *name, const char *owner, tqa_problem *problem);

/* Why a job ended without a runner, and the problem document that becomes its result: its bytes, a
 * NUL after them. */
typedef enum tqd_job_end {
    TQD_JOB_END_LATE,
    TQD_JOB_END_CRASHED,
    TQD_JOB_END_INTERRUPTED,
} tqd_job_end;
enum { TQD_JOB_END_TEXT = 2048 };
size_t tqd_job_end_print(tqd_job_end end, char ret[TQD_JOB_END_TEXT]);

#endif
