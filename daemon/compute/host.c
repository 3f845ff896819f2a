/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/compute/host.c - the world of computations: what api asks of the process, answered by
 * registry, workers and store. */
#include <string.h>

#include "daemon/compute/handler.h"
#include "daemon/datasets/source.h"

static tqd_compute_host *shared_of(void *ctx)
{
    return ((const tqd_asking *)ctx)->shared;
}

bool tqd_asking_given_up(const tqd_asking *asking)
{
    return asking->head != NULL && asking->head->given_up(asking->head);
}

/* Asked between the steps of what may take long. */
static bool world_cancelled(void *ctx)
{
    tqd_workers_beat();
    return tqd_asking_given_up(ctx);
}

static const tqa_robot *world_robot_get(void *ctx, const char *name)
{
    tqa_problem ignored;
    return tqd_registry_get(shared_of(ctx)->registry, name, &ignored);
}

static void world_robot_release(void *ctx, const tqa_robot *robot)
{
    tqd_registry_release(shared_of(ctx)->registry, robot);
}

/* An index is begun only while somebody waits for the whole: the loops of api need not ask. */
typedef struct wanted_loop {
    const tqd_asking *asking;
    void (*body)(void *arg, size_t i, void *scratch);
    void *arg;
} wanted_loop;

static void wanted_body(void *arg, size_t i, void *scratch)
{
    const wanted_loop *loop = arg;
    if (!tqd_asking_given_up(loop->asking)) {
        loop->body(loop->arg, i, scratch);
    }
}

static void world_parallel_for(void *ctx, size_t n, size_t scratch_size,
                               void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    wanted_loop loop = {.asking = ctx, .body = body, .arg = arg};
    tqd_workers_parallel_for(shared_of(ctx)->workers, n, scratch_size, wanted_body, &loop);
}

static int world_dataset_look(void *ctx, const char *name, tqa_source *ret)
{
    return tqd_source_look(shared_of(ctx)->store, name, ret) == TQD_STORE_OK ? 0 : -1;
}

static long world_dataset_read(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n)
{
    return world_cancelled(ctx) ? -1
                                : tqd_source_read(shared_of(ctx)->store, name, offset, bytes, n);
}

void tqd_compute_host_init(tqd_compute_host *shared, tqd_registry *registry, tqd_workers *workers,
                           tqd_store *store, size_t reply_buffer_b)
{
    memset(shared, 0, sizeof *shared);
    shared->registry = registry;
    shared->workers = workers;
    shared->store = store;
    shared->reply_buffer_b = reply_buffer_b;
    shared->nobody.shared = shared;
    shared->host.ctx = &shared->nobody;
    shared->host.robot_get = world_robot_get;
    shared->host.robot_release = world_robot_release;
    shared->host.parallel_for = world_parallel_for;
    shared->host.dataset_look = world_dataset_look;
    shared->host.dataset_read = world_dataset_read;
}

tqa_host tqd_compute_host_world(const tqd_asking *asking)
{
    union {
        const tqd_asking *in;
        void *out; /* the world's functions take it as they were given it */
    } ctx = {.in = asking};
    tqa_host host = asking->shared->host;
    host.ctx = ctx.out;
    host.cancelled = world_cancelled;
    return host;
}
