/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_constraints.c - items 140 to 152: constrained motion by Z. Li and Y. Wu's
 * notes on Murray, Li, Sastry, chapter 6; closed forms worked out anew. Their multipliers stand on
 * the left up to slide 60 (ERR-L4): ours are their negatives there. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/constraints/integrability.h"
#include "tests/support/constrained_robot.h"
#include "tests/support/expect.h"
#include "tests/support/one_call.h"
#include "tests/support/random.h"

enum { N = TQT_NV, ROWS = TQT_ROWS, N_TRIAL = 20 };

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

static void random_state(tqt_robot_state *s, tqt_random *r, double spread)
{
    for (size_t k = 0; k < s->nv; k++) {
        s->q[k] = s->robot->assembled[k] + tqt_random_uniform(r, -spread, spread);
        s->qd[k] = tqt_random_uniform(r, -2.0, 2.0);
    }
    tqt_project(s);
}

static void random_torque(tqt_random *r, size_t n, double *tau)
{
    for (size_t k = 0; k < n; k++) {
        tau[k] = tqt_random_uniform(r, -3.0, 3.0);
    }
}

/* x := a^-1 x by Gauss with pivots, for what must not come from the library */
static void solve(size_t n, double *a, double *x)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k; i < n; i++) {
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        }
        for (size_t j = 0; j < n; j++) {
            const double t = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = t;
        }
        const double t = x[k];
        x[k] = x[best];
        x[best] = t;
        for (size_t i = k + 1; i < n; i++) {
            const double by = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++) {
                a[i * n + j] -= by * a[k * n + j];
            }
            x[i] -= by * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) {
            x[k] -= a[k * n + j] * x[j];
        }
        x[k] /= a[k * n + k];
    }
}

#define POINT(more)                                                                                   \
    "{\"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"o\"}, {\"name\": \"a\"}, {\"name\": "      \
    "\"b\"}, {\"name\": \"c\", \"mass\": 1.5, \"com\": [0, 0, 0]}], \"joints\": [{\"name\": \"x\", "  \
    "\"kind\": \"prismatic\", \"parent\": \"o\", \"child\": \"a\", \"axis\": [1, 0, 0]}, {\"name\": " \
    "\"y\", \"kind\": \"prismatic\", \"parent\": \"a\", \"child\": \"b\", \"axis\": [0, 1, 0]}, "     \
    "{\"name\": \"z\", \"kind\": \"prismatic\", \"parent\": \"b\", \"child\": \"c\", \"axis\": "      \
    "[0, 0, 1]}], \"constraints\": [{" more "}]}"

/* a point of 1.5 kg on a sphere of 0.8 m about the origin; h = (|q|^2 - r^2) / 2, so A = q^T */
static const char on_sphere[] =
    POINT("\"kind\": \"equation\", \"expression\": \"(x^2 + y^2 + z^2 - 0.64)/2\"");
static const double mass = 1.5, radius = 0.8, gravity = 9.81;

Test(seeds, item_140_holonomic_constraints)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(140);
    tqt_open(&s, on_sphere);
    cr_assert(eq(u32, s.robot->n_free, 2));
    for (int trial = 0; trial < N_TRIAL; trial++) {
        double tau[3], qdd[3], multiplier;
        random_state(&s, &r, 0.5);
        random_torque(&r, 3, tau);
        /* dimension n - k, permissible velocities across q, the constraint's force along it */
        cr_expect(fabs(dot(s.q, s.q, 3) - radius * radius) < TQT_ROUNDING);
        cr_expect(fabs(dot(s.q, s.qd, 3)) < 10 * TQT_ROUNDING);
        tqt_accelerate(&s, tau, qdd, &multiplier);
        for (int k = 0; k < 3; k++) {
            const double force = mass * qdd[k] - tau[k] + (k == 2 ? mass * gravity : 0.0);
            cr_expect(fabs(force - multiplier * s.q[k]) < 100 * TQT_ROUNDING);
        }
    }
    tqt_close(&s);
}

static void expect_integrable(const char *robot, size_t n_free, size_t n_new)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(141);
    tqt_open(&s, robot);
    for (int trial = 0; trial < N_TRIAL; trial++) {
        tq_integrability found;
        random_state(&s, &r, 0.3);
        tqt_factor(&s);
        const size_t mark = tq_scratch_mark(&s.scratch);
        s.scratch.peak = s.scratch.used;
        cr_assert(
            eq(int, tq_constraint_integrability(&s.state, s.q, &s.scratch, &found, NULL), TQ_OK));
        cr_assert(le(sz, s.scratch.peak - mark, tq_integrability_scratch_size(&s.state)));
        cr_assert(eq(sz, s.scratch.used, mark));
        cr_assert(eq(sz, found.n_free, n_free), "%s", robot);
        cr_assert(eq(sz, found.n_new, n_new), "%s: defect %g", robot, found.defect);
        /* brackets of a few dozen terms */
        cr_assert(n_new > 0 ? found.defect > 1e-3 : found.defect < 1e-13, "%s: %g", robot,
                  found.defect);
    }
    tqt_close(&s);
}

Test(seeds, item_141_integrability)
{
    /* y dx + x dy + dz = d(x y + z); z dx - dy is a contact form */
    expect_integrable(
        POINT("\"kind\": \"pfaffian\", \"rows\": [{\"x\": \"y\", \"y\": \"x\", \"z\": 1}]"), 2, 0);
    expect_integrable(POINT("\"kind\": \"pfaffian\", \"rows\": [{\"x\": \"z\", \"y\": -1}]"), 2, 1);
    /* an integrating factor does not matter: exp(x z) (x dx + y dy) */
    expect_integrable(POINT("\"kind\": \"pfaffian\", \"rows\": [{\"x\": \"x*exp(x*z)\", \"y\": "
                            "\"y*exp(x*z)\"}]"),
                      2, 0);
    expect_integrable(on_sphere, 2, 0);
    expect_integrable("parallel-2dof", 2, 0);
    expect_integrable("arm-on-sphere-slipping", 5, 0);
    expect_integrable("rolling-disk", 2, 1);
    expect_integrable("arm-on-sphere-rolling", 2, 1);
}

/* The formula itself, in matrices of the test's own: M by columns of inverse dynamics. */
Test(seeds, item_142_multipliers)
{
    static const char *const robots[] = {"arm-on-sphere-rolling", "four-bar", "parallel-2dof",
                                         "rolling-disk"};
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        tqt_robot_state s;
        tqt_random r = tqt_random_seed(142 + i);
        tqt_open(&s, robots[i]);
        const size_t nv = s.nv, n = s.n_row;
        for (int trial = 0; trial < N_TRIAL; trial++) {
            double tau[N], qdd[N], got[ROWS], m[N * N], bias[N], free[N], k[ROWS * ROWS],
                want[ROWS];
            double minv[ROWS][N];
            random_state(&s, &r, 0.2);
            random_torque(&r, nv, tau);
            tqt_accelerate(&s, tau, qdd, got);
            tqt_factor(&s);
            tqt_torque(s.subject, s.q, s.qd, NULL, 0, bias);
            for (size_t c = 0; c < nv; c++) {
                free[c] = tau[c] - bias[c];
            }
            tqt_mass(s.subject, s.q, m);
            solve(nv, m, free);
            for (size_t a = 0; a < n; a++) {
                memcpy(minv[a], s.state.a + a * nv, nv * sizeof(double));
                tqt_mass(s.subject, s.q, m);
                solve(nv, m, minv[a]);
            }
            for (size_t a = 0; a < n; a++) {
                want[a] = -(dot(s.state.a + a * nv, free, nv) + s.state.gamma[a]);
                for (size_t b = 0; b < n; b++) {
                    k[a * n + b] = dot(s.state.a + a * nv, minv[b], nv);
                }
            }
            solve(n, k, want);
            for (size_t a = 0; a < n; a++) {
                /* two solves of condition 1e4: 1e4 * 50 eps of the largest */
                cr_expect(fabs(got[a] - want[a]) < 1e-10 * (1.0 + fabs(want[a])),
                          "%s: %zu: %.15g, not %.15g", robots[i], a, got[a], want[a]);
            }
        }
        tqt_close(&s);
    }
}

/* tension = m g cos a + m l w^2, a from the bottom (ERR-L2); our rod pushes, so it is the negative
 */
Test(seeds, item_143_cartesian_pendulum)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(143);
    tqt_open(&s, "cartesian-pendulum");
    for (int trial = 0; trial < N_TRIAL; trial++) {
        const double a = tqt_random_uniform(&r, -3.0, 3.0), w = tqt_random_uniform(&r, -4.0, 4.0);
        const double none[2] = {0.0, 0.0};
        double qdd[2], push;
        const double q[2] = {radius * sin(a), -radius * cos(a)};
        const double qd[2] = {radius * cos(a) * w, radius * sin(a) * w};
        memcpy(s.q, q, sizeof q);
        memcpy(s.qd, qd, sizeof qd);
        tqt_accelerate(&s, none, qdd, &push);
        const double tension = mass * gravity * cos(a) + mass * radius * w * w;
        /* the same by (m/l^2)(xd^2 + yd^2 - g y), times l: their row is q, ours q / l */
        const double theirs = mass / (radius * radius) * (dot(qd, qd, 2) - gravity * q[1]);
        cr_expect(fabs(-push - tension) < 100 * TQT_ROUNDING);
        cr_expect(fabs(-push - theirs * radius) < 100 * TQT_ROUNDING);
        const double wd = -gravity / radius * sin(a);
        const double want[2] = {radius * (cos(a) * wd - sin(a) * w * w),
                                radius * (sin(a) * wd + cos(a) * w * w)};
        tqt_expect("qdd", qdd, want, 2, 100 * TQT_ROUNDING);
    }
    tqt_close(&s);
}

Test(seeds, item_144_constraint_forces_do_no_work)
{
    static const char *const robots[] = {"arm-on-sphere-rolling", "arm-on-sphere-slipping",
                                         "four-bar", "parallel-2dof", "rolling-disk"};
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        tqt_robot_state s;
        tqt_random r = tqt_random_seed(144 + i);
        tqt_open(&s, robots[i]);
        for (int trial = 0; trial < N_TRIAL; trial++) {
            double tau[N], qdd[N], multipliers[ROWS], power = 0.0, size = 1.0;
            random_state(&s, &r, 0.2);
            random_torque(&r, s.nv, tau);
            tqt_accelerate(&s, tau, qdd, multipliers);
            tqt_factor(&s);
            for (size_t k = 0; k < s.n_row; k++) {
                power += multipliers[k] * dot(s.state.a + k * s.nv, s.qd, s.nv);
                size = fmax(size, fabs(multipliers[k]));
            }
            cr_expect(fabs(power) < 1e-11 * size, "%s: %g W of %g", robots[i], power, size);
        }
        tqt_close(&s);
    }
}

Test(seeds, item_145_elimination)
{
    static const char *const robots[] = {"arm-on-sphere-rolling", "four-bar", "parallel-2dof"};
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        tqt_robot_state s;
        tqt_random r = tqt_random_seed(145 + i);
        tqt_open(&s, robots[i]);
        const size_t nv = s.nv;
        for (int trial = 0; trial < N_TRIAL; trial++) {
            double tau[N], qdd[N], multipliers[ROWS], m[N * N], bias[N];
            tq_elimination e;
            random_state(&s, &r, 0.2);
            random_torque(&r, nv, tau);
            tqt_accelerate(&s, tau, qdd, multipliers);
            tqt_factor(&s);
            const size_t mark = tq_scratch_mark(&s.scratch);
            s.scratch.peak = mark;
            cr_assert(eq(int, tq_constraint_eliminate(&s.state, &s.scratch, &e, NULL), TQ_OK));
            cr_assert(le(sz, s.scratch.peak - mark, tq_elimination_scratch_size(&s.state)));
            cr_assert(eq(sz, e.n_free, s.robot->n_free));
            for (size_t f = 0; f < e.n_free; f++) {
                for (size_t k = 0; k < s.n_row; k++) { /* A t = 0 */
                    cr_expect(fabs(dot(s.state.a + k * nv, e.t + f * nv, nv)) < 1e-12);
                }
            }
            /* (T^T M T) ud = T^T (tau - bias - M Tdot u), whose solution moves all joints as the
             * multipliers do */
            double reduced[N * N], ud[N], zero[N] = {0}, follow[N], mf[N];
            tqt_mass(s.subject, s.q, m);
            tqt_torque(s.subject, s.q, s.qd, NULL, 0, bias);
            tq_elimination_acceleration(&s.state, &e, zero, follow);
            for (size_t k = 0; k < nv; k++) {
                mf[k] = tau[k] - bias[k] - dot(m + k * nv, follow, nv);
            }
            for (size_t f = 0; f < e.n_free; f++) {
                ud[f] = dot(e.t + f * nv, mf, nv);
                for (size_t g = 0; g < e.n_free; g++) {
                    double column[N];
                    for (size_t k = 0; k < nv; k++) {
                        column[k] = dot(m + k * nv, e.t + g * nv, nv);
                    }
                    reduced[f * e.n_free + g] = dot(e.t + f * nv, column, nv);
                }
            }
            solve(e.n_free, reduced, ud);
            tq_elimination_acceleration(&s.state, &e, ud, follow);
            for (size_t k = 0; k < nv; k++) {
                cr_expect(fabs(follow[k] - qdd[k]) < 1e-10 * (1.0 + fabs(qdd[k])), "%s: %g, not %g",
                          robots[i], follow[k], qdd[k]);
            }
        }
        tqt_close(&s);
    }
}

Test(seeds, item_146_rolling_disk)
{
    static const double rho = 0.2, m = 0.5;
    const double i1 = m * rho * rho / 4.0, i2 = m * rho * rho / 2.0, j = i2 + m * rho * rho;
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(146);
    tqt_open(&s, "rolling-disk");
    for (int trial = 0; trial < N_TRIAL; trial++) {
        double tau[4] = {0.0, 0.0, tqt_random_uniform(&r, -1.0, 1.0),
                         tqt_random_uniform(&r, -1.0, 1.0)};
        double qdd[4], multipliers[2];
        random_state(&s, &r, 2.0);
        tqt_accelerate(&s, tau, qdd, multipliers);
        const double th = s.q[2], thd = s.qd[2], phd = s.qd[3];
        const double thdd = tau[2] / i1, phdd = tau[3] / j;
        const double want[4] = {rho * cos(th) * phdd - rho * sin(th) * thd * phd,
                                rho * sin(th) * phdd + rho * cos(th) * thd * phd, thdd, phdd};
        tqt_expect("qdd", qdd, want, 4, 1e-10); /* thdd is 200: eps 1e3 200 */
        const double theirs = m * rho * (j * thd * phd * sin(th) - tau[3] * cos(th)) / j;
        cr_expect(fabs(multipliers[0] + theirs) < 100 * TQT_ROUNDING);
    }
    tqt_close(&s);
}

/* Substituting a nonholonomic constraint into the Lagrangian is wrong: L = m/2 (r1d^2 + r2d^2 +
 * sd^2), sd + r2 r1d = 0. */
Test(seeds, item_147_the_nonholonomic_trap)
{
    static const char text[] =
        "{\"gravity\": [0, 0, 0], \"links\": [{\"name\": \"o\"}, {\"name\": \"a\"}, {\"name\": "
        "\"b\"}, {\"name\": \"c\", \"mass\": 2, \"com\": [0, 0, 0]}], \"joints\": [{\"name\": "
        "\"r1\", \"kind\": \"prismatic\", \"parent\": \"o\", \"child\": \"a\", \"axis\": [1, 0, "
        "0]}, {\"name\": \"r2\", \"kind\": \"prismatic\", \"parent\": \"a\", \"child\": \"b\", "
        "\"axis\": [0, 1, 0]}, {\"name\": \"s\", \"kind\": \"prismatic\", \"parent\": \"b\", "
        "\"child\": \"c\", \"axis\": [0, 0, 1]}], \"constraints\": [{\"kind\": \"pfaffian\", "
        "\"rows\": [{\"s\": 1, \"r1\": \"r2\"}]}]}";
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(147);
    tqt_open(&s, text);
    for (int trial = 0; trial < N_TRIAL; trial++) {
        const double none[3] = {0.0, 0.0, 0.0};
        double qdd[3], multiplier;
        random_state(&s, &r, 2.0);
        tqt_accelerate(&s, none, qdd, &multiplier);
        const double r2 = s.q[1], u1 = s.qd[0], u2 = s.qd[1];
        const double right[2] = {-r2 * u1 * u2 / (1.0 + r2 * r2), 0.0};
        const double naive[2] = {-2.0 * r2 * u1 * u2 / (1.0 + r2 * r2), r2 * u1 * u1};
        tqt_expect("qdd", qdd, right, 2, 10 * TQT_ROUNDING);
        cr_expect(fabs(qdd[1] - naive[1]) > 1e-6, "the trap would be fallen into");
    }
    tqt_close(&s);
}

/* P_w of the library, and M by inverse dynamics */
static void projector(tqt_robot_state *s, double *pw, double *m)
{
    tqt_factor(s);
    const size_t mark = tq_scratch_mark(&s->scratch);
    cr_assert(eq(int, tq_constraint_projector(&s->state, &s->scratch, pw, NULL), TQ_OK));
    cr_assert(eq(sz, s->scratch.used, mark));
    tqt_mass(s->subject, s->q, m);
}

Test(seeds, item_148_projectors)
{
    static const char *const robots[] = {"arm-on-sphere-rolling", "four-bar", "parallel-2dof",
                                         "rolling-disk", "arm-on-sphere-slipping"};
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        tqt_robot_state s;
        tqt_random r = tqt_random_seed(148 + i);
        tqt_open(&s, robots[i]);
        const size_t nv = s.nv;
        for (int trial = 0; trial < N_TRIAL; trial++) {
            double pw[N * N], m[N * N], trace = 0.0;
            random_state(&s, &r, 0.2);
            projector(&s, pw, m);
            for (size_t a = 0; a < nv; a++) {
                trace += pw[a * nv + a];
                for (size_t b = 0; b < nv; b++) {
                    double twice = 0.0, left = 0.0, right = 0.0;
                    for (size_t k = 0; k < nv; k++) {
                        twice += pw[a * nv + k] * pw[k * nv + b];
                        left += pw[a * nv + k] * m[k * nv + b];
                        right += m[a * nv + k] * pw[b * nv + k]; /* P_T = P_w^T */
                    }
                    cr_expect(fabs(twice - pw[a * nv + b]) < 1e-9, "%s: P P = P", robots[i]);
                    cr_expect(fabs(left - right) < 1e-11, "%s: P_w M = M P_T", robots[i]);
                }
                for (size_t k = 0; k < s.n_row; k++) { /* P_w A^T = 0 and A P_T = 0 */
                    cr_expect(fabs(dot(pw + a * nv, s.state.a + k * nv, nv)) < 1e-10, "%s",
                              robots[i]);
                }
            }
            cr_expect(fabs(trace - (double)(nv - s.state.rank)) < 1e-10);
        }
        tqt_close(&s);
    }
}

Test(seeds, item_149_flat_and_sharp)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(149);
    tqt_open(&s, on_sphere);
    for (int trial = 0; trial < N_TRIAL; trial++) {
        double pw[9], m[9], v[3], allowed[3], normal[3], flat[3];
        random_state(&s, &r, 0.5);
        projector(&s, pw, m);
        random_torque(&r, 3, v);
        for (int k = 0; k < 3; k++) {
            allowed[k] = pw[k] * v[0] + pw[3 + k] * v[1] + pw[6 + k] * v[2];
            normal[k] = v[k] - allowed[k];
        }
        for (int k = 0; k < 3; k++) {
            flat[k] = dot(m + 3 * k, normal, 3);
        }
        /* V1^T M V2 = 0 (ERR-L11); A M^-1 A^T = r^2 / m; the flat of the normal is along A^T */
        cr_expect(fabs(dot(allowed, flat, 3)) < 100 * TQT_ROUNDING);
        cr_expect(fabs(s.state.length[0] * s.state.length[0] - radius * radius / mass) <
                  TQT_ROUNDING);
        cr_expect(fabs(flat[0] * s.q[1] - flat[1] * s.q[0]) < 100 * TQT_ROUNDING);
    }
    tqt_close(&s);
}

Test(seeds, item_150_projected_dynamics)
{
    static const char *const robots[] = {"arm-on-sphere-rolling", "parallel-2dof"};
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        tqt_robot_state s;
        tqt_random r = tqt_random_seed(150 + i);
        tqt_open(&s, robots[i]);
        const size_t nv = s.nv;
        for (int trial = 0; trial < N_TRIAL; trial++) {
            double pw[N * N], m[N * N], tau[N], qdd[N], multipliers[ROWS], bias[N], net[N];
            random_state(&s, &r, 0.2);
            random_torque(&r, nv, tau);
            tqt_accelerate(&s, tau, qdd, multipliers);
            tqt_torque(s.subject, s.q, s.qd, NULL, 0, bias);
            projector(&s, pw, m);
            double size = 1.0;
            for (size_t k = 0; k < nv; k++) {
                net[k] = dot(m + k * nv, qdd, nv) + bias[k] - tau[k];
                size = fmax(size, fabs(net[k]));
            }
            for (size_t k = 0; k < nv; k++) {
                double normal = 0.0;
                for (size_t a = 0; a < s.n_row; a++) {
                    normal += s.state.a[a * nv + k] * multipliers[a];
                }
                /* P_w (M qdd + C + N - tau) = 0; what is left is A^T lambda */
                cr_expect(fabs(dot(pw + k * nv, net, nv)) < 1e-9 * size, "%s", robots[i]);
                cr_expect(fabs(net[k] - normal) < 1e-10 * size, "%s", robots[i]);
            }
        }
        tqt_close(&s);
    }
}

/* mu from the equator, nu about z: q = r (cos mu cos nu, cos mu sin nu, sin mu) */
Test(seeds, item_151_spherical_pendulum_by_projection)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(151);
    tqt_open(&s, on_sphere);
    for (int trial = 0; trial < N_TRIAL; trial++) {
        const double mu = tqt_random_uniform(&r, -1.3, 1.3), nu = tqt_random_uniform(&r, -3.0, 3.0);
        const double mud = tqt_random_uniform(&r, -2.0, 2.0), nud = tqt_random_uniform(&r, -2., 2.);
        const double e1[3] = {-sin(mu) * cos(nu), -sin(mu) * sin(nu), cos(mu)};
        const double e2[3] = {-sin(nu), cos(nu), 0.0};
        const double up[3] = {cos(mu) * cos(nu), cos(mu) * sin(nu), sin(mu)};
        double pw[9], m[9], tau[3], qdd[3], multiplier;
        for (int k = 0; k < 3; k++) {
            s.q[k] = radius * up[k];
            s.qd[k] = radius * (mud * e1[k] + cos(mu) * nud * e2[k]);
        }
        projector(&s, pw, m);
        for (int a = 0; a < 3; a++) { /* E - q q^T / r^2; entry (2, 1) is -x y / r^2 (ERR-L3) */
            for (int b = 0; b < 3; b++) {
                cr_expect(fabs(pw[3 * a + b] - (a == b) + up[a] * up[b]) < TQT_ROUNDING);
            }
        }
        random_torque(&r, 3, tau);
        tqt_accelerate(&s, tau, qdd, &multiplier);
        const double force[3] = {tau[0], tau[1], tau[2] - mass * gravity};
        const double mudd = dot(force, e1, 3) / (mass * radius) - sin(mu) * cos(mu) * nud * nud;
        const double nudd =
            (dot(force, e2, 3) / (mass * radius) + 2.0 * sin(mu) * mud * nud) / cos(mu);
        /* tangent components v1 and v2, and the normal one S along q */
        const double v1 = mudd + sin(mu) * cos(mu) * nud * nud;
        const double v2 = cos(mu) * nudd - 2.0 * sin(mu) * mud * nud;
        const double normal = -(mud * mud + cos(mu) * cos(mu) * nud * nud);
        for (int k = 0; k < 3; k++) {
            const double want = radius * (v1 * e1[k] + v2 * e2[k] + normal * up[k]);
            cr_expect(fabs(qdd[k] - want) < 100 * TQT_ROUNDING, "%g, not %g", qdd[k], want);
        }
    }
    tqt_close(&s);
}

/* the built-in pendulum in angles moves as the point on the sphere does */
Test(constraints, generalised_and_constrained_pendulum_agree)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(1510);
    tqt_open(&s, on_sphere);
    tqa_robot *robot = tqt_builtin("spherical-pendulum");
    tqt_subject *angles = tqt_subject_new(robot->model, 0);
    for (int trial = 0; trial < N_TRIAL; trial++) {
        const double th = tqt_random_uniform(&r, 0.3, 2.8), ph = tqt_random_uniform(&r, -3.0, 3.0);
        const double thd = tqt_random_uniform(&r, -2.0, 2.0), phd = tqt_random_uniform(&r, -2., 2.);
        const double none[3] = {0.0, 0.0, 0.0}, q[2] = {th, ph}, qd[2] = {thd, phd};
        double qdd[3], multiplier, m[4], bias[2];
        tqt_mass(angles, q, m);
        tqt_torque(angles, q, qd, NULL, 0, bias);
        const double thdd = -bias[0] / m[0], phdd = -bias[1] / m[3];
        const double st = sin(th), ct = cos(th), sp = sin(ph), cp = cos(ph);
        const double at[3] = {radius * st * cp, radius * st * sp, -radius * ct};
        const double rate[3] = {radius * (ct * cp * thd - st * sp * phd),
                                radius * (ct * sp * thd + st * cp * phd), radius * st * thd};
        memcpy(s.q, at, sizeof at);
        memcpy(s.qd, rate, sizeof rate);
        tqt_accelerate(&s, none, qdd, &multiplier);
        const double out = st * thd * thd + st * phd * phd; /* towards the axis, by r */
        const double want[3] = {
            radius * (ct * cp * thdd - st * sp * phdd - out * cp - 2.0 * ct * sp * thd * phd),
            radius * (ct * sp * thdd + st * cp * phdd - out * sp + 2.0 * ct * cp * thd * phd),
            radius * (st * thdd + ct * thd * thd)};
        tqt_expect("qdd", qdd, want, 3, 100 * TQT_ROUNDING);
    }
    tqt_subject_free(angles);
    tqa_robot_free(robot);
    tqt_close(&s);
}

/* without forces the point leaves its tangent by the curvature alone: S = -|v|^2 q / r^2 */
Test(seeds, item_152_second_fundamental_form)
{
    tqt_robot_state s;
    tqt_random r = tqt_random_seed(152);
    tqt_open(&s, on_sphere);
    for (int trial = 0; trial < N_TRIAL; trial++) {
        const double lift[3] = {0.0, 0.0, mass * gravity};
        double qdd[3], multiplier;
        random_state(&s, &r, 0.5);
        tqt_accelerate(&s, lift, qdd, &multiplier);
        const double v2 = dot(s.qd, s.qd, 3);
        for (int k = 0; k < 3; k++) {
            cr_expect(fabs(qdd[k] + v2 * s.q[k] / (radius * radius)) < 100 * TQT_ROUNDING);
        }
        /* and the sphere pushes with m v^2 / r */
        cr_expect(fabs(multiplier * radius + mass * v2 / radius) < 100 * TQT_ROUNDING);
    }
    tqt_close(&s);
}
