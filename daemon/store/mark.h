/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/mark.h - beside the database: which one it is, and how many commits it has
 * acknowledged; private to this folder.
 *
 * <state>/torqued.commit holds one line: the database's identity and the number of its last commit,
 * both of which the database holds as well. The line is written behind each commit, before anybody
 * hears of it, and fsynced only when the store is closed: so in the page cache it is never older
 * than what was acknowledged, and on the disk never newer than the database. A database that has
 * fewer commits than its mark has lost some: an older copy was put in its place, or its journal is
 * damaged. */
#ifndef TQD_STORE_MARK_H
#define TQD_STORE_MARK_H

#include <stdbool.h>
#include <stdint.h>

enum { TQD_IDENTITY_TEXT = 17 };

typedef struct tqd_mark {
    char identity[TQD_IDENTITY_TEXT]; /* 16 hexadecimal digits */
    uint64_t n_commit;
} tqd_mark;

typedef enum tqd_mark_found { TQD_MARK_NONE, TQD_MARK_GOOD, TQD_MARK_UNREADABLE } tqd_mark_found;

/* What the mark of a folder says. */
tqd_mark_found tqd_mark_read(const char *folder, tqd_mark *ret);

/* Opens the file (0600) to be written to; -1 with errno. */
int tqd_mark_open(const char *folder);

/* Writes it: one pwrite, durable after tqd_mark_close. A failure is not told: an older mark says
 * less, and nothing wrong. */
void tqd_mark_write(int fd, const tqd_mark *mark);

/* fsync and close; accepts -1. */
void tqd_mark_close(int fd);

#endif
