/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/store_private.h - the struct of a store. */
#ifndef TQD_STORE_STORE_PRIVATE_H
#define TQD_STORE_STORE_PRIVATE_H

#include <pthread.h>

#include "daemon/store/engine.h"
#include "daemon/store/file_set.h"
#include "daemon/store/store.h"

struct tqd_store {
    tqd_engine *engine;
    tqd_file_set files;
    int lock_fd;
    int mark_fd;
    uint64_t n_commit_lost;
    pthread_mutex_t mutex; /* guards everything below; held for a few instructions */
    pthread_cond_t some;   /* a write is queued, or stopping is set */
    tqd_write *first;
    tqd_write **last;
    size_t n_waiting, writes_max;
    bool stopping;
    tqd_node node; /* the only node; name "": no heartbeat yet */
};

#endif
