/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/row_cache.h - rows that are kept in memory after the survey: all of a short
 * recording, runs of rows spread evenly over a long one. */
#ifndef TQ_SIGNAL_ROW_CACHE_H
#define TQ_SIGNAL_ROW_CACHE_H

#include "core/base/scratch.h"
#include "core/signal/rows.h"

enum { TQ_ROW_CACHE_ROWS = 65536 }; /* of all recordings that share the cache */

typedef struct tq_row_cache {
    size_t n_channel;
    size_t n, room, run; /* rows in the cache; its capacity; rows of a run */
    uint64_t every;      /* every n-th run is cached; 1: all rows */
    uint64_t n_run;      /* number of runs so far */
    size_t in_run;       /* rows of the current one */
    bool keeps;          /* the current run is cached */
    double *values, *t;  /* blocks (n_channel x TQ_RAW_ROWS), (room) */
    uint64_t *row;
    unsigned char *state;
} tq_row_cache;

/* An empty cache for one of n_share recordings; false: `memory` is short of
 * tq_row_cache_size(n_channel, n_share) bytes. n_share 0: nothing is cached. */
bool tq_row_cache_begin(tq_row_cache *cache, size_t n_channel, size_t n_share, tq_scratch *memory);
size_t tq_row_cache_size(size_t n_channel, size_t n_share);
/* Caches row i of `rows`, unless it falls into a run that is left out. */
void tq_row_cache_add(tq_row_cache *cache, const tq_raw_rows *rows, size_t i);
/* Drops every second run; false, without effect, if fewer than four would be left. */
bool tq_row_cache_halve(tq_row_cache *cache);
/* The next cached rows after `at`, moved past them; false at the end. They point into the cache. */
bool tq_row_cache_next(const tq_row_cache *cache, size_t *inout_at, tq_raw_rows *ret);

#endif
