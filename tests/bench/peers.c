/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/peers.c - loads releases of the peer, each with its own symbols. */
#include "tests/bench/peers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const bench_peer_calls *bench_peer_open(const char *path)
{
    if (path == NULL || strcmp(path, "-") == 0) {
        return NULL;
    }
    /* local: two releases define the same templates, and each must take its own */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const bench_peer_calls *calls = library != NULL ? dlsym(library, "bench_peer_table") : NULL;
    if (calls == NULL) {
        printf("peer not measured: %s\n", dlerror());
    }
    return calls;
}
