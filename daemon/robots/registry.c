/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/registry.c - keeps the cache of robots consistent with the store. */
#include "daemon/robots/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/key.h"
#include "daemon/robots/cache.h"
#include "daemon/robots/pending.h"
#include "daemon/store/problem.h"

enum { LOADERS = 16 };
static const uint64_t robots_max_default = 10000;
static const uint64_t stored_bytes_default = (uint64_t)4 << 30;
static const uint64_t parsed_max_default = 1024;
static const uint64_t parsed_bytes_default = (uint64_t)256 << 20;

struct tqd_registry {
    tqd_registry_options options;
    tqd_cache *cache;
    tqd_robot_row *builtins; /* index: the parser's number */
    pthread_mutex_t
        changing; /* serialises changes of names, n_change and pending; a leaf except for the cache's
                          lock */
    uint64_t n_change;                /* commits of this process that the cache has followed */
    tqd_pending *pending;             /* changes that it has not followed yet */
    pthread_mutex_t loading[LOADERS]; /* by digest: concurrent users wait for one parse */
};

const tqd_robot_parser *tqd_registry_parser(const tqd_registry *registry)
{
    return registry->options.parser;
}

bool tqd_robot_name_good(const char *key)
{
    const char *name = tqd_key_name(key);
    const size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-");
    return n >= 1 && strlen(key) < TQD_NAME_TEXT && name[n] == '\0' && name[0] != '.';
}

/* ------------------------------------------------------------------------------- life cycle */

/* estimate: a parsed robot takes a small multiple of its text */
static uint64_t estimate_cost(size_t n_byte)
{
    return 16384 + 8 * (uint64_t)n_byte;
}

static void free_spares(const tqd_registry *registry, tqd_parsed *spare)
{
    while (spare != NULL) {
        tqd_parsed *next = spare->next;
        registry->options.parser->release(spare->robot);
        free(spare);
        spare = next;
    }
}

static void set_row(tqd_robot_row *row, const char *name, const tqa_robot *robot, size_t n_byte)
{
    memset(row, 0, sizeof *row);
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->digest, sizeof row->digest, "%s", tqa_robot_digest(robot));
    snprintf(row->source, sizeof row->source, "%s", tqa_robot_source(robot));
    snprintf(row->media, sizeof row->media, "%s",
             strcmp(tqa_robot_source(robot), "document") == 0 ? "application/json"
                                                              : "application/xml");
    row->nv = tqa_robot_nv(robot);
    row->size = n_byte;
}

/* inserts a robot into the cache, with a reference; takes ownership, NULL: out of memory */
static const tqa_robot *insert(tqd_registry *registry, tqa_robot *robot, size_t n_byte, bool pinned)
{
    tqd_parsed *parsed = calloc(1, sizeof *parsed);
    if (parsed == NULL) {
        registry->options.parser->release(robot);
        return NULL;
    }
    parsed->robot = robot;
    parsed->cost = estimate_cost(n_byte);
    parsed->pinned = pinned;
    tqd_parsed *spare = NULL;
    const tqa_robot *held = tqd_cache_insert(registry->cache, parsed, &spare);
    free_spares(registry, spare);
    return held;
}

static bool add_builtin(tqd_registry *registry, size_t i, char *why)
{
    const tqd_robot_parser *parser = registry->options.parser;
    size_t n = 0;
    tqa_media media = TQA_MEDIA_NONE;
    const char *name = parser->builtin_name(i);
    const char *bytes = parser->builtin_bytes(i, &n, &media);
    tqa_problem problem = {.status = 0};
    tqa_robot *robot = parser->parse(media, bytes, n, &problem);
    if (robot == NULL) {
        snprintf(why, TQD_STORE_WHY, "built-in robot %s: %.150s", name, problem.detail);
        return false;
    }
    tqd_named *named = calloc(1, sizeof *named);
    const tqa_robot *held = insert(registry, robot, n, true);
    if (named == NULL || held == NULL) {
        free(named);
        snprintf(why, TQD_STORE_WHY, "memory is short");
        return false;
    }
    set_row(&named->entry.row, name, held, n);
    named->entry.builtin = true;
    registry->builtins[i] = named->entry.row;
    tqd_cache_name(registry->cache, named);
    tqd_cache_drop(registry->cache, held);
    return true;
}

static bool add_stored(tqd_registry *registry, const tqd_robot_row *row)
{
    tqd_named *named = calloc(1, sizeof *named);
    if (named == NULL) {
        return false;
    }
    named->entry.row = *row;
    tqd_cache_name(registry->cache, named);
    return true;
}

typedef struct stored_names {
    tqd_registry *registry;
    bool is_short; /* out of memory: names are missing */
} stored_names;

static int add_first(void *ctx, const tqd_robot_row *row)
{
    stored_names *names = ctx;
    names->is_short = !add_stored(names->registry, row);
    return names->is_short;
}

static bool read_stored(tqd_registry *registry, char *why)
{
    stored_names names = {.registry = registry};
    tqd_store_status status = tqd_store_robots(registry->options.store, add_first, &names);
    status = status == TQD_STORE_OK && names.is_short ? TQD_STORE_NO_MEMORY : status;
    if (status != TQD_STORE_OK) {
        snprintf(why, TQD_STORE_WHY, "reading the robots: %s", tqd_store_status_text(status));
    }
    return status == TQD_STORE_OK;
}

tqd_registry *tqd_registry_new(const tqd_registry_options *options, char *why)
{
    tqd_registry *registry = calloc(1, sizeof *registry);
    if (registry == NULL) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
        return NULL;
    }
    tqd_registry_options *o = &registry->options;
    *o = *options;
    o->robots_max = o->robots_max != 0 ? o->robots_max : robots_max_default;
    o->stored_bytes_max = o->stored_bytes_max != 0 ? o->stored_bytes_max : stored_bytes_default;
    o->parsed_max = o->parsed_max != 0 ? o->parsed_max : parsed_max_default;
    o->parsed_bytes_max = o->parsed_bytes_max != 0 ? o->parsed_bytes_max : parsed_bytes_default;
    pthread_mutex_init(&registry->changing, NULL);
    for (size_t i = 0; i < LOADERS; i++) {
        pthread_mutex_init(&registry->loading[i], NULL);
    }
    registry->cache = tqd_cache_new(o->parsed_max, o->parsed_bytes_max);
    registry->builtins = calloc(o->parser->builtin_count() + 1, sizeof *registry->builtins);
    bool good = registry->cache != NULL && registry->builtins != NULL;
    if (!good) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
    }
    for (size_t i = 0; good && i < o->parser->builtin_count(); i++) {
        good = add_builtin(registry, i, why);
    }
    if (!good || !read_stored(registry, why)) {
        tqd_registry_free(registry);
        return NULL;
    }
    return registry;
}

void tqd_registry_free(tqd_registry *registry)
{
    if (registry == NULL) {
        return;
    }
    tqd_cache_free(registry->cache, registry->options.parser->release);
    pthread_mutex_destroy(&registry->changing);
    for (size_t i = 0; i < LOADERS; i++) {
        pthread_mutex_destroy(&registry->loading[i]);
    }
    free(registry->builtins);
    free(registry);
}

/* A built-in robot is in every namespace: the key under which the cache has it. */
static const char *known_key(tqd_registry *registry, const char *key)
{
    const char *name = tqd_key_name(key);
    tqd_registry_row row;
    return name != key && !tqd_cache_row(registry->cache, key, &row) &&
                   tqd_cache_row(registry->cache, name, &row) && row.builtin
               ? name
               : key;
}

const tqd_robot_row *tqd_registry_builtin(tqd_registry *registry, const char *name,
                                          const char **ret_bytes)
{
    const tqd_robot_parser *parser = registry->options.parser;
    tqd_registry_row row;
    name = known_key(registry, name);
    if (!tqd_cache_row(registry->cache, name, &row) || !row.builtin) {
        return NULL; /* a stored robot may shadow a built-in one */
    }
    for (size_t i = 0; i < parser->builtin_count(); i++) {
        if (strcmp(registry->builtins[i].name, name) == 0) {
            size_t n = 0;
            tqa_media media = TQA_MEDIA_NONE;
            *ret_bytes = parser->builtin_bytes(i, &n, &media);
            return &registry->builtins[i];
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------ reading */

typedef struct reference {
    char name[TQD_NAME_TEXT];
    const char *digest; /* inside the caller's text; NULL: the current version */
} reference;

/* splits "name@digest"; false: not a valid name */
static bool split(const char *text, reference *ret)
{
    const char *at = strchr(text, '@');
    const size_t n = at != NULL ? (size_t)(at - text) : strlen(text);
    if (n == 0 || n >= sizeof ret->name) {
        return false;
    }
    memcpy(ret->name, text, n);
    ret->name[n] = '\0';
    ret->digest = at != NULL ? at + 1 : NULL;
    return ret->digest == NULL || strlen(ret->digest) == TQD_DIGEST_TEXT - 1;
}

tqd_robot_found tqd_registry_peek(tqd_registry *registry, const char *name,
                                  const tqa_robot **ret_robot)
{
    reference ref;
    if (!split(name, &ref)) {
        return TQD_ROBOT_NONE;
    }
    const tqd_robot_found found =
        tqd_cache_hold_name(registry->cache, known_key(registry, ref.name), ret_robot);
    if (ref.digest == NULL) {
        const bool may_be_news =
            found == TQD_ROBOT_NONE && tqd_store_is_shared(registry->options.store);
        return may_be_news ? TQD_ROBOT_COLD : found;
    }
    if (found == TQD_ROBOT_READY) {
        if (strcmp(tqa_robot_digest(*ret_robot), ref.digest) == 0) {
            return TQD_ROBOT_READY;
        }
        tqd_cache_drop(registry->cache, *ret_robot);
        *ret_robot = NULL;
    }
    return TQD_ROBOT_COLD; /* former versions are in the store only */
}

void tqd_registry_release(tqd_registry *registry, const tqa_robot *robot)
{
    if (robot != NULL) {
        tqd_cache_drop(registry->cache, robot);
    }
}

static tqa_media media_of(const tqd_robot_row *row)
{
    return strcmp(row->media, "application/json") == 0 ? TQA_MEDIA_JSON : TQA_MEDIA_XML;
}

void tqd_registry_unknown(tqd_registry *registry, const char *key, tqa_problem *ret)
{
    char nearest[TQD_NAME_TEXT];
    const char *name = tqd_key_name(key);
    if (tqd_cache_nearest(registry->cache, key, nearest)) {
        tqa_problem_set(ret, "unknown-robot",
                        "there is no robot \"%.128s\": did you mean \"%.64s\"?", name, nearest);
    } else {
        tqa_problem_set(ret, "unknown-robot",
                        "there is no robot \"%.128s\": GET /v1/robots lists them", name);
    }
}

static const tqa_robot *load(tqd_registry *registry, const reference *ref, tqa_problem *reterr)
{
    tqd_robot_row row;
    char *bytes = NULL;
    const tqd_store_status status =
        tqd_store_robot(registry->options.store, ref->name, ref->digest, &row, &bytes);
    if (status == TQD_STORE_NOT_FOUND) {
        if (ref->digest == NULL) {
            tqd_registry_unknown(registry, ref->name, reterr);
        } else {
            tqa_problem_set(reterr, "unknown-robot", "there is no robot \"%s\" with this digest",
                            tqd_key_name(ref->name));
        }
        return NULL;
    }
    if (status != TQD_STORE_OK) {
        tqd_store_problem(status, reterr);
        return NULL;
    }
    const tqa_robot *held = tqd_cache_hold_digest(registry->cache, row.digest);
    if (held == NULL) {
        tqa_robot *robot =
            registry->options.parser->parse(media_of(&row), bytes, (size_t)row.size, reterr);
        if (robot != NULL) {
            held = insert(registry, robot, (size_t)row.size, false);
            if (held == NULL) {
                tqd_store_problem(TQD_STORE_NO_MEMORY, reterr);
            }
        }
    }
    free(bytes);
    return held;
}

const tqa_robot *tqd_registry_get(tqd_registry *registry, const char *name, tqa_problem *reterr)
{
    reference ref;
    if (!split(name, &ref)) {
        tqa_problem_set(reterr, "unknown-robot", "this cannot be the name of a robot");
        return NULL;
    }
    const tqa_robot *robot = NULL;
    tqd_robot_found found = tqd_registry_peek(registry, name, &robot);
    if (found == TQD_ROBOT_COLD) {
        size_t h = 0;
        for (const char *c = ref.name; *c != '\0'; c++) {
            h = h * 31 + (unsigned char)*c;
        }
        pthread_mutex_t *mutex = &registry->loading[h % LOADERS];
        pthread_mutex_lock(mutex);
        found = tqd_registry_peek(registry, name, &robot);
        if (found != TQD_ROBOT_READY) {
            robot = load(registry, &ref, reterr);
        }
        pthread_mutex_unlock(mutex);
        return robot;
    }
    if (found == TQD_ROBOT_NONE) {
        tqd_registry_unknown(registry, ref.name, reterr);
    }
    return robot;
}

void tqd_registry_warm(tqd_registry *registry)
{
    size_t n = 0;
    tqd_registry_row *rows = tqd_cache_list(registry->cache, &n);
    tqa_problem ignored;
    for (size_t i = 0; rows != NULL && i < n && tqd_cache_half_empty(registry->cache); i++) {
        tqd_registry_release(registry, tqd_registry_get(registry, rows[i].row.name, &ignored));
    }
    free(rows);
}

tqd_registry_row *tqd_registry_list(tqd_registry *registry, size_t *ret_n)
{
    return tqd_cache_list(registry->cache, ret_n);
}

bool tqd_registry_find(tqd_registry *registry, const char *name, tqd_registry_row *ret_row)
{
    return tqd_cache_row(registry->cache, known_key(registry, name), ret_row);
}

/* ----------------------------------------------------------------------------------- changing */

static tqd_store_status commit(tqd_registry *registry, tqd_pending *change, tqd_write *write)
{
    pthread_mutex_lock(&registry->changing);
    tqd_pending_add(&registry->pending, change);
    pthread_mutex_unlock(&registry->changing);
    const tqd_store_status status = tqd_store_write(registry->options.store, write);
    pthread_mutex_lock(&registry->changing);
    tqd_pending_drop(&registry->pending, change); /* it has failed */
    pthread_mutex_unlock(&registry->changing);
    return status;
}

/* a change being committed; the cache follows in the order of the commits */
typedef struct put_change {
    tqd_robot_put put;
    tqd_pending pending;
    tqd_registry *registry;
    tqd_named *named; /* ownership passes to the cache */
} put_change;

static void follow_put(tqd_write *write)
{
    put_change *change = (put_change *)write;
    pthread_mutex_lock(&change->registry->changing);
    change->registry->n_change++;
    tqd_pending_drop(&change->registry->pending, &change->pending);
    memcpy(change->named->entry.row.owner, change->put.owner, sizeof change->put.owner);
    tqd_cache_name(change->registry->cache, change->named);
    pthread_mutex_unlock(&change->registry->changing);
    change->named = NULL;
}

typedef struct delete_change {
    tqd_robot_delete delete;
    tqd_pending pending;
    tqd_registry *registry;
} delete_change;

static void follow_delete(tqd_write *write)
{
    const delete_change *change = (const delete_change *)write;
    pthread_mutex_lock(&change->registry->changing);
    change->registry->n_change++;
    tqd_pending_drop(&change->registry->pending, &change->pending);
    tqd_cache_forget(change->registry->cache, change->delete.name);
    pthread_mutex_unlock(&change->registry->changing);
}

/* the names that the store has, by name */
typedef struct name_list {
    tqd_robot_row *rows;
    size_t n, size;
    bool is_short; /* out of memory: names are missing */
} name_list;

static int add_name(void *ctx, const tqd_robot_row *row)
{
    name_list *list = ctx;
    if (list->n == list->size) {
        const size_t size = list->size != 0 ? 2 * list->size : 64;
        tqd_robot_row *rows = realloc(list->rows, size * sizeof *rows);
        if (rows == NULL) {
            list->is_short = true;
            return 1;
        }
        list->rows = rows;
        list->size = size;
    }
    list->rows[list->n++] = *row;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tqd_robot_row *)a)->name, ((const tqd_robot_row *)b)->name);
}

/* All names but those of pending changes. Requires `changing`; false: memory is short. */
static bool take_over(tqd_registry *registry, const name_list *stored)
{
    size_t n = 0;
    tqd_registry_row *known = tqd_cache_list(registry->cache, &n);
    bool good = known != NULL;
    for (size_t i = 0; good && i < n; i++) {
        if (!known[i].builtin && !tqd_pending_has(registry->pending, known[i].row.name) &&
            (stored->n == 0 || bsearch(&known[i].row, stored->rows, stored->n, sizeof *stored->rows,
                                       by_name) == NULL)) {
            tqd_cache_forget(registry->cache, known[i].row.name);
        }
    }
    free(known);
    for (size_t i = 0; i < stored->n; i++) {
        const tqd_robot_row *now = &stored->rows[i];
        tqd_registry_row row;
        if ((!tqd_cache_row(registry->cache, now->name, &row) ||
             strcmp(row.row.digest, now->digest) != 0 || strcmp(row.row.owner, now->owner) != 0) &&
            !tqd_pending_has(registry->pending, now->name)) {
            good = add_stored(registry, now) && good;
        }
    }
    return good;
}

bool tqd_registry_follow(tqd_registry *registry)
{
    bool over = false;
    bool good = false;
    while (!over) {
        name_list stored = {.n = 0};
        pthread_mutex_lock(&registry->changing);
        const uint64_t n_change = registry->n_change;
        pthread_mutex_unlock(&registry->changing);
        over = tqd_store_robots(registry->options.store, add_name, &stored) != TQD_STORE_OK ||
               stored.is_short;
        pthread_mutex_lock(&registry->changing);
        if (!over && n_change == registry->n_change) {
            good = take_over(registry, &stored) && registry->pending == NULL;
            over = true;
        }
        pthread_mutex_unlock(&registry->changing);
        free(stored.rows);
    }
    return good;
}

static bool refuse_builtin(tqd_registry *registry, const char *name, tqa_problem *reterr)
{
    tqd_registry_row row;
    if (!tqd_registry_find(registry, name, &row) || !row.builtin) {
        return false;
    }
    tqa_problem_set(reterr, "read-only", "\"%s\" is built in: choose another name",
                    tqd_key_name(name));
    return true;
}

/* NOLINTNEXTLINE(readability-function-size): one parameter above the rule */
bool tqd_registry_put(tqd_registry *registry, const char *name, tqa_robot *robot, const char *bytes,
                      size_t n, const tqd_condition *condition, const tqa_robot **ret_robot,
                      bool *ret_created, tqa_problem *reterr)
{
    if (refuse_builtin(registry, name, reterr)) {
        registry->options.parser->release(robot);
        return false;
    }
    tqd_named *named = calloc(1, sizeof *named);
    const tqa_robot *held = insert(registry, robot, n, false);
    if (named == NULL || held == NULL) {
        free(named);
        tqd_registry_release(registry, held);
        tqd_store_problem(TQD_STORE_NO_MEMORY, reterr);
        return false;
    }
    set_row(&named->entry.row, name, held, n);
    if (condition->owner != NULL) {
        snprintf(named->entry.row.owner, sizeof named->entry.row.owner, "%s", condition->owner);
    }
    const tqd_robot_row row = named->entry.row;
    put_change change = {.put = {.write = {.kind = TQD_WRITE_ROBOT_PUT, .committed = follow_put},
                                 .row = &row,
                                 .by = condition->by,
                                 .bytes = bytes,
                                 .n_byte = n,
                                 .if_match = condition->if_match,
                                 .if_none_match = condition->if_none_match,
                                 .robots_max = registry->options.robots_max,
                                 .bytes_max = registry->options.stored_bytes_max},
                         .pending = {.name = row.name},
                         .registry = registry,
                         .named = named};
    const tqd_store_status status = commit(registry, &change.pending, &change.put.write);
    free(change.named);
    if (status != TQD_STORE_OK) {
        tqd_registry_release(registry, held);
        if (status == TQD_STORE_OWNED) {
            tqd_store_owned("robot", tqd_key_name(name), change.put.owner, reterr);
        } else {
            tqd_store_problem(status, reterr);
        }
        return false;
    }
    *ret_robot = held;
    *ret_created = change.put.created;
    return true;
}

bool tqd_registry_delete(tqd_registry *registry, const char *name, const tqd_condition *condition,
                         tqa_problem *reterr)
{
    if (refuse_builtin(registry, name, reterr)) {
        return false;
    }
    delete_change change = {
        .delete = {.write = {.kind = TQD_WRITE_ROBOT_DELETE, .committed = follow_delete},
                   .name = name,
                   .by = condition->by,
                   .if_match = condition->if_match},
        .pending = {.name = name},
        .registry = registry};
    const tqd_store_status status = commit(registry, &change.pending, &change.delete.write);
    if (status == TQD_STORE_NOT_FOUND) {
        tqd_registry_unknown(registry, name, reterr);
    } else if (status == TQD_STORE_OWNED) {
        tqd_store_owned("robot", tqd_key_name(name), change.delete.owner, reterr);
    } else if (status != TQD_STORE_OK) {
        tqd_store_problem(status, reterr);
    }
    return status == TQD_STORE_OK;
}
