/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/peer.h - Pinocchio with a C interface, so that its releases run interleaved with ours
 * in one process. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_kernel {
    BENCH_RNEA,
    BENCH_ABA_LOCAL,
    BENCH_ABA_WORLD,
    BENCH_CRBA_LOCAL,
    BENCH_CRBA_WORLD,
    BENCH_REGRESSOR,
    BENCH_CORIOLIS,
    BENCH_DERIVATIVES, /* of inverse dynamics, by q and by qd */
    BENCH_SECOND,      /* derivatives of inverse dynamics by q, qd and qdd */
    BENCH_MOMENTUM,    /* of the whole robot, with its centre of mass */
    BENCH_KERNEL_COUNT
} bench_kernel;

/* The same robot and states in the peer's own form. */
typedef struct bench_peer bench_peer;

/* One release of the peer: a shared library of its own, which exports this table alone, so that
 * two releases run in one process. */
typedef struct bench_peer_calls {
    const char *version; /* and its compiler */
    /* arrays in our block layout, one block */
    bench_peer *(*make)(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                        const double *qd, const double *qdd, const double *tau);
    void (*unmake)(bench_peer *peer);
    /* one kernel once over all states */
    void (*run)(bench_peer *peer, bench_kernel kernel);
    /* what the last run computed for the last state: tau or qdd (nv); or a matrix of n_row rows,
     * read at (row, column) in our order of coordinates; or the momentum, linear (3) and angular
     * (3) about the centre of mass */
    double (*vector)(const bench_peer *peer, bench_kernel kernel, size_t row);
    double (*matrix)(const bench_peer *peer, bench_kernel kernel, size_t row, size_t column);
    double (*momentum)(const bench_peer *peer, size_t row);
    /* entry [i][j][k] of the arrays of tq_second_derivatives, in their order */
    double (*second)(const bench_peer *peer, size_t array, size_t i, size_t j, size_t k);
} bench_peer_calls;

/* The library's one symbol; peers.c looks it up by this name. */
extern const bench_peer_calls bench_peer_table;

#ifdef __cplusplus
}
#endif
#endif
