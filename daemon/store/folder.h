/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/folder.h - the state folder: mode 0700, locked by one process. */
#ifndef TQD_STORE_FOLDER_H
#define TQD_STORE_FOLDER_H

#include "daemon/store/types.h"

/* Creates the folder with its parents (0700) and locks it with flock. Returns the lock's
 * descriptor: closing it releases the lock; -1 with one line in `why` (TQD_STORE_WHY). The kernel
 * releases the lock when the process ends, however it ends. */
int tqd_folder_lock(const char *folder, char *why);

/* Removes the permissions of group and others from the folder and the database, and reports that:
 * only the service's user may read them. */
void tqd_folder_close_to_others(const tqd_store_options *options);

/* fsync of a folder, so that a rename in it is durable. 0, or errno. */
int tqd_folder_sync(const char *folder);

/* Maps an errno of a file operation to a status. */
tqd_store_status tqd_folder_status(int error);

#endif
