/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/test_friction_regressor.c - friction columns, unfiltered and
 * filtered. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/friction_regressor.h"
#include "core/signal/filter.h"
#include "tests/support/excited.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"

enum { N = 3000, JOINTS = 3 };
static const double rate = 200, width = 0.05;

static tq_model *arm(void)
{
    return tqt_random_arm(4, JOINTS, TQT_WITH_ROTOR,
                          (tq_friction){.viscous = .3, .coulomb = 2, .smoothing = width});
}

/* differences of q; NaN before the first sample */
static double *ways(const tqt_excited *x)
{
    double *way = tqt_doubles(x->nv * N);
    for (size_t k = 0; k < x->nv * N; k++) {
        way[k] = k % N > 0 ? x->q[k] - x->q[k - 1] : 0.0;
    }
    return way;
}

static tq_stretch stretch_of(const tqt_excited *x, const double *way, size_t first, size_t n)
{
    return (tq_stretch){
        .n_sample = n, .stride = N, .qd = x->qd + first, .way = way + first, .period = 1 / rate};
}

/* every kind of friction regressor */
static const tq_fit_coupling coupling = {0, 1};
static const struct {
    const char *name;
    tq_fit_method method;
    unsigned extra;
    double smoothing, presliding, relaxation;
    size_t n_coupling;
} laws[] = {
    {"joints' own", TQ_FIT_FEASIBLE, 0, -1, 0, 0, 0},
    {"sharp", TQ_FIT_WLS, 0, 0, 0, 0, 0},
    {"coupled, Stribeck and load", TQ_FIT_WLS, TQ_FIT_STRIBECK | TQ_FIT_LOAD, .01, 0, 0, 1},
    {"yields", TQ_FIT_FEASIBLE, TQ_FIT_STRIBECK | TQ_FIT_LOAD, .01, .02, 0, 0},
    {"yields and creeps", TQ_FIT_WLS, 0, .01, .02, .5, 1},
    {"by instruments", TQ_FIT_IV, TQ_FIT_STRIBECK, .01, .02, 0, 0},
};
enum { LAWS = sizeof laws / sizeof laws[0] };

static tq_fit_options options_of(size_t law)
{
    tq_fit_options o = tq_fit_defaults();
    o.method = laws[law].method;
    o.lag = 20;
    o.model.extra = laws[law].extra;
    o.model.stribeck_speed = .1;
    o.model.smoothing = laws[law].smoothing;
    o.model.presliding = laws[law].presliding;
    o.model.relaxation = laws[law].relaxation;
    o.model.couplings = &coupling;
    o.model.n_coupling = laws[law].n_coupling;
    return o;
}

static double *friction_rows_of(const tq_fit *fit, const tqt_excited *x)
{
    double none[JOINTS] = {NAN, NAN, NAN};
    double *way = ways(x), *friction_rows = tqt_doubles(tq_friction_row_count(fit) * N);
    const tq_stretch all = stretch_of(x, way, 0, N);
    tq_friction_regressor_compute(fit, &all, none, friction_rows);
    free(way);
    return friction_rows;
}

static void read_and_solve(tqt_fit_bench *b, const tqt_excited *x)
{
    do {
        tqt_fit_read(b->fit, 0, x, &b->scratch);
        tqt_fit_solve(b);
    } while (b->solution.again);
}

/* regressors given by blocks or computed by the fit have the same bits */
Test(friction_regressor, supplied_or_computed_have_the_same_bits)
{
    for (size_t law = 0; law < LAWS; law++) {
        tqt_fit_bench b = tqt_fit_open(arm());
        tqt_excited x = tqt_excited_new(b.subject, 12, N, rate, 6);
        const tq_fit_options o = options_of(law);
        tqt_fit_build(&b, &o, 1);
        read_and_solve(&b, &x);
        const tq_fit_solution found = b.solution;
        tqt_fit_build(&b, &o, 1);
        x.friction_rows = friction_rows_of(b.fit, &x);
        cr_assert(eq(sz, tq_friction_row_count(b.fit),
                     JOINTS * (size_t)(1 + ((o.model.extra & TQ_FIT_STRIBECK) != 0)) +
                         2 * o.model.n_coupling));
        read_and_solve(&b, &x);
        for (size_t c = 0; c < found.n_column; c++) {
            cr_expect(eq(dbl, b.solution.value[c], found.value[c]), "%s, column %zu",
                      laws[law].name, c);
        }
        tqt_excited_free(&x);
        tqt_fit_close(&b);
    }
}

/* in windows, each with the signs before it */
Test(friction_regressor, in_windows)
{
    for (size_t law = 0; law < LAWS; law++) {
        tqt_fit_bench b = tqt_fit_open(arm());
        tqt_excited x = tqt_excited_new(b.subject, 12, N, rate, 6);
        const tq_fit_options o = options_of(law);
        tqt_fit_build(&b, &o, 1);
        const size_t n_row = tq_friction_row_count(b.fit);
        double *whole = friction_rows_of(b.fit, &x), *way = ways(&x),
               *part = tqt_doubles(n_row * N);
        double state[JOINTS] = {NAN, NAN, NAN};
        for (size_t first = 0; first < N; first += 700) {
            const size_t n = N - first < 700 ? N - first : 700;
            const tq_stretch some = stretch_of(&x, way, first, n);
            tq_friction_regressor_compute(b.fit, &some, state, part);
            for (size_t r = 0; r < n_row; r++) {
                for (size_t i = 0; i < n; i++) {
                    cr_assert(eq(dbl, part[r * N + i], whole[r * N + first + i]), "%s",
                              laws[law].name);
                }
                if (r < JOINTS) {
                    state[r] = part[r * N + n - 1];
                }
            }
        }
        cr_expect(eq(int, tq_friction_regressor_remember(b.fit), laws[law].presliding > 0));
        free(whole), free(way), free(part);
        tqt_excited_free(&x);
        tqt_fit_close(&b);
    }
}

/* the output may overwrite the displacement */
Test(friction_regressor, may_overwrite_the_displacement)
{
    tqt_fit_bench b = tqt_fit_open(arm());
    tqt_excited x = tqt_excited_new(b.subject, 12, N, rate, 6);
    const tq_fit_options o = options_of(3);
    tqt_fit_build(&b, &o, 1);
    const size_t n_row = tq_friction_row_count(b.fit);
    double *whole = friction_rows_of(b.fit, &x), *way = ways(&x), *both = tqt_doubles(n_row * N);
    memcpy(both, way, JOINTS * N * sizeof *both);
    double none[JOINTS] = {NAN, NAN, NAN};
    const tq_stretch all = stretch_of(&x, both, 0, N);
    tq_friction_regressor_compute(b.fit, &all, none, both);
    cr_expect(memcmp(both, whole, n_row * N * sizeof *both) == 0);
    free(whole), free(way), free(both);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

static void low_pass(const tq_filter *filter, size_t n_row, double *rows, tq_scratch *scratch)
{
    cr_assert(tq_filter_zero_phase_rows(filter, tq_filter_settling_length(filter), N, n_row, rows,
                                        N, scratch, NULL) == TQ_OK);
}

/* A low-pass filters friction torque and friction columns equally. Only friction changes here:
 * other torque is zero, and the motion is unfiltered. */
Test(friction_regressor, filtered_as_torque_is)
{
    double sigma[2];
    for (int is_given = 0; is_given < 2; is_given++) {
        tq_model *model = arm();
        tqt_fit_bench b = tqt_fit_open(model);
        tqt_excited x = tqt_excited_new(b.subject, 12, N, rate, 6);
        const tq_fit_options o = options_of(0);
        tqt_fit_build(&b, &o, 1);
        x.friction_rows = friction_rows_of(b.fit, &x);
        memset(x.tau, 0, x.nv * N * sizeof *x.tau);
        for (size_t r = 0; r < x.nv; r++) {
            for (size_t i = 0; i < N; i++) {
                x.tau[r * N + i] = 2 * tanh(x.qd[r * N + i] / width);
            }
        }
        tq_filter filter;
        cr_assert(tq_filter_butterworth(4, 4, rate, &filter, NULL) == TQ_OK);
        low_pass(&filter, x.nv, x.tau, &b.scratch);
        low_pass(&filter, tq_friction_row_count(b.fit), x.friction_rows, &b.scratch);
        if (is_given == 0) {
            free(x.friction_rows);
            x.friction_rows = NULL;
        }
        read_and_solve(&b, &x);
        sigma[is_given] = b.solution.sigma[0];
        for (uint32_t j = 0; is_given != 0 && j < JOINTS; j++) {
            const size_t c =
                tqt_fit_column(&b, TQ_COLUMN_PARAMETER, TQ_PARAMETER_COULOMB, j, TQ_NONE);
            /* bodies of almost zero mass, required by feasibility, explain a little of it */
            cr_expect(epsilon_eq(dbl, b.solution.value[c], 2, 1e-3), "joint %d", (int)j);
        }
        tqt_excited_free(&x);
        tqt_fit_close(&b);
    }
    cr_log_info("%g of %g N m", sigma[1], sigma[0]);
    cr_expect(lt(dbl, sigma[1], 1e-2 * sigma[0]), "%g of %g", sigma[1], sigma[0]);
}

Test(friction_regressor, numbers_that_are_not_finite_are_refused)
{
    tqt_fit_bench b = tqt_fit_open(arm());
    tqt_excited x = tqt_excited_new(b.subject, 12, N, rate, 6);
    double *memory = tqt_doubles(4 * x.nv * TQ_BLOCK);
    const tq_fit_options o = options_of(2);
    tqt_fit_build(&b, &o, 1);
    double *friction_rows = tqt_doubles(tq_friction_row_count(b.fit) * TQ_BLOCK);
    memset(friction_rows, 0, tq_friction_row_count(b.fit) * TQ_BLOCK * sizeof *friction_rows);
    friction_rows[(tq_friction_row_count(b.fit) - 1) * TQ_BLOCK + 5] = INFINITY;
    tq_fit_stream *stream = NULL;
    tq_error error = {0};
    cr_assert(eq(int, tq_fit_begin(b.fit, 0, N, &b.scratch, &stream, NULL), TQ_OK));
    tq_experiment_block block = tqt_excited_block(&x, 0, memory);
    block.friction_rows = friction_rows;
    cr_expect(eq(int, tq_fit_push(stream, &block, &error), TQ_ERR_NOT_FINITE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "friction_rows"));
    cr_expect(eq(sz, error.index, 5));
    free(memory), free(friction_rows);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}
