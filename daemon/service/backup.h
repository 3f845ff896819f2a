/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/backup.h - POST /v1/backup: the whole store as one archive. */
#ifndef TQD_SERVICE_BACKUP_H
#define TQD_SERVICE_BACKUP_H

#include "daemon/http/exchange.h"

/* The ctx is the store. */
extern const tqd_handler tqd_backup_handler;

#endif
