/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/archive/backup.h - a consistent backup of the store as a stream of bytes. */
#ifndef TQD_STORE_ARCHIVE_BACKUP_H
#define TQD_STORE_ARCHIVE_BACKUP_H

#include "daemon/store/store.h"

/* A tar archive (POSIX ustar):
 *
 *     manifest.json          {"torqued-backup":1,"files":[{"name","bytes","sha256"}, ...],
 *                             "missing":[...]}: files that the database refers to and that are
 *                             missing or of another size; normally empty
 *     torqued.db             a consistent copy of the database
 *     files/ab/abcdef...     each file under its SHA-256
 *
 * Unpacked into an empty folder it is a complete state folder. */
typedef struct tqd_backup tqd_backup;

/* Copies the database; until close no file is removed. NULL with the reason. Workers only, as all
 * below. */
tqd_backup *tqd_backup_open(tqd_store *store, tqd_store_status *ret_status);

/* Bytes of the whole archive. */
uint64_t tqd_backup_size(const tqd_backup *backup);

/* The next bytes: n, fewer at the end, 0 after it, -1 after a read error. */
long tqd_backup_read(tqd_backup *backup, char *bytes, size_t n);

void tqd_backup_close(tqd_backup *backup); /* accepts NULL */

#endif
