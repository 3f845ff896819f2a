/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/problem.h - what a refusal or failure of the store is to a client. */
#ifndef TQD_STORE_PROBLEM_H
#define TQD_STORE_PROBLEM_H

#include "api/problem.h"
#include "daemon/store/store.h"

/* Starts the problem for any status but OK and NOT_FOUND (those are the caller's to word). */
void tqd_store_problem(tqd_store_status status, tqa_problem *problem);

#endif
