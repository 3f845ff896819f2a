/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/peer.h - Pinocchio behind a C door, so that it runs interleaved with ours in one
 * process. */
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
    BENCH_MOMENTUM,    /* of the whole robot, with its centre of mass */
    BENCH_KERNEL_COUNT
} bench_kernel;

/* Version and compiler of the peer, NULL when the program was built without it. */
const char *bench_peer_version(void);

/* The same robot and states in the peer's own form; arrays in our block layout, one block. */
typedef struct bench_peer bench_peer;
bench_peer *bench_peer_new(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                           const double *qd, const double *qdd, const double *tau);
void bench_peer_free(bench_peer *peer);

/* Runs one kernel once over all states. */
void bench_peer_run(bench_peer *peer, bench_kernel kernel);

/* What the last run computed for the last state: tau or qdd (nv); or a matrix of n_row rows, read
 * at (row, column) in our order of coordinates. */
double bench_peer_vector(const bench_peer *peer, bench_kernel kernel, size_t row);
double bench_peer_matrix(const bench_peer *peer, bench_kernel kernel, size_t row, size_t column);
/* linear (3) and angular (3) about the centre of mass */
double bench_peer_momentum(const bench_peer *peer, size_t row);

#ifdef __cplusplus
}
#endif
#endif
