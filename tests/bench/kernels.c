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

enum { ROUNDS = 31, SAMPLES = TQ_BLOCK, SCRATCH = 64 << 20, EIGHT = TQ_BLOCK_PAD };
static const double round_seconds = 2e-3;

/* everything one row needs: a robot, its states in both forms, room for results */
typedef struct stage {
    const char *robot;
    const tq_model *model;
    const tq_mechanism *mechanism;
    void *memory;
    tqt_states states;
    double *tau, *out;
    size_t filled;     /* samples of a regressor that stands in `out` */
    size_t piece;      /* samples of one block of the row at hand */
    double *pieces[4]; /* q, qd, qdd, tau in blocks of `piece` */
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

static void must(tq_status status, const char *what, const tq_error *error)
{
    if (status != TQ_OK) {
        fprintf(stderr, "%s: %s %s %zu\n", what, tq_status_text(status), error->what, error->index);
        exit(2);
    }
}

/* the block that starts at sample `first`, or one sample alone */
static tq_inverse_input inverse_input(const stage *s, size_t first, size_t n_sample)
{
    const size_t nq = s->model->nq, nv = s->model->nv;
    return (tq_inverse_input){.n_sample = n_sample < s->piece ? n_sample : s->piece,
                              .stride = s->piece,
                              .q = s->pieces[0] + first * nq,
                              .qd = s->pieces[1] + first * nv,
                              .qdd = s->pieces[2] + first * nv};
}

static void run_rnea(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must(tq_inverse_dynamics(s->mechanism, &in, &s->scratch, s->out, &error), "rnea", &error);
    }
}

static void run_aba(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input at = inverse_input(s, first, n_sample);
        const tq_forward_input in = {.n_sample = at.n_sample,
                                     .stride = at.stride,
                                     .q = at.q,
                                     .qd = at.qd,
                                     .tau = s->pieces[3] + first * s->model->nv};
        must(tq_forward_dynamics(s->mechanism, &in, &s->scratch, s->out, &error), "aba", &error);
    }
}

/* Matrices into one array, block after block, as solvers take them and the peer writes them: of M
 * the upper triangle, and zeros between branches are written once. */
static void run_crba(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must((s->filled >= in.n_sample ? tq_mass_matrix_again : tq_mass_matrix)(
                 s->mechanism, in.n_sample, in.stride, in.q, 0, &s->scratch, s->out, &error),
             "crba", &error);
        s->filled = in.n_sample;
    }
}

/* both triangles and all zeros */
static void run_crba_whole(stage *s, size_t n_sample)
{
    s->filled = 0;
    for (size_t first = 0; first < n_sample; first += s->piece) {
        tq_error error = {0};
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must(tq_mass_matrix(s->mechanism, in.n_sample, in.stride, in.q, 0, &s->scratch, s->out,
                            &error),
             "crba", &error);
    }
}

static void run_coriolis(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must((s->filled >= in.n_sample ? tq_coriolis_matrix_again : tq_coriolis_matrix)(
                 s->mechanism, in.n_sample, in.stride, in.q, in.qd, &s->scratch, s->out, &error),
             "coriolis", &error);
        s->filled = in.n_sample;
    }
}

static void run_regressor(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must(s->filled >= in.n_sample
                 ? tq_regressor_batch_again(s->mechanism, &in, &s->scratch, s->out, &error)
                 : tq_regressor_batch(s->mechanism, &in, &s->scratch, s->out, &error),
             "regressor", &error);
        s->filled = in.n_sample;
    }
}

static void run_derivatives(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must(tq_derivatives_batch(s->mechanism, &in, &s->scratch, s->out, &error), "derivatives",
             &error);
    }
}

static void run_momentum(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must(tq_momentum_batch(s->mechanism, &in, &s->scratch, s->out, &error), "momentum", &error);
    }
}

/* Samples of a block: 256 for rows a coordinate; for matrices what keeps a block's answer within
 * 256 KiB, as their users (solvers, fits) take them. */
static size_t piece_of(const stage *s, const row *r)
{
    const size_t nv = s->model->nv, n_parameter = tq_parameter_count(s->model, 0);
    const size_t n_row = r->run == run_regressor     ? nv * n_parameter
                         : r->run == run_derivatives ? 2 * nv * nv
                                                     : nv * nv;
    if (r->run == run_rnea || r->run == run_aba || r->run == run_momentum) {
        return SAMPLES;
    }
    size_t fits = SAMPLES;
    while (fits > EIGHT && n_row * fits > (256 << 10) / sizeof(double)) {
        fits /= 2;
    }
    return fits;
}

static double differ_vector(const stage *s, bench_kernel kernel, const double *ours)
{
    double worst = 0, scale = 0;
    for (size_t i = 0; i < s->model->nv; i++) {
        const double x = ours[i * s->piece + s->piece - 1];
        worst = fmax(worst, fabs(x - bench_peer_vector(s->peer, kernel, i)));
        scale = fmax(scale, fabs(x));
    }
    return worst / scale;
}

/* of symmetric matrices the upper triangle */
static double differ_matrix(const stage *s, bench_kernel kernel)
{
    double worst = 0, scale = 0;
    const size_t nv = s->model->nv;
    for (size_t i = 0; i < nv; i++) {
        for (size_t k = kernel == BENCH_CRBA_LOCAL ? i : 0; k < nv; k++) {
            const double x = s->out[(i * nv + k) * s->piece + s->piece - 1];
            worst = fmax(worst, fabs(x - bench_peer_matrix(s->peer, kernel, i, k)));
            scale = fmax(scale, fabs(x));
        }
    }
    return worst / scale;
}

static double differ_rnea(const stage *s)
{
    return differ_vector(s, BENCH_RNEA, s->out);
}

static double differ_aba(const stage *s)
{
    return differ_vector(s, BENCH_ABA_LOCAL, s->out);
}

static double differ_crba(const stage *s)
{
    return differ_matrix(s, BENCH_CRBA_LOCAL);
}

static double differ_coriolis(const stage *s)
{
    return differ_matrix(s, BENCH_CORIOLIS);
}

static double differ_derivatives(const stage *s)
{
    return differ_matrix(s, BENCH_DERIVATIVES);
}

static double differ_momentum(const stage *s)
{
    const size_t last = s->piece - 1;
    double worst = 0, scale = 0;
    for (size_t i = 0; i < 6; i++) {
        const size_t at = i < 3 ? TQ_MOMENTUM_LINEAR + i : TQ_MOMENTUM_ANGULAR_COM + i - 3;
        const double want = bench_peer_momentum(s->peer, i);
        worst = fmax(worst, fabs(s->out[at * s->piece + last] - want));
        scale = fmax(scale, fabs(want));
    }
    return worst / scale;
}

/* the peer's columns are of other parameters: Y times ours is the torque, which rnea compared */
static double differ_regressor(const stage *s)
{
    const size_t nv = s->model->nv, n = tq_parameter_count(s->model, 0);
    double *pi = tqt_doubles(n);
    double worst = 0, scale = 0;
    tq_parameter_values(s->model, 0, pi);
    for (size_t i = 0; i < nv; i++) {
        double tau = 0;
        for (size_t k = 0; k < n; k++) {
            tau += s->out[(i * n + k) * s->piece + s->piece - 1] * pi[k];
        }
        const double want = s->tau[i * s->states.stride + SAMPLES - 1];
        worst = fmax(worst, fabs(tau - want));
        scale = fmax(scale, fabs(want));
    }
    free(pi);
    return worst / scale;
}

static const row kernels[] = {
    {"rnea", BENCH_RNEA, run_rnea, differ_rnea},
    {"aba", BENCH_ABA_LOCAL, run_aba, differ_aba},
    {"crba", BENCH_CRBA_LOCAL, run_crba, differ_crba},
    {"crba-whole", BENCH_CRBA_LOCAL, run_crba_whole, differ_crba},
    {"regressor", BENCH_REGRESSOR, run_regressor, differ_regressor},
    {"coriolis", BENCH_CORIOLIS, run_coriolis, differ_coriolis},
    {"derivatives", BENCH_DERIVATIVES, run_derivatives, differ_derivatives},
    {"momentum", BENCH_MOMENTUM, run_momentum, differ_momentum},
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
    fprintf(
        json,
        "{\"kernel\":\"%s\",\"robot\":\"%s\",\"nv\":%u,\"how\":\"%s\",\"lanes\":%u,\"block\":%zu,\"ns\":%.5g",
        r->kernel, s->robot, s->model->nv, how, tq_lanes_width(), s->piece, ns);
    printf("%-11s %-10s %3u  %-6s %u lanes %9.1f ns", r->kernel, s->robot, s->model->nv, how,
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

/* the states in blocks of `piece` samples */
static void cut(stage *s, size_t piece)
{
    const double *from[4] = {s->states.q, s->states.qd, s->states.qdd, s->tau};
    s->piece = piece;
    s->filled = 0;
    for (int k = 0; k < 4; k++) {
        const size_t n_row = k == 0 ? s->model->nq : s->model->nv;
        for (size_t i = 0; i < SAMPLES; i++) {
            for (size_t r = 0; r < n_row; r++) {
                s->pieces[k][(i - i % piece) * n_row + r * piece + i % piece] =
                    from[k][r * s->states.stride + i];
            }
        }
    }
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
    const size_t nv = model->nv, n_parameter = tq_parameter_count(model, 0);
    s.out = tqt_doubles(nv * (2 * nv > n_parameter ? 2 * nv : n_parameter) * SAMPLES);
    for (int k = 0; k < 4; k++) {
        s.pieces[k] = tqt_doubles((k == 0 ? model->nq : nv) * SAMPLES);
    }
    tq_scratch_init(&s.scratch, tqt_doubles(SCRATCH / sizeof(double)), SCRATCH);
    cut(&s, SAMPLES);
    run_rnea(&s, SAMPLES); /* torques for forward dynamics */
    for (size_t r = 0; r < nv; r++) {
        memcpy(s.tau + r * s.states.stride, s.out + r * SAMPLES, SAMPLES * sizeof *s.tau);
    }
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
    for (size_t r = 0; r < sizeof kernels / sizeof kernels[0]; r++) {
        if (argc > 2 && strcmp(argv[2], kernels[r].kernel) != 0) {
            continue;
        }
        for (size_t k = 0; k < sizeof stages / sizeof stages[0]; k++) {
            cut(&stages[k], piece_of(&stages[k], &kernels[r]));
            for (unsigned width = tq_lanes_widest(); width >= 1; width /= 2) {
                tq_lanes_select(width);
                measure(&stages[k], &kernels[r], SAMPLES, json);
            }
            tq_lanes_select(0);
            cut(&stages[k], EIGHT);
            measure(&stages[k], &kernels[r], 1, json);
        }
    }
    fclose(json);
    return 0;
}
