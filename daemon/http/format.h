/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/format.h - the form of an answer: ?format=csv, or else the header Accept. */
#ifndef TQD_HTTP_FORMAT_H
#define TQD_HTTP_FORMAT_H

#include "daemon/http/answer.h"
#include "daemon/http/media.h"

typedef struct tqd_format {
    tqa_media media;           /* as tqd_media_find */
    bool is_svg;               /* a picture; media is TQA_MEDIA_SVG then */
    const char *query;         /* the query without format=: the head's, or `rest`; NULL: none */
    char rest[TQD_QUERY_TEXT]; /* without format= */
} tqd_format;

/* Content-Security-Policy of a picture: its own style, and nothing to load or run */
#define TQD_SVG_POLICY "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/* format=csv, json, cbor, npz, npy or svg in the query takes precedence over Accept. False with a
 * problem: another value. */
bool tqd_format_read(const tqd_head *head, tqd_format *ret, tqa_problem *reterr);

#endif
