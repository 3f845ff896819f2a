/* SPDX-License-Identifier: Apache-2.0 */
/* api/operation.h - the door of api: the table of operations and the life of one call. */
#ifndef TQA_OPERATION_H
#define TQA_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/host.h"
#include "api/media.h"
#include "api/problem.h"
#include "api/robot.h"

/* The request line and headers. Borrowed for tqa_call_open only. */
typedef struct tqa_call_head {
    tqa_media content; /* of the body */
    tqa_media accept;  /* wanted for the answer; NONE: JSON */
    const char *query; /* after the '?', not decoded; NULL if none */
    const char *request_id;
    uint64_t content_length; /* UINT64_MAX: unknown */
    /* for the call itself, 64-byte aligned, until it is closed; where it is NULL or too small for
     * this robot, the call allocates */
    void *memory;
    size_t memory_size;
} tqa_call_head;

/* One request through decode, run and encode. Not thread-safe: one thread at a time may
 * hold it. */
typedef struct tqa_call tqa_call;

/* Where the call may run: the caller decides by cost. */
typedef struct tqa_operation {
    const char *name;  /* last part of the path: "inverse-dynamics" */
    bool needs_robot;  /* POST /v1/robots/{name}/<name>, else POST /v1/<name> */
    bool may_outlive;  /* long computation: may become a job */
    bool has_picture;  /* its answer may be TQA_MEDIA_SVG */
    uint64_t body_max; /* bytes; more is 413 */
    const struct tqa_operation_methods *methods; /* private to api/operations */
} tqa_operation;

/* The table, in the order of the contract. Ends with name == NULL. */
extern const tqa_operation tqa_operations[];
const tqa_operation *tqa_operation_find(const char *name, size_t n, bool with_robot);

/* The problem of an answer as TQA_MEDIA_SVG that the operation does not have: names those with one.
 */
void tqa_operation_refuse_picture(const tqa_operation *operation, tqa_problem *reterr);

/* open -> feed* -> finish -> cost -> run -> (status, media, length, read*) -> close. A problem may
 * be set by open (returns NULL), by feed, finish and run (return false) and by read (returns 0);
 * after that only tqa_call_problem and close may be called. */

/* The robot must outlive the call. */
tqa_call *tqa_call_open(const tqa_operation *operation, const tqa_robot *robot,
                        const tqa_call_head *head, tqa_problem *reterr);
/* Decodes the next bytes of the body, in any pieces, straight into blocks. False: refuse now, read
 * no more. */
bool tqa_call_feed(tqa_call *call, const char *bytes, size_t n);
/* Whether the body, by its first byte, is an archive: few of its bytes may inflate to a thousand
 * times as many, which makes feeding them slow. */
bool tqa_call_inflates(const tqa_call *call, char first);
/* While a large body arrives: the number of blocks that can be computed already, growing as more is
 * fed; 0 for most calls. Called by the thread that feeds. */
size_t tqa_call_ready(tqa_call *call);
/* Computes block b of those, each once, on any thread, in parallel, also while the call is fed. No
 * computation may be running in tqa_call_finish; the results are used only if all announced blocks
 * are done then. `scratch` as for tqa_call_run, or NULL. */
void tqa_call_compute_early(tqa_call *call, size_t b, void *scratch, size_t scratch_size);
size_t tqa_call_compute_early_scratch_size(const tqa_call *call);
/* Minimum number of new blocks to publish to workers: few where numbers come as fast as they are
 * computed (CBOR, NPY), more where each is text. */
size_t tqa_call_compute_early_step(const tqa_call *call);
/* Blocks that may wait for workers before the feeding thread computes some itself; SIZE_MAX: never,
 * since one block would delay its other connections. */
size_t tqa_call_compute_early_waiting(const tqa_call *call);
/* The body is complete. */
bool tqa_call_finish(tqa_call *call);
/* The names of data that the complete request will read, each as host->dataset_look takes it; one
 * may come twice. False when `each` said so. */
enum { TQA_SOURCE_NAME = 160 };
bool tqa_call_sources(const tqa_call *call, bool (*each)(void *ctx, const char *name), void *ctx);
/* Estimate of run and encode in microseconds, from operation, samples and freedoms. */
double tqa_call_cost_us(const tqa_call *call);
/* Computes. `scratch` is 64-byte aligned, of tqa_call_scratch_size bytes, and the running thread's.
 */
size_t tqa_call_scratch_size(const tqa_call *call);
bool tqa_call_run(tqa_call *call, const tqa_host *host, void *scratch, size_t scratch_size);

/* The answer: its type, then its bytes in pieces, printed from the blocks as they are asked for. A
 * result of up to 16 KiB is printed whole by the first read. */
const char *tqa_call_media(const tqa_call *call);
/* Bytes of the whole answer if known before it is written (CBOR, NPY), else 0. Call it before the
 * first read. */
uint64_t tqa_call_length(const tqa_call *call);
/* Bytes written to `out` (size >= 4096), 0 at the end; also 0, with a problem, where there is no
 * memory for the rest. */
size_t tqa_call_read(tqa_call *call, char *out, size_t size);
/* Zero-copy read: the next *ret_n bytes in place, if they exist in the form of the answer. Valid
 * until the call is closed. NULL: use read. */
const char *tqa_call_look(tqa_call *call, size_t *ret_n);
/* Why open, feed, finish, run or read refused; status 0: nothing did. */
const tqa_problem *tqa_call_problem(const tqa_call *call);
void tqa_call_close(tqa_call *call); /* accepts NULL */

/* Once at start, before any thread: BLAS, digests, kernels of this lane width (0: the widest), and
 * one known torque. NULL when good, else a constant reason. */
const char *tqa_start(unsigned lane_width);
/* Samples that one instruction takes, as chosen there. */
unsigned tqa_lane_width(void);

#endif
