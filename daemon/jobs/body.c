/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/body.c - a large body passes through one buffer that a worker fills and the I/O
 * thread sends, so that the I/O thread never waits for a disk. */
#include "daemon/jobs/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/http/media.h"
#include "daemon/http/range.h"

enum { PIECE = 256 << 10 };

static tqd_store_status open_file(tqd_body_reader *reader, tqd_store *store,
                                  tqd_store_status status)
{
    if (status != TQD_STORE_OK || reader->bytes != NULL) {
        return status;
    }
    reader->file = tqd_file_open_sized(store, reader->digest, reader->size, &status);
    if (reader->file == NULL) {
        return status;
    }
    reader->piece = malloc(PIECE);
    if (reader->piece == NULL) {
        return TQD_STORE_NO_MEMORY;
    }
    reader->at = 0;
    reader->end = reader->size;
    tqd_body_fill(reader);
    return reader->failed ? tqd_file_status(reader->file) : TQD_STORE_OK;
}

tqd_store_status tqd_body_open(tqd_body_reader *reader, tqd_store *store, const char *id,
                               tqd_body_kind kind)
{
    return open_file(reader, store,
                     tqd_store_job_body(store, id, kind, reader->media, &reader->bytes,
                                        reader->digest, &reader->size));
}

tqd_store_status tqd_body_open_attachment(tqd_body_reader *reader, tqd_store *store, const char *id,
                                          const char *name)
{
    return open_file(reader, store,
                     tqd_store_job_attachment(store, id, name, reader->media, &reader->bytes,
                                              reader->digest, &reader->size));
}

void tqd_body_fill(tqd_body_reader *reader)
{
    const uint64_t left = reader->end - reader->at;
    const size_t want = left < PIECE ? (size_t)left : PIECE;
    const long n = tqd_file_read(reader->file, reader->at, reader->piece, want);
    reader->piece_at = 0;
    reader->failed = n != (long)want;
    reader->n_piece = reader->failed ? 0 : want;
    reader->at += reader->n_piece;
}

size_t tqd_body_read(tqd_body_reader *reader, char *out, size_t size)
{
    const size_t left = reader->n_piece - reader->piece_at;
    if (left == 0) {
        return reader->failed ? TQD_READ_CUT : reader->at == reader->end ? 0 : TQD_READ_RUN;
    }
    const size_t n = left < size ? left : size;
    memcpy(out, reader->piece + reader->piece_at, n);
    reader->piece_at += n;
    return n;
}

void tqd_body_answer(tqd_body_reader *reader, const tqd_head *head, tqd_reply *reply,
                     size_t (*read)(void *exchange, char *out, size_t size))
{
    uint64_t first = 0;
    uint64_t end = 0;
    const char *tag = reader->bytes == NULL ? reader->digest : NULL;
    if (!tqd_range_answer(head, tag, reader->size, reply, &first, &end)) {
        return;
    }
    reply->media = strcmp(reader->media, "application/problem+json") == 0
                       ? "application/problem+json"
                       : tqd_media_name(tqd_media_find(reader->media));
    if (reader->bytes != NULL) {
        memmove(reader->bytes, reader->bytes + first, (size_t)(end - first));
        reply->body = reader->bytes;
        reply->n_body = (size_t)(end - first);
        reader->bytes = NULL;
        return;
    }
    tqd_answer_header(reply, "ETag", "\"%s\"", reader->digest);
    if (first > 0) {
        /* the buffer holds the file's first piece: a worker must read another */
        reader->at = first;
        reader->n_piece = reader->piece_at = 0;
    } else if (reader->n_piece > end) {
        reader->n_piece = (size_t)end;
        reader->at = end;
    }
    reader->end = end;
    reply->read = read;
    reply->n_body = (size_t)(end - first);
}

bool tqd_body_answer_table(tqd_body_reader *reader, tqd_store *store, const char *id,
                           const char *name, const tqd_head *head, tqd_reply *reply,
                           size_t (*read)(void *exchange, char *out, size_t size))
{
    char file[TQD_QUERY_TEXT];
    snprintf(file, sizeof file, "%s.csv", name != NULL ? name : "parameters");
    if (tqd_body_open_attachment(reader, store, id, file) != TQD_STORE_OK) {
        tqd_body_close(reader);
        memset(reader, 0, sizeof *reader);
        return false;
    }
    tqd_body_answer(reader, head, reply, read);
    return true;
}

void tqd_body_close(tqd_body_reader *reader)
{
    free(reader->bytes);
    free(reader->piece);
    tqd_file_close(reader->file);
}
