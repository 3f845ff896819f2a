/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/body.h - the bytes of a request, whatever their format, as events. */
#ifndef TQA_REQUEST_BODY_H
#define TQA_REQUEST_BODY_H

#include "api/codec/cbor/cbor.h"
#include "api/codec/json/scan.h"
#include "api/codec/npy/npz_events.h"
#include "api/request/columns.h"
#include "api/request/request.h"

/* Where the events of a body go. */
typedef struct tqa_body_sink {
    const tqa_events *events;
    void *ctx;
    /* JSON pointer of the value that ctx is receiving. */
    void (*place)(const void *ctx, char pointer[TQA_POINTER_TEXT]);
    tqa_problem *problem;
    size_t n_number;      /* of one array of an archive or a table, at most */
    tqa_request *request; /* of tables (NPY): their columns; NULL: tables are not taken */
} tqa_body_sink;

/* A decoder of one of the formats. Not initialised as a whole: it is large and mostly buffers. */
typedef struct tqa_body {
    tqa_media media; /* NONE until the first byte */
    tqa_body_sink sink;
    union {
        tqa_json_scan json;
        tqa_cbor_decoder cbor;
        struct {
            tqa_npy_decoder decoder; /* of one file of the sequence */
            tqa_columns columns;
            uint64_t at; /* byte of the body where the file begins */
        } npy;
        tqa_npz_events npz;
    } as;
} tqa_body;

/* The formats that requests of samples come in. */
bool tqa_body_takes(tqa_media media);

void tqa_body_init(tqa_body *body, tqa_media media, const tqa_body_sink *sink);
/* The sink of a request of samples. */
tqa_body_sink tqa_request_sink(tqa_request *request);
/* False: the problem is set. */
bool tqa_body_feed(tqa_body *body, const char *bytes, size_t n);
bool tqa_body_finish(tqa_body *body);
void tqa_body_clear(tqa_body *body); /* always, at the end */

#endif
