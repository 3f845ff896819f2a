/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/kinematic/test_kinematic_rows.c - derivatives of measured poses by
 * screws against finite differences, for random chains with mimic joints and errors that are not
 * small. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"
#include "core/identify/kinematic/rotation.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

enum { POSES = 8, PLANES = 2, ROBOTS = 20, MEMORY = 1 << 24 };
static const double h = 1e-6;
/* h^2 of the third derivatives (below 100), and rounding of residuals below 10 over h */
static const double within = 1e-8;

typedef struct bench {
    tq_model *model;
    tq_kinematic_problem problem;
    tq_scratch scratch;
    void *memory;
    double *q, position[3 * POSES], quaternion[4 * POSES];
    uint32_t plane[POSES];
    tq_kinematic k;
    tq_kinematic_state x;
} bench;

static tq_pose random_pose(tqt_random *r, double turn)
{
    tq_pose ret;
    double v[3];
    for (unsigned i = 0; i < 3; i++) {
        v[i] = tqt_random_uniform(r, -turn, turn);
        ret.p[i] = tqt_random_uniform(r, -1, 1);
    }
    tq_rotation_exp(v, ret.r);
    return ret;
}

static void open_bench(bench *b, uint64_t seed, tq_kinematic_kind kind)
{
    tqt_random r = tqt_random_seed(seed);
    memset(b, 0, sizeof *b);
    b->model =
        tqt_random_robot(seed, (tqt_robot_options){.n_joint = 2 + seed % 7,
                                                   .kinds = TQT_KINDS_ALL,
                                                   .with = TQT_WITH_MIMIC | TQT_WITH_SPECIAL});
    b->memory = aligned_alloc(64, MEMORY);
    tq_scratch_init(&b->scratch, b->memory, MEMORY);
    const tqt_states states = tqt_random_states(seed, b->model, POSES);
    b->q = tqt_doubles(POSES * b->model->nq);
    for (size_t i = 0; i < POSES; i++) {
        tqt_sample(states.q, b->model->nq, states.stride, i, b->q + i * b->model->nq);
        const tq_pose pose = random_pose(&r, 1);
        memcpy(b->position + 3 * i, pose.p, sizeof pose.p);
        tq_quaternion_of_mat(pose.r, b->quaternion + 4 * i);
        b->plane[i] = i % PLANES;
    }
    tqt_states_free((tqt_states *)&states);
    const bool has_planes = kind == TQ_KINEMATIC_PLANES;
    b->problem =
        (tq_kinematic_problem){.model = b->model,
                               .link = b->model->joints[b->model->n_joint - 1].child,
                               .kind = kind,
                               .n_pose = POSES,
                               .q = b->q,
                               .position = has_planes ? NULL : b->position,
                               .quaternion = kind == TQ_KINEMATIC_POSES ? b->quaternion : NULL,
                               .plane = has_planes ? b->plane : NULL,
                               .n_plane = has_planes ? PLANES : 0,
                               .with_frames = true,
                               .tool = random_pose(&r, 1),
                               .limit = {INFINITY, INFINITY, INFINITY}};
    cr_assert(eq(int, tq_kinematic_begin(&b->problem, &b->scratch, &b->k, NULL), TQ_OK));
    cr_assert(eq(int, tq_kinematic_state_new(&b->k, &b->x, NULL), TQ_OK));
    b->x.base = random_pose(&r, 1);
    for (size_t p = 0; p < b->problem.n_plane; p++) {
        tqt_random_unit(&r, 3, b->x.plane + 4 * p);
        b->x.plane[4 * p + 3] = tqt_random_uniform(&r, -1, 1);
    }
    for (size_t j = 0; j < b->model->n_joint; j++) {
        for (unsigned i = 0; i < 6; i++) { /* turns on both sides of the series' end */
            b->x.frame[6 * j + i] = tqt_random_uniform(&r, -1, 1) * (j % 2 == 0 ? 0.05 : 0.8);
        }
        b->x.zero[j] = tqt_random_uniform(&r, -0.5, 0.5);
    }
}

static void close_bench(bench *b)
{
    free(b->memory);
    free(b->q);
    tqt_model_free(b->model);
}

static void residual(bench *b, uint32_t column, double by, size_t i, double *ret)
{
    const size_t mark = tq_scratch_mark(&b->scratch);
    tq_kinematic_state moved;
    cr_assert(eq(int, tq_kinematic_state_new(&b->k, &moved, NULL), TQ_OK));
    tq_kinematic_copy(&b->k, &b->x, &moved);
    tq_kinematic_move(&b->k, &column, 1, &by, &moved);
    tq_kinematic_walk(&b->k, b->q + i * b->model->nq, &moved);
    tq_kinematic_rows(&b->k, &moved, i, ret, NULL);
    tq_scratch_rewind(&b->scratch, mark);
}

static void compare(tq_kinematic_kind kind)
{
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= ROBOTS; seed++) {
        bench b;
        open_bench(&b, seed, kind);
        const size_t n = b.k.n, m = b.k.m;
        double *rows = tqt_doubles(m * n);
        for (size_t i = 0; i < POSES; i++) {
            double e[6], up[6], down[6];
            tq_kinematic_walk(&b.k, b.q + i * b.model->nq, &b.x);
            tq_kinematic_rows(&b.k, &b.x, i, e, rows);
            if (m == 6 && e[3] * e[3] + e[4] * e[4] + e[5] * e[5] > 9) {
                continue; /* the rotation vector jumps at pi */
            }
            for (uint32_t c = 0; c < n; c++) {
                residual(&b, c, h, i, up);
                residual(&b, c, -h, i, down);
                for (size_t r = 0; r < m; r++) {
                    const double slope = (up[r] - down[r]) / (2 * h);
                    cr_assert(fabs(slope - rows[r * n + c]) <= within * fmax(1, fabs(slope)) * 10,
                              "robot %llu pose %zu row %zu column %u (part %d axis %u): %.12g, not "
                              "%.12g",
                              (unsigned long long)seed, i, r, c, (int)b.k.list[c].part,
                              b.k.list[c].axis, rows[r * n + c], slope);
                    compared++;
                }
            }
        }
        free(rows);
        close_bench(&b);
    }
    cr_assert(gt(sz, compared, (size_t)ROBOTS * POSES * 5));
}

Test(kinematic_rows, poses)
{
    compare(TQ_KINEMATIC_POSES);
}

Test(kinematic_rows, points)
{
    compare(TQ_KINEMATIC_POINTS);
}

Test(kinematic_rows, planes)
{
    compare(TQ_KINEMATIC_PLANES);
}

/* the origins of the calibrated model move the tip as the errors do, for every sensor value */
Test(kinematic_rows, origins_have_the_errors)
{
    for (uint64_t seed = 1; seed <= ROBOTS; seed++) {
        bench b;
        open_bench(&b, seed, TQ_KINEMATIC_POSES);
        for (size_t j = 0; j < b.model->n_joint; j++) { /* those that are no unknowns */
            bool has_zero = false, has_frame = false;
            for (size_t c = 0; c < b.k.n; c++) {
                has_zero =
                    has_zero || (b.k.list[c].part == TQ_KINEMATIC_ZERO && b.k.list[c].index == j);
                has_frame =
                    has_frame || (b.k.list[c].part == TQ_KINEMATIC_FRAME && b.k.list[c].index == j);
            }
            b.x.zero[j] = has_zero ? b.x.zero[j] : 0;
            for (unsigned i = 0; i < 6 && !has_frame; i++) {
                b.x.frame[6 * j + i] = 0;
            }
        }
        for (size_t i = 0; i < POSES; i++) {
            double *frame = b.x.frame, *zero = b.x.zero;
            tq_pose origins[64], errors;
            tq_kinematic_walk(&b.k, b.q + i * b.model->nq, &b.x);
            errors = b.k.tip;
            for (uint32_t j = 0; j < b.model->n_joint; j++) {
                origins[j] = b.model->joints[j].origin;
            }
            for (uint32_t j = 0; j < b.model->n_joint; j++) {
                b.model->joints[j].origin = tq_kinematic_origin(b.model, &b.x, j);
            }
            b.x.frame = tqt_doubles(6 * b.model->n_joint);
            b.x.zero = tqt_doubles(b.model->n_joint);
            tq_kinematic_walk(&b.k, b.q + i * b.model->nq, &b.x);
            for (unsigned c = 0; c < 12; c++) {
                const double got = c < 3 ? b.k.tip.p[c] : b.k.tip.r[c - 3];
                const double want = c < 3 ? errors.p[c] : errors.r[c - 3];
                cr_assert(fabs(got - want) <= 1e-12, "robot %llu: %.17g, not %.17g",
                          (unsigned long long)seed, got, want);
            }
            free(b.x.frame);
            free(b.x.zero);
            b.x.frame = frame, b.x.zero = zero;
            for (uint32_t j = 0; j < b.model->n_joint; j++) {
                b.model->joints[j].origin = origins[j];
            }
        }
        close_bench(&b);
    }
}

Test(kinematic_rows, rotation_vectors)
{
    tqt_random r = tqt_random_seed(5);
    for (unsigned n = 0; n < 2000; n++) {
        const double size = n % 4 == 0 ? 1e-7 : n % 4 == 1 ? 0.25 : n % 4 == 2 ? 0.35 : 3.1;
        double v[3], back[3], matrix[9], left[9], inverse[9], unit[9];
        tqt_random_unit(&r, 3, v);
        for (unsigned i = 0; i < 3; i++) {
            v[i] *= size;
        }
        tq_rotation_exp(v, matrix);
        tq_rotation_log(matrix, back);
        tq_rotation_left(v, left);
        tq_rotation_left_inverse(v, inverse);
        tq_mat_product(left, inverse, unit);
        for (unsigned i = 0; i < 3; i++) {
            cr_assert(fabs(back[i] - v[i]) <= 1e-13 * 10, "%.17g, not %.17g", back[i], v[i]);
            double dv[3] = {0}, up[9], down[9], rate[9], turn[9];
            dv[i] = h;
            double plus[3], minus[3];
            for (unsigned k = 0; k < 3; k++) {
                plus[k] = v[k] + dv[k], minus[k] = v[k] - dv[k];
            }
            tq_rotation_exp(plus, up);
            tq_rotation_exp(minus, down);
            for (unsigned k = 0; k < 9; k++) {
                rate[k] = (up[k] - down[k]) / (2 * h);
            }
            const double t[9] = {matrix[0], matrix[3], matrix[6], matrix[1], matrix[4],
                                 matrix[7], matrix[2], matrix[5], matrix[8]};
            tq_mat_product(rate, t, turn); /* [J e_i] */
            const double want[3] = {turn[7], turn[2], turn[3]};
            for (unsigned k = 0; k < 3; k++) {
                cr_assert(fabs(left[3 * k + i] - want[k]) <= 1e-9,
                          "J[%u][%u] at %g: %.12g, not "
                          "%.12g",
                          k, i, size, left[3 * k + i], want[k]);
            }
        }
        for (unsigned k = 0; k < 9; k++) {
            cr_assert(fabs(unit[k] - (k % 4 == 0)) <= 1e-13 * 10);
        }
    }
}
