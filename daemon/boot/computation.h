/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/computation.h - serves api's operations: an exchange becomes a call. */
#ifndef TQD_BOOT_COMPUTATION_H
#define TQD_BOOT_COMPUTATION_H

#include "api/operation.h"
#include "daemon/jobs/jobs.h"
#include "daemon/queue/workers.h"
#include "daemon/robots/registry.h"
#include "daemon/serve/exchange.h"

/* What all computations share; outlives the server. */
typedef struct tqd_computing {
    tqd_registry *registry;
    tqd_workers *workers;
    tqd_jobs *jobs;        /* for what is to outlive its connection */
    size_t reply_buffer_b; /* a result up to here is printed whole where it was computed */
    tqd_store *store;      /* for datasets */
    tqa_world world;
} tqd_computing;

/* The ctx of one route. */
typedef struct tqd_computation {
    const tqa_operation *operation;
    tqd_computing *shared;
} tqd_computation;

/* Fills in the world: robots from the registry, parallel_for from the workers. */
void tqd_computing_init(tqd_computing *shared, tqd_registry *registry, tqd_workers *workers,
                        tqd_store *store, size_t reply_buffer_b);

/* Runs what costs less than 100 us on the connection's thread, all else on a worker. */
extern const tqd_handler tqd_computation_handler;

#endif
