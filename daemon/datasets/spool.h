/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/spool.h - uploads on their way to the disk: I/O threads fill bounded rings, one
 * thread empties them. */
#ifndef TQD_DATASETS_SPOOL_H
#define TQD_DATASETS_SPOOL_H

#include "api/dataset.h"
#include "daemon/queue/workers.h"
#include "daemon/store/datasets.h"
#include "daemon/store/files.h"

typedef struct tqd_spool tqd_spool;
/* One upload. */
typedef struct tqd_intake tqd_intake;

typedef struct tqd_spool_options {
    tqd_store *store;
    tqd_workers *workers; /* parsing and hashing of a piece run side by side when one is idle */
    size_t intakes_max;   /* uploads at a time; each takes about 1.3 MiB */
} tqd_spool_options;

/* NULL when memory is short. */
tqd_spool *tqd_spool_new(const tqd_spool_options *options);
/* The life of its one thread: until tqd_spool_stop, when nothing is left to do. */
void tqd_spool_run(void *spool);
void tqd_spool_stop(tqd_spool *spool);
void tqd_spool_free(tqd_spool *spool); /* accepts NULL */

/* ------------------------------------- the I/O thread of the upload's connection: never waits */

/* NULL: too many uploads, or memory is short. `wake(ctx)` is called, on the spool's thread, once
 * after each tqd_intake_room that was false. */
tqd_intake *tqd_intake_open(tqd_spool *spool, const tqa_dataset_options *options,
                            void (*wake)(void *ctx), void *ctx);
/* True: n bytes can be put now (also after a failure). n is at most TQD_INTAKE_PIECE. */
enum { TQD_INTAKE_PIECE = 256 << 10 };
bool tqd_intake_room(tqd_intake *intake, size_t n);
/* False: it has failed; tqd_intake_problem says why. */
bool tqd_intake_put(tqd_intake *intake, const char *bytes, size_t n);
/* The end, of whatever kind: `wake` is not called any more. Nothing is left of an upload that was
 * not completed. */
void tqd_intake_close(tqd_intake *intake);

/* ------------------------------------------------------------------------ workers: may wait */

/* All bytes have been put: waits until they are on the disk, makes the file durable, and fills in
 * digest, size, media, rows and columns of the row. The file stays until tqd_intake_close. False
 * with a problem. */
bool tqd_intake_complete(tqd_intake *intake, tqd_dataset_row *row, char **ret_summary,
                         size_t *ret_n_summary);

/* A row refers to the file now: without this it goes with the intake. */
void tqd_intake_keep(tqd_intake *intake);

/* Valid after a call that was false. */
const tqa_problem *tqd_intake_problem(const tqd_intake *intake);

#endif
