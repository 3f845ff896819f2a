/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/random.h - numbers drawn alike on every machine. */
#ifndef TQ_BASE_RANDOM_H
#define TQ_BASE_RANDOM_H

#include <stdint.h>

/* SplitMix64 */
static inline uint64_t tq_random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* uniform in [-1, 1) */
static inline double tq_random_unit(uint64_t *state)
{
    return (double)(int64_t)(tq_random_bits(state) >> 11) * 0x1p-52 - 1.0;
}

#endif
