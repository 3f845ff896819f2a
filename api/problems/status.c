/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/status.c - the problem and the hint of each status of core. */
#include "api/problems/status.h"

#include <math.h>

/* Maps a status to a client's fault or to one of ours. No default: a new status is decided here. */
static const char *status_slug(tq_status status)
{
    switch (status) {
    case TQ_ERR_SHAPE:
        return "wrong-length";
    case TQ_ERR_RANGE:
    case TQ_ERR_NOT_FINITE:
    case TQ_ERR_TREE:
    case TQ_ERR_INERTIA:
    case TQ_ERR_QUATERNION:
    case TQ_ERR_OVERFLOW:
    case TQ_ERR_SINGULAR:
    case TQ_ERR_NO_CONVERGENCE:
        return tq_status_slug(status);
    case TQ_ERR_MEMORY:
    case TQ_ERR_STOPPED:
        return "busy";
    case TQ_OK:
    case TQ_ERR_SCRATCH:
    case TQ_ERR_LAPACK:
        return "internal";
    }
    return "internal";
}

bool tqa_problem_from_status(tqa_problem *problem, tq_status status, const tq_error *error)
{
    const char *slug = status_slug(status), *text = tq_status_text(status);
    if (error == NULL || error->what == NULL) {
        return tqa_problem_set(problem, slug, "%s", text);
    }
    if (!isfinite(error->value)) {
        return tqa_problem_set(problem, slug, "%s: %s, number %zu", text, error->what,
                               error->index);
    }
    return tqa_problem_set(problem, slug, "%s: %s, number %zu, value %.17g", text, error->what,
                           error->index, error->value);
}

const char *tqa_problem_status_hint(tq_status status)
{
    switch (status) {
    case TQ_ERR_SHAPE:
        return "give every array the length that the contract states";
    case TQ_ERR_RANGE:
        return "a value that is possible here";
    case TQ_ERR_NOT_FINITE:
    case TQ_ERR_OVERFLOW:
        return "smaller numbers, or other units";
    case TQ_ERR_TREE:
        return "every link but one hangs on one joint";
    case TQ_ERR_INERTIA:
        return "POST /v1/inertia answers what is wrong with it, and the nearest possible one";
    case TQ_ERR_QUATERNION:
        return "divide it by its length";
    case TQ_ERR_SINGULAR:
        return "leave this state, or give what moves here a mass or a rotor's inertia";
    case TQ_ERR_NO_CONVERGENCE:
        return "start nearer to the answer, or ask for a coarser one";
    case TQ_ERR_MEMORY:
    case TQ_ERR_STOPPED:
        return "try again";
    case TQ_OK:
    case TQ_ERR_SCRATCH:
    case TQ_ERR_LAPACK:
        break;
    }
    return NULL;
}
