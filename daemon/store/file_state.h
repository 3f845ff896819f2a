/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_state.h - the folder of content-addressed files: paths, pins, counts; private
 * to this folder. */
#ifndef TQD_STORE_FILE_STATE_H
#define TQD_STORE_FILE_STATE_H

#include <limits.h>
#include <pthread.h>

#include "daemon/store/types.h"

/* Protects a file from collection while its upload is open, with or without a row. */
typedef struct tqd_pin {
    char digest[TQD_DIGEST_TEXT];
    struct tqd_pin *next;
} tqd_pin;

#define TQD_SUMS_FOLDER         "sums"  /* checksums of chunks, see sums.h */
#define TQD_SCRATCH_FILE_FOLDER "aside" /* see scratch_file.h */

typedef struct tqd_damage tqd_damage;

typedef struct tqd_file_set {
    char folder[PATH_MAX - 128]; /* <state>/files */
    uint64_t bytes_max;          /* 0: no bound */
    /* of a store shared by nodes: the bound of all its files, and the bound of this folder, a cache
     * of them (bytes_max is then 0) */
    uint64_t shared_bytes_max, cache_bytes_max;
    _Atomic uint64_t bytes;
    _Atomic uint64_t n_lost; /* in files/lost: not counted in `bytes` */
    _Atomic uint64_t n_damaged;
    bool is_empty;         /* the folder had no file when it was opened */
    pthread_mutex_t mutex; /* guards the pins; held while a file is checked and removed */
    tqd_pin *pins;
    pthread_mutex_t damage_mutex; /* a leaf lock: guards the two following members */
    struct tqd_damage *damages;
    size_t n_known;
    void (*notice)(void *ctx, tqd_notice notice, const char *what, const char *detail);
    void *notice_ctx;
    unsigned n_hold; /* backups that run: no file is removed */
} tqd_file_set;

tqd_file_set *tqd_store_file_set(tqd_store *store);
void tqd_file_set_pin(tqd_file_set *set, tqd_pin *pin);
void tqd_file_set_unpin(tqd_file_set *set, tqd_pin *pin);

/* 64 hexadecimal digits, lower case: nothing else may become part of a path (traversal). */
bool tqd_file_digest_good(const char *digest);
void tqd_file_set_path(const tqd_file_set *set, const char *digest, char path[PATH_MAX]);

/* From hold to release no complete file is removed. */
void tqd_file_set_hold(tqd_file_set *set);
void tqd_file_set_release(tqd_file_set *set);

#endif
