/* SPDX-License-Identifier: Apache-2.0 */
/* api/host.h - the services of the process that api may call. The daemon implements them; a test
   can fake them. */
#ifndef TQA_HOST_H
#define TQA_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/problem.h"

struct tqa_robot;

/* Properties of a source of data before it is read. */
typedef struct tqa_source {
    char media[64];  /* "text/csv", "application/x-npy"; of a job's result: its type */
    char digest[65]; /* SHA-256 of its bytes; "" for a small result, which has none */
    uint64_t size;
} tqa_source;

/* A computation in parts, each of which depends on the request and its number alone. */
typedef enum tqa_part_end {
    TQA_PART_DONE,
    TQA_PART_REFUSED, /* by what the request asks for: whoever computes it fails likewise */
    TQA_PART_STOPPED, /* cancelled, or memory is short */
} tqa_part_end;

typedef struct tqa_parts {
    size_t n;
    /* Computes one part into its bytes, on this thread and others of the process. Unless it is
     * DONE the problem of the call is set, for the caller of run_parts. */
    tqa_part_end (*run)(void *arg, size_t part);
    /* Where the bytes of a part are: computed by run, or copied there from another process. */
    void *(*bytes)(void *arg, size_t part, size_t *ret_n);
    void *arg;
} tqa_parts;

/* Every function may be called from any worker; ctx is the daemon's. */
typedef struct tqa_host {
    void *ctx;

    /* A robot by "name" or "name@digest". NULL with "unknown-robot" if there is none, or with the
     * problem of the store, which may have it. Release it with robot_release. */
    const struct tqa_robot *(*robot_get)(void *ctx, const char *name, tqa_problem *reterr);
    void (*robot_release)(void *ctx, const struct tqa_robot *robot);

    /* Runs body(arg, i) for i = 0 .. n-1 on this and any idle workers, and returns when all are
     * done. `scratch_size` bytes aligned to 64 are given to each call; they are the running
     * thread's. */
    void (*parallel_for)(void *ctx, size_t n, size_t scratch_size,
                         void (*body)(void *arg, size_t i, void *scratch), void *arg);

    /* Long computations only: reported now and then, polled between steps. NULL-safe no-ops in the
     * inline path. */
    void (*progress)(void *ctx, double fraction, const char *step);
    bool (*cancelled)(void *ctx);

    /* Saves a checkpoint (replacing the last one); loads it: bytes copied, 0 if there is none. */
    int (*checkpoint_save)(void *ctx, const void *bytes, size_t n);
    size_t (*checkpoint_load)(void *ctx, void *bytes, size_t size);

    /* Whether a checkpoint is due, by the time since the last one or since the start. No bit of a
       result depends on it. NULL: never. */
    bool (*checkpoint_due)(void *ctx);

    /* Bytes beside a long computation, from its start to its end, also over a checkpoint and a new
     * process: rows of a result that would fill the memory. NULL in the inline path.
     *
     * Writing at an offset truncates the spool after the written bytes: rows of a run that was
     * interrupted after its checkpoint are removed. The offset is at most the present end. Bytes
     * written before checkpoint_save are durable when that returns. 0, or -1: stop and return with
     * any problem, the daemon replaces it by the disk's or the quota's.
     *
     * Reading gives the bytes read, fewer than n only at the end (also when a checkpoint records
     * more: it is void then, the spool was lost with another machine's disk), or -1. It may go on
     * until the call is closed, so an answer can be printed out of the spool. */
    int (*spool_write)(void *ctx, uint64_t offset, const void *bytes, size_t n);
    long (*spool_read)(void *ctx, uint64_t offset, void *bytes, size_t n);

    /* Computes all parts, in this process and perhaps in others of the same version, which run the
     * same request. True: the bytes of all are there. False: return with the problem that run has
     * set, or with any; this process may have been one of the others. What is done is kept over a
     * new process, so no checkpoint is needed beside it. NULL: compute them as they come. */
    bool (*run_parts)(void *ctx, const tqa_parts *parts);

    /* A file beside the result: kept and deleted with it; it exists when the job has succeeded.
     * "report" (text/html) is GET /v1/jobs/{id}/report, others are .../result/{name}: letters,
     * digits, '.', '-' and '_', none of the result's own fields. During run only, each name once,
     * at most TQA_ATTACH_MAX. 0, or -1 as above. NULL in the inline path. */
    int (*attach)(void *ctx, const char *name, const char *media, const void *bytes, size_t n);

    /* Sources of data: a dataset as "name" or "name@sha256", the result of a job as "job:{id}". A
     * name may change its bytes from one call to the next: to read in pieces, get the digest first
     * and read "name@" with it. */

    /* 0, or -1: there is none, or the job has no result. */
    int (*dataset_look)(void *ctx, const char *name, tqa_source *ret);

    /* Reads `n` bytes at `offset`: the count read, fewer only at the end, or -1. Some microseconds
     * a call: ask for 64 KiB and more. */
    long (*dataset_read)(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n);
} tqa_host;

enum { TQA_ATTACH_MAX = 16, TQA_ATTACH_NAME_MAX = 64 };

#endif
