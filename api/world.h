/* SPDX-License-Identifier: Apache-2.0 */
/* api/world.h - everything that api may ask of the process around it. The daemon fills one in; a
 * test can fake it. */
#ifndef TQA_WORLD_H
#define TQA_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tqa_robot;

/* Every function may be called from any worker; ctx is the daemon's. */
typedef struct tqa_world {
    void *ctx;

    /* A robot by "name" or "name@digest"; NULL if there is none. Give it back with robot_release.
     */
    const struct tqa_robot *(*robot_get)(void *ctx, const char *name);
    void (*robot_release)(void *ctx, const struct tqa_robot *robot);

    /* Runs body(arg, i) for i = 0 .. n-1 on this and any idle workers, and returns when all are
     * done. `scratch_size` bytes aligned to 64 are given to each call; they are the running
     * thread's. */
    void (*parallel_for)(void *ctx, size_t n, size_t scratch_size,
                         void (*body)(void *arg, size_t i, void *scratch), void *arg);

    /* Long computations only: told now and then, asked between steps. NULL-safe no-ops in the
     * inline path. */
    void (*progress)(void *ctx, double fraction, const char *step);
    bool (*cancelled)(void *ctx);

    /* Saves a checkpoint (replacing the last one); loads it: bytes copied, 0 if there is none. */
    int (*checkpoint_save)(void *ctx, const void *bytes, size_t n);
    size_t (*checkpoint_load)(void *ctx, void *bytes, size_t size);

    /* Reads `n` bytes at `offset` of a dataset or result by name; the count read, or -1. */
    long (*dataset_read)(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n);
} tqa_world;

#endif
