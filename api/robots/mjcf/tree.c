/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/tree.c - the elements of an MJCF file, kept with their attributes. */
#include <stdio.h>
#include <string.h>

#include "api/robots/mjcf/mjcf.h"
#include "api/robots/mjcf/parts.h"
#include "api/robots/rotation.h"
#include "api/robots/xml.h"

typedef struct walk {
    tqa_mjcf *m;
    uint32_t open; /* the innermost open element */
} walk;

/* Copies of the attributes, in the arena; NULL when memory is short. */
static const char *const *keep(tqa_arena *arena, const char *const *attributes)
{
    size_t n = 0;
    while (attributes[n] != NULL) {
        n++;
    }
    const char **kept = tqa_arena_take(arena, n + 1, sizeof *kept, sizeof *kept);
    for (size_t k = 0; k < n && kept != NULL; k++) {
        kept[k] = tqa_arena_text(arena, attributes[k], strlen(attributes[k]));
        if (kept[k] == NULL) {
            return NULL;
        }
    }
    return kept;
}

static bool on_open(void *ctx, unsigned long line, const char *name, const char *const *attributes)
{
    walk *w = ctx;
    tqa_mjcf *m = w->m;
    tqa_arena *arena = m->draft->arena;
    tqa_mjcf_node *nodes =
        tqa_arena_grow(arena, m->nodes, m->n_node, &m->node_capacity, sizeof *nodes);
    const char *const *kept = keep(arena, attributes);
    const char *copy = tqa_arena_text(arena, name, strlen(name));
    if (nodes == NULL || kept == NULL || copy == NULL) {
        return false;
    }
    m->nodes = nodes;
    nodes[m->n_node] = (tqa_mjcf_node){.name = copy,
                                       .line = line,
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
    w->m->nodes[w->open].end = (uint32_t)w->m->n_node;
    w->open = w->m->nodes[w->open].parent;
    return true;
}

bool tqa_mjcf_tree(tqa_mjcf *m, const char *bytes, size_t n)
{
    walk w = {.m = m, .open = TQ_NONE};
    const tqa_xml_reader reader = {.ctx = &w, .open = on_open, .close = on_close};
    tqa_xml_error error = {.detail = ""};
    const tqa_xml_end end = tqa_xml_read(bytes, n, &reader, &error);
    if (end == TQA_XML_LIMIT && error.no_memory) {
        tqa_arena_miss(m->draft->arena);
    }
    if (end == TQA_XML_REFUSED || tqa_arena_spent(m->draft->arena)) {
        tqa_draft_fault(m->draft, "too-large", "", "a smaller file",
                        "the robot needs more memory than is given");
    } else if (end == TQA_XML_LIMIT) {
        tqa_draft_fault(m->draft, "too-large", "", "a robot needs far less; see the limits",
                        "line %lu, column %lu: %s", error.line, error.column, error.detail);
    } else if (end != TQA_XML_OK) {
        const bool dtd = end == TQA_XML_DTD;
        tqa_draft_fault(m->draft, "malformed", "",
                        dtd ? "remove the <!DOCTYPE ...> from the file"
                            : "check the file with xmllint, and that it arrived whole",
                        "line %lu, column %lu: %s%s", error.line, error.column,
                        dtd ? "" : "not well-formed XML: ", error.detail);
    }
    return m->draft->problem->status == 0;
}

static bool on_first(void *ctx, unsigned long line, const char *name, const char *const *attributes)
{
    (void)line;
    (void)attributes;
    *(bool *)ctx = strcmp(name, "mujoco") == 0;
    return false;
}

static bool on_any_close(void *ctx, const char *name, const char *text)
{
    (void)ctx;
    (void)name;
    (void)text;
    return false;
}

bool tqa_mjcf_recognise(const char *bytes, size_t n)
{
    bool found = false;
    const tqa_xml_reader reader = {.ctx = &found, .open = on_first, .close = on_any_close};
    tqa_xml_error error;
    (void)tqa_xml_read(bytes, n, &reader, &error);
    return found;
}
