/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/nearest.c - edit distance, cut off early: hints must stay cheap. */
#include "api/operations/nearest.h"

#include <assert.h>
#include <string.h>

enum { NEAREST_TEXT_MAX = 48 }; /* longer names get no hint */

void tqa_nearest_init(tqa_nearest *nearest, const char *text, size_t n)
{
    assert(nearest != NULL && (text != NULL || n == 0));
    /* a third of the letters may be wrong, and one always */
    *nearest = (tqa_nearest){.text = text, .n_text = n, .distance = n / 3 + 2};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Levenshtein's distance, one row of the table at a time; letter case counts for nothing. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t row[NEAREST_TEXT_MAX + 1];
    for (size_t j = 0; j <= n_b; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            const size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            const size_t shifted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < shifted ? replaced : shifted;
        }
    }
    return row[n_b];
}

void tqa_nearest_offer(tqa_nearest *nearest, const char *name)
{
    assert(nearest != NULL && name != NULL);
    const size_t n = strlen(name);
    const size_t apart = n > nearest->n_text ? n - nearest->n_text : nearest->n_text - n;
    if (n > NEAREST_TEXT_MAX || nearest->n_text > NEAREST_TEXT_MAX || apart >= nearest->distance) {
        return;
    }
    const size_t distance = edit_distance(nearest->text, nearest->n_text, name, n);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = name;
    }
}
