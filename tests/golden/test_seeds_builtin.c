/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_builtin.c - the built-in files obey the formulas printed in their
 * sources. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/forward.h"
#include "tests/support/one_call.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { N_STATE = 20, NV_MAX = 36 };

/* a few hundred roundings of numbers below `scale` */
static void assert_near(double got, double expected, double scale, const char *what, size_t k)
{
    cr_assert(fabs(got - expected) <= 1e-13 * fmax(1.0, scale), "%s: %zu: %.17g, not %.17g", what,
              k, got, expected);
}

/* The golden tests hold the makers of tests/support/seed_robots.h to the printed closed forms at
 * random parameters; the files must be these robots. */
static void assert_same_robot(const char *name, tq_model *model)
{
    tqa_robot *robot = tqt_builtin(name);
    tqt_subject *file = tqt_subject_new(robot->model, 0);
    tqt_subject *maker = tqt_subject_new(model, 0);
    tqt_random random = tqt_random_seed(44);
    const size_t n = model->nv;
    cr_assert(eq(sz, robot->model->nv, n), "%s", name);
    for (int state = 0; state < N_STATE; state++) {
        double q[3];
        double qd[3];
        double a[9];
        double b[9];
        for (size_t k = 0; k < n; k++) {
            q[k] = tqt_random_uniform(&random, -3.0, 3.0);
            qd[k] = tqt_random_uniform(&random, -3.0, 3.0);
        }
        tqt_mass(file, q, a);
        tqt_mass(maker, q, b);
        for (size_t k = 0; k < n * n; k++) {
            assert_near(a[k], b[k], 10.0, name, k);
        }
        tqt_velocity(file, q, qd, a);
        tqt_velocity(maker, q, qd, b);
        for (size_t k = 0; k < n; k++) {
            assert_near(a[k], b[k], 100.0, name, k);
        }
        tqt_gravity(file, q, a);
        tqt_gravity(maker, q, b);
        for (size_t k = 0; k < n; k++) {
            assert_near(a[k], b[k], 100.0, name, k);
        }
    }
    tqt_subject_free(file);
    tqt_subject_free(maker);
    tqa_robot_free(robot);
    tqt_model_free(model);
}

Test(seeds, item_044_to_047_planar_2r_file)
{
    const tqt_bar bars[] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5)};
    assert_same_robot("planar-2r", tqt_planar_arm(bars, 2, 9.81));
}

Test(seeds, item_050_to_053_planar_3r_file)
{
    const tqt_bar bars[] = {tqt_slender_bar(.8, 2), tqt_slender_bar(.6, 1.5),
                            tqt_slender_bar(.4, 1)};
    assert_same_robot("planar-3r", tqt_planar_arm(bars, 3, 9.81));
}

Test(seeds, item_054_055_scara_file)
{
    const tqt_scara from = {.m = {4, 3, 1}, .a = {.4, .3}, .d1 = .5, .rod = .2, .g = 9.81};
    assert_same_robot("scara", tqt_scara_arm(&from));
}

Test(seeds, item_061_to_066_elbow_file)
{
    const tqt_elbow from = {.l0 = .5,
                            .l1 = .4,
                            .r0 = .2,
                            .r1 = .15,
                            .r2 = .25,
                            .g = 9.81,
                            .m = {1.2, .9, .7},
                            .ix = {.02, .03, .015},
                            .iy = {.021, .012, .011},
                            .iz = {.013, .034, .017}};
    assert_same_robot("mls-3dof", tqt_elbow_arm(&from));
}

Test(seeds, item_083_to_091_rrp_file)
{
    assert_same_robot("rrp", tqt_rrp_arm(&tqt_rrp_homework));
}

/* m l^2 th'' + m g l sin th = tau */
Test(seeds, item_022_pendulum_file)
{
    tqa_robot *robot = tqt_builtin("pendulum");
    tqt_subject *subject = tqt_subject_new(robot->model, 0);
    tqt_random random = tqt_random_seed(22);
    for (int i = 0; i < N_STATE; i++) {
        const double q = tqt_random_uniform(&random, -3.0, 3.0);
        const double qd = tqt_random_uniform(&random, -3.0, 3.0);
        const double qdd = tqt_random_uniform(&random, -9.0, 9.0);
        double tau = 0.0;
        tqt_torque(subject, &q, &qd, &qdd, 0, &tau);
        assert_near(tau, 1.5 * .8 * .8 * qdd + 1.5 * 9.81 * .8 * sin(q), 20.0, "pendulum", 0);
    }
    tqt_subject_free(subject);
    tqa_robot_free(robot);
}

/* m l^2 th'' - m l^2 s c phd^2 + m g l s = tau_th;
 * m l^2 s^2 ph'' + 2 m l^2 s c thd phd = tau_ph; at th = 0 M is singular and this is reported */
Test(seeds, item_023_spherical_pendulum_file)
{
    tqa_robot *robot = tqt_builtin("spherical-pendulum");
    tqt_subject *subject = tqt_subject_new(robot->model, 0);
    tqt_random random = tqt_random_seed(23);
    const double m = 1.5;
    const double l = .8;
    cr_assert(strcmp(robot->joint_names[0], "theta") == 0);
    for (int i = 0; i < N_STATE; i++) {
        double q[2];
        double qd[2];
        double qdd[2];
        double tau[2];
        for (int k = 0; k < 2; k++) {
            q[k] = tqt_random_uniform(&random, -3.0, 3.0);
            qd[k] = tqt_random_uniform(&random, -3.0, 3.0);
            qdd[k] = tqt_random_uniform(&random, -9.0, 9.0);
        }
        const double s = sin(q[0]);
        const double c = cos(q[0]);
        tqt_torque(subject, q, qd, qdd, 0, tau);
        assert_near(tau[0], m * l * (l * qdd[0] - l * s * c * qd[1] * qd[1] + 9.81 * s), 20.0,
                    "spherical-pendulum", 0);
        assert_near(tau[1], m * l * l * s * (s * qdd[1] + 2 * c * qd[0] * qd[1]), 20.0,
                    "spherical-pendulum", 1);
    }
    bool is_found = false;
    for (size_t k = 0; k < robot->n_finding; k++) {
        is_found = is_found || (robot->findings[k].kind == TQA_FINDING_DOCTOR &&
                                strcmp(robot->findings[k].where, "joint phi") == 0);
    }
    cr_assert(is_found);
    tqt_subject_free(subject);
    tqa_robot_free(robot);
}

/* (M h^2 + m r^2 + I) ph'' + 2 m r rd phd + (M h + m r) g sin ph = tau;
 * m r'' - m r phd^2 - m g cos ph + k (r - r0) = 0; and the numbers of the checklist */
Test(seeds, item_024_sprung_pendulum_file)
{
    tqa_robot *robot = tqt_builtin("sprung-pendulum");
    tqt_subject *subject = tqt_subject_new(robot->model, 0);
    tqt_random random = tqt_random_seed(24);
    double tau[2];
    for (int i = 0; i < N_STATE; i++) {
        const double q[2] = {tqt_random_uniform(&random, -3.0, 3.0),
                             tqt_random_uniform(&random, .1, .5)};
        const double qd[2] = {tqt_random_uniform(&random, -3.0, 3.0),
                              tqt_random_uniform(&random, -1.0, 1.0)};
        const double qdd[2] = {tqt_random_uniform(&random, -9.0, 9.0),
                               tqt_random_uniform(&random, -9.0, 9.0)};
        const double r = q[1];
        tqt_torque(subject, q, qd, qdd, 0, tau);
        assert_near(tau[0],
                    (2 * .16 + .5 * r * r + .1) * qdd[0] + 2 * .5 * r * qd[1] * qd[0] +
                        (2 * .4 + .5 * r) * 9.81 * sin(q[0]),
                    20.0, "sprung-pendulum", 0);
        assert_near(tau[1],
                    .5 * qdd[1] - .5 * r * qd[0] * qd[0] - .5 * 9.81 * cos(q[0]) + 60 * (r - .3),
                    20.0, "sprung-pendulum", 1);
    }
    tqt_torque(subject, (const double[2]){.6, .35}, (const double[2]){1.2, -.4},
               (const double[2]){-7.756185137465276, 2.6005423822639475}, 0, tau);
    assert_near(tau[0], 1.5, 20.0, "numbers", 0);
    assert_near(tau[1], 0.0, 20.0, "numbers", 1);
    /* at rest the spring carries the slider: r = r0 + m g / k */
    tqt_torque(subject, (const double[2]){0, .3 + .5 * 9.81 / 60}, NULL, NULL, 0, tau);
    assert_near(tau[1], 0.0, 20.0, "rest", 1);
    tqt_subject_free(subject);
    tqa_robot_free(robot);
}

/* P. Corke, Robotics, Vision and Control, 2011, section 9.2: gravload and inertia of the Puma 560
 * at qn = (0, 45, 180, 0, 45, 0) degrees, printed to four decimals */
Test(builtin, puma560_moves_as_published)
{
    static const double qn[6] = {0, 0.78539816339744828, 3.1415926535897931,
                                 0, 0.78539816339744828, 0};
    static const double gravity[6] = {0, 31.6399, 6.0351, 0, 0.0283, 0};
    static const double mass[36] = {
        3.6594,  -0.4044, 0.1006, -0.0025, 0,      0,      -0.4044, 4.4137, 0.3509,
        0,       0.0024,  0,      0.1006,  0.3509, 0.9378, 0,       0.0015, 0,
        -0.0025, 0,       0,      0.1925,  0,      0,      0,       0.0024, 0.0015,
        0,       0.1713,  0,      0,       0,      0,      0,       0,      0.1941};
    tqa_robot *robot = tqt_builtin("puma560");
    tqt_subject *subject = tqt_subject_new(robot->model, 0);
    double g[6];
    double m[36];
    tqt_gravity(subject, qn, g);
    tqt_mass(subject, qn, m);
    for (int k = 0; k < 6; k++) {
        cr_assert(fabs(g[k] - gravity[k]) <= 0.51e-4, "g[%d]: %.6f", k, g[k]);
    }
    for (int k = 0; k < 36; k++) {
        cr_assert(fabs(m[k] - mass[k]) <= 0.51e-4, "M[%d]: %.6f", k, m[k]);
    }
    tqt_subject_free(subject);
    tqa_robot_free(robot);
}

/* A free body accelerated upward weighs m (g + a): the whole mass is seen at the base. 8.252 kg and
 * 73 kg are the sums of their sources' masses. */
Test(builtin, floating_robots_have_their_freedoms_and_weight)
{
    static const struct {
        const char *name;
        size_t nv;
        double mass;
    } rows[] = {{"quadruped", 18, 3.3 + 4 * (.54 + .634 + .064)}, {"humanoid", 36, 73.0}};
    for (size_t i = 0; i < 2; i++) {
        tqa_robot *robot = tqt_builtin(rows[i].name);
        cr_assert(eq(sz, robot->model->nv, rows[i].nv));
        cr_assert(eq(sz, robot->model->nq, rows[i].nv + 1));
        tqt_subject *subject = tqt_subject_new(robot->model, 0);
        double q[NV_MAX + 1] = {0, 0, 0, 1};
        double qdd[NV_MAX] = {0, 0, 1.5};
        double tau[NV_MAX];
        double m[NV_MAX * NV_MAX];
        tqt_torque(subject, q, NULL, qdd, 0, tau);
        assert_near(tau[2], rows[i].mass * (9.81 + 1.5), 1000.0, rows[i].name, 2);
        tqt_mass(subject, q, m);
        assert_near(m[0], rows[i].mass, 100.0, rows[i].name, 0);
        tqt_subject_free(subject);
        tqa_robot_free(robot);
    }
}
