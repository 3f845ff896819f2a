/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/wrench.c - external wrenches as core takes them, and their memory. */
#include "api/request/wrench.h"

#include <stdlib.h>

void tqa_wrenches_clear(tqa_wrenches *wrenches)
{
    for (size_t w = 0; w < wrenches->n; w++) {
        tqa_blocks_clear(&wrenches->items[w].blocks);
    }
    free(wrenches->items);
    *wrenches = (tqa_wrenches){0};
}

void tqa_wrenches_block(const tqa_wrenches *wrenches, size_t b, tq_external_wrench *out)
{
    for (size_t w = 0; w < wrenches->n; w++) {
        const tqa_wrench *wrench = &wrenches->items[w];
        out[w] = (tq_external_wrench){
            .link = wrench->link,
            .expressed_in = wrench->expressed_in,
            .at = {wrench->at[0], wrench->at[1], wrench->at[2]},
            .rows = tqa_blocks_block(&wrench->blocks, wrench->constant ? 0 : b),
            .row_stride = wrench->blocks.stride,
            .sample_step = wrench->constant ? 0 : 1,
        };
    }
}
