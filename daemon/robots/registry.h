/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/registry.h - the robots by name, and a bounded cache of parsed ones by digest. */
#ifndef TQD_ROBOTS_REGISTRY_H
#define TQD_ROBOTS_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/robot.h"
#include "daemon/robots/row.h"
#include "daemon/store/store.h"

/* The parts of api/robot.h that the registry uses; tests replace them. */
typedef struct tqd_robot_parser {
    tqa_robot *(*parse)(tqa_media media, const char *bytes, size_t n, tqa_problem *reterr);
    void (*release)(tqa_robot *robot);
    char *(*report)(const tqa_robot *robot, const char *name, size_t *ret_n);
    char *(*print)(const tqa_robot *robot, tqa_robot_form form, const char *name, size_t *ret_n,
                   tqa_problem *reterr);
    char *(*patch)(const tqa_robot *robot, const char *name, const char *patch, size_t n,
                   const tqa_robot_others *others, size_t *ret_n, tqa_problem *reterr);
    size_t (*builtin_count)(void);
    const char *(*builtin_name)(size_t i);
    const char *(*builtin_bytes)(size_t i, size_t *ret_n, tqa_media *ret_media);
} tqd_robot_parser;
extern const tqd_robot_parser tqd_robot_parser_api;

typedef struct tqd_registry_options {
    tqd_store *store;
    const tqd_robot_parser *parser; /* &tqd_robot_parser_api */
    uint64_t robots_max;            /* names; 0: 10,000 */
    uint64_t stored_bytes_max;      /* of all versions in the store; 0: 4 GiB */
    uint64_t parsed_max;            /* parsed robots kept without references; 0: 1,024 */
    uint64_t parsed_bytes_max;      /* the same as estimated memory; 0: 256 MiB */
} tqd_registry_options;

typedef struct tqd_registry tqd_registry;

/* Parses the built-in robots and reads the names of the stored ones, which are parsed at their
 * first use. A stored robot shadows a built-in one of the same name, which can happen only when a
 * release adds one. NULL with one line in `why` (TQD_STORE_WHY). */
tqd_registry *tqd_registry_new(const tqd_registry_options *options, char *why);
void tqd_registry_free(tqd_registry *registry); /* accepts NULL; no references may be left */

/* Finds a robot by "name" or "name@digest" without blocking on a disk: for I/O threads. Cost: two
 * hash look-ups under a sharded lock; with the release 45 to 65 ns of CPU on one to four threads
 * that all use one robot. */
tqd_robot_found tqd_registry_peek(tqd_registry *registry, const char *name,
                                  const tqa_robot **ret_robot);

/* The same, reading and parsing it if necessary: workers only. NULL with a problem. */
const tqa_robot *tqd_registry_get(tqd_registry *registry, const char *name, tqa_problem *reterr);

/* Releases a reference from peek or get. Any thread. */
void tqd_registry_release(tqd_registry *registry, const tqa_robot *robot);

/* Parses stored robots until the cache is half full. For a worker after start. */
void tqd_registry_warm(tqd_registry *registry);

/* All robots by name, malloc'ed; NULL: out of memory. */
tqd_registry_row *tqd_registry_list(tqd_registry *registry, size_t *ret_n);

/* Sets "unknown-robot", with a similar name as a suggestion. Does not block. */
void tqd_registry_unknown(tqd_registry *registry, const char *name, tqa_problem *ret);

/* The row of one name. False: no such name. */
bool tqd_registry_find(tqd_registry *registry, const char *name, tqd_registry_row *ret_row);

/* Row and bytes of a built-in robot, for the store to pin with a job; NULL: not a built-in's name.
 * Both live as long as the process. */
const tqd_robot_row *tqd_registry_builtin(tqd_registry *registry, const char *name,
                                          const char **ret_bytes);

/* Conditions of a change: digests, "*" or NULL, as in tqd_robot_put. */
typedef struct tqd_condition {
    const char *if_match;
    const char *if_none_match;
    const char *by;    /* the client that asks; NULL: it may change any robot */
    const char *owner; /* of a new name; NULL: none is known */
} tqd_condition;

/* Takes ownership of the robot (also when it fails), stores its bytes under `name`, and makes it
 * current. On success *ret_robot has a reference for the caller, and *ret_created is true if the
 * name is new. Workers only. */
bool tqd_registry_put(tqd_registry *registry, const char *name, tqa_robot *robot, const char *bytes,
                      size_t n, const tqd_condition *condition, const tqa_robot **ret_robot,
                      bool *ret_created, tqa_problem *reterr);

/* Applies changes of other nodes in the store to the cache. May block on the store; one thread.
 * False: call it again soon, the store could not be read or a change of this node is under way,
 * whose name has waited: another node may have changed that after it. */
bool tqd_registry_follow(tqd_registry *registry);

/* Workers only. */
bool tqd_registry_delete(tqd_registry *registry, const char *name, const tqd_condition *condition,
                         tqa_problem *reterr);

/* 1 to 128 of [A-Za-z0-9._-], not beginning with a dot. */
bool tqd_robot_name_good(const char *key);

const tqd_robot_parser *tqd_registry_parser(const tqd_registry *registry);

#endif
