/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/conditions.c - entity tags in If-Match and If-None-Match, and types in Accept. */
#include "daemon/robots/conditions.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *skip_blank(const char *s)
{
    return s + strspn(s, " \t");
}

bool tqd_tags_reduce(const char *header, const char *current, bool weak, char tag[TQD_TAG_TEXT])
{
    const char *s = skip_blank(header);
    if (*s == '*') {
        snprintf(tag, TQD_TAG_TEXT, "*");
        return *skip_blank(s + 1) == '\0';
    }
    snprintf(tag, TQD_TAG_TEXT, "-");
    for (;;) {
        const bool is_weak = strncmp(s, "W/", 2) == 0;
        s += is_weak ? 2 : 0;
        if (*s != '"') {
            return false;
        }
        const size_t n = strcspn(++s, "\"");
        if (s[n] != '"') {
            return false;
        }
        if (n > 0 && n < TQD_TAG_TEXT && (weak || !is_weak)) {
            const bool is_current = strlen(current) == n && memcmp(current, s, n) == 0;
            if (is_current || strcmp(tag, "-") == 0) {
                snprintf(tag, TQD_TAG_TEXT, "%.*s", (int)n, s);
            }
            if (is_current) {
                return true;
            }
        }
        s = skip_blank(s + n + 1);
        if (*s == '\0') {
            return true;
        }
        if (*s != ',') {
            return false;
        }
        s = skip_blank(s + 1);
    }
}

/* "q=0", "q=0.0" and "q=0.000" refuse a type */
static bool refused(const char *parameters, size_t n)
{
    for (size_t i = 0; i + 2 < n; i++) {
        if ((parameters[i] == 'q' || parameters[i] == 'Q') && parameters[i + 1] == '=') {
            const size_t zero = strspn(parameters + i + 2, "0.");
            return zero > 0 && (i + 2 + zero >= n || strchr(" \t;", parameters[i + 2 + zero]));
        }
    }
    return false;
}

bool tqd_accepts(const char *header, const char *type)
{
    if (header == NULL || *skip_blank(header) == '\0') {
        return true;
    }
    const size_t n_type = strlen(type);
    const size_t n_major = strcspn(type, "/") + 1;
    const char *s = header;
    while (*s != '\0') {
        s = skip_blank(s);
        const size_t n_item = strcspn(s, ",");
        const size_t n = strcspn(s, ",; \t");
        const bool all = n == 3 && memcmp(s, "*/*", 3) == 0;
        const bool range =
            n == n_major + 1 && strncasecmp(s, type, n_major) == 0 && s[n - 1] == '*';
        const bool exact = n == n_type && strncasecmp(s, type, n_type) == 0;
        if ((all || range || exact) && !refused(s + n, n_item - n)) {
            return true;
        }
        s += n_item + (s[n_item] == ',' ? 1 : 0);
    }
    return false;
}

/* the weight q of a media range in thousandths; 1000 by default (RFC 9110 section 12.4.2) */
static unsigned quality(const char *parameters, size_t n)
{
    for (size_t i = 0; i + 2 < n; i++) {
        if ((parameters[i] == 'q' || parameters[i] == 'Q') && parameters[i + 1] == '=') {
            unsigned q = parameters[i + 2] == '1' ? 1000 : 0;
            unsigned worth = 100;
            for (size_t k = i + 4; k < n && worth > 0 && strchr("0123456789", parameters[k]); k++) {
                q += worth * (unsigned)(parameters[k] - '0');
                worth /= 10;
            }
            return q < 1000 ? q : 1000;
        }
    }
    return 1000;
}

unsigned tqd_accept_weight(const char *header, const char *type)
{
    if (header == NULL || *skip_blank(header) == '\0') {
        return 1;
    }
    const size_t n_type = strlen(type);
    const size_t n_major = strcspn(type, "/") + 1;
    unsigned closest = 0; /* the most specific range decides */
    unsigned q = 0;
    for (const char *s = header; *s != '\0';) {
        s = skip_blank(s);
        const size_t n_item = strcspn(s, ",");
        const size_t n = strcspn(s, ",; \t");
        unsigned close = 0;
        if (n == n_type && strncasecmp(s, type, n_type) == 0) {
            close = 3;
        } else if (n == n_major + 1 && strncasecmp(s, type, n_major) == 0 && s[n - 1] == '*') {
            close = 2;
        } else if (n == 3 && memcmp(s, "*/*", 3) == 0) {
            close = 1;
        }
        if (close > closest) {
            closest = close;
            q = quality(s + n, n_item - n);
        }
        s += n_item + (s[n_item] == ',' ? 1 : 0);
    }
    return q == 0 ? 0 : 4 * q + closest;
}
