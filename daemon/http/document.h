/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/document.h - JSON documents of resources as replies: one, a list, a page. */
#ifndef TQD_HTTP_DOCUMENT_H
#define TQD_HTTP_DOCUMENT_H

#include "api/codec/writer.h"
#include "daemon/http/exchange.h"

/* `ms` since 1970 as RFC 3339 in UTC, with milliseconds. */
void tqd_document_time(tqa_writer *document, const char *key, int64_t ms);

/* The text, or null where it is empty. */
void tqd_document_text(tqa_writer *document, const char *key, const char *text);

/* {"key":[, then the elements without keys; then one of the two functions below. */
void tqd_document_list(tqa_writer *document, const char *key);
void tqd_document_list_end(tqa_writer *document);
/* The same, with "cursor": the start of the next page, null on the last page. */
void tqd_document_page_end(tqa_writer *document, bool has_next, uint64_t cursor);

/* The complete document as the reply's body, with a line end; false: memory is short, and the reply
 * is a problem. */
bool tqd_document_answer(tqd_reply *reply, const char *request_id, int status,
                         tqa_writer *document);

#endif
