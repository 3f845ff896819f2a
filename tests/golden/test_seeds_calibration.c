/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_calibration.c - calibration as the founding text has it: checklist items
 * 120 to 123 and 127 to 131. Taghirad, Robotics: Mechanics & Control, ch. 5, sheets 63 to 69. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/regression/estimate.h"
#include "core/identify/validation/statistics.h"
#include "tests/support/fit_bench.h"
#include "tests/support/seed_robots.h"

static const tq_parameter_kind NONE = TQ_PARAMETER_MASS; /* of columns that are no parameter */
static const double noise_free = 1e-10;

static tq_fit_options per_joint(tq_fit_gravity gravity, unsigned with)
{
    tq_fit_options o = tq_fit_defaults();
    o.model.kind = TQ_FIT_PER_JOINT;
    o.model.gravity = gravity;
    o.model.with = with;
    o.method = TQ_FIT_OLS;
    return o;
}

static tq_model *arm_2r(void)
{
    tqt_bar bars[2] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5)};
    bars[0].viscous = .3, bars[1].viscous = .2;
    return tqt_planar_arm(bars, 2, 9.81);
}

/* holds a joint where it is at the first sample; torque anew */
static void hold(tqt_subject *subject, tqt_excited *x, size_t joint)
{
    for (size_t i = 0; i < x->n_sample; i++) {
        x->q[joint * x->n_sample + i] = x->q[joint * x->n_sample];
        x->qd[joint * x->n_sample + i] = x->qdd[joint * x->n_sample + i] = 0;
    }
    tqt_excited_torque(subject, x);
}

/* tau = I_e q'' + b_e qd + g: the sliding joint of a SCARA, whose gravity is constant */
Test(seeds, item_120_per_joint_linear_model)
{
    const tqt_scara scara = {.m = {3, 2, 1}, .a = {.5, .4}, .d1 = .6, .rod = .3, .g = 9.81};
    tqt_fit_bench b = tqt_fit_open(tqt_scara_arm(&scara));
    b.model->joints[2].friction.viscous = .7;
    tqt_subject_free(b.subject);
    b.subject = tqt_subject_new(b.model, 0);
    const tq_fit_options o = per_joint(TQ_FIT_GRAVITY_CONSTANT, TQ_REGRESS_VISCOUS);
    tqt_fit_build(&b, &o, 1);
    tqt_excited x = tqt_excited_new(b.subject, 1, 500, 100, 5);
    hold(b.subject, &x, 0), hold(b.subject, &x, 1);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    const size_t inertia = tqt_fit_column(&b, TQ_COLUMN_INERTIA, NONE, 2, TQ_NONE);
    const size_t viscous =
        tqt_fit_column(&b, TQ_COLUMN_PARAMETER, TQ_PARAMETER_VISCOUS, 2, TQ_NONE);
    const size_t gravity = tqt_fit_column(&b, TQ_COLUMN_GRAVITY, NONE, 2, TQ_NONE);
    cr_expect(epsilon_eq(dbl, b.solution.value[inertia], 1.0, noise_free));
    cr_expect(epsilon_eq(dbl, b.solution.value[viscous], .7, noise_free));
    /* the joint counts downward, along gravity */
    cr_expect(epsilon_eq(dbl, fabs(b.solution.value[gravity]), 9.81, noise_free * 10));
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

enum { ROWS = 60, COLUMNS = 3 };

/* columns q'', qd, cos q of a motion; `alike`: how much the first two differ */
static void sheet(double alike, double a[ROWS][COLUMNS], double tau[ROWS])
{
    static const double truth[COLUMNS] = {1.5, .3, 4.0};
    for (int i = 0; i < ROWS; i++) {
        const double t = .1 * i;
        a[i][0] = sin(1.7 * t);
        a[i][1] = alike < 1 ? a[i][0] + alike * cos(2.3 * t) : cos(2.3 * t);
        a[i][2] = cos(.4 * t);
        tau[i] = 0;
        for (int c = 0; c < COLUMNS; c++) {
            tau[i] += a[i][c] * truth[c];
        }
    }
}

/* (Y^T Y)^-1 Y^T tau by elimination */
static void by_left_inverse(double a[ROWS][COLUMNS], const double tau[ROWS], double x[COLUMNS])
{
    double g[COLUMNS][COLUMNS + 1] = {{0}};
    for (int i = 0; i < ROWS; i++) {
        for (int r = 0; r < COLUMNS; r++) {
            for (int c = 0; c < COLUMNS; c++) {
                g[r][c] += a[i][r] * a[i][c];
            }
            g[r][COLUMNS] += a[i][r] * tau[i];
        }
    }
    for (int k = 0; k < COLUMNS; k++) {
        for (int r = 0; r < COLUMNS; r++) {
            const double f = r != k ? g[r][k] / g[k][k] : 0;
            for (int c = k; c <= COLUMNS; c++) {
                g[r][c] -= f * g[k][c];
            }
        }
    }
    for (int k = 0; k < COLUMNS; k++) {
        x[k] = g[k][COLUMNS] / g[k][k];
    }
}

/* the library's: triangle of the rows, then Householder QR with column pivoting */
static size_t by_qr(double a[ROWS][COLUMNS], const double tau[ROWS], double x[COLUMNS])
{
    enum { N = COLUMNS + 1 };
    double r[N * N], rows[ROWS * N];
    for (int i = 0; i < ROWS; i++) {
        memcpy(rows + i * N, a[i], sizeof a[i]);
        rows[i * N + COLUMNS] = tau[i];
    }
    tq_tsqr tsqr;
    tq_tsqr_init(&tsqr, N, r);
    tq_tsqr_fold(&tsqr, ROWS, rows);
    static const double one[COLUMNS] = {1, 1, 1};
    const tq_reduced data = {COLUMNS, r, one};
    tq_scratch scratch;
    const size_t size = tq_estimate_size(COLUMNS);
    tq_scratch_init(&scratch, tqt_doubles(size / 8 + 8), size);
    size_t rank = 0;
    cr_assert(eq(int, tq_estimate_ols(&data, NULL, 1e-12, &scratch, x, &rank, NULL), TQ_OK));
    free(scratch.memory);
    return rank;
}

Test(seeds, item_121_left_pseudo_inverse)
{
    double a[ROWS][COLUMNS], tau[ROWS], left[COLUMNS], qr[COLUMNS];
    sheet(1, a, tau);
    by_left_inverse(a, tau, left);
    cr_expect(eq(sz, by_qr(a, tau, qr), COLUMNS));
    for (int c = 0; c < COLUMNS; c++) {
        cr_expect(epsilon_eq(dbl, left[c], qr[c], 1e-13 * 4), "a condition of about 2");
    }
}

Test(seeds, item_122_pivoted_qr)
{
    double a[ROWS][COLUMNS], tau[ROWS], left[COLUMNS], qr[COLUMNS];
    sheet(1e-7, a, tau);
    by_left_inverse(a, tau, left);
    cr_expect(eq(sz, by_qr(a, tau, qr), COLUMNS));
    cr_expect(lt(dbl, fabs(qr[1] - .3), 1e-8), "condition 1e7: half the digits are left");
    cr_expect(gt(dbl, fabs(left[1] - .3), 1e-6), "its square: none are");
    sheet(0, a, tau);
    cr_expect(eq(sz, by_qr(a, tau, qr), COLUMNS - 1), "rank deficiency is reported");
}

/* case 2: g cos q; joint 2 of the 2R arm needs cos(q1 + q2), and so does joint 1 */
Test(seeds, item_123_gravity_basis)
{
    const double g = 9.81, i1 = 2 * .64 / 3 + 1.5 * .64, i2 = 1.5 * .36 / 3;
    tqt_fit_bench b = tqt_fit_open(arm_2r());
    const tq_fit_options o = per_joint(TQ_FIT_GRAVITY_COS, TQ_REGRESS_VISCOUS);
    for (size_t moving = 0; moving < 2; moving++) {
        tqt_fit_build(&b, &o, 1);
        tqt_excited x = tqt_excited_new(b.subject, 3, 500, 100, 5);
        hold(b.subject, &x, 1 - moving);
        const double q2 = x.q[x.n_sample];
        tqt_fit_read(b.fit, 0, &x, &b.scratch);
        tqt_fit_solve(&b);
        const uint32_t j = (uint32_t)moving;
        const double *value = b.solution.value;
        const size_t inertia = tqt_fit_column(&b, TQ_COLUMN_INERTIA, NONE, j, TQ_NONE);
        const size_t distal = tqt_fit_column(&b, TQ_COLUMN_COS, NONE, j, 1);
        cr_expect(epsilon_eq(dbl, value[distal], 1.5 * .3 * g, noise_free * 10));
        if (moving == 0) {
            const size_t own = tqt_fit_column(&b, TQ_COLUMN_COS, NONE, 0, 0);
            cr_expect(epsilon_eq(dbl, value[own], (2 * .4 + 1.5 * .8) * g, noise_free * 100));
            /* the second bar's part at the angle at which it is held */
            cr_expect(epsilon_eq(dbl, value[inertia], i1 + i2 + 2 * 1.5 * .8 * .3 * cos(q2),
                                 noise_free * 10));
        } else {
            cr_expect(epsilon_eq(dbl, value[inertia], i2, noise_free * 10));
        }
        tqt_excited_free(&x);
    }
    tqt_fit_close(&b);
}

Test(seeds, item_127_consistency_measure)
{
    const double values[3] = {9, 10, 11}, opposite[2] = {-1, 1}, negative[3] = {-9, -10, -11};
    cr_expect(epsilon_eq(dbl, tq_consistency_measure(values, 3, 1), .1, 1e-15));
    cr_expect(epsilon_eq(dbl, tq_consistency_measure(negative, 3, 1), .1, 1e-15), "|AVG|");
    cr_expect(ieee_ulp_eq(dbl, tq_consistency_measure(values, 3, 1), .1, 2));
    cr_expect(isnan(tq_consistency_measure(opposite, 2, 1)), "not defined for a mean of 0");
    cr_expect(isnan(tq_consistency_measure(values, 1, 1)));
}

/* experiments that disagree on an inertia, each perfect in itself and of the same motion */
static tq_estimate inertia_of(const double *inertia, size_t n, tq_verdict *ret_verdict)
{
    const tqt_bar bar = {.length = .5, .mass = 1, .com = 0, .inertia = 1};
    tqt_fit_bench b = tqt_fit_open(tqt_planar_arm(&bar, 1, 9.81));
    tq_fit_options o = per_joint(TQ_FIT_GRAVITY_CONSTANT, TQ_REGRESS_VISCOUS);
    o.n_bootstrap = 400;
    tqt_fit_build(&b, &o, n);
    for (size_t e = 0; e < n; e++) {
        tqt_excited x = tqt_excited_new(b.subject, 1, 400, 100, 4);
        for (size_t i = 0; i < x.n_sample; i++) {
            x.tau[i] = inertia[e] * x.qdd[i] + .1 * x.qd[i] + 2;
        }
        tqt_fit_read(b.fit, e, &x, &b.scratch);
        tqt_excited_free(&x);
    }
    tqt_fit_solve(&b);
    const size_t c = tqt_fit_column(&b, TQ_COLUMN_INERTIA, NONE, 0, TQ_NONE);
    const tq_estimate estimate = b.solution.estimate[c];
    const double variance = b.solution.covariance[c * b.solution.n_column + c];
    cr_expect(epsilon_eq(dbl, sqrt(variance), estimate.deviation, 1e-12 * estimate.deviation));
    *ret_verdict = tqt_fit_verdict(&b, NULL).verdict;
    tqt_fit_close(&b);
    return estimate;
}

/* measure: numpy's std(x, ddof=1) / abs(mean(x)); error: std(x, ddof=1) / sqrt(n), which the mean
 * of n experiments has; half: scipy's t.ppf(.975, n - 1) of them */
Test(seeds, item_128_verdicts)
{
    static const struct {
        size_t n;
        double inertia[14], measure, error, half;
        tq_fit_grade grade;
        tq_verdict verdict;
    } rows[] = {
        {4,
         {9, 10, 11, 10},
         .08164965809277261,
         .408248290463863,
         1.299228263625111,
         TQ_GRADE_USABLE,
         TQ_VERDICT_USABLE},
        {4,
         {5, 10, 15, 10},
         .408248290463863,
         2.041241452319315,
         6.496141318125554,
         TQ_GRADE_ROBUST,
         TQ_VERDICT_ROBUST_CONTROL_ONLY},
        {4, {1, 1, 1, 37}, 1.8, 9, 28.64201674755337, TQ_GRADE_INCOMPLETE, TQ_VERDICT_INCOMPLETE},
        {2,
         {9.5, 10.5},
         .07071067811865475,
         .5,
         6.353102368087347,
         TQ_GRADE_USABLE,
         TQ_VERDICT_USABLE},
        {2,
         {5, 15},
         .7071067811865476,
         5,
         63.53102368087347,
         TQ_GRADE_ROBUST,
         TQ_VERDICT_ROBUST_CONTROL_ONLY},
        {2,
         {1, 20},
         1.2795265564328002,
         9.5,
         120.70894499365959,
         TQ_GRADE_INCOMPLETE,
         TQ_VERDICT_INCOMPLETE},
        {3,
         {9, 10, 11},
         .1,
         .5773502691896258,
         2.4841377117503303,
         TQ_GRADE_USABLE,
         TQ_VERDICT_USABLE},
        {3,
         {5, 10, 15},
         .5,
         2.886751345948129,
         12.42068855875165,
         TQ_GRADE_ROBUST,
         TQ_VERDICT_ROBUST_CONTROL_ONLY},
        {3,
         {1, 10, 20},
         .919779188992468,
         5.4873592110514435,
         23.610201088546344,
         TQ_GRADE_INCOMPLETE,
         TQ_VERDICT_INCOMPLETE},
        {14,
         {1, 20, 1, 20, 1, 20, 1, 20, 1, 20, 1, 20, 1, 20},
         .9389158011040615,
         2.6348259320698384,
         5.692195358879038,
         TQ_GRADE_INCOMPLETE,
         TQ_VERDICT_INCOMPLETE},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tq_verdict verdict = TQ_VERDICT_USABLE;
        const tq_estimate e = inertia_of(rows[k].inertia, rows[k].n, &verdict);
        cr_expect(epsilon_eq(dbl, e.consistency, rows[k].measure, 1e-9), "row %d", (int)k);
        cr_expect(epsilon_eq(dbl, e.deviation, rows[k].error, 1e-6), "row %d", (int)k);
        cr_expect(epsilon_eq(dbl, e.high - e.value, rows[k].half, 1e-5), "row %d", (int)k);
        cr_expect(epsilon_eq(dbl, e.value - e.low, rows[k].half, 1e-5), "row %d", (int)k);
        cr_expect(ieee_ulp_eq(dbl, e.freedom, (double)(rows[k].n - 1), 0), "row %d", (int)k);
        cr_expect(eq(int, e.grade, rows[k].grade), "row %d", (int)k);
        cr_expect(eq(int, verdict, rows[k].verdict), "row %d", (int)k);
    }
    cr_expect(eq(str, (char *)(uintptr_t)tq_verdict_slug(TQ_VERDICT_ROBUST_CONTROL_ONLY),
                 "robust-control-only"));
}

/* torque of a joint whose damping would feed energy: the verdict, then fits within bounds */
Test(seeds, item_129_constrained_fit)
{
    tqt_fit_bench b = tqt_fit_open(arm_2r());
    tqt_excited x = tqt_excited_new(b.subject, 5, 600, 100, 5);
    for (size_t i = 0; i < x.n_sample; i++) {
        x.tau[x.n_sample + i] -= .5 * x.qd[x.n_sample + i]; /* .2 - .5 < 0 */
    }
    static const tq_fit_method methods[] = {TQ_FIT_WLS, TQ_FIT_BOUNDED, TQ_FIT_FEASIBLE};
    for (size_t k = 0; k < 3; k++) {
        tq_fit_options o = tq_fit_defaults();
        o.method = methods[k];
        o.model.with = TQ_REGRESS_VISCOUS;
        tqt_fit_build(&b, &o, 1);
        tqt_fit_read(b.fit, 0, &x, &b.scratch);
        tqt_fit_solve(&b);
        const size_t c = tqt_fit_column(&b, TQ_COLUMN_PARAMETER, TQ_PARAMETER_VISCOUS, 1, TQ_NONE);
        const tq_verdict_report report = tqt_fit_verdict(&b, NULL);
        if (methods[k] == TQ_FIT_WLS) {
            cr_expect(epsilon_eq(dbl, b.solution.value[c], -.3, 1e-9));
            cr_expect(eq(int, report.verdict, TQ_VERDICT_PHYSICALLY_INCONSISTENT));
            cr_expect(eq(int, report.reasons[0].kind, TQ_REASON_NEGATIVE));
            cr_expect(eq(sz, report.reasons[0].index, c));
        } else {
            cr_expect(ge(dbl, b.solution.value[c], 0.0));
            cr_expect(gt(dbl, b.solution.objective, b.solution.objective_unconstrained));
            cr_expect(ne(int, report.verdict, TQ_VERDICT_PHYSICALLY_INCONSISTENT));
        }
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

enum { REGIME = 600, TERMS = 4 };

/* the first joint's columns q'', qd, q, 1 and its torque (items 44 to 46) plus b qd */
static void regime_row(const tqt_excited *x, size_t i, long double ret[TERMS + 1])
{
    const double q[2] = {x->q[i], x->q[REGIME + i]}, qd[2] = {x->qd[i], x->qd[REGIME + i]};
    const double qdd[2] = {x->qdd[i], x->qdd[REGIME + i]};
    const long double b = 1.5L * .8L * .6L, c2 = cosl(q[1]), s2 = sinl(q[1]);
    const long double far = 1.5L * .36L / 3;
    ret[0] = qdd[0], ret[1] = qd[0], ret[2] = q[0], ret[3] = 1;
    ret[4] = (2 * .64L / 3 + 1.5L * .64L + far + b * c2) * qdd[0] + (far + b * c2 / 2) * qdd[1] -
             b * s2 * (qd[0] * qd[1] + qd[1] * qd[1] / 2) +
             9.81L * ((2 * .4L + 1.5L * .8L) * cosl(q[0]) + 1.5L * .3L * cosl(q[0] + q[1])) +
             .3L * qd[0];
}

/* left pseudo-inverse in 80 bits; a condition of 1e5 at most leaves ten digits */
static void regime_fit(const tqt_excited *x, long double ret[TERMS])
{
    long double g[TERMS][TERMS + 1] = {{0}}, row[TERMS + 1];
    for (size_t i = 0; i < REGIME; i++) {
        regime_row(x, i, row);
        for (int k = 0; k < TERMS * (TERMS + 1); k++) {
            g[k / (TERMS + 1)][k % (TERMS + 1)] += row[k / (TERMS + 1)] * row[k % (TERMS + 1)];
        }
    }
    for (int k = 0; k < TERMS; k++) {
        for (int r = 0; r < TERMS; r++) {
            const long double f = r != k ? g[r][k] / g[k][k] : 0;
            for (int c = k; c <= TERMS; c++) {
                g[r][c] -= f * g[k][c];
            }
        }
    }
    for (int k = 0; k < TERMS; k++) {
        ret[k] = g[k][TERMS] / g[k][k];
    }
}

/* |tau - model| / |tau - mean tau| */
static double regime_error(const tqt_excited *x, const long double value[TERMS])
{
    long double row[TERMS + 1], mean = 0, left = 0, all = 0;
    for (size_t i = 0; i < REGIME; i++) {
        regime_row(x, i, row);
        mean += row[TERMS] / (double)REGIME;
    }
    for (size_t i = 0; i < REGIME; i++) {
        regime_row(x, i, row);
        long double off = row[TERMS];
        for (int k = 0; k < TERMS; k++) {
            off -= value[k] * row[k];
        }
        left += off * off, all += (row[TERMS] - mean) * (row[TERMS] - mean);
    }
    return (double)sqrtl(left / all);
}

/* A joint's linear model holds near the pose it was fitted at; the whole arm's holds everywhere.
 * How far off it is in either regime is computed here from the printed torque. */
Test(seeds, item_130_validity_over_regimes)
{
    tqt_fit_bench b = tqt_fit_open(arm_2r());
    tqt_excited near = tqt_excited_new(b.subject, 7, REGIME, 100, 5);
    tqt_excited far = tqt_excited_new(b.subject, 8, REGIME, 100, 5);
    for (size_t k = 0; k < near.nv * near.n_sample; k++) {
        const double middle = k < near.n_sample ? .3 : -.8;
        near.q[k] = middle + .02 * (near.q[k] - near.q[k / near.n_sample * near.n_sample]);
        near.qd[k] *= .02, near.qdd[k] *= .02;
    }
    tqt_excited_torque(b.subject, &near);
    double error[2][2];
    for (int whole = 0; whole < 2; whole++) {
        tq_fit_options o =
            per_joint(TQ_FIT_GRAVITY_CONSTANT, TQ_REGRESS_VISCOUS | TQ_REGRESS_STIFFNESS);
        if (whole) {
            o = tq_fit_defaults();
            o.model.with = TQ_REGRESS_VISCOUS;
            o.method = TQ_FIT_WLS;
        }
        tqt_fit_build(&b, &o, 1);
        tqt_fit_read(b.fit, 0, &near, &b.scratch);
        tqt_fit_solve(&b);
        for (int at = 0; at < 2; at++) {
            const tqt_excited *x = at ? &far : &near;
            double *memory = tqt_doubles(4 * x->nv * TQ_BLOCK);
            tq_residuals judge;
            const size_t mark = tq_scratch_mark(&b.scratch);
            cr_assert(eq(int,
                         tq_residuals_begin(b.fit, b.solution.value, .02, &b.scratch, &judge, NULL),
                         TQ_OK));
            for (size_t k = 0; k < tq_block_count(x->n_sample); k++) {
                const tq_experiment_block block = tqt_excited_block(x, k, memory);
                cr_assert(eq(int, tq_residuals_push(&judge, &block, NULL, NULL), TQ_OK));
            }
            error[whole][at] = tq_residuals_of(&judge, TQ_RESIDUALS_ALL, 0).relative_error;
            tq_scratch_rewind(&b.scratch, mark);
            free(memory);
        }
    }
    long double value[TERMS];
    regime_fit(&near, value);
    for (int at = 0; at < 2; at++) {
        const double want = regime_error(at ? &far : &near, value);
        cr_expect(epsilon_eq(dbl, error[0][at], want, 1e-8 * want), "%.17g, not %.17g",
                  error[0][at], want);
    }
    cr_expect(lt(dbl, error[0][0], .3), "%g", error[0][0]);
    cr_expect(gt(dbl, error[0][1], .3), "%g", error[0][1]);
    cr_expect(lt(dbl, error[1][0], 1e-8), "%g", error[1][0]);
    cr_expect(lt(dbl, error[1][1], 1e-6), "%g", error[1][1]);
    tqt_excited_free(&near), tqt_excited_free(&far);
    tqt_fit_close(&b);
}

/* What a base parameter of this arm is, written out. The first joint feels m1 r1 + m2 l1 and
 * I1 + m1 r1^2 + m2 l1^2; the second m2 r2 and I2 + m2 r2^2: with slender bars m r = m l / 2 and
 * I + m r^2 = m l^2 / 3 (TAG s.40). */
static double base_of_2r(const tq_parameter *p)
{
    static const double viscous[2] = {.3, .2}, coulomb[2] = {.4, .1};
    switch (p->kind) {
    case TQ_PARAMETER_MX:
        return p->link == 1 ? 2 * .4 + 1.5 * .8 : 1.5 * .3;
    case TQ_PARAMETER_IZZ:
        return p->link == 1 ? 2 * .64 / 3 + 1.5 * .64 : 1.5 * .36 / 3;
    case TQ_PARAMETER_MY:
        return 0;
    case TQ_PARAMETER_VISCOUS:
        return viscous[p->joint];
    case TQ_PARAMETER_COULOMB:
        return coulomb[p->joint];
    default:
        return NAN; /* no base parameter of a planar arm */
    }
}

/* the 2R arm of item 44 with friction: base parameters of the whole arm, from torque */
Test(seeds, item_131_synthetic_recovery)
{
    tqt_fit_bench b = tqt_fit_open(arm_2r());
    b.model->joints[0].friction.coulomb = .4, b.model->joints[1].friction.coulomb = .1;
    tqt_subject_free(b.subject);
    b.subject = tqt_subject_new(b.model, 0);
    tqt_excited x = tqt_excited_new(b.subject, 9, 800, 100, 5);
    for (int method = TQ_FIT_FEASIBLE; method <= TQ_FIT_WLS; method++) {
        tq_fit_options o = tq_fit_defaults();
        o.method = (tq_fit_method)method;
        o.model.with = TQ_REGRESS_VISCOUS | TQ_REGRESS_COULOMB;
        tqt_fit_build(&b, &o, 1);
        tqt_fit_read(b.fit, 0, &x, &b.scratch);
        tqt_fit_solve(&b);
        size_t n_column = 0;
        const tq_column *columns = tq_fit_columns(b.fit, &n_column);
        /* m r in x and y and I of each bar, viscous and Coulomb friction of each joint */
        cr_expect(all(eq(sz, b.solution.rank, 10), eq(sz, n_column, 10)));
        for (size_t k = 0; k < n_column; k++) {
            const double want = base_of_2r(&columns[k].parameter);
            cr_expect(epsilon_eq(dbl, b.solution.value[k], want, noise_free), "%d of %d", (int)k,
                      method);
        }
        cr_expect(eq(int, tqt_fit_verdict(&b, &x).verdict, TQ_VERDICT_USABLE));
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}
