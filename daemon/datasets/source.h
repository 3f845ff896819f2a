/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/source.h - inputs of computations: datasets, and the results of jobs. */
#ifndef TQD_DATASETS_SOURCE_H
#define TQD_DATASETS_SOURCE_H

#include "api/host.h"
#include "daemon/store/store.h"

/* Names are those of tqa_host, in the namespace of the key `beside`: "name", "name@sha256",
 * "job:{id}". Workers only. */

/* OK, NOT_FOUND or a failure. */
tqd_store_status tqd_source_find(tqd_store *store, const char *beside, const char *name,
                                 tqa_source *ret);

/* Reads n bytes at `offset`: the count, fewer only at the end, or -1 with a status. */
long tqd_source_read(tqd_store *store, const char *beside, const char *name, uint64_t offset,
                     void *bytes, size_t n, tqd_store_status *ret_status);

#endif
