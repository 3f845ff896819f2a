/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/fit.c - a million samples of seven joints to base parameters, against dgels; feasible
 * fits against CSDP: a table and JSON lines. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/identify/feasible/feasible.h"
#include "core/identify/regression/fit.h"
#include "core/linalg/setup.h"
#include "core/torqued.h"
#include "tests/bench/robots.h"
#include "tests/support/csdp.h"
#include "tests/support/excited.h"
#include "tests/support/random_robot.h"

enum { SAMPLES = 1000000, WINDOW = 64 * TQ_BLOCK, PEER_SAMPLES = 50000, ROUNDS = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(tq_status status, const char *what)
{
    if (status != TQ_OK) {
        fprintf(stderr, "%s: %s\n", what, tq_status_text(status));
        exit(2);
    }
}

static tq_scratch memory_of(size_t size)
{
    tq_scratch s;
    tq_scratch_init(&s, aligned_alloc(64, (size + 63) / 64 * 64), size);
    return s;
}

/* reads the window again and again until a million samples have passed, then solves */
static double whole(const tq_mechanism *mechanism, const tqt_excited *x, double *blocks,
                    size_t *ret_columns, size_t *ret_bytes)
{
    tq_fit_options options = tq_fit_defaults();
    const double start = now();
    tq_scratch memory = memory_of(tq_fit_size(mechanism, &options, 1) + (1 << 20));
    tq_fit *fit = NULL;
    must(tq_fit_build(mechanism, &options, 1, &memory, &fit, NULL), "build");
    const size_t stream_size = tq_fit_stream_size(fit), solve_size = tq_fit_solve_size(fit);
    tq_scratch scratch = memory_of(stream_size > solve_size ? stream_size : solve_size);
    tq_fit_stream *stream = NULL;
    must(tq_fit_begin(fit, 0, SAMPLES, &scratch, &stream, NULL), "begin");
    const size_t step = x->nv * TQ_BLOCK;
    for (size_t b = 0; b < SAMPLES / TQ_BLOCK; b++) {
        double *at = blocks + 4 * step * (b % (WINDOW / TQ_BLOCK));
        const tq_experiment_block block = {.n_sample = TQ_BLOCK,
                                           .stride = TQ_BLOCK,
                                           .q = at,
                                           .qd = at + step,
                                           .qdd = at + 2 * step,
                                           .tau = at + 3 * step};
        must(tq_fit_push(stream, &block, NULL), "push");
    }
    must(tq_fit_end(stream, NULL), "end");
    tq_scratch_rewind(&scratch, 0);
    tq_fit_solution solution;
    must(tq_fit_solve(fit, &memory, &scratch, &solution, NULL), "solve");
    const double seconds = now() - start;
    *ret_columns = solution.n_column;
    *ret_bytes = memory.peak + scratch.peak;
    free(memory.memory), free(scratch.memory);
    return seconds;
}

/* dgels on the whole matrix of fewer samples, scaled: its time grows with the rows */
static double dgels_of(size_t nv, size_t n)
{
    const size_t m = nv * PEER_SAMPLES;
    double *a = malloc(m * n * sizeof *a), *b = malloc(m * sizeof *b);
    tqt_random r = tqt_random_seed(1);
    for (size_t k = 0; k < m * n; k++) {
        a[k] = tqt_random_uniform(&r, -1, 1);
    }
    for (size_t k = 0; k < m; k++) {
        b[k] = tqt_random_uniform(&r, -1, 1);
    }
    const double start = now();
    LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (int)m, (int)n, 1, a, (int)m, b, (int)m);
    const double seconds = (now() - start) * (double)SAMPLES / (double)PEER_SAMPLES;
    free(a), free(b);
    return seconds;
}

static void read_million(FILE *json)
{
    const tq_model *model = bench_chain(7);
    const size_t size = tq_mechanism_size(model);
    const tq_mechanism *mechanism = NULL;
    must(tq_mechanism_build(model, tqt_doubles(size / 8 + 1), size, &mechanism, NULL), "mechanism");
    tqt_subject *subject = tqt_subject_new(model, 0);
    tqt_excited x = tqt_excited_new(subject, 1, WINDOW, 1000, 5);
    tqt_random r = tqt_random_seed(2);
    for (size_t k = 0; k < x.nv * x.n_sample; k++) {
        x.tau[k] += .1 * tqt_normal(&r);
    }
    double *blocks = tqt_doubles(4 * x.nv * WINDOW);
    for (size_t b = 0; b < WINDOW / TQ_BLOCK; b++) {
        (void)tqt_excited_block(&x, b, blocks + 4 * x.nv * TQ_BLOCK * b);
    }
    size_t columns = 0, bytes = 0;
    double ours = 1e9, peer = 1e9;
    for (int k = 0; k < ROUNDS; k++) {
        ours = fmin(ours, whole(mechanism, &x, blocks, &columns, &bytes));
        peer = fmin(peer, dgels_of(x.nv, columns));
    }
    printf("  1e6 samples x 7 joints, %zu columns, feasible fit and intervals included: %.3f s, "
           "%.1f MiB; dgels %.1f s: %.0fx\n",
           columns, ours, (double)bytes / 1048576, peer, peer / ours);
    fprintf(json,
            "{\"fit\":\"million\",\"columns\":%zu,\"seconds\":%.4g,\"mib\":%.4g,"
            "\"dgels\":%.4g}\n",
            columns, ours, (double)bytes / 1048576, peer);
}

/* a triangle such as data of that many bodies leave, with noise that some bodies cannot follow */
static void feasible(FILE *json, size_t n_body, int with_peer)
{
    const size_t n_other = 3 * n_body, n = 10 * n_body + n_other, m = 6 * n_body + n_other + 1;
    double *a = tqt_doubles(m * n), *b = tqt_doubles(m), *x = tqt_doubles(n);
    uint8_t *positive = malloc(n_other);
    tqt_random r = tqt_random_seed(n_body);
    for (size_t k = 0; k < n_other; k++) {
        positive[k] = k % 3 != 2;
    }
    for (size_t k = 0; k < m * n; k++) {
        a[k] = tqt_normal(&r);
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t c = 0; c < n; c++) {
            b[i] += a[c * m + i] * (c < 10 * n_body ? c % 10 == 0 : 1);
        }
        b[i] += 3 * tqt_normal(&r);
    }
    const tq_feasible problem = {.n_body = n_body,
                                 .n_other = n_other,
                                 .m = m,
                                 .positive = positive,
                                 .a = a,
                                 .b = b,
                                 .floor = 1e-6,
                                 .entropy = 1e-5,
                                 .tolerance = 1e-9};
    tq_scratch scratch = memory_of(tq_feasible_size(n_body, n_other, m, 0));
    tq_feasible_report report;
    double ours = 1e9;
    for (int k = 0; k < 10 * ROUNDS; k++) {
        const double start = now();
        must(tq_feasible_solve(&problem, &scratch, x, &report, NULL), "feasible");
        ours = fmin(ours, now() - start);
    }
    const double start = now();
    const int found = with_peer && tqt_csdp(&problem, x);
    const double peer = now() - start;
    printf("  feasible fit, %2zu bodies: %.2f ms, %zu iterations; CSDP ", n_body, 1e3 * ours,
           report.n_iteration);
    printf(found ? "%.0f ms: %.0fx\n" : "not measured\n", 1e3 * peer, peer / ours);
    fprintf(json, "{\"fit\":\"feasible\",\"bodies\":%zu,\"ms\":%.4g", n_body, 1e3 * ours);
    fprintf(json, found ? ",\"csdp_ms\":%.4g}\n" : "}\n", 1e3 * peer);
    free(a), free(b), free(x), free(positive), free(scratch.memory);
}

int main(int argc, char **argv)
{
    FILE *json = fopen(argc > 1 ? argv[1] : "/dev/null", "w");
    if (json == NULL) {
        return 2;
    }
    must(tq_lanes_select(0), "lanes");
    must(tq_linalg_setup(NULL), "linalg");
    printf("fits, one thread, %u lanes; best of %d\n", tq_lanes_width(), ROUNDS);
    read_million(json);
    feasible(json, 7, 1);
    feasible(json, 30, argc > 2); /* CSDP takes minutes: `fit FILE all` */
    return fclose(json) != 0;
}
