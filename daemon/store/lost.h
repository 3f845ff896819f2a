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

#include "daemon/store/file_set.h"

#define TQD_LOST_FOLDER "lost"

/* Creates the folder and counts its files. */
bool tqd_lost_open(tqd_file_set *set);

/* Moves the file at `path` there, under `name`; false after an error. The rename need not be
 * durable: after a power failure the next sweep repeats it. */
bool tqd_lost_take(tqd_file_set *set, const char *path, const char *name);

/* Moves a file back to its place; false when it is not there. */
bool tqd_lost_return(tqd_file_set *set, const char *digest);

#endif
