/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/document.h - a printed document as a member of an answer. */
#ifndef TQA_RESPONSE_DOCUMENT_H
#define TQA_RESPONSE_DOCUMENT_H

#include "api/codec/json/scan.h"
#include "api/codec/writer.h"

/* The object that our own printer wrote into `text`, again under `key`, without the text that is
 * under `left_out` in it. The scanner is working memory. */
void tqa_writer_document(tqa_writer *answer, const char *key, const char *left_out,
                         tqa_json_scan *scan, const char *text, size_t n);

#endif
