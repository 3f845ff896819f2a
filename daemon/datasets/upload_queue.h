/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/upload_queue.h - the upload queue: I/O threads fill bounded rings, one thread
 * stores their bytes. */
#ifndef TQD_DATASETS_UPLOAD_QUEUE_H
#define TQD_DATASETS_UPLOAD_QUEUE_H

#include "api/dataset.h"
#include "daemon/http/bearer.h"
#include "daemon/queue/workers.h"
#include "daemon/store/datasets.h"
#include "daemon/store/files.h"

typedef struct tqd_upload_queue tqd_upload_queue;
/* One upload. */
typedef struct tqd_intake tqd_intake;

typedef struct tqd_upload_queue_options {
    tqd_store *store;
    tqd_workers *workers; /* parsing and hashing run in parallel when a worker is idle */
    size_t intakes_max;   /* concurrent uploads; each takes 1.3 to 8 MiB */
    size_t client_max;    /* of one named client that is alone (share.h); 0: no bound */
} tqd_upload_queue_options;

/* NULL: out of memory. */
tqd_upload_queue *tqd_upload_queue_new(const tqd_upload_queue_options *options);
/* Body of its thread: returns after tqd_upload_queue_stop once the queue is empty. */
void tqd_upload_queue_run(void *uploads);
void tqd_upload_queue_stop(tqd_upload_queue *uploads);
void tqd_upload_queue_free(tqd_upload_queue *uploads); /* accepts NULL */

/* ------------------------------------ the I/O thread of the upload's connection: never blocks */

/* `who` may be NULL. NULL: too many uploads, of this client if *ret_own, or out of memory.
 * `wake(ctx)` is called on the upload thread, once after each tqd_intake_room that returned
 * false. */
tqd_intake *tqd_intake_open(tqd_upload_queue *uploads, const tqd_identity *who,
                            const tqa_dataset_options *options, void (*wake)(void *ctx), void *ctx,
                            bool *ret_own);
/* Backpressure. True: n bytes can be put now, or the upload has failed; n <= TQD_INTAKE_PIECE. */
enum { TQD_INTAKE_PIECE = 256 << 10 };
bool tqd_intake_room(tqd_intake *intake, size_t n);
/* False: the upload has failed; see tqd_intake_problem. */
bool tqd_intake_put(tqd_intake *intake, const char *bytes, size_t n);
/* Ends the upload in any state: `wake` is not called any more. An incomplete upload is removed. */
void tqd_intake_close(tqd_intake *intake);

/* ----------------------------------------------------------------------- workers: may block */

/* All bytes have been put: waits until they are written, makes the file durable, and fills in
 * digest, size, media, rows and columns of the row. The file stays until tqd_intake_close. False
 * with a problem. */
bool tqd_intake_complete(tqd_intake *intake, tqd_dataset_row *row, char **ret_summary,
                         size_t *ret_n_summary);

/* A row refers to the file: tqd_intake_close then keeps it. */
void tqd_intake_keep(tqd_intake *intake);

/* After tqd_intake_complete: blocks for plots of the file, or NULL; the caller frees them. */
tqa_dataset_blocks *tqd_intake_blocks(tqd_intake *intake);

/* Valid after a call that returned false. */
const tqa_problem *tqd_intake_problem(const tqd_intake *intake);

#endif
