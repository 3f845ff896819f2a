/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_set.h - the folder of content-addressed files: garbage collection; private to
 * this folder. */
#ifndef TQD_STORE_FILE_SET_H
#define TQD_STORE_FILE_SET_H

#include <limits.h>
#include <pthread.h>

#include "daemon/store/engine.h"

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
    _Atomic uint64_t bytes;
    _Atomic uint64_t n_lost; /* in files/lost: not counted in `bytes` */
    _Atomic uint64_t n_damaged;
    bool is_empty;         /* it had no file when it was opened */
    pthread_mutex_t mutex; /* guards the pins; held while a file is checked and removed */
    tqd_pin *pins;
    pthread_mutex_t damage_mutex; /* a leaf lock: guards the two that follow */
    struct tqd_damage *damages;
    size_t n_known;
    void (*notice)(void *ctx, tqd_notice notice, const char *what, const char *detail);
    void *notice_ctx;
    unsigned n_hold; /* backups that run: no file is removed */
} tqd_file_set;

/* Creates the folders, removes incomplete uploads of a former process, and counts the rest. */
bool tqd_file_set_open(tqd_file_set *set, const tqd_store_options *options, char *why);
void tqd_file_set_close(tqd_file_set *set);

tqd_file_set *tqd_store_file_set(tqd_store *store);
tqd_store_status tqd_store_garbage(tqd_store *store, uint32_t limit, tqd_garbage *ret,
                                   uint32_t *ret_n);
tqd_store_status tqd_store_references(tqd_store *store, const char *snapshot,
                                      bool (*each)(void *ctx, const char *digest, uint64_t size),
                                      void *ctx);
bool tqd_store_file_used(tqd_store *store, const char *digest);
bool tqd_store_file_find(tqd_store *store, const char *digest);
void tqd_file_set_pin(tqd_file_set *set, tqd_pin *pin);
void tqd_file_set_unpin(tqd_file_set *set, tqd_pin *pin);

/* 64 hexadecimal digits, lower case: nothing else may become part of a path (traversal). */
bool tqd_file_digest_good(const char *digest);
void tqd_file_set_path(const tqd_file_set *set, const char *digest, char path[PATH_MAX]);

/* From hold to release no complete file is removed. */
void tqd_file_set_hold(tqd_file_set *set);
void tqd_file_set_release(tqd_file_set *set);

/* Removes a file without references. False when references could not be read now. */
bool tqd_file_set_collect(tqd_file_set *set, tqd_engine *engine, const char *digest);
/* Moves unreferenced files whose digest begins with this byte to files/lost, and referenced ones
 * back. */
tqd_store_status tqd_file_set_sweep(tqd_file_set *set, tqd_engine *engine, unsigned shelf,
                                    uint64_t *ret_moved);
/* Moves a missing file back from files/lost if a row refers to it. */
bool tqd_file_set_find(tqd_file_set *set, tqd_engine *engine, const char *digest);

#endif
