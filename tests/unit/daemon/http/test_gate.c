/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/http/test_gate.c - every check of the gate fails in one row. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "daemon/http/gate.h"

typedef struct header_case {
    const char *headers; /* "name: value|name: value" */
    bool good;
} header_case;

static const header_case cases[] = {
    {"Host: localhost", true},
    {"host: LOCALHOST:8420", true},
    {"Host: [::1]:1", true},
    {"Host: 127.0.0.1", true},
    {"Host: lab:80", true},
    {"Host: robots.example", true},
    {"Host: lab2", false},
    {"Host: la", false},
    {"Host: ", false},
    {"Host: :80", false},
    {"Host: [::1", false},
    {"Host: [::1]x", false},
    {"Host: localhost:8a", false},
    {"Host: evil.example", false},
    {"Accept: */*", false},
    {"Host: localhost|Host: localhost", false},
    {"Host: localhost|Content-Length: 12", true},
    {"Host: localhost|Content-Length: 999999999999999999", true},
    {"Host: localhost|Content-Length: 9999999999999999999", false},
    {"Host: localhost|Content-Length: +3", false},
    {"Host: localhost|Content-Length: 3, 3", false},
    {"Host: localhost|Content-Length: ", false},
    {"Host: localhost|Content-Length: 1|Content-Length: 1", false},
    {"Host: localhost|Transfer-Encoding: chunked", true},
    {"Host: localhost|Transfer-Encoding: CHUNKED", true},
    {"Host: localhost|Transfer-Encoding: gzip", false},
    {"Host: localhost|Transfer-Encoding: chunked, chunked", false},
    {"Host: localhost|Transfer-Encoding: chunked|Transfer-Encoding: chunked", false},
    {"Host: localhost|Transfer-Encoding: chunked|Content-Length: 1", false},
    {"Host: localhost|X-Tab: a\tb", true},
    {"Host: localhost|X-Bell: a\ab", false},
    {"Host: localhost|X-Delete: a\177b", false},
    {"Host: localhost|X y: a", false},
    {"Host: localhost|X(y): a", false},
    {"Host: localhost|: a", false},
};

static bool passes(const char *headers, tqd_gate *gate)
{
    static const tqd_hosts hosts = {.extra = "robots.example, lab"};
    *gate = (tqd_gate){.hosts = &hosts};
    while (*headers != '\0') {
        size_t n = strcspn(headers, "|");
        const char *colon = memchr(headers, ':', n);
        const char *value = colon + 2;
        tqd_gate_header(gate, headers, (size_t)(colon - headers), value,
                        (size_t)(headers + n - value));
        headers += n + (headers[n] == '|');
    }
    return tqd_gate_close(gate);
}

Test(gate, headers)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tqd_gate gate;
        cr_expect(passes(cases[i].headers, &gate) == cases[i].good, "%s", cases[i].headers);
        bool has_reason = gate.fault == NULL;
        cr_expect(has_reason == cases[i].good, "%s has no reason", cases[i].headers);
    }
}

Test(gate, every_character_of_a_name_and_of_a_path)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    /* characters that RFC 3986 does not allow in a path and many clients send */
    static const char odd[] = " \"#<>[\\]^`{|}";
    static const tqd_hosts hosts = {.extra = "lab"};
    for (int c = 1; c < 256; c++) {
        const bool is_letter = strchr(letters, c) != NULL;
        const char name[] = {'X', (char)c, 'y'};
        tqd_gate gate = {.hosts = &hosts};
        tqd_gate_header(&gate, name, 3, "a", 1);
        const bool token = is_letter || strchr("!#$%&'*+-.^_`|~", c) != NULL;
        cr_expect(token == (gate.fault == NULL), "byte %d of a name", c);
        /* '?' begins the query; '%' needs two digits after it */
        const char target[] = {'/', 'a', (char)c, 'b', 0};
        const bool path =
            is_letter || strchr("-._~!$&'()*+,;=:@/?", c) != NULL || strchr(odd, c) != NULL;
        cr_expect(path == (tqd_gate_target(target) == NULL), "byte %d of a path", c);
    }
}

/* values are checked word by word: each byte at each position of words and of the remainder */
Test(gate, every_byte_at_every_place_of_a_value)
{
    enum { LENGTH = 21 };
    static const tqd_hosts hosts = {.extra = "lab"};
    char value[LENGTH];
    for (unsigned c = 0; c < 256; c++) {
        const bool good = (c >= 0x20 && c != 0x7f) || c == '\t';
        for (size_t at = 0; at < LENGTH; at++) {
            memset(value, at % 2 == 0 ? 'a' : '\t', LENGTH);
            value[at] = (char)c;
            tqd_gate gate = {.hosts = &hosts};
            tqd_gate_header(&gate, "X-Any", 5, value, LENGTH);
            cr_expect(good == (gate.fault == NULL), "byte %u at %zu", c, at);
        }
    }
}

Test(gate, reports_the_length_and_what_is_expected)
{
    tqd_gate gate;
    cr_assert(passes("Host: lab|Content-Length: 1234567|Expect: 100-Continue", &gate) == true);
    cr_expect(eq(u64, gate.length, 1234567));
    cr_expect(gate.expects_continue);
    cr_expect(not(gate.chunked));
}

Test(gate, header_bytes_are_bounded)
{
    /* 4096 bytes with name, separators and line end: the longest accepted, the shortest refused */
    char text[TQD_HEADER_BYTES_MAX + 32] = "Host: lab|X: ";
    size_t used = (4 + 3 + 4) + (1 + 4);
    size_t fill = TQD_HEADER_BYTES_MAX - used;
    size_t head = strlen(text);
    memset(text + head, 'a', fill);
    tqd_gate gate;
    cr_expect(passes(text, &gate) == true);
    text[head + fill] = 'a';
    cr_expect(passes(text, &gate) == false);
    cr_expect(gate.too_large);
}

Test(gate, unix_sockets_take_any_host)
{
    tqd_hosts any = {.any = true};
    cr_expect(tqd_gate_host(&any, "evil.example", 12));
}

static const struct {
    const char *target;
    bool good;
} targets[] = {
    {"/", true},        {"/a/b", true},       {"/a?b=c&d=%zz", true},  {"/a//b", true},
    {"/...", true},     {"/.a", true},        {"/a..", true},          {"/a%20b", true},
    {"/%c3%a9", true},  {"/%e2%82%ac", true}, {"/%f0%9f%a4%96", true}, {"", false},
    {"a", false},       {"*", false},         {"http://a/", false},    {"/.", false},
    {"/..", false},     {"/a/../b", false},   {"/a/./b", false},       {"/%2e%2e/a", false},
    {"/.%2E?x", false}, {"/a%00", false},     {"/a%1f", false},        {"/a%7f", false},
    {"/a%2fb", false},  {"/a%5Cb", false},    {"/a%", false},          {"/a%2", false},
    {"/a%g0", false},   {"/%ff", false},      {"/%c3", false},         {"/%c3/%a9", false},
    {"/%c0%af", false}, {"/\xc3\xa9", false}, {"/a b", true},          {"/a\x01", false},
    {"/a?b c", false},  {"/a?\xff", false},   {"/%80", false},         {"/%f5%80%80%80", false},
};

Test(gate, targets)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        /* a space cannot occur: it ends the target on the wire */
        bool good = tqd_gate_target(targets[i].target) == NULL;
        cr_expect(good == targets[i].good, "%s", targets[i].target);
    }
}

static const struct {
    const char *target, *path; /* NULL: refused */
} absolute[] = {
    {"/a", "/a"},
    {"http://localhost/a?b", "/a?b"},
    {"HTTPS://[::1]:8420/", "/"},
    {"http://127.0.0.1", "/"},
    {"http://evil.example/a", NULL},
    {"http://localhost@evil.example/a", NULL},
    {"http://localhost?a", NULL},
    {"http:///a", NULL},
    {"ftp://localhost/a", NULL},
    {"*", NULL},
    {"", NULL},
};

Test(gate, absolute_targets)
{
    tqd_hosts hosts = {.any = false};
    for (size_t i = 0; i < sizeof absolute / sizeof absolute[0]; i++) {
        const char *path = tqd_gate_path(&hosts, absolute[i].target);
        bool refused = path == NULL;
        cr_expect(refused == (absolute[i].path == NULL), "%s", absolute[i].target);
        if (path != NULL && absolute[i].path != NULL) {
            cr_expect(eq(str, (char *)path, (char *)absolute[i].path));
        }
    }
}

Test(gate, unescape)
{
    char out[16];
    tqd_gate_unescape("a%20b%C3%a9c", 10, out);
    cr_expect(eq(str, out, (char *)"a b\xc3\xa9"));
    tqd_gate_unescape("", 0, out);
    cr_expect(eq(str, out, (char *)""));
}
