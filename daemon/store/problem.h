/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/problem.h - the problem for a client that a status of the store means. */
#ifndef TQD_STORE_PROBLEM_H
#define TQD_STORE_PROBLEM_H

#include "api/problem.h"
#include "daemon/store/store.h"

/* Fills the problem for any status but OK and NOT_FOUND, which the caller words. */
void tqd_store_problem(tqd_store_status status, tqa_problem *problem);

#endif
