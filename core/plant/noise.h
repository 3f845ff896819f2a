/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/noise.h - counter-based random numbers. */
#ifndef TQ_PLANT_NOISE_H
#define TQ_PLANT_NOISE_H

#include <stdint.h>

/* Number k of a stream: 64 bits that depend on seed, stream and k only, so that a run does not
 * depend on threads, steps or interruptions. Source: G. Steele, D. Lea, C. Flood, Fast splittable
 * pseudorandom number generators, OOPSLA 2014 (the finaliser, over Weyl sequences). */
uint64_t tq_noise_bits(uint64_t seed, uint64_t stream, uint64_t k);

/* Number k of a stream of independent standard normal numbers, by the Box-Muller transform. Checked
 * tests/property/core/plant/test_disturbance.c */
double tq_noise_normal(uint64_t seed, uint64_t stream, uint64_t k);

#endif
