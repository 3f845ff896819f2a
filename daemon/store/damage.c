/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/damage.c - the list of files that have been found damaged. */
#include "daemon/store/damage.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_MAX = 4096 }; /* beyond that, a damaged file is checked at each use */

struct tqd_damage {
    struct tqd_damage *next;
    ino_t inode;
    struct timespec changed; /* 0: missing */
    char digest[TQD_DIGEST_TEXT];
};

static tqd_damage *find(const tqd_file_set *set, const char *digest)
{
    tqd_damage *damage = set->damages;
    while (damage != NULL && strcmp(damage->digest, digest) != 0) {
        damage = damage->next;
    }
    return damage;
}

static bool is_same(const tqd_damage *damage, const struct stat *facts)
{
    return damage->inode == facts->st_ino && damage->changed.tv_sec == facts->st_ctim.tv_sec &&
           damage->changed.tv_nsec == facts->st_ctim.tv_nsec;
}

bool tqd_damage_known(tqd_file_set *set, const char *digest, const struct stat *facts)
{
    pthread_mutex_lock(&set->damage_mutex);
    const tqd_damage *damage = find(set, digest);
    const bool known = damage != NULL && is_same(damage, facts);
    pthread_mutex_unlock(&set->damage_mutex);
    return known;
}

/* True: not recorded before. */
static bool remember(tqd_file_set *set, const char *digest, const struct stat *facts)
{
    tqd_damage *damage = find(set, digest);
    const bool same = damage != NULL && is_same(damage, facts);
    if (damage == NULL && set->n_known < KNOWN_MAX) {
        damage = malloc(sizeof *damage);
        if (damage != NULL) {
            snprintf(damage->digest, sizeof damage->digest, "%s", digest);
            damage->next = set->damages;
            set->damages = damage;
            set->n_known++;
        }
    }
    if (damage != NULL) {
        damage->inode = facts->st_ino;
        damage->changed = facts->st_ctim;
    }
    return !same;
}

void tqd_damage_note(tqd_file_set *set, const char *digest, int fd)
{
    char detail[TQD_STORE_WHY];
    struct stat facts;
    memset(&facts, 0, sizeof facts);
    if (fd >= 0) {
        (void)fstat(fd, &facts);
    }
    pthread_mutex_lock(&set->damage_mutex);
    const bool news = remember(set, digest, &facts);
    pthread_mutex_unlock(&set->damage_mutex);
    if (!news) {
        return;
    }
    atomic_fetch_add(&set->n_damaged, 1);
    snprintf(detail, sizeof detail, "files/%.2s/%.64s %s: restore it from a backup", digest, digest,
             fd >= 0 ? "differs from what was stored" : "is missing");
    if (set->notice != NULL) {
        set->notice(set->notice_ctx, TQD_NOTICE_ERROR, "a stored file is damaged", detail);
    }
}

void tqd_damage_clear(tqd_file_set *set)
{
    while (set->damages != NULL) {
        tqd_damage *damage = set->damages;
        set->damages = damage->next;
        free(damage);
    }
}
