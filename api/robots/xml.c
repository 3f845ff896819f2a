/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xml.c - the only includer of expat: no document types, no entities, firm limits. */
#include "api/robots/xml.h"

#include <assert.h>
#include <expat.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 2.9 has them with 64 bits on every machine, and deprecates the others */
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
#define line_of   XML_GetCurrentLineNumber64
#define column_of XML_GetCurrentColumnNumber64
#else
#define line_of   XML_GetCurrentLineNumber
#define column_of XML_GetCurrentColumnNumber
#endif

/* The text of one open element so far. */
typedef struct level {
    size_t n_text;
    char text[TQA_XML_TEXT_MAX + 1];
} level;

typedef struct reading {
    XML_Parser parser;
    const tqa_xml_reader *reader;
    tqa_xml_error *error;
    tqa_xml_end end;
    size_t depth, n_element;
    unsigned long skipped; /* lines before the declaration */
    level levels[TQA_XML_DEPTH_MAX];
} reading;

/* expat's allocator takes no context, so the budget of the thread's one running parser is here */
static _Thread_local size_t budget_left;
static _Thread_local bool budget_hit;

enum { HEADER = 16 }; /* in front of every block: its size, and alignment kept */

static void *take_bytes(size_t n)
{
    if (n > budget_left || n > SIZE_MAX - HEADER) {
        budget_hit = true;
        return NULL;
    }
    unsigned char *block = malloc(n + HEADER);
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, &n, sizeof n);
    budget_left -= n;
    return block + HEADER;
}

static void give_bytes(void *memory)
{
    if (memory == NULL) {
        return;
    }
    unsigned char *block = (unsigned char *)memory - HEADER;
    size_t n = 0;
    memcpy(&n, block, sizeof n);
    budget_left += n;
    free(block);
}

static void *retake_bytes(void *memory, size_t n)
{
    if (memory == NULL) {
        return take_bytes(n);
    }
    unsigned char *block = (unsigned char *)memory - HEADER;
    size_t old = 0;
    memcpy(&old, block, sizeof old);
    if (n > old && (n - old > budget_left || n > SIZE_MAX - HEADER)) {
        budget_hit = true;
        return NULL;
    }
    unsigned char *moved = realloc(block, n + HEADER);
    if (moved == NULL) {
        return NULL;
    }
    memcpy(moved, &n, sizeof n);
    budget_left = budget_left + old - n;
    return moved + HEADER;
}

/* The first stop counts; later events of expat are dropped. */
static void stop(reading *r, tqa_xml_end end, const char *detail)
{
    if (r->end != TQA_XML_OK) {
        return;
    }
    r->end = end;
    *r->error = (tqa_xml_error){
        .line = (line_of(r->parser) + r->skipped),
        .column = column_of(r->parser) + 1,
        .detail = detail,
    };
    XML_StopParser(r->parser, XML_FALSE);
}

static size_t count_attributes(const XML_Char **attributes)
{
    size_t n = 0;
    while (attributes[2 * n] != NULL) {
        n++;
    }
    return n;
}

static void XMLCALL on_open(void *ctx, const XML_Char *name, const XML_Char **attributes)
{
    reading *r = ctx;
    if (r->end != TQA_XML_OK) {
        return;
    }
    if (r->depth >= TQA_XML_DEPTH_MAX) {
        stop(r, TQA_XML_LIMIT, "more than 64 elements are inside each other");
        return;
    }
    if (++r->n_element > TQA_XML_ELEMENT_MAX) {
        stop(r, TQA_XML_LIMIT, "more than 1000000 elements");
        return;
    }
    if (count_attributes(attributes) > TQA_XML_ATTRIBUTE_MAX) {
        stop(r, TQA_XML_LIMIT, "more than 64 attributes in one element");
        return;
    }
    r->levels[r->depth++].n_text = 0;
    if (!r->reader->open(r->reader->ctx, (line_of(r->parser) + r->skipped), name,
                         (const char *const *)attributes)) {
        stop(r, TQA_XML_REFUSED, NULL);
    }
}

static void XMLCALL on_close(void *ctx, const XML_Char *name)
{
    reading *r = ctx;
    if (r->end != TQA_XML_OK) {
        return;
    }
    assert(r->depth > 0);
    level *top = &r->levels[--r->depth];
    top->text[top->n_text] = '\0';
    if (!r->reader->close(r->reader->ctx, name, top->text)) {
        stop(r, TQA_XML_REFUSED, NULL);
    }
}

static void XMLCALL on_text(void *ctx, const XML_Char *text, int n)
{
    reading *r = ctx;
    if (r->end != TQA_XML_OK || r->depth == 0) {
        return;
    }
    level *top = &r->levels[r->depth - 1];
    const size_t room = TQA_XML_TEXT_MAX - top->n_text;
    const size_t more = (size_t)n < room ? (size_t)n : room;
    memcpy(top->text + top->n_text, text, more);
    top->n_text += more;
}

static void XMLCALL on_doctype(void *ctx, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    stop(ctx, TQA_XML_DTD, "a document type declaration is never read");
}

/* expat's text for a fault, or a longer one of ours. */
static const char *explain(enum XML_Error code)
{
    const char *text = XML_ErrorString(code);
    if (code == XML_ERROR_NO_ELEMENTS) {
        return "the file ends before its first element is complete";
    }
    if (code == XML_ERROR_UNCLOSED_TOKEN || code == XML_ERROR_PARTIAL_CHAR) {
        return "the file ends inside a tag";
    }
    if (code == XML_ERROR_MISPLACED_XML_PI) {
        return "<?xml ...?> is not the first thing in the file: remove what precedes it, blank "
               "lines too";
    }
    return text != NULL ? text : "not well-formed";
}

static void run(reading *r, const char *bytes, size_t n)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_open, on_close);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);

    /* the whole file in one piece: expat then copies nothing and scans no token twice */
    if (XML_Parse(r->parser, bytes, (int)n, XML_TRUE) != XML_STATUS_OK && r->end == TQA_XML_OK) {
        const enum XML_Error code = XML_GetErrorCode(r->parser);
        const bool short_of_memory = code == XML_ERROR_NO_MEMORY || budget_hit;
        r->end = short_of_memory ? TQA_XML_LIMIT : TQA_XML_MALFORMED;
        *r->error = (tqa_xml_error){
            .line = (line_of(r->parser) + r->skipped),
            .column = column_of(r->parser) + 1,
            .detail = short_of_memory ? "a name or value is too long for the memory budget"
                                      : explain(code),
            .no_memory = code == XML_ERROR_NO_MEMORY && !budget_hit,
        };
    }
}

/* Blank lines before <?xml ...?>, which XML forbids and people's templates write: other readers of
 * robots pass over them. */
static size_t skip_blank(reading *r, const char *bytes, size_t n)
{
    size_t k = 0;
    unsigned long lines = 0;
    for (; k < n && (bytes[k] == ' ' || bytes[k] == '\t' || bytes[k] == '\r' || bytes[k] == '\n');
         k++) {
        lines += bytes[k] == '\n';
    }
    if (k == 0 || n - k < 5 || memcmp(bytes + k, "<?xml", 5) != 0) {
        return 0;
    }
    r->skipped = lines;
    return k;
}

tqa_xml_end tqa_xml_read(const char *bytes, size_t n, const tqa_xml_reader *reader,
                         tqa_xml_error *reterr)
{
    assert(reader != NULL && reterr != NULL);
    assert(n <= INT_MAX);
    static const XML_Memory_Handling_Suite memory = {take_bytes, retake_bytes, give_bytes};

    *reterr = (tqa_xml_error){.line = 1, .column = 1, .detail = "no memory", .no_memory = true};
    /* one file may be read from inside another's callbacks */
    const size_t outer_left = budget_left;
    const bool outer_hit = budget_hit;
    budget_left = ((size_t)4 << 20) + 8 * n;
    budget_hit = false;
    reading *r = calloc(1, sizeof *r);
    if (r == NULL) {
        budget_left = outer_left;
        budget_hit = outer_hit;
        return TQA_XML_LIMIT;
    }
    r->reader = reader;
    r->error = reterr;
    r->end = TQA_XML_LIMIT;
    r->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (r->parser != NULL) {
        const size_t blank = skip_blank(r, bytes, n);
        r->end = TQA_XML_OK;
        run(r, bytes + blank, n - blank);
        XML_ParserFree(r->parser);
    }
    const tqa_xml_end end = r->end;
    free(r);
    budget_left = outer_left;
    budget_hit = outer_hit;
    return end;
}

typedef struct outermost {
    const char *name, *attribute;
    bool found;
} outermost;

static bool on_outermost(void *ctx, unsigned long line, const char *name,
                         const char *const *attributes)
{
    outermost *wanted = ctx;
    (void)line;
    if (strcmp(name, wanted->name) == 0) {
        wanted->found = wanted->attribute == NULL;
        for (const char *const *a = attributes; *a != NULL && !wanted->found; a += 2) {
            wanted->found = strcmp(a[0], wanted->attribute) == 0;
        }
    }
    return false;
}

static bool on_no_close(void *ctx, const char *name, const char *text)
{
    (void)ctx;
    (void)name;
    (void)text;
    return false;
}

bool tqa_xml_begins_with(const char *bytes, size_t n, const char *name, const char *attribute,
                         tqa_arena *arena)
{
    outermost wanted = {.name = name, .attribute = attribute};
    const tqa_xml_reader reader = {.ctx = &wanted, .open = on_outermost, .close = on_no_close};
    tqa_xml_error error;
    if (tqa_xml_read(bytes, n, &reader, &error) == TQA_XML_LIMIT && error.no_memory) {
        tqa_arena_miss(arena);
    }
    return wanted.found;
}
