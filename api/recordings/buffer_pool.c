/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/buffer_pool.c - memory of passes that stays for the next one. */
#include <stdlib.h>

#include "api/recordings/parts.h"
#include "core/base/scratch.h"

/* a log is read a dozen times: fresh pages would cost a tenth of each */
static tqa_buffer_pool *find(tqa_buffer_pools *rooms, size_t n)
{
    tqa_buffer_pool *spare = NULL;
    for (size_t k = 0; rooms != NULL && k < TQA_BUFFER_POOLS_MAX; k++) {
        tqa_buffer_pool *room = &rooms->rooms[k];
        if (room->is_taken) {
            continue;
        }
        if (room->n >= n && room->n - n <= n / 4) {
            return room;
        }
        spare = spare == NULL || room->n < spare->n ? room : spare;
    }
    return spare;
}

void *tqa_buffer_pool_take(tqa_buffer_pools *rooms, size_t n)
{
    enum { ALIGN = 64 };
    const size_t whole = (n + ALIGN - 1) / ALIGN * ALIGN + (n == 0 ? (size_t)ALIGN : 0);
    tqa_buffer_pool *room = find(rooms, whole);
    if (room == NULL) {
        return aligned_alloc(ALIGN, whole);
    }
    if (room->n < whole || room->n - whole > whole / 4) {
        free(room->block);
        room->block = aligned_alloc(ALIGN, whole);
        room->n = room->block != NULL ? whole : 0;
    }
    room->is_taken = room->block != NULL;
    return room->block;
}

void tqa_buffer_pool_give(tqa_buffer_pools *rooms, void *block)
{
    for (size_t k = 0; rooms != NULL && k < TQA_BUFFER_POOLS_MAX; k++) {
        if (block != NULL && rooms->rooms[k].block == block) {
            rooms->rooms[k].is_taken = false;
            tq_scratch_release(block, rooms->rooms[k].n); /* the next pass may keep rows in it */
            return;
        }
    }
    free(block);
}

void tqa_buffer_pools_free(tqa_buffer_pools *rooms)
{
    for (size_t k = 0; k < TQA_BUFFER_POOLS_MAX; k++) {
        free(rooms->rooms[k].block);
        rooms->rooms[k] = (tqa_buffer_pool){0};
    }
}
