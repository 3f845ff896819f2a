/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/compute/host.c - the host of computations: api's services of the process, implemented by
 * registry, workers and store. */
#include <stdlib.h>
#include <string.h>

#include "daemon/compute/handler.h"
#include "daemon/datasets/source.h"
#include "daemon/http/bearer.h"
#include "daemon/key.h"

static tqd_compute_host *shared_of(void *ctx)
{
    return ((const tqd_call_context *)ctx)->shared;
}

bool tqd_call_cancelled(const tqd_call_context *context)
{
    return context->head != NULL && context->head->given_up(context->head);
}

/* Polled between the steps of a long computation. */
static bool host_cancelled(void *ctx)
{
    tqd_workers_beat();
    return tqd_call_cancelled(ctx);
}

/* A key of the namespace of the request, in which its body's names are. */
static const char *key_of(const void *ctx)
{
    const tqd_call_context *context = ctx;
    return context->head != NULL ? tqd_identity_key(context->head->who) : context->key;
}

static const tqa_robot *host_robot_get(void *ctx, const char *name, tqa_problem *reterr)
{
    char key[TQD_NAME_TEXT + TQD_DIGEST_TEXT]; /* "name@sha256" */
    if (!tqd_key_make(key_of(ctx), name, key, sizeof key)) {
        tqa_problem_set(reterr, "unknown-robot", "this cannot be the name of a robot");
        return NULL;
    }
    return tqd_registry_get(shared_of(ctx)->registry, key, reterr);
}

static void host_robot_release(void *ctx, const tqa_robot *robot)
{
    tqd_registry_release(shared_of(ctx)->registry, robot);
}

/* Skips indices once the request is cancelled, so that loops of api need not poll. */
typedef struct cancellable_loop {
    const tqd_call_context *context;
    void (*body)(void *arg, size_t i, void *scratch);
    void *arg;
} cancellable_loop;

static void cancellable_body(void *arg, size_t i, void *scratch)
{
    const cancellable_loop *loop = arg;
    if (!tqd_call_cancelled(loop->context)) {
        loop->body(loop->arg, i, scratch);
    }
}

static void host_parallel_for(void *ctx, size_t n, size_t scratch_size,
                              void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    cancellable_loop loop = {.context = ctx, .body = body, .arg = arg};
    tqd_workers_parallel_for(shared_of(ctx)->workers, n, scratch_size, cancellable_body, &loop);
}

/* A failure of the store, which the call can only report as an absence or a failed read. */
static void keep_failure(const void *ctx, tqd_store_status status)
{
    const tqd_call_context *context = ctx;
    if (context->failure != NULL && status != TQD_STORE_OK && status != TQD_STORE_NOT_FOUND) {
        *context->failure = status;
    }
}

static int host_dataset_look(void *ctx, const char *name, tqa_source *ret)
{
    const tqd_store_status status = tqd_source_find(shared_of(ctx)->store, key_of(ctx), name, ret);
    keep_failure(ctx, status);
    return status == TQD_STORE_OK ? 0 : -1;
}

static long host_dataset_read(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n)
{
    if (host_cancelled(ctx)) {
        return -1;
    }
    tqd_store_status status;
    const long got =
        tqd_source_read(shared_of(ctx)->store, key_of(ctx), name, offset, bytes, n, &status);
    keep_failure(ctx, status);
    return got;
}

void tqd_compute_host_init(tqd_compute_host *shared, tqd_registry *registry, tqd_workers *workers,
                           tqd_store *store, size_t reply_buffer_b)
{
    memset(shared, 0, sizeof *shared);
    shared->registry = registry;
    shared->workers = workers;
    shared->store = store;
    shared->reply_buffer_b = reply_buffer_b;
    shared->no_call = (tqd_call_context){.shared = shared, .key = ""};
    shared->nowhere = (tqd_call_context){.shared = shared, .key = "/"}; /* no key begins so */
    pthread_mutex_init(&shared->mutex, NULL);
    shared->host.ctx = &shared->no_call;
    shared->host.robot_get = host_robot_get;
    shared->host.robot_release = host_robot_release;
    shared->host.parallel_for = host_parallel_for;
    shared->host.dataset_look = host_dataset_look;
    shared->host.dataset_read = host_dataset_read;
    shared->nowhere_host = shared->host;
    shared->nowhere_host.ctx = &shared->nowhere;
}

tqa_host tqd_compute_immediate_host(const tqd_call_context *context)
{
    union {
        const tqd_call_context *in;
        void *out; /* the host's callbacks take it without const */
    } ctx = {.in = context};
    tqa_host host = context->shared->host;
    host.ctx = ctx.out;
    host.cancelled = host_cancelled;
    return host;
}

const tqa_host *tqd_compute_host_of(void *host, const char *key)
{
    tqd_compute_host *shared = host;
    tqd_namespace_host *found = NULL;
    const size_t n_prefix = tqd_key_prefix(key);
    if (n_prefix == 0) {
        return &shared->host;
    }
    pthread_mutex_lock(&shared->mutex);
    for (tqd_namespace_host *h = shared->hosts; h != NULL && found == NULL; h = h->next) {
        found = tqd_key_is_beside(h->name, key) ? h : NULL;
    }
    if (found == NULL && shared->n_host < TQD_NAMESPACE_HOSTS) {
        found = calloc(1, sizeof *found);
    }
    if (found != NULL && found->context.shared == NULL) {
        memcpy(found->name, key, n_prefix);
        found->context = (tqd_call_context){.shared = shared, .key = found->name};
        found->host = shared->host;
        found->host.ctx = &found->context;
        found->next = shared->hosts;
        shared->hosts = found;
        shared->n_host++;
    }
    pthread_mutex_unlock(&shared->mutex);
    return found != NULL ? &found->host : &shared->nowhere_host;
}

void tqd_compute_host_clear(tqd_compute_host *shared)
{
    while (shared->hosts != NULL) {
        tqd_namespace_host *next = shared->hosts->next;
        free(shared->hosts);
        shared->hosts = next;
    }
}
