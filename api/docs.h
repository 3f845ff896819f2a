/* SPDX-License-Identifier: Apache-2.0 */
/* api/docs.h - the contract as a page for people: openapi.json, laid out by the browser. */
#ifndef TQA_DOCS_H
#define TQA_DOCS_H

/* The page, and the script that it loads. Constant texts. */
extern const char tqa_docs_html[];
extern const char tqa_docs_js[];

#endif
