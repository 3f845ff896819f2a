/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/row_cache.c - rows that the survey keeps in memory: all of a short recording, runs
 * spread over a long one. */
#include "core/signal/row_cache.h"

#include <string.h>

/* A run must have samples between the borders of the filter. The distance between runs is doubled
 * whenever the memory is full, which spreads them evenly over a recording of unknown length. */
enum { RUN_MOST = 4096, RUN_LEAST = 512, RUNS_LEAST = 4 };
static const size_t bytes_max = (size_t)16 << 20; /* of all recordings that share the cache */

/* rows of a run; *ret_room: rows of the cache, a multiple of it */
static size_t find_room(size_t n_channel, size_t n_share, size_t *ret_room)
{
    const size_t each = (n_channel + 1) * sizeof(double) + sizeof(uint64_t) + 1;
    *ret_room = 0;
    if (n_share == 0) {
        return 0;
    }
    size_t room =
        TQ_ROW_CACHE_ROWS < bytes_max / each ? (size_t)TQ_ROW_CACHE_ROWS : bytes_max / each;
    room /= n_share;
    room = room / TQ_RAW_ROWS * TQ_RAW_ROWS;
    size_t run = room / RUNS_LEAST < RUN_MOST ? room / RUNS_LEAST : (size_t)RUN_MOST;
    run = run < TQ_RAW_ROWS ? room : run / TQ_RAW_ROWS * TQ_RAW_ROWS;
    *ret_room = run > 0 ? room / run * run : 0;
    return run;
}

size_t tq_row_cache_size(size_t n_channel, size_t n_share)
{
    size_t room = 0;
    (void)find_room(n_channel, n_share, &room);
    return tq_scratch_cost(room * n_channel, sizeof(double)) +
           tq_scratch_cost(room, sizeof(double)) + tq_scratch_cost(room, sizeof(uint64_t)) +
           tq_scratch_cost(room, 1);
}

bool tq_row_cache_begin(tq_row_cache *cache, size_t n_channel, size_t n_share, tq_scratch *memory)
{
    *cache = (tq_row_cache){.n_channel = n_channel};
    if (n_share == 0) {
        return true;
    }
    cache->run = find_room(n_channel, n_share, &cache->room);
    cache->every = 1;
    cache->values = tq_scratch_take(memory, cache->room * n_channel, sizeof *cache->values);
    cache->t = tq_scratch_take(memory, cache->room, sizeof *cache->t);
    cache->row = tq_scratch_take(memory, cache->room, sizeof *cache->row);
    cache->state = tq_scratch_take(memory, cache->room, sizeof *cache->state);
    return cache->values != NULL && cache->t != NULL && cache->row != NULL && cache->state != NULL;
}

/* drops every second run; the last run may be short */
static void thin(tq_row_cache *cache)
{
    const size_t run = cache->run;
    const size_t n = cache->n_channel;
    size_t to = 0;
    size_t end = 0;
    for (size_t from = 0; from < cache->n; from += 2 * run, to += run) {
        memmove(cache->values + to * n, cache->values + from * n, run * n * sizeof *cache->values);
        memmove(cache->t + to, cache->t + from, run * sizeof *cache->t);
        memmove(cache->row + to, cache->row + from, run * sizeof *cache->row);
        memmove(cache->state + to, cache->state + from, run);
        end = to + (cache->n - from < run ? cache->n - from : run);
    }
    cache->n = end;
    cache->every *= 2;
}

bool tq_row_cache_halve(tq_row_cache *cache)
{
    const bool enough = cache->n >= 2 * RUNS_LEAST * cache->run;
    if (enough) {
        thin(cache);
    }
    return enough;
}

/* at the first row of a run: true if the run is kept */
static bool keeps_run(tq_row_cache *cache, uint64_t run)
{
    if (run % cache->every == 0 && cache->n == cache->room) {
        if (cache->run < RUN_LEAST) { /* shorter runs have no samples after filtering: all rows or
                                         none */
            cache->room = cache->n = 0;
            return false;
        }
        thin(cache);
    }
    return run % cache->every == 0;
}

void tq_row_cache_add(tq_row_cache *cache, const tq_raw_rows *rows, size_t i)
{
    if (cache->room == 0) {
        return;
    }
    if (cache->in_run == 0) {
        cache->keeps = keeps_run(cache, cache->n_run++);
    }
    cache->in_run = cache->in_run + 1 < cache->run ? cache->in_run + 1 : 0;
    if (!cache->keeps) {
        return;
    }
    const size_t block = cache->n / TQ_RAW_ROWS;
    double *to = cache->values + block * cache->n_channel * TQ_RAW_ROWS + cache->n % TQ_RAW_ROWS;
    for (size_t c = 0; c < cache->n_channel; c++) {
        to[c * TQ_RAW_ROWS] = rows->values[c * TQ_RAW_ROWS + i];
    }
    cache->t[cache->n] = rows->t[i];
    cache->row[cache->n] = rows->row[i];
    cache->state[cache->n] = rows->state[i];
    cache->n++;
}

bool tq_row_cache_next(const tq_row_cache *cache, size_t *inout_at, tq_raw_rows *ret)
{
    const size_t at = *inout_at;
    const size_t left = cache->n - at;
    const size_t n = left < TQ_RAW_ROWS ? left : (size_t)TQ_RAW_ROWS;
    if (n == 0) {
        return false;
    }
    *ret = (tq_raw_rows){.n = n,
                         .values = cache->values + at * cache->n_channel,
                         .t = cache->t + at,
                         .row = cache->row + at,
                         .state = cache->state + at,
                         .all_good = tq_rows_all_good(n, cache->state + at)};
    *inout_at = at + n;
    return true;
}
