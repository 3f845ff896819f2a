/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/nearest.c - edit distance, cut off early: hints must stay cheap. */
#include "api/problems/nearest.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "api/problems/renamed.h"

enum { NEAREST_TEXT_MAX = 48 }; /* longer names get no hint */

void tqa_nearest_init(tqa_nearest *nearest, const char *text, size_t n)
{
    assert(nearest != NULL && (text != NULL || n == 0));
    nearest->text = text;
    nearest->n_text = n;
    nearest->best = nearest->note = nearest->alike = NULL;
    nearest->rank = 0;
    nearest->n_alike = 0;
    /* a third of the letters may be wrong, and one always, unless it is the only one; never more
     * than half */
    const size_t half = n / 2 + 1;
    nearest->distance = n <= 1 ? 1 : n / 3 + 2 < half ? n / 3 + 2 : half;
    nearest->n_list = 0;
    nearest->list[0] = '\0';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Levenshtein's distance, one row of the table at a time; letter case counts for nothing. Rows do
 * not get smaller again: where all of one reaches `enough`, that is the answer. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b, size_t enough)
{
    size_t row[NEAREST_TEXT_MAX + 1];
    for (size_t j = 0; j <= n_b; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        size_t diagonal = row[0];
        size_t least = i;
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            const size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            const size_t shifted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < shifted ? replaced : shifted;
            least = row[j] < least ? row[j] : least;
        }
        if (least >= enough) {
            return enough;
        }
    }
    return row[n_b];
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Letters of the word that begins at s[i], or 0 where none begins. */
static size_t word_at(const char *s, size_t n, size_t i)
{
    size_t end = i;
    while (end < n && is_letter(s[end]) && (i == 0 || !is_letter(s[i - 1]))) {
        end++;
    }
    return end - i;
}

/* Letters of the longest word that a and b have in common, of four letters at least: `gravity` of
 * `gravity_torque`. */
static size_t shared_word(const char *a, size_t n_a, const char *b, size_t n_b)
{
    enum { LEAST = 4 };
    size_t most = 0;
    for (size_t i = 0; i < n_a && n_a <= NEAREST_TEXT_MAX && n_b <= NEAREST_TEXT_MAX; i++) {
        const size_t n = word_at(a, n_a, i);
        for (size_t j = 0; j < n_b && n >= LEAST && n > most; j++) {
            size_t k = word_at(b, n_b, j) == n ? n : 0;
            for (size_t c = 0; c < k; c++) {
                k = lower(a[i + c]) == lower(b[j + c]) ? k : 0;
            }
            most = k > most ? k : most;
        }
    }
    return most;
}

static void list(tqa_nearest *nearest, const char *name, size_t n)
{
    const char *first = nearest->n_list == 0 ? "known here: " : ", ";
    const size_t room = sizeof nearest->list - nearest->n_list;
    if (n + sizeof "known here: , ..." < room) {
        nearest->n_list +=
            (size_t)snprintf(nearest->list + nearest->n_list, room, "%s%s", first, name);
    } else if (room > sizeof ", ...") {
        (void)snprintf(nearest->list + nearest->n_list, room, "%s...", first);
        nearest->n_list = sizeof nearest->list; /* no more */
    }
}

void tqa_nearest_offer(tqa_nearest *nearest, const char *name)
{
    assert(nearest != NULL && name != NULL);
    const size_t n = strlen(name);
    if (nearest->n_list < sizeof nearest->list) {
        list(nearest, name, n);
    }
    const char *note = NULL;
    const unsigned rank = tqa_renamed(nearest->text, nearest->n_text, name, &note);
    if (rank > 0 && (nearest->rank == 0 || rank < nearest->rank)) {
        nearest->distance = 0;
        nearest->best = name;
        nearest->rank = rank;
        nearest->note = note;
        return;
    }
    const size_t shared = shared_word(nearest->text, nearest->n_text, name, n);
    if (shared > nearest->n_alike) {
        nearest->n_alike = shared;
        nearest->alike = name;
    }
    const size_t apart = n > nearest->n_text ? n - nearest->n_text : nearest->n_text - n;
    if (n > NEAREST_TEXT_MAX || nearest->n_text > NEAREST_TEXT_MAX || apart >= nearest->distance) {
        return;
    }
    const size_t distance =
        edit_distance(nearest->text, nearest->n_text, name, n, nearest->distance);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = name;
    }
}

const char *tqa_nearest_hint(tqa_nearest *nearest)
{
    if (nearest->note != NULL) {
        return nearest->note;
    }
    if (nearest->best != NULL) {
        (void)snprintf(nearest->hint, sizeof nearest->hint, "did you mean \"%s\"?", nearest->best);
        return nearest->hint;
    }
    if (nearest->alike != NULL) {
        const int n = snprintf(nearest->hint, sizeof nearest->hint, "did you mean \"%s\"? %s",
                               nearest->alike, nearest->list);
        if ((size_t)n >= sizeof nearest->hint) {
            memcpy(nearest->hint + sizeof nearest->hint - sizeof "...", "...", sizeof "...");
        }
        return nearest->hint;
    }
    return nearest->list[0] != '\0' ? nearest->list : "leave it out: nothing is known here";
}
