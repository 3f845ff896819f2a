/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/kernels.c - our kernels against Pinocchio's, interleaved, one thread: a table and
 * JSON lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/robot.h"
#include "core/torqued.h"
#include "tests/bench/peer.h"
#include "tests/bench/robots.h"
#include "tests/support/random_robot.h"

enum { ROUNDS = 31, SAMPLES = TQ_BLOCK, SCRATCH = 64 << 20 };
static const double round_seconds = 2e-3;

/* everything one row needs: a robot, its states in both forms, room for results */
typedef struct stage {
    const char *robot;
    const tq_model *model;
    const tq_mechanism *mechanism;
    void *memory;
    tqt_states states;
    double *tau, *out;
    tq_scratch scratch;
    bench_peer *peer;
} stage;

typedef struct row {
    const char *kernel;
    bench_kernel peer; /* the faster of its conventions is the peer */
    void (*run)(stage *s, size_t n_sample);
    double (*differ)(const stage *s); /* largest difference to the peer's last state, relative */
} row;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_rnea(stage *s, size_t n_sample)
{
    const tq_inverse_input in = {.n_sample = n_sample,
                                 .stride = s->states.stride,
                                 .q = s->states.q,
                                 .qd = s->states.qd,
                                 .qdd = s->states.qdd};
    tq_error error = {0};
    const tq_status status = tq_inverse_dynamics(s->mechanism, &in, &s->scratch, s->tau, &error);
    if (status != TQ_OK) {
        fprintf(stderr, "rnea: %s %s\n", tq_status_text(status), error.what);
        exit(2);
    }
}

static double differ_vector(const stage *s, bench_kernel kernel, const double *ours)
{
    double worst = 0, scale = 0;
    for (size_t i = 0; i < s->model->nv; i++) {
        const double x = ours[i * s->states.stride + SAMPLES - 1];
        worst = fmax(worst, fabs(x - bench_peer_vector(s->peer, kernel, i)));
        scale = fmax(scale, fabs(x));
    }
    return worst / scale;
}

static double differ_rnea(const stage *s)
{
    return differ_vector(s, BENCH_RNEA, s->tau);
}

static const row rows[] = {
    {"rnea", BENCH_RNEA, run_rnea, differ_rnea},
};

/* seconds a sample of one timing: `times` runs of n samples, or of the peer when n is 0 */
static double time_once(stage *s, const row *r, size_t n, size_t times)
{
    const double start = now();
    for (size_t i = 0; i < times; i++) {
        if (n > 0) {
            r->run(s, n);
        } else {
            bench_peer_run(s->peer, r->peer);
        }
    }
    return (now() - start) / (double)(times * (n > 0 ? n : SAMPLES));
}

static size_t times_for(stage *s, const row *r, size_t n)
{
    size_t times = 1;
    while (time_once(s, r, n, times) * (double)(times * (n > 0 ? n : SAMPLES)) < round_seconds) {
        times *= 2;
    }
    return times;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *x, double at)
{
    double sorted[ROUNDS];
    memcpy(sorted, x, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof sorted[0], compare);
    return sorted[(size_t)(at * (ROUNDS - 1) + 0.5)];
}

static void measure(stage *s, const row *r, size_t n, FILE *json)
{
    const int has_peer = s->peer != NULL;
    double ours[ROUNDS], peer[ROUNDS], ratio[ROUNDS];
    const size_t times = times_for(s, r, n), peer_times = has_peer ? times_for(s, r, 0) : 0;
    for (size_t k = 0; k < ROUNDS; k++) {
        ours[k] = time_once(s, r, n, times);
        peer[k] = has_peer ? time_once(s, r, 0, peer_times) : (double)NAN;
        ratio[k] = peer[k] / ours[k];
    }
    const double ns = 1e9 * quantile(ours, 0.5);
    const char *how = n == 1 ? "single" : "batch";
    fprintf(json,
            "{\"kernel\":\"%s\",\"robot\":\"%s\",\"nv\":%u,\"how\":\"%s\",\"lanes\":%u,\"ns\":%.5g",
            r->kernel, s->robot, s->model->nv, how, tq_lanes_width(), ns);
    printf("%-10s %-10s %3u  %-6s %u lanes %9.1f ns", r->kernel, s->robot, s->model->nv, how,
           tq_lanes_width(), ns);
    if (has_peer) {
        r->run(s, SAMPLES);
        bench_peer_run(s->peer, r->peer);
        const double differ = r->differ(s);
        fprintf(json,
                ",\"peer_ns\":%.5g,\"ratio\":%.4g,\"ratio_quartiles\":[%.4g,%.4g],\"differ\":%.2g",
                1e9 * quantile(peer, 0.5), quantile(ratio, 0.5), quantile(ratio, 0.25),
                quantile(ratio, 0.75), differ);
        printf("  peer %9.1f ns  %6.2fx  (%.2f .. %.2f)", 1e9 * quantile(peer, 0.5),
               quantile(ratio, 0.5), quantile(ratio, 0.25), quantile(ratio, 0.75));
        if (!(differ < 1e-9)) { /* a fast wrong answer is no figure */
            printf("  RESULTS DIFFER by %.1e\n", differ);
            exit(1);
        }
    } else {
        fprintf(json, ",\"ratio\":null");
        printf("  peer not measured");
    }
    fprintf(json, "}\n");
    printf("\n");
    fflush(stdout);
}

static const tq_model *builtin(const char *name)
{
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        if (strcmp(tqa_builtin_name(i), name) == 0) {
            size_t n = 0;
            tqa_media media = TQA_MEDIA_NONE;
            const char *bytes = tqa_builtin_bytes(i, &n, &media);
            tqa_problem problem;
            const tqa_robot *robot = tqa_robot_parse(media, bytes, n, &problem); /* to the end */
            if (robot != NULL) {
                return robot->model;
            }
        }
    }
    fprintf(stderr, "no built-in robot %s\n", name);
    exit(2);
}

static stage prepare(const char *name, const tq_model *model)
{
    stage s = {.robot = name, .model = model};
    tq_error error = {0};
    const size_t size = tq_mechanism_size(model);
    s.memory = tqt_doubles(size / sizeof(double) + 1);
    if (tq_mechanism_build(model, s.memory, size, &s.mechanism, &error) != TQ_OK) {
        fprintf(stderr, "%s: no mechanism: %s\n", name, error.what);
        exit(2);
    }
    s.states = tqt_random_states(1, model, SAMPLES);
    s.tau = tqt_doubles(model->nv * s.states.stride);
    tq_scratch_init(&s.scratch, tqt_doubles(SCRATCH / sizeof(double)), SCRATCH);
    run_rnea(&s, SAMPLES); /* torques for forward dynamics */
    if (bench_peer_version() != NULL) {
        s.peer = bench_peer_new(model, SAMPLES, s.states.stride, s.states.q, s.states.qd,
                                s.states.qdd, s.tau);
    }
    return s;
}

int main(int argc, char **argv)
{
    FILE *json = fopen(argc > 1 ? argv[1] : "/dev/null", "w");
    if (json == NULL || tq_lanes_select(0) != TQ_OK) {
        perror("bench");
        return 2;
    }
    const char *version = bench_peer_version();
    printf("kernels, one thread, peer %s; median of %d interleaved rounds, ratio with quartiles\n",
           version != NULL ? version : "not measured (make deps-bench)", ROUNDS);
    stage stages[] = {
        prepare("panda", builtin("panda")),    prepare("ur5e", builtin("ur5e")),
        prepare("tree-30", bench_tree(30)),    prepare("quadruped", bench_quadruped()),
        prepare("humanoid", bench_humanoid()),
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (size_t k = 0; k < sizeof stages / sizeof stages[0]; k++) {
            for (unsigned width = tq_lanes_widest(); width >= 1; width /= 2) {
                tq_lanes_select(width);
                measure(&stages[k], &rows[r], SAMPLES, json);
            }
            tq_lanes_select(0);
            measure(&stages[k], &rows[r], 1, json);
        }
    }
    fclose(json);
    return 0;
}
