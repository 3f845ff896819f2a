/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/print.c - numbers, commas and the brackets of inner ranks. */
#include "api/codec/json/print.h"

#include <string.h>

#include "api/codec/number/number.h"

enum {
    INNER_MAX = TQA_ARRAY_RANK_MAX - 1,
    VALUE_ROOM = TQA_NUMBER_ROOM + 2 * INNER_MAX + 1, /* with a comma and all brackets */
};

/* Brackets of the inner ranks, innermost first: values that one holds. */
typedef struct brackets {
    size_t n;
    uint64_t holds[INNER_MAX];
} brackets;

static brackets inner_brackets(const tqa_array *array)
{
    brackets ret = {.n = 0};
    uint64_t holds = 1;
    for (size_t r = array->rank; r > 1; r--) {
        holds *= array->shape[r - 1];
        ret.holds[ret.n++] = holds;
    }
    return ret;
}

/* One for each rank that has a bracket at `index`, of those around the innermost one. */
static char *put_brackets(const brackets *inner, uint64_t index, char bracket, char *p)
{
    *p++ = bracket;
    for (size_t r = 1; r < inner->n && index % inner->holds[r] == 0; r++) {
        *p++ = bracket;
    }
    return p;
}

static char *put_values(const brackets *inner, uint64_t index, const double *values, size_t n,
                        char *p)
{
    const uint64_t length = inner->n > 0 ? inner->holds[0] : 0;
    uint64_t place = length > 0 ? index % length : 1;
    for (size_t k = 0; k < n; k++) {
        if (index + k > 0) {
            *p++ = ',';
        }
        if (place == 0) {
            p = put_brackets(inner, index + k, '[', p);
        }
        p = tqa_number_print(values[k], p);
        if (length > 0 && ++place == length) {
            p = put_brackets(inner, index + k + 1, ']', p);
            place = 0;
        }
    }
    return p;
}

/* Rows without values. */
static size_t print_empty(uint64_t n_row, uint64_t *index, char *out, size_t size)
{
    static const char rest[] = ",[]";
    size_t n = 0;
    for (; *index < n_row && size - n >= sizeof rest - 1; (*index)++) {
        const size_t skip = *index == 0 ? 1 : 0;
        memcpy(out + n, rest + skip, sizeof rest - 1 - skip);
        n += sizeof rest - 1 - skip;
    }
    return n;
}

uint64_t tqa_json_array_steps(const tqa_array *array)
{
    const uint64_t count = tqa_array_count(array);
    return count > 0 ? count : array->rank > 1 ? array->shape[0] : 0;
}

size_t tqa_json_print_array(const tqa_array *array, uint64_t *index, char *out, size_t size)
{
    const uint64_t count = tqa_array_count(array);
    if (count == 0) {
        return print_empty(tqa_json_array_steps(array), index, out, size);
    }
    const brackets inner = inner_brackets(array);
    double room[TQA_ARRAY_ROOM];
    char *p = out;
    while (*index < count && (size_t)(out + size - p) >= VALUE_ROOM) {
        const double *values = room;
        const size_t most = (size_t)(out + size - p) / VALUE_ROOM;
        const size_t n = tqa_array_values(array, *index, most, room, &values);
        p = put_values(&inner, *index, values, n, p);
        *index += n;
    }
    return (size_t)(p - out);
}
