/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/cache.h - names and parsed robots in memory, for many concurrent readers. */
#ifndef TQD_ROBOTS_CACHE_H
#define TQD_ROBOTS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/robot.h"
#include "daemon/robots/row.h"

/* Shards of the lock; a thread's number selects its shard. */
enum { TQD_CACHE_SLOTS = 16 };

/* A robot, parsed once for all its names. Never moves; freed when it has no references and the
 * cache is full. */
typedef struct tqd_parsed {
    tqa_robot *robot;
    uint64_t cost; /* estimated bytes */
    /* Reference counter, one for each slot: the sum modulo 2^32 is the number of references. Each
     * has a cache line of its own; a shared counter would move between cores twice in every
     * request. */
    struct {
        uint32_t n;
        uint32_t apart[15];
    } held[TQD_CACHE_SLOTS];
    _Atomic uint64_t used; /* tick of the last use */
    bool pinned;           /* built in */
    struct tqd_parsed *next;
} tqd_parsed;

/* A name and its current version. */
typedef struct tqd_named {
    tqd_registry_row entry;
    struct tqd_named *next;
} tqd_named;

typedef struct tqd_cache tqd_cache;

tqd_cache *tqd_cache_new(uint64_t parsed_max, uint64_t bytes_max);
void tqd_cache_free(tqd_cache *cache, void (*release)(tqa_robot *robot));

/* Copies the row of a name. False: no such name. */
bool tqd_cache_row(tqd_cache *cache, const char *name, tqd_registry_row *ret_row);

/* The current version of a name, with a reference: NONE, READY or COLD. */
tqd_robot_found tqd_cache_hold_name(tqd_cache *cache, const char *name,
                                    const tqa_robot **ret_robot);

/* A version by digest, with a reference; NULL: not in the cache. */
const tqa_robot *tqd_cache_hold_digest(tqd_cache *cache, const char *digest);
void tqd_cache_drop(tqd_cache *cache, const tqa_robot *robot);

/* Copies the name of a key similar to an unknown one of the same namespace, or of a built-in robot,
 * out of NAMES_COMPARED; false: none is similar. Allocates nothing. */
bool tqd_cache_nearest(tqd_cache *cache, const char *key, char ret_name[TQD_NAME_TEXT]);

tqd_registry_row *tqd_cache_list(tqd_cache *cache, size_t *ret_n);

/* True while another robot of any size would evict none. */
bool tqd_cache_half_empty(tqd_cache *cache);

/* Writers; both structs are malloc'ed by the caller and taken over.
 * insert: adds the parsed robot unless its digest is present, takes a reference to the one in the
 * cache, and returns it; *ret_spare must be freed by the caller (linked by next).
 * name: sets the row of a name. forget: removes a name. */
const tqa_robot *tqd_cache_insert(tqd_cache *cache, tqd_parsed *parsed, tqd_parsed **ret_spare);
void tqd_cache_name(tqd_cache *cache, tqd_named *named);
void tqd_cache_forget(tqd_cache *cache, const char *name);

#endif
