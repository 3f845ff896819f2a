/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/tree.c - the elements of an MJCF file, kept with their attributes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/mjcf/mjcf.h"
#include "api/robots/mjcf/parts.h"
#include "api/robots/xml.h"
#include "api/robots/xml_tree.h"
#include "api/robots/zip/zip.h"
#include "core/spatial/rotation.h"

typedef struct walk {
    tqa_mjcf *m;
    uint32_t open;    /* the innermost open element */
    uint32_t member;  /* of the archive; TQ_NONE: a single file */
    uint32_t nesting; /* files that include this one */
    size_t skip;      /* open elements inside an <include>, itself included */
    bool root; /* the outermost element of an included file comes next, or is open: no node */
    size_t depth;
} walk;

enum { NESTING_MAX = 16 };

static bool read_xml(walk *w, const char *bytes, size_t n);

static const char *attribute(const char *const *attributes, const char *key)
{
    for (const char *const *a = attributes; *a != NULL; a += 2) {
        if (strcmp(a[0], key) == 0) {
            return a[1];
        }
    }
    return NULL;
}

uint32_t tqa_mjcf_member(const tqa_mjcf *m, uint32_t from, const char *folder, const char *path)
{
    const tqa_zip *archive = m->draft->archive;
    char whole[TQA_ZIP_PATH_MAX];
    const int n =
        snprintf(whole, sizeof whole, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", path);
    if (archive == NULL || n < 0 || (size_t)n >= sizeof whole) {
        return TQ_NONE;
    }
    const uint32_t found = tqa_zip_find(archive, m->draft->main, whole);
    return found != TQ_NONE ? found : tqa_zip_find(archive, from, whole);
}

/* The elements of another file in place of <include file="..."/>. */
static bool include(walk *w, unsigned long line, const char *path)
{
    tqa_mjcf *m = w->m;
    tqa_draft *draft = m->draft;
    char pointer[TQA_POINTER_TEXT];
    (void)snprintf(pointer, sizeof pointer, "/mujoco//include (line %lu)", line);
    if (draft->archive == NULL) {
        tqa_draft_fault(draft, "invalid-value", pointer,
                        "send the model and the files that it names as one archive: zip -r "
                        "robot.zip FOLDER, curl -T robot.zip; or let MuJoCo write it into one file "
                        "(mj_saveLastXML)",
                        "line %lu: <include file=\"%.80s\"> names another file", line,
                        path != NULL ? path : "");
        return false;
    }
    const uint32_t k = path != NULL ? tqa_mjcf_member(m, w->member, "", path) : TQ_NONE;
    if (k == TQ_NONE || m->included[k] || w->nesting == NESTING_MAX) {
        const char *why = k == TQ_NONE     ? "is not in the archive"
                          : m->included[k] ? "is included a second time"
                                           : "is one of too many inside each other";
        tqa_draft_fault(draft, "unknown-name", pointer,
                        "pack the file into the archive, at this path beside the main file",
                        "%.120s, line %lu: the file \"%.80s\" %s",
                        draft->archive->members[w->member].path, line, path != NULL ? path : "",
                        why);
        return false;
    }
    m->included[k] = true;
    size_t n = 0;
    char *bytes = tqa_zip_read(draft->archive, k, &n);
    walk inner = {.m = m, .open = w->open, .member = k, .nesting = w->nesting + 1, .root = true};
    const bool good = bytes != NULL && read_xml(&inner, bytes, n);
    free(bytes);
    return good;
}

static bool on_open(void *ctx, unsigned long line, const char *name, const char *const *attributes)
{
    walk *w = ctx;
    tqa_mjcf *m = w->m;
    tqa_arena *arena = m->draft->arena;
    if (w->skip > 0) {
        w->skip++;
        return true;
    }
    if (w->depth++ == 0 && w->root) {
        return true;
    }
    if (strcmp(name, "include") == 0 && w->open != TQ_NONE) {
        w->depth--;
        w->skip = 1;
        return include(w, line, attribute(attributes, "file"));
    }
    tqa_mjcf_node *nodes =
        tqa_arena_grow(arena, m->nodes, m->n_node, &m->node_capacity, sizeof *nodes);
    const char *const *kept = tqa_xml_keep(arena, attributes);
    const char *copy = tqa_arena_text(arena, name, strlen(name));
    if (nodes == NULL || kept == NULL || copy == NULL) {
        return false;
    }
    m->nodes = nodes;
    nodes[m->n_node] = (tqa_mjcf_node){.name = copy,
                                       .line = line,
                                       .member = w->member,
                                       .attributes = kept,
                                       .parent = w->open,
                                       .owner = TQ_NONE,
                                       .link = TQ_NONE,
                                       .at = tq_pose_identity};
    w->open = (uint32_t)m->n_node++;
    return true;
}

static bool on_close(void *ctx, const char *name, const char *text)
{
    walk *w = ctx;
    (void)name;
    (void)text;
    if (w->skip > 0) {
        w->skip--;
        return true;
    }
    if (--w->depth == 0 && w->root) {
        return true;
    }
    w->m->nodes[w->open].end = (uint32_t)w->m->n_node;
    w->open = w->m->nodes[w->open].parent;
    return true;
}

/* Of one file; its includes are read from inside. False: faults were added. */
static bool read_xml(walk *w, const char *bytes, size_t n)
{
    tqa_draft *draft = w->m->draft;
    const tqa_xml_reader reader = {.ctx = w, .open = on_open, .close = on_close};
    tqa_xml_error error = {.detail = ""};
    const tqa_xml_end end = tqa_xml_read(bytes, n, &reader, &error);
    const bool is_member = draft->archive != NULL && w->member != TQ_NONE;
    const char *path = is_member ? draft->archive->members[w->member].path : "";
    const char *comma = is_member ? ", " : "";
    if (end == TQA_XML_LIMIT && error.no_memory) {
        tqa_arena_miss(draft->arena);
    }
    if (draft->problem->status != 0) {
        return false; /* of a file inside */
    }
    if (end == TQA_XML_REFUSED || tqa_arena_spent(draft->arena)) {
        tqa_draft_fault(draft, "too-large", "", "a smaller file",
                        "the robot needs more memory than is given");
    } else if (end == TQA_XML_LIMIT) {
        tqa_draft_fault(draft, "too-large", "", "a robot needs far less; see the limits",
                        "%.120s%sline %lu, column %lu: %s", path, comma, error.line, error.column,
                        error.detail);
    } else if (end != TQA_XML_OK) {
        const bool dtd = end == TQA_XML_DTD;
        tqa_draft_fault(draft, "malformed", "",
                        dtd ? "remove the <!DOCTYPE ...> from the file"
                            : "check the file with xmllint, and that it arrived whole",
                        "%.120s%sline %lu, column %lu: %s%s", path, comma, error.line, error.column,
                        dtd ? "" : "not well-formed XML: ", error.detail);
    }
    return draft->problem->status == 0;
}

bool tqa_mjcf_tree(tqa_mjcf *m, const char *bytes, size_t n)
{
    tqa_draft *draft = m->draft;
    const tqa_zip *archive = draft->archive;
    walk w = {.m = m, .open = TQ_NONE, .member = archive != NULL ? draft->main : TQ_NONE};
    if (archive != NULL) {
        m->included = tqa_arena_take(draft->arena, archive->n_member + 1, sizeof(bool), 1);
        if (m->included == NULL) {
            tqa_draft_fault(draft, "too-large", "", "a smaller file",
                            "the robot needs more memory than is given");
            return false;
        }
        m->included[draft->main] = true;
    }
    return read_xml(&w, bytes, n);
}

bool tqa_mjcf_recognise(const tqa_draft *draft, const char *bytes, size_t n)
{
    return tqa_xml_begins_with(bytes, n, "mujoco", NULL, draft->arena);
}
