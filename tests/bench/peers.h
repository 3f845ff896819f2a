/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/peers.h - the two releases of the peer that speed is set beside. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "tests/bench/peer.h"

/* The release that the targets were set against decides; the newest is printed beside it, with the
 * same targets, so that nothing is hidden. */
enum { BENCH_PEER_OF_TARGETS, BENCH_PEER_NEWEST, BENCH_PEERS };

/* The release in a shared library; NULL, with a line that says so, where `path` is NULL, "-" or
 * cannot be loaded: its ratios are "not measured" then. */
const bench_peer_calls *bench_peer_open(const char *path);

#endif
