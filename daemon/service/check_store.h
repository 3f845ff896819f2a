/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/check_store.h - torqued --check-store: reads and verifies all stored bytes. */
#ifndef TQD_SERVICE_CHECK_STORE_H
#define TQD_SERVICE_CHECK_STORE_H

#include <stdio.h>

#include "daemon/store/store.h"

/* Prints damaged files, files in files/lost, and a summary. True if there is no damage. */
bool tqd_check_store(tqd_store *store, FILE *out);

#endif
