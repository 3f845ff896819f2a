/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/index.h - GET /: where to begin. */
#ifndef TQD_SERVICE_INDEX_H
#define TQD_SERVICE_INDEX_H

#include "daemon/http/exchange.h"

extern const tqd_handler tqd_index_handler;

#endif
