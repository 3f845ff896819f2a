/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/json_print.c - numbers out of blocks, as JSON. */
#include "api/formats/json_print.h"

#include <assert.h>

size_t tqa_json_put_row(tqa_json_out *out, const tqa_json_row *row, size_t first)
{
    assert(out != NULL && row != NULL && first <= row->n);
    char *p = out->p;
    size_t k = first;
    for (; k < row->n && out->end - p >= 1 + TQA_NUMBER_ROOM; k++) {
        const size_t r = row->map != NULL ? row->map[k] : k;
        if (k > 0) {
            *p++ = ',';
        }
        p = tqa_number_print(row->data[r * row->stride], p);
    }
    out->p = p;
    return k;
}
