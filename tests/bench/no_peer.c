/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/no_peer.c - stands in for pinocchio.cpp where Pinocchio is not installed. */
#include "tests/bench/peer.h"

const char *bench_peer_version(void)
{
    return NULL;
}

bench_peer *bench_peer_new(const tq_model *model, size_t n_sample, size_t stride, const double *q,
                           const double *qd, const double *qdd, const double *tau)
{
    (void)model, (void)n_sample, (void)stride, (void)q, (void)qd, (void)qdd, (void)tau;
    return NULL;
}

void bench_peer_free(bench_peer *peer)
{
    (void)peer;
}

void bench_peer_run(bench_peer *peer, bench_kernel kernel)
{
    (void)peer, (void)kernel;
}

double bench_peer_vector(const bench_peer *peer, bench_kernel kernel, size_t row)
{
    (void)peer, (void)kernel, (void)row;
    return 0;
}

double bench_peer_matrix(const bench_peer *peer, bench_kernel kernel, size_t row, size_t column)
{
    (void)peer, (void)kernel, (void)row, (void)column;
    return 0;
}

double bench_peer_momentum(const bench_peer *peer, size_t row)
{
    (void)peer;
    (void)row;
    return 0;
}
