/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/kinematic/test_kinematic_solve.c - planted errors of random arms are
 * found: exactly without noise, as parts of others where no pose separates them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"
#include "core/identify/kinematic/rotation.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

enum { JOINTS = 5, POSES = 60, MEMORY = 1 << 25 };

/* A measured arm: a random chain of revolute joints of which the true one has planted errors. */
typedef struct bench {
    tq_model *model;
    tq_kinematic_problem problem;
    tq_kinematic_result found;
    void *memory;
    tq_scratch scratch;
    double *q, position[3 * POSES], quaternion[4 * POSES], zero[JOINTS], frame[6 * JOINTS];
    uint32_t plane[POSES];
    tq_pose base, tool;
} bench;

static tq_pose pose_of(tqt_random *r, double length, double turn)
{
    tq_pose ret;
    double v[3];
    for (unsigned i = 0; i < 3; i++) {
        v[i] = tqt_random_uniform(r, -turn, turn);
        ret.p[i] = tqt_random_uniform(r, -length, length);
    }
    tq_rotation_exp(v, ret.r);
    return ret;
}

static void open_bench(bench *b, uint64_t seed, tq_kinematic_kind kind, bool with_frames)
{
    tqt_random r = tqt_random_seed(seed);
    memset(b, 0, sizeof *b);
    b->model = tqt_random_arm(seed, JOINTS, 0, (tq_friction){0});
    b->memory = aligned_alloc(64, MEMORY);
    tq_scratch_init(&b->scratch, b->memory, MEMORY);
    b->q = tqt_doubles(POSES * JOINTS);
    b->base = pose_of(&r, 2, 2);
    b->tool = pose_of(&r, 0.1, 1);
    for (size_t j = 0; j < JOINTS; j++) {
        b->zero[j] = tqt_random_uniform(&r, -0.05, 0.05);
        for (unsigned i = 0; i < 6 && with_frames; i++) {
            b->frame[6 * j + i] = tqt_random_uniform(&r, -2e-3, 2e-3);
        }
    }
    b->problem = (tq_kinematic_problem){.model = b->model,
                                        .link = b->model->joints[JOINTS - 1].child,
                                        .kind = kind,
                                        .n_pose = POSES,
                                        .q = b->q,
                                        .with_frames = with_frames,
                                        .tool = tq_pose_identity,
                                        .limit = {INFINITY, INFINITY, INFINITY},
                                        .n_fold = 5,
                                        .confidence = 0.95};
    b->problem.position = kind == TQ_KINEMATIC_PLANES ? NULL : b->position;
    b->problem.quaternion = kind == TQ_KINEMATIC_POSES ? b->quaternion : NULL;
    b->problem.plane = kind == TQ_KINEMATIC_PLANES ? b->plane : NULL;
    b->problem.n_plane = kind == TQ_KINEMATIC_PLANES ? 2 : 0;
}

/* The state of the truth, and a chain to walk it by. */
static tq_kinematic_state truth_of(bench *b, tq_kinematic *k)
{
    tq_kinematic_state x;
    cr_assert(eq(int, tq_kinematic_begin(&b->problem, &b->scratch, k, NULL), TQ_OK));
    cr_assert(eq(int, tq_kinematic_state_new(k, &x, NULL), TQ_OK));
    x.base = b->base;
    x.tool = b->tool;
    memcpy(x.zero, b->zero, sizeof b->zero);
    memcpy(x.frame, b->frame, sizeof b->frame);
    return x;
}

/* Measures at random poses; with planes those that the tip was moved onto. */
static void measure(bench *b, uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed + 1000);
    const size_t mark = tq_scratch_mark(&b->scratch);
    tq_kinematic k;
    for (size_t i = 0; i < POSES * JOINTS; i++) {
        b->q[i] = tqt_random_uniform(&r, -2, 2);
    }
    for (size_t i = 0; i < POSES; i++) {
        b->plane[i] = i % 2;
        b->quaternion[4 * i] = 1;
    }
    tq_kinematic_state x = truth_of(b, &k);
    const double planes[8] = {0, 0, 1, 0.1, 0.6, 0, 0.8, -0.2};
    memcpy(x.plane, planes, 4 * b->problem.n_plane * sizeof *planes);
    for (size_t i = 0; i < POSES; i++) {
        if (b->problem.kind == TQ_KINEMATIC_PLANES) {
            size_t at = i;
            while (!tq_kinematic_random_pose(&k, &x, at, b->q + i * JOINTS)) {
                at += 2 * POSES; /* the same plane */
                cr_assert(at < 200 * POSES);
            }
        }
        tq_kinematic_walk(&k, b->q + i * JOINTS, &x);
        const tq_pose pose = tq_pose_multiply(&x.base, &k.tip);
        memcpy(b->position + 3 * i, pose.p, sizeof pose.p);
        tq_quaternion_of_mat(pose.r, b->quaternion + 4 * i);
    }
    tq_scratch_rewind(&b->scratch, mark);
}

static void close_bench(bench *b)
{
    free(b->memory);
    free(b->q);
    tqt_model_free(b->model);
}

static void solve(bench *b)
{
    tq_error error = {0};
    const tq_status status = tq_kinematic_solve(&b->problem, &b->scratch, &b->found, &error);
    cr_assert(status == TQ_OK, "%s: %s %zu %g", tq_status_slug(status),
              error.what != NULL ? error.what : "", error.index, error.value);
    cr_assert(le(sz, b->scratch.peak, tq_kinematic_size(&b->problem)));
}

/* True positions of the target at poses that were not measured, in the tracker's frame. */
static double off_elsewhere(bench *b)
{
    tq_kinematic k;
    double most = 0;
    double q[JOINTS];
    tq_kinematic_state x = truth_of(b, &k);
    for (size_t i = 0; i < 100; i++) {
        for (size_t j = 0; j < JOINTS; j++) {
            q[j] = sin(1 + 7.3 * (double)i + 2.1 * (double)j) * 2;
        }
        tq_kinematic_walk(&k, q, &x);
        const tq_pose truth = tq_pose_multiply(&x.base, &k.tip);
        tq_kinematic_walk(&k, q, &b->found.state);
        const tq_pose got = tq_pose_multiply(&b->found.state.base, &k.tip);
        for (unsigned c = 0; c < 3; c++) {
            most = fmax(most, fabs(got.p[c] - truth.p[c]));
        }
    }
    return most;
}

Test(kinematic_solve, without_noise_the_arm_is_found_exactly)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        for (int with_frames = 0; with_frames < 2; with_frames++) {
            for (int kind = 0; kind < 2; kind++) {
                bench b;
                open_bench(&b, seed, (tq_kinematic_kind)kind, with_frames != 0);
                measure(&b, seed);
                solve(&b);
                const double off = off_elsewhere(&b);
                cr_assert(off <= 1e-10, "arm %llu kind %d frames %d: %g m, %zu iterations",
                          (unsigned long long)seed, kind, with_frames, off, b.found.n_iteration);
                cr_assert(b.found.after.position_rms <= 1e-11);
                cr_assert(b.found.before.position_rms >= 1e-4);
                close_bench(&b);
            }
        }
    }
}

/* with the base unknown the first joint's zero is a turn of it; the others' are found one by one */
Test(kinematic_solve, zeros_and_their_parts)
{
    bench b;
    open_bench(&b, 3, TQ_KINEMATIC_POSES, false);
    measure(&b, 3);
    solve(&b);
    for (size_t c = 0; c < b.found.n; c++) {
        const tq_kinematic_parameter *p = &b.found.list[c];
        const tq_kinematic_estimate *e = &b.found.estimate[c];
        if (p->part != TQ_KINEMATIC_ZERO) {
            cr_assert(eq(int, e->role, TQ_KINEMATIC_ESTIMATED));
        } else if (p->index == 0 || p->index == JOINTS - 1) {
            cr_assert(eq(int, e->role, TQ_KINEMATIC_STRUCTURE));
        } else {
            cr_assert(eq(int, e->role, TQ_KINEMATIC_ESTIMATED));
            cr_assert(fabs(e->value - b.zero[p->index]) <= 1e-10, "%.15g, not %.15g", e->value,
                      b.zero[p->index]);
        }
    }
    close_bench(&b);
    /* known base and tool: all of them */
    open_bench(&b, 3, TQ_KINEMATIC_POSES, false);
    measure(&b, 3);
    b.problem.knows_base = b.problem.knows_tool = true;
    b.problem.base = b.base;
    b.problem.tool = b.tool;
    solve(&b);
    cr_assert(eq(sz, b.found.n_active, (size_t)JOINTS));
    for (size_t a = 0; a < JOINTS; a++) {
        cr_assert(fabs(b.found.estimate[a].value - b.zero[b.found.list[a].index]) <= 1e-10);
    }
    close_bench(&b);
}

/* Zeros that one pose separates: Gram-Schmidt on differences of the measured position over its
 * deviation and of the rotation over its own; those with more than 1e-6 of their length left. */
static size_t separated(tq_kinematic *k, tq_kinematic_state *x, const double *q,
                        const double sigma[2], bool ret_is_separated[JOINTS])
{
    static const double h = 1e-4; /* rad; central differences of positions: h^2 / 6 of them */
    double column[JOINTS][6];
    size_t n = 0;
    for (size_t j = 0; j < JOINTS; j++) {
        tq_pose at[2];
        for (unsigned s = 0; s < 2; s++) {
            x->zero[j] += s == 0 ? h : -2 * h;
            tq_kinematic_walk(k, q, x);
            at[s] = tq_pose_multiply(&x->base, &k->tip);
        }
        x->zero[j] += h;
        double turn[9], w[3];
        tq_mat_tproduct(at[1].r, at[0].r, turn);
        tq_rotation_log(turn, w);
        for (unsigned i = 0; i < 3; i++) {
            column[j][i] = (at[0].p[i] - at[1].p[i]) / (2 * h * sigma[0]);
            column[j][3 + i] = w[i] / (2 * h * sigma[1]);
        }
        double length = 0, left = 0;
        for (unsigned i = 0; i < 6; i++) {
            length += column[j][i] * column[j][i];
        }
        for (unsigned twice = 0; twice < 2; twice++) {
            for (size_t c = 0; c < j; c++) {
                double dot = 0;
                for (unsigned i = 0; ret_is_separated[c] && i < 6; i++) {
                    dot += column[j][i] * column[c][i];
                }
                for (unsigned i = 0; ret_is_separated[c] && i < 6; i++) {
                    column[j][i] -= dot * column[c][i];
                }
            }
        }
        for (unsigned i = 0; i < 6; i++) {
            left += column[j][i] * column[j][i];
        }
        ret_is_separated[j] = sqrt(left / length) > 1e-6;
        n += ret_is_separated[j];
        for (unsigned i = 0; i < 6; i++) {
            column[j][i] /= sqrt(left);
        }
    }
    return n;
}

/* One pose has three numbers of position and three of rotation: all five zeros by both, three by
 * those alone that are 1e9 times as certain as the others. Random poses separate all. */
Test(kinematic_solve, positions_and_rotations_count_by_their_own_deviations)
{
    static const double sigmas[3][2] = {{1e-3, 1e-3}, {1.0, 1e-9}, {1e-9, 1.0}};
    bench b;
    open_bench(&b, 3, TQ_KINEMATIC_POSES, false);
    measure(&b, 3);
    b.problem.knows_base = b.problem.knows_tool = true;
    b.problem.base = b.base;
    b.problem.tool = b.tool;
    for (size_t i = JOINTS; i < POSES * JOINTS; i++) {
        b.q[i] = b.q[i % JOINTS];
    }
    tq_kinematic k;
    tq_kinematic_state x = truth_of(&b, &k);
    cr_assert(eq(sz, k.n, (size_t)JOINTS));
    for (size_t s = 0; s < sizeof sigmas / sizeof sigmas[0]; s++) {
        tq_kinematic_estimate estimate[JOINTS];
        double part[JOINTS * JOINTS];
        bool is_separated[JOINTS] = {false};
        cr_assert(eq(sz, separated(&k, &x, b.q, sigmas[s], is_separated), s == 0 ? JOINTS : 3));
        cr_assert(eq(int, tq_kinematic_rank(&k, &x, sigmas[s], estimate, part, NULL), TQ_OK));
        for (size_t c = 0; c < JOINTS; c++) {
            cr_assert(eq(int, estimate[c].role,
                         is_separated[c] ? TQ_KINEMATIC_ESTIMATED : TQ_KINEMATIC_NO_POSE),
                      "%zu: zero %zu", s, c);
        }
    }
    close_bench(&b);
}

Test(kinematic_solve, a_touched_plane_finds_zeros)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bench b;
        open_bench(&b, seed, TQ_KINEMATIC_PLANES, false);
        measure(&b, seed);
        solve(&b);
        cr_assert(b.found.after.position_rms <= 1e-10, "%g m", b.found.after.position_rms);
        for (size_t c = 0; c < b.found.n; c++) {
            const tq_kinematic_parameter *p = &b.found.list[c];
            const tq_kinematic_estimate *e = &b.found.estimate[c];
            if (p->part == TQ_KINEMATIC_ZERO && e->role == TQ_KINEMATIC_ESTIMATED) {
                cr_assert(fabs(e->value - b.zero[p->index]) <= 1e-9,
                          "arm %llu joint %u: %g, not %g", (unsigned long long)seed, p->index,
                          e->value, b.zero[p->index]);
            }
        }
        close_bench(&b);
    }
}

/* a joint that no pose moves, and a pose with a wrong number */
Test(kinematic_solve, a_joint_at_rest_and_an_outlier_are_named)
{
    bench b;
    static const uint32_t poses[] = {0, 17, POSES - 1};
    static const double sizes[] = {0.5, 0.02, 0.5};
    for (size_t i = 0; i < sizeof poses / sizeof poses[0]; i++) {
        open_bench(&b, 4, TQ_KINEMATIC_POINTS, false);
        measure(&b, 4);
        b.position[3 * poses[i] + 1] += sizes[i];
        solve(&b);
        cr_assert(eq(sz, b.found.n_outlier, (size_t)1));
        cr_assert(eq(u32, b.found.outlier[0], poses[i]));
        cr_assert(eq(int, b.found.verdict, TQ_KINEMATIC_INCOMPLETE));
        tq_scratch_rewind(&b.scratch, 0);
        b.problem.is_robust = true;
        solve(&b);
        cr_assert(off_elsewhere(&b) <= 1e-10);
        cr_assert(eq(int, b.found.verdict, TQ_KINEMATIC_USABLE));
        close_bench(&b);
    }

    open_bench(&b, 4, TQ_KINEMATIC_POINTS, false);
    measure(&b, 4);
    tq_kinematic k;
    tq_kinematic_state x = truth_of(&b, &k);
    for (size_t i = 0; i < POSES; i++) { /* joint 3 at rest: its zero is a part of others */
        b.q[i * JOINTS + 3] = 0.3;
        tq_kinematic_walk(&k, b.q + i * JOINTS, &x);
        const tq_pose pose = tq_pose_multiply(&x.base, &k.tip);
        memcpy(b.position + 3 * i, pose.p, sizeof pose.p);
    }
    tq_scratch_rewind(&b.scratch, 0);
    b.problem.with_frames = true;
    solve(&b);
    cr_assert(eq(int, b.found.verdict, TQ_KINEMATIC_INSUFFICIENT));
    cr_assert(eq(int, b.found.reasons[0].kind, TQ_KINEMATIC_REASON_NO_POSE));
    cr_assert(b.found.after.position_rms <= 1e-10);
    close_bench(&b);
}

/* One of five poses is off by ten times the noise, the first by 500 of these. Together they would
 * hide each other: k of n equal residuals have at most n / k times the mean square. */
Test(kinematic_solve, a_group_of_outliers_is_found_beside_a_far_one)
{
    static const double noise = 1e-4, off = 1e-3; /* m */
    enum { EACH = 5 };
    bench b;
    tqt_random r = tqt_random_seed(77);
    open_bench(&b, 4, TQ_KINEMATIC_POINTS, false);
    measure(&b, 4);
    for (size_t i = 0; i < POSES; i++) {
        double way[3], square = 0.0;
        for (size_t c = 0; c < 3; c++) {
            b.position[3 * i + c] += tqt_random_uniform(&r, -noise, noise);
            way[c] = tqt_random_uniform(&r, -1, 1);
            square += way[c] * way[c];
        }
        for (size_t c = 0; i % EACH == 0 && c < 3; c++) {
            b.position[3 * i + c] += (i == 0 ? 500.0 : 1.0) * off * way[c] / sqrt(square);
        }
    }
    solve(&b);
    cr_assert(eq(sz, b.found.n_outlier, (size_t)(POSES / EACH)));
    cr_assert(eq(u32, b.found.outlier[0], 0)); /* the worst first */
    for (size_t i = 0; i < b.found.n_outlier; i++) {
        cr_assert(eq(u32, b.found.outlier[i] % EACH, 0));
    }
    close_bench(&b);
}

Test(kinematic_solve, limits_hold)
{
    bench b;
    open_bench(&b, 5, TQ_KINEMATIC_POSES, false);
    measure(&b, 5);
    b.problem.limit[0] = 0.5 * fabs(b.zero[2]);
    solve(&b);
    size_t held = 0;
    for (size_t c = 0; c < b.found.n; c++) {
        if (b.found.list[c].part == TQ_KINEMATIC_ZERO) {
            cr_assert(fabs(b.found.estimate[c].value) <= b.problem.limit[0]);
            held += b.found.estimate[c].is_at_limit;
        }
    }
    cr_assert(gt(sz, held, (size_t)0));
    cr_assert(eq(int, b.found.verdict, TQ_KINEMATIC_INCOMPLETE));
    close_bench(&b);
}

Test(kinematic_solve, what_is_refused)
{
    bench b;
    tq_error error = {0};
    open_bench(&b, 6, TQ_KINEMATIC_POINTS, false);
    measure(&b, 6);
    b.problem.n_pose = 3;
    cr_assert(eq(int, tq_kinematic_solve(&b.problem, &b.scratch, &b.found, &error), TQ_ERR_SHAPE));
    cr_assert(eq(str, (char *)error.what, "poses"));
    cr_assert(gt(dbl, error.value, 3));
    b.problem.n_pose = POSES;
    b.position[5] = NAN;
    tq_scratch_rewind(&b.scratch, 0);
    cr_assert(
        eq(int, tq_kinematic_solve(&b.problem, &b.scratch, &b.found, &error), TQ_ERR_NOT_FINITE));
    cr_assert(eq(sz, error.index, (size_t)1));
    b.problem.link = b.model->root;
    tq_scratch_rewind(&b.scratch, 0);
    cr_assert(eq(int, tq_kinematic_solve(&b.problem, &b.scratch, &b.found, &error), TQ_ERR_SHAPE));
    cr_assert(eq(str, (char *)error.what, "joint"));
    close_bench(&b);
}
