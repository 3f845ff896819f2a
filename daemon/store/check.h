/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/check.h - reads all that is stored, so that damage is found before it is needed. */
#ifndef TQD_STORE_CHECK_H
#define TQD_STORE_CHECK_H

#include <pthread.h>

#include "daemon/store/store.h"

/* What a walk over all files has seen. `read`, which may wait, hears of every piece; false ends the
 * walk. */
typedef struct tqd_check {
    bool (*read)(void *ctx, size_t n_byte);
    void *ctx;
    uint64_t n_file, n_byte, n_damaged; /* set */
} tqd_check;

/* Every file that a row refers to, all of its bytes. Damage is noted as if it had been read by
 * somebody. OK also when there is some. */
tqd_store_status tqd_store_check_files(tqd_store *store, tqd_check *check);

/* The database, all of it, as its engine checks it: OK or DAMAGED with a line in `why`. */
tqd_store_status tqd_store_check_database(tqd_store *store, char why[TQD_STORE_WHY]);

/* The walk again and again, slowly, by a thread of its own. */
typedef struct tqd_scrub {
    tqd_store *store;
    int64_t every_ms; /* from the end of one walk to the begin of the next; 0: never */
    void (*done)(void *ctx, const tqd_check *check); /* a walk has ended; may be NULL */
    void *done_ctx;
    pthread_mutex_t mutex;
    pthread_cond_t stop;
    bool stopping;
} tqd_scrub;
void tqd_scrub_init(tqd_scrub *scrub, tqd_store *store, int64_t every_ms);
void tqd_scrub_run(void *scrub);
void tqd_scrub_stop(tqd_scrub *scrub);

#endif
