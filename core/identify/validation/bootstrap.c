/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/bootstrap.c - as many groups as there are, drawn repeatedly. */
#include "core/identify/validation/bootstrap.h"

#include <math.h>
#include <string.h>

#include "core/plant/noise.h"

enum {
    STREAM = 0x626f6f74
}; /* stream of random numbers, different from that of the base
                                 parameters */

typedef struct drawn {
    tq_groups groups;
    size_t n_group, n_draw;
    double *gram;  /* (n_group x n^2) */
    double *right; /* (n_group x n) */
    double *draws; /* (n x options.n_bootstrap) differences from the estimate, nominal sizes */
} drawn;

size_t tq_fit_bootstrap_size(const tq_fit *fit)
{
    const size_t n = fit->n_column;
    const size_t g = tq_groups_most(fit);
    if (fit->options.n_bootstrap == 0) {
        return 0;
    }
    return tq_groups_size(fit) + tq_scratch_cost(g * n * n, sizeof(double)) +
           tq_scratch_cost(g * n, sizeof(double)) +
           tq_scratch_cost(n * fit->options.n_bootstrap, sizeof(double));
}

static bool take(const tq_fit *fit, const tq_fit_found *found, tq_scratch *scratch, drawn *d)
{
    const size_t n = fit->n_column;
    *d = (drawn){.n_group = tq_groups_count(fit)};
    d->gram = tq_scratch_take(scratch, d->n_group * n * n, sizeof *d->gram);
    d->right = tq_scratch_take(scratch, d->n_group * n, sizeof *d->right);
    d->draws = tq_scratch_take(scratch, n * fit->options.n_bootstrap, sizeof *d->draws);
    return d->gram != NULL && d->right != NULL && d->draws != NULL &&
           tq_groups_take(fit, found, scratch, &d->groups);
}

static void add_groups(drawn *d)
{
    const size_t n = d->groups.n;
    memset(d->gram, 0, d->n_group * n * n * sizeof *d->gram);
    memset(d->right, 0, d->n_group * n * sizeof *d->right);
    memset(d->groups.whole, 0, n * n * sizeof *d->groups.whole);
    for (size_t k = 0; k < d->n_group; k++) {
        double *gram = d->gram + k * n * n;
        tq_groups_add(&d->groups, tq_groups_choice(d->groups.fit, k), gram, d->right + k * n);
        for (size_t i = 0; i < n * n; i++) {
            d->groups.whole[i] += gram[i];
        }
    }
}

/* one estimate from n_group groups drawn with replacement */
static tq_status draw(drawn *d, uint64_t number, tq_error *reterr)
{
    tq_groups *groups = &d->groups;
    const size_t n = groups->n;
    memset(groups->part, 0, n * n * sizeof *groups->part);
    memset(groups->part_right, 0, n * sizeof *groups->part_right);
    for (size_t k = 0; k < d->n_group; k++) {
        const uint64_t bits =
            tq_noise_bits(groups->fit->options.seed, STREAM, number * d->n_group + k);
        const size_t group = (size_t)(bits % d->n_group);
        for (size_t i = 0; i < n * n; i++) {
            groups->part[i] += d->gram[group * n * n + i];
        }
        for (size_t c = 0; c < n; c++) {
            groups->part_right[c] += d->right[group * n + c];
        }
    }
    const tq_status status = tq_groups_solve(groups, reterr);
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        d->draws[c * groups->fit->options.n_bootstrap + d->n_draw] = groups->part_right[c];
    }
    d->n_draw += status == TQ_OK;
    return status == TQ_ERR_SINGULAR ? TQ_OK : status;
}

/* Shell sort with Ciura's gaps: draws are few */
static void sort(size_t n, double *x)
{
    static const size_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        for (size_t i = gaps[g]; i < n; i++) {
            const double value = x[i];
            size_t at = i;
            for (; at >= gaps[g] && x[at - gaps[g]] > value; at -= gaps[g]) {
                x[at] = x[at - gaps[g]];
            }
            x[at] = value;
        }
    }
}

/* quantile of sorted numbers, linearly interpolated */
static double quantile(size_t n, const double *x, double p)
{
    const double at = p * (double)(n - 1);
    const size_t k = (size_t)at < n - 1 ? (size_t)at : n - 2;
    return x[k] + (at - (double)k) * (x[k + 1] - x[k]);
}

static void fill(const drawn *d, tq_estimate *estimate)
{
    const tq_fit *fit = d->groups.fit;
    const double tail = 0.5 * (1.0 - fit->options.confidence);
    for (size_t c = 0; d->n_draw >= 2 && c < d->groups.n; c++) {
        double *x = d->draws + c * fit->options.n_bootstrap;
        const double n = (double)d->n_draw;
        double mean = 0.0, square = 0.0;
        for (size_t k = 0; k < d->n_draw; k++) {
            mean += x[k] / n;
        }
        for (size_t k = 0; k < d->n_draw; k++) {
            square += (x[k] - mean) * (x[k] - mean);
        }
        sort(d->n_draw, x);
        tq_estimate *e = &estimate[c];
        /* segments do not contain differences between experiments: two or three experiments raise
         * both deviations alike */
        const double unit = e->raised * fit->nominal[c];
        e->bootstrap = sqrt(square / (n - 1.0)) * unit;
        e->bootstrap_low = e->value + quantile(d->n_draw, x, tail) * unit;
        e->bootstrap_high = e->value + quantile(d->n_draw, x, 1.0 - tail) * unit;
    }
}

tq_status tq_fit_bootstrap(const tq_fit *fit, const tq_fit_found *found, tq_scratch *scratch,
                           tq_estimate *estimate, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    drawn d;
    tq_status status = TQ_OK;
    if (fit->options.n_bootstrap == 0 || tq_fit_has_instruments(fit) || tq_groups_count(fit) < 2) {
        return TQ_OK;
    }
    if (!take(fit, found, scratch, &d)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_bootstrap_size(fit));
    }
    add_groups(&d);
    for (uint64_t k = 0; status == TQ_OK && k < fit->options.n_bootstrap; k++) {
        status = draw(&d, k, reterr);
    }
    fill(&d, estimate);
    tq_scratch_rewind(scratch, mark);
    return status;
}
