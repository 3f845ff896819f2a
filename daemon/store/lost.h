/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/lost.h - <state>/files/lost: files that no row refers to, kept for a while instead
 * of removed; private to this folder.
 *
 * What a process leaves that dies between a file and its row is garbage. What is left when the
 * database is an older copy, or lost, is somebody's recording. Nothing tells the two apart, so both
 * are kept. A file comes back by itself as soon as the database refers to it again. */
#ifndef TQD_STORE_LOST_H
#define TQD_STORE_LOST_H

#include "daemon/store/file_set.h"

#define TQD_LOST_FOLDER "lost"

/* Makes the folder and counts what is in it. */
bool tqd_lost_open(tqd_file_set *set);

/* Moves the file at `path` there, under `name`; false when the disk refuses. The name of its folder
 * need not be durable: after a power cut it is found and moved again. */
bool tqd_lost_take(tqd_file_set *set, const char *path, const char *name);

/* Moves a file back to its place; false when it is not there. */
bool tqd_lost_return(tqd_file_set *set, const char *digest);

#endif
