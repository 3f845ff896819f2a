/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xml_tree.c - all elements of an XML file, kept with their attributes and texts. */
#include "api/robots/xml_tree.h"

#include <string.h>

#include "api/robots/xml.h"

typedef struct walk {
    tqa_draft *draft;
    tqa_xml_tree *tree;
    uint32_t open; /* the innermost open element */
} walk;

const char *const *tqa_xml_keep(tqa_arena *arena, const char *const *attributes)
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
    tqa_xml_tree *s = w->tree;
    tqa_arena *arena = w->draft->arena;
    tqa_xml_node *nodes =
        tqa_arena_grow(arena, s->nodes, s->n_node, &s->node_capacity, sizeof *nodes);
    const char *const *kept = tqa_xml_keep(arena, attributes);
    const char *copy = tqa_arena_text(arena, name, strlen(name));
    if (nodes == NULL || kept == NULL || copy == NULL) {
        return false;
    }
    s->nodes = nodes;
    nodes[s->n_node] = (tqa_xml_node){
        .name = copy, .text = "", .line = line, .attributes = kept, .parent = w->open};
    w->open = (uint32_t)s->n_node++;
    return true;
}

static bool on_close(void *ctx, const char *name, const char *text)
{
    walk *w = ctx;
    tqa_xml_node *node = &w->tree->nodes[w->open];
    (void)name;
    text += strspn(text, " \t\r\n");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL) {
        n--;
    }
    if (n > 0) {
        node->text = tqa_arena_text(w->draft->arena, text, n);
    }
    node->end = (uint32_t)w->tree->n_node;
    w->open = node->parent;
    return node->text != NULL;
}

bool tqa_xml_tree_read(tqa_draft *draft, const char *bytes, size_t n, tqa_xml_tree *tree)
{
    walk w = {.draft = draft, .tree = tree, .open = TQ_NONE};
    const tqa_xml_reader reader = {.ctx = &w, .open = on_open, .close = on_close};
    tqa_xml_error error = {.detail = ""};
    const tqa_xml_end end = tqa_xml_read(bytes, n, &reader, &error);
    if (end == TQA_XML_LIMIT && error.no_memory) {
        tqa_arena_miss(draft->arena);
    }
    if (end == TQA_XML_REFUSED || tqa_arena_spent(draft->arena)) {
        tqa_draft_fault(draft, "too-large", "", "a smaller file",
                        "the robot needs more memory than is given");
    } else if (end != TQA_XML_OK) {
        tqa_draft_fault(draft, end == TQA_XML_LIMIT ? "too-large" : "malformed", "",
                        "check the file with xmllint, and that it arrived whole",
                        "%.120s%sline %lu, column %lu: %s", tree->file != NULL ? tree->file : "",
                        tree->file != NULL && tree->file[0] != '\0' ? ", " : "", error.line,
                        error.column, error.detail);
    }
    return draft->problem->status == 0;
}

const char *tqa_xml_tree_attribute(const tqa_xml_tree *tree, uint32_t i, const char *name)
{
    for (const char *const *a = tree->nodes[i].attributes; *a != NULL; a += 2) {
        if (strcmp(a[0], name) == 0) {
            return a[1];
        }
    }
    return NULL;
}
