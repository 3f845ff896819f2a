/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/delay.h - samples of a stream together with those one lag before and after:
 * private. */
#ifndef TQ_IDENTIFY_DELAY_H
#define TQ_IDENTIFY_DELAY_H

#include "core/identify/regression/fit_private.h"

/* Buffers two lags of samples, and returns runs with both neighbours. */
typedef struct tq_fit_delay {
    const tq_fit *fit;
    size_t lag, begin, n, room; /* samples: at the front consumed, in use, capacity */
    double
        *rows; /* (nq + 3 nv + friction rows) x room: q, qd, qdd, tau, signs, other friction rows */
    bool is_given; /* signs and friction rows are given by blocks */
    tq_fit_run now, before, after;
    int64_t *offset; /* (widths of all rows) into now.values: instruments, columns, torque */
} tq_fit_delay;

size_t tq_fit_delay_size(const tq_fit *fit);
tq_status tq_fit_delay_take(const tq_fit *fit, tq_scratch *scratch, tq_fit_delay *ret,
                            tq_error *reterr);

/* All runs must be taken out before the next n samples of a run are added, with their signs. */
void tq_fit_delay_put(tq_fit_delay *delay, const tq_fit_run *run, size_t n);

/* The next samples follow a gap: they have no neighbours before it. */
void tq_fit_delay_forget(tq_fit_delay *delay);

/* Values of the next run, and of its instruments: the mean of the columns a lag before and a lag
 * after. *ret_n 0: more samples must be put first. */
tq_status tq_fit_delay_next(tq_fit_delay *delay, const double *load, size_t *ret_n,
                            tq_error *reterr);

#endif
