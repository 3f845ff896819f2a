/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/scaling.c - growth with bodies and samples, threads, subnormal numbers: a table and
 * JSON lines. scaling FILE [PEER_OF_TARGETS|- [PEER_NEWEST|-]] */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/torqued.h"
#include "tests/bench/peers.h"
#include "tests/bench/robots.h"
#include "tests/support/random_robot.h"

enum { ROUNDS = 15, THREAD_MAX = 64 };
static const double round_seconds = 4e-3;

typedef struct stage {
    const tq_model *model;
    const tq_mechanism *mechanism;
    tqt_states states;
    double *tau, *qdd;
    tq_scratch scratch;
} stage;

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

static void rnea(stage *s)
{
    const tq_inverse_input in = {.n_sample = s->states.n_sample,
                                 .stride = s->states.stride,
                                 .q = s->states.q,
                                 .qd = s->states.qd,
                                 .qdd = s->states.qdd};
    must(tq_inverse_dynamics(s->mechanism, &in, &s->scratch, s->tau, NULL), "rnea");
}

static void aba(stage *s)
{
    const tq_forward_input in = {.n_sample = s->states.n_sample,
                                 .stride = s->states.stride,
                                 .q = s->states.q,
                                 .qd = s->states.qd,
                                 .tau = s->tau};
    must(tq_forward_dynamics(s->mechanism, &in, &s->scratch, s->qdd, NULL), "aba");
}

static stage prepare(const tq_model *model, size_t n_sample)
{
    stage s = {.model = model};
    const size_t size = tq_mechanism_size(model);
    void *memory = tqt_doubles(size / sizeof(double) + 1);
    must(tq_mechanism_build(model, memory, size, &s.mechanism, NULL), "mechanism");
    s.states = tqt_random_states(1, model, n_sample);
    s.tau = tqt_doubles(model->nv * s.states.stride);
    s.qdd = tqt_doubles(model->nv * s.states.stride);
    const size_t one = tq_inverse_scratch_size(s.mechanism, 0);
    const size_t two = tq_forward_scratch_size(s.mechanism, 0);
    const size_t need = one > two ? one : two;
    tq_scratch_init(&s.scratch, tqt_doubles(need / sizeof(double) + 1), need);
    rnea(&s);
    return s;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* median seconds of one run */
static double time_of(stage *s, void (*run)(stage *))
{
    double each[ROUNDS];
    size_t times = 1;
    for (int round = -1; round < ROUNDS;) {
        const double start = now();
        for (size_t k = 0; k < times; k++) {
            run(s);
        }
        const double took = now() - start;
        if (round < 0 && took < round_seconds) {
            times *= 2;
            continue;
        }
        if (round >= 0) {
            each[round] = took / (double)times;
        }
        round++;
    }
    qsort(each, ROUNDS, sizeof each[0], compare);
    return each[ROUNDS / 2];
}

/* The peer keeps second derivatives for every triple of coordinates: 32 GB at 1,000 bodies. */
enum { PEER_BODIES_MAX = 100 };

/* median seconds of one run of a peer's kernel over the stage's states; NaN without the peer */
static double peer_time(const stage *s, const bench_peer_calls *peer, bench_kernel kernel)
{
    double each[ROUNDS];
    if (peer == NULL || s->model->nv > PEER_BODIES_MAX) {
        return (double)NAN;
    }
    bench_peer *robot = peer->make(s->model, s->states.n_sample, s->states.stride, s->states.q,
                                   s->states.qd, s->states.qdd, s->tau);
    peer->run(robot, kernel); /* once before the clock runs */
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        peer->run(robot, kernel);
        each[round] = now() - start;
    }
    peer->unmake(robot);
    qsort(each, ROUNDS, sizeof each[0], compare);
    return each[ROUNDS / 2];
}

/* "x of a peer" into the table and, under its key, into the JSON */
static void report_peer(const char *kernel, const char *which, double ratio, FILE *json)
{
    if (isnan(ratio)) {
        printf("  %14s", "-");
        fprintf(json, ",\"%s_%sratio\":null", kernel, which);
    } else {
        printf("  %13.1fx", ratio);
        fprintf(json, ",\"%s_%sratio\":%.4g", kernel, which, ratio);
    }
}

static void grow_bodies(const bench_peer_calls *const *peers, FILE *json)
{
    static const uint32_t sizes[] = {10, 30, 100, 300, 1000};
    static const bench_kernel kernels[2] = {BENCH_RNEA, BENCH_ABA_LOCAL};
    static const char *const names[2] = {"rnea", "aba"};
    printf(
        "growth with bodies, chains, blocks of %d samples: ns a body and sample (of 10 bodies'), "
        "ratio to the peer of the targets and to its newest release\n",
        TQ_BLOCK);
    double first[2] = {0.0, 0.0};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        stage s = prepare(bench_chain(sizes[k]), TQ_BLOCK);
        const double per = 1e9 / ((double)sizes[k] * (double)TQ_BLOCK);
        const double ns[2] = {per * time_of(&s, rnea), per * time_of(&s, aba)};
        fprintf(json, "{\"growth\":\"bodies\",\"bodies\":%u,\"rnea\":%.4g,\"aba\":%.4g", sizes[k],
                ns[0], ns[1]);
        for (int e = 0; e < 2; e++) {
            first[e] = k == 0 ? ns[e] : first[e];
            printf("  %5u bodies  %-4s %6.2f (%.2f)", sizes[k], names[e], ns[e], ns[e] / first[e]);
            for (int p = 0; p < BENCH_PEERS; p++) {
                report_peer(names[e], p == BENCH_PEER_OF_TARGETS ? "" : "newest_",
                            per * peer_time(&s, peers[p], kernels[e]) / ns[e], json);
            }
            printf("\n");
        }
        fprintf(json, "}\n");
        fflush(stdout);
    }
}

static void grow_samples(FILE *json)
{
    static const size_t sizes[] = {1, 4, 8, 16, 32, 64, 256};
    const tq_model *model = bench_chain(7);
    printf("growth with samples, chain of 7: ns a sample\n");
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        stage s = prepare(model, sizes[k]);
        const double per = 1e9 / (double)sizes[k];
        const double ns[2] = {per * time_of(&s, rnea), per * time_of(&s, aba)};
        printf("  %5zu samples  rnea %7.1f  aba %7.1f\n", sizes[k], ns[0], ns[1]);
        fprintf(json, "{\"growth\":\"samples\",\"samples\":%zu,\"rnea\":%.4g,\"aba\":%.4g}\n",
                sizes[k], ns[0], ns[1]);
    }
}

/* every rate and angle far below the least normal number */
static void subnormal(FILE *json)
{
    const tq_model *model = bench_chain(7);
    stage plain = prepare(model, TQ_BLOCK), tiny = prepare(model, TQ_BLOCK);
    for (size_t k = 0; k < model->nv * tiny.states.stride; k++) {
        tiny.states.q[k] *= 1e-310;
        tiny.states.qd[k] *= 1e-310;
        tiny.states.qdd[k] *= 1e-310;
        tiny.tau[k] *= 1e-310;
    }
    stage forward = tiny;
    const double slow[2] = {time_of(&forward, aba) / time_of(&plain, aba),
                            time_of(&tiny, rnea) / time_of(&plain, rnea)};
    printf("subnormal inputs, time against normal ones: rnea %.2f  aba %.2f\n", slow[1], slow[0]);
    fprintf(json, "{\"subnormal\":true,\"rnea\":%.4g,\"aba\":%.4g}\n", slow[1], slow[0]);
}

/* Doubles that a thread's copy reads and writes: 8 MiB, beyond its own caches. */
enum { COPY = 1 << 20 };

typedef struct worker {
    stage stage;
    pthread_barrier_t *barrier;
    void (*run)(struct worker *);
    size_t times;
    double *memory;
    double sum;
} worker;

static void run_rnea(worker *w)
{
    rnea(&w->stage);
}

/* Nothing but registers, and nothing shared: what the machine gives threads of the best kind. */
static void run_registers(worker *w)
{
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int k = 0; k < 4000; k++) {
        for (int e = 0; e < 8; e++) {
            x[e] = x[e] * 0.999 + 1e-3;
        }
    }
    for (int e = 0; e < 8; e++) {
        w->sum += x[e];
    }
}

/* and threads that do nothing but wait for memory */
static void run_copy(worker *w)
{
    memcpy(w->memory, w->memory + COPY / 2, COPY / 2 * sizeof *w->memory);
    w->sum += w->memory[COPY / 4];
}

static void *work(void *arg)
{
    worker *w = arg;
    pthread_barrier_wait(w->barrier);
    for (size_t k = 0; k < w->times; k++) {
        w->run(w);
    }
    return NULL;
}

/* seconds in which n threads each run `times` times */
static double race(worker *workers, size_t n, void (*run)(worker *), size_t times)
{
    pthread_barrier_t barrier;
    pthread_t threads[THREAD_MAX];
    pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
    for (size_t k = 0; k < n; k++) {
        workers[k].barrier = &barrier;
        workers[k].run = run;
        workers[k].times = times;
        pthread_create(&threads[k], NULL, work, &workers[k]);
    }
    pthread_barrier_wait(&barrier);
    const double start = now();
    for (size_t k = 0; k < n; k++) {
        pthread_join(threads[k], NULL);
    }
    pthread_barrier_destroy(&barrier);
    return now() - start;
}

/* Ours, and in the same rounds what the machine gives to loops that share nothing and to loops that
 * share its memory alone: no program does more than the first. */
static void threads(FILE *json)
{
    static worker workers[THREAD_MAX];
    static const struct {
        void (*run)(worker *);
        size_t times;
    } works[3] = {{run_rnea, 4000}, {run_registers, 1000}, {run_copy, 20}};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cores = cores < THREAD_MAX ? cores : (long)THREAD_MAX;
    const tq_model *model = bench_chain(7);
    for (long k = 0; k < cores; k++) {
        workers[k].stage = prepare(model, TQ_BLOCK);
        workers[k].memory = tqt_doubles(COPY);
    }
    double each[3][ROUNDS], part[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int e = 0; e < 3; e++) {
            const double one = race(workers, 1, works[e].run, works[e].times);
            const double all = race(workers, (size_t)cores, works[e].run, works[e].times);
            each[e][round] = (double)cores * one / all;
        }
        part[round] = each[0][round] / each[1][round];
    }
    for (int e = 0; e < 3; e++) {
        qsort(each[e], ROUNDS, sizeof each[e][0], compare);
    }
    qsort(part, ROUNDS, sizeof part[0], compare);
    printf("threads: %ld do %.2f times the work of one (%.2f .. %.2f)\n", cores,
           each[0][ROUNDS / 2], each[0][ROUNDS / 4], each[0][ROUNDS - 1]);
    printf(
        "  the machine's own limit in the same rounds: a loop in registers %.2f, copies of 4 MiB "
        "%.2f; ours is %.2f of the first\n",
        each[1][ROUNDS / 2], each[2][ROUNDS / 2], part[ROUNDS / 2]);
    fprintf(json,
            "{\"threads\":%ld,\"speedup\":%.4g,\"registers\":%.4g,\"copies\":%.4g,"
            "\"of_registers\":%.4g}\n",
            cores, each[0][ROUNDS / 2], each[1][ROUNDS / 2], each[2][ROUNDS / 2], part[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
    FILE *json = fopen(argc > 1 ? argv[1] : "/dev/null", "w");
    if (json == NULL || tq_lanes_select(0) != TQ_OK) {
        perror("bench");
        return 2;
    }
    printf("scaling, %u lanes; median of %d rounds\n", tq_lanes_width(), ROUNDS);
    const bench_peer_calls *peers[BENCH_PEERS];
    for (int k = 0; k < BENCH_PEERS; k++) {
        peers[k] = bench_peer_open(argc > 2 + k ? argv[2 + k] : NULL);
        printf("peer: %s\n",
               peers[k] != NULL ? peers[k]->version : "not measured (make deps-bench)");
    }
    grow_bodies(peers, json);
    grow_samples(json);
    subnormal(json);
    threads(json);
    fclose(json);
    return 0;
}
