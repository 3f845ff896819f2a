/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_recursions.c - items 67 to 82: the geometric way, in matrices of its own.
 * */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/forward.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/rigid_body.h"
#include "core/integrate/fixed_step.h"
#include "core/model/inertia.h"
#include "tests/support/expect.h"
#include "tests/support/particles.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { N = 3, NN = N * N, S = 6 * N };

/* Li & Wu's elbow arm with its numbers (item 66), and the same arm stated by screws: twists at zero
 * angles and home poses, nothing of the product's frames. */
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
static const double q0[N] = {.3, -.7, 1.1}, qd0[N] = {.5, -.4, .8}, qdd0[N] = {.2, .3, -.6};
static const double twist[N][6] = {
    {0, 0, 0, 0, 0, 1}, {0, -.5, 0, -1, 0, 0}, {0, -.5, .4, -1, 0, 0}};
static const double home[N][3] = {{0, 0, .2}, {0, .15, .5}, {0, .65, .5}};

static _Alignas(64) unsigned char memory[1 << 20];

static tq_configuration posture(const tq_model *model, const double *q, const double *qd,
                                tq_scratch *scratch)
{
    tq_configuration p;
    tq_scratch_init(scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_configuration_compute(model, q, qd, scratch, &p, NULL), TQ_OK));
    return p;
}

static void multiply(size_t n, const double *a, const double *b, double *out)
{
    double *t = calloc(n * n, sizeof *t);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; k < n; k++) {
                t[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
    memcpy(out, t, n * n * sizeof *t);
    free(t);
}

/* exp(xi^ theta) as a 4x4 power series: no formula of Rodrigues */
static void exponential(const double xi[6], double theta, double g[16])
{
    const double hat[16] = {0,      -xi[5], xi[4], xi[0], xi[5], 0, -xi[3], xi[1],
                            -xi[4], xi[3],  0,     xi[2], 0,     0, 0,      0};
    double term[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(g, term, sizeof term);
    for (int k = 1; k < 40; k++) {
        multiply(4, term, hat, term);
        for (int e = 0; e < 16; e++) {
            term[e] *= theta / k;
            g[e] += term[e];
        }
    }
}

static tq_pose pose_of(const double g[16])
{
    return (tq_pose){.r = {g[0], g[1], g[2], g[4], g[5], g[6], g[8], g[9], g[10]},
                     .p = {g[3], g[7], g[11]}};
}

static tq_pose inverse(const tq_pose *a)
{
    tq_pose b = {.p = {0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            b.r[3 * i + j] = a->r[3 * j + i];
            b.p[i] -= a->r[3 * j + i] * a->p[j];
        }
    }
    return b;
}

/* poses g_i of the links by products of exponentials, and relative ones g_{i-1}^-1 g_i */
typedef struct chain {
    double g[N][16];
    tq_pose pose[N], between[N];
    double xi[N][6];       /* twist of joint i in link frame i */
    double inertia[N][36]; /* about the mass centre, in link axes */
} chain;

static chain chain_at(const double *q)
{
    chain c;
    double product[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    for (int i = 0; i < N; i++) {
        double e[16],
            start[16] = {1, 0, 0, home[i][0], 0, 1, 0, home[i][1], 0, 0, 1, home[i][2], 0, 0, 0, 1};
        exponential(twist[i], q[i], e);
        multiply(4, product, e, product);
        multiply(4, product, start, c.g[i]);
        c.pose[i] = pose_of(c.g[i]);
        const tq_pose at_home = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                 .p = {home[i][0], home[i][1], home[i][2]}};
        const tq_pose back = inverse(&at_home);
        double ad[36];
        tq_adjoint(&back, ad);
        for (int r = 0; r < 6; r++) {
            c.xi[i][r] = 0;
            for (int k = 0; k < 6; k++) {
                c.xi[i][r] += ad[6 * r + k] * twist[i][k];
            }
        }
        const tq_inertia body = {.mass = elbow.m[i],
                                 .about_com = {elbow.ix[i], 0, 0, elbow.iy[i], 0, elbow.iz[i]}};
        tq_inertia_spatial(&body, c.inertia[i]);
        if (i == 0) {
            c.between[0] = c.pose[0];
        } else {
            double back4[16], rel[16];
            const tq_pose inv = inverse(&c.pose[i - 1]);
            const double t[16] = {inv.r[0], inv.r[1], inv.r[2], inv.p[0], inv.r[3], inv.r[4],
                                  inv.r[5], inv.p[1], inv.r[6], inv.r[7], inv.r[8], inv.p[2],
                                  0,        0,        0,        1};
            memcpy(back4, t, sizeof t);
            multiply(4, back4, c.g[i], rel);
            c.between[i] = pose_of(rel);
        }
    }
    return c;
}

/* Ad of g_to^-1 g_from: twists of frame `from` expressed in frame `to` */
static void transport(const chain *c, int to, int from, double ad[36])
{
    const tq_pose a = inverse(&c->pose[to]);
    tq_pose rel = {.p = {a.p[0], a.p[1], a.p[2]}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            rel.p[i] += a.r[3 * i + j] * c->pose[from].p[j];
            for (int k = 0; k < 3; k++) {
                rel.r[3 * i + j] += a.r[3 * i + k] * c->pose[from].r[3 * k + j];
            }
        }
    }
    tq_adjoint(&rel, ad);
}

static void apply(const double a[36], const double x[6], double y[6])
{
    double t[6] = {0};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            t[i] += a[6 * i + k] * x[k];
        }
    }
    memcpy(y, t, sizeof t);
}

static void apply_transposed(const double a[36], const double x[6], double y[6])
{
    double t[6] = {0};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            t[i] += a[6 * k + i] * x[k];
        }
    }
    memcpy(y, t, sizeof t);
}

static double dot6(const double *a, const double *b)
{
    double s = 0;
    for (int k = 0; k < 6; k++) {
        s += a[k] * b[k];
    }
    return s;
}

Test(seeds, item_068_forward_kinematics_by_exponentials)
{
    tq_model *m = tqt_elbow_arm(&elbow);
    tq_scratch scratch;
    const tq_configuration p = posture(m, q0, NULL, &scratch);
    const chain c = chain_at(q0);
    for (int i = 0; i < N; i++) {
        const double *com = m->links[i + 1].inertia.com;
        for (int r = 0; r < 3; r++) {
            const double *rot = p.pose[i + 1].r + 3 * r;
            const double at =
                p.pose[i + 1].p[r] + rot[0] * com[0] + rot[1] * com[1] + rot[2] * com[2];
            cr_assert(epsilon_eq(dbl, c.pose[i].p[r], at, TQT_ROUNDING), "mass centre of link %d",
                      i + 1);
        }
    }
    /* link body Jacobian: columns Ad^-1 xi */
    double j[6 * N];
    tq_configuration_jacobian(&p, N, m->links[N].inertia.com, TQ_JACOBIAN_LINK, j, NULL);
    for (int k = 0; k < N; k++) {
        double ad[36], column[6];
        transport(&c, N - 1, k, ad);
        apply(ad, c.xi[k], column);
        for (int r = 0; r < 6; r++) {
            cr_assert(epsilon_eq(dbl, column[r], j[r * N + k], TQT_ROUNDING));
        }
    }
    tqt_model_free(m);
}

static void mass_by_twists(const double *q, double *mass)
{
    const chain c = chain_at(q);
    memset(mass, 0, NN * sizeof *mass);
    for (int l = 0; l < N; l++) {
        for (int i = 0; i <= l; i++) {
            for (int j = 0; j <= l; j++) {
                double ad[36], a[6], b[6];
                transport(&c, l, i, ad);
                apply(ad, c.xi[i], a);
                transport(&c, l, j, ad);
                apply(ad, c.xi[j], b);
                apply(c.inertia[l], b, b);
                mass[i * N + j] += dot6(a, b);
            }
        }
    }
}

Test(seeds, item_069_mass_matrix_by_twists)
{
    tq_model *m = tqt_elbow_arm(&elbow);
    tqt_subject *s = tqt_subject_new(m, 0);
    double want[NN], got[NN];
    mass_by_twists(q0, want);
    tqt_mass(s, q0, got);
    tqt_expect("M", got, want, NN, TQT_ROUNDING);
    tqt_subject_free(s);
    tqt_model_free(m);
}

Test(seeds, item_070_mass_derivative_by_twists)
{
    /* dM_ij/dq_k = sum_l ([A_ki xi_i, xi_k])^T A_lk^T M_l A_lj xi_j + the same with i and j
       exchanged, for links beyond k
       (ERR-L6: both transports with k, not k - 1) */
    tq_model *m = tqt_elbow_arm(&elbow);
    const chain c = chain_at(q0);
    tq_scratch scratch;
    const tq_configuration p = posture(m, q0, NULL, &scratch);
    double gamma[NN * N];
    cr_assert(eq(int, tq_lagrangian_christoffel(&p, &scratch, gamma, NULL), TQ_OK));
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                double want = 0;
                for (int side = 0; side < 2; side++) {
                    const int a = side == 0 ? i : j, b = side == 0 ? j : i;
                    if (a >= k) {
                        continue; /* a screw beyond joint k rides on it whole */
                    }
                    for (int l = k > b ? k : b; l < N; l++) {
                        double ad[36], moved[6], bracket[6], left[6], right[6];
                        transport(&c, k, a, ad);
                        apply(ad, c.xi[a], moved);
                        tq_lie_bracket(moved, c.xi[k], bracket);
                        transport(&c, l, k, ad);
                        apply(ad, bracket, left);
                        transport(&c, l, b, ad);
                        apply(ad, c.xi[b], right);
                        apply(c.inertia[l], right, right);
                        want += dot6(left, right);
                    }
                }
                const double got = gamma[(i * N + j) * N + k] + gamma[(j * N + i) * N + k];
                cr_assert(epsilon_eq(dbl, got, want, TQT_ROUNDING), "dM_%d%d/dq_%d", i, j, k);
            }
        }
    }
    tqt_model_free(m);
}

Test(seeds, item_073_074_recursion_by_twists)
{
    tq_model *m = tqt_elbow_arm(&elbow);
    tqt_subject *s = tqt_subject_new(m, 0);
    const chain c = chain_at(q0);
    double v[N][6], vd[N][6], f[6] = {0}, want[N], got[N];
    double v_before[6] = {0}, vd_before[6] = {0, 0, 9.81, 0, 0, 0}; /* minus gravity (ERR-L5) */
    for (int i = 0; i < N; i++) {
        double ad[36], moved[6], turn[6], bracket[6];
        const tq_pose back = inverse(&c.between[i]);
        tq_adjoint(&back, ad);
        apply(ad, v_before, moved);
        for (int k = 0; k < 6; k++) {
            turn[k] = c.xi[i][k] * qd0[i];
            v[i][k] = moved[k] + turn[k];
        }
        tq_lie_bracket(turn, moved, bracket);
        apply(ad, vd_before, vd[i]);
        for (int k = 0; k < 6; k++) {
            vd[i][k] += c.xi[i][k] * qdd0[i] - bracket[k];
        }
        memcpy(v_before, v[i], sizeof v_before);
        memcpy(vd_before, vd[i], sizeof vd_before);
    }
    for (int i = N - 1; i >= 0; i--) {
        double own[6];
        tq_newton_euler(c.inertia[i], v[i], vd[i], own);
        if (i + 1 < N) {
            double ad[36];
            const tq_pose back = inverse(&c.between[i + 1]);
            tq_adjoint(&back, ad);
            apply_transposed(ad, f, f);
        }
        for (int k = 0; k < 6; k++) {
            f[k] += own[k];
        }
        want[i] = dot6(c.xi[i], f);
    }
    tqt_torque(s, q0, qd0, qdd0, 0, got);
    tqt_expect("tau", got, want, N, TQT_ROUNDING);
    tqt_subject_free(s);
    tqt_model_free(m);
}

/* the stacked matrices of items 75 and 76, all 18 x 18 and 18 x 3 */
typedef struct stacked {
    double gamma[S * S], g[S * S], inertia[S * S], xi[S * N], jacobian[S * N];
} stacked;

static void put(double *big, int i, int j, const double block[36])
{
    for (int r = 0; r < 6; r++) {
        memcpy(big + (6 * i + r) * S + 6 * j, block + 6 * r, 6 * sizeof *block);
    }
}

static void stack(const chain *c, stacked *s)
{
    memset(s, 0, sizeof *s);
    double power[S * S] = {0};
    for (int i = 0; i < N; i++) {
        put(s->inertia, i, i, c->inertia[i]);
        for (int r = 0; r < 6; r++) {
            s->xi[(6 * i + r) * N + i] = c->xi[i][r];
        }
        if (i > 0) {
            double ad[36];
            const tq_pose back = inverse(&c->between[i]);
            tq_adjoint(&back, ad);
            put(s->gamma, i, i - 1, ad);
        }
    }
    for (int k = 0; k < S; k++) {
        s->g[k * S + k] = power[k * S + k] = 1;
    }
    for (int n = 1; n < N; n++) { /* G = I + Gamma + Gamma^2: Gamma^3 = 0 */
        multiply(S, power, s->gamma, power);
        for (int e = 0; e < S * S; e++) {
            s->g[e] += power[e];
        }
    }
    multiply(S, power, s->gamma, power);
    for (int e = 0; e < S * S; e++) {
        cr_assert(epsilon_eq(dbl, power[e], 0.0, 1e-15), "Gamma^n = 0");
    }
    for (int r = 0; r < S; r++) {
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < S; k++) {
                s->jacobian[r * N + j] += s->g[r * S + k] * s->xi[k * N + j];
            }
        }
    }
}

static void ad_of(const double v[6], double out[36])
{
    for (int k = 0; k < 6; k++) {
        double e[6] = {0}, column[6];
        e[k] = 1;
        tq_lie_bracket(v, e, column);
        for (int r = 0; r < 6; r++) {
            out[6 * r + k] = column[r];
        }
    }
}

Test(seeds, item_075_076_stacked_form_and_its_trap)
{
    tq_model *m = tqt_elbow_arm(&elbow);
    const chain c = chain_at(q0);
    static stacked s;
    stack(&c, &s);
    double turn_ad[S * S] = {0}, v_ad[S * S] = {0}, inner[S * S], want[NN] = {0};
    for (int i = 0; i < N; i++) {
        double turn[6], v[6] = {0}, block[36];
        for (int r = 0; r < 6; r++) {
            turn[r] = c.xi[i][r] * qd0[i];
            for (int j = 0; j < N; j++) {
                v[r] += s.jacobian[(6 * i + r) * N + j] * qd0[j];
            }
        }
        ad_of(turn, block);
        put(turn_ad, i, i, block);
        ad_of(v, block);
        put(v_ad, i, i, block);
    }
    /* C = J^T (M dJ - ad_V^T M J) with dJ = -G ad_(xi qd) Gamma J */
    multiply(S, s.g, turn_ad, inner);
    multiply(S, inner, s.gamma, inner);
    multiply(S, s.inertia, inner, inner);
    double adt[S * S], right[S * S];
    for (int i = 0; i < S; i++) {
        for (int j = 0; j < S; j++) {
            adt[i * S + j] = v_ad[j * S + i];
        }
    }
    multiply(S, adt, s.inertia, right);
    for (int e = 0; e < S * S; e++) {
        inner[e] = -inner[e] - right[e];
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            for (int a = 0; a < S; a++) {
                for (int b = 0; b < S; b++) {
                    want[i * N + j] +=
                        s.jacobian[a * N + i] * inner[a * S + b] * s.jacobian[b * N + j];
                }
            }
        }
    }
    double got[NN], chr[NN], cv[N] = {0}, v[N] = {0};
    tq_scratch scratch;
    const tq_configuration p = posture(m, q0, qd0, &scratch);
    cr_assert(
        eq(int, tq_lagrangian_coriolis(&p, qd0, TQ_CORIOLIS_STACKED, &scratch, got, NULL), TQ_OK));
    cr_assert(eq(int, tq_lagrangian_coriolis(&p, qd0, TQ_CORIOLIS_CHRISTOFFEL, &scratch, chr, NULL),
                 TQ_OK));
    tqt_expect("stacked C", got, want, NN, TQT_ROUNDING);
    /* item 76: the right vector, but Mdot - 2 C is not skew; Mdot = C + C^T of Christoffel's */
    double worst = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            cv[i] += got[i * N + j] * qd0[j], v[i] += chr[i * N + j] * qd0[j];
            const double rate = chr[i * N + j] + chr[j * N + i];
            worst = fmax(worst, fabs(2 * rate - 2 * got[i * N + j] - 2 * got[j * N + i]));
        }
    }
    tqt_expect("C qd", cv, v, N, TQT_ROUNDING);
    cr_assert(gt(dbl, worst, 0.01), "the trap: residual %g", worst);
    tqt_model_free(m);
}

/* Newton-Euler in link frames, Lagrange's M, C and g, and a third that shares nothing with either:
 * point masses and d'Alembert. Items 77 and 78: all six components of the coupling wrench at every
 * joint, along the axes of the link beyond it; item 134: the torque is one of them. */
Test(seeds, item_067_077_078_079_recursion_equals_lagrange)
{
    const tqt_bar bars[3] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5),
                             tqt_slender_bar(.4, 1)};
    const tqt_scara scara = {.m = {4, 3, 1}, .a = {.4, .3}, .d1 = .5, .rod = .2, .g = 9.81};
    tq_model *models[] = {tqt_planar_arm(bars, 2, 9.81), tqt_planar_arm(bars, 3, 9.81),
                          tqt_scara_arm(&scara), tqt_rrp_arm(&tqt_rrp_homework),
                          tqt_elbow_arm(&elbow)};
    const tqt_cloud points[] = {tqt_cloud_planar(bars, 2, 9.81), tqt_cloud_planar(bars, 3, 9.81),
                                tqt_cloud_scara(&scara), tqt_cloud_rrp(&tqt_rrp_homework),
                                tqt_cloud_elbow(&elbow)};
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        tq_model *m = models[k];
        const size_t n = m->nv;
        tqt_subject *s = tqt_subject_new(m, 0);
        tq_scratch scratch;
        const tq_configuration p = posture(m, q0, qd0, &scratch);
        double mass[NN], c[NN], g[N], tau[N], lagrange[N], want[N], wrench[6 * (N + 3)];
        tqt_cloud_torque(&points[k], q0, qd0, qdd0, want);
        cr_assert(eq(int, tq_lagrangian_mass_matrix(&p, &scratch, mass, NULL), TQ_OK));
        cr_assert(eq(int,
                     tq_lagrangian_coriolis(&p, qd0, TQ_CORIOLIS_CHRISTOFFEL, &scratch, c, NULL),
                     TQ_OK));
        tq_lagrangian_gravity(&p, m->gravity, g);
        for (size_t i = 0; i < n; i++) {
            lagrange[i] = g[i];
            for (size_t j = 0; j < n; j++) {
                lagrange[i] += mass[i * n + j] * qdd0[j] + c[i * n + j] * qd0[j];
            }
        }
        tqt_torque(s, q0, qd0, qdd0, 0, tau);
        tqt_expect("tau by recursion", tau, want, n, 10 * TQT_ROUNDING);
        tqt_expect("tau by Lagrange", lagrange, want, n, 10 * TQT_ROUNDING);
        tqt_reactions(s, q0, qd0, qdd0, wrench);
        for (uint32_t j = 0; j < n; j++) {
            double coupling[6];
            tqt_cloud_wrench(&points[k], (int)j + 1, q0, qd0, qdd0, coupling);
            tqt_expect("coupling wrench", wrench + 6 * j, coupling, 6, 10 * TQT_ROUNDING);
        }
        tqt_subject_free(s);
        tqt_model_free(m);
    }
}

static void motion_at(double t, double q[N], double qd[N], double qdd[N])
{
    for (int i = 0; i < N; i++) {
        const double w = 1.0 + 0.7 * i;
        q[i] = q0[i] + .4 * sin(w * t), qd[i] = .4 * w * cos(w * t),
        qdd[i] = -.4 * w * w * sin(w * t);
    }
}

typedef struct replay {
    tqt_subject *subject;
    double disturbance;
} replay;

static tq_status replayed(void *ctx, const tq_instant *now, tq_scratch *scratch,
                          const tq_action *to, tq_error *reterr)
{
    (void)scratch, (void)reterr;
    replay *r = ctx;
    double at[N], rate[N], acceleration[N], one[N];
    motion_at(now->t, at, rate, acceleration);
    tqt_torque(r->subject, at, rate, acceleration, 0, one);
    for (size_t row = 0; row < N; row++) {
        for (size_t i = 0; i < now->n_sample; i++) {
            to->tau[row * now->stride + i] += one[row] + (row == 1 ? r->disturbance : 0.0);
        }
    }
    return TQ_OK;
}

Test(seeds, item_080_081_082_round_trip)
{
    /* torque of a planned trajectory at every step, put back in: the trajectory comes out (80, 82);
       with a disturbance in
       the torque it does not (81, negative control) */
    tq_model *m = tqt_elbow_arm(&elbow);
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        tqt_subject *s = tqt_subject_new(m, 0);
        replay r = {s, disturbed ? .2 : 0.0};
        _Alignas(64) double q[8 * N], qd[8 * N];
        double at[N], rate[N], skip[N];
        motion_at(0, at, rate, skip);
        for (int row = 0; row < N; row++) {
            for (int i = 0; i < 8; i++) {
                q[8 * row + i] = at[row], qd[8 * row + i] = rate[row];
            }
        }
        const tq_effect effect = {.ctx = &r, .act = replayed};
        const tq_plant plant = {.mechanism = s->mechanism, .effects = &effect, .n_effect = 1};
        const tq_trajectories state = {.n_sample = 1, .stride = 8, .q = q, .qd = qd};
        void *room = aligned_alloc(64, 1 << 20);
        tq_scratch scratch;
        tq_scratch_init(&scratch, room, 1 << 20);
        for (int k = 0; k < 500; k++) {
            cr_assert(
                eq(int, tq_fixed_step(&plant, TQ_FIXED_RK4, k * 1e-3, 1e-3, &state, &scratch, NULL),
                   TQ_OK));
        }
        motion_at(.5, at, rate, skip);
        double worst = 0;
        for (int row = 0; row < N; row++) {
            worst = fmax(worst, fabs(q[8 * row] - at[row]));
        }
        if (disturbed) {
            cr_assert(gt(dbl, worst, 1e-2));
        } else {
            cr_assert(lt(dbl, worst, 1e-9), "RK4 at 1 ms, growing a hundredfold");
        }
        free(room);
        tqt_subject_free(s);
    }
    tqt_model_free(m);
}
