/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/page.h - constant texts with an entity tag, compressed once at start. */
#ifndef TQD_SERVICE_PAGE_H
#define TQD_SERVICE_PAGE_H

#include "daemon/http/exchange.h"

enum { TQD_PAGE_TAG_TEXT = 33 };

typedef struct tqd_page {
    const char *media;
    const char *text;   /* NULL: only the compressed form is stored */
    size_t n;           /* bytes of the text */
    const char *policy; /* Content-Security-Policy; NULL: none */
    const char *vary;   /* headers of requests that choose among pages of one address; NULL: none */
    const char *gzip;   /* NULL: not shorter, or no memory at start */
    size_t n_gzip;
    char tag[TQD_PAGE_TAG_TEXT]; /* digest of text, else of gzip */
} tqd_page;

/* Computes the tag and, if it is not set, the compressed form of a page whose first fields are set.
 * The page lives as long as the process. */
void tqd_page_prepare(tqd_page *page);

/* 200 with the page, gzip where Accept-Encoding admits it; 304 if If-None-Match has its tag. */
void tqd_page_answer(const tqd_page *page, const tqd_head *head, tqd_reply *reply);

#endif
