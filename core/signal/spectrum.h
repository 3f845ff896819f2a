/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/spectrum.h - where in frequency a signal lives, and where only noise does. */
#ifndef TQ_SIGNAL_SPECTRUM_H
#define TQ_SIGNAL_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

/**
 * Power spectral density by Welch's method: Hann windows of n_fft samples, half overlapping, each
 * with its mean taken off; one-sided. Fewer samples are one window, with zeros behind it.
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
 * Hz up to which y follows x: the end of the highest band, a quarter of its frequency wide, in
 * which the coherence |Sxy|^2 / (Sxx Syy) is more than chance; infinite where that is all of them,
 * or where there are too few samples to tell. Of a joint's positions and torque: what is beyond is
 * noise of position, whatever its colour, since motion takes torque and noise of an encoder none.
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

/* What a spectrum of positions says about the choice of a cut-off. Hz. */
typedef struct tq_bandwidth {
    double motion; /* w_BW: 99.5 % of the velocity's power above the noise lies below it */
    double noise;  /* w_noise: from here on there is noise only; the Nyquist frequency if nowhere */
    double floor;  /* density of the noise */
} tq_bandwidth;

/**
 * Bandwidth of motion and begin of noise from a spectrum of positions. The noise is the median of
 * the upper half of the spectrum; motion lies below `end` Hz (tq_coherence_end; INFINITY: not
 * known).
 *
 * Shapes   power (n_fft / 2 + 1); tq_bandwidth_scratch_size(n_fft) bytes of scratch.
 * Returns  TQ_OK or TQ_ERR_SCRATCH. A signal that stands still has motion 0 and noise 0.
 * Checked  tests/unit/core/signal/test_spectrum.c
 */
tq_status tq_bandwidth_find(size_t n_fft, double rate, const double *power, double end,
                            tq_scratch *scratch, tq_bandwidth *ret, tq_error *reterr);
/* The motion once more, by a finer spectrum of a few windows: it scatters, so only what stands far
 * above the floor counts, and it finds no faster motion. */
void tq_bandwidth_refine(size_t n_fft, double rate, const double *power, double end,
                         tq_bandwidth *inout);
/* Median density of a band, Hz from and to; 0: it has no frequency of the spectrum. */
tq_status tq_bandwidth_level(size_t n_fft, double rate, const double *power, const double band[2],
                             tq_scratch *scratch, double *ret, tq_error *reterr);
size_t tq_bandwidth_scratch_size(size_t n_fft);

/* A cut-off and the rule 10 w_BW < w_f < 0.1 w_noise that it is judged by. Hz. */
typedef struct tq_cutoff {
    double cutoff;
    bool above_motion; /* 10 w_BW <= w_f, to rounding */
    bool below_noise;  /* w_f <= 0.1 w_noise */
} tq_cutoff;

/* The cut-off for a bandwidth: 10 w_BW, but at least 0.1 % of the rate (1 % where nothing moves),
 * and at most 40 %. */
tq_cutoff tq_cutoff_choose(const tq_bandwidth *bandwidth, double rate);
/* The rule for a cut-off that somebody has chosen. */
tq_cutoff tq_cutoff_judge(const tq_bandwidth *bandwidth, double cutoff);

#endif
