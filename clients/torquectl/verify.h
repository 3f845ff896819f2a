/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/verify.h - checks that a backup is complete and unchanged. */
#ifndef TORQUECTL_VERIFY_H
#define TORQUECTL_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CTL_WHY = 256 };

/* Reads the archive once: every file must be in its manifest with its size and SHA-256, none may be
 * missing, the database must pass SQLite's integrity check, and every file that it refers to must
 * be there. False with the first fault in
 * `why`. */
bool ctl_verify(const char *path, size_t *ret_files, uint64_t *ret_bytes, char why[CTL_WHY]);

#endif
