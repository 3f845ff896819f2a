/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/checkpoint.c - sums of spools by XXH3-128, beside the bytes of a checkpoint. */
#include "daemon/jobs/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "api/version.h"

enum { PIECE = 256 << 10 };
static const char magic[8] = {'t', 'q', 'd', 's', 'a', 'v', 'e', '1'};

static void begin(tqd_spool_sum *sum)
{
    XXH3_INITSTATE(&sum->state);
    (void)XXH3_128bits_reset(&sum->state);
    sum->size = 0;
}

void tqd_spool_sum_add(tqd_spool_sum *sum, const void *bytes, size_t n)
{
    if (sum->size == 0) {
        begin(sum);
    }
    (void)XXH3_128bits_update(&sum->state, bytes, n);
    sum->size += n;
}

bool tqd_spool_sum_to(tqd_spool_sum *sum, const tqd_scratch_file *aside, uint64_t size)
{
    if (sum->size > size) {
        begin(sum);
    }
    if (sum->size == size) {
        return true;
    }
    char *piece = malloc(PIECE);
    bool good = piece != NULL;
    while (good && sum->size < size) {
        const uint64_t left = size - sum->size;
        const size_t n = left < PIECE ? (size_t)left : (size_t)PIECE;
        good = tqd_scratch_file_read(aside, sum->size, piece, n) == (long)n;
        if (good) {
            tqd_spool_sum_add(sum, piece, n);
        }
    }
    free(piece);
    return good;
}

tqd_checkpoint_head tqd_checkpoint_head_of(const tqd_spool_sum *sum)
{
    tqd_checkpoint_head head = {.version = TQA_VERSION, .spool_size = sum->size};
    memcpy(head.magic, magic, sizeof magic);
    XXH128_canonicalFromHash(&head.spool_sum, sum->size > 0 ? XXH3_128bits_digest(&sum->state)
                                                            : XXH3_128bits("", 0));
    return head;
}

bool tqd_checkpoint_is_own(const tqd_checkpoint_head *head)
{
    static const tqd_spool_sum none;
    const tqd_checkpoint_head own = tqd_checkpoint_head_of(&none);
    return memcmp(head->magic, own.magic, sizeof own.magic) == 0 &&
           memcmp(head->version, own.version, sizeof own.version) == 0;
}

bool tqd_checkpoint_has_spool(const tqd_checkpoint_head *head, const tqd_scratch_file *aside,
                              tqd_spool_sum *sum)
{
    sum->size = 0;
    if (head->spool_size > 0 && !tqd_spool_sum_to(sum, aside, head->spool_size)) {
        return false;
    }
    const tqd_checkpoint_head found = tqd_checkpoint_head_of(sum);
    return memcmp(&found.spool_sum, &head->spool_sum, sizeof found.spool_sum) == 0;
}
