/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/check.c - scrubbing: reads all stored bytes to find damage early. */
#include "daemon/store/check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/store/file_set.h"
#include "daemon/store/files.h"

enum { PIECE = 256 << 10, RATE_B_MS = 16 << 10 /* 16 MiB/s: a tenth of a slow disk */ };

typedef struct reference {
    uint64_t size;
    char digest[TQD_DIGEST_TEXT];
} reference;

typedef struct list {
    reference *items;
    size_t n, size;
    bool failed;
} list;

/* The list is collected first: a read transaction of hours would keep the write-ahead log growing.
 * */
static bool add(void *ctx, const char *digest, uint64_t size)
{
    list *l = ctx;
    if (l->n == l->size) {
        const size_t wanted = 2 * l->size + 64;
        reference *grown = realloc(l->items, wanted * sizeof *grown);
        if (grown == NULL) {
            l->failed = true;
            return false;
        }
        l->items = grown;
        l->size = wanted;
    }
    l->items[l->n].size = size;
    memcpy(l->items[l->n++].digest, digest, TQD_DIGEST_TEXT);
    return true;
}

/* False: ends the scrub. */
static bool check_file(tqd_store *store, const reference *r, char *piece, tqd_check *check)
{
    tqd_store_status status;
    const tqd_file_pace pace = {.read = check->read, .ctx = check->ctx};
    tqd_file *file = tqd_file_open_paced(store, r->digest, r->size, pace, &status);
    bool goes_on = status != TQD_STORE_BUSY;
    uint64_t at = 0;
    while (goes_on && file != NULL && at < r->size && status == TQD_STORE_OK) {
        const long n = tqd_file_read(file, at, piece, PIECE);
        status = n < 0 ? tqd_file_status(file) : TQD_STORE_OK;
        at += n > 0 ? (uint64_t)n : 0;
        check->n_byte += n > 0 ? (uint64_t)n : 0;
        goes_on = status != TQD_STORE_BUSY &&
                  (check->read == NULL || check->read(check->ctx, n > 0 ? (size_t)n : 0));
    }
    tqd_file_close(file);
    check->n_file += status == TQD_STORE_NOT_FOUND ? 0 : 1; /* the file was removed meanwhile */
    check->n_damaged += status == TQD_STORE_DAMAGED ? 1 : 0;
    return goes_on;
}

tqd_store_status tqd_store_check_files(tqd_store *store, tqd_check *check)
{
    list l = {.n = 0};
    char *piece = malloc(PIECE);
    tqd_store_status status = tqd_store_references(store, NULL, add, &l);
    check->n_file = check->n_byte = check->n_damaged = 0;
    if (piece == NULL || l.failed) {
        status = TQD_STORE_NO_MEMORY;
    }
    bool goes_on = status == TQD_STORE_OK;
    for (size_t i = 0; goes_on && i < l.n; i++) {
        goes_on = check_file(store, &l.items[i], piece, check);
    }
    free(piece);
    free(l.items);
    return status;
}

/* -------------------------------------------------------------------------------------- scrub */

void tqd_scrub_init(tqd_scrub *scrub, tqd_store *store, int64_t every_ms)
{
    pthread_condattr_t monotonic;
    *scrub = (tqd_scrub){.store = store, .every_ms = every_ms};
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&scrub->mutex, NULL);
    pthread_cond_init(&scrub->stop, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* False when the process stops before that time. */
static bool sleep_for(tqd_scrub *scrub, int64_t wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(wait_ms / 1000);
    until.tv_nsec += (long)(wait_ms % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&scrub->mutex);
    while (!scrub->stopping && pthread_cond_timedwait(&scrub->stop, &scrub->mutex, &until) == 0) {
    }
    const bool goes_on = !scrub->stopping;
    pthread_mutex_unlock(&scrub->mutex);
    return goes_on;
}

static bool hold_back(void *ctx, size_t n_byte)
{
    return sleep_for(ctx, (int64_t)(n_byte / RATE_B_MS));
}

void tqd_scrub_run(void *arg)
{
    tqd_scrub *scrub = arg;
    while (scrub->every_ms > 0 && sleep_for(scrub, scrub->every_ms)) {
        tqd_check check = {.read = hold_back, .ctx = scrub};
        if (tqd_store_check_files(scrub->store, &check) == TQD_STORE_OK && scrub->done != NULL &&
            sleep_for(scrub, 0)) {
            scrub->done(scrub->done_ctx, &check);
        }
    }
}

void tqd_scrub_stop(tqd_scrub *scrub)
{
    pthread_mutex_lock(&scrub->mutex);
    scrub->stopping = true;
    pthread_cond_broadcast(&scrub->stop);
    pthread_mutex_unlock(&scrub->mutex);
}
