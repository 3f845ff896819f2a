/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_small.c - items 20 to 26, 132 to 134 and 158 to 163: small systems,
   statics,
 * and what all texts must agree on. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/forward.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/momentum/momentum.h"
#include "core/integrate/fixed_step.h"
#include "tests/support/expect.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

static _Alignas(64) unsigned char memory[1 << 20];

static tq_configuration posture(const tq_model *model, const double *q, const double *qd,
                                tq_scratch *scratch)
{
    tq_configuration p;
    tq_scratch_init(scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_configuration_compute(model, q, qd, scratch, &p, NULL), TQ_OK));
    return p;
}

static void joint(tq_model *m, uint32_t j, tq_joint_kind kind, double x, double y, double z)
{
    m->joints[j].kind = kind, m->joints[j].parent = j, m->joints[j].child = j + 1;
    m->joints[j].axis[0] = x, m->joints[j].axis[1] = y, m->joints[j].axis[2] = z;
}

/* qdd of one state; the status is the caller's to judge */
static tq_status accelerate(const tq_model *m, const double *q, const double *qd, const double *tau,
                            double *qdd)
{
    tqt_subject *s = tqt_subject_new(m, 0);
    double *block[4];
    const double *from[3] = {q, qd, tau};
    const size_t rows[4] = {m->nq, m->nv, m->nv, m->nv};
    for (int k = 0; k < 4; k++) {
        block[k] = tqt_doubles(rows[k] * 8);
        for (size_t r = 0; k < 3 && r < rows[k]; r++) {
            for (int i = 0; i < 8; i++) {
                block[k][8 * r + i] = from[k][r];
            }
        }
    }
    void *room = aligned_alloc(64, 1 << 20);
    tq_scratch scratch;
    tq_scratch_init(&scratch, room, 1 << 20);
    const tq_forward_input in = {
        .n_sample = 1, .stride = 8, .q = block[0], .qd = block[1], .tau = block[2]};
    const tq_status status = tq_forward_dynamics(s->mechanism, &in, &scratch, block[3], NULL);
    for (size_t r = 0; r < m->nv; r++) {
        qdd[r] = block[3][8 * r];
    }
    for (int k = 0; k < 4; k++) {
        free(block[k]);
    }
    free(room);
    tqt_subject_free(s);
    return status;
}

Test(seeds, item_020_021_particle)
{
    tq_model *m = tqt_model_new(3); /* x, then y; a point mass; gravity along -y */
    joint(m, 0, TQ_JOINT_PRISMATIC, 1, 0, 0);
    joint(m, 1, TQ_JOINT_PRISMATIC, 0, 1, 0);
    m->links[2].inertia.mass = 1.7;
    m->gravity[1] = -9.81, m->gravity[2] = 0;
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    const double q[2] = {.3, .4}, qd[2] = {1.1, -.6}, force[2] = {2.0, 3.0};
    double qdd[2];
    cr_assert(eq(int, accelerate(m, q, qd, force, qdd), TQ_OK));
    cr_assert(epsilon_eq(dbl, 1.7 * qdd[0], force[0], TQT_ROUNDING));
    cr_assert(epsilon_eq(dbl, 1.7 * qdd[1], force[1] - 1.7 * 9.81, TQT_ROUNDING));
    tq_scratch scratch;
    tq_momentum momentum;
    const tq_configuration p = posture(m, q, qd, &scratch);
    tq_momentum_compute(&p, &momentum);
    cr_assert(epsilon_eq(dbl, momentum.linear[0], 1.7 * 1.1, TQT_ROUNDING), "P = dL/dxdot");
    tqt_model_free(m);
}

/* r = l (sin th cos ph, sin th sin ph, -cos th): ph about z, then th about -y */
static tq_model *spherical_pendulum(double mass, double length)
{
    tq_model *m = tqt_model_new(3);
    joint(m, 0, TQ_JOINT_CONTINUOUS, 0, 0, 1);
    joint(m, 1, TQ_JOINT_CONTINUOUS, 0, -1, 0);
    m->links[2].inertia.mass = mass, m->links[2].inertia.com[2] = -length;
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    return m;
}

Test(seeds, item_023_spherical_pendulum)
{
    const double mass = 1.3, l = .7, g = 9.81;
    tq_model *m = spherical_pendulum(mass, l);
    const double q[2] = {.4, .9}, qd[2] = {1.3, -.8}, none[2] = {0};
    double qdd[2];
    cr_assert(eq(int, accelerate(m, q, qd, none, qdd), TQ_OK));
    const double s = sin(q[1]), c = cos(q[1]);
    cr_assert(epsilon_eq(dbl, l * qdd[1] - l * s * c * qd[0] * qd[0] + g * s, 0.0, TQT_ROUNDING));
    cr_assert(epsilon_eq(dbl, s * s * qdd[0] + 2 * s * c * qd[1] * qd[0], 0.0, TQT_ROUNDING));
    /* conical motion: phd^2 = g / (l cos th) keeps th */
    const double turning[2] = {sqrt(g / (l * c)), 0};
    cr_assert(eq(int, accelerate(m, q, turning, none, qdd), TQ_OK));
    cr_assert(all(epsilon_eq(dbl, qdd[1], 0.0, TQT_ROUNDING),
                  epsilon_eq(dbl, qdd[0], 0.0, TQT_ROUNDING)));
    /* at the pole the mass matrix is singular: said, not computed */
    const double pole[2] = {.4, 0};
    cr_assert(eq(int, accelerate(m, pole, qd, none, qdd), TQ_ERR_SINGULAR));
    /* p_ph and E are conserved */
    _Alignas(64) double bq[16], bqd[16];
    for (int i = 0; i < 8; i++) {
        bq[i] = q[0], bq[8 + i] = q[1], bqd[i] = qd[0], bqd[8 + i] = qd[1];
    }
    tqt_subject *subject = tqt_subject_new(m, 0);
    const tq_plant plant = {.mechanism = subject->mechanism};
    const tq_trajectories state = {.n_sample = 1, .stride = 8, .q = bq, .qd = bqd};
    void *room = aligned_alloc(64, 1 << 20);
    tq_scratch scratch;
    tq_scratch_init(&scratch, room, 1 << 20);
    for (int k = 0; k < 2000; k++) {
        cr_assert(
            eq(int, tq_fixed_step(&plant, TQ_FIXED_RK4, 0, 5e-4, &state, &scratch, NULL), TQ_OK));
    }
    const double before = mass * l * l * s * s * qd[0],
                 e0 =
                     .5 * mass * l * l * (qd[1] * qd[1] + s * s * qd[0] * qd[0]) - mass * g * l * c;
    const double s1 = sin(bq[8]), c1 = cos(bq[8]);
    const double after = mass * l * l * s1 * s1 * bqd[0],
                 e1 = .5 * mass * l * l * (bqd[8] * bqd[8] + s1 * s1 * bqd[0] * bqd[0]) -
                      mass * g * l * c1;
    cr_assert(epsilon_eq(dbl, after, before, 1e-9), "RK4 at 0.5 ms for 1 s");
    cr_assert(epsilon_eq(dbl, e1, e0, 1e-9));
    free(room);
    tqt_subject_free(subject);
    tqt_model_free(m);
}

/* a body M, h, I hanging from a hinge, and a mass m that slides along it on a spring k, r0 */
static tq_model *sprung_pendulum(void)
{
    tq_model *m = tqt_model_new(3);
    joint(m, 0, TQ_JOINT_CONTINUOUS, 0, -1, 0); /* ph from the vertical, in the x-z plane */
    joint(m, 1, TQ_JOINT_PRISMATIC, 0, 0, -1);
    m->links[1].inertia.mass = 2, m->links[1].inertia.com[2] = -.4;
    m->links[1].inertia.about_com[3] = .1;
    m->links[2].inertia.mass = .5;
    m->joints[1].spring = (tq_spring){.stiffness = 60, .rest = .3};
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    return m;
}

Test(seeds, item_024_025_sprung_pendulum)
{
    tq_model *m = sprung_pendulum();
    const double q[2] = {.6, .35}, qd[2] = {1.2, -.4},
                 tau[2] = {1.5, 0}; /* item 25: Q = [tau; 0] */
    double qdd[2];
    cr_assert(eq(int, accelerate(m, q, qd, tau, qdd), TQ_OK));
    cr_assert(epsilon_eq(dbl, qdd[0], -7.756185137465276, TQT_ROUNDING));
    cr_assert(epsilon_eq(dbl, qdd[1], 2.6005423822639475, TQT_ROUNDING));
    const double rest[2] = {0, .3 + .5 * 9.81 / 60}, zero[2] = {0};
    cr_assert(eq(int, accelerate(m, rest, zero, zero, qdd), TQ_OK));
    cr_assert(all(epsilon_eq(dbl, qdd[0], 0.0, TQT_ROUNDING), epsilon_eq(dbl, qdd[1], 0.0, 1e-11)),
              "hangs at rest");
    tqt_model_free(m);
}

Test(seeds, item_026_spring_potential)
{
    tq_model *m = sprung_pendulum();
    const double q[2] = {.6, .35};
    tq_scratch scratch;
    const tq_configuration p = posture(m, q, NULL, &scratch);
    const double with = tq_lagrangian_potential(&p, m->gravity, q);
    const double without = tq_lagrangian_potential(&p, m->gravity, NULL);
    cr_assert(epsilon_eq(dbl, with - without, .5 * 60 * .05 * .05, TQT_ROUNDING));
    cr_assert(epsilon_eq(dbl, without, -9.81 * cos(.6) * (2 * .4 + .5 * .35), TQT_ROUNDING));
    tqt_model_free(m);
}

/* rotation of a link in the world, for expressing wrenches in one frame */
static void in_world(const tq_configuration *p, uint32_t link, const double *w, double *f,
                     double *n_origin)
{
    const double *r = p->pose[link].r, *at = p->pose[link].p;
    double n[3];
    for (int i = 0; i < 3; i++) {
        f[i] = r[3 * i] * w[0] + r[3 * i + 1] * w[1] + r[3 * i + 2] * w[2];
        n[i] = r[3 * i] * w[3] + r[3 * i + 1] * w[4] + r[3 * i + 2] * w[5];
    }
    n_origin[0] = n[0] + at[1] * f[2] - at[2] * f[1];
    n_origin[1] = n[1] + at[2] * f[0] - at[0] * f[2];
    n_origin[2] = n[2] + at[0] * f[1] - at[1] * f[0];
}

Test(seeds, item_132_133_134_statics_link_by_link)
{
    const tqt_bar bars[3] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5),
                             tqt_slender_bar(.4, 1)};
    tq_model *models[2] = {tqt_planar_arm(bars, 3, 9.81), tqt_rrp_arm(&tqt_rrp_homework)};
    const double q[3] = {.4, .6, .25};
    for (int k = 0; k < 2; k++) {
        tq_model *m = models[k];
        tqt_subject *s = tqt_subject_new(m, 0);
        double wrench[6 * 8], tau[3];
        tq_scratch scratch;
        const tq_configuration p = posture(m, q, NULL, &scratch);
        tqt_reactions(s, q, NULL, NULL, wrench);
        tqt_torque(s, q, NULL, NULL, 0, tau);
        for (uint32_t l = 0; l < m->n_link; l++) {
            /* f_{i-1,i} - f_{i,i+1} + m g = 0, and the same for moments about the world origin */
            double f[3], n[3];
            const uint32_t carried = m->links[l].joint;
            in_world(&p, l, wrench + 6 * (carried == TQ_NONE ? m->n_joint : carried), f, n);
            for (uint32_t j = 0; j < m->n_joint; j++) {
                if (m->joints[j].parent == l) {
                    double ff[3], nn[3];
                    in_world(&p, m->joints[j].child, wrench + 6 * j, ff, nn);
                    for (int i = 0; i < 3; i++) {
                        f[i] -= ff[i], n[i] -= nn[i];
                    }
                }
            }
            const tq_inertia *b = &m->links[l].inertia;
            double c[3];
            for (int i = 0; i < 3; i++) {
                const double *r = p.pose[l].r + 3 * i;
                c[i] = p.pose[l].p[i] + r[0] * b->com[0] + r[1] * b->com[1] + r[2] * b->com[2];
            }
            const double *g = m->gravity;
            const double arm[3] = {c[1] * g[2] - c[2] * g[1], c[2] * g[0] - c[0] * g[2],
                                   c[0] * g[1] - c[1] * g[0]};
            for (int i = 0; i < 3; i++) {
                cr_assert(epsilon_eq(dbl, f[i] + b->mass * g[i], 0.0, TQT_ROUNDING),
                          "force on link %u", l);
                cr_assert(epsilon_eq(dbl, n[i] + b->mass * arm[i], 0.0, TQT_ROUNDING),
                          "moment on link %u", l);
            }
        }
        for (uint32_t j = 0; j < m->n_joint;
             j++) { /* item 134: torque is the part along the axis */
            const tq_joint *at = &m->joints[j];
            if (at->nv == 1) {
                const double *w = wrench + 6 * j + (at->kind == TQ_JOINT_PRISMATIC ? 0 : 3);
                const double along = w[0] * at->axis[0] + w[1] * at->axis[1] + w[2] * at->axis[2];
                cr_assert(epsilon_eq(dbl, along, tau[at->v_index], TQT_ROUNDING));
            }
        }
        tqt_subject_free(s);
        tqt_model_free(m);
    }
}

Test(seeds, item_158_159_one_arm_three_ways)
{
    /* slender bars, mass centres with moments, and the printed matrix: one arm; recursion and
     * Lagrange: one torque */
    const tqt_bar slender[2] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5)};
    const tqt_bar centred[2] = {{.8, 2, .4, 2 * .64 / 12, 0}, {.6, 1.5, .3, 1.5 * .36 / 12, 0}};
    const double q[2] = {.5, -.9}, qd[2] = {.7, -1.1}, qdd[2] = {1.3, -.4};
    const double printed[2] = {23.648116146988, 4.380758356318}; /* item 47 */
    for (int k = 0; k < 2; k++) {
        tq_model *m = tqt_planar_arm(k == 0 ? slender : centred, 2, 9.81);
        tqt_subject *s = tqt_subject_new(m, 0);
        double tau[2];
        tqt_torque(s, q, qd, qdd, 0, tau);
        tqt_expect("tau", tau, printed, 2, TQT_PRINTED);
        tqt_subject_free(s);
        tqt_model_free(m);
    }
}

Test(seeds, item_160_one_load_stated_four_ways)
{
    /* 10 N down at the tip, on the robot: TAG and SHA state what the robot applies to the
       environment, LW the force of the
       last link on it, HW the force on the robot; the motors feel one thing */
    const tqt_bar bars[2] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5)};
    tq_model *m = tqt_planar_arm(bars, 2, 9.81);
    tqt_subject *s = tqt_subject_new(m, 1);
    const double q[2] = {.5, -.9}, on_robot[6] = {0, -10, 0, 0, 0, 0};
    const tq_external_wrench w = {.link = 2,
                                  .expressed_in = TQ_FRAME_WORLD,
                                  .at = {.6, 0, 0},
                                  .rows = on_robot,
                                  .row_stride = 1,
                                  .sample_step = 0};
    double held[2];
    tqt_hold(s, q, &w, held);
    /* J^T F with F = (0, 10) applied to the environment */
    const double x1 = .8 * cos(.5) + .6 * cos(-.4), x2 = .6 * cos(-.4);
    cr_assert(all(epsilon_eq(dbl, held[0], 10 * x1, TQT_ROUNDING),
                  epsilon_eq(dbl, held[1], 10 * x2, TQT_ROUNDING)));
    tqt_subject_free(s);
    tqt_model_free(m);
}

Test(seeds, item_161_one_coriolis_matrix_in_three_texts)
{
    /* the Christoffel form of TAG and LW, and the printed C of the homework (88), on the RRP arm */
    tq_model *m = tqt_rrp_arm(&tqt_rrp_homework);
    const double q[3] = {.4, .6, .25}, qd[3] = {.7, -.5, .3};
    double c[9], symbols[27];
    tq_scratch scratch;
    const tq_configuration p = posture(m, q, qd, &scratch);
    cr_assert(
        eq(int, tq_lagrangian_coriolis(&p, qd, TQ_CORIOLIS_CHRISTOFFEL, &scratch, c, NULL), TQ_OK));
    tqt_subject *s = tqt_subject_new(m, 0);
    tqt_christoffel(s, q, symbols);
    double other[9];
    tqt_coriolis(s, q, qd, other);
    tqt_expect("C", c, other, 9, 1e-11); /* polarisation adds a few roundings */
    tqt_subject_free(s);
    tqt_model_free(m);
}

Test(seeds, item_162_momentum_balance)
{
    /* rate of linear momentum = base force + weight, by a central difference along the motion */
    tq_model *m = tqt_rrp_arm(&tqt_rrp_homework);
    tqt_subject *s = tqt_subject_new(m, 0);
    const double q[3] = {.4, .6, .25}, qd[3] = {.7, -.5, .3}, qdd[3] = {.2, -.1, .4}, h = 1e-5;
    double wrench[6 * 8], linear[2][3], mass = 0;
    tqt_reactions(s, q, qd, qdd, wrench);
    for (int side = 0; side < 2; side++) {
        double at[3], rate[3];
        const double t = side == 0 ? -h : h;
        for (int i = 0; i < 3; i++) {
            at[i] = q[i] + t * qd[i] + .5 * t * t * qdd[i], rate[i] = qd[i] + t * qdd[i];
        }
        tq_scratch scratch;
        tq_momentum momentum;
        const tq_configuration p = posture(m, at, rate, &scratch);
        tq_momentum_compute(&p, &momentum);
        memcpy(linear[side], momentum.linear, sizeof linear[side]);
        mass = momentum.mass;
    }
    for (int i = 0; i < 3; i++) {
        const double rate = (linear[1][i] - linear[0][i]) / (2 * h);
        cr_assert(epsilon_eq(dbl, wrench[6 * m->n_joint + i] + mass * m->gravity[i], rate, 1e-8),
                  "eps / h, h^2");
    }
    tqt_subject_free(s);
    tqt_model_free(m);
}
