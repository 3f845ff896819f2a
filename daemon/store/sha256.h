/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sha256.h - SHA-256 in hexadecimal, as file names have it; private to this folder. */
#ifndef TQD_STORE_SHA256_H
#define TQD_STORE_SHA256_H

#include "daemon/store/types.h"

typedef struct tqd_sha256 tqd_sha256;

tqd_sha256 *tqd_sha256_new(void); /* NULL: no memory */
void tqd_sha256_add(tqd_sha256 *hash, const void *bytes, size_t n);
/* The digest of the bytes added; the hash is reset. */
void tqd_sha256_text(tqd_sha256 *hash, char digest[TQD_DIGEST_TEXT]);
void tqd_sha256_free(tqd_sha256 *hash); /* accepts NULL */

/* One-shot. False: no memory. */
bool tqd_sha256_of(const void *bytes, size_t n, char digest[TQD_DIGEST_TEXT]);

#endif
