/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/status.h - status codes of all core functions, and the location of an error. */
#ifndef TQ_BASE_STATUS_H
#define TQ_BASE_STATUS_H

#include <stddef.h>

/* One row per outcome: the enum, the stable API slug and the text come from
 * this list, so that none of the three can drift. Append only. */
#define TQ_STATUS_LIST(X)                                                                          \
    X(TQ_OK, "ok", "success")                                                                      \
    X(TQ_ERR_SHAPE, "shape", "array sizes do not agree")                                           \
    X(TQ_ERR_RANGE, "range", "a value lies outside its allowed range")                             \
    X(TQ_ERR_NOT_FINITE, "not-finite", "an input is NaN or infinite")                              \
    X(TQ_ERR_SCRATCH, "scratch", "the scratch region is too small")                                \
    X(TQ_ERR_TREE, "tree", "the links and joints do not form one tree")                            \
    X(TQ_ERR_INERTIA, "inertia", "an inertia is not physically possible")                          \
    X(TQ_ERR_QUATERNION, "quaternion", "a quaternion is not of unit length")                       \
    X(TQ_ERR_OVERFLOW, "overflow", "a result is too large to be represented")                      \
    X(TQ_ERR_SINGULAR, "singular", "the equations have no unique solution at this state")          \
    X(TQ_ERR_NO_CONVERGENCE, "no-convergence", "an iteration reached its limit")                   \
    X(TQ_ERR_LAPACK, "lapack", "a LAPACK routine rejected its arguments")                          \
    X(TQ_ERR_MEMORY, "memory", "a library has no memory for this now")                             \
    X(TQ_ERR_STOPPED, "stopped", "the caller has cancelled the computation")

typedef enum tq_status {
#define TQ_STATUS_ENUM(name, slug, text) name,
    TQ_STATUS_LIST(TQ_STATUS_ENUM)
#undef TQ_STATUS_ENUM
} tq_status;

/* Location of an error. `what` is a constant string that names the argument or field. */
typedef struct tq_error {
    const char *what; /* "q", "joint.axis", ...; NULL if nothing more is known */
    size_t index;     /* which element of it: joint, link, row or sample, as `what` says */
    double value;     /* the offending value, or the bytes needed for TQ_ERR_SCRATCH */
} tq_error;

/* The stable word for an outcome, as used in problem documents. Never NULL. */
const char *tq_status_slug(tq_status status);

/* One sentence for an outcome. Never NULL. */
const char *tq_status_text(tq_status status);

/* Fills *reterr (which may be NULL) and returns `status`, so that a caller can `return
 * tq_fail(...)`. */
tq_status tq_fail(tq_error *reterr, tq_status status, const char *what, size_t index, double value);

#endif
