/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/ensemble/test_ensemble.c - members have the same bits alone and in blocks,
 * also if other members end. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ensemble/ensemble.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { BYTES = 16 << 20, N_MEMBER = 21, STRIDE = 24, N_OUTPUT = 4 };

static const double times[N_OUTPUT] = {0.0, 0.05, 0.08, 0.2};

/* set-up of all tests: a robot with every kind of joint, and constant torques of each member */
typedef struct bench {
    tq_model *model;
    tqt_subject *subject;
    tqt_states s;
    uint32_t rows[2];
    tq_offsets offsets;
    tq_effect effects[2];
    tq_plant plant;
    tq_ensemble ensemble;
    void *memory;
    size_t n_row;
} bench;

static bench *open_bench(uint64_t seed, tq_fixed_method method)
{
    bench *b = calloc(1, sizeof *b);
    b->model = tqt_random_robot(
        seed, (tqt_robot_options){.n_joint = 4, .kinds = TQT_KINDS_ALL, .with = 0});
    b->subject = tqt_subject_new(b->model, 0);
    b->s = tqt_random_states(seed, b->model, N_MEMBER);
    b->rows[1] = b->model->nv - 1;
    b->offsets = (tq_offsets){.n = b->model->nv > 1 ? 2 : 1, .rows = b->rows};
    b->effects[0] = tq_offsets_effect(&b->offsets);
    b->plant = (tq_plant){.mechanism = b->subject->mechanism, .effects = b->effects, .n_effect = 1};
    b->ensemble = (tq_ensemble){
        .plant = &b->plant, .method = method, .step = 1e-2, .n_output = N_OUTPUT, .times = times};
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

/* members `first` to `first + n` in a block of the given stride; returns the rows */
static double *run_members(const bench *b, size_t first, size_t n, size_t stride, double *ended,
                           tq_status want)
{
    const size_t nq = b->model->nq, nv = b->model->nv;
    double *q = tqt_doubles(nq * stride), *qd = tqt_doubles(nv * stride);
    double *z = tqt_doubles(4 * stride), *rows = tqt_doubles(N_OUTPUT * b->n_row * stride);
    for (size_t i = 0; i < stride; i++) {
        const size_t k = first + (i < n ? i : n - 1);
        for (size_t r = 0; r < nq; r++) {
            q[r * stride + i] = b->s.q[r * b->s.stride + k];
        }
        for (size_t r = 0; r < nv; r++) {
            qd[r * stride + i] = b->s.qd[r * b->s.stride + k];
        }
        z[i] = 0.1 * (double)k;
        z[stride + i] = -0.2 * (double)k;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, b->memory, BYTES);
    double why[STRIDE];
    const tq_members members = {.n_member = n,
                                .stride = stride,
                                .q = q,
                                .qd = qd,
                                .z = z,
                                .ret_rows = rows,
                                .ret_ended = ended,
                                .ret_end = why};
    cr_assert(eq(int, tq_ensemble_run(&b->ensemble, &members, &scratch, NULL), want));
    cr_assert(eq(sz, scratch.used, 0));
    free(q);
    free(qd);
    free(z);
    return rows;
}

static void same_member(const bench *b, const double *one, size_t i, size_t stride,
                        const double *other, size_t k, size_t other_stride)
{
    for (size_t r = 0; r < N_OUTPUT * b->n_row; r++) {
        const double *x = &one[r * stride + i], *y = &other[r * other_stride + k];
        cr_assert(memcmp(x, y, sizeof *x) == 0, "row %zu: %.17g %.17g", r, *x, *y);
    }
}

Test(ensemble, a_member_has_the_same_bits_alone)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bench *b = open_bench(seed, seed % 2 == 0 ? TQ_FIXED_SEMI_IMPLICIT : TQ_FIXED_RK4);
        double ended[STRIDE], alone[8];
        double *all = run_members(b, 0, N_MEMBER, STRIDE, ended, TQ_OK);
        for (size_t k = 0; k < N_MEMBER; k += 5) {
            double *one = run_members(b, k, 1, 8, alone, TQ_OK);
            same_member(b, one, 0, 8, all, k, STRIDE);
            cr_expect(isinf(alone[0]) && isinf(ended[k]));
            free(one);
        }
        free(all);
        close_bench(b);
    }
}

/* outputs equal those of a single run with fixed steps */
Test(ensemble, outputs_are_those_of_single_steps)
{
    bench *b = open_bench(3, TQ_FIXED_RK4);
    double ended[8];
    double *rows = run_members(b, 4, 1, 8, ended, TQ_OK);
    double *q = tqt_doubles(b->model->nq * 8), *qd = tqt_doubles(b->model->nv * 8), z[16];
    for (size_t r = 0; r < b->n_row; r++) {
        double *to = r < b->model->nq ? q + r * 8 : qd + (r - b->model->nq) * 8;
        for (size_t i = 0; i < 8; i++) {
            to[i] = rows[r * 8];
        }
    }
    for (size_t i = 0; i < 8; i++) {
        z[i] = 0.1 * 4.0;
        z[8 + i] = -0.2 * 4.0;
    }
    const tq_trajectories state = {.n_sample = 1, .stride = 8, .q = q, .qd = qd, .z = z};
    tq_scratch scratch;
    tq_scratch_init(&scratch, b->memory, BYTES);
    const int steps[N_OUTPUT] = {0, 5, 3, 12};
    for (size_t k = 1; k < N_OUTPUT; k++) {
        double t = times[k - 1];
        for (int i = steps[k]; i > 0; i--) {
            const double h = (times[k] - t) / i;
            cr_assert(eq(int, tq_fixed_step(&b->plant, TQ_FIXED_RK4, t, h, &state, &scratch, NULL),
                         TQ_OK));
            t += h;
        }
        for (size_t r = 0; r < b->n_row; r++) {
            const double want = r < b->model->nq ? q[r * 8] : qd[(r - b->model->nq) * 8];
            cr_assert(eq(dbl, rows[(k * b->n_row + r) * 8], want));
        }
    }
    free(rows);
    free(q);
    free(qd);
    close_bench(b);
}

Test(ensemble, a_member_that_runs_away_leaves_the_others_alone)
{
    bench *b = open_bench(2, TQ_FIXED_RK4);
    double ended[STRIDE], again[STRIDE];
    double *good = run_members(b, 0, N_MEMBER, STRIDE, ended, TQ_OK);
    b->s.qd[(b->model->nv - 1) * b->s.stride + 6] = 2e6;
    b->s.qd[(b->model->nv - 1) * b->s.stride + 11] = 1e200; /* overflows in the first stage */
    double *rows = run_members(b, 0, N_MEMBER, STRIDE, again, TQ_OK);
    for (size_t k = 0; k < N_MEMBER; k++) {
        if (k == 6 || k == 11) {
            cr_expect(again[k] <= 0.01, "%zu: %g", k, again[k]);
            cr_expect(isnan(rows[b->n_row * STRIDE + k]) && !isnan(rows[k]));
        } else {
            same_member(b, rows, k, STRIDE, good, k, STRIDE);
            cr_expect(isinf(again[k]));
        }
    }
    free(good);
    free(rows);
    close_bench(b);
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

Test(ensemble, a_failing_member_ends_alone)
{
    bench *b = open_bench(2, TQ_FIXED_RK4);
    double ended[STRIDE], again[STRIDE];
    double *good = run_members(b, 0, N_MEMBER, STRIDE, ended, TQ_OK);
    b->effects[0].act = misname;
    double *rows = run_members(b, 0, N_MEMBER, STRIDE, again, TQ_OK);
    for (size_t k = 0; k < N_MEMBER; k++) {
        cr_expect(eq(int, !isinf(again[k]), k == 7), "%zu: %g", k, again[k]);
        if (k != 7) {
            same_member(b, rows, k, STRIDE, good, k, STRIDE);
        }
    }
    free(good);
    free(rows);
    close_bench(b);
}

static int at_once(void *ctx)
{
    (void)ctx;
    return 1;
}

Test(ensemble, stops_on_request)
{
    bench *b = open_bench(1, TQ_FIXED_RK4);
    double ended[STRIDE];
    b->ensemble.stopped = at_once;
    b->ensemble.step = 1e-5;
    free(run_members(b, 0, 8, 8, ended, TQ_ERR_NO_CONVERGENCE));
    close_bench(b);
}

/* its held value is the time, sampled every 0.03 s */
static tq_status hold_time(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_held,
                           tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    for (size_t i = 0; i < at->n_sample; i++) {
        ret_held[i] = at->t;
    }
    return TQ_OK;
}

static tq_status grow(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                      tq_error *reterr)
{
    (void)ctx, (void)scratch, (void)reterr;
    for (size_t i = 0; i < at->n_sample; i++) {
        to->zd[i] = at->held[i];
    }
    return TQ_OK;
}

Test(ensemble, samples_are_taken_on_time)
{
    bench *b = open_bench(2, TQ_FIXED_RK4);
    double ended[8], z[3 * 8] = {0};
    b->effects[1] =
        (tq_effect){.n_z = 1, .n_held = 1, .sample_time = 0.03, .sample = hold_time, .act = grow};
    b->plant.n_effect = 2;
    double *q = tqt_doubles(b->model->nq * 8), *qd = tqt_doubles(b->model->nv * 8);
    double *held = tqt_doubles(8), *rows = tqt_doubles(N_OUTPUT * b->n_row * 8);
    for (size_t r = 0; r < b->model->nq * 8; r++) {
        q[r] = b->s.q[r / 8 * b->s.stride];
    }
    for (size_t r = 0; r < b->model->nv * 8; r++) {
        qd[r] = b->s.qd[r / 8 * b->s.stride];
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, b->memory, BYTES);
    double why[STRIDE];
    const tq_members members = {.n_member = 1,
                                .stride = 8,
                                .q = q,
                                .qd = qd,
                                .z = z,
                                .held = held,
                                .ret_rows = rows,
                                .ret_ended = ended,
                                .ret_end = why};
    cr_assert(eq(int, tq_ensemble_run(&b->ensemble, &members, &scratch, NULL), TQ_OK));
    /* 0.03 (0.03 + 0.06 + ... + 0.15) + 0.02 0.18 */
    cr_expect(fabs(z[16] - (0.03 * 0.45 + 0.02 * 0.18)) < 1e-15, "%.17g", z[16]);
    free(q);
    free(qd);
    free(held);
    free(rows);
    close_bench(b);
}

/* torque of the last joint from the held value */
static tq_status push(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                      tq_error *reterr)
{
    (void)scratch, (void)reterr;
    const size_t row = *(const size_t *)ctx;
    for (size_t i = 0; i < at->n_sample; i++) {
        to->tau[row * at->stride + i] += at->held[i];
    }
    return TQ_OK;
}

/* a single run to the same outputs, from member 0's start */
static void run_single(const bench *b, const tq_run_options *options, double *ret_rows)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, b->memory, BYTES);
    tq_run *run = NULL;
    double q[32], qd[32];
    for (size_t r = 0; r < b->model->nq; r++) {
        q[r] = b->s.q[r * b->s.stride];
    }
    for (size_t r = 0; r < b->model->nv; r++) {
        qd[r] = b->s.qd[r * b->s.stride];
    }
    cr_assert(eq(int, tq_run_open(&b->plant, options, &scratch, &run, NULL), TQ_OK));
    cr_assert(eq(int, tq_run_start(run, 0.0, q, qd, NULL), TQ_OK));
    for (size_t k = 0; k < b->ensemble.n_output; k++) {
        cr_assert(tq_run_to(run, b->ensemble.times[k], 0), "end %d at %g s", (int)run->end, run->t);
        for (size_t r = 0; r < b->n_row; r++) {
            const tq_trajectories *at = run->state;
            ret_rows[k * b->n_row + r] =
                r < b->model->nq ? at->q[r * at->stride] : at->qd[(r - b->model->nq) * at->stride];
        }
    }
    tq_run_close(run);
}

/* Outputs, samples and steps that coincide, nearly coincide or do not: 3 * 0.1 is not 0.3, and 0.07
 * / 0.01 is slightly more than seven. */
Test(ensemble, a_member_has_the_bits_of_a_run)
{
    enum { OUTPUTS = 13, CASES = 7 };
    static const struct {
        double interval, sample_time, step;
    } rows[CASES] = {{0.1, 0.3, 0.02},   {0.03, 0.01, 0.01}, {0.1, 0.07, 0.03},
                     {0.01, 0.003, 0.1}, {0.07, 0.01, 1e-3}, {0.05, 0.05, 0.0167},
                     {0.07, 0.07, 0.01}};
    double outputs[OUTPUTS];
    for (size_t k = 0; k < 2 * CASES; k++) {
        const tq_fixed_method method = k % 2 == 0 ? TQ_FIXED_RK4 : TQ_FIXED_SEMI_IMPLICIT;
        bench *b = open_bench(1 + k, method);
        size_t row = b->model->nv - 1;
        b->effects[0] = (tq_effect){.ctx = &row,
                                    .n_held = 1,
                                    .sample_time = rows[k / 2].sample_time,
                                    .sample = hold_time,
                                    .act = push};
        for (size_t i = 0; i < OUTPUTS; i++) {
            outputs[i] = (double)i * rows[k / 2].interval;
        }
        b->ensemble.times = outputs;
        b->ensemble.n_output = OUTPUTS;
        b->ensemble.step = rows[k / 2].step;
        double *single = tqt_doubles(OUTPUTS * b->n_row),
               *many = tqt_doubles(OUTPUTS * b->n_row * 8);
        double *q = tqt_doubles(b->model->nq * 8), *qd = tqt_doubles(b->model->nv * 8);
        double held[8] = {0}, ended[8], why[8];
        const tq_run_options options = {.method = method == TQ_FIXED_RK4 ? TQ_RUN_RK4
                                                                         : TQ_RUN_SEMI_IMPLICIT,
                                        .step = rows[k / 2].step,
                                        .end = outputs[OUTPUTS - 1]};
        run_single(b, &options, single);
        for (size_t r = 0; r < b->n_row * 8; r++) {
            const size_t row_of = r / 8;
            *(row_of < b->model->nq ? &q[r] : &qd[r - b->model->nq * 8]) =
                row_of < b->model->nq ? b->s.q[row_of * b->s.stride]
                                      : b->s.qd[(row_of - b->model->nq) * b->s.stride];
        }
        const tq_members members = {.n_member = 1,
                                    .stride = 8,
                                    .q = q,
                                    .qd = qd,
                                    .held = held,
                                    .ret_rows = many,
                                    .ret_ended = ended,
                                    .ret_end = why};
        tq_scratch scratch;
        tq_scratch_init(&scratch, b->memory, BYTES);
        cr_assert(eq(int, tq_ensemble_run(&b->ensemble, &members, &scratch, NULL), TQ_OK));
        for (size_t i = 0; i < OUTPUTS * b->n_row; i++) {
            cr_assert(memcmp(&single[i], &many[i * 8], sizeof *single) == 0,
                      "case %zu, output %zu: %.17g %.17g", k, i / b->n_row, single[i], many[i * 8]);
        }
        free(single);
        free(many);
        free(q);
        free(qd);
        close_bench(b);
    }
}
