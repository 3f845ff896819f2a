/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/wrench.h - external wrenches of a request, with every part stated. */
#ifndef TQA_REQUEST_WRENCH_H
#define TQA_REQUEST_WRENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/request/samples.h"
#include "core/dynamics/inverse.h"

enum { TQA_WRENCH_MAX = 256 }; /* in one request */

typedef struct tqa_wrench {
    tqa_blocks blocks; /* 6 rows: force, moment */
    tqa_rows force, moment;
    bool has_force, has_moment;
    uint32_t link;
    double at[3];  /* in the link frame */
    bool negative; /* applied to the environment: its negative acts on the robot */
    bool constant; /* the same for all samples */
    tq_frame expressed_in;
} tqa_wrench;

typedef struct tqa_wrenches {
    tqa_wrench *items; /* (n) malloc'ed */
    size_t n, n_room;
} tqa_wrenches;

void tqa_wrenches_clear(tqa_wrenches *wrenches);

/* The wrenches for the samples of block b: fills out[0 .. n - 1]. */
void tqa_wrenches_block(const tqa_wrenches *wrenches, size_t b, tq_external_wrench *out);

#endif
