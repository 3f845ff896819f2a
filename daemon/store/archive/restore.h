/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/archive/restore.h - fills a store that nodes share from a state folder of SQLite. */
#ifndef TQD_STORE_ARCHIVE_RESTORE_H
#define TQD_STORE_ARCHIVE_RESTORE_H

#include "daemon/store/types.h"

typedef struct tqd_restored {
    uint64_t n_file, n_byte; /* of files */
} tqd_restored;

/* Copies robots, datasets, jobs, events and files from the state folder of a service that is
 * stopped, or that a backup was unpacked into. `store` must be empty, and of PostgreSQL; its write
 * loop is not needed. All rows or none; each file is verified. False with one line in `why`. */
bool tqd_store_restore(tqd_store *store, const char *folder, tqd_restored *ret,
                       char why[TQD_STORE_WHY]);

#endif
