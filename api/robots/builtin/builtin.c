/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/builtin/builtin.c - the built-in robots by number. */
#include "api/robots/builtin/builtin.h"

#include <assert.h>

size_t tqa_builtin_count(void)
{
    return tqa_builtin_table_size;
}

const char *tqa_builtin_name(size_t i)
{
    assert(i < tqa_builtin_table_size);
    return tqa_builtin_table[i].name;
}

const char *tqa_builtin_bytes(size_t i, size_t *ret_n, tqa_media *ret_media)
{
    assert(i < tqa_builtin_table_size);
    *ret_n = tqa_builtin_table[i].n;
    *ret_media = tqa_builtin_table[i].media;
    return tqa_builtin_table[i].bytes;
}
