/* SPDX-License-Identifier: Apache-2.0 */
/* api/problem.h - an error as an RFC 9457 problem document. */
#ifndef TQA_PROBLEM_H
#define TQA_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

/* One row per kind of problem: slug, HTTP status, title; for its page at /problems/{slug}: its
 * meaning, its remedy, an example of its detail (plain text without quotes and markup). Append
 * only: clients match on the slug. */
#define TQA_PROBLEM_LIST(X)                                                                        \
    X("malformed", 400, "The request is not well-formed",                                          \
      "The body is not valid JSON, CBOR or the type that Content-Type names, or the request"       \
      " line or a header breaks the rules of HTTP.",                                               \
      "Read the byte offset in detail: the fault is there or just before it. A JSON "              \
      "document can be checked with jq.",                                                          \
      "expected a comma or the end of the array (byte 17 of the body)")                            \
    X("unknown-field", 400, "The request has a field that is not known here",                      \
      "An object has a field that this address does not have. Fields are never ignored, so "       \
      "that a misspelt one cannot change a result unnoticed.",                                     \
      "Compare the name with the nearest one in the hint, or with the fields of this "             \
      "operation at /docs.",                                                                       \
      "/qdot is not known here: did you mean qd?")                                                 \
    X("duplicate-field", 400, "The request has the same field twice",                              \
      "An object has the same key twice, so that its meaning would depend on the reader.",         \
      "Remove one of the two.", "/q is there twice (byte 40 of the body)")                         \
    X("wrong-type", 400, "A field has the wrong type",                                             \
      "A field has a value of another kind than expected: a word where a number belongs, an"       \
      " object where an array belongs.",                                                           \
      "Look up the type of the field at /docs; detail names the field and what was "               \
      "expected.",                                                                                 \
      "/duration_s: expected a number")                                                            \
    X("unauthorized", 401, "Credentials are needed",                                               \
      "This service has credentials, and the request has no valid token or session, or one "       \
      "that has expired.",                                                                         \
      "Send the header Authorization: Bearer TOKEN. An administrator makes one by torquectl "      \
      "token create; a browser gets a session by POST /v1/session.",                               \
      "send Authorization: Bearer TOKEN with a valid token")                                       \
    X("forbidden", 403, "The credentials do not allow this",                                       \
      "The token does not have the role that this needs, or the request comes from a page of "     \
      "another origin, or changes something by a cookie from another site.",                       \
      "detail names the role: use a token that has it (torquectl token list shows roles). For "    \
      "a page, list its origin in the setting origins, or send the request from the same "         \
      "origin.",                                                                                   \
      "this needs the role compute; the token of dashboard has: read")                             \
    X("not-found", 404, "There is nothing at this address",                                        \
      "No resource has this address: a path that does not exist, or a job, dataset or array"       \
      " that is not stored (any more).",                                                           \
      "GET /openapi.json lists all addresses; GET /v1/jobs and GET /v1/datasets list what "        \
      "is stored. A job is removed at the time that its field expires states.",                    \
      "there is no job 0f3k")                                                                      \
    X("unknown-robot", 404, "There is no robot of this name",                                      \
      "No robot is stored or built in under this name, or not in the version that the "            \
      "digest after @ names.",                                                                     \
      "GET /v1/robots lists the names; PUT /v1/robots/NAME stores a robot.",                       \
      "there is no robot pandaa: did you mean panda?")                                             \
    X("method-not-allowed", 405, "The address does not take this method",                          \
      "The address exists and does not take this method.",                                         \
      "The header Allow names the methods that it takes.",                                         \
      "PUT is not possible here; GET, HEAD is")                                                    \
    X("not-acceptable", 406, "The answer cannot be given in the type asked for",                   \
      "The header Accept admits no type in which this answer exists.",                             \
      "Send one of the types that detail names, or no Accept at all.",                             \
      "a result that is waited for comes as application/json, application/cbor or "                \
      "application/x-npz")                                                                         \
    X("request-timeout", 408, "The request took too long to arrive",                               \
      "The headers or the body did not arrive within the settings header_timeout and "             \
      "body_timeout.",                                                                             \
      "Send the request again; for a large body over a slow line raise body_timeout.",             \
      "the body did not arrive in time")                                                           \
    X("conflict", 409, "The request conflicts with what is there",                                 \
      "The state of the resource does not admit this: a job that is not finished has no "          \
      "result, a running job cannot be deleted, an Idempotency-Key belongs to another "            \
      "request.",                                                                                  \
      "Read the state first (GET /v1/jobs/ID), then wait, cancel, or choose another key.",         \
      "the job is not finished: cancel it first")                                                  \
    X("read-only", 409, "This is built in and cannot be changed",                                  \
      "Built-in robots and data belong to the program.",                                           \
      "Store a copy under a name of your own: GET the document, change it, PUT it.",               \
      "panda is built in")                                                                         \
    X("length-required", 411, "The length of the body must be stated",                             \
      "A request with a body must state its length, so that it can be checked before it is "       \
      "read.",                                                                                     \
      "Send Content-Length or Transfer-Encoding: chunked. With curl: -d with the body, an "        \
      "empty object as a least one.",                                                              \
      "a body is needed, with Content-Length or chunked")                                          \
    X("precondition-failed", 412, "The stored version is another one",                             \
      "If-Match or If-None-Match names another version than the stored one: somebody "             \
      "changed it meanwhile.",                                                                     \
      "GET the present version, apply the change to it, and send its ETag in If-Match.",           \
      "the stored version is another one")                                                         \
    X("too-large", 413, "The request is larger than is accepted",                                  \
      "The body, an array or the memory that the computation needs is above a limit.",             \
      "Send less at a time, or raise the setting that detail names.",                              \
      "the body may have 67108864 bytes at most")                                                  \
    X("range-not-satisfiable", 416, "The range lies outside of what is there",                     \
      "The header Range begins after the end of the content.",                                     \
      "The header Content-Range of this answer states the length.", "the content has 1024 bytes")  \
    X("unsupported-media", 415, "The body has a type that is not accepted here",                   \
      "The type of the body, or its content encoding, is not accepted here.",                      \
      "Send application/json or application/cbor; recorded data as CSV, NPY or NPZ: the "          \
      "hint has a line that converts a file of another format.",                                   \
      "the body must be sent without a content encoding")                                          \
    X("wrong-length", 422, "An array has the wrong length",                                        \
      "An array has another length than the robot or the other arrays require.",                   \
      "One sample has one number for each degree of freedom (nv of the robot); a batch is "        \
      "an array of such arrays.",                                                                  \
      "/qd/3: expected 7 numbers, got 6 (byte 211 of the body)")                                   \
    X("missing-field", 422, "A field is missing",                                                  \
      "A field that this operation requires is absent.",                                           \
      "Add the field; the hint states what it holds.", "/initial is missing")                      \
    X("unknown-name", 422, "A name is not known here",                                             \
      "A field takes one of several words, or the name of a link, joint, column or dataset,"       \
      " and this is none of them.",                                                                \
      "The hint has the nearest name, or the list of them.",                                       \
      "/include/0: gravity is not known: did you mean gravity_torque?")                            \
    X("not-finite", 422, "A number is not finite",                                                 \
      "A number is too large for a double, or NaN or infinite in a binary body.",                  \
      "Remove such samples; JSON cannot carry them.", "/q/5/0 is not finite")                      \
    X("invalid-value", 422, "A value is not allowed here",                                         \
      "A value or a header is of the right type and has no meaning here.",                         \
      "Detail states the values that are accepted.", "limit is 1 to 200")                          \
    X("invalid-robot", 422, "The description is not a possible robot",                             \
      "The description was read, and is not a robot that can exist: an inertia or an axis "        \
      "or a limit contradicts another.",                                                           \
      "Correct the element that detail names; the field doctor of the answer to a stored "         \
      "robot lists weaker findings.",                                                              \
      "link forearm: the mass is negative")                                                        \
    X("range", 422, "A value lies outside its allowed range",                                      \
      "A value is outside the interval that the contract states for it.",                          \
      "The interval is in detail and at /docs. Angles are radians, times are seconds.",            \
      "/duration_s: 0 is outside (0, inf)")                                                        \
    X("tree", 422, "The links and joints do not form one tree",                                    \
      "The joints do not connect all links to one base exactly once.",                             \
      "Give each link but the base one parent joint; close loops by constraints, not by a "        \
      "second parent.",                                                                            \
      "link wrist has two parent joints")                                                          \
    X("inertia", 422, "An inertia is not physically possible",                                     \
      "No distribution of mass has this inertia: the matrix is not positive, or a moment "         \
      "exceeds the sum of the other two.",                                                         \
      "Check the frame and the sign of the products of inertia; POST /v1/inertia computes "        \
      "the inertia of solids.",                                                                    \
      "link upper_arm: the largest moment exceeds the sum of the others")                          \
    X("quaternion", 422, "A quaternion is not of unit length",                                     \
      "A quaternion is not of unit length within the tolerance.",                                  \
      "Divide it by its norm; the hint has the numbers. The order is stated with the field "       \
      "at /docs.",                                                                                 \
      "/orientation: the norm is 1.414")                                                           \
    X("overflow", 422, "A result is too large to be represented",                                  \
      "A result or an intermediate value is too large for a double.",                              \
      "Look for an input of the wrong unit: degrees as radians, milliseconds as seconds.",         \
      "tau is too large to be represented")                                                        \
    X("singular", 422, "The equations have no unique solution at this state",                      \
      "The equations have no unique solution at this configuration: constraints depend on "        \
      "each other, or a mass matrix is singular.",                                                 \
      "Move the configuration off the singularity, or remove redundant constraints; terms "        \
      "reports the rank.",                                                                         \
      "the constraints have rank 5 of 6 here")                                                     \
    X("no-convergence", 422, "An iteration reached its limit",                                     \
      "An iteration did not reach its tolerance within its limit of steps.",                       \
      "Start nearer to the solution, widen the tolerance, or give it more steps, where the "       \
      "operation has these fields.",                                                               \
      "no configuration within 1e-10 after 200 steps")                                             \
    X("too-many-requests", 429, "Too many requests",                                               \
      "A quota of the client is reached: requests a second, bodies, streams or computations at "   \
      "a time. Other clients are served.",                                                         \
      "Wait for the seconds of Retry-After, then send it again. detail names the quota: the "      \
      "administrator sets it in the file of credentials, or by the setting client_share.",         \
      "cell may send 50 requests a second (requests= of its token)")                               \
    X("headers-too-large", 431, "The request headers are larger than is accepted",                 \
      "The headers or the address exceed the memory of a connection.",                             \
      "Send fewer or shorter headers; data belong into the body.",                                 \
      "the headers are longer than 16 KiB")                                                        \
    X("internal", 500, "The service has a fault", "A fault of the program, not of the request.",   \
      "Report it with the request id and the log lines of that time; the same request will "       \
      "probably fail again.",                                                                      \
      "the computation crashed the service")                                                       \
    X("busy", 503, "The service is busy",                                                          \
      "Memory, workers or places in a queue are short at this moment.",                            \
      "Wait for the seconds of Retry-After and send the request again; a long computation "        \
      "is better sent as a job (Prefer: respond-async).",                                          \
      "100000 jobs wait already; try again later")                                                 \
    X("took-too-long", 504, "The computation took too long for an immediate answer",               \
      "The computation exceeded the setting run_timeout for immediate answers, or jobs_time for "  \
      "jobs, and was stopped.",                                                                    \
      "Send it as a job (Prefer: respond-async), which may take days, or ask for less.",           \
      "longer than 600 s")                                                                         \
    X("not-ready", 503, "The service is not ready",                                                \
      "The service is starting, is stopping after a signal, or its store does not answer.",        \
      "Send it again after the seconds of Retry-After; GET /readyz is 503 while it starts or "     \
      "stops.",                                                                                    \
      "the service is stopping")                                                                   \
    X("damaged", 503, "What was stored is damaged",                                                \
      "Stored bytes do not agree with their checksum: a disk or memory fault, or a file "          \
      "changed by hand. Nothing wrong was sent.",                                                  \
      "Restore the file from a backup, or store the same bytes again. torqued --check-store"       \
      " lists what is damaged.",                                                                   \
      "the stored bytes have changed")                                                             \
    X("storage-full", 507, "There is no space left to store this",                                 \
      "The disk is full, or the settings files_size or jobs_bytes are reached.",                   \
      "Delete jobs (torquectl jobs delete --older-than 7d) or datasets, or raise the "             \
      "setting.",                                                                                  \
      "there is no space left on the disk")

enum { TQA_PROBLEM_FAULTS = 8, TQA_PROBLEM_TEXT = 256, TQA_POINTER_TEXT = 128 };

/* One fault in a request body. */
typedef struct tqa_fault {
    char pointer[TQA_POINTER_TEXT]; /* RFC 6901, "" for the whole body */
    char detail[TQA_PROBLEM_TEXT];
    char hint[TQA_PROBLEM_TEXT]; /* hint: the change that makes the request valid; "": none */
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

/* A row of TQA_PROBLEM_LIST. */
typedef struct tqa_problem_kind {
    const char *slug;
    int status;
    const char *title, *meaning, *remedy, *example;
} tqa_problem_kind;

/* All kinds, in the order of the list. */
const tqa_problem_kind *tqa_problem_kinds(size_t *ret_n);

/* Starts a problem: slug must be one of TQA_PROBLEM_LIST, which gives status and title (an unknown
 * slug is a bug of ours, and becomes "internal"). Always false, for functions that return whether
 * they succeeded. */
bool tqa_problem_set(tqa_problem *problem, const char *slug, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a fault with its place. `format` makes the detail; hint may be NULL. */
void tqa_problem_fault(tqa_problem *problem, const char *pointer, const char *hint,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A computation needs `need` bytes of scratch and may have `most`: a retry would not help. */
void tqa_problem_too_large(tqa_problem *problem, size_t need, size_t most);

/* Prints the document, with request_id, into `out` and returns its length (always < size; a
 * document is at most 8 KiB). */
size_t tqa_problem_print(const tqa_problem *problem, const char *request_id, char *out,
                         size_t size);

#endif
