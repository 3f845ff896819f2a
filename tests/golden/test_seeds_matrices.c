/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_matrices.c - items 27 to 43: what the matrices of any serial arm obey. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/bounds/bounds.h"
#include "core/dynamics/lagrangian.h"
#include "core/integrate/fixed_step.h"
#include "tests/support/expect.h"
#include "tests/support/particles.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { N = 3, NN = N * N, NNN = N * N * N };

/* a central difference of second order at this step: h^2 = 1e-10 times third derivatives, and
 * eps / h = 2e-11, on numbers of order 1 */
static const double step = 1e-5;
static const double by_difference = 1e-8;

/* three arms of three freedoms, prismatic travel among them */
static const tqt_elbow elbow = {.l0 = .5,
                                .l1 = .4,
                                .r0 = .2,
                                .r1 = .15,
                                .r2 = .25,
                                .g = 9.81,
                                .m = {1.2, .9, .7},
                                .ix = {.02, .03, .015},
                                .iy = {.021, .012, .011},
                                .iz = {.013, .034, .017}};

static tq_model *arm(int which)
{
    const tqt_bar bars[3] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5),
                             tqt_slender_bar(.4, 1)};
    return which == 0   ? tqt_planar_arm(bars, 3, 9.81)
           : which == 1 ? tqt_rrp_arm(&tqt_rrp_homework)
                        : tqt_elbow_arm(&elbow);
}

/* the same arm as point masses whose places are written out: what the library is held to */
static tqt_cloud cloud(int which)
{
    const tqt_bar bars[3] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5),
                             tqt_slender_bar(.4, 1)};
    return which == 0   ? tqt_cloud_planar(bars, 3, 9.81)
           : which == 1 ? tqt_cloud_rrp(&tqt_rrp_homework)
                        : tqt_cloud_elbow(&elbow);
}
enum { ARMS = 3 };
static const double q0[N] = {.4, .6, .25}, qd0[N] = {.7, -.5, .3}, qdd0[N] = {.2, -.1, .4};

static _Alignas(64) unsigned char memory[1 << 20];

static tq_configuration posture(const tq_model *model, const double *q, const double *qd,
                                tq_scratch *scratch)
{
    tq_configuration p;
    tq_scratch_init(scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_configuration_compute(model, q, qd, scratch, &p, NULL), TQ_OK));
    return p;
}

static void mass_at(const tq_model *model, const double *q, double *m)
{
    tq_scratch scratch;
    const tq_configuration p = posture(model, q, NULL, &scratch);
    cr_assert(eq(int, tq_lagrangian_mass_matrix(&p, &scratch, m, NULL), TQ_OK));
}

static void coriolis_at(const tq_model *model, tq_coriolis_form form, double *c)
{
    tq_scratch scratch;
    const tq_configuration p = posture(model, q0, qd0, &scratch);
    cr_assert(eq(int, tq_lagrangian_coriolis(&p, qd0, form, &scratch, c, NULL), TQ_OK));
}

/* dM/dq_k by differences, [k][i][j] */
static void mass_derivatives(const tq_model *model, double *d)
{
    for (int k = 0; k < N; k++) {
        double q[N], fore[NN], back[NN];
        memcpy(q, q0, sizeof q);
        q[k] = q0[k] + step;
        mass_at(model, q, fore);
        q[k] = q0[k] - step;
        mass_at(model, q, back);
        for (int ij = 0; ij < NN; ij++) {
            d[k * NN + ij] = (fore[ij] - back[ij]) / (2 * step);
        }
    }
}

/* U = (E kron qd^T) dM/dq with the derivatives stacked: row i is qd^T dM/dq_i (ERR-T16) */
static void kronecker_u(const double *d, double *u)
{
    double kron[N * NN] = {0}; /* N x N^2 */
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            kron[i * NN + i * N + j] = qd0[j];
        }
    }
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < N; c++) {
            u[i * N + c] = 0;
            for (int r = 0; r < NN; r++) {
                u[i * N + c] += kron[i * NN + r] * d[r * N + c]; /* d is N^2 x N when stacked */
            }
        }
    }
}

static void mass_rate(const double *d, double *rate)
{
    for (int ij = 0; ij < NN; ij++) {
        rate[ij] = 0;
        for (int k = 0; k < N; k++) {
            rate[ij] += d[k * NN + ij] * qd0[k];
        }
    }
}

static void times(const double *a, const double *x, double *y)
{
    for (int i = 0; i < N; i++) {
        y[i] = a[i * N] * x[0] + a[i * N + 1] * x[1] + a[i * N + 2] * x[2];
    }
}

Test(seeds, item_027_coordinates_by_joint_kind)
{
    tq_model *m = arm(1);
    /* revolute, revolute, prismatic: one coordinate and one effort each; the last is a force in N:
       at rest it carries the
       weight along the rod, (m3 + m4) g cos th2 */
    tqt_subject *s = tqt_subject_new(m, 0);
    double tau[N];
    tqt_torque(s, q0, NULL, NULL, 0, tau);
    cr_assert(epsilon_eq(dbl, tau[2],
                         9.81 * cos(.6) * (tqt_rrp_homework.m[2] + tqt_rrp_homework.m[3]), 1e-12));
    cr_assert(eq(int, (int)m->joints[2].v_index, 2));
    tqt_subject_free(s);
    tqt_model_free(m);
}

Test(seeds, item_028_external_wrench_sign)
{
    /* Q = tau - J^T F when the robot applies F to the environment, so tau = ... + J^T F (ERR-T5) */
    tq_model *m = arm(0);
    tqt_subject *s = tqt_subject_new(m, 1);
    tq_scratch scratch;
    const tq_configuration p = posture(m, q0, NULL, &scratch);
    double j[6 * N], tau[N];
    const double origin[3] = {.4, 0, 0}, f[6] = {-3, 2, 0, 0, 0, .5}; /* on the robot */
    tq_configuration_jacobian(&p, 3, origin, TQ_JACOBIAN_WORLD_ALIGNED, j, NULL);
    const tq_external_wrench w = {.link = 3,
                                  .expressed_in = TQ_FRAME_WORLD,
                                  .at = {.4, 0, 0},
                                  .rows = f,
                                  .row_stride = 1,
                                  .sample_step = 0};
    tqt_hold(s, q0, &w, tau);
    for (int i = 0; i < N; i++) {
        double want = 0;
        for (int r = 0; r < 6; r++) {
            want -= j[r * N + i] * f[r];
        }
        cr_assert(epsilon_eq(dbl, tau[i], want, TQT_ROUNDING));
    }
    tqt_subject_free(s);
    tqt_model_free(m);
}

Test(seeds, item_029_viscous_friction_adds_b_qd)
{
    tq_model *m = arm(0);
    double with[N], without[N];
    m->joints[1].friction.viscous = .3;
    tqt_subject *s = tqt_subject_new(m, 0);
    tqt_torque(s, q0, qd0, qdd0, 0, with);
    tqt_torque(s, q0, qd0, qdd0, TQ_WITHOUT_FRICTION, without);
    cr_assert(epsilon_eq(dbl, with[1] - without[1], .3 * qd0[1], TQT_ROUNDING));
    cr_assert(eq(dbl, with[0], without[0]), "joint 1 does not feel joint 2's friction (ERR-T8)");
    tqt_subject_free(s);
    tqt_model_free(m);
}

Test(seeds, item_030_link_jacobians_by_differences)
{
    for (int which = 0; which < ARMS; which++) {
        tq_model *m = arm(which);
        tq_scratch scratch;
        for (uint32_t link = 1; link < m->n_link; link++) {
            const double *com = m->links[link].inertia.com;
            double j[6 * N];
            tq_configuration p = posture(m, q0, NULL, &scratch);
            tq_configuration_jacobian(&p, link, com, TQ_JACOBIAN_WORLD_ALIGNED, j, NULL);
            for (int k = 0; k < N; k++) {
                double at[2][3];
                for (int side = 0; side < 2; side++) {
                    double q[N];
                    memcpy(q, q0, sizeof q);
                    q[k] += side == 0 ? -step : step;
                    p = posture(m, q, NULL, &scratch);
                    for (int r = 0; r < 3; r++) {
                        const double *rot = p.pose[link].r + 3 * r;
                        at[side][r] =
                            p.pose[link].p[r] + rot[0] * com[0] + rot[1] * com[1] + rot[2] * com[2];
                    }
                }
                for (int r = 0; r < 3; r++) {
                    cr_assert(epsilon_eq(dbl, j[r * N + k], (at[1][r] - at[0][r]) / (2 * step),
                                         by_difference));
                }
                cr_assert(eq(int, (uint32_t)k >= link && j[k] != 0.0, 0),
                          "columns beyond the link are zero");
            }
        }
        tqt_model_free(m);
    }
}

Test(seeds, item_031_032_mass_matrix_and_energies)
{
    for (int which = 0; which < ARMS; which++) {
        tq_model *m = arm(which);
        const tqt_cloud points = cloud(which);
        double mass[NN], want[NN];
        mass_at(m, q0, mass);
        tqt_cloud_mass(&points, q0, want);
        tqt_expect("M = sum m dp/dq dp/dq", mass, want, NN, TQT_ROUNDING);
        tq_scratch scratch;
        const tq_configuration p = posture(m, q0, qd0, &scratch);
        cr_assert(epsilon_eq(dbl, tq_lagrangian_kinetic(&p, qd0),
                             tqt_cloud_kinetic(&points, q0, qd0), TQT_ROUNDING),
                  "sum m v^2 / 2");
        cr_assert(epsilon_eq(dbl, tq_lagrangian_potential(&p, m->gravity, q0),
                             tqt_cloud_potential(&points, q0), TQT_ROUNDING),
                  "item 32: sum m g z");
        tqt_model_free(m);
    }
}

Test(seeds, item_033_gravity_vector)
{
    for (int which = 0; which < ARMS; which++) {
        tq_model *m = arm(which);
        const tqt_cloud points = cloud(which);
        tqt_subject *s = tqt_subject_new(m, 0);
        tq_scratch scratch;
        double g[N], want[N];
        tqt_cloud_gravity(&points, q0, want);
        tqt_gravity(s, q0, g);
        tqt_expect("g", g, want, N, TQT_ROUNDING);
        const tq_configuration p = posture(m, q0, NULL, &scratch);
        tq_lagrangian_gravity(&p, m->gravity, g);
        tqt_expect("g by Lagrange", g, want, N, TQT_ROUNDING);
        tqt_subject_free(s);
        tqt_model_free(m);
    }
}

Test(seeds, item_034_035_velocity_vector_and_canonical_forms)
{
    for (int which = 0; which < ARMS; which++) {
        tq_model *m = arm(which);
        const tqt_cloud points = cloud(which);
        tqt_subject *s = tqt_subject_new(m, 0);
        double d[NNN], rate[NN], v[N], first[N], mass[NN], g[N], c[NN], cv[N], mq[N], tau[N];
        double want[N], bias[N];
        tqt_cloud_torque(&points, q0, qd0, qdd0, want);
        tqt_cloud_torque(&points, q0, qd0, NULL, bias);
        tqt_cloud_gravity(&points, q0, g);
        tqt_cloud_mass(&points, q0, mass);
        mass_derivatives(m, d);
        mass_rate(d, rate);
        times(rate, qd0, first);
        tqt_velocity(s, q0, qd0, v);
        for (int i = 0; i < N; i++) { /* v = Mdot qd - 1/2 d/dq (qd^T M qd) */
            double row[N];
            times(d + i * NN, qd0, row);
            const double half = .5 * (qd0[0] * row[0] + qd0[1] * row[1] + qd0[2] * row[2]);
            cr_assert(epsilon_eq(dbl, v[i], first[i] - half, 10 * by_difference));
            cr_assert(epsilon_eq(dbl, v[i], bias[i] - g[i], TQT_ROUNDING));
        }
        coriolis_at(m, TQ_CORIOLIS_CHRISTOFFEL, c);
        times(c, qd0, cv);
        times(mass, qdd0, mq);
        tqt_torque(s, q0, qd0, qdd0, 0, tau);
        for (int i = 0; i < N; i++) { /* M and g of point masses; v and C of the library */
            cr_assert(epsilon_eq(dbl, want[i], mq[i] + v[i] + g[i], TQT_ROUNDING));
            cr_assert(epsilon_eq(dbl, want[i], mq[i] + cv[i] + g[i], TQT_ROUNDING));
            cr_assert(epsilon_eq(dbl, tau[i], want[i], TQT_ROUNDING));
        }
        tqt_subject_free(s);
        tqt_model_free(m);
    }
}

Test(seeds, item_036_037_038_039_forms_from_kronecker_products)
{
    for (int which = 0; which < ARMS; which++) {
        tq_model *m = arm(which);
        double d[NNN], rate[NN], u[NN], c1[NN], c2[NN], chr[NN], utq[N], mdq[N];
        mass_derivatives(m, d);
        mass_rate(d, rate);
        kronecker_u(d, u);
        coriolis_at(m, TQ_CORIOLIS_C1, c1);
        coriolis_at(m, TQ_CORIOLIS_C2, c2);
        coriolis_at(m, TQ_CORIOLIS_CHRISTOFFEL, chr);
        double ut[NN];
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                ut[i * N + j] = u[j * N + i];
            }
        }
        for (int ij = 0; ij < NN; ij++) {
            cr_assert(epsilon_eq(dbl, c1[ij], rate[ij] - .5 * u[ij], 10 * by_difference),
                      "item 37");
            cr_assert(epsilon_eq(dbl, c2[ij], ut[ij] - .5 * u[ij], 10 * by_difference), "item 38");
            cr_assert(
                epsilon_eq(dbl, chr[ij], .5 * (rate[ij] + ut[ij] - u[ij]), 10 * by_difference),
                "item 39");
        }
        /* item 38: Mdot qd = U^T qd although the matrices differ */
        times(ut, qd0, utq);
        times(rate, qd0, mdq);
        tqt_expect("U^T qd", utq, mdq, N, 10 * by_difference);
        tqt_model_free(m);
    }
}

Test(seeds, item_040_skew_symmetry_and_its_limits)
{
    size_t not_skew = 0;
    for (int which = 0; which < ARMS; which++) {
        tq_model *m = arm(which);
        double d[NNN], rate[NN];
        mass_derivatives(m, d);
        mass_rate(d, rate);
        for (int form = TQ_CORIOLIS_CHRISTOFFEL; form <= TQ_CORIOLIS_STACKED; form++) {
            double c[NN], power = 0, worst = 0;
            coriolis_at(m, (tq_coriolis_form)form, c);
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++) {
                    const double s = rate[i * N + j] - 2 * c[i * N + j];
                    power += qd0[i] * s * qd0[j];
                    worst = fmax(worst, fabs(s + rate[j * N + i] - 2 * c[j * N + i]));
                }
            }
            cr_assert(epsilon_eq(dbl, power, 0.0, 10 * by_difference), "true for every form");
            if (form == TQ_CORIOLIS_CHRISTOFFEL) {
                cr_assert(lt(dbl, worst, 10 * by_difference), "skew for Christoffel");
            } else {
                not_skew += worst > 1e-3;
            }
        }
        tqt_model_free(m);
    }
    cr_assert(ge(sz, not_skew, 6), "and for no other form: %zu of 9", not_skew);
}

/* smallest and largest eigenvalue of a symmetric 3 x 3 matrix: the roots of its characteristic
 * polynomial by the cosine of a third of an angle */
static void eigenvalues(const double *m, double ret[2])
{
    const double third = (m[0] + m[4] + m[8]) / 3;
    double a[NN], square = 0;
    for (int k = 0; k < NN; k++) {
        a[k] = m[k] - (k % 4 == 0 ? third : 0);
        square += a[k] * a[k];
    }
    const double size = sqrt(square / 6);
    const double det = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
                       a[2] * (a[3] * a[7] - a[4] * a[6]);
    const double turn = acos(fmax(-1, fmin(1, det / (2 * size * size * size)))) / 3;
    ret[0] = third + 2 * size * cos(turn + 2 * M_PI / 3);
    ret[1] = third + 2 * size * cos(turn);
}

static tq_eigen_bounds bounds_over(const tq_model *m, const double *lower, const double *upper)
{
    enum { MATRICES = 4000 };
    const size_t size = tq_eigen_bounds_scratch_size(m, MATRICES) + 64;
    tq_scratch scratch;
    void *room = aligned_alloc(64, (size + 63) / 64 * 64);
    tq_scratch_init(&scratch, room, size);
    tq_eigen_bounds b;
    cr_assert(
        eq(int, tq_mass_matrix_eigen_bounds(m, lower, upper, MATRICES, &scratch, &b, NULL), TQ_OK));
    free(room);
    return b;
}

Test(seeds, item_041_bounds_of_the_mass_matrix)
{
    /* The service's bounds against the eigenvalues of the point masses' M at 61^2 places of the
     * box: none outside of what is guaranteed, and what is attained no farther inside than a cell
     * of that grid can hide (1 %). M of the planar arm does not depend on q1, of the RRP arm
     * neither. */
    for (int which = 0; which < 2; which++) {
        tq_model *m = arm(which);
        const tqt_cloud points = cloud(which);
        const double lower[N] = {-1, -1.2, which == 0 ? -2 : .1};
        const double upper[N] = {1, 2, which == 0 ? .7 : .6};
        const tq_eigen_bounds b = bounds_over(m, lower, upper);
        double smallest = INFINITY, largest = 0;
        for (int k = 0; k < 61 * 61; k++) {
            const double q[N] = {.3, lower[1] + (upper[1] - lower[1]) * (k % 61) / 60.,
                                 lower[2] + (upper[2] - lower[2]) * (int)(k / 61) / 60.};
            double any[NN], value[2];
            tqt_cloud_mass(&points, q, any);
            eigenvalues(any, value);
            smallest = fmin(smallest, value[0]);
            largest = fmax(largest, value[1]);
        }
        cr_assert(b.bounded && b.joint == TQ_NONE);
        cr_assert(le(dbl, b.guaranteed_smallest, smallest * (1 + 1e-12)));
        cr_assert(ge(dbl, b.guaranteed_largest, largest * (1 - 1e-12)));
        cr_assert(epsilon_eq(dbl, b.attained_largest, largest, .01 * largest), "%g, not %g",
                  b.attained_largest, largest);
        cr_assert(epsilon_eq(dbl, b.attained_smallest, smallest, .01 * smallest), "%g, not %g",
                  b.attained_smallest, smallest);
        tqt_model_free(m);
    }
    /* over the revolute joints the largest eigenvalue is bounded; over the rod's travel it is not
     * (ERR-T15): M11 = .. + d^2 (m3 + m4) s2^2 */
    tq_model *m = arm(1);
    const double lower[N] = {-1, .2, 0}, upper[N] = {1, 1.4, INFINITY};
    const tq_eigen_bounds open = bounds_over(m, lower, upper);
    cr_assert(not(open.bounded));
    cr_assert(eq(int, (int)open.joint, 2));
    cr_assert(isnan(open.guaranteed_largest) && isnan(open.guaranteed_smallest));
    double far[NN];
    const double q[N] = {.4, 1.2, 100.0};
    mass_at(m, q, far);
    const double *mass = tqt_rrp_homework.m, l1 = tqt_rrp_homework.rod;
    const double swing =
        l1 * l1 * mass[2] / 3 + 1e4 * (mass[2] + mass[3]) - l1 * 100 * mass[2]; /* item 87 */
    cr_assert(epsilon_eq(dbl, far[0],
                         .01 * (mass[1] / 3 + mass[2] + mass[3]) + swing * pow(sin(1.2), 2),
                         1e-12 * swing));
    tqt_model_free(m);
}

typedef struct push {
    double constant[N];
} push;

static tq_status pushing(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                         tq_error *reterr)
{
    (void)scratch, (void)reterr;
    const push *p = ctx;
    for (size_t r = 0; r < N; r++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            to->tau[r * at->stride + i] += p->constant[r];
        }
    }
    return TQ_OK;
}

static double energy(const tq_model *m, const double *q, const double *qd)
{
    tq_scratch scratch;
    const tq_configuration p = posture(m, q, qd, &scratch);
    return tq_lagrangian_kinetic(&p, qd) + tq_lagrangian_potential(&p, m->gravity, q);
}

Test(seeds, item_042_163_passivity_and_energy_audit)
{
    /* H(T) - H(0) = integral of qd^T tau; a constant torque works tau^T (q(T) - q(0)) */
    for (int which = 0; which < ARMS; which++) {
        tq_model *m = arm(which);
        tqt_subject *s = tqt_subject_new(m, 0);
        push p = {.constant = {.5, -.3, 5.0}};
        _Alignas(64) double q[8 * N], qd[8 * N];
        for (int r = 0; r < N; r++) {
            for (int i = 0; i < 8; i++) {
                q[8 * r + i] = q0[r], qd[8 * r + i] = qd0[r];
            }
        }
        const tq_effect effect = {.ctx = &p, .act = pushing};
        const tq_plant plant = {.mechanism = s->mechanism, .effects = &effect, .n_effect = 1};
        const tq_trajectories state = {.n_sample = 1, .stride = 8, .q = q, .qd = qd};
        void *room = aligned_alloc(64, 1 << 20);
        tq_scratch scratch;
        tq_scratch_init(&scratch, room, 1 << 20);
        for (int k = 0; k < 1000; k++) {
            cr_assert(eq(int, tq_fixed_step(&plant, TQ_FIXED_RK4, 0, 1e-4, &state, &scratch, NULL),
                         TQ_OK));
        }
        const double q1[N] = {q[0], q[8], q[16]}, qd1[N] = {qd[0], qd[8], qd[16]};
        double work = 0;
        for (int r = 0; r < N; r++) {
            work += p.constant[r] * (q1[r] - q0[r]);
        }
        cr_assert(epsilon_eq(dbl, energy(m, q1, qd1) - energy(m, q0, qd0), work, 1e-8),
                  "RK4 at 0.1 ms");
        free(room);
        tqt_subject_free(s);
        tqt_model_free(m);
    }
}

Test(seeds, item_043_christoffel_symbols_split)
{
    for (int which = 0; which < ARMS; which++) {
        tq_model *m = arm(which);
        tq_scratch scratch;
        const tq_configuration p = posture(m, q0, NULL, &scratch);
        double gamma[NNN], d[NNN], v[N];
        cr_assert(eq(int, tq_lagrangian_christoffel(&p, &scratch, gamma, NULL), TQ_OK));
        mass_derivatives(m, d);
        tqt_subject *s = tqt_subject_new(m, 0);
        tqt_velocity(s, q0, qd0, v);
        for (int i = 0; i < N; i++) {
            double centrifugal = 0, coriolis = 0;
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < N; k++) {
                    const double want = .5 * (d[k * NN + i * N + j] + d[j * NN + i * N + k] -
                                              d[i * NN + j * N + k]);
                    const double got = gamma[(i * N + j) * N + k];
                    cr_assert(epsilon_eq(dbl, got, want, by_difference));
                    *(j == k ? &centrifugal : &coriolis) += got * qd0[j] * qd0[k];
                }
            }
            cr_assert(epsilon_eq(dbl, centrifugal + coriolis, v[i], TQT_ROUNDING));
        }
        tqt_subject_free(s);
        tqt_model_free(m);
    }
}
