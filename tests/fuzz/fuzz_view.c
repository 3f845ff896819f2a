/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_view.c - any JSON as CBOR, NPZ, CSV and points: the forms are well-formed, and do
 * not depend on how the document is cut. The first byte of the input is the size of the pieces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"
#include "api/codec/npy/npz.h"
#include "api/tables/transcode.h"
#include "api/tables/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct document {
    const char *bytes;
    size_t n;
} document;

typedef struct output {
    char *bytes;
    size_t n;
} output;

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static void append(output *to, const char *bytes, size_t n)
{
    to->bytes = realloc(to->bytes, to->n + n + 1);
    require(to->bytes != NULL);
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
}

static long read_document(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    const document *d = ctx;
    const size_t left = offset < d->n ? d->n - (size_t)offset : 0;
    const size_t some = left < n ? left : n;
    memcpy(bytes, d->bytes + (left > 0 ? (size_t)offset : 0), some);
    return (long)some;
}

/* All of one form; false when there is none. */
static bool view(document *d, tqa_view_form form, output *to)
{
    const tqa_stored stored = {.read = read_document, .ctx = d, .size = d->n};
    const tqa_view_options options = {.form = form, .n_points = 7};
    tqa_problem problem;
    tqa_view *v = tqa_view_open(&options, &stored, &problem);
    if (v == NULL) {
        require(problem.status >= 400);
        return false;
    }
    char piece[4096];
    long n = 0;
    while ((n = tqa_view_read(v, piece, sizeof piece)) > 0) {
        append(to, piece, (size_t)n);
    }
    require(n == 0 && (tqa_view_size(v) == 0 || tqa_view_size(v) == to->n));
    tqa_view_close(v);
    return true;
}

/* CBOR, fed in pieces */
static void transcode(const document *d, size_t step, output *to)
{
    static tqa_transcode transcode;
    tqa_outline *outline = tqa_outline_new();
    require(outline != NULL);
    for (size_t at = 0; at < d->n; at += step) {
        require(tqa_outline_feed(outline, d->bytes + at, step < d->n - at ? step : d->n - at));
    }
    require(tqa_outline_finish(outline));
    tqa_transcode_init(&transcode, outline, NULL, true);
    for (size_t at = 0; at < d->n; at += step) {
        size_t n = 0;
        char *part =
            tqa_transcode_feed(&transcode, d->bytes + at, step < d->n - at ? step : d->n - at, &n);
        require(part != NULL);
        append(to, part, n);
        free(part);
    }
    tqa_outline_free(outline);
}

static bool any_at(void *ctx, uint64_t at)
{
    (void)ctx, (void)at;
    return true;
}

static bool any_text(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)ctx, (void)at, (void)text, (void)n;
    return true;
}

static bool any_number(void *ctx, uint64_t at, double value)
{
    (void)ctx, (void)at, (void)value;
    return true;
}

static bool any_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)ctx, (void)at, (void)values, (void)n;
    return true;
}

static bool any_boolean(void *ctx, uint64_t at, bool value)
{
    (void)ctx, (void)at, (void)value;
    return true;
}

static const tqa_events anything = {.begin_map = any_at,
                                    .end_map = any_at,
                                    .key = any_text,
                                    .begin_array = any_at,
                                    .end_array = any_at,
                                    .number = any_number,
                                    .numbers = any_numbers,
                                    .string = any_text,
                                    .boolean = any_boolean,
                                    .null = any_at};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tqa_cbor_decoder decoder;
    static tqa_json_scan scan;
    if (size < 2) {
        return 0;
    }
    document d = {.bytes = (const char *)data + 1, .n = size - 1};
    output cbor = {0}, pieces = {0}, json = {0}, other = {0};
    if (view(&d, TQA_VIEW_CBOR, &cbor)) {
        tqa_cbor_decoder_init(&decoder, &anything, NULL);
        require(tqa_cbor_decoder_feed(&decoder, cbor.bytes, cbor.n) == TQA_DECODE_OK);
        require(tqa_cbor_decoder_finish(&decoder) == TQA_DECODE_OK);
        transcode(&d, (size_t)data[0] + 1, &pieces);
        require(pieces.n == cbor.n && memcmp(pieces.bytes, cbor.bytes, cbor.n) == 0);
        require(view(&d, TQA_VIEW_JSON, &json));
        tqa_json_scan_init(&scan, &anything, NULL);
        require(tqa_json_scan_feed(&scan, json.bytes, json.n) == TQA_DECODE_OK);
        require(tqa_json_scan_finish(&scan) == TQA_DECODE_OK);
        (void)view(&d, TQA_VIEW_NPZ, &other);
        (void)view(&d, TQA_VIEW_CSV, &other);
    }
    other.n = 0;
    if (view(&d, TQA_VIEW_POINTS, &other)) {
        tqa_json_scan_init(&scan, &anything, NULL);
        require(tqa_json_scan_feed(&scan, other.bytes, other.n) == TQA_DECODE_OK);
        require(tqa_json_scan_finish(&scan) == TQA_DECODE_OK);
    }
    free(cbor.bytes);
    free(pieces.bytes);
    free(json.bytes);
    free(other.bytes);
    return 0;
}
