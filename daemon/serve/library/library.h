/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/library/library.h - uses of libmicrohttpd beyond its documentation. Each function
 * names the behaviour it relies on. tests/unit/daemon/serve/test_library.c checks that behaviour of
 * the installed version, on the wire; nothing else of serve relies on its internals. */
#ifndef TQD_SERVE_LIBRARY_LIBRARY_H
#define TQD_SERVE_LIBRARY_LIBRARY_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    TQD_LIBRARY_FLAGS =
        MHD_USE_EPOLL | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO | MHD_USE_ERROR_LOG
};

/* The value of a response's header, to be overwritten by as many bytes before the response is
 * queued again. Relies on: MHD_get_response_header returns the response's own copy, writable,
 * unmoved until the response is destroyed, and read when a head is written. */
char *tqd_library_header_value(struct MHD_Response *response, const char *name);

/* For a response of unknown length to HEAD: no chunks, the end of the connection delimits it.
 * Relies on: MHD_RF_HTTP_1_0_COMPATIBLE_STRICT closes; 0.9.75 sends the last chunk of a chunked
 * answer to HEAD, which a client would read as the start of the next answer. */
void tqd_library_unchunk(struct MHD_Response *response);

/* For a connection that is suspended in the middle of a body, whose socket we have read to the
 * body's end and answered on: the library has no call for "the body is complete". An ended
 * stream takes the place of its socket under the same descriptor, so that the library, once
 * resumed, finds the end and closes. Returns the client's socket under a new descriptor, to be
 * returned by tqd_library_attach; -1: descriptors are exhausted, nothing has changed. Relies
 * on: a suspended connection's socket is neither read nor written nor kept in another way than
 * by its number. */
int tqd_library_detach(int fd);

/* Adds a connected socket as a new connection. False: its peer has gone, it is closed. Relies
 * on: MHD_add_connection takes any socket that getpeername describes, with its unread bytes. */
bool tqd_library_attach(struct MHD_Daemon *mhd, int fd);

/* Accepts up to `most` connections that wait; returns their number. A run accepts ten (0.9.75),
 * after which every open connection has its turn: of 4,096 that came at once some waited for
 * 1.6 s. Relies on: MHD_add_connection opens a connection before it returns. */
size_t tqd_library_accept(struct MHD_Daemon *mhd, size_t most);

/* Adds a descriptor to the library's epoll set, so that its events end the library's wait.
 * Returns the set's descriptor; -1: no set. Relies on: events with a NULL pointer are
 * passed over. */
int tqd_library_watch(struct MHD_Daemon *mhd, int fd);

/* True: a run would not wait, since work is left. */
bool tqd_library_has_work(struct MHD_Daemon *mhd);

/* Waits up to ms (-1: for ever) for an event of the library's set or of `own_fd`, which is in
 * it, and processes the library's. Relies on: MHD_run_wait waits only if it has no work left;
 * with 128, 256 or 512 events at once 0.9.75 waits although work is left, so from 96 connections on
 * poll() waits instead. */
void tqd_library_run(struct MHD_Daemon *mhd, int set_fd, int own_fd, size_t n_open, int ms);

/* Processes remaining work without waiting. At its limit of connections the library stops
 * accepting, and only a run after one has closed starts it again. */
void tqd_library_run_again(struct MHD_Daemon *mhd);

/* For a connection whose socket was shut down: if no epoll event follows, the library's timeout
 * of inactivity (which is off otherwise) closes it a second later. */
void tqd_library_close_soon(struct MHD_Connection *connection);

#endif
