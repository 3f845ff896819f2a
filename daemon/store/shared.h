/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/shared.h - files of a store shared by nodes: the folder is a cache of them; private
 * to this folder. */
#ifndef TQD_STORE_SHARED_H
#define TQD_STORE_SHARED_H

#include "daemon/store/engine.h"
#include "daemon/store/store.h"

/* Makes a complete file of the folder durable for all nodes. OK, QUOTA or a failure. */
tqd_store_status tqd_shared_put(tqd_store *store, const char *digest, uint64_t size);

/* The bytes of a file, piece by piece; its digest is the caller's to compare. OK, NOT_FOUND. */
tqd_store_status tqd_shared_get(tqd_store *store, const char *digest, const tqd_chunks *chunks);

/* The spool of a job: get writes the bytes left by an earlier claim into fd; put makes the bytes
 * from `from` on durable. MISMATCH: `fence` is not that of the present claim. */
tqd_store_status tqd_shared_spool_get(tqd_store *store, const char *job, int fd,
                                      uint64_t *ret_size);
tqd_store_status tqd_shared_spool_put(tqd_store *store, const char *job, uint64_t fence, int fd,
                                      uint64_t from, uint64_t size);

#endif
