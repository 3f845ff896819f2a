/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/archive.c - bytes of a computation's state, counted, written or read. */
#include "core/base/archive.h"

#include <string.h>

void tq_archive_bytes(tq_archive *archive, void *inout, size_t n)
{
    const size_t at = archive->at;
    archive->at += n;
    if (archive->mode == TQ_ARCHIVE_COUNT || n == 0) {
        return;
    }
    if (archive->is_bad || n > archive->size || at > archive->size - n) {
        archive->is_bad = true;
        archive->at = at;
        return;
    }
    if (archive->mode == TQ_ARCHIVE_WRITE) {
        memcpy(archive->bytes + at, inout, n);
    } else {
        memcpy(inout, archive->bytes + at, n);
    }
}

void tq_archive_doubles(tq_archive *archive, double *inout, size_t n)
{
    tq_archive_bytes(archive, inout, n * sizeof *inout);
}

uint64_t tq_archive_checksum(const unsigned char *bytes, size_t n)
{
    uint64_t sum = 14695981039346656037u;
    size_t i = 0;
    for (; i + sizeof sum <= n; i += sizeof sum) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        sum = (sum ^ word) * 1099511628211u;
        sum ^= sum >> 32; /* the multiplication alone carries no high bit into the low ones */
    }
    for (; i < n; i++) {
        sum = (sum ^ bytes[i]) * 1099511628211u;
    }
    return sum;
}
