/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/names.c - sort once, bisect ever after. */
#include "api/robots/names.h"

#include <stdlib.h>
#include <string.h>

static int compare_rows(const void *left, const void *right)
{
    const tqa_name_row *a = left;
    const tqa_name_row *b = right;
    const int order = strcmp(a->name, b->name);
    if (order != 0) {
        return order;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

bool tqa_names_build(tqa_names *names, tqa_arena *arena, const char *const *name, uint32_t n)
{
    tqa_name_row *rows = tqa_arena_take(arena, n, sizeof *rows, _Alignof(tqa_name_row));
    if (rows == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = (tqa_name_row){.name = name[i], .number = i};
    }
    if (n > 0) {
        qsort(rows, n, sizeof *rows, compare_rows);
    }
    *names = (tqa_names){.rows = rows, .n = n};
    return true;
}

/* strcmp of a row's name with n bytes that need no NUL */
static int compare_name(const tqa_name_row *row, const char *name, size_t n)
{
    const int order = strncmp(row->name, name, n);
    return order != 0 ? order : row->name[n] != '\0';
}

uint32_t tqa_names_find(const tqa_names *names, const char *name, size_t n)
{
    if (memchr(name, '\0', n) != NULL) {
        return UINT32_MAX;
    }
    uint32_t low = 0;
    uint32_t high = names->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_name(&names->rows[middle], name, n) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < names->n && compare_name(&names->rows[low], name, n) == 0) {
        return names->rows[low].number;
    }
    return UINT32_MAX;
}

uint32_t tqa_names_duplicate(const tqa_names *names, uint32_t *ret_first)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 1; i < names->n; i++) {
        const tqa_name_row *before = &names->rows[i - 1];
        const tqa_name_row *row = &names->rows[i];
        if (row->number < found && strcmp(before->name, row->name) == 0) {
            found = row->number;
            *ret_first = before->number;
        }
    }
    return found;
}
