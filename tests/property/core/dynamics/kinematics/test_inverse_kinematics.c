/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/kinematics/test_inverse_kinematics.c - solutions reach their target,
 * branches are found, limits are respected. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/dynamics/kinematics/inverse_kinematics.h"
#include "core/spatial/screw.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

enum { BYTES = 4 << 20 };

static const tq_ik_options usual = {.position_tolerance = 1e-10,
                                    .rotation_tolerance = 1e-10,
                                    .iterations = 200,
                                    .n_seed = 100,
                                    .n_solution = 1};

static tq_pose pose_at(const tq_model *model, const double *q, const tq_ik_task *task,
                       tq_scratch *scratch)
{
    tq_configuration p;
    const size_t mark = tq_scratch_mark(scratch);
    cr_assert(eq(int, tq_configuration_compute(model, q, NULL, scratch, &p, NULL), TQ_OK));
    tq_pose pose = p.pose[task->link];
    double arm[3];
    tq_mat_vec(pose.r, task->at, arm);
    for (int k = 0; k < 3; k++) {
        pose.p[k] += arm[k];
    }
    tq_scratch_rewind(scratch, mark);
    return pose;
}

Test(inverse_kinematics, random_arms_reach_poses_they_have_been_in)
{
    void *memory = aligned_alloc(64, BYTES);
    size_t found = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const tqt_robot_options robot = {.n_joint = 6 + (uint32_t)(seed % 4),
                                         .kinds = seed % 3 == 0 ? TQT_KINDS_ALL
                                                                : 1u << TQ_JOINT_REVOLUTE,
                                         .with = 0};
        tq_model *model = tqt_random_robot(seed, robot);
        if (model->nv < 6) {
            tqt_model_free(model);
            found++;
            continue;
        }
        tqt_states states = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq);
        tq_scratch scratch;
        tq_scratch_init(&scratch, memory, BYTES);
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        tq_ik_task task = {.link = model->joints[model->n_joint - 1].child,
                           .at = {0.1, 0.05, -0.2},
                           .axes = {true, true, true, true, true, true}};
        task.target = pose_at(model, q, &task, &scratch);
        tq_ik_result result = {.q = tqt_doubles(TQ_IK_SOLUTION_MAX * model->nq)};
        cr_assert(
            eq(int, tq_inverse_kinematics(model, &task, &usual, &scratch, &result, NULL), TQ_OK));
        if (result.n_solution > 0) {
            found++;
            const tq_pose got = pose_at(model, result.q, &task, &scratch);
            for (int k = 0; k < 3; k++) {
                cr_assert(epsilon_eq(dbl, got.p[k], task.target.p[k], 1e-9), "seed %d", (int)seed);
            }
            for (int k = 0; k < 9; k++) {
                cr_assert(epsilon_eq(dbl, got.r[k], task.target.r[k], 1e-9), "seed %d", (int)seed);
            }
        }
        free(result.q);
        free(q);
        tqt_states_free(&states);
        tqt_model_free(model);
    }
    cr_assert(ge(sz, found, 38), "found %zu of 40", found);
    free(memory);
}

/* An arm of seven revolute joints like Baxter's, then a finger of travel `travel`: the finger is
 * mostly at a limit, where steps that use it have no effect. */
static tq_model *finger(uint32_t n_joint, double travel, double side)
{
    static const double axis[8][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0},
                                      {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}};
    static const double at[8][3] = {{0, 0, 0.3},       {0.069, 0, 0.27}, {0.102, 0, 0},
                                    {0.262, 0, 0.069}, {0.104, 0, 0},    {0.271, 0, 0.01},
                                    {0.116, 0, 0},     {0.114, 0, 0}};
    static const double range[7][2] = {{-1.7, 1.7},   {-2.15, 1.05}, {-3.05, 3.05}, {-0.05, 2.6},
                                       {-3.05, 3.05}, {-1.57, 2.09}, {-3.05, 3.05}};
    tq_model *m = tqt_model_new(n_joint + 1);
    for (uint32_t j = 0; j < n_joint; j++) {
        m->joints[j].kind = j < 7 ? TQ_JOINT_REVOLUTE : TQ_JOINT_PRISMATIC;
        m->joints[j].parent = j;
        m->joints[j].child = j + 1;
        m->joints[j].limits.lower = j < 7 ? range[j][0] : 0.0;
        m->joints[j].limits.upper = j < 7 ? range[j][1] : travel;
        for (int k = 0; k < 3; k++) {
            m->joints[j].axis[k] = j < 7 || side > 0.0 ? axis[j][k] : -axis[j][k];
            m->joints[j].origin.p[k] = at[j][k];
        }
    }
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    return m;
}

/* the defaults of the service */
static const tq_ik_options plain = {.position_tolerance = 1e-9,
                                    .rotation_tolerance = 1e-9,
                                    .iterations = 200,
                                    .n_seed = 64,
                                    .n_solution = 1,
                                    .within_limits = true};

static size_t reach(const tq_model *model, size_t n_pose, uint64_t seed, tq_scratch *scratch)
{
    tqt_random r = tqt_random_seed(seed);
    tq_ik_result result = {.q = tqt_doubles(TQ_IK_SOLUTION_MAX * model->nq)};
    size_t found = 0;
    for (size_t n = 0; n < n_pose; n++) {
        double q[8];
        for (uint32_t k = 0; k < model->nq; k++) {
            const tq_limits *limits = &model->joints[k].limits;
            q[k] = tqt_random_uniform(&r, limits->lower, limits->upper);
        }
        tq_ik_task task = {.link = model->n_link - 1,
                           .at = {0.03, 0, 0.01},
                           .axes = {true, true, true, true, true, true}};
        task.target = pose_at(model, q, &task, scratch);
        cr_assert(tq_inverse_kinematics(model, &task, &plain, scratch, &result, NULL) == TQ_OK);
        found += result.n_solution > 0;
        for (uint32_t k = 0; k < model->nq && result.n_solution > 0; k++) {
            cr_assert(ge(dbl, result.q[k], model->joints[k].limits.lower));
            cr_assert(le(dbl, result.q[k], model->joints[k].limits.upper));
        }
    }
    free(result.q);
    return found;
}

Test(inverse_kinematics, a_finger_of_short_travel_reaches_where_it_has_been)
{
    void *memory = aligned_alloc(64, BYTES);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    for (uint64_t chain = 0; chain < 4; chain++) {
        tq_model *model = finger(8, chain < 2 ? 0.02 : 0.001, chain % 2 == 0 ? 1.0 : -1.0);
        const size_t found = reach(model, 25, chain, &scratch);
        cr_expect(eq(sz, found, 25), "chain %d: %zu of 25", (int)chain, found);
        tqt_model_free(model);
    }
    free(memory);
}

/* the same arm without its finger and its last joint: at most six branches, some outside the limits
 */
Test(inverse_kinematics, an_arm_inside_its_limits_reaches_where_it_has_been)
{
    void *memory = aligned_alloc(64, BYTES);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    for (uint32_t n_joint = 6; n_joint < 8; n_joint++) {
        tq_model *model = finger(n_joint, 0.0, 1.0);
        const size_t found = reach(model, 100, n_joint, &scratch);
        cr_expect(eq(sz, found, 100), "%d joints: %zu of 100", (int)n_joint, found);
        tqt_model_free(model);
    }
    free(memory);
}

/* A joint that turns, and one that follows it by `multiplier`: a slide along its axis or a second
 * turn about it. From a turn or more away the solution has the pose, and where the pose is the same
 * a turn further, it is that within half a turn of the start. */
static void follow(tq_joint_kind kind, double multiplier, double turned, double expected)
{
    tq_model *m = tqt_model_new(3);
    void *memory = aligned_alloc(64, BYTES);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    for (uint32_t j = 0; j < 2; j++) {
        m->joints[j].kind = j == 0 ? TQ_JOINT_REVOLUTE : kind;
        m->joints[j].parent = j;
        m->joints[j].child = j + 1;
        m->joints[j].axis[0] = m->joints[j].axis[1] = 0.0;
        m->joints[j].axis[2] = 1.0;
    }
    m->joints[0].limits.lower = -20.0; /* over which starts are spread */
    m->joints[0].limits.upper = 20.0;
    m->joints[1].mimic = 0;
    m->joints[1].mimic_multiplier = multiplier;
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    const double start = 0.2;
    tq_ik_task task = {.link = 2, .axes = {true, true, true, true, true, true}};
    task.target = pose_at(m, &turned, &task, &scratch);
    tq_ik_options options = usual;
    options.initial = &start;
    tq_ik_result result = {.q = tqt_doubles(TQ_IK_SOLUTION_MAX)};
    cr_assert(eq(int, tq_inverse_kinematics(m, &task, &options, &scratch, &result, NULL), TQ_OK));
    cr_assert(eq(int, (int)result.n_solution, 1));
    const tq_pose got = pose_at(m, result.q, &task, &scratch);
    for (int k = 0; k < 9; k++) {
        cr_expect(epsilon_eq(dbl, got.r[k], task.target.r[k], 1e-9));
    }
    cr_expect(epsilon_eq(dbl, got.p[2], task.target.p[2], 1e-9));
    cr_expect(epsilon_eq(dbl, result.q[0], expected, 1e-9), "%g", result.q[0]);
    free(result.q);
    free(memory);
    tqt_model_free(m);
}

Test(inverse_kinematics, a_followed_angle_may_be_no_periodic_one)
{
    follow(TQ_JOINT_PRISMATIC, 0.08, 10.0, 10.0);
    follow(TQ_JOINT_PRISMATIC, -0.3, -8.0, -8.0);
    follow(TQ_JOINT_REVOLUTE, 1.0, 6.0, 6.0 - 2.0 * M_PI); /* turns by 12: any half turn does */
}

/* Two links in a plane, and a spindle without limits that a slide follows by `pitch` metres a turn,
 * behind them or before them (`first`): positions and rotations of random coordinates are found,
 * however many turns away, from the middle and from starts that are spread. Returns how many of 50
 * are. */
static unsigned find_threads(bool first, double pitch, bool with_rotation, uint32_t n_seed)
{
    const uint32_t spindle = first ? 0 : 2, shoulder = first ? 1 : 0, elbow = first ? 2 : 1;
    tq_model *m = tqt_model_new(5);
    void *memory = aligned_alloc(64, BYTES);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    for (uint32_t j = 0; j < 4; j++) {
        m->joints[j].kind = j == spindle + 1 ? TQ_JOINT_PRISMATIC : TQ_JOINT_CONTINUOUS;
        m->joints[j].parent = j;
        m->joints[j].child = j + 1;
        m->joints[j].axis[0] = m->joints[j].axis[1] = 0.0;
        m->joints[j].axis[2] = 1.0;
        m->joints[j].origin.p[1] = m->joints[j].origin.p[2] = 0.0;
        m->joints[j].origin.p[0] = j == (first ? 3 : 1) ? 0.4 : j == 2 ? 0.3 : 0.0;
        tq_mat_identity(m->joints[j].origin.r);
    }
    m->joints[spindle + 1].mimic = spindle;
    m->joints[spindle + 1].mimic_multiplier = pitch / (2.0 * M_PI);
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    tqt_random r = tqt_random_seed(77);
    unsigned found = 0;
    tq_ik_result result = {.q = tqt_doubles(3 * (size_t)TQ_IK_SOLUTION_MAX)};
    for (unsigned k = 0; k < 50; k++) {
        double q[3];
        q[shoulder] = tqt_random_uniform(&r, -3.0, 3.0);
        q[elbow] = tqt_random_uniform(&r, 0.3, 2.8);
        q[spindle] = tqt_random_uniform(&r, -0.7, 0.7) * 2.0 * M_PI / fabs(pitch);
        tq_ik_task task = {
            .link = 4, .at = {first ? 0.3 : 0.05, 0.0, 0.0}, .axes = {true, true, true}};
        task.axes[5] = with_rotation;
        task.target = pose_at(m, q, &task, &scratch);
        tq_ik_options options = usual;
        options.n_solution = 1;
        options.n_seed = n_seed;
        cr_assert(
            eq(int, tq_inverse_kinematics(m, &task, &options, &scratch, &result, NULL), TQ_OK));
        if (result.n_solution > 0) {
            const tq_pose got = pose_at(m, result.q, &task, &scratch);
            double worst = 0.0;
            for (int e = 0; e < 3; e++) {
                worst = fmax(worst, fabs(got.p[e] - task.target.p[e]));
            }
            for (int e = 0; e < 9 && with_rotation; e++) {
                worst = fmax(worst, fabs(got.r[e] - task.target.r[e]));
            }
            found += worst < 1e-6;
        }
    }
    free(result.q);
    free(memory);
    tqt_model_free(m);
    return found;
}

/* Of positions and of poses behind the arm, from starts within one turn alone, 50 and 48 at 0.5 m a
 * turn, 3 and 1, 36 and 2, then none. Descents of lengths alone end in a long valley, along which
 * the arm undoes what the spindle turns: of positions at 0.1 mm a turn 45, before the arm 34; at
 * 1 um 16 and 20. */
Test(inverse_kinematics, threads_are_found_many_turns_away)
{
    static const double pitches[] = {0.5, 0.005, -0.02, 1e-3, 1e-4, 1e-5, 1e-6};
    for (unsigned k = 0; k < 4 * sizeof pitches / sizeof pitches[0]; k++) {
        const unsigned found = find_threads(k % 2 != 0, pitches[k / 4], k % 4 > 1, 16);
        cr_expect(eq(uint, found, 50), "pitch %g, case %u: %u of 50", pitches[k / 4], k % 4, found);
    }
}

/* one start is that of a path, which goes on and does not jump by a turn */
Test(inverse_kinematics, one_start_stays_in_its_turn)
{
    cr_expect(le(uint, find_threads(false, 0.005, true, 1), 2));
}

/* shoulder, elbow, spherical wrist: eight branches, four without a flip of the wrist */
static tq_model *anthropomorphic(void)
{
    tq_model *m = tqt_model_new(7);
    const double axis[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    const double at[6][3] = {{0, 0, 0.4},  {0, 0, 0}, {0, 0, 0.5},
                             {0.45, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (uint32_t j = 0; j < 6; j++) {
        m->joints[j].kind = TQ_JOINT_REVOLUTE;
        m->joints[j].parent = j;
        m->joints[j].child = j + 1;
        for (int k = 0; k < 3; k++) {
            m->joints[j].axis[k] = axis[j][k];
            m->joints[j].origin.p[k] = at[j][k];
        }
    }
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    return m;
}

Test(inverse_kinematics, an_elbow_arm_has_eight_branches)
{
    tq_model *model = anthropomorphic();
    void *memory = aligned_alloc(64, BYTES);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    const double q[6] = {0.3, 0.4, 0.6, 0.5, 0.7, -0.4};
    tq_ik_task task = {.link = 6, .at = {0.1, 0, 0}, .axes = {true, true, true, true, true, true}};
    task.target = pose_at(model, q, &task, &scratch);
    tq_ik_options options = usual;
    options.initial = q;
    options.n_solution = 16;
    options.n_seed = 300;
    tq_ik_result result = {.q = tqt_doubles(TQ_IK_SOLUTION_MAX * 6)};
    cr_assert(
        eq(int, tq_inverse_kinematics(model, &task, &options, &scratch, &result, NULL), TQ_OK));
    cr_assert(eq(int, (int)result.n_solution, 8));
    for (int k = 0; k < 6; k++) {
        cr_assert(epsilon_eq(dbl, result.q[k], q[k], 1e-9), "the nearest to the start comes first");
    }
    cr_assert(gt(dbl, result.smallest_singular[0], 1e-3));
    /* limits: only branches inside */
    for (uint32_t j = 0; j < 6; j++) {
        model->joints[j].limits.lower = q[j] - 0.5;
        model->joints[j].limits.upper = q[j] + 0.5;
    }
    options.within_limits = true;
    cr_assert(
        eq(int, tq_inverse_kinematics(model, &task, &options, &scratch, &result, NULL), TQ_OK));
    cr_assert(eq(int, (int)result.n_solution, 1));
    /* out of reach: the result is the smallest error, and no solution */
    task.target.p[0] = 5.0;
    options.within_limits = false;
    options.n_seed = 5;
    cr_assert(
        eq(int, tq_inverse_kinematics(model, &task, &options, &scratch, &result, NULL), TQ_OK));
    cr_assert(eq(int, (int)result.n_solution, 0));
    cr_assert(gt(dbl, result.best_position_error, 3.0));
    cr_assert(eq(sz, scratch.used, 0));
    free(result.q);
    free(memory);
    tqt_model_free(model);
}

Test(inverse_kinematics, position_alone_and_guards)
{
    tq_model *model = anthropomorphic();
    void *memory = aligned_alloc(64, BYTES);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    tq_ik_task task = {.link = 6,
                       .at = {0.1, 0, 0},
                       .target = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.5, 0.2, 0.6}},
                       .axes = {true, true, true, false, false, false}};
    tq_ik_result result = {.q = tqt_doubles(TQ_IK_SOLUTION_MAX * 6)};
    cr_assert(eq(int, tq_inverse_kinematics(model, &task, &usual, &scratch, &result, NULL), TQ_OK));
    cr_assert(eq(int, (int)result.n_solution, 1));
    const tq_pose got = pose_at(model, result.q, &task, &scratch);
    cr_assert(epsilon_eq(dbl, got.p[2], 0.6, 1e-9));
    /* a target so far that its square is infinite: none is best, and none of the last call's is
     * left */
    const tq_pose reached = task.target;
    task.target.p[0] = 1e200;
    cr_assert(eq(int, tq_inverse_kinematics(model, &task, &usual, &scratch, &result, NULL), TQ_OK));
    cr_assert(eq(int, (int)result.n_solution, 0));
    cr_expect(ge(dbl, result.best_position_error, 1e200));
    task.target = reached;
    const struct {
        const char *what;
        tq_ik_options options;
    } rows[] = {
        {"options.iterations",
         {.n_seed = 1, .n_solution = 1, .position_tolerance = 1, .rotation_tolerance = 1}},
        {"options.n_seed",
         {.iterations = 1, .n_solution = 1, .position_tolerance = 1, .rotation_tolerance = 1}},
        {"options.n_solution",
         {.iterations = 1, .n_seed = 1, .position_tolerance = 1, .rotation_tolerance = 1}},
        {"options.position_tolerance",
         {.iterations = 1, .n_seed = 1, .n_solution = 1, .rotation_tolerance = 1}},
        {"options.rotation_tolerance",
         {.iterations = 1, .n_seed = 1, .n_solution = 1, .position_tolerance = 1}}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tq_error error;
        cr_assert(eq(
            int, tq_inverse_kinematics(model, &task, &rows[k].options, &scratch, &result, &error),
            TQ_ERR_RANGE));
        cr_assert(eq(str, (char *)error.what, (char *)rows[k].what));
    }
    task.link = 99;
    cr_assert(eq(int, tq_inverse_kinematics(model, &task, &usual, &scratch, &result, NULL),
                 TQ_ERR_SHAPE));
    free(result.q);
    free(memory);
    tqt_model_free(model);
}

static int at_second(void *ctx)
{
    return ++*(unsigned *)ctx == 2;
}

/* cancellation within a start, and within the solutions of one step: each of 100 rows that reaches
 * its limit costs another solution */
Test(inverse_kinematics, ends_within_a_start_when_cancelled)
{
    enum { N_JOINT = 100, ROOM = 64 << 20 };
    void *memory = aligned_alloc(64, ROOM);
    tq_model *model = tqt_random_arm(5, N_JOINT, 0, (tq_friction){.viscous = 0.0});
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, ROOM);
    unsigned asked = 0;
    tq_scratch_set_stop(&scratch, at_second, &asked);
    tq_ik_options options = usual;
    options.n_seed = 1;
    const tq_ik_task task = {.link = N_JOINT,
                             .target = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {1e6, 0, 0}},
                             .axes = {true, true, true, true, true, true}};
    tq_ik_result result = {.q = tqt_doubles((size_t)TQ_IK_SOLUTION_MAX * model->nq)};
    const tq_status status = tq_inverse_kinematics(model, &task, &options, &scratch, &result, NULL);
    cr_assert(eq(int, status, TQ_ERR_STOPPED));
    cr_assert(eq(uint, asked, 2));
    cr_assert(eq(sz, scratch.used, 0));
    free(result.q);
    tqt_model_free(model);
    free(memory);
}
