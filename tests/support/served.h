/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/served.h - the whole daemon inside of a test's process, and a client of its socket.
 * Only for programs that link main_within.o: daemon/main.c with main called tqd_main. */
#ifndef TQT_SERVED_H
#define TQT_SERVED_H

#include <stdbool.h>
#include <stddef.h>

/* Starts the daemon on a thread, with a state folder of its own that goes at exit, and a Unix
 * socket. `settings` are lines of its configuration file. Returns once it answers; aborts if it
 * does not start within a minute. To be called once. */
void tqt_served_start(const char *settings);

/* A new connection, whose calls end after `seconds`; aborts if there is none. */
int tqt_served_connect(unsigned seconds);

/* Writes n bytes in two pieces. False: the peer has closed its end, or reads no further. */
bool tqt_served_send(int connection, const char *bytes, size_t n);

typedef struct tqt_served_answer {
    int status;        /* 0: no answer, or one that is no HTTP */
    bool is_whole;     /* false: cut, or without an end (a stream) */
    bool closes;       /* the connection cannot be used again */
    char media[64];    /* Content-Type */
    char location[96]; /* Location; empty: none */
    char *body;        /* n_body bytes and a NUL */
    size_t n_body;
} tqt_served_answer;

/* The next answer on a connection. The body of an event stream is not read. Memory:
 * tqt_served_answer_clear. */
tqt_served_answer tqt_served_receive(int connection, bool is_head);
void tqt_served_answer_clear(tqt_served_answer *answer);

#endif
