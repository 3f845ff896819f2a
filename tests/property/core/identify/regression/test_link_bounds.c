/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/regression/test_link_bounds.c - fits within bounds of masses and
 * centres of mass: bounds that hold change no bit, those that do not are kept. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/archive.h"
#include "core/identify/feasible/block4.h"
#include "core/identify/regression/bodies.h"
#include "tests/support/fit_bench.h"
#include "tests/support/sanitized.h"

enum { TEN = TQ_PARAMETERS_OF_LINK, SAMPLES = 900 };

static tq_link_bounds open_bounds(uint32_t link)
{
    tq_link_bounds b = {.link = link, .mass = {-INFINITY, INFINITY}};
    for (int k = 0; k < 3; k++) {
        b.com[k][0] = -INFINITY, b.com[k][1] = INFINITY;
    }
    return b;
}

/* a body of random mass and tensor about a random centre */
static void draw_body(tqt_random *r, double pseudo[16])
{
    double a[9], c[3];
    const double mass = pow(10, tqt_random_uniform(r, -2, 2));
    for (int i = 0; i < 9; i++) {
        a[i] = tqt_normal(r);
    }
    for (int i = 0; i < 3; i++) {
        c[i] = tqt_normal(r);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = c[i] * c[j] + (i == j ? 1e-3 : 0);
            for (int k = 0; k < 3; k++) {
                sum += .1 * a[3 * i + k] * a[3 * j + k];
            }
            pseudo[4 * i + j] = mass * sum;
        }
        pseudo[4 * i + 3] = pseudo[12 + i] = mass * c[i];
    }
    pseudo[15] = mass;
}

Test(link_bounds, enter_from_anywhere)
{
    for (uint64_t seed = 0; seed < 500; seed++) {
        tqt_random r = tqt_random_seed(seed);
        double p[16], before[16];
        draw_body(&r, p);
        memcpy(before, p, sizeof p);
        tq_link_bounds b = open_bounds(0);
        const double mass = pow(10, tqt_random_uniform(&r, -2, 2));
        if (tqt_random_chance(&r, .3)) {
            b.with[0] = mass * tqt_random_uniform(&r, 0, .9);
            b.with[1] = b.with[0] * tqt_normal(&r);
        }
        if (tqt_random_chance(&r, .7)) {
            b.mass[1] = mass;
        }
        if (tqt_random_chance(&r, .7)) {
            b.mass[0] = mass * tqt_random_uniform(&r, .1, 1);
        }
        for (int k = 0; k < 3; k++) {
            const double x = tqt_normal(&r);
            if (tqt_random_chance(&r, .7)) {
                b.com[k][0] = x;
            }
            if (tqt_random_chance(&r, .7)) {
                b.com[k][1] = x + pow(10, tqt_random_uniform(&r, -9, 0));
            }
        }
        b = tq_link_bounds_widened(&b);
        tq_link_bounds_enter(&b, p);
        tq_block4 l;
        cr_assert(tq_cholesky4(p, l), "seed %d", (int)seed);
        const double whole = p[15] + b.with[0];
        cr_expect(b.mass[0] < whole && whole < b.mass[1], "seed %d", (int)seed);
        for (int k = 0; k < 3; k++) {
            const double c = (p[4 * k + 3] + b.with[1 + k]) / whole;
            cr_expect(b.com[k][0] < c && c < b.com[k][1], "seed %d: %g of %g to %g", (int)seed, c,
                      b.com[k][0], b.com[k][1]);
        }
        /* the tensor about the centre of a unit mass stays */
        const double was = before[1] / before[15] - before[3] * before[7] / before[15] / before[15];
        cr_expect(epsilon_eq(dbl, p[1] / p[15] - p[3] * p[7] / p[15] / p[15], was,
                             1e-9 * (1 + fabs(p[3] * p[7] / p[15] / p[15]))));
        memcpy(before, p, sizeof p);
        tq_link_bounds_enter(&b, p); /* inside already, to rounding of the margin */
        cr_expect(epsilon_eq(dbl, p[15], before[15], 1e-9 * before[15]));
    }
}

/* an arm with noise in its torque, read into a fit within bounds */
typedef struct noisy {
    tqt_fit_bench bench;
    tqt_excited x;
} noisy;

static noisy record(uint64_t seed)
{
    const tqt_robot_options options = {.n_joint = 3, .kinds = 1u << TQ_JOINT_REVOLUTE};
    noisy n = {.bench = tqt_fit_open(tqt_random_robot(seed, options))};
    tqt_random r = tqt_random_seed(seed);
    n.x = tqt_excited_new(n.bench.subject, seed, SAMPLES, 100, 4);
    for (size_t k = 0; k < n.x.nv * SAMPLES; k++) {
        n.x.tau[k] += .05 * tqt_normal(&r);
    }
    return n;
}

static void fit_within(noisy *n, const tq_link_bounds *bounds, size_t n_bound)
{
    tq_fit_options options = tq_fit_defaults();
    options.bounds = bounds;
    options.n_bound = n_bound;
    options.entropy = 1e-9;
    tqt_fit_build(&n->bench, &options, 1);
    tqt_fit_read(n->bench.fit, 0, &n->x, &n->bench.scratch);
    tqt_fit_solve(&n->bench);
}

static void close_noisy(noisy *n)
{
    tqt_excited_free(&n->x);
    tqt_fit_close(&n->bench);
}

/* of the last link of a chain */
static const double *last_ten(const noisy *n)
{
    return n->bench.solution.full + (size_t)TEN * (n->bench.model->n_joint - 1);
}

static uint32_t last_link(const noisy *n)
{
    const tq_model *model = n->bench.model;
    return model->joints[model->order[model->n_joint - 1]].child;
}

Test(link_bounds, that_hold_change_no_bit)
{
    for (uint64_t seed = 1; seed <= (TQT_SANITIZED ? 2 : 6); seed++) {
        noisy n = record(seed);
        fit_within(&n, NULL, 0);
        const tq_fit_solution free = n.bench.solution;
        cr_expect(isnan(free.objective_unbounded) && free.n_active == 0);
        tq_link_bounds wide = open_bounds(last_link(&n));
        const double *ten = last_ten(&n);
        wide.mass[0] = .9 * ten[0], wide.mass[1] = ten[0]; /* on its end */
        for (int k = 0; k < 3; k++) {
            wide.com[k][0] = ten[1 + k] / ten[0] - .01, wide.com[k][1] = ten[1 + k] / ten[0] + .01;
        }
        fit_within(&n, &wide, 1);
        const tq_fit_solution *held = &n.bench.solution;
        cr_expect(eq(sz, held->n_active, 0));
        cr_expect(held->objective_unbounded == held->objective &&
                  held->objective == free.objective);
        cr_expect(
            memcmp(held->value, free.value, tq_fit_value_count(n.bench.fit) * sizeof(double)) == 0);
        close_noisy(&n);
    }
}

Test(link_bounds, that_do_not_hold_are_kept)
{
    for (uint64_t seed = 1; seed <= (TQT_SANITIZED ? 2 : 6); seed++) {
        noisy n = record(seed);
        fit_within(&n, NULL, 0);
        const double free = n.bench.solution.objective;
        const double mass = last_ten(&n)[0];
        double before = free;
        for (int harder = 1; harder <= 3; harder++) {
            fit_within(&n, NULL, 0);
            const double centre = last_ten(&n)[1] / last_ten(&n)[0];
            tq_link_bounds b = open_bounds(last_link(&n));
            b.mass[0] = b.mass[1] = mass; /* given: torque shows h = m c */
            b.com[0][1] = centre - .05 * harder;
            b.com[1][0] = b.com[1][1] = last_ten(&n)[2] / last_ten(&n)[0]; /* given */
            fit_within(&n, &b, 1);
            const tq_fit_solution *s = &n.bench.solution;
            const double *ten = last_ten(&n);
            /* within, to the width that a given value has */
            cr_expect(epsilon_eq(dbl, ten[0], mass, 1e-6 * mass));
            cr_expect(ten[1] / ten[0] <= b.com[0][1] + 1e-9);
            cr_expect(epsilon_eq(dbl, ten[2] / ten[0], b.com[1][0], 1e-6));
            tq_block4 p, l;
            tq_pseudo_of_ten(ten, p);
            cr_expect(tq_cholesky4(p, l));
            /* at a price, which grows with the bound and has shares */
            cr_expect(epsilon_eq(dbl, s->objective_unbounded, free, 1e-9 * free));
            cr_expect(gt(dbl, s->objective, before * (1 + 1e-9)), "seed %d", (int)seed);
            before = s->objective;
            double sum = 0;
            bool found = false;
            for (size_t k = 0; k < s->n_active; k++) {
                const tq_active_bound *a = &s->active[k];
                sum += a->share;
                if (a->of == 1 && a->is_most) {
                    found = true;
                    cr_expect(epsilon_eq(dbl, a->without, centre, 1e-9));
                    cr_expect(epsilon_eq(dbl, a->value, b.com[0][1], 1e-5));
                }
            }
            cr_expect(found && fabs(sum - 1) < 1e-12, "seed %d: %g", (int)seed, sum);
            n.bench.memory.used = 0;
        }
        /* advice, and saved as it is */
        const tq_verdict_report verdict = tqt_fit_verdict(&n.bench, NULL);
        size_t n_reason = 0;
        for (size_t k = 0; k < verdict.n_reason; k++) {
            n_reason += verdict.reasons[k].kind == TQ_REASON_BOUNDS;
        }
        cr_expect(eq(sz, n_reason, before > 1.02 * free), "seed %d: %g", (int)seed, before / free);
        close_noisy(&n);
    }
}

Test(link_bounds, are_saved_with_a_solution)
{
    noisy n = record(1);
    fit_within(&n, NULL, 0);
    tq_link_bounds b = open_bounds(last_link(&n));
    b.com[0][0] = last_ten(&n)[1] / last_ten(&n)[0] + .02;
    fit_within(&n, &b, 1);
    tq_archive count = {.mode = TQ_ARCHIVE_COUNT};
    cr_assert(tq_fit_solution_archive(n.bench.fit, NULL, &n.bench.solution, &count));
    tq_archive to = {.mode = TQ_ARCHIVE_WRITE, .bytes = malloc(count.at), .size = count.at};
    cr_assert(tq_fit_solution_archive(n.bench.fit, NULL, &n.bench.solution, &to));
    tq_archive from = {.mode = TQ_ARCHIVE_READ, .bytes = to.bytes, .size = to.size};
    tq_fit_solution again;
    cr_assert(tq_fit_solution_archive(n.bench.fit, &n.bench.memory, &again, &from));
    cr_assert(from.at == from.size && !from.is_bad);
    cr_assert(eq(sz, again.n_active, n.bench.solution.n_active));
    cr_assert(gt(sz, again.n_active, 0));
    cr_expect(again.objective_unbounded == n.bench.solution.objective_unbounded);
    cr_expect(again.active[0].link == b.link && again.active[0].end == b.com[0][0]);
    free(to.bytes);
    close_noisy(&n);
}

Test(link_bounds, wrong_ones_are_named)
{
    noisy n = record(1);
    const tq_link_bounds good = open_bounds(last_link(&n));
    tq_link_bounds wrong[2];
    for (int k = 0; k < 5; k++) {
        wrong[0] = good, wrong[1] = open_bounds(n.bench.model->joints[0].child);
        wrong[1].link = k == 0 ? n.bench.model->n_link : k == 1 ? good.link : wrong[1].link;
        wrong[1].mass[1] = k == 2 ? 0 : INFINITY;
        wrong[1].com[2][0] = k == 3 ? 1 : -INFINITY;
        wrong[1].com[2][1] = k == 3 ? 0 : INFINITY;
        wrong[1].com[1][0] = k == 4 ? (double)NAN : -INFINITY;
        tq_fit_options options = tq_fit_defaults();
        options.bounds = wrong;
        options.n_bound = 2;
        tq_fit *fit = NULL;
        tq_error error = {0};
        const tq_status status =
            tq_fit_build(n.bench.subject->mechanism, &options, 1, &n.bench.memory, &fit, &error);
        cr_expect(eq(int, status, TQ_ERR_RANGE), "%d", k);
        cr_expect(eq(str, (char *)(uintptr_t)error.what, "bounds"));
        cr_expect(eq(sz, error.index, 1));
    }
    close_noisy(&n);
}
