/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/listener.h - listening sockets: TCP, Unix, or inherited from systemd. */
#ifndef TQD_BOOT_LISTENER_H
#define TQD_BOOT_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

enum { TQD_LISTENER_SOCKETS = 64, TQD_LISTENER_TEXT = 160 };

typedef struct tqd_listener {
    int sockets[TQD_LISTENER_SOCKETS];
    size_t n_socket;
    bool is_unix;
    char path[108];              /* path of a Unix socket that this process has created */
    char url[TQD_LISTENER_TEXT]; /* http://127.0.0.1:8420, or unix:/run/... */
} tqd_listener;

/* Opens `n` sockets that share one port (SO_REUSEPORT), or one Unix socket; sockets from systemd
 * take precedence. Refuses an address that is not loopback unless `guarded` (credentials). False
 * with one line in `why`. */
bool tqd_listener_open(tqd_listener *ret_listener, const char *address, size_t n, bool guarded,
                       char *why, size_t n_why);
/* Only checks the address, for --check-config. */
bool tqd_listener_check(const char *address, bool guarded, char *why, size_t n_why);
/* Gives the Unix socket of the setting listen, if there is one, to `group` ("": unchanged) with the
 * permissions `mode`, octal. False with one line in `why`. */
bool tqd_listener_admit(const tqd_listener *listener, const char *mode, const char *group,
                        char *why, size_t n_why);
void tqd_listener_close(tqd_listener *listener);

#endif
