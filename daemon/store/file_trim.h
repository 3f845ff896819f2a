/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_trim.h - bounds the folder of files if it is a cache; private to this folder.
 */
#ifndef TQD_STORE_FILE_TRIM_H
#define TQD_STORE_FILE_TRIM_H

#include "daemon/store/file_state.h"

/* If the folder is above its bound (cache_bytes_max; 0: none), removes the files that were fetched
 * or stored longest ago until it is below three quarters of it. Files of open uploads are not
 * removed; a removed file that is open stays readable. */
void tqd_file_set_trim(tqd_file_set *set);

#endif
