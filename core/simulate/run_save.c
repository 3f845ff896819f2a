/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run_save.c - a run as bytes, between two of its stretches. */
#include <string.h>

#include "core/simulate/run_private.h"

/* Head, then y, held values (one each), numbers of the next samples. */
typedef struct head {
    uint64_t size, method, n, n_held, n_effect, untold;
    double t, h;
    tq_ode_stats stats;
} head;

size_t tq_run_save_size(const tq_run *run)
{
    const tq_run_private *p = run->own;
    return sizeof(head) + (p->n + p->n_held) * sizeof(double) +
           p->plant->n_effect * sizeof(uint64_t);
}

void tq_run_save(const tq_run *run, unsigned char *ret)
{
    const tq_run_private *p = run->own;
    const head top = {.size = tq_run_save_size(run),
                      .method = (uint64_t)p->options.method,
                      .n = p->n,
                      .n_held = p->n_held,
                      .n_effect = p->plant->n_effect,
                      .untold = p->untold,
                      .t = run->t,
                      .h = p->h,
                      .stats = run->stats};
    memcpy(ret, &top, sizeof top);
    ret += sizeof top;
    memcpy(ret, p->y, p->n * sizeof *p->y);
    ret += p->n * sizeof *p->y;
    for (size_t k = 0; k < p->n_held; k++, ret += sizeof(double)) {
        memcpy(ret, &p->now.as.held[k * TQ_RUN_LANE], sizeof(double));
    }
    memcpy(ret, p->due, p->plant->n_effect * sizeof *p->due);
}

int tq_run_load(tq_run *run, const unsigned char *bytes, size_t n)
{
    tq_run_private *p = run->own;
    head top;
    if (n != tq_run_save_size(run)) {
        return 0;
    }
    memcpy(&top, bytes, sizeof top);
    bytes += sizeof top;
    if (top.size != n || top.method != (uint64_t)p->options.method || top.n != p->n ||
        top.n_held != p->n_held || top.n_effect != p->plant->n_effect) {
        return 0;
    }
    memcpy(p->ahead, bytes, p->n * sizeof *p->ahead);
    bytes += p->n * sizeof *p->ahead;
    for (size_t k = 0; k < p->n_held; k++, bytes += sizeof(double)) {
        memcpy(&p->now.as.held[k * TQ_RUN_LANE], bytes, sizeof(double));
        tq_block_pad(&p->now.as.held[k * TQ_RUN_LANE], 1, TQ_RUN_LANE, 1);
    }
    memcpy(p->due, bytes, p->plant->n_effect * sizeof *p->due);
    p->untold = top.untold;
    tq_run_restart(p, top.t, top.h, &top.stats);
    return 1;
}
