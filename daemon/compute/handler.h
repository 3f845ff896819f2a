/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/compute/handler.h - serves api's operations: an exchange becomes a call. */
#ifndef TQD_COMPUTE_HANDLER_H
#define TQD_COMPUTE_HANDLER_H

#include "api/operation.h"
#include "daemon/http/exchange.h"
#include "daemon/jobs/jobs.h"
#include "daemon/queue/workers.h"
#include "daemon/robots/registry.h"

/* Who asks the world: an immediate call, or (head NULL) jobs, which have a world around this. */
typedef struct tqd_asking {
    struct tqd_compute_host *shared;
    const tqd_head *head;
} tqd_asking;

/* What all computations share; outlives the server. */
typedef struct tqd_compute_host {
    tqd_asking nobody;
    tqd_registry *registry;
    tqd_workers *workers;
    tqd_jobs *jobs;        /* for what is to outlive its connection */
    size_t reply_buffer_b; /* a result up to here is printed whole where it was computed */
    tqd_store *store;      /* for datasets */
    tqa_host host;
} tqd_compute_host;

/* The ctx of one route. */
typedef struct tqd_compute {
    const tqa_operation *operation;
    tqd_compute_host *shared;
} tqd_compute;

/* Fills in the world: robots from the registry, parallel_for from the workers. */
void tqd_compute_host_init(tqd_compute_host *shared, tqd_registry *registry, tqd_workers *workers,
                           tqd_store *store, size_t reply_buffer_b);

/* Nobody waits for this call's answer any more: what it computes from then on is nothing. */
bool tqd_asking_given_up(const tqd_asking *asking);

/* The world of an immediate call: as `shared->host`, and it ends early when nobody waits. */
tqa_host tqd_compute_host_world(const tqd_asking *asking);

/* Runs what costs less than 100 us on the connection's thread, all else on a worker. Its exchanges
 * begin with a pointer to the handler. */
extern const tqd_handler tqd_immediate_handler;
bool tqd_immediate_open(const tqd_compute *of, const tqd_head *head, void **ret_exchange,
                        tqd_reply *reply);

/* The same, or a job, as the request asks and the operation is. */
extern const tqd_handler tqd_compute_handler;

#endif
