/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/calibrate/test_feasible.c - hard problems, each with its certificate; the
 * same optimum as CSDP's. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/calibrate/block4.h"
#include "core/calibrate/feasible.h"
#include "tests/support/excited.h"
#include "tests/support/random_robot.h"

enum { TEN = TQ_SVEC4, OTHER_MAX = 12, HARD = 4000 };
extern char **environ;

/* a random problem; arrays are the test's */
typedef struct trial {
    tq_feasible p;
    uint8_t positive[OTHER_MAX];
    size_t n;
    double *a, *b, *x;
} trial;

enum { FULL_RANK = 1, MILD = 2 };

/* bodies on, near and beyond the boundary of what can be; columns of very unlike sizes, some
 * without effect; noise from none to more than there is signal */
static trial draw(uint64_t seed, unsigned how)
{
    tqt_random r = tqt_random_seed(seed);
    trial t = {.p = {.floor = 1e-6, .tolerance = 1e-9}};
    t.p.n_body = 1 + tqt_random_below(&r, how & MILD ? 4 : 8);
    t.p.n_other = tqt_random_below(&r, OTHER_MAX + 1);
    t.n = TEN * t.p.n_body + t.p.n_other;
    t.p.m = how & FULL_RANK ? t.n + 5 : 1 + tqt_random_below(&r, (uint32_t)t.n + 10);
    for (size_t k = 0; k < t.p.n_other; k++) {
        t.positive[k] = (uint8_t)tqt_random_below(&r, 2);
    }
    t.a = tqt_doubles(t.p.m * t.n), t.b = tqt_doubles(t.p.m), t.x = tqt_doubles(t.n);
    const double spread = how & MILD ? 0.5 : tqt_random_uniform(&r, 0, 4);
    const double strength = how & MILD ? 1 : pow(10, tqt_random_uniform(&r, -2, 4));
    for (size_t c = 0; c < t.n; c++) {
        const double size = strength * pow(10, tqt_random_uniform(&r, -spread, spread));
        const int none = !(how & FULL_RANK) && tqt_random_chance(&r, .1);
        for (size_t i = 0; i < t.p.m; i++) {
            t.a[c * t.p.m + i] = none ? 0 : size * tqt_normal(&r);
        }
    }
    const double noise = how & MILD ? .3 : pow(10, tqt_random_uniform(&r, -8, 1));
    for (size_t c = 0; c < t.n; c++) {
        const double truth = tqt_normal(&r) * pow(10, tqt_random_uniform(&r, -3, 1));
        for (size_t i = 0; i < t.p.m; i++) {
            t.b[i] += t.a[c * t.p.m + i] * truth;
        }
    }
    for (size_t i = 0; i < t.p.m; i++) {
        t.b[i] += strength * noise * tqt_normal(&r);
    }
    t.p.entropy =
        how & FULL_RANK ? 0 : strength * strength * pow(10, tqt_random_uniform(&r, -8, 0));
    return t;
}

static void point(trial *t)
{
    t->p.a = t->a, t->p.b = t->b, t->p.positive = t->positive;
}

static void release(trial *t)
{
    free(t->a), free(t->b), free(t->x);
}

static double objective(const trial *t, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < t->p.m; i++) {
        double r = t->b[i];
        for (size_t c = 0; c < t->n; c++) {
            r -= t->a[c * t->p.m + i] * x[c];
        }
        sum += r * r;
    }
    return sum;
}

/* the whole of what is minimised; infinite outside */
static double whole(const trial *t, const double *x)
{
    double sum = objective(t, x);
    for (size_t k = 0; k < t->p.n_body; k++) {
        tq_block4 p, l;
        tq_smat4(x + TEN * k, p);
        sum += t->p.entropy * (p[0] + p[5] + p[10] + p[15]);
        for (int i = 0; i < 4; i++) {
            p[5 * i] -= t->p.floor;
        }
        if (!tq_cholesky4(p, l)) {
            return (double)INFINITY;
        }
        sum -= t->p.entropy * 2 * log(l[0] * l[5] * l[10] * l[15]);
    }
    for (size_t k = 0; k < t->p.n_other; k++) {
        const double v = x[TEN * t->p.n_body + k];
        if (t->positive[k] && !(v > 0)) {
            return (double)INFINITY;
        }
        sum += t->p.entropy * (t->positive[k] ? v - (t->p.entropy > 0 ? log(v) : 0) : v * v);
    }
    return sum;
}

static tq_status solve(trial *t, tq_scratch *scratch, tq_feasible_report *report, tq_error *error)
{
    point(t);
    return tq_feasible_solve(&t->p, scratch, t->x, report, error);
}

/* walks from the answer: nothing feasible nearby is better than the certificate allows */
static void expect_lowest(const trial *t, const tq_feasible_report *report, uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed + 77);
    const double here = whole(t, t->x);
    cr_assert(here < (double)INFINITY, "seed %d is feasible", (int)seed);
    double *y = tqt_doubles(t->n);
    for (int k = 0; k < 30; k++) {
        const double size = pow(10, tqt_random_uniform(&r, -6, 0));
        for (size_t c = 0; c < t->n; c++) {
            y[c] = t->x[c] + size * tqt_normal(&r) * (fabs(t->x[c]) + 1e-3);
        }
        const double there = whole(t, y);
        /* rounding of sums of |b|^2's size */
        const double slack = report->gap + 1e-12 * fabs(here) + 1e-14 * objective(t, y);
        cr_expect(there >= here - slack, "seed %d: %.17g below %.17g by more than %g", (int)seed,
                  there, here, slack);
    }
    free(y);
}

Test(feasible, hard_problems)
{
    const size_t size = tq_feasible_size(8, OTHER_MAX, TEN * 8 + OTHER_MAX + 10);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    for (uint64_t seed = 0; seed < HARD; seed++) {
        trial t = draw(seed, 0);
        tq_feasible_report report;
        tq_error error = {0};
        const tq_status status = solve(&t, &scratch, &report, &error);
        cr_expect(eq(int, status, TQ_OK), "seed %d: gap %g", (int)seed, error.value);
        if (status == TQ_OK) {
            cr_expect(gt(dbl, report.least_eigen, 0.0), "seed %d", (int)seed);
            cr_expect(epsilon_eq(dbl, report.objective, objective(&t, t.x),
                                 1e-9 * report.objective + 1e-14 * objective(&t, t.x)));
            if (seed % 20 == 0) {
                expect_lowest(&t, &report, seed);
            }
        }
        release(&t);
    }
    free(scratch.memory);
}

Test(feasible, full_rank_without_entropy)
{
    const size_t size = tq_feasible_size(8, OTHER_MAX, TEN * 8 + OTHER_MAX + 10);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    for (uint64_t seed = 0; seed < 300; seed++) {
        trial t = draw(seed, FULL_RANK);
        tq_feasible_report report;
        tq_error error = {0};
        const tq_status status = solve(&t, &scratch, &report, &error);
        cr_expect(eq(int, status, TQ_OK), "seed %d: gap %g", (int)seed, error.value);
        cr_expect(le(dbl, report.gap, 1e-8 * report.objective), "seed %d", (int)seed);
        release(&t);
    }
    tq_scratch none;
    tq_scratch_init(&none, scratch.memory, 64);
    trial t = draw(1, FULL_RANK);
    tq_feasible_report report;
    cr_expect(eq(int, solve(&t, &none, &report, NULL), TQ_ERR_SCRATCH));
    release(&t);
    free(scratch.memory);
}

/* SDPA's sparse form: minimise s with [1 r; r^T s] >= 0, r = b - A x, beside the bodies */
static void write_sdpa(const trial *t, FILE *f)
{
    const size_t n_positive = t->p.n_other; /* free ones get a bound far away */
    fprintf(f, "%zu\n%zu\n%zu", t->n + 1, 2 + t->p.n_body, t->p.m + 1);
    for (size_t k = 0; k < t->p.n_body; k++) {
        fprintf(f, " 4");
    }
    fprintf(f, " -%zu\n", n_positive > 0 ? n_positive : 1);
    for (size_t c = 0; c < t->n; c++) {
        fprintf(f, "0 ");
    }
    fprintf(f, "1\n");
    for (size_t i = 0; i < t->p.m; i++) {
        fprintf(f, "0 1 %zu %zu -1\n", i + 1, i + 1);
        fprintf(f, "0 1 %zu %zu %.17g\n", i + 1, t->p.m + 1, -t->b[i]);
    }
    for (size_t k = 0; k < t->p.n_body; k++) {
        for (int i = 1; i <= 4; i++) {
            fprintf(f, "0 %zu %d %d %.17g\n", 2 + k, i, i, t->p.floor);
        }
    }
    const size_t last = 2 + t->p.n_body;
    for (size_t k = 0; k < n_positive; k++) {
        fprintf(f, "0 %zu %zu %zu %g\n", last, k + 1, k + 1, t->positive[k] ? 0.0 : -1e3);
    }
    for (size_t c = 0; c < t->n; c++) {
        for (size_t i = 0; i < t->p.m; i++) {
            fprintf(f, "%zu 1 %zu %zu %.17g\n", c + 1, i + 1, t->p.m + 1, -t->a[c * t->p.m + i]);
        }
        if (c < TEN * t->p.n_body) {
            double unit[TEN] = {0};
            tq_block4 e;
            unit[c % TEN] = 1;
            tq_smat4(unit, e);
            for (int i = 0; i < 16; i++) {
                if (e[i] != 0 && i % 4 >= i / 4) {
                    fprintf(f, "%zu %zu %d %d %.17g\n", c + 1, 2 + c / TEN, i / 4 + 1, i % 4 + 1,
                            e[i]);
                }
            }
        } else {
            const size_t k = c - TEN * t->p.n_body + 1;
            fprintf(f, "%zu %zu %zu %zu 1\n", c + 1, last, k, k);
        }
    }
    if (n_positive == 0) {
        fprintf(f, "%zu %zu 1 1 1\n", t->n + 1, last);
    }
    fprintf(f, "%zu 1 %zu %zu 1\n", t->n + 1, t->p.m + 1, t->p.m + 1);
}

/* runs CSDP on the problem; false when there is none */
static bool by_csdp(const trial *t, double *ret_x)
{
    char folder[] = "build/csdp-XXXXXX", in[64], out[64], settings[64];
    if (mkdtemp(folder) == NULL) {
        return false;
    }
    snprintf(in, sizeof in, "%s/in.dat-s", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(settings, sizeof settings, "%s/param.csdp", folder);
    FILE *f = fopen(settings, "w");
    cr_assert(ne(ptr, f, NULL));
    /* its defaults leave the bounds by 1e-6, which pays 1e-6 of the objective */
    fputs("axtol=1.0e-10\natytol=1.0e-10\nobjtol=1.0e-9\npinftol=1.0e8\ndinftol=1.0e8\n"
          "maxiter=200\nminstepfrac=0.90\nmaxstepfrac=0.97\nminstepp=1.0e-8\nminstepd=1.0e-8\n"
          "usexzgap=1\ntweakgap=0\naffine=0\nprintlevel=0\nperturbobj=0\nfastmode=0\n",
          f);
    fclose(f);
    f = fopen(in, "w");
    cr_assert(ne(ptr, f, NULL));
    write_sdpa(t, f);
    fclose(f);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    char *argv[] = {(char[]){"csdp"}, (char[]){"in.dat-s"}, (char[]){"out"}, NULL};
    pid_t pid = 0;
    int state = -1;
    const int error = posix_spawnp(&pid, "csdp", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) {
        waitpid(pid, &state, 0);
    }
    /* 3: as good as rounding lets it, which is enough for the tolerances here */
    bool found =
        error == 0 && WIFEXITED(state) && (WEXITSTATUS(state) == 0 || WEXITSTATUS(state) == 3);
    f = found ? fopen(out, "r") : NULL;
    for (size_t c = 0; f != NULL && c < t->n; c++) {
        cr_assert(eq(int, fscanf(f, "%lf", &ret_x[c]), 1));
    }
    if (f != NULL) {
        fclose(f);
    }
    unlink(in), unlink(out), unlink(settings), rmdir(folder);
    return f != NULL;
}

Test(feasible, agrees_with_csdp)
{
    const size_t size = tq_feasible_size(8, OTHER_MAX, TEN * 8 + OTHER_MAX + 10);
    tq_scratch scratch;
    tq_scratch_init(&scratch, aligned_alloc(64, size), size);
    int compared = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        trial t = draw(seed, FULL_RANK | MILD);
        double *x = tqt_doubles(t.n);
        if (by_csdp(&t, x)) {
            tq_feasible_report report;
            cr_assert(eq(int, solve(&t, &scratch, &report, NULL), TQ_OK));
            const double theirs = objective(&t, x);
            /* what the plan asks for: 1e-6 of the objective, 1e-4 of the parameters */
            cr_expect(epsilon_eq(dbl, report.objective, theirs, 1e-6 * theirs), "seed %d",
                      (int)seed);
            for (size_t c = 0; c < t.n; c++) {
                cr_expect(epsilon_eq(dbl, t.x[c], x[c], 1e-4 * (fabs(x[c]) + 1)), "seed %d, %d",
                          (int)seed, (int)c);
            }
            compared++;
        }
        free(x);
        release(&t);
    }
    free(scratch.memory);
    if (compared == 0) {
        cr_skip("no csdp here (Debian: coinor-csdp)");
    }
    cr_expect(ge(int, compared, 10));
}
