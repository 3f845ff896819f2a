/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/pending.c - names that this process changes in the store, until its cache follows.
 */
#include "daemon/robots/pending.h"

#include <stddef.h>
#include <string.h>

void tqd_pending_add(tqd_pending **list, tqd_pending *change)
{
    change->next = *list;
    *list = change;
}

void tqd_pending_drop(tqd_pending **list, const tqd_pending *change)
{
    while (*list != NULL && *list != change) {
        list = &(*list)->next;
    }
    if (*list != NULL) {
        *list = change->next;
    }
}

bool tqd_pending_has(const tqd_pending *list, const char *name)
{
    while (list != NULL && strcmp(list->name, name) != 0) {
        list = list->next;
    }
    return list != NULL;
}
