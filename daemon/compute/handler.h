/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/compute/handler.h - serves api's operations: an exchange becomes a call. */
#ifndef TQD_COMPUTE_HANDLER_H
#define TQD_COMPUTE_HANDLER_H

#include "api/operation.h"
#include "daemon/http/exchange.h"
#include "daemon/jobs/jobs.h"
#include "daemon/key.h"
#include "daemon/queue/workers.h"
#include "daemon/robots/registry.h"

/* Context of a host's callbacks: an immediate call, or (head NULL) a job, whose host wraps it. */
typedef struct tqd_call_context {
    struct tqd_compute_host *shared;
    const tqd_head *head;
    const char *key; /* without a head: a key of the namespace of the names; "": the default */
    tqd_store_status *failure; /* the last of the store, in a host's callback; NULL: not kept */
} tqd_call_context;

/* The host of callers that outlive their request, as sessions do, in one namespace. */
typedef struct tqd_namespace_host {
    struct tqd_namespace_host *next;
    char name[TQD_NAMESPACE_TEXT + 1]; /* with its '/' */
    tqd_call_context context;
    tqa_host host;
} tqd_namespace_host;
enum { TQD_NAMESPACE_HOSTS = 4096 };

/* Shared by all computations; outlives the server. */
typedef struct tqd_compute_host {
    tqd_call_context no_call, nowhere;
    tqd_registry *registry;
    tqd_workers *workers;
    tqd_jobs *jobs;        /* for computations that outlive their connection */
    size_t reply_buffer_b; /* a result up to this size is printed whole by the worker */
    tqd_store *store;      /* for datasets */
    tqa_host host, nowhere_host;
    pthread_mutex_t mutex; /* guards the following members; a leaf */
    tqd_namespace_host *hosts;
    size_t n_host;
} tqd_compute_host;

/* The ctx of one route. */
typedef struct tqd_compute {
    const tqa_operation *operation;
    tqd_compute_host *shared;
} tqd_compute;

/* Fills in the host: robots from the registry, parallel_for from the workers. */
void tqd_compute_host_init(tqd_compute_host *shared, tqd_registry *registry, tqd_workers *workers,
                           tqd_store *store, size_t reply_buffer_b);

/* The host (a tqd_compute_host's) in the namespace of a key; lives as long as that. Without memory,
 * or beyond TQD_NAMESPACE_HOSTS namespaces, it finds no name. Any thread. */
const tqa_host *tqd_compute_host_of(void *host, const char *key);
/* After the last caller of such a host. */
void tqd_compute_host_clear(tqd_compute_host *shared);

/* True if no client waits for this call's answer any more. */
bool tqd_call_cancelled(const tqd_call_context *context);

/* The host of an immediate call: `shared->host`, with the cancellation of its request. */
tqa_host tqd_compute_immediate_host(const tqd_call_context *context);

/* Runs calls of less than 100 us on the I/O thread, others on a worker. Its exchanges begin with a
 * pointer to the handler. */
extern const tqd_handler tqd_immediate_handler;
bool tqd_immediate_open(const tqd_compute *of, const tqd_head *head, void **ret_exchange,
                        tqd_reply *reply);

/* An immediate call or a job, as the request and the operation determine. */
extern const tqd_handler tqd_compute_handler;

#endif
