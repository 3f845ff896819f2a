/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/body.c - chooses the decoder, and reports its faults as problems. */
#include "api/request/body.h"

#include <assert.h>
#include <stdio.h>

#include "api/request/refuse.h"

bool tqa_body_takes(tqa_media media)
{
    return media == TQA_MEDIA_NONE || media == TQA_MEDIA_JSON || media == TQA_MEDIA_CBOR ||
           media == TQA_MEDIA_NPY || media == TQA_MEDIA_NPZ;
}

static void open_file(tqa_body *body)
{
    tqa_npy_decoder_init(&body->as.npy.decoder, &tqa_columns_sink, &body->as.npy.columns,
                         body->sink.n_number);
}

static void open_decoder(tqa_body *body, tqa_media media)
{
    const tqa_body_sink *sink = &body->sink;
    body->media = media;
    if (media == TQA_MEDIA_JSON) {
        tqa_json_scan_init(&body->as.json, sink->events, sink->ctx);
    } else if (media == TQA_MEDIA_CBOR) {
        tqa_cbor_decoder_init(&body->as.cbor, sink->events, sink->ctx);
    } else if (media == TQA_MEDIA_NPY) {
        assert(sink->request != NULL);
        body->as.npy.columns = (tqa_columns){.request = sink->request};
        body->as.npy.at = 0;
        open_file(body);
    } else if (media == TQA_MEDIA_NPZ) {
        tqa_npz_events_init(&body->as.npz, sink->events, sink->ctx, sink->n_number);
    }
}

void tqa_body_init(tqa_body *body, tqa_media media, const tqa_body_sink *sink)
{
    assert(tqa_body_takes(media));
    body->sink = *sink;
    open_decoder(body, media);
}

tqa_body_sink tqa_request_sink(tqa_request *request)
{
    return (tqa_body_sink){
        .events = &tqa_request_events,
        .ctx = request,
        .place = tqa_request_place,
        .problem = request->problem,
        .n_number = request->budget->bytes_left / sizeof(double),
        .request = request,
    };
}

/* Without a Content-Type the first byte decides: NPY begins with 0x93, a ZIP archive with "P", JSON
 * with another ASCII character, a CBOR map with neither. */
static tqa_media recognise(const tqa_body *body, char first)
{
    const unsigned char c = (unsigned char)first;
    return c == 0x93 && body->sink.request != NULL ? TQA_MEDIA_NPY
           : c == 'P'                              ? TQA_MEDIA_NPZ
           : c >= 0x80                             ? TQA_MEDIA_CBOR
                                                   : TQA_MEDIA_JSON;
}

static bool refuse(const tqa_body *body, uint64_t at, const char *slug, const char *hint,
                   const char *detail)
{
    char pointer[TQA_POINTER_TEXT];
    body->sink.place(body->sink.ctx, pointer);
    return tqa_refuse_at(body->sink.problem, pointer, at, slug, hint, detail);
}

/* The decoder has stopped: unless the receiver refused, states where and why. */
static bool report(const tqa_body *body, tqa_decode state, const tqa_decode_error *error)
{
    if (state == TQA_DECODE_OK || state == TQA_DECODE_REFUSED) {
        assert(state == TQA_DECODE_OK || body->sink.problem->status != 0);
        return state == TQA_DECODE_OK;
    }
    static const char example[] = "send an object in braces, such as -H 'Content-Type: "
                                  "application/json' -d '{\"q\": [0.1, 0.2]}'";
    const bool is_other = state == TQA_DECODE_MALFORMED && error->offset == 0 &&
                          body->media == TQA_MEDIA_JSON; /* its first byte is none of JSON's */
    return refuse(body, error->offset, state == TQA_DECODE_NOT_FINITE ? "not-finite" : "malformed",
                  is_other ? example : tqa_hint_decode(state, body->media), error->detail);
}

/* A table has no names inside: its rows and columns are the place. */
static bool report_table(const tqa_body *body, tqa_decode state)
{
    const tqa_npy_decoder *decoder = &body->as.npy.decoder;
    const unsigned n_file = body->as.npy.columns.n_file;
    const tqa_decode_error error = {body->as.npy.at + decoder->error.offset, decoder->error.detail};
    char detail[TQA_PROBLEM_TEXT], file[32] = "the table";
    uint64_t row = 0;
    uint64_t column = 0;
    if (state != TQA_DECODE_NOT_FINITE) {
        return report(body, state, &error);
    }
    if (n_file > 1) {
        (void)snprintf(file, sizeof file, "array %u", n_file);
    }
    tqa_npy_decoder_place(decoder, &row, &column);
    (void)snprintf(detail, sizeof detail, "row %llu, column %llu of %s is not finite",
                   (unsigned long long)row, (unsigned long long)column, file);
    return refuse(body, error.offset, "not-finite", tqa_hint_decode(state, body->media), detail);
}

/* One file, or a sequence of them. */
static bool feed_tables(tqa_body *body, const char *bytes, size_t n)
{
    tqa_npy_decoder *decoder = &body->as.npy.decoder;
    while (n > 0) {
        const uint64_t wants = tqa_npy_decoder_wants(decoder);
        if (wants == 0 && tqa_columns_has_next(&body->as.npy.columns)) {
            body->as.npy.at += decoder->offset;
            open_file(body);
            continue;
        }
        const size_t part = wants > 0 && wants < n ? (size_t)wants : n;
        if (!report_table(body, tqa_npy_decoder_feed(decoder, bytes, part))) {
            return false;
        }
        bytes += part;
        n -= part;
    }
    return true;
}

/* Members of an archive have names, but no byte of the body. */
static bool report_archive(const tqa_body *body, tqa_decode state)
{
    const tqa_npz_events *archive = &body->as.npz;
    if (state == TQA_DECODE_REFUSED && tqa_npz_events_busy(archive)) {
        return refuse(body, UINT64_MAX, "busy", "try again",
                      "there is no memory for this archive now");
    }
    const tqa_decode_error error = tqa_npz_events_error(archive);
    return report(body, state, &error);
}

bool tqa_body_feed(tqa_body *body, const char *bytes, size_t n)
{
    assert(n > 0);
    if (body->media == TQA_MEDIA_NONE) {
        open_decoder(body, recognise(body, bytes[0]));
    }
    if (body->media == TQA_MEDIA_JSON) {
        return report(body, tqa_json_scan_feed(&body->as.json, bytes, n), &body->as.json.error);
    }
    if (body->media == TQA_MEDIA_CBOR) {
        return report(body, tqa_cbor_decoder_feed(&body->as.cbor, bytes, n), &body->as.cbor.error);
    }
    if (body->media == TQA_MEDIA_NPZ) {
        return report_archive(body, tqa_npz_events_feed(&body->as.npz, bytes, n));
    }
    return feed_tables(body, bytes, n);
}

bool tqa_body_finish(tqa_body *body)
{
    if (body->media == TQA_MEDIA_NONE) {
        open_decoder(body, TQA_MEDIA_JSON); /* no byte at all: as JSON, it ends too early */
    }
    if (body->media == TQA_MEDIA_JSON) {
        return report(body, tqa_json_scan_finish(&body->as.json), &body->as.json.error);
    }
    if (body->media == TQA_MEDIA_CBOR) {
        return report(body, tqa_cbor_decoder_finish(&body->as.cbor), &body->as.cbor.error);
    }
    if (body->media == TQA_MEDIA_NPZ) {
        return report_archive(body, tqa_npz_events_finish(&body->as.npz));
    }
    return report_table(body, tqa_npy_decoder_finish(&body->as.npy.decoder)) &&
           tqa_columns_finish(&body->as.npy.columns);
}

void tqa_body_clear(tqa_body *body)
{
    if (body->media == TQA_MEDIA_NPZ) {
        tqa_npz_events_clear(&body->as.npz);
    } else if (body->media == TQA_MEDIA_NPY) {
        tqa_columns_clear(&body->as.npy.columns);
    }
}
