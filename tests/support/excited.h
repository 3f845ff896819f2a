/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/excited.h - experiments for fits: motion with several harmonics, and its torque. */
#ifndef TQT_EXCITED_H
#define TQT_EXCITED_H

#include "core/identify/regression/fit.h"
#include "tests/support/random.h"
#include "tests/support/subject.h"

/* Rows of n_sample numbers, one after another: q, qd, qdd, tau (nv each; robots whose joints all
 * have one freedom). */
typedef struct tqt_excited {
    size_t n_sample, nv;
    double rate; /* samples a second */
    double *q, *qd, *qdd, *tau;
    double *friction_rows; /* rows for tq_experiment_block.friction_rows; NULL: none */
} tqt_excited;

/* Sums of five harmonics of 1 / period with random weights, derivatives exact, torque by inverse
 * dynamics of the subject, friction included. Rates of about +-1.5, travel of +-1. */
tqt_excited tqt_excited_new(tqt_subject *subject, uint64_t seed, size_t n_sample, double rate,
                            double period);
void tqt_excited_free(tqt_excited *excited);

/* The subject's torque along the motion in q, qd and qdd. */
void tqt_excited_torque(tqt_subject *subject, tqt_excited *excited);

/* A number with mean 0 and deviation 1. */
double tqt_normal(tqt_random *r);

/* Reads all samples as experiment `number` of a fit; ends the test on an error. */
void tqt_fit_read(tq_fit *fit, size_t number, const tqt_excited *excited, tq_scratch *scratch);

/* Block `b` of the experiment, in memory of the caller (4 nv x TQ_BLOCK, aligned to 64). */
tq_experiment_block tqt_excited_block(const tqt_excited *excited, size_t b, double *memory);

#endif
