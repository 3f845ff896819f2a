/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/computing.c - the world of computations: what api asks of the process, answered by
 * registry, workers and store. */
#include <string.h>

#include "daemon/boot/computation.h"
#include "daemon/datasets/source.h"

static const tqa_robot *world_robot_get(void *ctx, const char *name)
{
    tqd_computing *shared = ctx;
    tqa_problem ignored;
    return tqd_registry_get(shared->registry, name, &ignored);
}

static void world_robot_release(void *ctx, const tqa_robot *robot)
{
    tqd_registry_release(((tqd_computing *)ctx)->registry, robot);
}

static void world_parallel_for(void *ctx, size_t n, size_t scratch_size,
                               void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    tqd_workers_parallel_for(((tqd_computing *)ctx)->workers, n, scratch_size, body, arg);
}

static int world_dataset_look(void *ctx, const char *name, tqa_source *ret)
{
    return tqd_source_look(((tqd_computing *)ctx)->store, name, ret) == TQD_STORE_OK ? 0 : -1;
}

static long world_dataset_read(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n)
{
    return tqd_source_read(((tqd_computing *)ctx)->store, name, offset, bytes, n);
}

void tqd_computing_init(tqd_computing *shared, tqd_registry *registry, tqd_workers *workers,
                        tqd_store *store, size_t reply_buffer_b)
{
    memset(shared, 0, sizeof *shared);
    shared->registry = registry;
    shared->workers = workers;
    shared->store = store;
    shared->reply_buffer_b = reply_buffer_b;
    shared->world.ctx = shared;
    shared->world.robot_get = world_robot_get;
    shared->world.robot_release = world_robot_release;
    shared->world.parallel_for = world_parallel_for;
    shared->world.dataset_look = world_dataset_look;
    shared->world.dataset_read = world_dataset_read;
}
