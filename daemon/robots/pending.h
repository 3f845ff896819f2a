/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/pending.h - names that this process changes in the store, until its cache follows.
 *
 * The store may have committed such a change, and after it one of another node, before this process
 * knows: its cache does not take such a name from the store, or it would go back when it follows
 * its own change. The caller locks. */
#ifndef TQD_ROBOTS_PENDING_H
#define TQD_ROBOTS_PENDING_H

#include <stdbool.h>

/* A member of the change; its name lives as long. */
typedef struct tqd_pending {
    const char *name;
    struct tqd_pending *next;
} tqd_pending;

void tqd_pending_add(tqd_pending **list, tqd_pending *change);
void tqd_pending_drop(tqd_pending **list, const tqd_pending *change); /* also if it is not there */
bool tqd_pending_has(const tqd_pending *list, const char *name);

#endif
