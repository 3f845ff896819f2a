/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/files.h - large bodies and datasets: files named by the SHA-256 of their bytes. */
#ifndef TQD_STORE_FILES_H
#define TQD_STORE_FILES_H

#include "daemon/store/store.h"

/* A file on its way in. Used by one thread at a time, which may wait for the disk. */
typedef struct tqd_upload tqd_upload;

/* NULL with the reason when memory or the folder is not to be had. */
tqd_upload *tqd_upload_open(tqd_store *store, tqd_store_status *ret_status);

/* OK, QUOTA (all files together, those on their way included), NO_SPACE, BROKEN. After a failure
 * only close may follow. */
tqd_store_status tqd_upload_append(tqd_upload *upload, const void *bytes, size_t n);

/* Makes the file durable under its digest: written, fsynced, renamed, folder fsynced. It stays at
 * least until close; a write that refers to it must be committed before that. */
tqd_store_status tqd_upload_finish(tqd_upload *upload, char digest[TQD_DIGEST_TEXT],
                                   uint64_t *ret_size);

/* Nothing is left behind without a finish that was OK, or without a row that refers to the file.
 * Accepts NULL. */
void tqd_upload_close(tqd_upload *upload);

/* A file being read. Any number of threads may read one at once; it can be read to its end even
 * when it is collected meanwhile. No byte is given away that was not held against its checksum. */
typedef struct tqd_file tqd_file;
tqd_file *tqd_file_open(tqd_store *store, const char *digest, uint64_t *ret_size);
/* The same where a row tells the size. DAMAGED: it is missing, or has another size, or is known to
 * have other bytes. */
#define TQD_FILE_ANY_SIZE UINT64_MAX
tqd_file *tqd_file_open_sized(tqd_store *store, const char *digest, uint64_t size,
                              tqd_store_status *ret_status);
/* The same for who checks many. `read`, which may wait, hears of every piece that is read for the
 * file's checksums: all of it where these are missing. When it returns false: NULL with BUSY, or -1
 * of tqd_file_read. */
typedef struct tqd_file_pace {
    bool (*read)(void *ctx, size_t n_byte);
    void *ctx;
} tqd_file_pace;
tqd_file *tqd_file_open_paced(tqd_store *store, const char *digest, uint64_t size,
                              tqd_file_pace pace, tqd_store_status *ret_status);
/* Bytes read at `offset`: fewer than n only at the end; -1 when the disk fails or its bytes are not
 * those that were stored: tqd_file_status says which. Cheapest at multiples of 64 KiB. */
long tqd_file_read(tqd_file *file, uint64_t offset, void *bytes, size_t n);
tqd_store_status tqd_file_status(const tqd_file *file);
void tqd_file_close(tqd_file *file); /* accepts NULL */

/* Opens, reads and closes. -1 with the reason. */
long tqd_store_file_read(tqd_store *store, const char *digest, uint64_t size, uint64_t offset,
                         void *bytes, size_t n, tqd_store_status *ret_status);

/* Moves every file that no row refers to and no upload holds to files/lost: what a process has left
 * that died between a file and its row, or what belongs to another database than this one. Once
 * after start; all at once, or a shelf of TQD_STORE_SHELVES at a time (*ret_moved grows). Workers
 * only, as below. */
enum { TQD_STORE_SHELVES = 256 };
tqd_store_status tqd_store_sweep(tqd_store *store, uint64_t *ret_moved);
tqd_store_status tqd_store_sweep_shelf(tqd_store *store, unsigned shelf, uint64_t *ret_moved);

/* Removes what has been in files/lost for longer than age_ms; how many files that were. */
uint64_t tqd_store_lost_expire(tqd_store *store, int64_t age_ms);

/* Calls `each` for every file there: its name is its digest, or the job that it stood beside. */
typedef struct tqd_lost_listing {
    void (*each)(void *ctx, const char *name, uint64_t size);
    void *ctx;
} tqd_lost_listing;
void tqd_store_lost(tqd_store *store, const tqd_lost_listing *listing);

/* Removes some of the files that have lost their last reference meanwhile, by whatever write. True
 * when there may be more. */
bool tqd_store_collect(tqd_store *store);

/* The same for one file, whose row has just gone. False when that could not be told now. */
bool tqd_store_file_collect(tqd_store *store, const char *digest);

/* Bytes of all files, those on their way included. */
uint64_t tqd_store_file_bytes(tqd_store *store);

#endif
