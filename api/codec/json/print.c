/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/print.c - numbers out of blocks, as JSON. */
#include "api/codec/json/print.h"

#include <assert.h>
#include <stdbool.h>

static char *close_inner(char *p, bool group, bool plane)
{
    if (group) {
        *p++ = ']';
    }
    if (plane) {
        *p++ = ']';
    }
    return p;
}

size_t tqa_json_put_row(tqa_json_out *out, const tqa_json_row *row, size_t first)
{
    assert(out != NULL && row != NULL && first <= row->n);
    char *p = out->p;
    size_t k = first;
    /* at most "]],[[" before a number, "]]" after it */
    for (; k < row->n && out->end - p >= 8 + TQA_NUMBER_ROOM; k++) {
        const size_t r = row->map != NULL ? row->map[k] : k;
        const bool begins = row->group > 0 && k % row->group == 0;
        const bool turns = row->plane > 0 && k % row->plane == 0;
        if (k > 0) {
            p = close_inner(p, begins, turns);
            *p++ = ',';
        }
        if (turns) {
            *p++ = '[';
        }
        if (begins) {
            *p++ = '[';
        }
        p = tqa_number_print(row->data[r * row->stride], p);
        if (k + 1 == row->n) {
            p = close_inner(p, row->group > 0, row->plane > 0);
        }
    }
    out->p = p;
    return k;
}
