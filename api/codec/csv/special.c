/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/csv/special.c - times and lists in one cell. */
#include "api/codec/csv/special.h"

#include <math.h>
#include <string.h>

#include "api/codec/csv/cell.h"

/* --------------------------------------------------------------------------------------- times */

/* exactly `digits` digits */
static bool take_number(const char **p, const char *end, int digits, int *ret)
{
    *ret = 0;
    for (int k = 0; k < digits; k++, (*p)++) {
        if (*p == end || **p < '0' || **p > '9') {
            return false;
        }
        *ret = *ret * 10 + (**p - '0');
    }
    return true;
}

static bool take_letter(const char **p, const char *end, const char *letters)
{
    if (*p == end || strchr(letters, **p) == NULL || **p == '\0') {
        return false;
    }
    (*p)++;
    return true;
}

/* days from 1970-01-01 in the Gregorian calendar; the year begins in March, so that a leap day is
 * its last */
static int64_t day_of(int year, int month, int day)
{
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t era = y / 400;
    const int64_t of_era = y - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool take_fraction(const char **p, const char *end, double *ret)
{
    double unit = 0.1;
    const char *first = *p;
    *ret = 0.0;
    double whole = 0.0;
    while (*p < end && **p >= '0' && **p <= '9' && *p - first < 15) {
        whole = whole * 10.0 + (**p - '0');
        unit = *p == first ? 10.0 : unit * 10.0;
        (*p)++;
    }
    *ret = *p > first ? whole / unit : 0.0;
    return *p > first;
}

/* Z, +hh, +hhmm or +hh:mm, in seconds; nothing is 0 */
static bool take_zone(const char **p, const char *end, int *ret)
{
    int hours = 0;
    int minutes = 0;
    *ret = 0;
    if (*p == end || take_letter(p, end, "Zz")) {
        return *p == end;
    }
    const int sign = **p == '-' ? -1 : 1;
    if (!take_letter(p, end, "+-") || !take_number(p, end, 2, &hours)) {
        return false;
    }
    if (*p < end) {
        (void)take_letter(p, end, ":");
        if (!take_number(p, end, 2, &minutes)) {
            return false;
        }
    }
    *ret = sign * (hours * 3600 + minutes * 60);
    return *p == end && hours < 24 && minutes < 60;
}

static bool take_date(const char **p, const char *end, int64_t *ret_day)
{
    int year = 0;
    int month = 0;
    int day = 0;
    if (!take_number(p, end, 4, &year) || !take_letter(p, end, "-/") ||
        !take_number(p, end, 2, &month) || !take_letter(p, end, "-/") ||
        !take_number(p, end, 2, &day) || month < 1 || month > 12 || day < 1 || day > 31) {
        return false;
    }
    *ret_day = day_of(year, month, day);
    return take_letter(p, end, "T t_");
}

bool tqa_csv_time_read(const char *text, size_t n, int64_t *ret_day, double *ret_seconds)
{
    const char *p = text;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int zone = 0;
    double fraction = 0.0;
    tqa_csv_cell_trim(&p, &n);
    const char *end = p + n;
    if (!take_date(&p, end, ret_day) || !take_number(&p, end, 2, &hour) ||
        !take_letter(&p, end, ":") || !take_number(&p, end, 2, &minute)) {
        return false;
    }
    if (take_letter(&p, end, ":") &&
        (!take_number(&p, end, 2, &second) ||
         (take_letter(&p, end, ".,") && !take_fraction(&p, end, &fraction)))) {
        return false;
    }
    if (!take_zone(&p, end, &zone) || hour > 23 || minute > 59 || second > 60) {
        return false;
    }
    int64_t whole = (int64_t)hour * 3600 + (int64_t)minute * 60 + second - zone;
    if (whole < 0) {
        whole += 86400;
        (*ret_day)--;
    } else if (whole > 86400) {
        whole -= 86400;
        (*ret_day)++;
    }
    *ret_seconds = (double)whole + fraction;
    return true;
}

/* --------------------------------------------------------------------------------------- lists */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';';
}

/* past array(, tensor( and 'd', to the text between the brackets */
static bool enter(const char **p, const char **end)
{
    const char *open = *p;
    while (open < *end && *open != '[') {
        open++;
    }
    const bool is_named = open < *end && open > *p && **p != '(' && **p != '[';
    if (is_named) {
        *p = open;
        while (*end > *p && (*end)[-1] != ']') {
            (*end)--;
        }
    }
    const bool is_list = *end - *p >= 2 && ((**p == '[' && (*end)[-1] == ']') ||
                                            (!is_named && **p == '(' && (*end)[-1] == ')'));
    if (is_list) {
        (*p)++;
        (*end)--;
    }
    return is_list;
}

/* the next element; false: it is neither a number nor a word in quotes */
static bool take_item(const char **p, const char *end, tqa_csv_item *ret)
{
    *ret = (tqa_csv_item){.value = (double)NAN};
    const char quote = **p;
    if (quote == '\'' || quote == '"') {
        const char *close = memchr(*p + 1, quote, (size_t)(end - *p - 1));
        /* a quote in a quoted cell is doubled */
        ret->word = *p + 1 + (close == *p + 1 ? 1 : 0);
        close = close == *p + 1 ? memchr(ret->word, quote, (size_t)(end - ret->word)) : close;
        if (close == NULL || close == ret->word) {
            return false;
        }
        ret->n_word = (size_t)(close - ret->word);
        *p = close + 1;
        while (*p < end && **p == quote) {
            (*p)++;
        }
        return true;
    }
    const char *first = *p;
    while (*p < end && !is_blank(**p)) {
        (*p)++;
    }
    return tqa_csv_cell_read(first, (size_t)(*p - first), false, &ret->value) != TQA_CELL_TEXT;
}

size_t tqa_csv_list_read(const char *text, size_t n, size_t room, tqa_csv_item *ret)
{
    const char *p = text;
    size_t found = 0;
    tqa_csv_cell_trim(&p, &n);
    const char *end = p + n;
    if (!enter(&p, &end)) {
        return 0;
    }
    while (p < end) {
        tqa_csv_item item;
        if (is_blank(*p)) {
            p++;
            continue;
        }
        if (!take_item(&p, end, &item)) {
            return 0;
        }
        if (found < room) {
            ret[found] = item;
        }
        found++;
    }
    return found;
}
