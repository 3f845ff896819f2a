/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/row.h - a robot in the registry's list, and whether it is in memory. */
#ifndef TQD_ROBOTS_ROW_H
#define TQD_ROBOTS_ROW_H

#include <stdbool.h>

#include "daemon/store/types.h"

typedef enum tqd_robot_found {
    TQD_ROBOT_NONE,  /* no such name */
    TQD_ROBOT_READY, /* parsed; release it after use */
    TQD_ROBOT_COLD,  /* not in memory, or unknown here while other nodes write to the store as well:
                        call tqd_registry_get on a worker */
} tqd_robot_found;

/* One row of the list. */
typedef struct tqd_registry_row {
    tqd_robot_row row;
    bool builtin;
} tqd_registry_row;

#endif
