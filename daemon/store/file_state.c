/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_state.c - paths of content-addressed files, and which of them stay. */
#include "daemon/store/file_state.h"

#include <stdio.h>
#include <string.h>

bool tqd_file_digest_good(const char *digest)
{
    return strspn(digest, "0123456789abcdef") == TQD_DIGEST_TEXT - 1 &&
           digest[TQD_DIGEST_TEXT - 1] == '\0';
}

void tqd_file_set_path(const tqd_file_set *set, const char *digest, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%.2s/%s", set->folder, digest, digest);
}

void tqd_file_set_pin(tqd_file_set *set, tqd_pin *pin)
{
    pthread_mutex_lock(&set->mutex);
    pin->next = set->pins;
    set->pins = pin;
    pthread_mutex_unlock(&set->mutex);
}

void tqd_file_set_unpin(tqd_file_set *set, tqd_pin *pin)
{
    pthread_mutex_lock(&set->mutex);
    tqd_pin **link = &set->pins;
    while (*link != pin) {
        link = &(*link)->next;
    }
    *link = pin->next;
    pthread_mutex_unlock(&set->mutex);
}

void tqd_file_set_hold(tqd_file_set *set)
{
    pthread_mutex_lock(&set->mutex);
    set->n_hold++;
    pthread_mutex_unlock(&set->mutex);
}

void tqd_file_set_release(tqd_file_set *set)
{
    pthread_mutex_lock(&set->mutex);
    set->n_hold--;
    pthread_mutex_unlock(&set->mutex);
}
