/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run_save.c - checkpoint of a run as bytes. */
#include <string.h>

#include "core/simulate/run_private.h"

/* Head, then y, held values (one each), numbers of the next samples, sides and modes. */
typedef struct head {
    uint64_t size, method, n, n_held, n_effect, untold, n_watch, has_modes, chatter;
    double t, h, last_event;
    tq_ode_stats stats;
} head;

size_t tq_run_save_size(const tq_run *run)
{
    const tq_run_private *p = run->own;
    return sizeof(head) + (p->n + p->n_held) * sizeof(double) +
           p->plant->n_effect * sizeof(uint64_t) + p->n_watch * sizeof(double) +
           (p->mode != NULL ? tq_run_stickers(p->model) : 0);
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
                      .n_watch = p->n_watch,
                      .has_modes = p->mode != NULL,
                      .chatter = p->chatter,
                      .last_event = p->last_event,
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
    ret += p->plant->n_effect * sizeof *p->due;
    if (p->n_watch > 0) {
        memcpy(ret, p->side, p->n_watch * sizeof *p->side);
        ret += p->n_watch * sizeof *p->side;
    }
    if (p->mode != NULL) {
        memcpy(ret, p->mode, tq_run_stickers(p->model));
    }
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
        top.n_held != p->n_held || top.n_effect != p->plant->n_effect ||
        top.n_watch != p->n_watch || top.has_modes != (uint64_t)(p->mode != NULL)) {
        return 0;
    }
    memcpy(p->ahead, bytes, p->n * sizeof *p->ahead);
    bytes += p->n * sizeof *p->ahead;
    for (size_t k = 0; k < p->n_held; k++, bytes += sizeof(double)) {
        memcpy(&p->now.as.held[k * TQ_RUN_LANE], bytes, sizeof(double));
        tq_block_pad(&p->now.as.held[k * TQ_RUN_LANE], 1, TQ_RUN_LANE, 1);
    }
    memcpy(p->due, bytes, p->plant->n_effect * sizeof *p->due);
    bytes += p->plant->n_effect * sizeof *p->due;
    if (p->n_watch > 0) {
        memcpy(p->side, bytes, p->n_watch * sizeof *p->side);
        bytes += p->n_watch * sizeof *p->side;
    }
    if (p->mode != NULL) {
        memcpy(p->mode, bytes, tq_run_stickers(p->model));
    }
    p->pending = 0;
    p->chatter = (unsigned)top.chatter;
    p->last_event = top.last_event;
    p->untold = top.untold;
    tq_run_restart(p, top.t, top.h, &top.stats);
    return 1;
}
