/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/fast_path.c - a short request in the usual form, read in one pass. */
#include "api/request/fast_path.h"

#include <string.h>

#include "api/codec/number/number.h"

/* The byte after a constant; NULL: the text does not begin with it. */
static inline bool passes(const char **p, char c)
{
    const bool is = **p == c;
    *p += is;
    return is;
}

/* The field whose name and closing quote are at *p, tried from `next` on; n_field: none. */
static size_t find_field(const tqa_schema *schema, size_t next, const char **p)
{
    for (size_t left = schema->n_field; left > 0; left--) {
        const size_t f = next < schema->n_field ? next : 0;
        const char *name = schema->fields[f].name;
        size_t n = 0;
        while (name[n] != '\0' && name[n] == (*p)[n]) {
            n++;
        }
        if (name[n] == '\0' && (*p)[n] == '"') {
            *p += n + 1;
            return f;
        }
        next = f + 1;
    }
    return schema->n_field;
}

/* The array after a field's name, into the first sample. */
static bool take_sample(tqa_request *request, tqa_motion motion, const char **p, const char *end)
{
    const size_t n_row = request->rows[motion].n_row;
    const tqa_blocks *blocks = &request->motion[motion];
    if (n_row == 0 || blocks->n_room == 0 || !passes(p, ':')) {
        return false;
    }
    (void)passes(p, ' ');
    return passes(p, '[') &&
           tqa_number_run(p, end, n_row, blocks->first, blocks->stride) == n_row && passes(p, ']');
}

/* The bits of the fields present; 0: not in the form of the fast path. */
static uint32_t take_fields(tqa_request *request, const char **p, const char *end)
{
    const tqa_schema *schema = request->schema;
    uint32_t seen = 0;
    size_t next = 0;
    do {
        (void)passes(p, ' ');
        const size_t f = passes(p, '"') ? find_field(schema, next, p) : schema->n_field;
        if (f == schema->n_field || !tqa_field_is_motion(&schema->fields[f]) ||
            (seen >> f & 1u) != 0 || !take_sample(request, schema->fields[f].motion, p, end)) {
            return 0;
        }
        seen |= 1u << f;
        next = f + 1;
    } while (passes(p, ','));
    return seen;
}

bool tqa_fast_path_take(tqa_request *request, const char *bytes, size_t n)
{
    /* a copy, because the scanner reads beyond the end of a number */
    char text[TQA_FAST_PATH_MAX + TQA_NUMBER_AHEAD];
    if (n > TQA_FAST_PATH_MAX || n == 0 || bytes[0] != '{') {
        return false;
    }
    memcpy(text, bytes, n);
    memset(text + n, 0, TQA_NUMBER_AHEAD);
    const char *p = text + 1;
    const uint32_t seen = take_fields(request, &p, text + n + TQA_NUMBER_AHEAD);
    if (seen == 0 || !passes(&p, '}')) {
        return false;
    }
    (void)passes(&p, '\n');
    if (p != text + n) {
        return false;
    }
    for (uint32_t left = seen; left != 0; left &= left - 1) {
        tqa_rows *rows = &request->rows[request->schema->fields[__builtin_ctz(left)].motion];
        rows->shape = TQA_SHAPE_FLAT;
        rows->n_sample = 1;
        rows->n_got = rows->n_row;
    }
    request->seen = seen;
    return true;
}

bool tqa_fast_path_finish(tqa_request *request)
{
    const tqa_schema *schema = request->schema;
    const uint32_t columns = tqa_schema_columns(schema);
    if ((request->seen & columns) != columns) {
        return tqa_request_finish(request); /* missing arrays are zero, or refused */
    }
    request->n_sample = 1;
    request->flat = true;
    for (uint32_t left = request->seen; left != 0; left &= left - 1) {
        tqa_blocks_pad(&request->motion[schema->fields[__builtin_ctz(left)].motion], 1);
    }
    return true;
}
