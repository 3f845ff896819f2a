/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/archive/restore.h - fills a store shared by nodes from a state folder of SQLite. */
#ifndef TQD_STORE_ARCHIVE_RESTORE_H
#define TQD_STORE_ARCHIVE_RESTORE_H

#include "daemon/store/types.h"

typedef struct tqd_restored {
    uint64_t n_file, n_byte; /* of files */
} tqd_restored;

/* Copies robots, datasets, jobs, events and files from the state folder of a stopped service, or
 * from an unpacked backup. `store` must be an empty PostgreSQL store; its write loop is not needed.
 * Either all rows are copied or none; each file is verified. False with one line in `why`. */
bool tqd_store_restore(tqd_store *store, const char *folder, tqd_restored *ret,
                       char why[TQD_STORE_WHY]);

#endif
