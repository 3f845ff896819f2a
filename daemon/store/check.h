/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/check.h - scrubbing: reads all stored bytes to find damage early. */
#ifndef TQD_STORE_CHECK_H
#define TQD_STORE_CHECK_H

#include <pthread.h>

#include "daemon/store/types.h"

/* Results of one pass over all files. `read` is called for every piece and may sleep; false ends
 * the pass. */
typedef struct tqd_check {
    bool (*read)(void *ctx, size_t n_byte);
    void *ctx;
    uint64_t n_file, n_byte, n_damaged; /* set */
} tqd_check;

/* Reads every file that a row refers to, completely. Damage is recorded as by any other read. OK
 * also when there is some. */
tqd_store_status tqd_store_check_files(tqd_store *store, tqd_check *check);

/* The engine's full check of the database: OK, or DAMAGED with a line in `why`. */
tqd_store_status tqd_store_check_database(tqd_store *store, char why[TQD_STORE_WHY]);

/* Repeated passes at a low rate, by a thread of its own. */
typedef struct tqd_scrub {
    tqd_store *store;
    int64_t every_ms; /* from the end of one pass to the start of the next; 0: never */
    void (*done)(void *ctx, const tqd_check *check); /* a pass has ended; may be NULL */
    void *done_ctx;
    pthread_mutex_t mutex;
    pthread_cond_t stop;
    bool stopping;
} tqd_scrub;
void tqd_scrub_init(tqd_scrub *scrub, tqd_store *store, int64_t every_ms);
void tqd_scrub_run(void *scrub);
void tqd_scrub_stop(tqd_scrub *scrub);

#endif
