/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/credentials.h - the file of accepted tokens. */
#ifndef TQD_BOOT_CREDENTIALS_H
#define TQD_BOOT_CREDENTIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/http/bearer.h"

enum { TQD_CREDENTIALS_WHY = 640 };

/* Reads the file of the setting `credentials`; empty: $CREDENTIALS_DIRECTORY/tokens if systemd
 * provides it, else no credentials (n = 0). A line holds a client's name, the BLAKE2b-256 of its
 * token in 64 hex digits, and attributes (torqued(8), CREDENTIALS); # begins a comment. False with
 * one line in `why`: an unreadable file or an invalid line must not disable authentication. */
bool tqd_credentials_read(const char *setting, tqd_tokens *ret, char *why, size_t n_why);

/* Reads the file again while requests are served; sessions of tokens that are no longer in it end.
 * An invalid file changes nothing. A service that started without authentication stays so until a
 * restart. The main thread only. */
void tqd_credentials_reload(const char *setting, tqd_tokens *tokens);

#endif
