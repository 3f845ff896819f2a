/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/mark.h - the database's identity and its number of acknowledged commits, stored
 * outside of it; private to this folder.
 *
 * <state>/torqued.commit holds one line: the database's identity and the number of its last commit,
 * both of which the database holds as well. The line is written after each commit, before that is
 * acknowledged, and fsynced only when the store is closed. So in the page cache it is never older
 * than the last acknowledged commit, and on disk never newer than the database. A database with
 * fewer commits than its mark has lost some: it is an older copy, or its write-ahead log is
 * damaged. */
#ifndef TQD_STORE_MARK_H
#define TQD_STORE_MARK_H

#include <stdbool.h>
#include <stdint.h>

enum { TQD_IDENTITY_TEXT = 17 };

typedef struct tqd_mark {
    char identity[TQD_IDENTITY_TEXT]; /* 16 hexadecimal digits */
    uint64_t n_commit;
    uint64_t n_lost; /* acknowledged, and missing since it was opened; not in the file */
} tqd_mark;

typedef enum tqd_mark_found { TQD_MARK_NONE, TQD_MARK_GOOD, TQD_MARK_UNREADABLE } tqd_mark_found;

/* Reads the mark of a folder. */
tqd_mark_found tqd_mark_read(const char *folder, tqd_mark *ret);

/* Opens the file (0600) for writing; -1 with errno. */
int tqd_mark_open(const char *folder);

/* Writes it: one pwrite, durable after tqd_mark_close. An error is ignored: an older mark may miss
 * a loss, but never reports a false one. */
void tqd_mark_write(int fd, const tqd_mark *mark);

/* fsync and close; accepts -1. */
void tqd_mark_close(int fd);

#endif
