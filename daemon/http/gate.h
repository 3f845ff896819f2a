/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/gate.h - syntax and framing checks of request line and headers. Pure functions of
 * strings. */
#ifndef TQD_HTTP_GATE_H
#define TQD_HTTP_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/http/header.h"

enum { TQD_HEADER_BYTES_MAX = 4096 };

/* Accepted values of the Host header. */
typedef struct tqd_hosts {
    bool any; /* a Unix socket: DNS rebinding cannot reach it */
    /* names besides localhost, 127.0.0.1 and [::1], separated by spaces or commas; NULL if none.
     * Replaced as a whole while requests are read. */
    _Atomic(const char *) extra;
} tqd_hosts;

/* Filled header by header. Zero-initialised. */
typedef struct tqd_gate {
    const tqd_hosts *hosts;
    unsigned n_host, n_length, n_encoding;
    size_t bytes;
    bool chunked, expects_continue;
    uint64_t length;   /* of Content-Length, if n_length */
    const char *fault; /* constant, why the request is refused; NULL: no fault */
    bool too_large;    /* the fault is the size of the headers */
} tqd_gate;

/* Checks one header, and returns which one it is. Strings need no NUL. */
tqd_header tqd_gate_header(tqd_gate *gate, const char *name, size_t n_name, const char *value,
                           size_t n_value);

/* After the last header: true when the request is well-formed, else gate->fault is set. */
bool tqd_gate_close(tqd_gate *gate);

/* True when `name` (a Host value, port allowed) is served here: protects against DNS rebinding. */
bool tqd_gate_host(const tqd_hosts *hosts, const char *value, size_t n_value);

/* Why no Host header can match this text of n bytes in tqd_hosts.extra; NULL: one may. Constant. */
const char *tqd_gate_host_fault(const char *name, size_t n);

/* The path of a request target in absolute form ("http://HOST/path"), whose host must be served
 * here; a target in origin form is returned as it is. NULL for any other form. */
const char *tqd_gate_path(const tqd_hosts *hosts, const char *target);

/* Checks a request target: origin form, no control or non-ASCII bytes, well-formed percent codes
 * that do not encode control bytes, '/' or malformed UTF-8, no dot segments. NULL when valid,
 * else a constant reason. */
const char *tqd_gate_target(const char *target);

/* Decodes percent codes of n bytes (already checked) into out (n + 1 bytes at most). */
void tqd_gate_unescape(const char *text, size_t n, char *out);

#endif
