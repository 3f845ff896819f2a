/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sha256.c - SHA-256 in hexadecimal, as file names have it. */
#include "daemon/store/sha256.h"

#include <gnutls/crypto.h>
#include <stdio.h>

enum { DIGEST_BYTES = 32 };

/* GnuTLS' handle is itself a pointer to a struct: tqd_sha256 is an alias that is never defined. */
static gnutls_hash_hd_t of(tqd_sha256 *hash)
{
    return (gnutls_hash_hd_t)(void *)hash;
}

static void print(const unsigned char raw[DIGEST_BYTES], char digest[TQD_DIGEST_TEXT])
{
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        snprintf(digest + 2 * i, 3, "%02x", raw[i]);
    }
}

tqd_sha256 *tqd_sha256_new(void)
{
    gnutls_hash_hd_t hash;
    return gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) < 0 ? NULL : (tqd_sha256 *)(void *)hash;
}

void tqd_sha256_add(tqd_sha256 *hash, const void *bytes, size_t n)
{
    (void)gnutls_hash(of(hash), bytes, n);
}

void tqd_sha256_text(tqd_sha256 *hash, char digest[TQD_DIGEST_TEXT])
{
    unsigned char raw[DIGEST_BYTES];
    gnutls_hash_output(of(hash), raw);
    print(raw, digest);
}

void tqd_sha256_free(tqd_sha256 *hash)
{
    if (hash != NULL) {
        gnutls_hash_deinit(of(hash), NULL);
    }
}

bool tqd_sha256_of(const void *bytes, size_t n, char digest[TQD_DIGEST_TEXT])
{
    unsigned char raw[DIGEST_BYTES];
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, n, raw) < 0) {
        return false;
    }
    print(raw, digest);
    return true;
}
