/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/noise.c - counter-based random numbers. */
#include "core/plant/noise.h"

#include <math.h>

#include "core/elementary/elementary.h"

/* variant 13 of Stafford's mixers, as in SplitMix64 */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t tq_noise_bits(uint64_t seed, uint64_t stream, uint64_t k)
{
    const uint64_t weyl = 0x9e3779b97f4a7c15u;
    const uint64_t home = mix(mix(seed + weyl) ^ (stream * 0xd1342543de82ef95u + weyl));
    return mix(home + (k + 1) * weyl);
}

/* (0, 1], 53 bits */
static double unit(uint64_t bits)
{
    return ((double)(bits >> 11) + 1.0) * 0x1p-53;
}

double tq_noise_normal(uint64_t seed, uint64_t stream, uint64_t k)
{
    const double u = unit(tq_noise_bits(seed, stream, 2 * k));
    const double v = unit(tq_noise_bits(seed, stream, 2 * k + 1));
    return sqrt(-2.0 * tq_log(u)) * tq_cos(2.0 * M_PI * v);
}
