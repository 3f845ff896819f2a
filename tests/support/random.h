/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/random.h - seeded random numbers that are the same on every machine. */
#ifndef TQT_RANDOM_H
#define TQT_RANDOM_H

#include <stdint.h>

/* xoshiro256** by Blackman and Vigna, seeded through splitmix64 as its authors advise. */
typedef struct tqt_random {
    uint64_t s[4];
} tqt_random;

tqt_random tqt_random_seed(uint64_t seed);
uint64_t tqt_random_bits(tqt_random *r);

/* 0 .. n - 1; n > 0. */
uint32_t tqt_random_below(tqt_random *r, uint32_t n);

/* True with the given probability. */
int tqt_random_chance(tqt_random *r, double probability);

/* Uniform in [lower, upper). */
double tqt_random_uniform(tqt_random *r, double lower, double upper);

/* A point on the unit sphere in n (at most 8) dimensions. */
void tqt_random_unit(tqt_random *r, uint32_t n, double *ret_x);

/* A rotation matrix, row by row. */
void tqt_random_rotation(tqt_random *r, double ret_r[9]);

#endif
