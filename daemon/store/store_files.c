/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/store_files.c - files and their references, out of the engine and the folder. */
#include "daemon/store/store_private.h"

#include "daemon/store/check.h"
#include "daemon/store/files.h"

tqd_file_set *tqd_store_file_set(tqd_store *store)
{
    return &store->files;
}

tqd_store_status tqd_store_sweep_shelf(tqd_store *store, unsigned shelf, uint64_t *ret_moved)
{
    return tqd_file_set_sweep(&store->files, store->engine, shelf, ret_moved);
}

tqd_store_status tqd_store_references(tqd_store *store, const char *snapshot,
                                      bool (*each)(void *ctx, const char *digest, uint64_t size),
                                      void *ctx)
{
    return store->engine->methods->references(store->engine, snapshot, each, ctx);
}

tqd_store_status tqd_store_check_database(tqd_store *store, char why[TQD_STORE_WHY])
{
    why[0] = '\0';
    return store->engine->methods->check(store->engine, why);
}

bool tqd_store_file_used(tqd_store *store, const char *digest)
{
    bool used = false;
    return store->engine->methods->file_used(store->engine, digest, &used) == TQD_STORE_OK && used;
}

bool tqd_store_file_find(tqd_store *store, const char *digest)
{
    return tqd_file_set_find(&store->files, store->engine, digest);
}

bool tqd_store_file_collect(tqd_store *store, const char *digest)
{
    return tqd_file_set_collect(&store->files, store->engine, digest);
}

tqd_store_status tqd_store_garbage(tqd_store *store, uint32_t limit, tqd_garbage *ret,
                                   uint32_t *ret_n)
{
    return store->engine->methods->garbage(store->engine, limit, ret, ret_n);
}
