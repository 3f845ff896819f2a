/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sums.h - checksums of a file's chunks, to verify any part that is read; private to
 * this folder.
 *
 * <state>/files/sums/<digest> holds XXH3 of every 64 KiB of a file that is longer than that,
 * computed from the uploaded bytes together with the SHA-256. It is a cache: when it is missing, or
 * disagrees with the file, the whole file is verified against its digest; then either the sums are
 * computed again or the file is damaged. So it is written without fsync, and is not part of a
 * backup. */
#ifndef TQD_STORE_SUMS_H
#define TQD_STORE_SUMS_H

#include <stddef.h>
#include <xxhash.h>

#include "daemon/store/file_state.h"

enum { TQD_CHUNK = 64 << 10 };

/* Incremental computation over pieces of any size. */
typedef struct tqd_sums {
    XXH3_state_t *state;
    uint64_t *sums;
    size_t n_sum, sums_size;
    size_t n_chunk; /* bytes of the incomplete chunk */
} tqd_sums;

bool tqd_sums_init(tqd_sums *sums); /* false: no memory */
bool tqd_sums_add(tqd_sums *sums, const void *bytes, size_t n);
/* The last chunk may be shorter; no bytes may follow. */
bool tqd_sums_end(tqd_sums *sums);
/* Writes them for the file of that digest, unless it is one chunk. An error is ignored: they can be
 * computed again. */
void tqd_sums_keep(tqd_sums *sums, const tqd_file_set *set, const char *digest);
void tqd_sums_clear(tqd_sums *sums); /* also after a failed init */

static inline uint64_t tqd_sum_of(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

/* A descriptor of the checksums of a file of that size; -1 if they are missing or their number is
 * wrong. */
int tqd_sums_open(const tqd_file_set *set, const char *digest, uint64_t size);
bool tqd_sums_read(int fd, uint64_t chunk, uint64_t *ret);
/* From the page cache; false also if it is not there. Never waits for a disk. */
bool tqd_sums_read_cached(int fd, uint64_t chunk, uint64_t *ret);
/* Called when the file has been removed. */
void tqd_sums_remove(const tqd_file_set *set, const char *digest);

#endif
