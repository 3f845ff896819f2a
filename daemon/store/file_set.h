/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_set.h - the folder of content-addressed files: garbage collection; private to
 * this folder. */
#ifndef TQD_STORE_FILE_SET_H
#define TQD_STORE_FILE_SET_H

#include "daemon/store/engine.h"
#include "daemon/store/file_state.h"

/* Creates the folders, removes incomplete uploads of a former process, and counts the rest. */
bool tqd_file_set_open(tqd_file_set *set, const tqd_store_options *options, char *why);
void tqd_file_set_close(tqd_file_set *set);

tqd_store_status tqd_store_garbage(tqd_store *store, uint32_t limit, tqd_garbage *ret,
                                   uint32_t *ret_n);
tqd_store_status tqd_store_references(tqd_store *store, const char *snapshot,
                                      bool (*each)(void *ctx, const char *digest, uint64_t size),
                                      void *ctx);
bool tqd_store_file_used(tqd_store *store, const char *digest);
bool tqd_store_file_find(tqd_store *store, const char *digest);

/* Removes a file without references. False when references could not be read now. */
bool tqd_file_set_collect(tqd_file_set *set, tqd_engine *engine, const char *digest);
/* Moves unreferenced files whose digest begins with this byte to files/lost, and referenced ones
 * back. */
tqd_store_status tqd_file_set_sweep(tqd_file_set *set, tqd_engine *engine, unsigned shelf,
                                    uint64_t *ret_moved);
/* Moves a missing file back from files/lost if a row refers to it. */
bool tqd_file_set_find(tqd_file_set *set, tqd_engine *engine, const char *digest);

#endif
