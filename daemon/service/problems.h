/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/problems.h - GET /problems/{slug}: a type of problem, and how to mend it. */
#ifndef TQD_SERVICE_PROBLEMS_H
#define TQD_SERVICE_PROBLEMS_H

#include "daemon/http/exchange.h"

extern const tqd_handler tqd_problem_handler, tqd_problem_list_handler;

#endif
