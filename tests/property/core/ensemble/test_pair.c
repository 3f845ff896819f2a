/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/ensemble/test_pair.c - members with adaptive steps of their own: the same
 * bits alone and in blocks, within the tolerance of single runs, also if other members end. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ensemble/ensemble.h"
#include "core/lanes/build.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { BYTES = 32 << 20, N_MEMBER = 21, STRIDE = 24, LANE = 8, N_OUTPUT = 4 };

static const double times[N_OUTPUT] = {0.0, 0.05, 0.08, 0.2};

/* a torque that depends on time, jumps at 0.07 s, and has a part sampled every 0.03 s */
static tq_status swing(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                       tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    const double push = sin(20.0 * at->t) + (at->t < 0.07 ? 0.0 : 2.0);
    for (size_t i = 0; i < at->n_sample; i++) {
        to->tau[i] += push + at->held[i];
        to->zd[i] = at->t + at->held[i];
    }
    return TQ_OK;
}

static tq_status hold(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_held,
                      tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    for (size_t i = 0; i < at->n_sample; i++) {
        ret_held[i] = at->t - 0.1 * at->qd[i];
    }
    return TQ_OK;
}

static double jump(void *ctx, double t, unsigned *ret_order)
{
    (void)ctx;
    *ret_order = 0;
    return t < 0.07 ? 0.07 : (double)INFINITY;
}

/* set-up of all tests: a robot with every kind of joint, and constant torques of each member */
typedef struct bench {
    tq_model *model;
    tqt_subject *subject;
    tqt_states s;
    uint32_t rows[1];
    tq_offsets offsets;
    tq_effect effects[2];
    tq_plant plant;
    tq_ensemble ensemble;
    void *memory;
    size_t n_row;
} bench;

static bench *open_bench(uint64_t seed, const tq_pair *pair)
{
    bench *b = calloc(1, sizeof *b);
    b->model = tqt_random_robot(
        seed, (tqt_robot_options){.n_joint = 4, .kinds = TQT_KINDS_ALL, .with = 0});
    b->subject = tqt_subject_new(b->model, 0);
    b->s = tqt_random_states(seed, b->model, N_MEMBER);
    b->rows[0] = b->model->nv - 1;
    b->offsets = (tq_offsets){.n = 1, .rows = b->rows};
    b->effects[0] = tq_offsets_effect(&b->offsets);
    b->effects[1] = (tq_effect){.n_z = 1,
                                .n_held = 1,
                                .sample_time = 0.03,
                                .act = swing,
                                .sample = hold,
                                .next_break = jump};
    b->plant = (tq_plant){.mechanism = b->subject->mechanism, .effects = b->effects, .n_effect = 2};
    b->ensemble = (tq_ensemble){.plant = &b->plant,
                                .pair = pair,
                                .rtol = 1e-7,
                                .atol = 1e-8,
                                .n_output = N_OUTPUT,
                                .times = times};
    b->memory = aligned_alloc(64, BYTES);
    b->n_row = b->model->nq + b->model->nv;
    return b;
}

static void close_bench(bench *b)
{
    tqt_subject_free(b->subject);
    tqt_states_free(&b->s);
    tqt_model_free(b->model);
    free(b->memory);
    free(b);
}

typedef struct run_result {
    double *rows;
    double ended[STRIDE], end[STRIDE];
} run_result;

/* members `first` to `first + n` in a block of the given stride; returns the rows */
static run_result run_members(const bench *b, size_t first, size_t n, size_t stride, tq_status want)
{
    const size_t nq = b->model->nq, nv = b->model->nv;
    run_result ret = {.rows = tqt_doubles(N_OUTPUT * b->n_row * stride)};
    double *q = tqt_doubles(nq * stride), *qd = tqt_doubles(nv * stride);
    double *z = tqt_doubles(2 * stride), *held = tqt_doubles(stride);
    for (size_t i = 0; i < stride; i++) {
        const size_t k = first + (i < n ? i : n - 1);
        for (size_t r = 0; r < nq; r++) {
            q[r * stride + i] = b->s.q[r * b->s.stride + k];
        }
        for (size_t r = 0; r < nv; r++) {
            qd[r * stride + i] = b->s.qd[r * b->s.stride + k];
        }
        z[i] = 0.1 * (double)k;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, b->memory, BYTES);
    cr_assert(le(sz, tq_ensemble_scratch_size(&b->ensemble, stride), BYTES));
    const tq_members members = {.n_member = n,
                                .stride = stride,
                                .q = q,
                                .qd = qd,
                                .z = z,
                                .held = held,
                                .ret_rows = ret.rows,
                                .ret_ended = ret.ended,
                                .ret_end = ret.end};
    tq_error error = {0};
    const tq_status status = tq_ensemble_run(&b->ensemble, &members, &scratch, &error);
    cr_assert(eq(int, status, want), "%s", error.what);
    cr_assert(eq(sz, scratch.used, 0));
    cr_expect(le(sz, scratch.peak, tq_ensemble_scratch_size(&b->ensemble, stride)));
    free(q);
    free(qd);
    free(z);
    free(held);
    return ret;
}

static void same_member(const bench *b, const run_result *one, size_t i, size_t stride,
                        const run_result *other, size_t k, size_t other_stride)
{
    for (size_t r = 0; r < N_OUTPUT * b->n_row; r++) {
        const double *x = &one->rows[r * stride + i], *y = &other->rows[r * other_stride + k];
        cr_assert(memcmp(x, y, sizeof *x) == 0, "row %zu: %.17g %.17g", r, *x, *y);
    }
}

static const tq_pair *pair_of(uint64_t seed)
{
    return seed % 2 == 0 ? &tq_pair_dopri45 : &tq_pair_dopri87;
}

Test(ensemble_pair, a_member_has_the_same_bits_alone)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bench *b = open_bench(seed, pair_of(seed));
        run_result all = run_members(b, 0, N_MEMBER, STRIDE, TQ_OK);
        for (size_t k = 0; k < N_MEMBER; k += 5) {
            run_result one = run_members(b, k, 1, LANE, TQ_OK);
            same_member(b, &one, 0, LANE, &all, k, STRIDE);
            cr_expect(isinf(one.ended[0]) && isinf(all.ended[k]));
            cr_expect(eq(dbl, all.end[k], TQ_RUN_GOES_ON));
            free(one.rows);
        }
        free(all.rows);
        close_bench(b);
    }
}

/* lanes of any width, with each pair */
Test(ensemble_pair, members_have_the_same_bits_at_every_width)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        bench *b = open_bench(seed, pair_of(seed));
        cr_assert(eq(int, tq_lanes_force(TQ_BUILD_PORTABLE), TQ_OK));
        run_result want = run_members(b, 0, N_MEMBER, STRIDE, TQ_OK);
        for (int build = TQ_BUILD_W1; build < TQ_BUILD_COUNT; build++) {
            if (tq_lanes_force((tq_lanes_build)build) != TQ_OK) {
                continue;
            }
            run_result got = run_members(b, 0, N_MEMBER, STRIDE, TQ_OK);
            for (size_t k = 0; k < N_MEMBER; k++) {
                same_member(b, &got, k, STRIDE, &want, k, STRIDE);
            }
            free(got.rows);
        }
        free(want.rows);
        close_bench(b);
    }
}

/* a single run by SUNDIALS, with a tolerance far below that of the members */
static void compare_with_run(const bench *b, const run_result *all, size_t k, double most)
{
    const tq_run_options options = {
        .method = TQ_RUN_DOPRI87, .rtol = 1e-11, .atol = 1e-12, .end = times[N_OUTPUT - 1]};
    const size_t nq = b->model->nq, nv = b->model->nv;
    double *q = tqt_doubles(nq), *qd = tqt_doubles(nv), z[2] = {0.1 * (double)k, 0.0};
    tq_scratch scratch;
    tq_scratch_init(&scratch, b->memory, BYTES);
    tq_run *run = NULL;
    for (size_t r = 0; r < nq; r++) {
        q[r] = b->s.q[r * b->s.stride + k];
    }
    for (size_t r = 0; r < nv; r++) {
        qd[r] = b->s.qd[r * b->s.stride + k];
    }
    cr_assert(eq(int, tq_run_open(&b->plant, &options, &scratch, &run, NULL), TQ_OK));
    cr_assert(eq(int, tq_run_start(run, 0.0, q, qd, z), TQ_OK));
    for (size_t o = 1; o < N_OUTPUT; o++) {
        cr_assert(tq_run_to(run, times[o], 0));
        for (size_t r = 0; r < b->n_row; r++) {
            const double want = r < nq ? run->state->q[r * LANE] : run->state->qd[(r - nq) * LANE];
            const double got = all->rows[(o * b->n_row + r) * STRIDE + k];
            cr_expect(fabs(got - want) <= most * fmax(1.0, fabs(want)),
                      "member %zu, output %zu, row %zu: %.12g %.12g", k, o, r, got, want);
        }
    }
    tq_run_close(run);
    free(q);
    free(qd);
}

/* errors are within the tolerance; ten times it where the motion amplifies errors */
Test(ensemble_pair, members_are_as_exact_as_they_are_asked_to_be)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        bench *b = open_bench(seed, pair_of(seed));
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
            b->ensemble.rtol = b->ensemble.atol = rtol;
            run_result all = run_members(b, 0, N_MEMBER, STRIDE, TQ_OK);
            for (size_t k = 0; k < N_MEMBER; k += 4) {
                compare_with_run(b, &all, k, 10.0 * rtol);
            }
            free(all.rows);
        }
        close_bench(b);
    }
}

/* an effect that fails for the member with offset 0.7, and names the first member of the block in
 * its error */
static tq_status misname(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                         tq_error *reterr)
{
    for (size_t i = 0; i < at->n_sample; i++) {
        if (fabs(at->z[i] - 0.7) < 0.01) {
            return tq_fail(reterr, TQ_ERR_SINGULAR, "joint.inertia", 0, 0.0);
        }
    }
    return tq_offsets_effect(ctx).act(ctx, at, scratch, to, reterr);
}

Test(ensemble_pair, a_failing_member_ends_alone)
{
    bench *b = open_bench(2, pair_of(2));
    run_result good = run_members(b, 0, N_MEMBER, STRIDE, TQ_OK);
    b->effects[0].act = misname;
    run_result bad = run_members(b, 0, N_MEMBER, STRIDE, TQ_OK);
    for (size_t k = 0; k < N_MEMBER; k++) {
        cr_expect(eq(dbl, bad.end[k], k == 7 ? TQ_RUN_REFUSED : TQ_RUN_GOES_ON), "%zu", k);
        if (k != 7) {
            same_member(b, &bad, k, STRIDE, &good, k, STRIDE);
        }
    }
    free(good.rows);
    free(bad.rows);
    close_bench(b);
}

Test(ensemble_pair, a_member_that_runs_away_leaves_the_others_alone)
{
    bench *b = open_bench(2, &tq_pair_dopri87);
    run_result good = run_members(b, 0, N_MEMBER, STRIDE, TQ_OK);
    b->s.qd[(b->model->nv - 1) * b->s.stride + 6] = 2e6;
    b->s.qd[(b->model->nv - 1) * b->s.stride + 11] = 1e200; /* no acceleration exists */
    run_result rows = run_members(b, 0, N_MEMBER, STRIDE, TQ_OK);
    for (size_t k = 0; k < N_MEMBER; k++) {
        if (k == 6 || k == 11) {
            cr_expect(rows.ended[k] <= 0.01, "%zu: %g", k, rows.ended[k]);
            cr_expect(eq(dbl, rows.end[k], k == 6 ? TQ_RUN_RUNAWAY : TQ_RUN_REFUSED));
            cr_expect(isnan(rows.rows[b->n_row * STRIDE + k]) && isfinite(rows.rows[k]));
        } else {
            same_member(b, &rows, k, STRIDE, &good, k, STRIDE);
            cr_expect(isinf(rows.ended[k]));
        }
    }
    free(good.rows);
    free(rows.rows);
    close_bench(b);
}

/* an effect that fails from 0.1 s on */
static tq_status give_up(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                         tq_error *reterr)
{
    (void)ctx, (void)scratch;
    for (size_t i = 0; i < at->n_sample; i++) {
        to->zd[i] = 0.0;
    }
    return at->t > 0.1 ? tq_fail(reterr, TQ_ERR_RANGE, "t", 0, at->t) : TQ_OK;
}

Test(ensemble_pair, goes_as_far_as_there_are_rates)
{
    bench *b = open_bench(3, &tq_pair_dopri87);
    b->effects[1] = (tq_effect){.n_z = 1, .act = give_up};
    run_result rows = run_members(b, 0, 3, LANE, TQ_OK);
    for (size_t k = 0; k < 3; k++) {
        cr_expect(eq(dbl, rows.end[k], TQ_RUN_REFUSED));
        cr_expect(rows.ended[k] <= 0.1 && rows.ended[k] > 0.1 - 1e-9, "%.17g", rows.ended[k]);
        cr_expect(isfinite(rows.rows[2 * b->n_row * LANE + k]) != 0);
        cr_expect(isnan(rows.rows[3 * b->n_row * LANE + k]) != 0);
    }
    free(rows.rows);
    close_bench(b);
}

static int at_once(void *ctx)
{
    (void)ctx;
    return 1;
}

Test(ensemble_pair, stops_on_request)
{
    bench *b = open_bench(1, &tq_pair_dopri45);
    b->ensemble.stopped = at_once;
    b->ensemble.max_step = 1e-4;
    run_result rows = run_members(b, 0, 8, LANE, TQ_ERR_NO_CONVERGENCE);
    free(rows.rows);
    close_bench(b);
}

Test(ensemble_pair, evaluations_are_bounded)
{
    bench *b = open_bench(1, &tq_pair_dopri45);
    b->ensemble.max_step = 1e-3;
    b->ensemble.max_evaluations = 700; /* 100 steps */
    run_result rows = run_members(b, 0, 8, LANE, TQ_OK);
    for (size_t k = 0; k < 8; k++) {
        cr_expect(eq(dbl, rows.end[k], TQ_RUN_TOO_MUCH));
        cr_expect(rows.ended[k] > 0.05 && rows.ended[k] < 0.102, "%g", rows.ended[k]);
    }
    free(rows.rows);
    close_bench(b);
}
