/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/gate.h - what a request line and its headers must be before anything is done with
 * them. Pure: strings in, a verdict out. */
#ifndef TQD_HTTP_GATE_H
#define TQD_HTTP_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/http/header.h"

enum { TQD_HEADER_BYTES_MAX = 4096 };

/* Who may be named by the Host header. */
typedef struct tqd_hosts {
    bool any;          /* a Unix socket: no browser can be led there */
    const char *extra; /* names besides localhost, 127.0.0.1 and [::1], separated by spaces or
                           commas; NULL if none */
} tqd_hosts;

/* Filled header by header. Zero-initialised. */
typedef struct tqd_gate {
    const tqd_hosts *hosts;
    unsigned n_host, n_length, n_encoding;
    size_t bytes;
    bool chunked, expects_continue;
    uint64_t length;   /* of Content-Length, if n_length */
    const char *fault; /* constant, why the request is refused; NULL while there is no reason */
    bool too_large;    /* the fault is the size of the headers */
} tqd_gate;

/* Takes one header, and tells which it is. Its strings need not end in NUL. */
tqd_header tqd_gate_header(tqd_gate *gate, const char *name, size_t n_name, const char *value,
                           size_t n_value);

/* All headers have been taken: true when the request may go on, else gate->fault tells why not. */
bool tqd_gate_close(tqd_gate *gate);

/* True when `name` (a Host value, port allowed) may be served: against DNS rebinding. */
bool tqd_gate_host(const tqd_hosts *hosts, const char *value, size_t n_value);

/* The path of a request target in absolute form ("http://HOST/path"), whose host must be served; a
 * target in origin form is its own path. NULL when it is neither. */
const char *tqd_gate_path(const tqd_hosts *hosts, const char *target);

/* Checks a request target: origin form, no control or non-ASCII bytes, well-formed percent codes
 * that stand for neither control bytes nor '/' nor broken UTF-8, no dot segments. NULL when good,
 * else a constant reason. */
const char *tqd_gate_target(const char *target);

/* Decodes percent codes of n bytes (already checked) into out (n + 1 bytes at most). */
void tqd_gate_unescape(const char *text, size_t n, char *out);

#endif
