/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/store_private.h - the struct of a store. */
#ifndef TQD_STORE_STORE_PRIVATE_H
#define TQD_STORE_STORE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "daemon/store/engine.h"
#include "daemon/store/file_set.h"
#include "daemon/store/store.h"

struct tqd_store {
    tqd_engine *engine;
    tqd_file_set files;
    int lock_fd;
    int mark_fd;
    _Atomic uint64_t n_commit_lost;
    uint64_t n_lost_reported; /* of the mark; the writer's thread only */
    void (*notice)(void *ctx, tqd_notice notice, const char *what, const char *detail);
    void *notice_ctx;
    pthread_mutex_t mutex; /* guards everything below; held for a few instructions */
    pthread_cond_t some;   /* a write is queued, or stopping is set */
    tqd_write *first;
    tqd_write **last;
    size_t n_waiting, writes_max;
    bool stopping;
    tqd_node node; /* the only node; name "": no heartbeat yet */
};

#endif
