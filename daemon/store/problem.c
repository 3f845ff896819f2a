/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/problem.c - the problem for a client that a status of the store means. */
#include "daemon/store/problem.h"

enum { RETRY_LATER_S = 10 };

static const char *slug_of(tqd_store_status status)
{
    switch (status) {
    case TQD_STORE_MISMATCH:
        return "precondition-failed";
    case TQD_STORE_QUOTA:
    case TQD_STORE_NO_SPACE:
        return "storage-full";
    case TQD_STORE_BUSY:
    case TQD_STORE_NO_MEMORY:
        return "busy";
    case TQD_STORE_BROKEN:
        return "not-ready";
    case TQD_STORE_DAMAGED:
        return "damaged";
    case TQD_STORE_OK:
    case TQD_STORE_NOT_FOUND:
        return "internal";
    }
    return "internal";
}

void tqd_store_problem(tqd_store_status status, tqa_problem *problem)
{
    tqa_problem_set(problem, slug_of(status), "%s", tqd_store_status_text(status));
    if (status == TQD_STORE_BROKEN) {
        problem->retry_after_s = RETRY_LATER_S;
    } else if (status == TQD_STORE_DAMAGED) {
        problem->retry_after_s = 0; /* permanent: a retry does not help */
    }
}
