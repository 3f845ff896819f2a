/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/problem.c - maps a status of the store to a problem for a client. */
#include "daemon/store/problem.h"

enum { RETRY_LATER_S = 10 };

static const char *slug_of(tqd_store_status status)
{
    switch (status) {
    case TQD_STORE_MISMATCH:
        return "precondition-failed";
    case TQD_STORE_OWNED:
        return "forbidden";
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
        problem->retry_after_s = 0; /* permanent: retrying does not help */
    }
}

void tqd_store_owned(const char *what, const char *name, const char *owner, tqa_problem *problem)
{
    tqa_problem_set(problem, "forbidden",
                    "%s \"%.128s\" belongs to \"%s\": only a token of \"%s\", or one with the role "
                    "admin, may change or delete it",
                    what, name, owner, owner);
}

size_t tqd_job_end_print(tqd_job_end end, char ret[TQD_JOB_END_TEXT])
{
    static const struct {
        const char *slug, *detail;
    } ends[] = {
        [TQD_JOB_END_LATE] = {"busy", "the job could not begin before its deadline"},
        [TQD_JOB_END_CRASHED] =
            {"internal", "the computation crashed the service each time it was run, and is not run "
                         "again; please report it with this job's .../request"},
        [TQD_JOB_END_INTERRUPTED] =
            {"busy", "the service was ended from outside each time this was run, and got no "
                     "further from one time to the next: for want of memory, by a power cut or by "
                     "hand; it is not run again. Ask for less at a time, or send it again"},
    };
    tqa_problem problem;
    tqa_problem_set(&problem, ends[end].slug, "%s", ends[end].detail);
    return tqa_problem_print(&problem, NULL, ret, TQD_JOB_END_TEXT);
}
