/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/key.h - keys: names of clients, robots and datasets, with their namespace. */
#ifndef TQD_KEY_H
#define TQD_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A key is NAMESPACE/NAME, or in the default namespace NAME. No name has a '/', so every text is
 * the key of one name at most. The store knows keys only: a row of another namespace is absent to
 * whoever looks for a key of his own. A job belongs to the namespace of its client. */
enum { TQD_NAMESPACE_TEXT = 33 };

/* Bytes of the namespace with its '/'; 0: the default one. */
static inline size_t tqd_key_prefix(const char *key)
{
    const char *slash = strchr(key, '/');
    return slash != NULL ? (size_t)(slash - key) + 1 : 0;
}

/* The name, inside the key. */
static inline const char *tqd_key_name(const char *key)
{
    return key + tqd_key_prefix(key);
}

/* True if both keys are of one namespace. */
static inline bool tqd_key_is_beside(const char *key, const char *other)
{
    const size_t n = tqd_key_prefix(key);
    return n == tqd_key_prefix(other) && memcmp(key, other, n) == 0;
}

/* The key of a name in the namespace of the key `beside`, into `size` bytes. False: the name has a
 * '/', so there can be none, or the key does not fit. */
static inline bool tqd_key_make(const char *beside, const char *name, char *ret, size_t size)
{
    const size_t n_prefix = tqd_key_prefix(beside);
    const size_t n_name = strlen(name);
    if (strchr(name, '/') != NULL || n_prefix + n_name >= size) {
        return false;
    }
    memcpy(ret, beside, n_prefix);
    memcpy(ret + n_prefix, name, n_name + 1);
    return true;
}

/* True if n bytes may be a namespace: 1 to 32 of A-Z a-z 0-9 . _ -, and no dot first. */
static inline bool tqd_namespace_good(const char *text, size_t n)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return n > 0 && n < TQD_NAMESPACE_TEXT && text[0] != '.' && strspn(text, letters) >= n;
}

#endif
