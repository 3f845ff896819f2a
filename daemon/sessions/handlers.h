/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/sessions/handlers.h - routes of sessions. */
#ifndef TQD_SESSIONS_HANDLERS_H
#define TQD_SESSIONS_HANDLERS_H

#include "api/host.h"
#include "daemon/http/exchange.h"
#include "daemon/sessions/table.h"

/* The ctx of the handlers; outlives the server. */
typedef struct tqd_lock_step_service {
    tqd_lock_steps *table;
    /* for robots of the namespace of a client's key; outlives the sessions */
    const tqa_host *(*host_of)(void *ctx, const char *key);
    void *host_ctx;
} tqd_lock_step_service;

enum { TQD_LOCK_STEP_ROUTES = 7 };
void tqd_lock_step_routes(tqd_lock_step_service *service, tqd_route routes[TQD_LOCK_STEP_ROUTES]);

#endif
