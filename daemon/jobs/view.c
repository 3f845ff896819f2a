/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/view.c - a worker fills one buffer with the requested form, the I/O thread sends it.
 * */
#include "daemon/jobs/view.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/http/format.h"
#include "daemon/http/range.h"
#include "daemon/store/problem.h"

enum { PIECE = 128 << 10 };

static long read_stored(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    const tqd_body_reader *body = ctx;
    if (body->bytes == NULL) {
        return tqd_file_read(body->file, offset, bytes, n);
    }
    const uint64_t left = offset < body->size ? body->size - offset : 0;
    const size_t some = left < n ? (size_t)left : n;
    if (some > 0) {
        memcpy(bytes, body->bytes + offset, some);
    }
    return (long)some;
}

/* Reads the whole body once: workers only, as tqd_view_fill. */
static bool open_view(tqd_view_reader *reader, tqd_body_reader *body,
                      const tqa_view_options *options, tqa_problem *reterr)
{
    const tqa_stored stored = {.read = read_stored, .ctx = body, .size = body->size};
    reader->piece = malloc(PIECE);
    if (reader->piece == NULL) {
        tqd_store_problem(TQD_STORE_NO_MEMORY, reterr);
        return false;
    }
    reader->view = tqa_view_open(options, &stored, reterr);
    return reader->view != NULL;
}

static const char *form_media(tqa_view_form form)
{
    return form == TQA_VIEW_CBOR  ? "application/cbor"
           : form == TQA_VIEW_NPZ ? "application/x-npz"
           : form == TQA_VIEW_CSV ? "text/csv"
           : form == TQA_VIEW_SVG ? "image/svg+xml"
                                  : "application/json";
}

bool tqd_view_answer(tqd_view_reader *reader, tqd_body_reader *body, const tqd_head *head,
                     const tqa_view_options *options, tqd_reply *reply,
                     size_t (*read)(void *exchange, char *out, size_t size))
{
    tqa_problem problem;
    if (!open_view(reader, body, options, &problem)) {
        tqd_answer_problem(reply, head->request_id, &problem);
        return false;
    }
    const uint64_t size = tqa_view_size(reader->view);
    reply->status = 200;
    if (size > 0 && !tqd_range_answer(head, NULL, size, reply, &reader->first, &reader->end)) {
        return false;
    }
    reply->media = form_media(options->form);
    tqd_answer_header(reply, "Vary", "Accept");
    if (options->form == TQA_VIEW_SVG) {
        tqd_answer_header(reply, "Content-Security-Policy", "%s", TQD_SVG_POLICY);
    }
    reply->read = read;
    reply->n_body = (size_t)(reader->end - reader->first);
    return true;
}

/* Output before the range is generated and dropped: its length is not known otherwise. */
void tqd_view_fill(tqd_view_reader *reader)
{
    reader->n_piece = reader->piece_at = 0;
    while (!reader->done && !reader->failed && reader->n_piece == 0) {
        const uint64_t begin = reader->at;
        const long n = tqa_view_read(reader->view, reader->piece, PIECE);
        reader->failed = n < 0;
        reader->done = n <= 0;
        reader->at += n > 0 ? (uint64_t)n : 0;
        if (n > 0 && reader->at > reader->first) {
            reader->piece_at = begin < reader->first ? (size_t)(reader->first - begin) : 0;
            reader->n_piece = (size_t)n;
        }
        if (reader->end != 0 && reader->at >= reader->end) {
            reader->n_piece -= (size_t)(reader->at - reader->end);
            reader->done = true;
        }
    }
}

size_t tqd_view_read(tqd_view_reader *reader, char *out, size_t size)
{
    const size_t left = reader->n_piece - reader->piece_at;
    if (left == 0) {
        return reader->failed ? TQD_READ_CUT : reader->done ? 0 : TQD_READ_RUN;
    }
    const size_t n = left < size ? left : size;
    memcpy(out, reader->piece + reader->piece_at, n);
    reader->piece_at += n;
    return n;
}

void tqd_view_close(tqd_view_reader *reader)
{
    tqa_view_close(reader->view);
    free(reader->piece);
}
