/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/check_store.h - torqued --check-store: everything that is stored is read and
 * checked.
 */
#ifndef TQD_SERVICE_CHECK_STORE_H
#define TQD_SERVICE_CHECK_STORE_H

#include <stdio.h>

#include "daemon/store/store.h"

/* Prints what is damaged, what is in files/lost, and the sum of it. True when all is good. */
bool tqd_check_store(tqd_store *store, FILE *out);

#endif
