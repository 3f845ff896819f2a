/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/coverage.h - noisy experiments on one arm: how often intervals hold the truth. */
#ifndef TQT_COVERAGE_H
#define TQT_COVERAGE_H

#include "core/identify/regression/fit.h"

/* What is measured with what noise, and how it is filtered. */
typedef struct tqt_coverage_options {
    size_t n_experiment; /* fits; each of its own motion and noise */
    size_t n_run;        /* experiments that one fit is given */
    double noise_q;      /* rad */
    double noise_tau;    /* of the torque's rms */
    double cutoff;       /* Hz */
    double smoothing;    /* rad/s within which friction turns; 0: 0.2 */
    bool as_it_is;       /* friction's columns do not pass the filter */
    tq_fit_method method;
    bool chooses; /* instruments instead, where the noise in the data requires them */
} tqt_coverage_options;

typedef struct tqt_coverage {
    size_t n_interval;
    double within;      /* share of the intervals (95 %) that hold the truth */
    double textbook;    /* the same for value +- 1.96 textbook deviations */
    double bias;        /* rms over parameters of mean error / mean deviation */
    double attenuation; /* worst mean error of a rotor, relative */
    double expected;    /* the same of what tq_noise_bias_find says, where it is asked */
    double switched;    /* share of the experiments that instruments were chosen for */
} tqt_coverage;

/* The arm is Li & Wu's elbow with rotors, viscous friction, Coulomb friction and offsets; q and tau
 * are sampled at 200 Hz for ten seconds, both go through the same filter, rates and accelerations
 * are central differences of the filtered position, and friction's columns go through it too. */
tqt_coverage tqt_cover(const tqt_coverage_options *options);

#endif
