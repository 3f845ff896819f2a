/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/integrate/test_ode.c - the adapters of SUNDIALS: orders, tolerances,
 * restarts, errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/integrate/ode.h"
#include "core/integrate/ode_table.h"

enum { BYTES = 1 << 16 };

static _Alignas(64) unsigned char memory[BYTES];

/* a body in a central field: y = (x, y, vx, vy) with eccentricity e, period 2 pi */
static int kepler(void *ctx, double t, const double *y, double *ret)
{
    (void)ctx, (void)t;
    const double r3 = pow(y[0] * y[0] + y[1] * y[1], 1.5);
    ret[0] = y[2], ret[1] = y[3], ret[2] = -y[0] / r3, ret[3] = -y[1] / r3;
    return 0;
}

static const double orbit[4] = {0.5, 0.0, 0.0, 1.7320508075688772}; /* eccentricity 1/2 */

static tq_ode_problem problem_of(int (*rate)(void *, double, const double *, double *), size_t n,
                                 double tolerance)
{
    static double atol[4];
    for (int k = 0; k < 4; k++) {
        atol[k] = tolerance;
    }
    return (tq_ode_problem){.n = n, .rate = rate, .rtol = tolerance, .atol = atol};
}

static tq_ode *open_ode(const tq_ode_problem *problem, tq_ode_method method, tq_scratch *scratch)
{
    tq_ode *ode = NULL;
    tq_scratch_init(scratch, memory, BYTES);
    cr_assert(eq(int, tq_ode_open(problem, method, scratch, &ode, NULL), TQ_OK));
    cr_assert(le(sz, scratch->peak, tq_ode_scratch_size(problem->n)));
    return ode;
}

/* to `end`, with stops at every `stride` */
static void run(tq_ode *ode, double t, double end, double stride, double *y)
{
    double at = t;
    cr_assert(eq(int, tq_ode_start(ode, t, y, 0.0, NULL), TQ_OK));
    for (double stop = t + stride; at < end; stop += stride) {
        const double until = fmin(stop, end);
        while (at < until) {
            cr_assert(eq(int, tq_ode_step(ode, until, &at, y, NULL), TQ_OK));
        }
        cr_assert(eq(dbl, at, until));
    }
}

Test(ode, every_method_meets_its_tolerance_and_works_more_for_a_tighter_one)
{
    const struct {
        tq_ode_method method;
        double loose, tight, growth; /* largest error over the tolerance after a revolution */
    } rows[] = {{TQ_ODE_DOPRI45, 1e-6, 1e-11, 300},
                {TQ_ODE_DOPRI87, 1e-6, 1e-12, 300},
                {TQ_ODE_SDIRK, 1e-5, 1e-8, 1000},
                {TQ_ODE_BDF, 1e-5, 1e-9, 20000}}; /* errors of hundreds of steps add up with the
                                                     same sign */
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            const double tolerance = fine ? rows[k].tight : rows[k].loose;
            const tq_ode_problem problem = problem_of(kepler, 4, tolerance);
            tq_scratch scratch;
            tq_ode *ode = open_ode(&problem, rows[k].method, &scratch);
            double y[4];
            memcpy(y, orbit, sizeof y);
            run(ode, 0.0, 2 * M_PI, 10.0, y);
            error[fine] = 0.0;
            for (int i = 0; i < 4; i++) {
                error[fine] = fmax(error[fine], fabs(y[i] - orbit[i]));
            }
            cr_assert(lt(dbl, error[fine], rows[k].growth * tolerance), "method %d: %g for %g",
                      (int)rows[k].method, error[fine], tolerance);
            const tq_ode_stats stats = tq_ode_count(ode);
            cr_assert(all(gt(int, (int)stats.n_step, 5),
                          gt(int, (int)stats.n_evaluation, (int)stats.n_step)));
            tq_ode_close(ode);
        }
        cr_assert(lt(dbl, error[1], error[0] / 100));
    }
}

Test(ode, the_pair_of_order_8_and_7_satisfies_its_conditions)
{
    enum { N = TQ_DOPRI87_STAGES };
    for (size_t i = 0; i < N; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < N; j++) {
            sum += tq_dopri87_a[N * i + j];
        }
        cr_assert(epsilon_eq(dbl, sum, tq_dopri87_c[i], 100 * 2.3e-16),
                  "coefficients of 20 add up to 1 in row %zu", i);
    }
    for (int power = 0; power < 8; power++) {
        double eight = 0.0, seven = 0.0, twice = 0.0;
        for (size_t i = 0; i < N; i++) {
            eight += tq_dopri87_b[i] * pow(tq_dopri87_c[i], power);
            seven += tq_dopri87_d[i] * pow(tq_dopri87_c[i], power);
            for (size_t j = 0; j < N; j++) {
                twice += tq_dopri87_b[i] * tq_dopri87_a[N * i + j] * pow(tq_dopri87_c[j], power);
            }
        }
        cr_assert(epsilon_eq(dbl, eight, 1.0 / (power + 1), 1e-15));
        cr_assert(power == 7 || fabs(seven - 1.0 / (power + 1)) < 1e-15);
        cr_assert(power == 7 || fabs(twice - 1.0 / (power + 1) / (power + 2)) < 1e-14);
    }
}

Test(ode, a_start_forgets_what_came_before)
{
    for (int method = TQ_ODE_DOPRI45; method <= TQ_ODE_BDF; method++) {
        const tq_ode_problem problem = problem_of(kepler, 4, 1e-7);
        double once[4], again[4];
        tq_scratch scratch;
        tq_ode *ode = open_ode(&problem, (tq_ode_method)method, &scratch);
        memcpy(once, orbit, sizeof once);
        run(ode, 0.0, 1.0, 0.25, once);
        double other[4] = {1, 0.2, 0.3, 0.9};
        run(ode, 5.0, 9.0, 0.7, other);
        memcpy(again, orbit, sizeof again);
        run(ode, 0.0, 1.0, 0.25, again);
        cr_assert(eq(int, memcmp(once, again, sizeof once), 0), "method %d", method);
        tq_ode_close(ode);
    }
}

/* y' = -1e6 (y - cos t) - sin t: explicit methods need tiny steps, implicit ones do not */
static int stiff(void *ctx, double t, const double *y, double *ret)
{
    (void)ctx;
    ret[0] = -1e6 * (y[0] - cos(t)) - sin(t);
    return 0;
}

Test(ode, implicit_methods_stride_over_what_is_stiff)
{
    for (int method = TQ_ODE_SDIRK; method <= TQ_ODE_BDF; method++) {
        const tq_ode_problem problem = problem_of(stiff, 1, 1e-7);
        tq_scratch scratch;
        tq_ode *ode = open_ode(&problem, (tq_ode_method)method, &scratch);
        double y[1] = {2.0};
        run(ode, 0.0, 3.0, 5.0, y);
        cr_assert(epsilon_eq(dbl, y[0], cos(3.0), 1e-6));
        cr_assert(lt(int, (int)tq_ode_count(ode).n_step, 2000));
        tq_ode_close(ode);
    }
}

Test(ode, the_multistep_method_interpolates_within_its_last_step)
{
    const tq_ode_problem problem = problem_of(kepler, 4, 1e-9);
    tq_scratch scratch;
    tq_ode *ode = open_ode(&problem, TQ_ODE_BDF, &scratch);
    double y[4], inside[4], t = 0.0, before = 0.0;
    memcpy(y, orbit, sizeof y);
    cr_assert(eq(int, tq_ode_start(ode, 0.0, y, 0.0, NULL), TQ_OK));
    while (t < 1.0) {
        before = t;
        cr_assert(eq(int, tq_ode_step(ode, 2.0, &t, y, NULL), TQ_OK));
    }
    cr_assert(eq(int, tq_ode_at(ode, 0.5 * (before + t), inside), TQ_OK));
    tq_ode_close(ode);
    const tq_ode_problem fine = problem_of(kepler, 4, 1e-12);
    double want[4];
    memcpy(want, orbit, sizeof want);
    ode = open_ode(&fine, TQ_ODE_DOPRI87, &scratch);
    run(ode, 0.0, 0.5 * (before + t), 10.0, want);
    for (int k = 0; k < 4; k++) {
        cr_assert(epsilon_eq(dbl, inside[k], want[k], 1e-6), "errors of hundreds of steps");
    }
    tq_ode_close(ode);
}

/* y' = y^2 from 1: infinite at t = 1 */
static int burst(void *ctx, double t, const double *y, double *ret)
{
    (void)ctx, (void)t;
    ret[0] = y[0] * y[0];
    return isfinite(ret[0]) ? 0 : 1;
}

static int wall(void *ctx, double t, const double *y, double *ret)
{
    (void)ctx, (void)y;
    ret[0] = 1.0;
    return t < 0.5 ? 0 : -1;
}

Test(ode, what_has_no_solution_ends_with_its_time)
{
    for (int method = TQ_ODE_DOPRI45; method <= TQ_ODE_BDF; method++) {
        for (int walled = 0; walled < 2; walled++) {
            const tq_ode_problem problem = problem_of(walled ? wall : burst, 1, 1e-8);
            tq_scratch scratch;
            tq_ode *ode = open_ode(&problem, (tq_ode_method)method, &scratch);
            double y[1] = {1.0}, t = 0.0;
            tq_error error = {0};
            tq_status status = tq_ode_start(ode, 0.0, y, 0.0, NULL);
            for (int k = 0; k < 100000 && status == TQ_OK && t < 2.0; k++) {
                status = tq_ode_step(ode, 2.0, &t, y, &error);
            }
            cr_assert(eq(int, status, walled ? TQ_ERR_SINGULAR : TQ_ERR_NO_CONVERGENCE),
                      "method %d: %d at %g", method, (int)status, t);
            cr_assert(le(dbl, error.value, 1.0 + 1e-6));
            cr_assert(gt(dbl, error.value, walled ? 0.0 : 0.9));
            tq_ode_close(ode);
        }
    }
}

Test(ode, refuses_what_is_too_large)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    tq_ode *ode = NULL;
    tq_ode_problem problem = problem_of(kepler, TQ_ODE_IMPLICIT_MAX + 1, 1e-6);
    cr_assert(eq(int, tq_ode_open(&problem, TQ_ODE_BDF, &scratch, &ode, NULL), TQ_ERR_SHAPE));
    problem.n = 4;
    tq_scratch_init(&scratch, memory, 128);
    cr_assert(eq(int, tq_ode_open(&problem, TQ_ODE_BDF, &scratch, &ode, NULL), TQ_ERR_SCRATCH));
    cr_assert(eq(sz, scratch.used, 0));
}
