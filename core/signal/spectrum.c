/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/spectrum.c - power spectrum, coherence, and the bandwidths of motion and noise. */
#include "core/signal/spectrum.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/signal/median.h"

/* multiple of the floor that noise does not exceed: for a mean of windows, and for a single window,
 * where a bin of noise exceeds it with probability 2^-30 */
static const double of_windows = 10.0, of_one = 30.0;

enum {
    COHERENT_BINS = 4, /* least bins of a band */
    BAND_LEAST = 6,
    WINDOWS_LEAST = 8,
    COHERENCE_LEAST = 64,
    COHERENCE_MOST = 8192,
};
static const double deviations = 6.0; /* standard deviations of a mean coherence above chance
                                         level */

/* window length for which n samples have fifteen or more windows */
static size_t coherence_size(size_t n)
{
    size_t n_fft = COHERENCE_LEAST;
    while (2 * n_fft <= COHERENCE_MOST && 16 * n_fft <= n) {
        n_fft *= 2;
    }
    return n_fft;
}

/* radix-2 FFT in place, n a power of two; re and im are (n); w: cos and -sin of 2 pi k / n, k < n /
 * 2 */
static void transform(size_t n, double *re, double *im, const double *w_re, const double *w_im)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; (j & bit) != 0; bit >>= 1) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            const double a = re[i];
            const double b = im[i];
            re[i] = re[j];
            im[i] = im[j];
            re[j] = a;
            im[j] = b;
        }
    }
    for (size_t half = 1; half < n; half *= 2) {
        const size_t step = n / (2 * half);
        for (size_t first = 0; first < n; first += 2 * half) {
            for (size_t k = 0; k < half; k++) {
                const size_t lo = first + k;
                const size_t hi = lo + half;
                const double t_re = w_re[k * step] * re[hi] - w_im[k * step] * im[hi];
                const double t_im = w_re[k * step] * im[hi] + w_im[k * step] * re[hi];
                re[hi] = re[lo] - t_re;
                im[hi] = im[lo] - t_im;
                re[lo] += t_re;
                im[lo] += t_im;
            }
        }
    }
}

/* n_fft samples of x minus their mean, windowed, zero-padded */
static void take_window(size_t n_fft, size_t width, const double *window, const double *x,
                        double *ret)
{
    double mean = 0.0;
    for (size_t k = 0; k < width; k++) {
        mean += x[k];
    }
    mean /= (double)width;
    for (size_t k = 0; k < n_fft; k++) {
        ret[k] = k < width ? window[k] * (x[k] - mean) : 0.0;
    }
}

/* Two real signals in one complex FFT, as real and imaginary part: their summed power at k is the
 * mean of the powers at k and -k. */
static void add_power(size_t n_fft, const double *re, const double *im, double *power)
{
    for (size_t k = 0; k <= n_fft / 2; k++) {
        const size_t back = (n_fft - k) % n_fft;
        const double sides = k == 0 || k == n_fft / 2 ? 1.0 : 2.0;
        power[k] += 0.5 * sides *
                    (re[k] * re[k] + im[k] * im[k] + re[back] * re[back] + im[back] * im[back]);
    }
}

size_t tq_spectrum_scratch_size(size_t n_fft)
{
    return 5 * tq_scratch_cost(n_fft, sizeof(double));
}

tq_status tq_spectrum(size_t n, const double *x, double rate, size_t n_fft, tq_scratch *scratch,
                      double *ret_power, tq_error *reterr)
{
    const size_t width = n < n_fft ? n : n_fft; /* of a window; a shorter one is zero-padded */
    if (n_fft < 8 || (n_fft & (n_fft - 1)) != 0 || 2 * width < n_fft) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_fft", 0, (double)n_fft);
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *re = tq_scratch_take(scratch, n_fft, sizeof *re);
    double *im = tq_scratch_take(scratch, n_fft, sizeof *im);
    double *w_re = tq_scratch_take(scratch, n_fft, sizeof *w_re);
    double *w_im = tq_scratch_take(scratch, n_fft, sizeof *w_im);
    double *window = tq_scratch_take(scratch, n_fft, sizeof *window);
    if (re == NULL || im == NULL || w_re == NULL || w_im == NULL || window == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_spectrum_scratch_size(n_fft));
    }
    double sum_sq = 0.0;
    for (size_t k = 0; k < n_fft; k++) {
        const double angle = 2.0 * M_PI * (double)k / (double)n_fft;
        w_re[k] = tq_cos(angle);
        w_im[k] = -tq_sin(angle);
    }
    for (size_t k = 0; k < width; k++) {
        window[k] = width == n_fft ? 0.5 - 0.5 * w_re[k]
                                   : 0.5 - 0.5 * tq_cos(2.0 * M_PI * (double)k / (double)width);
        sum_sq += window[k] * window[k];
    }
    for (size_t k = 0; k <= n_fft / 2; k++) {
        ret_power[k] = 0.0;
    }
    size_t n_window = 0;
    for (size_t at = 0; at + width <= n; at += n_fft) {
        const size_t next = at + n_fft / 2;
        const bool has_next = next + width <= n;
        take_window(n_fft, width, window, x + at, re);
        if (has_next) {
            take_window(n_fft, width, window, x + next, im);
        } else {
            memset(im, 0, n_fft * sizeof *im);
        }
        transform(n_fft, re, im, w_re, w_im);
        add_power(n_fft, re, im, ret_power);
        n_window += has_next ? 2 : 1;
    }
    for (size_t k = 0; k <= n_fft / 2; k++) {
        ret_power[k] /= (double)n_window * rate * sum_sq;
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Coherence
 */

/* second differences of n_fft + 2 samples, windowed */
static void take_differences(size_t n_fft, double scale, const double *x, double *ret)
{
    for (size_t k = 0; k < n_fft; k++) {
        const double fade = 0.5 - 0.5 * tq_cos(2.0 * M_PI * (double)k / (double)n_fft);
        ret[k] = scale * fade * (x[k] - 2.0 * x[k + 1] + x[k + 2]);
    }
}

static double rms_of_differences(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t k = 0; k + 2 < n; k++) {
        const double d = x[k] - 2.0 * x[k + 1] + x[k + 2];
        sum += d * d;
    }
    return sqrt(sum / (double)n);
}

/* Z = X + i Y of two real signals: X = (Z(k) + Z(-k)*) / 2, Y = (Z(k) - Z(-k)*) / 2 i */
static void add_products(size_t n_fft, const double *re, const double *im, double *const sums[4])
{
    for (size_t k = 0; k <= n_fft / 2; k++) {
        const size_t back = (n_fft - k) % n_fft;
        const double x_re = 0.5 * (re[k] + re[back]), x_im = 0.5 * (im[k] - im[back]);
        const double y_re = 0.5 * (im[k] + im[back]), y_im = 0.5 * (re[back] - re[k]);
        sums[0][k] += x_re * x_re + x_im * x_im;
        sums[1][k] += y_re * y_re + y_im * y_im;
        sums[2][k] += x_re * y_re + x_im * y_im;
        sums[3][k] += x_im * y_re - x_re * y_im;
    }
}

/* Upper end of the highest band whose mean coherence is significant: for K windows of incoherent
 * signals the mean and standard deviation of coherence are 1 / K, and correlated neighbouring bins
 * count two thirds. */
static double last_coherent(size_t n_fft, double rate, size_t n_window, double *const sums[4])
{
    const double chance = 1.0 / (0.9 * (double)n_window); /* windows overlap */
    size_t first = COHERENT_BINS, last = COHERENT_BINS;
    while (first < n_fft / 2) {
        const size_t wide = first / 4;
        const size_t end = first + (wide > BAND_LEAST ? wide : (size_t)BAND_LEAST);
        const size_t n = (end < n_fft / 2 ? end : n_fft / 2) - first;
        double mean = 0.0;
        for (size_t k = first; k < first + n; k++) {
            const double powers = sums[0][k] * sums[1][k];
            const double cross = sums[2][k] * sums[2][k] + sums[3][k] * sums[3][k];
            mean += powers > 0.0 ? cross / powers / (double)n : 0.0;
        }
        last = mean > chance * (1.0 + deviations / sqrt((double)n / 1.5)) ? first + n : last;
        first += n;
    }
    return last < n_fft / 2 ? (double)last * rate / (double)n_fft : (double)INFINITY;
}

size_t tq_coherence_scratch_size(size_t n)
{
    const size_t n_fft = coherence_size(n);
    return 4 * tq_scratch_cost(n_fft, sizeof(double)) +
           4 * tq_scratch_cost(n_fft / 2 + 1, sizeof(double));
}

tq_status tq_coherence_end(size_t n, const double *x, const double *y, double rate,
                           tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const size_t n_fft = coherence_size(n);
    const size_t mark = tq_scratch_mark(scratch);
    double *parts[4], *sums[4];
    bool good = true;
    for (size_t k = 0; k < 4; k++) {
        parts[k] = tq_scratch_take(scratch, n_fft, sizeof(double));
        sums[k] = tq_scratch_take(scratch, n_fft / 2 + 1, sizeof(double));
        good = good && parts[k] != NULL && sums[k] != NULL;
    }
    if (!good) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_coherence_scratch_size(n));
    }
    for (size_t k = 0; k < n_fft; k++) {
        parts[2][k] = tq_cos(2.0 * M_PI * (double)k / (double)n_fft);
        parts[3][k] = -tq_sin(2.0 * M_PI * (double)k / (double)n_fft);
    }
    for (size_t k = 0; k < 4; k++) {
        memset(sums[k], 0, (n_fft / 2 + 1) * sizeof(double));
    }
    const double size_x = rms_of_differences(n, x), size_y = rms_of_differences(n, y);
    size_t n_window = 0;
    for (size_t at = 0; size_x > 0.0 && size_y > 0.0 && at + n_fft + 2 <= n; at += n_fft / 2) {
        take_differences(n_fft, 1.0 / size_x, x + at, parts[0]);
        take_differences(n_fft, 1.0 / size_y, y + at, parts[1]);
        transform(n_fft, parts[0], parts[1], parts[2], parts[3]);
        add_products(n_fft, parts[0], parts[1], sums);
        n_window++;
    }
    *ret = n_window < WINDOWS_LEAST ? (double)INFINITY : last_coherent(n_fft, rate, n_window, sums);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Bandwidths
 */

size_t tq_bandwidth_scratch_size(size_t n_fft)
{
    return tq_scratch_cost(n_fft / 2 + 1, sizeof(double));
}

/* Hz below which 99.5 % of the velocity's power above the floor lies, up to `end`; bins below
 * `times` the floor are left out */
static double motion_above(size_t n_fft, double rate, const double *power, double floor,
                           double times, double end)
{
    const double each = rate / (double)n_fft;
    const size_t all_bins = n_fft / 2 + 1;
    const size_t n = end < (double)all_bins * each ? (size_t)(end / each) + 1 : all_bins;
    const double level = times * floor;
    double all = 0.0;
    for (size_t k = 1; k < n; k++) {
        const double f = (double)k * each;
        all += power[k] > level ? f * f * (power[k] - floor) : 0.0;
    }
    double sum = 0.0;
    for (size_t k = 1; k < n && all > 0.0; k++) {
        const double f = (double)k * each;
        sum += power[k] > level ? f * f * (power[k] - floor) : 0.0;
        if (sum >= 0.995 * all) {
            return f;
        }
    }
    return 0.0;
}

tq_status tq_bandwidth_level(size_t n_fft, double rate, const double *power, const double band[2],
                             tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const double each = rate / (double)n_fft;
    const size_t n = n_fft / 2 + 1;
    const size_t mark = tq_scratch_mark(scratch);
    double *copy = tq_scratch_take(scratch, n, sizeof *copy);
    if (copy == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_bandwidth_scratch_size(n_fft));
    }
    size_t count = 0;
    for (size_t k = 1; k < n; k++) {
        const double f = (double)k * each;
        copy[count] = power[k];
        count += f >= band[0] && f <= band[1];
    }
    *ret = count > 0 ? tq_median(count, copy) : 0.0;
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

void tq_bandwidth_refine(size_t n_fft, double rate, const double *power, double end,
                         tq_bandwidth *inout)
{
    const double motion = motion_above(n_fft, rate, power, inout->floor, of_one, end);
    inout->motion = motion > 0.0 ? fmin(motion, inout->motion) : inout->motion;
}

tq_status tq_bandwidth_find(size_t n_fft, double rate, const double *power, double end,
                            tq_scratch *scratch, tq_bandwidth *ret, tq_error *reterr)
{
    const size_t n = n_fft / 2 + 1;
    const size_t mark = tq_scratch_mark(scratch);
    double *copy = tq_scratch_take(scratch, n, sizeof *copy);
    if (copy == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_bandwidth_scratch_size(n_fft));
    }
    const size_t upper = n / 2;
    for (size_t k = upper; k < n; k++) {
        copy[k - upper] = power[k];
    }
    const double each = rate / (double)n_fft;
    *ret = (tq_bandwidth){.floor = tq_median(n - upper, copy)};
    ret->motion = motion_above(n_fft, rate, power, ret->floor, of_windows, end);
    size_t last = 0;
    for (size_t k = 1; k < n; k++) {
        last = power[k] > of_windows * ret->floor ? k : last;
    }
    ret->noise = last > 0 ? (double)(last + 1 < n ? last + 1 : n - 1) * each : 0.0;
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

tq_cutoff tq_cutoff_choose(const tq_bandwidth *bandwidth, double rate)
{
    /* without motion there is no information; motion does not need a higher cut-off at a higher
     * sample rate */
    const double least = bandwidth->motion > 0.0 ? 0.001 * rate : 0.01 * rate;
    return tq_cutoff_judge(bandwidth, fmin(fmax(10.0 * bandwidth->motion, least), 0.4 * rate));
}

tq_cutoff tq_cutoff_judge(const tq_bandwidth *bandwidth, double cutoff)
{
    return (tq_cutoff){.cutoff = cutoff,
                       .above_motion = cutoff >= 10.0 * bandwidth->motion * (1.0 - 1e-9),
                       .below_noise = cutoff <= 0.1 * bandwidth->noise};
}
