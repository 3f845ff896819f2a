/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/cache.c - names and parsed robots in memory, for many concurrent readers.
 *
 * A sharded read-write lock: a reader locks only the slot of its thread, a writer all slots in
 * order. Readers on different slots share no cache line, and writes (a PUT, a DELETE, a first use)
 * are rare. */
#include "daemon/robots/cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "daemon/key.h"
#include "daemon/lock.h"

enum {
    BUCKETS = 4096,
    NAMES_COMPARED = 1000, /* by the search for a similar name: it runs on I/O threads */
};

typedef struct slot {
    _Alignas(64) pthread_mutex_t mutex;
} slot;

struct tqd_cache {
    slot slots[TQD_CACHE_SLOTS];
    tqd_named *names[BUCKETS];
    tqd_parsed *parsed[BUCKETS];
    size_t n_name;
    uint64_t n_parsed, parsed_max; /* without the pinned ones */
    uint64_t bytes, bytes_max;
    _Atomic uint64_t tick;
};

static slot *my_slot(tqd_cache *cache)
{
    static _Atomic unsigned next_thread;
    static _Thread_local unsigned thread; /* 0: no number yet */
    if (thread == 0) {
        thread = 1 + atomic_fetch_add(&next_thread, 1) % TQD_CACHE_SLOTS;
    }
    return &cache->slots[thread - 1];
}

static slot *read_lock(tqd_cache *cache)
{
    slot *mine = my_slot(cache);
    pthread_mutex_lock(&mine->mutex);
    return mine;
}

static void read_unlock(slot *mine)
{
    pthread_mutex_unlock(&mine->mutex);
}

static void write_lock(tqd_cache *cache)
{
    for (size_t i = 0; i < TQD_CACHE_SLOTS; i++) {
        pthread_mutex_lock(&cache->slots[i].mutex);
    }
}

static void write_unlock(tqd_cache *cache)
{
    for (size_t i = TQD_CACHE_SLOTS; i-- > 0;) {
        pthread_mutex_unlock(&cache->slots[i].mutex);
    }
}

/* FNV-1a; the number of names is bounded, and so is a chain of deliberate collisions */
static size_t name_bucket(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name != '\0'; name++) {
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    }
    return (size_t)(h >> 32) % BUCKETS;
}

/* a digest is uniformly distributed: its first eight digits are the hash */
static size_t digest_bucket(const char *digest)
{
    uint64_t h;
    memcpy(&h, digest, sizeof h);
    return (size_t)((h * 0x9e3779b97f4a7c15u) >> 32) % BUCKETS;
}

static tqd_named *find_name(const tqd_cache *cache, const char *name)
{
    tqd_named *named = cache->names[name_bucket(name)];
    while (named != NULL && strcmp(named->entry.row.name, name) != 0) {
        named = named->next;
    }
    return named;
}

static tqd_parsed *find_digest(const tqd_cache *cache, const char *digest)
{
    tqd_parsed *parsed = cache->parsed[digest_bucket(digest)];
    while (parsed != NULL &&
           memcmp(tqa_robot_digest(parsed->robot), digest, TQD_DIGEST_TEXT - 1) != 0) {
        parsed = parsed->next;
    }
    return parsed;
}

tqd_cache *tqd_cache_new(uint64_t parsed_max, uint64_t bytes_max)
{
    const size_t size = (sizeof(tqd_cache) + 63) / 64 * 64;
    tqd_cache *cache = aligned_alloc(64, size);
    if (cache == NULL) {
        return NULL;
    }
    memset(cache, 0, size);
    for (size_t i = 0; i < TQD_CACHE_SLOTS; i++) {
        tqd_lock_init(&cache->slots[i].mutex);
    }
    cache->parsed_max = parsed_max;
    cache->bytes_max = bytes_max;
    return cache;
}

void tqd_cache_free(tqd_cache *cache, void (*release)(tqa_robot *robot))
{
    if (cache == NULL) {
        return;
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        while (cache->names[i] != NULL) {
            tqd_named *named = cache->names[i];
            cache->names[i] = named->next;
            free(named);
        }
        while (cache->parsed[i] != NULL) {
            tqd_parsed *parsed = cache->parsed[i];
            cache->parsed[i] = parsed->next;
            release(parsed->robot);
            free(parsed);
        }
    }
    for (size_t i = 0; i < TQD_CACHE_SLOTS; i++) {
        pthread_mutex_destroy(&cache->slots[i].mutex);
    }
    free(cache);
}

/* ----------------------------------------------------------------------------------- readers */

bool tqd_cache_row(tqd_cache *cache, const char *name, tqd_registry_row *ret_row)
{
    slot *mine = read_lock(cache);
    const tqd_named *named = find_name(cache, name);
    if (named != NULL) {
        *ret_row = named->entry;
    }
    read_unlock(mine);
    return named != NULL;
}

/* takes a reference, with the lock of this slot, which guards the counter */
static const tqa_robot *hold(tqd_cache *cache, const slot *mine, tqd_parsed *parsed)
{
    parsed->held[mine - cache->slots].n++;
    const uint64_t now = atomic_load_explicit(&cache->tick, memory_order_relaxed);
    if (atomic_load_explicit(&parsed->used, memory_order_relaxed) != now) {
        atomic_store_explicit(&parsed->used, now, memory_order_relaxed);
    }
    return parsed->robot;
}

tqd_robot_found tqd_cache_hold_name(tqd_cache *cache, const char *name, const tqa_robot **ret_robot)
{
    tqd_robot_found found = TQD_ROBOT_NONE;
    slot *mine = read_lock(cache);
    const tqd_named *named = find_name(cache, name);
    if (named != NULL) {
        tqd_parsed *parsed = find_digest(cache, named->entry.row.digest);
        found = parsed != NULL ? TQD_ROBOT_READY : TQD_ROBOT_COLD;
        if (parsed != NULL) {
            *ret_robot = hold(cache, mine, parsed);
        }
    }
    read_unlock(mine);
    return found;
}

const tqa_robot *tqd_cache_hold_digest(tqd_cache *cache, const char *digest)
{
    slot *mine = read_lock(cache);
    tqd_parsed *parsed = find_digest(cache, digest);
    const tqa_robot *robot = parsed != NULL ? hold(cache, mine, parsed) : NULL;
    read_unlock(mine);
    return robot;
}

void tqd_cache_drop(tqd_cache *cache, const tqa_robot *robot)
{
    slot *mine = read_lock(cache);
    tqd_parsed *parsed = find_digest(cache, tqa_robot_digest(robot));
    if (parsed != NULL) { /* always: the caller held a reference */
        /* a thread of another slot may have taken it: only the sum of all counters is meaningful */
        parsed->held[mine - cache->slots].n--;
    }
    read_unlock(mine);
}

bool tqd_cache_nearest(tqd_cache *cache, const char *key, char ret_name[TQD_NAME_TEXT])
{
    tqa_nearest nearest;
    const char *name = tqd_key_name(key);
    tqa_nearest_init(&nearest, name, strlen(name));
    slot *mine = read_lock(cache);
    size_t n = 0;
    for (size_t i = 0; i < BUCKETS && n < NAMES_COMPARED; i++) {
        for (const tqd_named *named = cache->names[i]; named != NULL && n < NAMES_COMPARED;
             named = named->next, n++) {
            const char *other = named->entry.row.name;
            if (named->entry.builtin || tqd_key_is_beside(other, key)) {
                tqa_nearest_offer(&nearest, tqd_key_name(other));
            }
        }
    }
    if (nearest.best != NULL) {
        memcpy(ret_name, nearest.best, strlen(nearest.best) + 1);
    }
    read_unlock(mine);
    return nearest.best != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tqd_registry_row *)a)->row.name, ((const tqd_registry_row *)b)->row.name);
}

tqd_registry_row *tqd_cache_list(tqd_cache *cache, size_t *ret_n)
{
    slot *mine = read_lock(cache);
    const size_t n = cache->n_name;
    tqd_registry_row *rows = malloc((n + 1) * sizeof *rows);
    size_t k = 0;
    for (size_t i = 0; rows != NULL && i < BUCKETS; i++) {
        for (const tqd_named *named = cache->names[i]; named != NULL; named = named->next) {
            rows[k++] = named->entry;
        }
    }
    read_unlock(mine);
    if (rows != NULL) {
        qsort(rows, k, sizeof *rows, by_name);
        *ret_n = k;
    }
    return rows;
}

bool tqd_cache_half_empty(tqd_cache *cache)
{
    slot *mine = read_lock(cache);
    const bool half =
        cache->n_parsed < cache->parsed_max / 2 && cache->bytes < cache->bytes_max / 2;
    read_unlock(mine);
    return half;
}

/* ----------------------------------------------------------------------------------- writers */

static bool is_held(const tqd_parsed *parsed)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < TQD_CACHE_SLOTS; i++) {
        sum += parsed->held[i].n;
    }
    return sum != 0;
}

/* removes the least recently used parsed robot without references; NULL: all are in use */
static tqd_parsed *evict_least_recent(tqd_cache *cache)
{
    tqd_parsed **idlest = NULL;
    for (size_t i = 0; i < BUCKETS; i++) {
        for (tqd_parsed **p = &cache->parsed[i]; *p != NULL; p = &(*p)->next) {
            if (!(*p)->pinned && !is_held(*p) && (idlest == NULL || (*p)->used < (*idlest)->used)) {
                idlest = p;
            }
        }
    }
    if (idlest == NULL) {
        return NULL;
    }
    tqd_parsed *parsed = *idlest;
    *idlest = parsed->next;
    cache->n_parsed--;
    cache->bytes -= parsed->cost;
    return parsed;
}

const tqa_robot *tqd_cache_insert(tqd_cache *cache, tqd_parsed *parsed, tqd_parsed **ret_spare)
{
    *ret_spare = NULL;
    write_lock(cache);
    atomic_fetch_add(&cache->tick, 1);
    tqd_parsed *stays = find_digest(cache, tqa_robot_digest(parsed->robot));
    if (stays != NULL) {
        parsed->next = NULL;
        *ret_spare = parsed;
    } else {
        stays = parsed;
        tqd_parsed **bucket = &cache->parsed[digest_bucket(tqa_robot_digest(parsed->robot))];
        parsed->next = *bucket;
        *bucket = parsed;
        if (!parsed->pinned) {
            cache->n_parsed++;
            cache->bytes += parsed->cost;
        }
    }
    const tqa_robot *robot = hold(cache, my_slot(cache), stays);
    while (cache->n_parsed > cache->parsed_max || cache->bytes > cache->bytes_max) {
        tqd_parsed *idlest = evict_least_recent(cache);
        if (idlest == NULL) {
            break; /* all robots are in use: the bound is enforced again later */
        }
        idlest->next = *ret_spare;
        *ret_spare = idlest;
    }
    write_unlock(cache);
    return robot;
}

void tqd_cache_name(tqd_cache *cache, tqd_named *named)
{
    write_lock(cache);
    tqd_named *present = find_name(cache, named->entry.row.name);
    if (present != NULL) {
        present->entry = named->entry;
    } else {
        tqd_named **bucket = &cache->names[name_bucket(named->entry.row.name)];
        named->next = *bucket;
        *bucket = named;
        named = NULL;
        cache->n_name++;
    }
    write_unlock(cache);
    free(named);
}

void tqd_cache_forget(tqd_cache *cache, const char *name)
{
    tqd_named *gone = NULL;
    write_lock(cache);
    tqd_named **link = &cache->names[name_bucket(name)];
    while (*link != NULL && strcmp((*link)->entry.row.name, name) != 0) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        gone = *link;
        *link = gone->next;
        cache->n_name--;
    }
    write_unlock(cache);
    free(gone);
}
