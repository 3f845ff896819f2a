/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/store.h - all durable state, independent of the database engine. */
#ifndef TQD_STORE_STORE_H
#define TQD_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/types.h"

/* One constant sentence for an outcome. */
const char *tqd_store_status_text(tqd_store_status status);

/* Locks the folder, opens the database, checks it and migrates its schema. NULL with one line in
 * `why` (size TQD_STORE_WHY) when another process holds the folder, the schema is newer than this
 * program, the file is damaged or of another program, or it is missing or empty beside files of a
 * former one (unless `adopt`). */
tqd_store *tqd_store_open(const tqd_store_options *options, char *why);

/* No other call may be running. Queued writes are refused as BROKEN. Accepts NULL. */
void tqd_store_close(tqd_store *store);

/* True if several nodes may share it: its database is on a server, and the folder a cache of files.
 */
bool tqd_store_is_shared(tqd_store *store);

/* Losses and damage. */
typedef struct tqd_store_health {
    uint64_t n_commit_lost;  /* acknowledged, but not in the database */
    uint64_t n_file_lost;    /* in files/lost now: no row refers to them */
    uint64_t n_file_damaged; /* found since the start, each counted once */
} tqd_store_health;
void tqd_store_health_read(tqd_store *store, tqd_store_health *ret);

/* Body of the writer thread. Group commit: takes all queued writes, runs them in one transaction,
 * commits, and calls their `done`. Returns after tqd_store_stop, when the queue is empty. */
void tqd_store_write_loop(tqd_store *store);
void tqd_store_stop(tqd_store *store);

/* Body of a thread that calls `changed` after commits of any node, and from time to time without
 * one: it may block on the network. Returns after tqd_store_stop, and at once if no other node has
 * the store.
 */
void tqd_store_follow(tqd_store *store, const tqd_changed *changed);

/* A setting `store` without its password, for the log. */
void tqd_store_uri_show(const char *uri, char *out, size_t size);

/* ------------------------------------------------------------------------------------ writes */

/* Queues a write and returns at once. False: refused (status has the reason), and `done` will not
 * be called. May be called on an I/O thread. */
bool tqd_store_submit(tqd_store *store, tqd_write *write);

/* Queues a write and blocks until `done`: workers only. Uses `done` and `ctx` itself. */
tqd_store_status tqd_store_write(tqd_store *store, tqd_write *write);

/* ----------------------------------------------- reads: any thread that may block on the disk */

/* The current version (`digest` NULL) or any version that the name has had; the bytes, malloc'ed,
 * unless ret_bytes is NULL. OK, NOT_FOUND or a failure. */
tqd_store_status tqd_store_robot(tqd_store *store, const char *name, const char *digest,
                                 tqd_robot_row *ret_row, char **ret_bytes);

/* Calls `each` for every robot, by name. A non-zero return of `each` ends the iteration. */
tqd_store_status tqd_store_robots(tqd_store *store,
                                  int (*each)(void *ctx, const tqd_robot_row *row), void *ctx);

/* Copies the whole store consistently into a new file at `path` (fsync before rename). */
tqd_store_status tqd_store_snapshot(tqd_store *store, const char *path);

#endif
