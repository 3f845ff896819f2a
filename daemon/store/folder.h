/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/folder.h - the state folder: made private, locked by one process. */
#ifndef TQD_STORE_FOLDER_H
#define TQD_STORE_FOLDER_H

#include "daemon/store/store.h"

/* Makes the folder with its parents (0700) and locks it. The descriptor of the lock, which is held
 * until it is closed; -1 with one line in `why` (TQD_STORE_WHY). The kernel drops the lock when the
 * process dies, however it dies. */
int tqd_folder_lock(const char *folder, char *why);

/* Takes the rights of others from the folder and from the database in it, and says so: they are of
 * who runs the service only. */
void tqd_folder_close_to_others(const tqd_store_options *options);

/* fsync of a folder, so that a rename in it is durable. 0, or errno. */
int tqd_folder_sync(const char *folder);

/* What an errno of the disk means to the store. */
tqd_store_status tqd_folder_status(int error);

#endif
