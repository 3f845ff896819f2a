/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xacro/scope.c - names and their values, evaluated where they are used. */
#include <string.h>

#include "api/robots/xacro/parts.h"

tqa_xacro_symbol *tqa_xacro_find(tqa_xacro *x, tqa_xacro_scope *scope, const char *name, size_t n,
                                 tqa_xacro_scope **ret_owner)
{
    for (; scope != NULL; scope = scope->parent) {
        for (size_t k = 0; k < scope->n; k++) {
            const char *own = scope->rows[k].name;
            if (!tqa_xacro_step(x, 1)) {
                return NULL;
            }
            if (strncmp(own, name, n) == 0 && own[n] == '\0') {
                *ret_owner = scope;
                return &scope->rows[k];
            }
        }
    }
    return NULL;
}

tqa_xacro_symbol *tqa_xacro_set(tqa_xacro *x, tqa_xacro_scope *scope, const char *name)
{
    tqa_xacro_scope *owner = NULL;
    tqa_xacro_scope here = {.parent = NULL, .rows = scope->rows, .n = scope->n};
    tqa_xacro_symbol *row = tqa_xacro_find(x, &here, name, strlen(name), &owner);
    if (row == NULL && !x->stopped) {
        tqa_xacro_symbol *rows =
            tqa_arena_grow(x->draft->arena, scope->rows, scope->n, &scope->capacity, sizeof *rows);
        if (rows == NULL) {
            (void)tqa_xacro_fault(x, "too-large", "fewer properties",
                                  "the robot needs more memory than is given");
            return NULL;
        }
        scope->rows = rows;
        row = &rows[scope->n++];
    }
    if (row != NULL) {
        *row = (tqa_xacro_symbol){.name = name};
    }
    return row;
}

bool tqa_xacro_get(tqa_xacro *x, tqa_xacro_scope *scope, const char *name, size_t n,
                   tqa_xacro_value *ret)
{
    tqa_xacro_scope *owner = NULL;
    tqa_xacro_symbol *row = tqa_xacro_find(x, scope, name, n, &owner);
    if (x->stopped) {
        return false;
    }
    if (row == NULL || row->block.tree != NULL) {
        return tqa_xacro_fault(x, "unknown-name",
                               "add <xacro:property name=\"...\" value=\"...\"/>",
                               "there is no property \"%.*s\"", (int)(n < 80 ? n : 80), name);
    }
    if (row->busy) {
        return tqa_xacro_fault(x, "invalid-value", "let one of them be a number",
                               "the property \"%.80s\" refers to itself", row->name);
    }
    if (row->text == NULL) {
        *ret = row->value;
        return true;
    }
    const size_t at = (size_t)(row - owner->rows);
    row->busy = true;
    const bool good = tqa_xacro_text(x, owner, row->text, ret);
    row = &owner->rows[at];
    row->busy = false;
    if (good) {
        row->text = NULL;
        row->value = *ret;
    }
    return good;
}
