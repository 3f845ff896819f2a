/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/gate.c - the framing guard: refuses what two parsers could read in two ways. */
#include "daemon/serve/gate.h"

#include <string.h>
#include <strings.h>

/* What a character may be, a digit each: 1 in a path by itself (RFC 3986 section 3.3 without '.'
 * and '%'), 2 in a token (RFC 9110 section 5.6.2), 3 both. */
static const char kinds[] = "0000000000000000000000000000000003023233113313203333333333110100"
                            "1333333333333333333333333330002323333333333333333333333333302030"
                            "0000000000000000000000000000000000000000000000000000000000000000"
                            "0000000000000000000000000000000000000000000000000000000000000000";

static inline bool is_token_char(char c)
{
    return (kinds[(unsigned char)c] & 2) != 0;
}

static inline bool is_path_char(char c)
{
    return (kinds[(unsigned char)c] & 1) != 0;
}

/* inline, so that the length of a constant is one */
static inline bool is_named(const char *name, size_t n_name, const char *header)
{
    return strlen(header) == n_name && strncasecmp(name, header, n_name) == 0;
}

/* Whether some byte is a control character; a tab is none. */
static bool has_control(const char *text, size_t n)
{
    const uint64_t ones = 0x0101010101010101U;
    for (; n >= sizeof(uint64_t); text += sizeof(uint64_t), n -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text, sizeof word);
        const uint64_t del = word ^ (ones * 0x7f);
        /* below 0x20, or 0x7f: the bytes of such a word are looked at one by one */
        if ((((word - ones * 0x20) & ~word) | ((del - ones) & ~del)) & (ones * 0x80)) {
            break;
        }
    }
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        good &= ((c >= 0x20) | (c == '\t')) & (c != 0x7f);
    }
    return !good;
}

static void refuse(tqd_gate *gate, const char *fault)
{
    if (gate->fault == NULL) {
        gate->fault = fault;
    }
}

static void take_length(tqd_gate *gate, const char *value, size_t n)
{
    gate->n_length++;
    gate->length = 0;
    if (n == 0 || n > 18) {
        refuse(gate, "Content-Length is not a number of bytes");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (value[i] < '0' || value[i] > '9') {
            refuse(gate, "Content-Length is not a number of bytes");
            return;
        }
        gate->length = gate->length * 10 + (uint64_t)(value[i] - '0');
    }
}

void tqd_gate_header(tqd_gate *gate, const char *name, size_t n_name, const char *value,
                     size_t n_value)
{
    /* ": " and the line end count as they do on the wire */
    gate->bytes += n_name + n_value + 4;
    if (n_name == 0) {
        refuse(gate, "a header has no name");
    }
    bool good = true;
    for (size_t i = 0; i < n_name; i++) {
        good &= is_token_char(name[i]);
    }
    if (!good) {
        refuse(gate, "a header name has a character that is not allowed in one");
    }
    if (has_control(value, n_value)) {
        refuse(gate, "a header value has a control character");
    }
    if (is_named(name, n_name, "Content-Length")) {
        take_length(gate, value, n_value);
    } else if (is_named(name, n_name, "Transfer-Encoding")) {
        gate->n_encoding++;
        gate->chunked = is_named(value, n_value, "chunked");
        if (!gate->chunked) {
            refuse(gate, "the only transfer encoding that is understood is chunked");
        }
    } else if (is_named(name, n_name, "Host")) {
        gate->n_host++;
        if (!tqd_gate_host(gate->hosts, value, n_value)) {
            refuse(gate, "the Host header names no host that is served here (setting: hosts)");
        }
    } else if (is_named(name, n_name, "Expect")) {
        gate->expects_continue = is_named(value, n_value, "100-continue");
    }
}

bool tqd_gate_close(tqd_gate *gate)
{
    if (gate->n_host != 1) {
        refuse(gate, "a request needs exactly one Host header");
    }
    if (gate->n_length > 1) {
        refuse(gate, "a request may have one Content-Length only");
    }
    if (gate->n_encoding > 1) {
        refuse(gate, "a request may have one Transfer-Encoding only");
    }
    if (gate->n_length > 0 && gate->n_encoding > 0) {
        refuse(gate, "a request may have Content-Length or Transfer-Encoding, not both");
    }
    if (gate->fault == NULL && gate->bytes > TQD_HEADER_BYTES_MAX) {
        gate->too_large = true;
        refuse(gate, "the headers are larger than 4096 bytes");
    }
    return gate->fault == NULL;
}

/* The length of the host without its port; 0 when it is malformed. */
static size_t host_length(const char *value, size_t n)
{
    size_t end = 0;
    if (n > 0 && value[0] == '[') {
        const char *bracket = memchr(value, ']', n);
        end = bracket != NULL ? (size_t)(bracket - value) + 1 : 0;
    } else {
        while (end < n && value[end] != ':') {
            end++;
        }
    }
    if (end < n) {
        if (value[end] != ':') {
            return 0;
        }
        for (size_t i = end + 1; i < n; i++) {
            if (value[i] < '0' || value[i] > '9') {
                return 0;
            }
        }
    }
    return end;
}

bool tqd_gate_host(const tqd_hosts *hosts, const char *value, size_t n_value)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]"};
    if (hosts->any) {
        return true;
    }
    size_t n = host_length(value, n_value);
    if (n == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++) {
        if (is_named(value, n, local[i])) {
            return true;
        }
    }
    for (const char *at = hosts->extra; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, " ,");
        if (length == n && strncasecmp(at, value, n) == 0) {
            return true;
        }
        at += length;
        at += strspn(at, " ,");
    }
    return false;
}

const char *tqd_gate_path(const tqd_hosts *hosts, const char *target)
{
    if (target[0] == '/') {
        return target;
    }
    size_t scheme = strncasecmp(target, "http://", 7) == 0    ? 7
                    : strncasecmp(target, "https://", 8) == 0 ? 8
                                                              : 0;
    const char *host = target + scheme;
    size_t n = strcspn(host, "/?");
    if (scheme == 0 || host[n] == '?' || n == 0 || !tqd_gate_host(hosts, host, n)) {
        return NULL;
    }
    return host[n] == '/' ? host + n : "/";
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes one byte of UTF-8; `left` continuation bytes are still to come. False when broken (overlong
 * forms and surrogates need not be told apart here: names are compared as bytes). */
static bool utf8_step(unsigned char c, unsigned *left)
{
    if (*left > 0) {
        (*left)--;
        return (c & 0xc0) == 0x80;
    }
    if (c < 0x80) {
        return true;
    }
    *left = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    return c >= 0xc2 && c <= 0xf4;
}

const char *tqd_gate_target(const char *target)
{
    if (target[0] != '/') {
        return "the request target must be a path";
    }
    size_t dots = 0;   /* of the segment, while it consists of dots only */
    bool plain = true; /* it does */
    unsigned left = 0;
    for (const char *at = target;; at++) {
        for (; left == 0 && is_path_char(*at); at++) {
            plain = false;
        }
        if (*at == '/' || *at == '\0' || *at == '?') {
            if (plain && (dots == 1 || dots == 2)) {
                return "the path has a dot segment";
            }
            if (left > 0) {
                return "the path is not UTF-8";
            }
            dots = 0;
            plain = true;
            if (*at != '/') {
                target = at;
                break;
            }
            continue;
        }
        unsigned char c = (unsigned char)*at;
        if (c == '%') {
            int high = hex(at[1]);
            int low = high >= 0 ? hex(at[2]) : -1;
            if (low < 0) {
                return "the path has a '%' that is not followed by two hexadecimal digits";
            }
            c = (unsigned char)(high * 16 + low);
            at += 2;
            if (c == '/' || c == '\\') {
                return "the path has an encoded slash";
            }
        } else if (c > 0x7e) {
            return "the path has a byte that must be percent-encoded";
        }
        if (c < 0x20 || c == 0x7f || !utf8_step(c, &left)) {
            return "the path has a control character or is not UTF-8";
        }
        plain = plain && c == '.';
        dots += plain;
    }
    for (; *target != '\0'; target++) {
        unsigned char c = (unsigned char)*target;
        if (c <= 0x20 || c > 0x7e) {
            return "the query has a byte that must be percent-encoded";
        }
    }
    return NULL;
}

void tqd_gate_unescape(const char *text, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '%') {
            *out++ = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
            i += 2;
        } else {
            *out++ = text[i];
        }
    }
    *out = '\0';
}
