/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/ensemble/test_variation.c - values that members have of what varies, and
 * statistics over them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/ensemble/statistics.h"
#include "core/ensemble/variation.h"

enum { N = 20000 };

/* the first list runs fastest; each point of the product has n_draw members */
Test(variation, lists_make_a_product)
{
    double first[3] = {0.0, 0.5, 2.0}, second[2] = {-1.0, 1.0};
    tq_variation items[2] = {{.varied = TQ_VARIED_Q,
                              .spread = TQ_SPREAD_LIST,
                              .n_value = 3,
                              .values = first,
                              .repeat = 1},
                             {.varied = TQ_VARIED_QD,
                              .spread = TQ_SPREAD_LIST,
                              .n_value = 2,
                              .values = second,
                              .repeat = 3}};
    const tq_variations all = {.n = 2, .items = items, .n_draw = 4};
    for (uint64_t id = 0; id < 24; id++) {
        cr_expect(eq(dbl, tq_variation_value(&all, 0, id), first[id / 4 % 3]));
        cr_expect(eq(dbl, tq_variation_value(&all, 1, id), second[id / 12]));
    }
}

/* mean and deviation of draws: five standard errors of N numbers */
Test(variation, draws_have_their_distribution)
{
    static double x[N];
    tq_variation items[2] = {
        {.varied = TQ_VARIED_Q, .spread = TQ_SPREAD_UNIFORM, .low = 2.0, .high = 4.0},
        {.varied = TQ_VARIED_QD, .spread = TQ_SPREAD_NORMAL, .mean = 0.5, .deviation = 0.2}};
    const tq_variations all = {.n = 2, .items = items, .seed = 11, .n_draw = N};
    const double mean[2] = {3.0, 0.5}, deviation[2] = {1.0 / sqrt(3.0), 0.2};
    for (size_t v = 0; v < 2; v++) {
        tq_sample_statistics s;
        for (uint64_t id = 0; id < N; id++) {
            x[id] = tq_variation_value(&all, v, id);
        }
        tq_sample_statistics_of(N, x, &s);
        cr_expect(eq(sz, s.n, (size_t)N));
        cr_expect(epsilon_eq(dbl, s.mean, mean[v], 5 * deviation[v] / sqrt((double)N)));
        cr_expect(epsilon_eq(dbl, s.deviation, deviation[v], 5 * deviation[v] / sqrt((double)N)));
        cr_expect(v == 1 || (s.least >= 2.0 && s.largest < 4.0));
    }
    const tq_variations other = {.n = 2, .items = items, .seed = 12, .n_draw = N};
    cr_expect(ne(dbl, tq_variation_value(&other, 0, 7), tq_variation_value(&all, 0, 7)));
}

/* masses, friction and gains do not become negative, nor seeds anything but whole numbers */
Test(variation, values_are_cut_where_they_have_no_meaning)
{
    static const struct {
        tq_varied varied;
        double least;
    } rows[] = {{TQ_VARIED_MASS, 0.0}, {TQ_VARIED_PAYLOAD, 0.0}, {TQ_VARIED_LAMBDA, 0.0},
                {TQ_VARIED_SEED, 0.0}, {TQ_VARIED_TORQUE, -3.0}, {TQ_VARIED_DISTURBANCE, -3.0}};
    double value[2] = {-3.0, 1e200};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tq_variation item = {.varied = rows[k].varied,
                             .spread = TQ_SPREAD_LIST,
                             .n_value = 2,
                             .values = value,
                             .repeat = 1};
        const tq_variations all = {.n = 1, .items = &item, .n_draw = 1};
        cr_expect(eq(dbl, tq_variation_value(&all, 0, 0), rows[k].least), "%zu", k);
        cr_expect(eq(dbl, tq_variation_value(&all, 0, 1),
                     rows[k].varied == TQ_VARIED_SEED ? 0x1p53 : 1e200),
                  "%zu", k);
    }
    const uint64_t ids[2] = {57, 3};
    cr_expect(eq(u64, tq_variations_id(&(tq_variations){.ids = ids}, 0), 57));
    cr_expect(eq(u64, tq_variations_id(&(tq_variations){0}, 5), 5));
}

/* 0 1 2 3: deviation sqrt(5/3), quartiles 0.75 and 2.25 (R, type 7) */
Test(statistics, of_known_numbers)
{
    double x[6] = {3.0, (double)NAN, 0.0, 2.0, (double)NAN, 1.0};
    const double left[4] = {3.0, 0.0, 2.0, 1.0}, sorted[4] = {0.0, 1.0, 2.0, 3.0};
    tq_sample_statistics s;
    tq_sample_statistics_of(6, x, &s);
    cr_expect(eq(sz, s.n, (size_t)4));
    cr_expect(memcmp(x, left, sizeof left) == 0);
    cr_expect(eq(dbl, s.mean, 1.5));
    cr_expect(epsilon_eq(dbl, s.deviation, sqrt(5.0 / 3.0), 1e-15));
    cr_expect(eq(dbl, s.least, 0.0));
    cr_expect(eq(dbl, s.largest, 3.0));
    cr_expect(eq(dbl, tq_sample_quantile(sorted, 4, 0.25), 0.75));
    cr_expect(eq(dbl, tq_sample_quantile(sorted, 4, 0.75), 2.25));
    cr_expect(eq(dbl, tq_sample_quantile(sorted, 4, 0.0), 0.0));
    cr_expect(eq(dbl, tq_sample_quantile(sorted, 4, 1.0), 3.0));
    cr_expect(eq(dbl, tq_sample_quantile(sorted + 2, 1, 0.3), 2.0));
}

Test(statistics, of_one_number_and_of_none)
{
    double x[2] = {7.0, (double)NAN};
    tq_sample_statistics s;
    tq_sample_statistics_of(1, x, &s);
    cr_expect(eq(dbl, s.mean, 7.0));
    cr_expect(eq(dbl, s.deviation, 0.0));
    tq_sample_statistics_of(1, x + 1, &s);
    cr_expect(eq(sz, s.n, (size_t)0));
    cr_expect(eq(dbl, s.mean, 0.0));
    cr_expect(isinf(s.least) && isinf(s.largest));
}
