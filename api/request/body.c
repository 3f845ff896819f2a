/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/body.c - chooses the decoder, and tells its faults as problems. */
#include "api/request/body.h"

#include <assert.h>

#include "api/request/refuse.h"

bool tqa_body_takes(tqa_media media)
{
    return media == TQA_MEDIA_NONE || media == TQA_MEDIA_JSON || media == TQA_MEDIA_CBOR ||
           media == TQA_MEDIA_NPY || media == TQA_MEDIA_NPZ;
}

static void choose(tqa_body *body, tqa_media media)
{
    body->media = media;
    if (media == TQA_MEDIA_JSON) {
        tqa_json_scan_init(&body->as.json, &tqa_request_events, body->request);
    } else if (media == TQA_MEDIA_CBOR) {
        tqa_cbor_decoder_init(&body->as.cbor, &tqa_request_events, body->request);
    } else if (media == TQA_MEDIA_NPY) {
        body->as.npy.columns = (tqa_columns){.request = body->request};
        tqa_npy_decoder_init(&body->as.npy.decoder, &tqa_columns_sink, &body->as.npy.columns,
                             body->request->budget->bytes_left / sizeof(double));
    } else if (media == TQA_MEDIA_NPZ) {
        tqa_npz_events_init(&body->as.npz, &tqa_request_events, body->request,
                            body->request->budget->bytes_left / sizeof(double));
    }
}

void tqa_body_init(tqa_body *body, tqa_media media, tqa_request *request)
{
    assert(tqa_body_takes(media));
    body->request = request;
    choose(body, media);
}

/* Without a Content-Type the first byte tells: NPY begins with 0x93, a ZIP archive with "P", JSON
 * with another ASCII character, a CBOR map with neither. */
static tqa_media recognise(char first)
{
    const unsigned char c = (unsigned char)first;
    return c == 0x93   ? TQA_MEDIA_NPY
           : c == 'P'  ? TQA_MEDIA_NPZ
           : c >= 0x80 ? TQA_MEDIA_CBOR
                       : TQA_MEDIA_JSON;
}

/* The decoder has stopped: unless the request refused, say where and why. */
static bool judge(tqa_body *body, tqa_decode state, const tqa_decode_error *error)
{
    switch (state) {
    case TQA_DECODE_OK:
        return true;
    case TQA_DECODE_REFUSED:
        assert(body->request->problem->status != 0);
        return false;
    case TQA_DECODE_NOT_FINITE:
        return tqa_refuse(body->request, error->offset, "not-finite",
                          tqa_hint_decode(state, body->media), "%s", error->detail);
    case TQA_DECODE_MALFORMED:
    case TQA_DECODE_LIMIT:
        break;
    }
    return tqa_refuse(body->request, error->offset, "malformed",
                      tqa_hint_decode(state, body->media), "%s", error->detail);
}

/* A table has no names on the way: its rows and columns are the place. */
static bool judge_table(tqa_body *body, tqa_decode state)
{
    const tqa_npy_decoder *decoder = &body->as.npy.decoder;
    if (state != TQA_DECODE_NOT_FINITE) {
        return judge(body, state, &decoder->error);
    }
    uint64_t row = 0;
    uint64_t column = 0;
    tqa_npy_decoder_place(decoder, &row, &column);
    return tqa_refuse(body->request, decoder->error.offset, "not-finite",
                      tqa_hint_decode(state, body->media),
                      "row %llu, column %llu of the table is not finite", (unsigned long long)row,
                      (unsigned long long)column);
}

/* Members are told by their names, but not where in the archive they stand. */
static bool judge_archive(tqa_body *body, tqa_decode state)
{
    tqa_npz_events *archive = &body->as.npz;
    if (state == TQA_DECODE_REFUSED && tqa_npz_events_busy(archive)) {
        return tqa_refuse(body->request, UINT64_MAX, "busy", "try again",
                          "there is no memory for this archive now");
    }
    const tqa_decode_error error = tqa_npz_events_error(archive);
    return judge(body, state, &error);
}

bool tqa_body_feed(tqa_body *body, const char *bytes, size_t n)
{
    assert(n > 0);
    if (body->media == TQA_MEDIA_NONE) {
        choose(body, recognise(bytes[0]));
    }
    if (body->media == TQA_MEDIA_JSON) {
        return judge(body, tqa_json_scan_feed(&body->as.json, bytes, n), &body->as.json.error);
    }
    if (body->media == TQA_MEDIA_CBOR) {
        return judge(body, tqa_cbor_decoder_feed(&body->as.cbor, bytes, n), &body->as.cbor.error);
    }
    if (body->media == TQA_MEDIA_NPZ) {
        return judge_archive(body, tqa_npz_events_feed(&body->as.npz, bytes, n));
    }
    return judge_table(body, tqa_npy_decoder_feed(&body->as.npy.decoder, bytes, n));
}

bool tqa_body_finish(tqa_body *body)
{
    if (body->media == TQA_MEDIA_NONE) {
        choose(body, TQA_MEDIA_JSON); /* no byte at all: as JSON, it ends too early */
    }
    if (body->media == TQA_MEDIA_JSON) {
        return judge(body, tqa_json_scan_finish(&body->as.json), &body->as.json.error);
    }
    if (body->media == TQA_MEDIA_CBOR) {
        return judge(body, tqa_cbor_decoder_finish(&body->as.cbor), &body->as.cbor.error);
    }
    if (body->media == TQA_MEDIA_NPZ) {
        return judge_archive(body, tqa_npz_events_finish(&body->as.npz));
    }
    return judge(body, tqa_npy_decoder_finish(&body->as.npy.decoder), &body->as.npy.decoder.error);
}

size_t tqa_body_phase(const tqa_body *body)
{
    return body->media == TQA_MEDIA_CBOR  ? tqa_cbor_decoder_phase(&body->as.cbor)
           : body->media == TQA_MEDIA_NPY ? tqa_npy_decoder_phase(&body->as.npy.decoder)
                                          : 0;
}

void tqa_body_clear(tqa_body *body)
{
    if (body->media == TQA_MEDIA_NPZ) {
        tqa_npz_events_clear(&body->as.npz);
    }
}
