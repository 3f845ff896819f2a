/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/credentials.h - the file of tokens that clients must have. */
#ifndef TQD_BOOT_CREDENTIALS_H
#define TQD_BOOT_CREDENTIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/http/bearer.h"
#include "daemon/http/session.h"

enum { TQD_CREDENTIALS_WHY = 640 };

/* Reads the file of the setting `credentials`; empty: $CREDENTIALS_DIRECTORY/tokens where systemd
 * gives one, else no credentials (n = 0). A line holds a client's name and the BLAKE2b-256 of its
 * token in 64 hex digits; # begins a comment. False with one line in `why`: a file that cannot be
 * read, or a line that is no such line, must not open the door. */
bool tqd_credentials_read(const char *setting, tqd_tokens *ret, char *why, size_t n_why);

/* Reads them again while requests are served, and ends the sessions that former tokens have begun;
 * a file that is refused changes nothing. A service that was open at its start stays so: to shut it
 * takes a restart. The main thread only. */
void tqd_credentials_reload(const char *setting, tqd_tokens *tokens, tqd_sessions *sessions);

#endif
