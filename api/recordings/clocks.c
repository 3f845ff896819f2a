/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/clocks.c - columns of times; units that names of columns state. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/recordings/finder.h"

typedef struct unit_word {
    const char *text;
    double factor;
} unit_word;

static double time_unit(const char *text)
{
    static const unit_word units[] = {
        {"s", 1.0},   {"sec", 1.0}, {"secs", 1.0},  {"seconds", 1.0}, {"ms", 1e-3},
        {"us", 1e-6}, {"ns", 1e-9}, {"msec", 1e-3}, {"nsec", 1e-9},   {"usec", 1e-6},
    };
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        if (strcmp(units[k].text, text) == 0) {
            return units[k].factor;
        }
    }
    return 0.0;
}

/* the name is of a clock: its first word is one for it; *ret_unit by its second, 0 for none */
static bool is_clock(const char *name, double *ret_unit)
{
    static const char *const clocks[] = {"t",       "time",  "timestamp", "zeit", "clock",
                                         "elapsed", "stamp", "uptime",    "ipoc"};
    char text[32];
    *ret_unit = 0.0;
    if (strpbrk(name, "0123456789") != NULL || !tqa_next_word(&name, text)) {
        return false;
    }
    for (size_t k = 0; k < sizeof clocks / sizeof clocks[0]; k++) {
        if (strcmp(clocks[k], text) == 0) {
            *ret_unit = strcmp(text, "ipoc") == 0 ? 1e-3 : 0.0;
            while (tqa_next_word(&name, text)) {
                *ret_unit = time_unit(text) > 0.0 ? time_unit(text) : *ret_unit;
            }
            return true;
        }
    }
    return false;
}

/* seconds and nanoseconds beside each other: header.stamp.sec, header.stamp.nanosec */
static bool find_pair(const tqa_finder *f, uint32_t ret[2])
{
    static const char *const pairs[][2] = {
        {"stamp.sec", "stamp.nanosec"},
        {"stamp.secs", "stamp.nsecs"},
        {"tsec", "tnsec"},
        {"sec", "nanosec"},
        {"secs", "nsecs"},
        {"ZeitInSec", "ZeitInNanoSec"},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        const size_t n = strlen(pairs[k][0]);
        for (size_t c = 0; c + 1 < tqa_table_columns(f->table); c++) {
            const char *name = tqa_table_name(f->table, c);
            const char *next = tqa_table_name(f->table, c + 1);
            const size_t n_name = strlen(name);
            const size_t n_next = strlen(next);
            const size_t n_pair = strlen(pairs[k][1]);
            if (n_name >= n && n_next >= n_pair && strcmp(name + n_name - n, pairs[k][0]) == 0 &&
                strcmp(next + n_next - n_pair, pairs[k][1]) == 0 && n_name - n == n_next - n_pair &&
                memcmp(name, next, n_name - n) == 0) {
                ret[0] = (uint32_t)c;
                ret[1] = (uint32_t)c + 1;
                return true;
            }
        }
    }
    return false;
}

size_t tqa_find_clock(tqa_finder *f, uint32_t ret[2])
{
    for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
        if (tqa_table_is_time(f->table, c)) {
            ret[0] = (uint32_t)c;
            f->unit = 1.0;
            f->unit_is_known = true;
            return 1;
        }
    }
    if (find_pair(f, ret)) {
        f->unit = 1.0;
        f->unit_is_known = true;
        return 2;
    }
    for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
        double unit = 0.0;
        if (is_clock(tqa_table_name(f->table, c), &unit)) {
            ret[0] = (uint32_t)c;
            f->unit = unit;
            f->unit_is_known = unit > 0.0;
            return 1;
        }
    }
    return 0;
}

/* the text in brackets at the end of a name, or its last word after an underscore */
static size_t unit_in_name(const char *name, const char **ret)
{
    const size_t n = strlen(name);
    const char *open = n > 2 && name[n - 1] == ']'   ? strrchr(name, '[')
                       : n > 2 && name[n - 1] == ')' ? strrchr(name, '(')
                                                     : NULL;
    if (open != NULL) {
        *ret = open + 1;
        return (size_t)(name + n - 1 - *ret);
    }
    const char *last = strrchr(name, '_');
    *ret = last != NULL ? last + 1 : "";
    return strlen(*ret);
}

static double unit_of_text(const tqa_finder *f, tqa_recording_quantity quantity, size_t r,
                           const char *text, size_t n, bool *ret_is_current)
{
    char plain[24];
    size_t used = 0;
    for (size_t k = 0; k < n && used + 1 < sizeof plain; k++) {
        if (strchr("[]()", text[k]) == NULL) {
            plain[used++] = text[k];
        }
    }
    plain[used] = '\0';
    return tqa_recording_unit(f->request, quantity, r, plain, ret_is_current);
}

double tqa_finder_unit(const tqa_finder *f, tqa_recording_quantity quantity, size_t r,
                       uint32_t column, bool *ret_is_current)
{
    const char *name = tqa_table_name(f->table, column);
    const char *below = tqa_table_word(f->table, column);
    const char *text = NULL;
    r = tqa_finder_row(f, quantity, r);
    *ret_is_current = false;
    if (name[0] == '\0') {
        return 0.0;
    }
    if (below[0] != '\0') {
        return unit_of_text(f, quantity, r, below, strlen(below), ret_is_current);
    }
    const size_t n = unit_in_name(name, &text);
    return unit_of_text(f, quantity, r, text, n, ret_is_current);
}
