/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/framing.h - where requests of a connection begin and end, read as strictly as RFC
 * 9112 says. */
#ifndef TQD_HTTP_FRAMING_H
#define TQD_HTTP_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A head may cost TQD_HEAD_MAX: a byte each, and TQD_HEAD_PART more for each line and each argument
 * of the target, as the library's memory of a connection (6 KiB) is taken. What is left of that is
 * the answer's head: without it the library would close the connection without an answer. */
enum { TQD_HEAD_MAX = 5120, TQD_HEAD_PART = 64 };

/* The bytes of one connection, as they arrive. Zero-initialised. */
typedef struct tqd_framing {
    unsigned char state;
    bool is_old; /* HTTP/1.0 */
    bool chunked, has_size;
    unsigned char n_name; /* of a header's name, as far as it is kept */
    unsigned char n_digit;
    char name[18];
    bool is_too_large; /* the fault is the size of the head */
    uint32_t head;     /* what the head has cost, trailers included */
    uint64_t left;     /* bytes of the body or chunk that have not arrived */
    uint64_t length;   /* of Content-Length */
    uint64_t n_begun;  /* requests whose first byte has arrived */
    const char *fault; /* constant, why the rest cannot be read; NULL: no fault */
} tqd_framing;

/**
 * Reads n further bytes: request lines, header lines, bodies by Content-Length, chunks, trailers.
 * What another parser could read in another way is a fault: a line that ends by LF alone, a line
 * that continues the one before, a name that is empty or followed by a space, NUL and other control
 * characters, chunk sizes with anything but digits and an extension behind them, chunks in
 * HTTP/1.0. So is a head above TQD_HEAD_MAX. Values of Content-Length and Transfer-Encoding are
 * left to tqd_gate; spaces behind them are moved before them (both are optional whitespace), since
 * libmicrohttpd refuses a number with a space behind it.
 *
 * Returns  n, or the number of bytes before the fault, of request number framing->n_begun (from 1);
 *          after a fault always 0.
 * Cost     of a head one load and compare a byte or less, of a body nothing by its bytes.
 * Source   RFC 9112 sections 2 to 7; RFC 9110 section 5.
 * Checked  tests/unit/daemon/http/test_framing.c, tests/fuzz/fuzz_framing.c,
 *          tests/contract/test_framing.py
 */
size_t tqd_framing_read(tqd_framing *framing, char *bytes, size_t n);

/* Bytes that end the message in which a fault was found, for a parser that has read all before it:
 * the end of a head, or of a chunked body. Writes at most `room` bytes; returns how many, 0 if that
 * is impossible. */
size_t tqd_framing_end(const tqd_framing *framing, char *ret, size_t room);

#endif
