/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/random.c - xoshiro256** and random values for tests. */
#include "tests/support/random.h"

#include <math.h>

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

tqt_random tqt_random_seed(uint64_t seed)
{
    tqt_random r;
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        r.s[i] = z ^ (z >> 31);
    }
    return r;
}

uint64_t tqt_random_bits(tqt_random *r)
{
    const uint64_t bits = rotate_left(r->s[1] * 5, 7) * 9;
    const uint64_t t = r->s[1] << 17;
    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = rotate_left(r->s[3], 45);
    return bits;
}

uint32_t tqt_random_below(tqt_random *r, uint32_t n)
{
    return (uint32_t)(((tqt_random_bits(r) >> 32) * n) >> 32);
}

double tqt_random_uniform(tqt_random *r, double lower, double upper)
{
    return lower + (upper - lower) * ((double)(tqt_random_bits(r) >> 11) * 0x1p-53);
}

int tqt_random_chance(tqt_random *r, double probability)
{
    return tqt_random_uniform(r, 0.0, 1.0) < probability;
}

void tqt_random_unit(tqt_random *r, uint32_t n, double *ret_x)
{
    /* points of the ball; those near its centre are rejected, so that scaling loses no digits */
    double square = 0.0;
    while (square < 0.01 || square > 1.0) {
        square = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            ret_x[i] = tqt_random_uniform(r, -1.0, 1.0);
            square += ret_x[i] * ret_x[i];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        ret_x[i] /= sqrt(square);
    }
}

void tqt_random_rotation(tqt_random *r, double ret_r[9])
{
    double h[4];
    tqt_random_unit(r, 4, h);
    const double w = h[0];
    const double x = h[1];
    const double y = h[2];
    const double z = h[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++) {
        ret_r[i] = m[i];
    }
}
