/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/passivity.h - do the motors together take work out of a path that ends as it began?
 */
#ifndef TQ_SIGNAL_PASSIVITY_H
#define TQ_SIGNAL_PASSIVITY_H

#include "core/signal/recording.h"

/* Work along a stretch of motion. */
typedef struct tq_passivity {
    double work;      /* J, of all motors together */
    double explained; /* J: a right recording takes no more out than this */
    uint32_t joint;   /* that takes most out; TQ_NONE: none takes any */
} tq_passivity;

/**
 * Compare the work of all motors with what a right recording may show.
 *
 *     sum_j int tau_j dq_j = E(end) - E(start) + D,  D >= 0
 *
 * A single joint's work proves nothing: it may take out what another has put in. The sum over a
 * path closed in position and velocity is friction's, and negative only if a sign is wrong. Allowed
 * for: the way back from the end to the start, by the largest torques and the usual accelerations
 * of the recording itself; six deviations of the torque's white noise; a delay between torque and
 * motion, which makes work of a part of what flows back and forth.
 *
 * Shapes   even->n >= 64 unfiltered samples, joints of one freedom (model->nq == model->nv).
 * Memory   none
 * Returns  work, its allowance, and the joint to look at: work < -explained proves a wrong sign
 * Cost     A dozen operations a sample and joint, twice.
 * Source   balance of energy; Ortega et al., Passivity-based Control of Euler-Lagrange Systems
 *          (1998), ch. 2
 * Checked  tests/unit/core/signal/test_plausibility.c, tests/contract/test_calibrate_signs.py
 */
tq_passivity tq_recording_passivity(const tq_recording *recording, const tq_uniform *even);

#endif
