/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/lost.h - <state>/files/lost: unreferenced files, kept for a time before removal;
 * private to this folder.
 *
 * A file of a process that died between writing it and committing its row is garbage. A file whose
 * row is missing because the database is an older copy, or lost, is a user's recording. The two
 * cannot be distinguished, so both are kept. A file is moved back as soon as the database refers to
 * it again. */
#ifndef TQD_STORE_LOST_H
#define TQD_STORE_LOST_H

#include "daemon/store/file_state.h"

#define TQD_LOST_FOLDER "lost"

/* Creates the folder and counts its files. */
bool tqd_lost_open(tqd_file_set *set);

/* Moves the file at `path` there, under `name`; false after an error. The rename need not be
 * durable: after a power failure the next sweep repeats it. */
bool tqd_lost_take(tqd_file_set *set, const char *path, const char *name);

/* Moves a file back to its place; false when it is not there. */
bool tqd_lost_return(tqd_file_set *set, const char *digest);

/* For other folders: the files that are kept there, and for how long. */

/* Removes files that have been in files/lost for longer than age_ms; returns how many. */
uint64_t tqd_store_lost_expire(tqd_store *store, int64_t age_ms);

/* Calls `each` for every file there: its name is its digest, or the id of its job. */
typedef struct tqd_lost_listing {
    void (*each)(void *ctx, const char *name, uint64_t size);
    void *ctx;
} tqd_lost_listing;
void tqd_store_lost(tqd_store *store, const tqd_lost_listing *listing);

#endif
