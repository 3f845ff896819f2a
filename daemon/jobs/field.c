/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/field.c - two passes of a stored result through api's extractor, in pieces. */
#include "daemon/jobs/field.h"

#include <string.h>

#include "daemon/store/problem.h"

/* The next bytes of the body at reader->at: from the row, or from the body's buffer. */
static const char *next_piece(tqd_field_reader *reader, size_t *ret_n)
{
    tqd_body_reader *body = reader->body;
    if (body->bytes != NULL) {
        *ret_n = (size_t)(body->size - reader->at);
        return body->bytes + reader->at;
    }
    body->at = reader->at;
    tqd_body_fill(body);
    *ret_n = body->n_piece;
    return body->failed ? NULL : body->piece;
}

bool tqd_field_open(tqd_field_reader *reader, tqd_body_reader *body, const char *name,
                    tqa_field_format format, tqa_problem *reterr)
{
    reader->body = body;
    reader->field = tqa_field_new(name, format);
    if (reader->field == NULL) {
        tqd_store_problem(TQD_STORE_NO_MEMORY, reterr);
        return false;
    }
    while (reader->at < body->size) {
        size_t n = 0;
        const char *piece = next_piece(reader, &n);
        if (piece == NULL) {
            tqd_store_problem(tqd_file_status(body->file), reterr);
            return false;
        }
        if (!tqa_field_measure(reader->field, piece, n, reterr)) {
            return false;
        }
        reader->at += n;
    }
    reader->at = 0;
    return tqa_field_measured(reader->field, reterr);
}

/* Output before the range is generated and dropped; reading stops after the range. */
static void keep_range(tqd_field_reader *reader)
{
    const uint64_t begin = reader->made;
    reader->made += reader->n_text;
    if (reader->made <= reader->first) {
        reader->n_text = 0;
    } else if (begin < reader->first) {
        reader->text_at = (size_t)(reader->first - begin);
    }
    if (reader->end != 0 && reader->made >= reader->end) {
        reader->n_text -= reader->n_text > 0 ? (size_t)(reader->made - reader->end) : 0;
        reader->at = reader->body->size;
    }
}

void tqd_field_fill(tqd_field_reader *reader)
{
    reader->n_text = reader->text_at = 0;
    while (!reader->failed && reader->n_text == 0 && reader->at < reader->body->size) {
        size_t n = 0;
        const char *piece = next_piece(reader, &n);
        reader->text =
            piece != NULL ? tqa_field_feed(reader->field, piece, n, &reader->n_text) : NULL;
        reader->failed = reader->text == NULL;
        reader->at += n;
        keep_range(reader);
    }
}

size_t tqd_field_read(tqd_field_reader *reader, char *out, size_t size)
{
    const size_t left = reader->n_text - reader->text_at;
    if (left == 0) {
        return reader->failed ? TQD_READ_CUT : reader->at == reader->body->size ? 0 : TQD_READ_RUN;
    }
    const size_t n = left < size ? left : size;
    memcpy(out, reader->text + reader->text_at, n);
    reader->text_at += n;
    return n;
}

void tqd_field_close(tqd_field_reader *reader)
{
    tqa_field_free(reader->field);
}
