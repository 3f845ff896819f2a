/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print/pretty.c - bytes of an answer for a terminal: JSON indented, number by
 * number. */
#include "clients/torquectl/print/pretty.h"

#include <string.h>

#include "clients/c/json.h"
#include "clients/torquectl/ctl.h"
#include "clients/torquectl/print/shown.h"

enum { PIECE_BYTES = 4096, SHOWN_BYTES = 6 * PIECE_BYTES + 16 };

/* Lines of any text, with escapes. */
static void show(FILE *out, const char *bytes, size_t n_all)
{
    static char line[SHOWN_BYTES];
    for (size_t at = 0; at < n_all;) {
        const char *text = bytes + at;
        const char *end = memchr(text, '\n', n_all - at);
        size_t n = end != NULL ? (size_t)(end - text) : n_all - at;
        const bool whole = n <= PIECE_BYTES;
        n = whole ? n : PIECE_BYTES;
        while (!whole && n > 0 && (text[n] & 0xc0) == 0x80) {
            n--; /* never splits a UTF-8 sequence */
        }
        n = n > 0 ? n : whole ? 0 : PIECE_BYTES;
        (void)ctl_shown(text, n, line, sizeof line);
        fputs(line, out);
        at += n;
        if (whole && end != NULL) {
            fputc('\n', out);
            at++;
        }
    }
}

static void indent(FILE *out, int depth)
{
    fprintf(out, "\n%*s", 2 * depth, "");
}

/* whether what opens here ends within a line, without objects inside */
static bool is_short(const tqci_json *at)
{
    tqci_json ahead = *at;
    const int outside = ahead.depth - 1;
    const char *begin = ahead.at;
    tqci_kind kind = TQCI_NULL;
    while (ahead.depth > outside && kind != TQCI_FAULT && kind != TQCI_END) {
        kind = tqci_json_next(&ahead);
        if (kind == TQCI_OBJECT || ahead.at - begin > CTL_WIDTH) {
            return false;
        }
    }
    return ahead.depth == outside;
}

static void print_token(FILE *out, const tqci_json *json, tqci_kind kind)
{
    const bool is_text = kind == TQCI_KEY || kind == TQCI_TEXT;
    if (is_text || kind == TQCI_NUMBER) {
        fputs(is_text ? "\"" : "", out);
        show(out, json->token, json->n_token);
        fputs(is_text ? "\"" : "", out);
        fputs(kind == TQCI_KEY ? ": " : "", out);
    } else {
        fputs(kind == TQCI_TRUE ? "true" : kind == TQCI_FALSE ? "false" : "null", out);
    }
}

/* `text` is JSON */
static void print_indented(FILE *out, const char *text, size_t n)
{
    tqci_json json;
    tqci_kind kind, last = TQCI_OBJECT;
    int within = 0; /* depth of the array that is printed on one line; 0: none */
    tqci_json_open(&json, text, n);
    while ((kind = tqci_json_next(&json)) != TQCI_END && kind != TQCI_FAULT) {
        const bool is_first = last == TQCI_OBJECT || last == TQCI_ARRAY;
        if (kind == TQCI_CLOSE) {
            if (within == 0 && !is_first) {
                indent(out, json.depth);
            }
            fputc(json.inside[json.depth], out);
            within = within > json.depth ? 0 : within;
        } else {
            const bool is_value = last == TQCI_KEY;
            const int depth = json.depth - (kind == TQCI_OBJECT || kind == TQCI_ARRAY);
            if (!is_value && !is_first) {
                fputs(within > 0 ? ", " : ",", out);
            }
            if (!is_value && within == 0 && depth > 0) {
                indent(out, depth);
            }
            if (kind == TQCI_OBJECT || kind == TQCI_ARRAY) {
                fputc(kind == TQCI_OBJECT ? '{' : '[', out);
                within = within == 0 && is_short(&json) ? json.depth : within;
            } else {
                print_token(out, &json, kind);
            }
        }
        last = kind;
    }
    fputc('\n', out);
}

static bool is_json(const char *text, size_t n)
{
    tqci_json json;
    tqci_kind kind;
    tqci_json_open(&json, text, n);
    do {
        kind = tqci_json_next(&json);
    } while (kind != TQCI_END && kind != TQCI_FAULT);
    return kind == TQCI_END;
}

void ctl_pretty(FILE *out, const char *bytes, size_t n, bool is_terminal)
{
    if (!is_terminal) {
        fwrite(bytes, 1, n, out);
    } else if (is_json(bytes, n)) {
        print_indented(out, bytes, n);
    } else {
        show(out, bytes, n);
    }
}
