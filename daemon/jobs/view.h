/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/view.h - a stored result on its way to a client in another form. */
#ifndef TQD_JOBS_VIEW_H
#define TQD_JOBS_VIEW_H

#include "api/tables/view.h"
#include "daemon/jobs/body.h"

/* Zero-initialised; part of an exchange, as is its body reader. */
typedef struct tqd_view_reader {
    tqa_view *view;
    char *piece;
    size_t n_piece, piece_at;
    uint64_t at, first, end; /* bytes generated; range to send, end 0: to the last byte */
    bool done, failed;
} tqd_view_reader;

/* Opens the body and puts it into the reply, with a Range where its size is known. `read` is the
 * callback that calls tqd_view_read for this exchange. False: the reply is a problem. Workers only.
 * */
bool tqd_view_answer(tqd_view_reader *reader, tqd_body_reader *body, const tqd_head *head,
                     const tqa_view_options *options, tqd_reply *reply,
                     size_t (*read)(void *exchange, char *out, size_t size));

/* As tqd_body_read and tqd_body_fill. */
size_t tqd_view_read(tqd_view_reader *reader, char *out, size_t size);
void tqd_view_fill(tqd_view_reader *reader);

void tqd_view_close(tqd_view_reader *reader);

#endif
