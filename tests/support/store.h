/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/store.h - sweeps all files of a store at once; the daemon takes one shelf at a
 * time. */
#ifndef TQT_STORE_H
#define TQT_STORE_H

#include <stdint.h>

#include "daemon/store/files.h"

/* tqd_store_sweep_shelf over all shelves; *ret_moved is set. */
static inline tqd_store_status tqt_store_sweep(tqd_store *store, uint64_t *ret_moved)
{
    tqd_store_status status = TQD_STORE_OK;
    *ret_moved = 0;
    for (unsigned shelf = 0; status == TQD_STORE_OK && shelf < TQD_STORE_SHELVES; shelf++) {
        status = tqd_store_sweep_shelf(store, shelf, ret_moved);
    }
    return status;
}

#endif
