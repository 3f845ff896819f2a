/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/archive.h - the state of a computation as bytes: one walk over it counts, writes or
 * reads. */
#ifndef TQ_BASE_ARCHIVE_H
#define TQ_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tq_archive_mode {
    TQ_ARCHIVE_COUNT,
    TQ_ARCHIVE_WRITE,
    TQ_ARCHIVE_READ
} tq_archive_mode;

/* Bytes are those of this build of the program: only the same build may read them. */
typedef struct tq_archive {
    tq_archive_mode mode;
    unsigned char *bytes; /* NULL: TQ_ARCHIVE_COUNT */
    size_t size, at;
    bool is_bad; /* a write beyond `size`, or a read of less than was written */
} tq_archive;

/* n bytes at `inout`: counted, copied into the archive, or replaced by those of the archive. */
void tq_archive_bytes(tq_archive *archive, void *inout, size_t n);
void tq_archive_doubles(tq_archive *archive, double *inout, size_t n);

/* FNV-1a of 64-bit words, then of the bytes left: detects damage, not forgery. */
uint64_t tq_archive_checksum(const unsigned char *bytes, size_t n);

#endif
