/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/page.c - constant texts with an entity tag, compressed once at start. */
#include "daemon/service/page.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>

#include "daemon/http/answer.h"
#include "daemon/robots/conditions.h"

enum { TAG_BYTES = 16, GZIP_WINDOW = 15 + 16 /* zlib.h: 16 selects the format of gzip */ };

static char *compress_text(const char *text, size_t n, size_t *ret_n)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return NULL;
    }
    unsigned char *out = malloc(n); /* a form that is not shorter is not used */
    bool good = out != NULL;
    if (good) {
        stream.next_in = (const unsigned char *)text;
        stream.avail_in = (uInt)n;
        stream.next_out = out;
        stream.avail_out = (uInt)n;
        good = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    }
    *ret_n = stream.total_out;
    (void)deflateEnd(&stream);
    if (!good) {
        free(out);
        return NULL;
    }
    return (char *)out;
}

void tqd_page_prepare(tqd_page *page)
{
    unsigned char digest[TAG_BYTES];
    const bool is_plain = page->text != NULL;
    (void)crypto_generichash(digest, sizeof digest,
                             (const unsigned char *)(is_plain ? page->text : page->gzip),
                             is_plain ? page->n : page->n_gzip, NULL, 0);
    (void)sodium_bin2hex(page->tag, sizeof page->tag, digest, sizeof digest);
    if (is_plain) {
        page->gzip = compress_text(page->text, page->n, &page->n_gzip);
    }
}

/* The text for clients that do not accept gzip, of a page that is stored compressed. NULL: no
 * memory. */
static char *inflate_text(const tqd_page *page)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK) {
        return NULL;
    }
    char *out = malloc(page->n);
    bool good = out != NULL;
    if (good) {
        stream.next_in = (const unsigned char *)page->gzip;
        stream.avail_in = (uInt)page->n_gzip;
        stream.next_out = (unsigned char *)out;
        stream.avail_out = (uInt)page->n;
        good = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    }
    (void)inflateEnd(&stream);
    if (!good) {
        free(out);
        return NULL;
    }
    return out;
}

static bool takes_gzip(const char *accept)
{
    return accept != NULL && accept[strspn(accept, " \t")] != '\0' &&
           tqd_accept_weight(accept, "gzip") > 0;
}

/* True if the client has either form of the text. */
static bool is_held(const tqd_page *page, const char *header)
{
    char tag[TQD_TAG_TEXT];
    char zipped[TQD_TAG_TEXT];
    if (header == NULL) {
        return false;
    }
    (void)snprintf(zipped, sizeof zipped, "%s-gzip", page->tag);
    return (tqd_tags_reduce(header, page->tag, true, tag) &&
            (strcmp(tag, "*") == 0 || strcmp(tag, page->tag) == 0)) ||
           (tqd_tags_reduce(header, zipped, true, tag) && strcmp(tag, zipped) == 0);
}

void tqd_page_answer(const tqd_page *page, const tqd_head *head, tqd_reply *reply)
{
    const bool zipped = page->gzip != NULL && takes_gzip(head->header(head, "Accept-Encoding"));
    /* a strong tag differs where the bytes differ (RFC 9110 section 8.8.1) */
    tqd_answer_header(reply, "ETag", "\"%s%s\"", page->tag, zipped ? "-gzip" : "");
    tqd_answer_header(reply, "Cache-Control", "no-cache"); /* the client may cache it, and must
                                                              revalidate */
    tqd_answer_header(reply, "Vary", "%s%sAccept-Encoding", page->vary != NULL ? page->vary : "",
                      page->vary != NULL ? ", " : "");
    if (is_held(page, head->header(head, "If-None-Match"))) {
        reply->status = 304;
        return;
    }
    reply->status = 200;
    reply->media = page->media;
    reply->n_body = zipped ? page->n_gzip : page->n;
    if (!zipped && page->text == NULL) {
        reply->body = inflate_text(page);
        if (reply->body == NULL) {
            tqd_answer_no_memory(reply, head->request_id);
            return;
        }
    } else {
        reply->constant = zipped ? page->gzip : page->text;
    }
    if (zipped) {
        tqd_answer_header(reply, "Content-Encoding", "gzip");
    }
    if (page->policy != NULL) {
        tqd_answer_header(reply, "Content-Security-Policy", "%s", page->policy);
    }
}
