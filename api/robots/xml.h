/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xml.h - elements of an XML file, one after another, within firm limits. */
#ifndef TQA_ROBOTS_XML_H
#define TQA_ROBOTS_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "api/memory/arena.h"

enum {
    TQA_XML_DEPTH_MAX = 64,        /* elements open at once */
    TQA_XML_ATTRIBUTE_MAX = 64,    /* of one element */
    TQA_XML_ELEMENT_MAX = 1000000, /* of one file */
    TQA_XML_TEXT_MAX = 256,        /* bytes of an element's text that are kept */
};

/* Why reading stopped. */
typedef enum tqa_xml_end {
    TQA_XML_OK,
    TQA_XML_MALFORMED, /* not well-formed, or cut short */
    TQA_XML_DTD,       /* has a document type declaration: refused unread */
    TQA_XML_LIMIT,     /* beyond one of the limits above, or the memory budget */
    TQA_XML_REFUSED,   /* the reader returned false, and has set the problem */
} tqa_xml_end;

/* Lines and columns count from 1. */
typedef struct tqa_xml_error {
    unsigned long line, column;
    const char *detail; /* constant English text; NULL after TQA_XML_REFUSED */
    bool no_memory;     /* of LIMIT: the machine has no more */
} tqa_xml_error;

/* Both functions return false to stop. Texts are UTF-8 and borrowed for the call only. */
typedef struct tqa_xml_reader {
    void *ctx;
    /* An element begins. attributes: name, value, name, value, ..., NULL */
    bool (*open)(void *ctx, unsigned long line, const char *name, const char *const *attributes);
    /* End of an element. `text`: the text directly inside it, cut at TQA_XML_TEXT_MAX bytes. */
    bool (*close)(void *ctx, const char *name, const char *text);
} tqa_xml_reader;

/**
 * Read n bytes of XML (UTF-8, UTF-16, Latin-1 or ASCII, as they declare themselves).
 *
 * Entities other than the five of XML itself do not exist here, since no document type declaration
 * is read; nothing is ever fetched.
 *
 * Memory   At most 4 MiB + 8 n bytes of heap, all freed. n <= INT_MAX.
 * Cost     O(n).
 * Checked  tests/unit/api/robots/test_xml.c
 */
tqa_xml_end tqa_xml_read(const char *bytes, size_t n, const tqa_xml_reader *reader,
                         tqa_xml_error *reterr);

/* Whether the outermost element is `name` and, unless that is NULL, has `attribute`. Reads no
 * further. False without memory too, which `arena` then misses. */
bool tqa_xml_begins_with(const char *bytes, size_t n, const char *name, const char *attribute,
                         tqa_arena *arena);

#endif
