/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_ur10e.c - a measured robot: nine runs of a UR10E, one setting for all. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "core/signal/clock.h"
#include "core/signal/differentiate.h"
#include "core/signal/filter.h"
#include "tests/support/fit_bench.h"
#include "tests/support/sanitized.h"

/* S. Mamedov et al., Practical Aspects of Model-Based Collision Detection, Frontiers in Robotics
 * and AI, 2020. The logs lie beside a checkout where someone has put them; they are not part of
 * this project. Joint torque is current times these gains (De Luca's), N m/A. */
static const double gains[6] = {14.87, 13.26, 11.13, 10.62, 11.03, 11.47};
static const char *const places[] = {"../shared/data/ur10e", "../../shared/data/ur10e"};

enum { NV = 6, FIELDS = 31, RUNS_MAX = 9, ROWS_MAX = 20000 };
static const double rate = 100, cutoff = 8; /* Hz */

static const char *place(void)
{
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        DIR *folder = opendir(places[k]);
        if (folder != NULL) {
            closedir(folder);
            return places[k];
        }
    }
    return NULL;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_log(const struct dirent *entry)
{
    return strstr(entry->d_name, ".csv") != NULL;
}

/* time, q and current of a log; repeated stamps are left out */
static size_t read_log(const char *path, double *t, double *field[2 * NV])
{
    FILE *f = fopen(path, "r");
    cr_assert(ne(ptr, f, NULL));
    size_t n = 0;
    double row[FIELDS];
    for (int k = 0; n < ROWS_MAX && fscanf(f, "%lf%*[,]", &row[0]) == 1;
         n += n == 0 || row[0] > t[n - 1]) {
        for (k = 1; k < FIELDS && fscanf(f, "%lf%*[,]", &row[k]) == 1; k++) {
        }
        if (k < FIELDS) {
            break;
        }
        if (n > 0 && row[0] <= t[n - 1]) {
            continue;
        }
        t[n] = row[0];
        for (int j = 0; j < NV; j++) {
            field[j][n] = row[1 + j];
            field[NV + j][n] = gains[j] * row[13 + j];
        }
    }
    fclose(f);
    return n;
}

/* an even clock, one filter for all, rest at the two ends cut */
static tqt_excited prepare(const char *path, double **ret_raw)
{
    double *t = tqt_doubles(ROWS_MAX), *field[2 * NV], *raw;
    for (int k = 0; k < 2 * NV; k++) {
        field[k] = tqt_doubles(ROWS_MAX);
    }
    const size_t n = read_log(path, t, field);
    const size_t m = (size_t)((t[n - 1] - t[0]) * rate);
    tqt_excited x = {.n_sample = m, .nv = NV, .rate = rate};
    x.q = tqt_doubles(NV * m), x.qd = tqt_doubles(NV * m), x.qdd = tqt_doubles(NV * m);
    x.tau = tqt_doubles(NV * m), raw = tqt_doubles(NV * m);
    tq_filter filter;
    cr_assert(eq(int, tq_filter_butterworth(4, cutoff, rate, &filter, NULL), TQ_OK));
    const size_t edge = tq_filter_settling_length(&filter);
    tq_scratch scratch;
    const size_t size = tq_filter_zero_phase_size(m, edge);
    tq_scratch_init(&scratch, tqt_doubles(size / 8 + 8), size);
    tq_stencil *cubic = malloc(m * sizeof *cubic), *linear = malloc(m * sizeof *linear);
    tq_resample_cubic(n, t, t[0], 1 / rate, m, cubic);
    tq_resample_linear(n, t, t[0], 1 / rate, m, linear);
    for (size_t j = 0; j < NV; j++) {
        double *q = x.q + j * m, *tau = x.tau + j * m;
        tq_resample(m, cubic, field[j], q);
        tq_resample(m, linear, field[NV + j], tau);
        memcpy(raw + j * m, tau, m * sizeof *raw);
        cr_assert(
            eq(int, tq_filter_zero_phase_rows(&filter, edge, m, 1, q, m, &scratch, NULL), TQ_OK));
        cr_assert(
            eq(int, tq_filter_zero_phase_rows(&filter, edge, m, 1, tau, m, &scratch, NULL), TQ_OK));
        tq_difference(m, q, 1 / rate, x.qd + j * m);
        tq_difference(m, x.qd + j * m, 1 / rate, x.qdd + j * m);
    }
    free(cubic), free(linear);
    size_t first = m, last = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < NV; j++) {
            if (fabs(x.qd[j * m + i]) > .01) {
                first = i < first ? i : first;
                last = i;
            }
        }
    }
    double *rows[5] = {x.q, x.qd, x.qdd, x.tau, raw};
    x.n_sample = last - first + 1;
    for (int k = 0; k < 5; k++) {
        for (size_t j = 0; j < NV; j++) {
            memmove(rows[k] + j * x.n_sample, rows[k] + j * m + first, x.n_sample * sizeof(double));
        }
    }
    for (int k = 0; k < 2 * NV; k++) {
        free(field[k]);
    }
    free(t), free(scratch.memory);
    *ret_raw = raw;
    return x;
}

typedef struct logs {
    size_t n;
    tqt_excited run[RUNS_MAX];
    double *raw[RUNS_MAX];
    const tqa_robot *robot;
} logs;

static void read_folder(logs *l, const char *at, const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s/ur10e.urdf", at);
    static char bytes[1 << 16];
    FILE *f = fopen(path, "r");
    cr_assert(ne(ptr, f, NULL));
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    tqa_problem problem;
    l->robot = tqa_robot_parse(TQA_MEDIA_XML, bytes, size, &problem);
    cr_assert(ne(ptr, (void *)(uintptr_t)l->robot, NULL), "%s", problem.detail);
    snprintf(path, sizeof path, "%s/%s", at, folder);
    struct dirent **names = NULL;
    const int n = scandir(path, &names, is_log, by_name);
    l->n = 0;
    for (int k = 0; k < n; k++) {
        if (l->n < RUNS_MAX) {
            snprintf(path, sizeof path, "%s/%s/%s", at, folder, names[k]->d_name);
            l->run[l->n] = prepare(path, &l->raw[l->n]);
            l->n++;
        }
        free(names[k]);
    }
    free(names);
}

static void release(logs *l)
{
    for (size_t k = 0; k < l->n; k++) {
        tqt_excited_free(&l->run[k]);
        free(l->raw[k]);
    }
}

static tq_fit_options setting(void)
{
    tq_fit_options o = tq_fit_defaults();
    o.model.smoothing = .01;
    o.model.extra = TQ_FIT_STRIBECK | TQ_FIT_LOAD;
    return o;
}

typedef struct room {
    tq_scratch memory, scratch;
    tq_fit *fit;
    tq_fit_solution solution;
} room;

static room fit_runs(const logs *l, const tq_fit_options *o, size_t first, size_t n)
{
    enum { BYTES = 128 << 20 };
    room r;
    tq_scratch_init(&r.memory, aligned_alloc(64, BYTES), BYTES);
    tq_scratch_init(&r.scratch, aligned_alloc(64, BYTES), BYTES);
    cr_assert(eq(int, tq_fit_build(l->robot->mechanism, o, n, &r.memory, &r.fit, NULL), TQ_OK));
    const size_t mark = tq_scratch_mark(&r.memory);
    do {
        tq_scratch_rewind(&r.memory, mark);
        for (size_t e = 0; e < n; e++) {
            tqt_fit_read(r.fit, e, &l->run[first + e], &r.scratch);
        }
        cr_assert(eq(int, tq_fit_solve(r.fit, &r.memory, &r.scratch, &r.solution, NULL), TQ_OK));
    } while (r.solution.again);
    return r;
}

static void leave(room *r)
{
    free(r->memory.memory), free(r->scratch.memory);
}

/* squared residuals against unfiltered torque, by joint */
static void add_errors(room *r, const double *value, const tqt_excited *x, const double *raw,
                       double square[NV])
{
    double *memory = tqt_doubles(4 * NV * TQ_BLOCK), *unfiltered = tqt_doubles(NV * TQ_BLOCK);
    const size_t mark = tq_scratch_mark(&r->scratch);
    tq_residuals judge;
    cr_assert(eq(int, tq_residuals_begin(r->fit, value, .02, &r->scratch, &judge, NULL), TQ_OK));
    for (size_t b = 0; b < tq_block_count(x->n_sample); b++) {
        tq_experiment_block block = tqt_excited_block(x, b, memory);
        for (size_t j = 0; j < NV; j++) {
            memcpy(unfiltered + j * TQ_BLOCK, raw + j * x->n_sample + b * TQ_BLOCK,
                   block.n_sample * sizeof *raw);
        }
        block.tau_raw = unfiltered;
        cr_assert(eq(int, tq_residuals_push(&judge, &block, NULL, NULL), TQ_OK));
    }
    for (size_t j = 0; j < NV; j++) {
        const tq_residual_stats all = tq_residuals_of(&judge, TQ_RESIDUALS_ALL, j);
        square[j] += all.rmse * all.rmse * (double)all.n_sample;
    }
    tq_scratch_rewind(&r->scratch, mark);
    free(memory), free(unfiltered);
}

Test(ur10e, leave_one_run_out)
{
    const char *at = place();
    if (at == NULL) {
        cr_skip("no UR10E logs beside this checkout");
    }
    static logs l;
    read_folder(&l, at, "excitation");
    cr_assert(eq(sz, l.n, 9));
    const tq_fit_options o = setting();
    room r = fit_runs(&l, &o, 0, l.n);
    size_t n_column = 0;
    (void)tq_fit_columns(r.fit, &n_column);
    cr_expect(eq(sz, tq_fit_base(r.fit)->n_base, 58));
    cr_expect(eq(sz, r.solution.rank, n_column));
    cr_expect(eq(sz, r.solution.n_unidentified, 0));
    cr_expect(le(dbl, r.solution.objective, 1.005 * r.solution.objective_unconstrained));
    cr_expect(le(dbl, r.solution.gap, 1e-8 * r.solution.objective));
    double square[NV] = {0}, *value = tqt_doubles(tq_fit_value_count(r.fit));
    size_t n = 0;
    for (size_t e = 0; e < l.n; e += TQT_SANITIZED ? 4 : 1) {
        cr_assert(eq(int, tq_fit_solve_without(r.fit, e, &r.scratch, value, NULL), TQ_OK));
        add_errors(&r, value, &l.run[e], l.raw[e], square);
        n += l.run[e].n_sample;
    }
    static const double most[NV] = {3.9, 5.2, 2.0, .65, .78, .70}; /* N m, of the plan */
    for (size_t j = 0; j < NV; j++) {
        const double rmse = sqrt(square[j] / (double)n);
        cr_log_info("joint %d: %.3f N m", (int)j + 1, rmse);
        cr_expect(le(dbl, rmse, most[j]), "joint %d", (int)j + 1);
    }
    tq_verdict_report report;
    cr_assert(
        eq(int, tq_verdict_compute(r.fit, &r.solution, NULL, &r.scratch, &report, NULL), TQ_OK));
    cr_expect(ne(int, report.verdict, TQ_VERDICT_PHYSICALLY_INCONSISTENT), "10,000 poses");
    cr_expect(ne(int, report.verdict, TQ_VERDICT_INSUFFICIENT_EXCITATION));
    free(value);
    leave(&r);
    release(&l);
}

/* intervals of one run against the mean of what the others give, each by itself */
Test(ur10e, intervals_are_honest)
{
    const char *at = place();
    if (at == NULL) {
        cr_skip("no UR10E logs beside this checkout");
    }
    static logs l;
    read_folder(&l, at, "excitation");
    tq_fit_options o = setting();
    o.model.extra = 0;
    o.method = TQ_FIT_WLS;
    enum { MOST = 128 };
    static double value[RUNS_MAX][MOST], low[RUNS_MAX][MOST], high[RUNS_MAX][MOST];
    size_t n_column = 0;
    for (size_t e = 0; e < l.n; e++) {
        room r = fit_runs(&l, &o, e, 1);
        n_column = r.solution.n_column;
        for (size_t c = 0; c < n_column; c++) {
            value[e][c] = r.solution.estimate[c].value;
            low[e][c] = r.solution.estimate[c].low, high[e][c] = r.solution.estimate[c].high;
        }
        leave(&r);
    }
    size_t within = 0;
    for (size_t e = 0; e < l.n; e++) {
        for (size_t c = 0; c < n_column; c++) {
            double mean = 0;
            for (size_t k = 0; k < l.n; k++) {
                mean += k != e ? value[k][c] / (double)(l.n - 1) : 0;
            }
            within += mean >= low[e][c] && mean <= high[e][c];
        }
    }
    const double share = (double)within / (double)(l.n * n_column);
    cr_log_info("%.1f %% of %d intervals", 100 * share, (int)(l.n * n_column));
    cr_expect(ge(dbl, share, .85));
    cr_expect(le(dbl, share, .98));
    release(&l);
}

Test(ur10e, one_moving_joint_is_too_little)
{
    const char *at = place();
    if (at == NULL) {
        cr_skip("no UR10E logs beside this checkout");
    }
    static logs l;
    read_folder(&l, at, "single-joint");
    tq_fit_options o = setting();
    o.model.extra = 0;
    for (size_t e = 0; e < (TQT_SANITIZED ? 2 : l.n); e++) {
        room r = fit_runs(&l, &o, e, 1);
        tq_verdict_report report;
        cr_assert(eq(int, tq_verdict_compute(r.fit, &r.solution, NULL, &r.scratch, &report, NULL),
                     TQ_OK));
        cr_expect(eq(int, report.verdict, TQ_VERDICT_INSUFFICIENT_EXCITATION), "log %d", (int)e);
        cr_expect(gt(sz, r.solution.n_unidentified, 10));
        leave(&r);
    }
    release(&l);
}
