/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xacro/instruction.c - property, arg, include, conditions and blocks. */
#include <stdlib.h>
#include <string.h>

#include "api/robots/xacro/parts.h"
#include "api/robots/zip/zip.h"

static const char *get(const tqa_xacro_block *block, const char *key)
{
    return tqa_xml_tree_attribute(block->tree, block->node, key);
}

static bool no_memory(tqa_xacro *x)
{
    return tqa_xacro_fault(x, "too-large", "a smaller robot",
                           "the robot needs more memory than is given");
}

static bool property(tqa_xacro *x, const tqa_xacro_block *block)
{
    const char *name = get(block, "name");
    const char *value = get(block, "value");
    const char *otherwise = get(block, "default");
    const char *where = get(block, "scope");
    tqa_xacro_scope *scope = block->scope, *owner = NULL;
    if (name == NULL || name[0] == '\0') {
        return tqa_xacro_fault(x, "missing-field", "add name=\"...\"", "a property has no name");
    }
    name = tqa_xacro_string(x, block->scope, name);
    if (name == NULL) {
        return false;
    }
    if (value == NULL && otherwise != NULL) {
        if (tqa_xacro_find(x, scope, name, strlen(name), &owner) != NULL) {
            return true;
        }
        value = otherwise;
    }
    const bool global = where != NULL && strcmp(where, "global") == 0;
    const bool parent = where != NULL && strcmp(where, "parent") == 0;
    scope = global ? &x->global : parent && scope->parent != NULL ? scope->parent : scope;
    tqa_xacro_value now = {.text = NULL};
    const bool eager = value != NULL && scope != block->scope;
    if (eager && !tqa_xacro_text(x, block->scope, value, &now)) {
        return false;
    }
    tqa_xacro_symbol *row = tqa_xacro_set(x, scope, name);
    if (row == NULL) {
        return false;
    }
    row->text = eager ? NULL : value;
    row->value = now;
    if (value == NULL) {
        row->block = *block;
        row->block.children = true;
    }
    return true;
}

static bool argument(tqa_xacro *x, const tqa_xacro_block *block)
{
    const char *name = get(block, "name");
    const char *value = get(block, "default");
    tqa_xacro_scope *owner = NULL;
    if (name == NULL) {
        return tqa_xacro_fault(x, "missing-field", "add name=\"...\"", "an argument has no name");
    }
    if (tqa_xacro_find(x, &x->args, name, strlen(name), &owner) != NULL || value == NULL) {
        return true; /* the first one counts */
    }
    tqa_xacro_value now = {.text = NULL};
    if (!tqa_xacro_text(x, block->scope, value, &now)) {
        return false;
    }
    tqa_xacro_symbol *row = tqa_xacro_set(x, &x->args, name);
    if (row == NULL) {
        return false;
    }
    row->value = now;
    return true;
}

/* The only member whose path ends in `tail`, which begins with a slash; TQ_NONE: not just one. */
static uint32_t find_tail(const tqa_zip *archive, const char *tail)
{
    const size_t n = strlen(tail);
    uint32_t found = TQ_NONE;
    for (uint32_t k = 0; k < archive->n_member; k++) {
        const char *path = archive->members[k].path;
        const size_t length = strlen(path);
        const bool same = length + 1 == n ? strcmp(path, tail + 1) == 0
                                          : length >= n && strcmp(path + length - n, tail) == 0;
        if (same && found != TQ_NONE) {
            return TQ_NONE;
        }
        found = same ? k : found;
    }
    return found;
}

/* A file as it is named: beside the one that names it, or of a package, whose folder need not be
 * the archive's: "package://arm/urdf/x.xacro" is the only ".../arm/urdf/x.xacro", or the only
 * ".../urdf/x.xacro". */
static uint32_t find_file(const tqa_xacro *x, const tqa_xml_tree *from, const char *path)
{
    static const char package[] = "package://";
    const tqa_zip *archive = x->draft->archive;
    if (strncmp(path, package, sizeof package - 1) != 0) {
        return tqa_zip_find(archive, from->member, path);
    }
    const uint32_t whole = find_tail(archive, path + sizeof package - 2);
    const char *inside = strchr(path + sizeof package - 1, '/');
    return whole != TQ_NONE || inside == NULL ? whole : find_tail(archive, inside);
}

static bool include(tqa_xacro *x, const tqa_xacro_block *block)
{
    tqa_draft *draft = x->draft;
    const char *path = get(block, "filename");
    if (path == NULL || get(block, "ns") != NULL) {
        return tqa_xacro_fault(x, "invalid-value", "write filename=\"...\" alone",
                               path == NULL ? "an include has no filename"
                                            : "a namespace of included names is not read");
    }
    path = tqa_xacro_string(x, block->scope, path);
    if (path == NULL) {
        return false;
    }
    if (draft->archive == NULL) {
        return tqa_xacro_fault(x, "invalid-value",
                               "send the file and what it includes as one archive: zip -r "
                               "robot.zip FOLDER, curl -T robot.zip; or expand it: xacro FILE",
                               "<xacro:include filename=\"%.100s\"> names another file", path);
    }
    const uint32_t k = find_file(x, block->tree, path);
    if (k == TQ_NONE) {
        return tqa_xacro_fault(x, "unknown-name", "pack the file into the archive",
                               "the file \"%.120s\" is not in the archive, or twice", path);
    }
    if (x->n_call >= TQA_XACRO_CALL_MAX) {
        return tqa_xacro_fault(x, "too-large", "end the ring of includes",
                               "files include each other more than %d deep", TQA_XACRO_CALL_MAX);
    }
    tqa_xml_tree *tree = tqa_arena_take(draft->arena, 1, sizeof *tree, 16);
    size_t n = 0;
    char *bytes = tree != NULL ? tqa_zip_read(draft->archive, k, &n) : NULL;
    if (bytes == NULL) {
        return draft->problem->status == 0 ? no_memory(x) : false;
    }
    tree->file = draft->archive->members[k].path;
    tree->member = k;
    bool good = tqa_xml_tree_read(draft, bytes, n, tree);
    free(bytes);
    const tqa_xacro_block body = {.tree = tree, .children = true, .scope = block->scope};
    x->n_call++;
    good = good && tqa_xacro_expand(x, &body);
    x->n_call--;
    return good;
}

static bool condition(tqa_xacro *x, const tqa_xacro_block *block, bool wanted)
{
    const char *text = get(block, "value");
    tqa_xacro_value value = {.text = NULL};
    bool yes = false;
    if (text == NULL) {
        return tqa_xacro_fault(x, "missing-field", "add value=\"...\"", "a condition has no value");
    }
    if (!tqa_xacro_text(x, block->scope, text, &value) || !tqa_xacro_truth(x, &value, &yes)) {
        return false;
    }
    tqa_xacro_block inside = *block;
    inside.children = true;
    return yes != wanted || tqa_xacro_expand(x, &inside);
}

static bool insert(tqa_xacro *x, const tqa_xacro_block *block)
{
    const char *name = get(block, "name");
    tqa_xacro_scope *owner = NULL;
    name = name != NULL ? tqa_xacro_string(x, block->scope, name) : "";
    const tqa_xacro_symbol *row =
        name != NULL ? tqa_xacro_find(x, block->scope, name, strlen(name), &owner) : NULL;
    if (x->stopped || name == NULL) {
        return false;
    }
    if (row == NULL || row->block.tree == NULL) {
        return tqa_xacro_fault(x, "unknown-name",
                               "name a block parameter, or a property that is one",
                               "there is no block \"%.60s\"", name);
    }
    if (x->n_call >= TQA_XACRO_CALL_MAX) {
        return tqa_xacro_fault(x, "too-large", "end the ring of blocks",
                               "blocks are inside each other more than %d deep",
                               TQA_XACRO_CALL_MAX);
    }
    const tqa_xacro_block kept = row->block;
    x->n_call++;
    const bool good = tqa_xacro_expand(x, &kept);
    x->n_call--;
    return good;
}

bool tqa_xacro_instruct(tqa_xacro *x, const tqa_xacro_block *block)
{
    const char *name = block->tree->nodes[block->node].name + strlen("xacro:");
    if (strcmp(name, "property") == 0) {
        return property(x, block);
    }
    if (strcmp(name, "arg") == 0) {
        return argument(x, block);
    }
    if (strcmp(name, "include") == 0) {
        return include(x, block);
    }
    if (strcmp(name, "if") == 0 || strcmp(name, "unless") == 0) {
        return condition(x, block, name[0] == 'i');
    }
    if (strcmp(name, "insert_block") == 0) {
        return insert(x, block);
    }
    if (strcmp(name, "macro") == 0) {
        return tqa_xacro_define(x, block);
    }
    if (strcmp(name, "element") == 0 || strcmp(name, "attribute") == 0 ||
        strcmp(name, "call") == 0) {
        return tqa_xacro_fault(x, "invalid-value", "expand the file first: xacro FILE",
                               "<xacro:%s> is not read here", name);
    }
    return tqa_xacro_call(x, block, name);
}
