/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xacro/expand.c - expands a xacro file into elements, one after another. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/urdf/urdf.h"
#include "api/robots/xacro/parts.h"
#include "api/robots/xacro/xacro.h"
#include "api/robots/xml.h"

bool tqa_xacro_fault(tqa_xacro *x, const char *slug, const char *hint, const char *format, ...)
{
    char detail[TQA_PROBLEM_TEXT];
    char pointer[TQA_POINTER_TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    const tqa_xml_node *node = &x->tree->nodes[x->node];
    const char *file = x->tree->file != NULL ? x->tree->file : "";
    (void)snprintf(pointer, sizeof pointer, "/robot//%.60s", node->name);
    if (!x->stopped) {
        tqa_draft_fault(x->draft, slug, pointer, hint, "%.120s%sline %lu: %s", file,
                        file[0] != '\0' ? ", " : "", node->line, detail);
    }
    x->stopped = true;
    return false;
}

bool tqa_xacro_step(tqa_xacro *x, size_t n)
{
    if (x->stopped) {
        return false;
    }
    x->n_step += n;
    return x->n_step <= TQA_XACRO_STEP_MAX ||
           tqa_xacro_fault(x, "too-large", "fewer macros and properties, or expand it: xacro FILE",
                           "expanding it takes more than %d steps", TQA_XACRO_STEP_MAX);
}

/* Elements inside each other: TQA_XML_DEPTH_MAX at most, and TQA_XACRO_CALL_MAX macros. */
/* NOLINTBEGIN(misc-no-recursion) */

/* An element of the robot, with its attributes evaluated. */
static bool emit(tqa_xacro *x, const tqa_xacro_block *block)
{
    const tqa_xml_node *node = &block->tree->nodes[block->node];
    const char *attributes[2 * TQA_XML_ATTRIBUTE_MAX + 1];
    size_t n = 0;
    if (++x->n_element > TQA_XACRO_ELEMENT_MAX || x->depth >= TQA_XML_DEPTH_MAX) {
        return tqa_xacro_fault(x, "too-large", "fewer or flatter macros",
                               "it expands to more than %d elements, or to %d inside each other",
                               TQA_XACRO_ELEMENT_MAX, TQA_XML_DEPTH_MAX);
    }
    for (const char *const *a = node->attributes; *a != NULL; a += 2) {
        attributes[n++] = a[0];
        attributes[n] = tqa_xacro_string(x, block->scope, a[1]);
        if (attributes[n++] == NULL) {
            return false;
        }
    }
    attributes[n] = NULL;
    if (!x->reader->open(x->reader->ctx, node->line, node->name, attributes)) {
        x->stopped = true;
        return false;
    }
    tqa_xacro_block inside = *block;
    inside.children = true;
    x->depth++;
    const bool good = tqa_xacro_expand(x, &inside);
    x->depth--;
    x->tree = block->tree;
    x->node = block->node;
    const char *text = good ? tqa_xacro_string(x, block->scope, node->text) : NULL;
    if (text == NULL || !x->reader->close(x->reader->ctx, node->name, text)) {
        x->stopped = true;
        return false;
    }
    return true;
}

static bool expand_one(tqa_xacro *x, const tqa_xacro_block *block)
{
    x->tree = block->tree;
    x->node = block->node;
    if (!tqa_xacro_step(x, 1)) {
        return false;
    }
    const bool own = strncmp(block->tree->nodes[block->node].name, "xacro:", 6) == 0;
    return own ? tqa_xacro_instruct(x, block) : emit(x, block);
}

bool tqa_xacro_expand(tqa_xacro *x, const tqa_xacro_block *block)
{
    if (!block->children) {
        return expand_one(x, block);
    }
    tqa_xacro_block one = {.tree = block->tree, .scope = block->scope};
    const uint32_t end = block->tree->nodes[block->node].end;
    for (uint32_t k = block->node + 1; k < end; k = block->tree->nodes[k].end) {
        one.node = k;
        if (!expand_one(x, &one)) {
            return false;
        }
    }
    return true;
}
/* NOLINTEND(misc-no-recursion) */

static void replay_events(void *ctx, const tqa_xml_reader *reader)
{
    tqa_xacro *x = ctx;
    x->reader = reader;
    x->tree = x->main;
    const tqa_xacro_block root = {.tree = x->main, .scope = &x->global};
    (void)emit(x, &root);
}

bool tqa_xacro_recognise(const tqa_draft *draft, const char *bytes, size_t n)
{
    return tqa_xml_begins_with(bytes, n, "robot", "xmlns:xacro", draft->arena);
}

bool tqa_xacro_read(tqa_draft *draft, const char *bytes, size_t n)
{
    tqa_xacro *x = tqa_arena_take(draft->arena, 1, sizeof *x, 16);
    tqa_xml_tree *tree = tqa_arena_take(draft->arena, 1, sizeof *tree, 16);
    if (x == NULL || tree == NULL) {
        return tqa_draft_no_memory(draft);
    }
    tree->member = draft->archive != NULL ? draft->main : TQ_NONE;
    x->draft = draft;
    x->main = tree;
    return tqa_xml_tree_read(draft, bytes, n, tree) && tqa_urdf_read_from(draft, replay_events, x);
}
