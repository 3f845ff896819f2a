/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/routes.h - which path is served by which handler. */
#ifndef TQD_BOOT_ROUTES_H
#define TQD_BOOT_ROUTES_H

#include "daemon/compute/handler.h"
#include "daemon/datasets/handlers.h"
#include "daemon/http/exchange.h"
#include "daemon/http/session.h"
#include "daemon/service/service.h"
#include "daemon/sessions/handlers.h"

enum { TQD_ROUTES_MAX = 128, TQD_PATTERN_TEXT = 96 };

typedef struct tqd_routes {
    tqd_route table[TQD_ROUTES_MAX];
    char patterns[TQD_ROUTES_MAX][TQD_PATTERN_TEXT];
    size_t n;
    tqd_compute computations[TQD_ROUTES_MAX];
} tqd_routes;

/* Fills the table; its arguments must outlive the server. */
void tqd_routes_init(tqd_routes *routes, tqd_service *service, tqd_compute_host *computing,
                     tqd_datasets *datasets, tqd_lock_step_service *lock_steps,
                     tqd_sessions *sessions);

#endif
