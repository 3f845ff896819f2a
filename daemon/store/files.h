/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/files.h - large bodies and datasets as content-addressed files (SHA-256). */
#ifndef TQD_STORE_FILES_H
#define TQD_STORE_FILES_H

#include "daemon/store/types.h"

/* A file being uploaded. Used by one thread at a time, which may block on the disk. */
typedef struct tqd_upload tqd_upload;

/* NULL with the reason: out of memory, or the folder is not writable. */
tqd_upload *tqd_upload_open(tqd_store *store, tqd_store_status *ret_status);

/* The same for a copy of a file that the store already has: it is not stored again. */
tqd_upload *tqd_upload_open_copy(tqd_store *store, tqd_store_status *ret_status);

/* OK, QUOTA (all files together, uploads included), NO_SPACE, BROKEN. After a failure only close
 * may follow. */
tqd_store_status tqd_upload_append(tqd_upload *upload, const void *bytes, size_t n);

/* Makes the file durable under its digest: write, fsync, rename, fsync of the folder. It stays at
 * least until close; a write that refers to it must be committed before that. */
tqd_store_status tqd_upload_finish(tqd_upload *upload, char digest[TQD_DIGEST_TEXT],
                                   uint64_t *ret_size);

/* Removes the bytes unless finish returned OK and a row refers to the file. Accepts NULL. */
void tqd_upload_close(tqd_upload *upload);

/* A file open for reading, by any number of threads at once; it stays readable to its end when it
 * is removed meanwhile. Every byte returned has been verified against its checksum. */
typedef struct tqd_file tqd_file;
tqd_file *tqd_file_open(tqd_store *store, const char *digest, uint64_t *ret_size);
/* The same with the size from a row. DAMAGED: the file is missing, has another size, or is known to
 * have other contents. */
#define TQD_FILE_ANY_SIZE UINT64_MAX
tqd_file *tqd_file_open_sized(tqd_store *store, const char *digest, uint64_t size,
                              tqd_store_status *ret_status);
/* The same with flow control, for scrubbing. `read`, which may sleep, is called for every piece
 * that is read to compute checksums: the whole file where these are missing. If it returns false:
 * NULL with BUSY, or -1 of tqd_file_read. */
typedef struct tqd_file_pace {
    bool (*read)(void *ctx, size_t n_byte);
    void *ctx;
} tqd_file_pace;
tqd_file *tqd_file_open_paced(tqd_store *store, const char *digest, uint64_t size,
                              tqd_file_pace pace, tqd_store_status *ret_status);
/* Bytes read at `offset`: fewer than n only at the end; -1 after a read error or if the contents
 * have changed: tqd_file_status has which. Fastest at multiples of 64 KiB. */
long tqd_file_read(tqd_file *file, uint64_t offset, void *bytes, size_t n);
/* The same out of the page cache (preadv2 with RWF_NOWAIT), for an I/O thread: never waits for a
 * disk. Whole chunks of 64 KiB, and the file's last one: fewer bytes than n, or none, where the
 * rest is not in memory, is no whole chunk, or fails its check, which tqd_file_read reports. */
size_t tqd_file_read_cached(tqd_file *file, uint64_t offset, void *bytes, size_t n);
tqd_store_status tqd_file_status(const tqd_file *file);
void tqd_file_close(tqd_file *file); /* accepts NULL */

/* Opens, reads and closes. -1 with the reason. */
long tqd_store_file_read(tqd_store *store, const char *digest, uint64_t size, uint64_t offset,
                         void *bytes, size_t n, tqd_store_status *ret_status);

/* Moves every file without a row or an open upload to files/lost: left by a process that died
 * between writing a file and committing its row, or by another database than this one. Once after
 * start; one of TQD_STORE_SHELVES subfolders at a time (*ret_moved grows). Workers only, as below.
 * */
enum { TQD_STORE_SHELVES = 256 };
tqd_store_status tqd_store_sweep_shelf(tqd_store *store, unsigned shelf, uint64_t *ret_moved);

/* Removes some of the files that have lost their last reference through any write. True when there
 * may be more. */
bool tqd_store_collect(tqd_store *store);

/* The same for one file whose row has just been deleted. False when references could not be read.
 * */
bool tqd_store_file_collect(tqd_store *store, const char *digest);

/* Bytes of all files, uploads included. */
uint64_t tqd_store_file_bytes(tqd_store *store);

#endif
