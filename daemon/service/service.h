/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/service.h - resources about the process: health, metrics, version, API
 * description. */
#ifndef TQD_SERVICE_SERVICE_H
#define TQD_SERVICE_SERVICE_H

#include <stdatomic.h>

#include "daemon/observe/audit.h"
#include "daemon/queue/workers.h"
#include "daemon/serve/server.h"
#include "daemon/service/page.h"
#include "daemon/sessions/table.h"
#include "daemon/store/store.h"

typedef enum tqd_service_state {
    TQD_SERVICE_STARTING,
    TQD_SERVICE_READY,
    TQD_SERVICE_STOPPING,
} tqd_service_state;

/* The ctx of the handlers below. Outlives the server. */
typedef struct tqd_service {
    _Atomic int state;            /* tqd_service_state */
    _Atomic(tqd_server *) server; /* for metrics; NULL until it is open */
    tqd_workers *workers;
    struct tqd_jobs *jobs;
    _Atomic uint64_t jobs_running, jobs_queued; /* as the keeper reported them last */
    int64_t started_s;                          /* Unix time */
    int64_t queue_ms; /* not ready while the expected time in the work queue is longer */
    tqd_audit *audit; /* NULL: none */
    tqd_lock_steps *lock_steps;
    tqd_store *store; /* the same; set before the server opens */
    tqd_page docs, docs_script, favicon, contract, index, index_html;
} tqd_service;

/* Prepares the pages; before the server opens. */
void tqd_service_prepare(tqd_service *service);

extern const tqd_handler tqd_healthz_handler;
extern const tqd_handler tqd_readyz_handler;
extern const tqd_handler tqd_version_handler;
extern const tqd_handler tqd_metrics_handler;
extern const tqd_handler tqd_openapi_handler, tqd_openapi_clients_handler;
extern const tqd_handler tqd_docs_handler, tqd_docs_script_handler, tqd_favicon_handler;
extern const tqd_handler tqd_index_handler;

#endif
