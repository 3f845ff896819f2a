/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/spectrum.h - power spectrum, coherence, and the bandwidths of motion and noise. */
#ifndef TQ_SIGNAL_SPECTRUM_H
#define TQ_SIGNAL_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

/**
 * Power spectral density by Welch's method: Hann windows of n_fft samples, half overlapping, each
 * with its mean removed; one-sided. Fewer samples are one zero-padded window.
 *
 * Shapes   x (n), 2 n >= n_fft; n_fft a power of two from 8 on; ret_power (n_fft / 2 + 1) at the
 *          frequencies k rate / n_fft.
 * Units    (unit of x)^2 / (unit of rate).
 * Memory   tq_spectrum_scratch_size(n_fft) bytes of scratch.
 * Returns  TQ_OK, TQ_ERR_SHAPE or TQ_ERR_SCRATCH
 * Cost     n log2(n_fft) about 20 ns.
 * Source   P. Welch, IEEE Trans. Audio and Electroacoustics 15(2), 1967.
 * Checked  tests/unit/core/signal/test_spectrum.c, against SciPy
 */
tq_status tq_spectrum(size_t n, const double *x, double rate, size_t n_fft, tq_scratch *scratch,
                      double *ret_power, tq_error *reterr);
size_t tq_spectrum_scratch_size(size_t n_fft);

/**
 * Hz up to which x and y are coherent: the end of the highest band, a quarter of its frequency
 * wide, in which the coherence |Sxy|^2 / (Sxx Syy) is significant; infinite if the whole spectrum
 * is coherent, or if samples are too few. For a joint's position and torque: above this frequency
 * the position is noise, coloured or white, since motion requires torque and encoder noise does
 * not.
 *
 * Shapes   x, y (n).
 * Memory   tq_coherence_scratch_size(n) bytes of scratch.
 * Returns  TQ_OK or TQ_ERR_SCRATCH
 * Source   G. Carter, C. Knapp, A. Nuttall, IEEE Trans. Audio and Electroacoustics 21(4), 1973.
 * Checked  tests/unit/core/signal/test_spectrum.c
 */
tq_status tq_coherence_end(size_t n, const double *x, const double *y, double rate,
                           tq_scratch *scratch, double *ret, tq_error *reterr);
size_t tq_coherence_scratch_size(size_t n);

/* Bandwidths of a position spectrum, for the choice of a cut-off. Hz. */
typedef struct tq_bandwidth {
    double motion; /* w_BW: below it 99.5 % of the velocity's power above the noise */
    double noise;  /* w_noise: above it only noise; the Nyquist frequency if there is no such
                      band */
    double floor;  /* noise density */
} tq_bandwidth;

/**
 * Bandwidth of motion and start of noise from a spectrum of positions. The noise is the median of
 * the upper half of the spectrum; motion is below `end` Hz (tq_coherence_end; INFINITY:
 * unknown).
 *
 * Shapes   power (n_fft / 2 + 1); tq_bandwidth_scratch_size(n_fft) bytes of scratch.
 * Returns  TQ_OK or TQ_ERR_SCRATCH. A constant signal has motion 0 and noise 0.
 * Checked  tests/unit/core/signal/test_spectrum.c
 */
tq_status tq_bandwidth_find(size_t n_fft, double rate, const double *power, double end,
                            tq_scratch *scratch, tq_bandwidth *ret, tq_error *reterr);
/* Refines the motion bandwidth by a finer spectrum of few windows: its variance is larger, so only
 * power far above the floor counts, and the bandwidth is never raised. */
void tq_bandwidth_refine(size_t n_fft, double rate, const double *power, double end,
                         tq_bandwidth *inout);
/* Median density of a band, Hz from and to; 0: no frequency of the spectrum is in it. */
tq_status tq_bandwidth_level(size_t n_fft, double rate, const double *power, const double band[2],
                             tq_scratch *scratch, double *ret, tq_error *reterr);
size_t tq_bandwidth_scratch_size(size_t n_fft);

/* A cut-off, compared with the rule 10 w_BW < w_f < 0.1 w_noise (Khalil & Dombre). Hz. */
typedef struct tq_cutoff {
    double cutoff;
    bool above_motion; /* 10 w_BW <= w_f, to rounding */
    bool below_noise;  /* w_f <= 0.1 w_noise */
} tq_cutoff;

/* Cut-off for a bandwidth: 10 w_BW, but at least 0.1 % of the rate (1 % without motion), and at
 * most 40 %. */
tq_cutoff tq_cutoff_choose(const tq_bandwidth *bandwidth, double rate);
/* Compares a given cut-off with the rule. */
tq_cutoff tq_cutoff_judge(const tq_bandwidth *bandwidth, double cutoff);

#endif
