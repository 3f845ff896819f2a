/* SPDX-License-Identifier: Apache-2.0 */
/* api/problem.h - what went wrong, as an RFC 9457 problem document. */
#ifndef TQA_PROBLEM_H
#define TQA_PROBLEM_H

#include <stddef.h>

/* One row per kind of problem: slug, HTTP status, title. Append only: clients match on the slug. */
#define TQA_PROBLEM_LIST(X)                                                                        \
    X("malformed", 400, "The request is not well-formed")                                          \
    X("unknown-field", 400, "The request has a field that is not known here")                      \
    X("duplicate-field", 400, "The request has the same field twice")                              \
    X("wrong-type", 400, "A field has the wrong type")                                             \
    X("unauthorized", 401, "Credentials are needed")                                               \
    X("forbidden", 403, "The credentials do not allow this")                                       \
    X("not-found", 404, "There is nothing at this address")                                        \
    X("unknown-robot", 404, "There is no robot of this name")                                      \
    X("method-not-allowed", 405, "The address does not take this method")                          \
    X("not-acceptable", 406, "The answer cannot be given in the type asked for")                   \
    X("request-timeout", 408, "The request took too long to arrive")                               \
    X("conflict", 409, "The request conflicts with what is there")                                 \
    X("read-only", 409, "This is built in and cannot be changed")                                  \
    X("length-required", 411, "The length of the body must be told")                               \
    X("precondition-failed", 412, "The stored version is another one")                             \
    X("too-large", 413, "The request is larger than is accepted")                                  \
    X("range-not-satisfiable", 416, "The range lies outside of what is there")                     \
    X("unsupported-media", 415, "The body has a type that is not accepted here")                   \
    X("wrong-length", 422, "An array has the wrong length")                                        \
    X("missing-field", 422, "A field is missing")                                                  \
    X("unknown-name", 422, "A name is not known here")                                             \
    X("not-finite", 422, "A number is not finite")                                                 \
    X("invalid-value", 422, "A value is not allowed here")                                         \
    X("invalid-robot", 422, "The description is not a possible robot")                             \
    X("range", 422, "A value lies outside its allowed range")                                      \
    X("tree", 422, "The links and joints do not form one tree")                                    \
    X("inertia", 422, "An inertia is not physically possible")                                     \
    X("quaternion", 422, "A quaternion is not of unit length")                                     \
    X("overflow", 422, "A result is too large to be represented")                                  \
    X("singular", 422, "The equations have no unique solution at this state")                      \
    X("no-convergence", 422, "An iteration reached its limit")                                     \
    X("too-many-requests", 429, "Too many requests")                                               \
    X("headers-too-large", 431, "The request headers are larger than is accepted")                 \
    X("internal", 500, "The service has a fault")                                                  \
    X("busy", 503, "The service is busy")                                                          \
    X("took-too-long", 504, "The computation took too long for an immediate answer")               \
    X("not-ready", 503, "The service is starting or stopping")                                     \
    X("damaged", 503, "What was stored is damaged")                                                \
    X("storage-full", 507, "There is no space left to store this")

enum { TQA_PROBLEM_FAULTS = 8, TQA_PROBLEM_TEXT = 256, TQA_POINTER_TEXT = 128 };

/* One fault in a request body. */
typedef struct tqa_fault {
    char pointer[TQA_POINTER_TEXT]; /* RFC 6901, "" for the whole body */
    char detail[TQA_PROBLEM_TEXT];
    char
        hint[TQA_PROBLEM_TEXT]; /* what to change so that it works; "" if there is nothing to say */
} tqa_fault;

/* A plain value: no allocation, may be copied. */
typedef struct tqa_problem {
    int status;       /* HTTP; 0: no problem */
    const char *slug; /* constant; `type` in the document is "/problems/" + slug */
    const char *title;
    char detail[TQA_PROBLEM_TEXT];
    size_t n_fault; /* <= TQA_PROBLEM_FAULTS; later ones are dropped */
    tqa_fault faults[TQA_PROBLEM_FAULTS];
    unsigned retry_after_s; /* 0: no Retry-After; of a 503 it is 1, unless changed afterwards */
    const char *allow;      /* for 405: the methods; else NULL */
} tqa_problem;

/* Starts a problem: slug must be one of TQA_PROBLEM_LIST, which gives status and title (a slug that
 * is not is a fault of ours, and becomes "internal"). Returns its HTTP status. */
int tqa_problem_set(tqa_problem *problem, const char *slug, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a fault with its place. `format` makes the detail; hint may be NULL. */
void tqa_problem_fault(tqa_problem *problem, const char *pointer, const char *hint,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Working arrays of `need` bytes where a computation may have `most`: no wait helps. */
void tqa_problem_too_large(tqa_problem *problem, size_t need, size_t most);

/* Prints the document, with request_id, into `out` and returns its length (always < size; a
 * document is at most 8 KiB). */
size_t tqa_problem_print(const tqa_problem *problem, const char *request_id, char *out,
                         size_t size);

#endif
