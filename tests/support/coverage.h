/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/coverage.h - noisy experiments on one arm: how often intervals contain the true
 * value. */
#ifndef TQT_COVERAGE_H
#define TQT_COVERAGE_H

#include "core/identify/regression/fit.h"

/* Noise, filter and number of the simulated experiments. */
typedef struct tqt_coverage_options {
    size_t n_experiment; /* number of fits, each with its own motion and noise */
    size_t n_run;        /* recordings of one fit */
    double noise_q;      /* rad */
    double noise_tau;    /* of the torque's rms */
    double cutoff;       /* Hz */
    double smoothing;    /* rad/s, width of the smoothed sign of friction; 0: 0.2 */
    bool as_it_is;       /* friction columns do not pass the filter */
    tq_fit_method method;
    bool chooses; /* uses instruments if the noise in the data requires them */
} tqt_coverage_options;

typedef struct tqt_coverage {
    size_t n_interval;
    double within;      /* fraction of the 95 % intervals that contain the true value */
    double textbook;    /* the same for value +- 1.96 textbook deviations */
    double bias;        /* rms over parameters of mean error / mean deviation */
    double attenuation; /* worst mean error of a rotor, relative */
    double expected;    /* the same by tq_noise_bias_find, if it is evaluated */
    double switched;    /* fraction of the experiments for which instruments were chosen */
} tqt_coverage;

/* The arm is Li & Wu's elbow with rotors, viscous friction, Coulomb friction and offsets; q and tau
 * are sampled at 200 Hz for ten seconds, both are filtered by the same filter, rates and
 * accelerations are central differences of the filtered position, and friction columns are filtered
 * too. */
tqt_coverage tqt_cover(const tqt_coverage_options *options);

#endif
