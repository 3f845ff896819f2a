/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/routes.c - connects operations and resources to paths. */
#include "daemon/boot/routes.h"

#include <assert.h>
#include <stdio.h>

#include "daemon/jobs/handlers.h"
#include "daemon/robots/handlers.h"
#include "daemon/service/backup.h"
#include "daemon/service/dashboard.h"
#include "daemon/service/guide.h"
#include "daemon/service/problems.h"
#include "daemon/service/session.h"

static void add(tqd_routes *routes, tqd_route route)
{
    assert(routes->n < TQD_ROUTES_MAX);
    char *text = routes->patterns[routes->n];
    snprintf(text, TQD_PATTERN_TEXT, "%s", route.pattern);
    route.pattern = text;
    routes->table[routes->n++] = route;
}

/* POST /v1/robots/{name}/<operation>, or POST /v1/<operation> */
static void add_operations(tqd_routes *routes, tqd_compute_host *computing)
{
    for (const tqa_operation *operation = tqa_operations; operation->name != NULL; operation++) {
        char pattern[TQD_PATTERN_TEXT];
        snprintf(pattern, sizeof pattern, "%s/%s", operation->needs_robot ? "/v1/robots/{}" : "/v1",
                 operation->name);
        tqd_compute *computation = &routes->computations[routes->n];
        *computation = (tqd_compute){.operation = operation, .shared = computing};
        add(routes, (tqd_route){TQD_POST, pattern, operation->body_max, &tqd_compute_handler,
                                computation, true});
    }
}

void tqd_routes_init(tqd_routes *routes, tqd_service *service, tqd_compute_host *computing,
                     tqd_datasets *datasets, tqd_lock_step_service *lock_steps,
                     tqd_sessions *sessions)
{
    tqd_route robots[TQD_ROBOT_ROUTES];
    routes->n = 0;
    add_operations(routes, computing);
    tqd_robot_routes(computing->registry, robots);
    for (size_t i = 0; i < TQD_ROBOT_ROUTES; i++) {
        add(routes, robots[i]);
    }
    tqd_route jobs[TQD_JOB_ROUTES];
    const size_t n_job = computing->jobs != NULL ? tqd_job_routes(computing->jobs, jobs) : 0;
    for (size_t i = 0; i < n_job; i++) {
        add(routes, jobs[i]);
    }
    tqd_route data[TQD_DATASET_ROUTES];
    tqd_dataset_routes(datasets, data);
    for (size_t i = 0; i < TQD_DATASET_ROUTES; i++) {
        add(routes, data[i]);
    }
    tqd_route steps[TQD_LOCK_STEP_ROUTES];
    tqd_lock_step_routes(lock_steps, steps);
    for (size_t i = 0; i < TQD_LOCK_STEP_ROUTES; i++) {
        add(routes, steps[i]);
    }
    add(routes,
        (tqd_route){TQD_POST, "/v1/backup", 0, &tqd_backup_handler, datasets->store, false});
    add(routes,
        (tqd_route){TQD_POST, "/v1/session", 0, &tqd_session_begin_handler, sessions, false});
    add(routes,
        (tqd_route){TQD_DELETE, "/v1/session", 0, &tqd_session_end_handler, sessions, false});
    add(routes, (tqd_route){TQD_POST, "/v1/tickets", 0, &tqd_ticket_handler, sessions, false});
    add(routes, (tqd_route){TQD_GET, "/", 0, &tqd_index_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/favicon.ico", 0, &tqd_favicon_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/problems", 0, &tqd_problem_list_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/problems/{}", 0, &tqd_problem_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/livez", 0, &tqd_healthz_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/healthz", 0, &tqd_healthz_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/readyz", 0, &tqd_readyz_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/metrics", 0, &tqd_metrics_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/openapi.json", 0, &tqd_openapi_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/openapi/clients.json", 0, &tqd_openapi_clients_handler,
                            service, false});
    add(routes, (tqd_route){TQD_GET, "/docs", 0, &tqd_docs_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/dashboard/{}", 0, &tqd_dashboard_handler, NULL, false});
    if (tqd_guide_is_built()) {
        add(routes, (tqd_route){TQD_GET, "/docs/guide", 0, &tqd_guide_folder_handler, NULL, false});
        add(routes, (tqd_route){TQD_GET, "/docs/guide/", 0, &tqd_guide_handler, NULL, false});
        add(routes, (tqd_route){TQD_GET, "/docs/guide/{}", 0, &tqd_guide_handler, NULL, false});
    }
    add(routes, (tqd_route){TQD_GET, "/docs.js", 0, &tqd_docs_script_handler, service, false});
    add(routes, (tqd_route){TQD_GET, "/v1/version", 0, &tqd_version_handler, service, false});
}
