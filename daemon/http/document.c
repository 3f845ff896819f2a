/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/document.c - JSON documents of resources as replies. */
#include "daemon/http/document.h"

#include <inttypes.h>
#include <stdio.h>

#include "daemon/http/answer.h"
#include "daemon/observe/timestamp.h"

void tqd_document_time(tqa_writer *document, const char *key, int64_t ms)
{
    char text[TQD_TIMESTAMP_TEXT];
    tqd_timestamp(ms, text);
    tqa_writer_string(document, key, text);
}

void tqd_document_text(tqa_writer *document, const char *key, const char *text)
{
    if (text[0] != '\0') {
        tqa_writer_string(document, key, text);
    } else {
        tqa_writer_null(document, key);
    }
}

void tqd_document_list(tqa_writer *document, const char *key)
{
    tqa_writer_object(document, NULL);
    tqa_writer_list(document, key);
}

void tqd_document_list_end(tqa_writer *document)
{
    tqa_writer_end(document);
    tqa_writer_end(document);
}

void tqd_document_page_end(tqa_writer *document, bool has_next, uint64_t cursor)
{
    char text[24];
    tqa_writer_end(document);
    if (has_next) {
        (void)snprintf(text, sizeof text, "%" PRIu64, cursor);
        tqa_writer_string(document, "cursor", text);
    } else {
        tqa_writer_null(document, "cursor");
    }
    tqa_writer_end(document);
}

bool tqd_document_answer(tqd_reply *reply, const char *request_id, int status, tqa_writer *document)
{
    tqa_writer_finish(document);
    char *body = tqa_writer_take(document, &reply->n_body);
    if (body == NULL) {
        tqd_answer_no_memory(reply, request_id);
        return false;
    }
    reply->status = status;
    reply->media = "application/json";
    reply->body = body;
    return true;
}
