/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xacro/macro.c - macros: their parameters, and calls of them. */
#include <string.h>

#include "api/robots/xacro/parts.h"

bool tqa_xacro_define(tqa_xacro *x, const tqa_xacro_block *block)
{
    const char *name = tqa_xml_tree_attribute(block->tree, block->node, "name");
    const char *params = tqa_xml_tree_attribute(block->tree, block->node, "params");
    if (name == NULL || name[0] == '\0') {
        return tqa_xacro_fault(x, "missing-field", "add name=\"...\"", "a macro has no name");
    }
    name += strncmp(name, "xacro:", 6) == 0 ? 6 : 0;
    tqa_xacro_macro *rows =
        tqa_arena_grow(x->draft->arena, x->macros, x->n_macro, &x->macro_capacity, sizeof *rows);
    if (rows == NULL) {
        return tqa_xacro_fault(x, "too-large", "fewer macros",
                               "the robot needs more memory than is given");
    }
    x->macros = rows;
    rows[x->n_macro++] = (tqa_xacro_macro){.name = name,
                                           .params = params != NULL ? params : "",
                                           .tree = block->tree,
                                           .node = block->node};
    return true;
}

static const tqa_xacro_macro *find(tqa_xacro *x, const char *name)
{
    for (size_t k = x->n_macro; k-- > 0;) { /* the last one of a name counts */
        if (!tqa_xacro_step(x, 1)) {
            return NULL;
        }
        if (strcmp(x->macros[k].name, name) == 0) {
            return &x->macros[k];
        }
    }
    return NULL;
}

/* One parameter: name, name:=default, name:=^, name:=^|default, *block, **blocks. */
typedef struct parameter {
    const char *name, *otherwise; /* arena; otherwise NULL: none */
    unsigned stars;
    bool inherits;
} parameter;

static const char blanks[] = " \t\r\n";

/* Takes the next one of the list; *text goes on. False: there are no more, or memory is short. */
static bool next_parameter(tqa_xacro *x, const char **text, parameter *ret)
{
    const char *p = *text + strspn(*text, blanks);
    *ret = (parameter){.stars = (unsigned)strspn(p, "*")};
    p += ret->stars;
    const size_t n = strcspn(p, " \t\r\n:=");
    if (n == 0) {
        return false;
    }
    ret->name = tqa_arena_text(x->draft->arena, p, n);
    p += n;
    const char *after = p + strspn(p, blanks);
    const bool has = *after == '=' || (after[0] == ':' && after[1] == '=');
    if (has) {
        p = after + (*after == '=' ? 1 : 2);
        p += strspn(p, blanks);
        ret->inherits = *p == '^';
        p += ret->inherits;
        const bool more = !ret->inherits || *p == '|';
        p += ret->inherits && more;
        const char *from = p;
        char quote = '\0';
        for (; *p != '\0' && (quote != '\0' || strchr(blanks, *p) == NULL); p++) {
            quote = quote != '\0'             ? (*p == quote ? '\0' : quote)
                    : *p == '\'' || *p == '"' ? *p
                                              : '\0';
        }
        size_t length = (size_t)(p - from);
        const bool quoted = length >= 2 && from[0] == '\'' && from[length - 1] == '\'';
        if (more) {
            ret->otherwise =
                tqa_arena_text(x->draft->arena, from + quoted, length - 2 * (size_t)quoted);
        }
    }
    *text = p;
    return ret->name != NULL && !(has && ret->otherwise == NULL && !ret->inherits);
}

/* The next element inside a call, from *at on. */
static bool give_block(tqa_xacro *x, const tqa_xacro_block *call, uint32_t *at,
                       const parameter *wanted, tqa_xacro_scope *inside)
{
    if (*at >= call->tree->nodes[call->node].end) {
        return tqa_xacro_fault(x, "missing-field", "put an element inside of the call",
                               "the macro needs a block \"%.60s\"", wanted->name);
    }
    tqa_xacro_symbol *row = tqa_xacro_set(x, inside, wanted->name);
    if (row == NULL) {
        return false;
    }
    row->block = (tqa_xacro_block){
        .tree = call->tree, .node = *at, .children = wanted->stars > 1, .scope = call->scope};
    *at = call->tree->nodes[*at].end;
    return true;
}

static bool give_value(tqa_xacro *x, const tqa_xacro_block *call, const parameter *wanted,
                       tqa_xacro_scope *inside)
{
    const char *text = tqa_xml_tree_attribute(call->tree, call->node, wanted->name);
    tqa_xacro_value value = {.text = NULL};
    tqa_xacro_scope *owner = NULL;
    const bool above =
        text == NULL && wanted->inherits &&
        tqa_xacro_find(x, call->scope, wanted->name, strlen(wanted->name), &owner) != NULL;
    bool good = !x->stopped;
    if (above) {
        good = tqa_xacro_get(x, call->scope, wanted->name, strlen(wanted->name), &value);
    } else if (text != NULL || wanted->otherwise != NULL) {
        good = tqa_xacro_text(x, call->scope, text != NULL ? text : wanted->otherwise, &value);
    } else {
        good = tqa_xacro_fault(x, "missing-field", "give it in the call, or a default in params",
                               "the macro needs a parameter \"%.60s\"", wanted->name);
    }
    tqa_xacro_symbol *row = good ? tqa_xacro_set(x, inside, wanted->name) : NULL;
    if (row != NULL) {
        row->value = value;
    }
    return row != NULL;
}

/* Every attribute of a call is a parameter of the macro. */
static bool check_attributes(tqa_xacro *x, const tqa_xacro_block *call,
                             const tqa_xacro_scope *inside)
{
    for (const char *const *a = call->tree->nodes[call->node].attributes; *a != NULL; a += 2) {
        bool found = strncmp(*a, "xmlns", 5) == 0;
        for (size_t k = 0; k < inside->n && !found; k++) {
            found = strcmp(inside->rows[k].name, *a) == 0;
        }
        if (!found) {
            return tqa_xacro_fault(x, "unknown-name", "take it out, or add it to params",
                                   "the macro has no parameter \"%.60s\"", *a);
        }
    }
    return true;
}

bool tqa_xacro_call(tqa_xacro *x, const tqa_xacro_block *block, const char *name)
{
    const tqa_xacro_macro *macro = find(x, name);
    tqa_xacro_scope *inside = tqa_arena_take(x->draft->arena, 1, sizeof *inside, 16);
    if (x->stopped) {
        return false;
    }
    if (macro == NULL || inside == NULL) {
        return tqa_xacro_fault(x, "unknown-name",
                               "define it before: <xacro:macro name=\"...\" params=\"...\">",
                               "<xacro:%.60s>: there is no macro of this name", name);
    }
    if (x->n_call >= TQA_XACRO_CALL_MAX) {
        return tqa_xacro_fault(x, "too-large", "end the macro's calls of itself",
                               "macros are called more than %d deep", TQA_XACRO_CALL_MAX);
    }
    const tqa_xacro_macro made = *macro;
    const char *params = made.params;
    parameter one;
    uint32_t at = block->node + 1;
    inside->parent = block->scope;
    while (next_parameter(x, &params, &one)) {
        if (!(one.stars > 0 ? give_block(x, block, &at, &one, inside)
                            : give_value(x, block, &one, inside))) {
            return false;
        }
    }
    if (params[strspn(params, blanks)] != '\0') {
        return tqa_xacro_fault(x, "malformed", "write name or name:=default",
                               "params of macro \"%.60s\": \"%.60s\"", made.name, params);
    }
    const tqa_xacro_block body = {
        .tree = made.tree, .node = made.node, .children = true, .scope = inside};
    if (!check_attributes(x, block, inside)) {
        return false;
    }
    x->n_call++;
    const bool good = tqa_xacro_expand(x, &body);
    x->n_call--;
    return good;
}
