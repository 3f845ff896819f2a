/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/http/test_framing.c - where requests end, however the bytes are cut, and each
 * fault at its place. */
#include "daemon/http/framing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST    "Host: a\r\n"
#define GET     "GET / HTTP/1.1\r\n" HOST
#define POST    "POST / HTTP/1.1\r\n" HOST
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"

typedef struct message {
    const char *good;  /* before the fault */
    const char *rest;  /* from it on; "" without a fault */
    const char *fault; /* words of it; NULL: none */
    const char *end;   /* what ends the message, when all of `good` has arrived before */
    unsigned n_begun;
} message;

static const char head_end[] = "Host: -\r\n\r\n";

static const message messages[] = {
    {GET "\r\n", "", NULL, "", 1},
    {"\r\n\r\n" GET "\r\n\r\n" GET "\r\n", "", NULL, "", 2},
    {POST "Content-Length: 3\r\n\r\nabc" GET "\r\n", "", NULL, "", 2},
    {POST "content-LENGTH:3\r\n\r\n\n\r\n" GET "\r\n", "", NULL, "", 2},
    {POST "Content-Length: 0\r\n\r\n" GET "\r\n", "", NULL, "", 2},
    {CHUNKED "5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n" GET "\r\n", "", NULL, "", 2},
    {CHUNKED "1\r\n\n\r\n00a\r\n0123456789\r\n000\r\n\r\n" GET "\r\n", "", NULL, "", 2},
    {GET "X: a\tb \xc3\xa9\r\nY:\r\n\r\n", "", NULL, "", 1},
    {"", "\x16\x03\x01", "method", NULL, 1},
    {"", "\n" GET "\r\n", "method", NULL, 1},
    {"\r", "G", "CR without LF", NULL, 1},
    {"GE", ":T / HTTP/1.1\r\n", "one space", NULL, 1},
    {"GET ", " / HTTP/1.1\r\n", "one space", NULL, 1},
    {"GET /", "\tHTTP/1.1\r\n", "control", NULL, 1},
    {"GET /", "\n", "LF without CR", NULL, 1},
    {"GET /", "\r\n", "no version", NULL, 1},
    {"GET / HTTP/1.1", "\n" HOST, "LF without CR", NULL, 1},
    {"GET / HTTP/1.1", "x\r\n" HOST, "method, target, version", NULL, 1},
    {"GET / HTTP/1.1\r", "Host", "CR without LF", "\nHost: -\r\n\r\n", 1},
    {GET, ": value\r\n\r\n", "no name", head_end, 1},
    {GET, ":\r\n" GET "\r\n", "no name", head_end, 1},
    {GET, " folded\r\n\r\n", "continues", head_end, 1},
    {GET, "\tfolded\r\n\r\n", "continues", head_end, 1},
    {GET, "\n", "LF without CR", head_end, 1},
    {GET "X", " : y\r\n\r\n", "space behind", "-:\r\nHost: -\r\n\r\n", 1},
    {GET "X", "(: y\r\n\r\n", "not allowed", "-:\r\nHost: -\r\n\r\n", 1},
    {GET "X", "\r\n\r\n", "no colon", "-:\r\nHost: -\r\n\r\n", 1},
    {GET "X: y", "\n\r\n", "LF without CR", "\r\nHost: -\r\n\r\n", 1},
    {GET "X: y", "\x01\r\n\r\n", "control", "\r\nHost: -\r\n\r\n", 1},
    {GET "X: 0123456789", "\x7f\r\n\r\n", "control", "\r\nHost: -\r\n\r\n", 1},
    {GET "X: y\r", "Z: z\r\n\r\n", "CR without LF", "\nHost: -\r\n\r\n", 1},
    {GET "\r", "X", "CR without LF", "\n", 1},
    {GET "\r\n" GET, ": v\r\n\r\n", "no name", head_end, 2},
    {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r", "\n0\r\n\r\n", "HTTP/1.0", "\n", 1},
    {CHUNKED, "+5\r\n", "chunk's size", "0\r\n\r\n", 1},
    {CHUNKED, "\r\n", "chunk's size", "0\r\n\r\n", 1},
    {CHUNKED "5", "\nhello", "chunk's size", "", 1},
    {CHUNKED "000000000000005", "5\r\n", "chunk's size", "", 1},
    {CHUNKED "5;a", "\n", "LF without CR", "", 1},
    {CHUNKED "5\r", "hello", "CR without LF", "", 1},
    {CHUNKED "4\r\nhell", "o\r\n0\r\n\r\n", "longer", "\r\n0\r\n\r\n", 1},
    {CHUNKED "4\r\nhell\r", "o", "CR without LF", "\n0\r\n\r\n", 1},
    {CHUNKED "0\r\n", "\n", "LF without CR", "\r\n", 1},
    {CHUNKED "0\r\n", ": y\r\n\r\n", "no name", "\r\n", 1},
    {CHUNKED "0\r\nX", "\n", "not allowed", ":\r\n\r\n", 1},
    {CHUNKED "0\r\nX: y", "\n", "LF without CR", "\r\n\r\n", 1},
    {CHUNKED "0\r\nX: y\r", "z", "CR without LF", "\n\r\n", 1},
    {CHUNKED "0\r\n\r", "x", "CR without LF", "\n", 1},
};
enum { MESSAGES = sizeof messages / sizeof messages[0], TEXT = 512 };

/* without the padding behind it: a sanitizer sees what is read beyond */
static size_t read_part(tqd_framing *framing, const char *bytes, size_t n)
{
    char *exact = malloc(n > 0 ? n : 1);
    cr_assert(exact != NULL);
    memcpy(exact, bytes, n);
    const size_t good = tqd_framing_read(framing, exact, n);
    free(exact);
    return good;
}

Test(framing, of_every_message_however_it_is_cut)
{
    for (size_t k = 0; k < MESSAGES; k++) {
        const message *m = &messages[k];
        char text[TEXT];
        const size_t n_good = strlen(m->good), n = n_good + strlen(m->rest);
        memcpy(text, m->good, n_good);
        memcpy(text + n_good, m->rest, n - n_good);
        for (size_t cut = 0; cut <= n; cut++) {
            tqd_framing framing = {0};
            const size_t first = read_part(&framing, text, cut);
            const size_t second = read_part(&framing, text + cut, n - cut);
            cr_assert(first <= cut && first + second <= n_good, "%zu, cut at %zu", k, cut);
            cr_assert(eq(int, m->fault == NULL, framing.fault == NULL), "%zu, cut at %zu: %s", k,
                      cut, framing.fault);
            cr_assert(eq(sz, (size_t)framing.n_begun, m->n_begun), "%zu, cut at %zu", k, cut);
            if (m->fault != NULL) {
                cr_assert(strstr(framing.fault, m->fault) != NULL, "%zu: %s", k, framing.fault);
                cr_assert(eq(sz, read_part(&framing, GET, strlen(GET)), 0));
            } else {
                cr_assert(eq(sz, first + second, n));
            }
        }
    }
}

/* the end makes a whole message of what has been read */
Test(framing, ends_of_messages)
{
    for (size_t k = 0; k < MESSAGES; k++) {
        const message *m = &messages[k];
        for (unsigned split = 0; m->fault != NULL && split < 2; split++) {
            char text[TEXT], end[64];
            tqd_framing framing = {0}, again = {0};
            size_t good = split == 1 ? read_part(&framing, m->good, strlen(m->good)) : 0;
            (void)snprintf(text, sizeof text, "%s%s", m->good, m->rest);
            good += read_part(&framing, text + good, strlen(text + good));
            const size_t n = tqd_framing_end(&framing, end, sizeof end - 1);
            end[n] = '\0';
            cr_expect(split == 0 || m->end == NULL || strcmp(end, m->end) == 0, "%zu: %s", k, end);
            memcpy(text + good, end, n);
            const size_t whole = read_part(&again, text, good + n);
            cr_expect(again.is_old || (again.fault == NULL && whole == good + n), "%zu: %s", k,
                      again.fault);
            cr_expect(eq(sz, (size_t)again.n_begun, m->n_begun));
            cr_expect(n == 0 || tqd_framing_end(&framing, end, n - 1) == 0);
        }
    }
}

Test(framing, spaces_behind_a_length_are_moved_before_it)
{
    char text[] = POST "Content-Length: 34 \t \r\nTransfer-Encoding:chunked \r\nX: y \r\n\r\n";
    tqd_framing framing = {0};
    cr_assert(eq(sz, tqd_framing_read(&framing, text, strlen(text)), strlen(text)));
    cr_assert(
        eq(str, text, POST "Content-Length:    34\r\nTransfer-Encoding: chunked\r\nX: y \r\n\r\n"));
}

/* A head of each kind that is larger than the library's memory, cut into pieces of `step`: refused
 * with room for its end in the last piece, and with the end a whole message. */
Test(framing, large_heads_are_refused_where_an_answer_can_follow)
{
    static const struct {
        const char *begin, *more;
        unsigned n_whole; /* of `more` that are accepted, the end of the head after them */
    } heads[] = {
        {"GET /", "a", 5005},
        {"GET /?", "a&", 75},
        {"GET / HTTP/1.1\r\nX: ", "a", 4960},
        {GET "X: y\r\n", "Y: z\r\n", 68},
        {"GET / HTTP/1.1\r\n", "b", 4962},
        {GET "X: ", "0123456 ", 613},
    };
    enum { ROOM = 8192 };
    static char text[ROOM], kept[ROOM];
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++) {
        const size_t n_more = strlen(heads[k].more);
        size_t n = strlen(heads[k].begin);
        memcpy(text, heads[k].begin, n);
        for (; n + n_more <= ROOM; n += n_more) {
            memcpy(text + n, heads[k].more, n_more);
        }
        for (size_t step = 1; step < 3000; step = step * 2 + 7) {
            tqd_framing framing = {0}, again = {0};
            size_t n_kept = 0, at = 0, good = 0, piece = 0;
            for (; at < n && framing.fault == NULL; at += piece) {
                piece = n - at < step ? n - at : step;
                memcpy(kept + n_kept, text + at, piece);
                good = tqd_framing_read(&framing, kept + n_kept, piece);
                n_kept += good;
            }
            cr_assert(framing.fault != NULL && framing.is_too_large, "%zu by %zu", k, step);
            cr_expect(at <= TQD_HEAD_MAX + step + 8, "%zu by %zu: %zu", k, step, at);
            char end[64];
            const size_t room = step > 100 ? piece - good : sizeof end;
            const size_t n_end = tqd_framing_end(&framing, end, room);
            cr_assert(n_end > 0, "%zu by %zu: no room in %zu", k, step, room);
            memcpy(kept + n_kept, end, n_end);
            for (size_t i = 0; i < n_kept + n_end; i++) {
                again.head = 0; /* its size apart */
                cr_assert(eq(sz, tqd_framing_read(&again, kept + i, 1), 1), "%zu by %zu: %s", k,
                          step, again.fault);
            }
            cr_expect(eq(chr, (char)again.state, 0), "%zu by %zu", k, step);
            cr_expect(eq(sz, (size_t)again.n_begun, 1));
        }
        tqd_framing framing = {0};
        n = strlen(heads[k].begin) + heads[k].n_whole * n_more;
        cr_expect(eq(sz, tqd_framing_read(&framing, text, n), n), "%zu: %u", k, framing.head);
        framing = (tqd_framing){0};
        (void)tqd_framing_read(&framing, text, n + 128);
        cr_expect(framing.is_too_large, "%zu: %u", k, framing.head);
    }
}
