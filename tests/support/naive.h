/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/naive.h - Newton-Euler in world axes, and random trees, to test kernels. */
#ifndef TQ_TEST_NAIVE_H
#define TQ_TEST_NAIVE_H

#include <stdint.h>

#include "core/torqued.h"

enum { NAIVE_JOINT_MAX = 70 };

/* A random finished model with its own storage. */
typedef struct naive_robot {
    tq_model model;
    tq_link links[NAIVE_JOINT_MAX + 1];
    tq_joint joints[NAIVE_JOINT_MAX];
    uint32_t order[NAIVE_JOINT_MAX];
    uint64_t state; /* of the random numbers */
    void *memory;   /* of the mechanism, malloc'ed */
    const tq_mechanism *mechanism;
} naive_robot;

enum {
    NAIVE_SINGLES = 1, /* revolute and prismatic only; otherwise every kind */
    NAIVE_CHAIN = 2,   /* no branches */
    NAIVE_NO_MIMIC = 4,
    NAIVE_PLAIN = 8, /* no friction, springs, rotors */
};

void naive_random_robot(naive_robot *robot, uint32_t n_joint, unsigned flags, uint64_t seed);
void naive_free(naive_robot *robot);

/* uniform in [-1, 1) */
double naive_uniform(uint64_t *state);

/* Fills a block: unit quaternions, all other numbers uniform in [-size, size], padding included. */
void naive_random_q(naive_robot *robot, size_t n_sample, size_t stride, double *q);
void naive_random_v(naive_robot *robot, size_t n_sample, size_t stride, double size, double *v);

/* One sample, flat arrays. external: (6 n_link) wrenches (f, m) about link origins in world axes,
 * or NULL. ret_joint: (6 n_joint) wrench of the parent on each child in child axes about the
 * child's origin, or NULL. Friction, springs and rotors are not included. Returns the size of the
 * terms that were summed, for tolerances. */
double naive_inverse(const tq_model *model, const double *gravity, const double *q,
                     const double *qd, const double *qdd, const double *external, double *ret_tau,
                     double *ret_joint);

#endif
