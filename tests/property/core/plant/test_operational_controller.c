/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_operational_controller.c - accelerations of a point and of the
 * rest of the robot under control in space; memory, bits, checks. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/plant/operational_controller.h"
#include "tests/support/motion.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { N = 8, AXES = TQ_TASK_AXES, LANE = 8, BYTES = 1 << 24 };
static _Alignas(64) unsigned char memory[BYTES];

static const double setpoint[N] = {0.1, -0.2, 0.3, 0.2, -0.1, 0.4, -0.3, 0.2};
static const double posture_kp[N] = {9, 8, 7, 6, 5, 4, 3, 2};
static const double posture_kd[N] = {6, 5, 4, 3, 2, 1, 2, 3};
static double goals[2] = {-7.0, -7.0};
static const double times[2] = {0.0, 1.0};
static const tq_reference posture = {
    .kind = TQ_REFERENCE_SETPOINT, .n_coordinate = N, .setpoint = setpoint};
static tq_table force = {.points = {.n_point = 2, .n_coordinate = 1, .t = times, .x = goals}};
static const tq_pose goal = {.r = {0, -1, 0, 1, 0, 0, 0, 0, 1}, .p = {0.2, 0.3, -0.1}};

/* a robot with all terms, and its rates under a controller */
typedef struct scene {
    tq_model *model;
    tqt_subject *subject;
    tqt_states s;
    tq_scratch scratch;
    double qdot[N * LANE], qdd[N * LANE], tau[N * LANE];
} scene;

static scene *open_scene(uint64_t seed)
{
    static scene s;
    memset(&s, 0, sizeof s);
    s.model = tqt_random_robot(
        seed, (tqt_robot_options){.n_joint = N,
                                  .kinds = 1u << TQ_JOINT_REVOLUTE | 1u << TQ_JOINT_PRISMATIC,
                                  .with = TQT_WITH_ROTOR | TQT_WITH_SPRING | TQT_WITH_FRICTION});
    s.subject = tqt_subject_new(s.model, 0);
    s.s = tqt_random_states(seed, s.model, LANE);
    tq_scratch_init(&s.scratch, memory, sizeof memory);
    return &s;
}

static void close_scene(scene *s)
{
    tqt_states_free(&s->s);
    tqt_subject_free(s->subject);
    tqt_model_free(s->model);
}

/* the last link of the tree's longest branch, three axes of motion and one of force */
static tq_operational_controller law_of(const scene *s, tq_operational_law law)
{
    tq_operational_controller c = {.law = law,
                                   .mechanism = s->subject->mechanism,
                                   .link = s->model->joints[s->model->order[N - 1]].child,
                                   .at = {0.1, -0.2, 0.3},
                                   .frame = {1, 0, 0, 0, 0, -1, 0, 1, 0},
                                   .moved = {true, true},
                                   .pushed = {false, false, true},
                                   .reference = &posture,
                                   .goal = &goal,
                                   .kp = {40, 30, 0},
                                   .kd = {7, 6, 5},
                                   .force = &force,
                                   .posture = &posture,
                                   .posture_kp = posture_kp,
                                   .posture_kd = posture_kd};
    return c;
}

static tq_status rate(scene *s, tq_operational_controller *c, size_t n, tq_error *error)
{
    tq_effect effect;
    const tq_status status = tq_operational_controller_effect(c, &effect, error);
    if (status != TQ_OK) {
        return status;
    }
    const tq_plant plant = {.mechanism = s->subject->mechanism, .effects = &effect, .n_effect = 1};
    const tq_trajectories at = {.n_sample = n, .stride = LANE, .q = s->s.q, .qd = s->s.qd};
    const tq_rates ret = {.q = s->qdot, .qd = s->qdd, .tau = s->tau};
    cr_assert(tq_plant_scratch_size(&plant, LANE) <= BYTES);
    tq_scratch_init(&s->scratch, memory, tq_plant_scratch_size(&plant, LANE)); /* exactly */
    const tq_status got = tq_plant_rate(&plant, 0.3, &at, &s->scratch, &ret, error);
    cr_assert(eq(sz, s->scratch.used, 0));
    tq_scratch_init(&s->scratch, memory, sizeof memory);
    return got;
}

/* velocity and acceleration of the controlled point by moving frames, without a Jacobian */
static void move_point(const scene *s, const tq_operational_controller *c, const tqt_state *state,
                       double v[3], double a[3])
{
    tqt_link_motion links[N + 1];
    cr_assert(s->model->n_link <= N + 1);
    tqt_move(s->model, state, links);
    const tqt_link_motion *link = &links[c->link];
    long double arm[3], spin[3]; /* from the centre of mass; omega x arm */
    for (int k = 0; k < 3; k++) {
        arm[k] = link->p[k] - link->com[k];
        for (int m = 0; m < 3; m++) {
            arm[k] += link->r[3 * k + m] * (long double)c->at[m];
        }
    }
    const long double *w = link->omega, *wd = link->omega_dot;
    for (int k = 0; k < 3; k++) {
        const int x = (k + 1) % 3, y = (k + 2) % 3;
        spin[k] = w[x] * arm[y] - w[y] * arm[x];
    }
    for (int k = 0; k < 3; k++) {
        const int x = (k + 1) % 3, y = (k + 2) % 3;
        v[k] = (double)(link->com_v[k] + spin[k]);
        a[k] = (double)(link->com_a[k] + wd[x] * arm[y] - wd[y] * arm[x] + w[x] * spin[y] -
                        w[y] * spin[x]);
    }
}

/* x'' = lambda^-1 (lambda a + f): the task's axes are the world's x, z, -y; x' and x'' are those of
 * moving frames, J is x' at unit rates, M^-1 that of the block function, which the law does not
 * use */
Test(operational_controller, the_point_accelerates_as_asked)
{
    static const int axis[3] = {0, 2, 1};
    static const double sign[3] = {1, 1, -1};
    unsigned seen = 0;
    for (uint64_t seed = 1; seed < 30 && seen < 5; seed++) {
        scene *s = open_scene(seed);
        tq_operational_controller c = law_of(s, TQ_OPERATIONAL_SPACE);
        static double inverse[N * N * LANE];
        tq_error error = {0};
        const tq_status status = rate(s, &c, LANE, &error);
        if (status == TQ_ERR_SINGULAR) { /* a branch of less than three joints */
            cr_assert(strcmp(error.what, "task") == 0, "%s", error.what);
            close_scene(s);
            continue;
        }
        cr_assert(eq(int, status, TQ_OK), "%s", error.what);
        seen++;
        cr_assert(eq(int,
                     tq_mass_matrix_inverse(s->subject->mechanism, LANE, LANE, s->s.q, 0,
                                            &s->scratch, inverse, NULL),
                     TQ_OK));
        for (int i = 0; i < LANE; i++) {
            double e[AXES], there[3], q[N], qd[N], qdd[N], j[N][3], v[3], a[3];
            for (int r = 0; r < N; r++) {
                q[r] = s->s.q[r * LANE + i];
                qd[r] = s->s.qd[r * LANE + i];
                qdd[r] = s->qdd[r * LANE + i];
            }
            for (int r = 0; r < N; r++) {
                double unit[N] = {0};
                unit[r] = 1.0;
                move_point(s, &c, &(tqt_state){q, unit, NULL}, j[r], a);
            }
            move_point(s, &c, &(tqt_state){q, qd, qdd}, v, a);
            cr_assert(
                eq(int, tq_operational_error(&c, 0.3, q, &s->scratch, e, there, NULL), TQ_OK));
            for (int k = 0; k < 3; k++) {
                const int row = axis[k];
                double push = 0;
                for (int r = 0; r < N; r++) {
                    for (int m = 0; m < N; m++) { /* lambda^-1, column of the third axis */
                        push += sign[k] * j[r][row] * inverse[(r * N + m) * LANE + i] * -j[m][1] *
                                goals[0];
                    }
                }
                const double got = sign[k] * a[row];
                const double want =
                    (k < 2 ? c.kp[k] * e[k] : 0) - c.kd[k] * sign[k] * v[row] + push;
                /* inverse, then forward dynamics: condition of M and of lambda times eps */
                cr_assert(fabs(got - want) < 1e-7 * (1 + fabs(want)), "seed %d: %g for %g",
                          (int)seed, got, want);
            }
        }
        close_scene(s);
    }
    cr_assert(eq(u32, seen, 5));
}

Test(operational_controller, a_sample_alone_has_the_same_bits)
{
    for (unsigned law = 0; law < 2; law++) {
        for (uint64_t seed = 1; seed < 12; seed++) {
            scene *s = open_scene(seed);
            tq_operational_controller c = law_of(s, (tq_operational_law)law);
            c.damping = 0.05;
            c.ratio = law == TQ_CARTESIAN_IMPEDANCE ? 0.7 : 0.0;
            static double whole[N * LANE], q[N * LANE], qd[N * LANE];
            tq_error error = {0};
            if (rate(s, &c, LANE, &error) != TQ_OK) { /* an axis that does not move at all */
                close_scene(s);
                continue;
            }
            memcpy(whole, s->tau, sizeof whole);
            memcpy(q, s->s.q, sizeof q);
            memcpy(qd, s->s.qd, sizeof qd);
            for (int i = 0; i < LANE; i++) {
                for (int r = 0; r < N * LANE; r++) {
                    s->s.q[r] = q[r / LANE * LANE + i];
                    s->s.qd[r] = qd[r / LANE * LANE + i];
                }
                cr_assert(eq(int, rate(s, &c, 1, &error), TQ_OK));
                for (int r = 0; r < N; r++) {
                    cr_assert(eq(dbl, s->tau[r * LANE], whole[r * LANE + i]));
                }
            }
            close_scene(s);
        }
    }
}

static void refused(scene *s, const tq_operational_controller *c, tq_status status,
                    const char *what)
{
    tq_operational_controller copy = *c;
    tq_effect effect;
    tq_error error = {0};
    cr_assert(eq(int, tq_operational_controller_effect(&copy, &effect, &error), status), "%s",
              what);
    cr_assert(strcmp(error.what, what) == 0, "%s for %s", error.what, what);
    (void)s;
}

Test(operational_controller, checks_name_what_is_wrong)
{
    scene *s = open_scene(2);
    const tq_operational_controller good = law_of(s, TQ_OPERATIONAL_SPACE);
    static const tq_reference shorter = {
        .kind = TQ_REFERENCE_SETPOINT, .n_coordinate = N - 1, .setpoint = setpoint};
    static const double limit[N] = {1, 1, 1, 0, 1, 1, 1, 1};
#define REFUSED(status, what, ...)                                                                 \
    do {                                                                                           \
        tq_operational_controller c = good;                                                        \
        __VA_ARGS__;                                                                               \
        refused(s, &c, status, what);                                                              \
    } while (0)
    REFUSED(TQ_ERR_RANGE, "link", c.link = 99);
    REFUSED(TQ_ERR_SHAPE, "axes", c.pushed[1] = true);
    REFUSED(TQ_ERR_SHAPE, "axes", c.moved[0] = c.moved[1] = c.pushed[2] = false);
    REFUSED(TQ_ERR_SHAPE, "force", c.pushed[3] = true);
    REFUSED(TQ_ERR_SHAPE, "reference", c.reference = &shorter);
    REFUSED(TQ_ERR_SHAPE, "posture", c.posture = &shorter);
    REFUSED(TQ_ERR_RANGE, "kp", c.kp[1] = -1);
    REFUSED(TQ_ERR_NOT_FINITE, "kd", c.kd[2] = (double)NAN);
    REFUSED(TQ_ERR_RANGE, "damping", c.damping = 1.5);
    REFUSED(TQ_ERR_RANGE, "sample_time", c.sample_time = -1);
    REFUSED(TQ_ERR_RANGE, "limit", c.limit = limit);
#undef REFUSED
    close_scene(s);
}
