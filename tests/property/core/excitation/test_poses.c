/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/excitation/test_poses.c - poses chosen by exchange, against all choices of
 * small sets of candidates. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "core/dynamics/regressor/regressor.h"
#include "core/excitation/poses.h"
#include "tests/support/base_set.h"
#include "tests/support/one_call.h"

enum { BYTES = 64 << 20, NV_MAX = 8, N_MAX = 32, CANDIDATES = 11, POSES = 4, SEEDS = 12 };
enum { WITH = TQ_REGRESS_OFFSET };

static const double prior = 1e-8; /* the search's own, of the demand: see poses.c */

typedef struct bench {
    tqa_robot *robot;
    void *memory;
    tq_scratch scratch;
    tq_base_set base;
    double lower[NV_MAX], upper[NV_MAX], velocity[NV_MAX], effort[NV_MAX], noise[NV_MAX];
    tq_poses_task task;
    size_t n, nv;
    double q[CANDIDATES][NV_MAX];
    double gram[CANDIDATES][N_MAX * N_MAX]; /* Y^T Y over noise of each candidate */
    double demand[N_MAX * N_MAX];
} bench;

static void set_up(bench *b, const char *name, uint64_t seed, tq_excitation_criterion criterion)
{
    *b = (bench){.robot = tqt_builtin(name), .memory = aligned_alloc(64, BYTES)};
    const tq_model *model = b->robot->model;
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    const tq_base_options options = {.at_rest = true};
    double *values = tqt_base_set(model, WITH, &options, &b->scratch, &b->base);
    cr_assert(ne(ptr, values, NULL));
    b->n = b->base.n_base;
    b->nv = model->nv;
    cr_assert(b->n <= N_MAX && b->nv <= NV_MAX);
    for (size_t v = 0; v < b->nv; v++) {
        b->lower[v] = -1.5;
        b->upper[v] = 1.0 + 0.2 * (double)v;
        b->velocity[v] = 1.0;
        b->effort[v] = HUGE_VAL;
        b->noise[v] = 0.3 + 0.1 * (double)v;
    }
    b->task = (tq_poses_task){.motion = {.model = model,
                                         .with = WITH,
                                         .base = &b->base,
                                         .values = values,
                                         .gravity = model->gravity,
                                         .lower = b->lower,
                                         .upper = b->upper,
                                         .velocity = b->velocity,
                                         .acceleration = b->effort,
                                         .effort = b->effort,
                                         .noise = b->noise,
                                         .criterion = criterion,
                                         .seed = seed},
                              .n_candidate = CANDIDATES};
}

static void tear_down(bench *b)
{
    tqa_robot_free(b->robot);
    free(b->memory);
}

static tq_poses find(bench *b, size_t n_pose)
{
    tq_poses found;
    b->task.n_pose = n_pose;
    cr_assert(eq(int, tq_poses_find(&b->task, NULL, NULL, &b->scratch, &found, NULL), TQ_OK));
    return found;
}

/* all candidates: as many poses as there are; their regressors sample by sample */
static void find_candidates(bench *b)
{
    const tq_model *model = b->robot->model;
    const size_t n_parameter = tq_parameter_count(model, WITH);
    const tq_poses all = find(b, CANDIDATES);
    double *y = malloc(b->nv * n_parameter * sizeof *y);
    const double still[NV_MAX] = {0};
    memset(b->demand, 0, sizeof b->demand);
    for (size_t i = 0; i < CANDIDATES; i++) {
        memcpy(b->q[i], all.q + i * b->nv, b->nv * sizeof(double));
        const tq_regressor_input in = {.q = b->q[i], .qd = still, .qdd = still};
        const size_t mark = tq_scratch_mark(&b->scratch);
        cr_assert(eq(int, tq_regressor(model, WITH, &in, &b->scratch, y, NULL), TQ_OK));
        tq_scratch_rewind(&b->scratch, mark);
        memset(b->gram[i], 0, sizeof b->gram[i]);
        for (size_t v = 0; v < b->nv; v++) {
            for (size_t c = 0; c < b->n; c++) {
                for (size_t d = 0; d < b->n; d++) {
                    b->gram[i][c * b->n + d] += y[v * n_parameter + b->base.independent[c]] *
                                                y[v * n_parameter + b->base.independent[d]] /
                                                (b->noise[v] * b->noise[v]);
                }
            }
        }
        for (size_t e = 0; e < b->n * b->n; e++) {
            b->demand[e] += b->gram[i][e] / (double)(CANDIDATES * b->nv);
        }
    }
    free(y);
}

/* -log det N, or tr(D N^-1), by Gauss and Jordan: what a choice (bits) is to make small */
static double judge(const bench *b, unsigned choice)
{
    const size_t n = b->n, w = 2 * n;
    double *a = calloc(n * w, sizeof *a);
    double log_determinant = 0.0, error = 0.0;
    for (size_t i = 0; i < CANDIDATES; i++) {
        for (size_t e = 0; (choice >> i & 1u) != 0 && e < n * n; e++) {
            a[e / n * w + e % n] += b->gram[i][e];
        }
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            a[c * w + d] += prior * b->demand[c * n + d];
            a[c * w + n + d] = b->demand[c * n + d];
        }
    }
    for (size_t k = 0; k < n; k++) {
        const double pivot = a[k * w + k]; /* positive: N is definite */
        log_determinant += log(pivot);
        for (size_t c = 0; c < n; c++) {
            const double factor = c != k ? a[c * w + k] / pivot : 0.0;
            for (size_t d = k; factor != 0.0 && d < w; d++) {
                a[c * w + d] -= factor * a[k * w + d];
            }
        }
    }
    for (size_t c = 0; c < n; c++) {
        error += a[c * w + n + c] / a[c * w + c];
    }
    free(a);
    return b->task.motion.criterion == TQ_EXCITATION_TORQUE_ERROR ? log(error) : -log_determinant;
}

static unsigned choice_of(const bench *b, const tq_poses *found)
{
    unsigned choice = 0;
    for (size_t k = 0; k < found->n_pose; k++) {
        for (size_t i = 0; i < CANDIDATES; i++) {
            const size_t size = b->nv * sizeof(double);
            choice |= memcmp(found->q + k * b->nv, b->q[i], size) == 0 ? 1u << i : 0u;
        }
    }
    return choice;
}

static unsigned count_bits(unsigned x)
{
    unsigned n = 0;
    for (; x != 0; x &= x - 1) {
        n++;
    }
    return n;
}

static double best_of_all(const bench *b)
{
    double best = HUGE_VAL;
    for (unsigned choice = 0; choice < 1u << CANDIDATES; choice++) {
        best = count_bits(choice) == POSES ? fmin(best, judge(b, choice)) : best;
    }
    return best;
}

static void compare(const char *robot, tq_excitation_criterion criterion)
{
    /* sums of 11 poses beside a prior of 1e-8: differences below are rounding */
    const double rounding = 1e-6;
    size_t n_best = 0, n_exchanged = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        bench b;
        set_up(&b, robot, seed, criterion);
        find_candidates(&b);
        const tq_poses found = find(&b, POSES);
        const unsigned choice = choice_of(&b, &found);
        cr_assert(eq(u32, count_bits(choice), (unsigned)POSES));
        const double own = judge(&b, choice), best = best_of_all(&b);
        /* no round of exchanges has made it worse; the last is that of the poses, by another way */
        for (size_t k = 1; k < found.n_round; k++) {
            cr_expect(found.rounds[k] <= found.rounds[k - 1] + rounding * fabs(found.rounds[k]),
                      "%s %d: round %zu", robot, (int)seed, k);
            n_exchanged += found.rounds[k] < found.rounds[k - 1] - rounding ? 1 : 0;
        }
        const double last = found.rounds[found.n_round - 1];
        const bool by_error = criterion == TQ_EXCITATION_TORQUE_ERROR;
        cr_expect(fabs((by_error ? log(last) : last) - own) < rounding);
        /* and none is left that helps */
        for (size_t out = 0; out < CANDIDATES; out++) {
            for (size_t in = 0; in < CANDIDATES; in++) {
                const bool is_one = (choice >> out & 1u) != 0 && (choice >> in & 1u) == 0;
                const unsigned other = (choice & ~(1u << out)) | 1u << in;
                const bool is_worse = !is_one || judge(&b, other) >= own - rounding;
                cr_expect(is_worse, "%s %d: %zu for %zu", robot, (int)seed, in, out);
            }
        }
        cr_expect(own >= best - rounding);
        n_best += own <= best + rounding ? 1 : 0;
        tear_down(&b);
    }
    /* a design that no exchange of one pose makes better need not be the best of all */
    cr_expect(n_exchanged > 0, "%s: no round changed anything", robot);
    cr_expect(n_best >= SEEDS * 2 / 3, "%s: best of all in %zu of %d", robot, n_best, SEEDS);
}

Test(poses, the_largest_determinant_of_all_choices)
{
    compare("planar-2r", TQ_EXCITATION_DETERMINANT);
    compare("ur10e", TQ_EXCITATION_DETERMINANT);
}

Test(poses, the_least_error_of_all_choices)
{
    compare("planar-2r", TQ_EXCITATION_TORQUE_ERROR);
    compare("ur10e", TQ_EXCITATION_TORQUE_ERROR);
}
