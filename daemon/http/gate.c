/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/gate.c - the framing guard: refuses what two parsers could read differently (request
 * smuggling). */
#include "daemon/http/gate.h"

#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "daemon/http/characters.h"

/* inline: strlen of a constant folds */
static inline bool is_named(const char *name, size_t n_name, const char *header)
{
    return strlen(header) == n_name && strncasecmp(name, header, n_name) == 0;
}

/* Whether a byte is a control character other than tab. */
static bool has_control(const char *text, size_t n)
{
    enum { WORD = sizeof(uint64_t) };
    if (n >= WORD) {
        bool suspect =
            tqd_word_has_control(text + n - WORD); /* the last word overlaps the one before */
        for (size_t i = 0; i + WORD < n; i += WORD) {
            suspect |= tqd_word_has_control(text + i);
        }
        if (!suspect) {
            return false;
        }
    }
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        good &= !tqd_is_control(text[i]);
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

static void check_name(tqd_gate *gate, const char *name, size_t n)
{
    if (n == 0) {
        refuse(gate, "a header has no name");
    }
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        good &= tqd_is_token_char(name[i]);
    }
    if (!good) {
        refuse(gate, "a header name has a character that is not allowed in one");
    }
}

static void take_encoding(tqd_gate *gate, const char *value, size_t n)
{
    gate->n_encoding++;
    gate->chunked = is_named(value, n, "chunked");
    if (!gate->chunked) {
        refuse(gate, "the only transfer encoding that is understood is chunked");
    }
}

static void take_host(tqd_gate *gate, const char *value, size_t n)
{
    gate->n_host++;
    if (!tqd_gate_host(gate->hosts, value, n)) {
        refuse(gate, "the Host header names no host that is served here (setting: hosts)");
    }
}

tqd_header tqd_gate_header(tqd_gate *gate, const char *name, size_t n_name, const char *value,
                           size_t n_value)
{
    /* includes ": " and CRLF, as on the wire */
    gate->bytes += n_name + n_value + 4;
    const tqd_header header = tqd_header_find(name, n_name);
    if (header == TQD_HEADER_CONTENT_LENGTH) {
        take_length(gate, value, n_value); /* digits only */
        return header;
    }
    if (header == TQD_HEADER_OTHER) {
        check_name(gate, name, n_name);
    }
    if (has_control(value, n_value)) {
        refuse(gate, "a header value has a control character");
    }
    if (header == TQD_HEADER_HOST) {
        take_host(gate, value, n_value);
    } else if (header == TQD_HEADER_TRANSFER_ENCODING) {
        take_encoding(gate, value, n_value);
    } else if (header == TQD_HEADER_EXPECT) {
        gate->expects_continue = is_named(value, n_value, "100-continue");
    }
    return header;
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
        const char *colon = memchr(value, ':', n);
        end = colon != NULL ? (size_t)(colon - value) : n;
    }
    if (end < n) {
        if (value[end] != ':') {
            return 0;
        }
        unsigned port = 0;
        for (size_t i = end + 1; i < n; i++) {
            if (value[i] < '0' || value[i] > '9' || port > 0xffff) {
                return 0;
            }
            port = port * 10 + (unsigned)(value[i] - '0');
        }
        end = port > 0xffff ? 0 : end;
    }
    return end;
}

bool tqd_gate_host(const tqd_hosts *hosts, const char *value, size_t n_value)
{
    if (hosts->any) {
        return true;
    }
    size_t n = host_length(value, n_value);
    if (n == 0) {
        return false;
    }
    if ((n == 9 && memcmp(value, "127.0.0.1", 9) == 0) || is_named(value, n, "localhost") ||
        is_named(value, n, "[::1]")) {
        return true;
    }
    for (const char *at = atomic_load_explicit(&hosts->extra, memory_order_acquire);
         at != NULL && *at != '\0';) {
        size_t length = strcspn(at, " ,");
        if (length == n && strncasecmp(at, value, n) == 0) {
            return true;
        }
        at += length;
        at += strspn(at, " ,");
    }
    return false;
}

const char *tqd_gate_host_fault(const char *name, size_t n)
{
    if (memchr(name, '*', n) != NULL) {
        return "patterns are not supported: write each name";
    }
    if (memchr(name, '/', n) != NULL) {
        return "a host is a name or an address, without a scheme or a path";
    }
    return host_length(name, n) != n ? "a host is written without its port" : NULL;
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

/* Checks one byte of UTF-8; `left` continuation bytes are due. False when malformed. Overlong forms
 * and surrogates pass: names are compared as bytes. */
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
    bool plain = true; /* it consists of dots only */
    unsigned left = 0;
    for (const char *at = target;; at++) {
        for (; left == 0 && tqd_is_path_char(*at); at++) {
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
            int high = tqd_hex_digit(at[1]);
            int low = high >= 0 ? tqd_hex_digit(at[2]) : -1;
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
            *out++ = (char)(tqd_hex_digit(text[i + 1]) * 16 + tqd_hex_digit(text[i + 2]));
            i += 2;
        } else {
            *out++ = text[i];
        }
    }
    *out = '\0';
}
