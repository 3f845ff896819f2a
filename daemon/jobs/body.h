/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/body.h - a body of a job on its way to a client: from its row, or from its file in
 * pieces that workers read. */
#ifndef TQD_JOBS_BODY_H
#define TQD_JOBS_BODY_H

#include "api/problem.h"
#include "daemon/http/exchange.h"
#include "daemon/store/files.h"
#include "daemon/store/jobs.h"

/* Zero-initialised; part of an exchange. */
typedef struct tqd_body_reader {
    char media[TQD_MEDIA_TEXT];
    char digest[TQD_DIGEST_TEXT]; /* of the file; "": the body is in the row */
    char *bytes;                  /* the row's, until the reply takes them */
    uint64_t size;
    tqd_file *file;
    uint64_t at, end; /* of the file: bytes read, and the end of the range */
    char *piece;
    size_t n_piece, piece_at;
    bool failed;
} tqd_body_reader;

/* Workers only. OK, NOT_FOUND or a failure. */
tqd_store_status tqd_body_open(tqd_body_reader *reader, tqd_store *store, const char *id,
                               tqd_body_kind kind);

/* The same for a file beside the job's result. */
tqd_store_status tqd_body_open_attachment(tqd_body_reader *reader, tqd_store *store, const char *id,
                                          const char *name);

/* Puts the body into the reply: all of it, or the range of a Range header. `read` is the callback
 * that calls tqd_body_read for this exchange. */
void tqd_body_answer(tqd_body_reader *reader, const tqd_head *head, tqd_reply *reply,
                     size_t (*read)(void *exchange, char *out, size_t size));

/* A table that the job has attached as NAME.csv (NULL: parameters, of a calibration), into the
 * reply. False: the job has no such table. */
bool tqd_body_answer_table(tqd_body_reader *reader, tqd_store *store, const char *id,
                           const char *name, const tqd_head *head, tqd_reply *reply,
                           size_t (*read)(void *exchange, char *out, size_t size));

/* As tqd_reply.read: copies from the buffer; TQD_READ_RUN if it is empty, for tqd_body_fill. */
size_t tqd_body_read(tqd_body_reader *reader, char *out, size_t size);
void tqd_body_fill(tqd_body_reader *reader);

void tqd_body_close(tqd_body_reader *reader);

#endif
