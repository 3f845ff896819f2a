/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/kernels.c - our kernels against two releases of Pinocchio, interleaved, one thread: a
 * table and JSON lines. kernels FILE [PEER_OF_TARGETS|- [PEER_NEWEST|- [KERNEL]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/robots/parsed.h"
#include "core/dynamics/coriolis.h"
#include "core/dynamics/regressor/regressor_batch.h"
#include "core/torqued.h"
#include "tests/bench/peers.h"
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
    _Bool whole;       /* every block with all of its zeros */
    size_t filled;     /* samples of the regressor in `out` */
    size_t piece;      /* samples of one block of the row at hand */
    double *pieces[4]; /* q, qd, qdd, tau in blocks of `piece` */
    tq_scratch scratch;
} stage;

/* the same robot in one release of the peer; no calls: it is not there */
typedef struct rival {
    const bench_peer_calls *calls;
    bench_peer *robot;
} rival;

typedef struct row {
    const char *kernel;
    bench_kernel peer; /* the faster of its conventions is the peer */
    void (*run)(stage *s, size_t n_sample);
    /* largest difference to a peer's last state, relative */
    double (*differ)(const stage *s, const rival *peer);
    _Bool whole; /* see run_crba */
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
 * the upper triangle, and zeros between branches are written once; s->whole: both triangles and all
 * zeros. */
static void run_crba(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must((!s->whole && s->filled >= in.n_sample ? tq_mass_matrix_again : tq_mass_matrix)(
                 s->mechanism, in.n_sample, in.stride, in.q, 0, &s->scratch, s->out, &error),
             "crba", &error);
        s->filled = in.n_sample;
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
        const _Bool again = !s->whole && s->filled >= in.n_sample; /* as crba */
        must((again ? tq_derivatives_batch_again
                    : tq_derivatives_batch)(s->mechanism, &in, &s->scratch, s->out, &error),
             "derivatives", &error);
        s->filled = in.n_sample;
    }
}

/* with zeros between branches, which the peer has from before */
static void run_second(stage *s, size_t n_sample)
{
    tq_error error = {0};
    for (size_t first = 0; first < n_sample; first += s->piece) {
        const tq_inverse_input in = inverse_input(s, first, n_sample);
        must(tq_second_derivatives_batch(s->mechanism, &in, &s->scratch, s->out, &error),
             "second derivatives", &error);
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
 * 256 KiB, as solvers take them; eight for the regressor, which is not stored. */
static size_t piece_of(const stage *s, const row *r)
{
    const size_t nv = s->model->nv;
    const size_t n_row = r->run == run_second           ? 4 * nv * nv * nv
                         : r->peer == BENCH_DERIVATIVES ? 2 * nv * nv
                                                        : nv * nv;
    if (r->run == run_rnea || r->run == run_aba || r->run == run_momentum) {
        return SAMPLES;
    }
    size_t fits = r->run == run_regressor ? (size_t)EIGHT : (size_t)SAMPLES;
    while (fits > EIGHT && n_row * fits > (256 << 10) / sizeof(double)) {
        fits /= 2;
    }
    return fits;
}

static double differ_vector(const stage *s, const rival *peer, bench_kernel kernel)
{
    double worst = 0, scale = 0;
    for (size_t i = 0; i < s->model->nv; i++) {
        const double x = s->out[i * s->piece + s->piece - 1];
        worst = fmax(worst, fabs(x - peer->calls->vector(peer->robot, kernel, i)));
        scale = fmax(scale, fabs(x));
    }
    return worst / scale;
}

/* of symmetric matrices the upper triangle */
static double differ_matrix(const stage *s, const rival *peer, bench_kernel kernel)
{
    double worst = 0, scale = 0;
    const size_t nv = s->model->nv;
    for (size_t i = 0; i < nv; i++) {
        for (size_t k = kernel == BENCH_CRBA_LOCAL ? i : 0; k < nv; k++) {
            const double x = s->out[(i * nv + k) * s->piece + s->piece - 1];
            worst = fmax(worst, fabs(x - peer->calls->matrix(peer->robot, kernel, i, k)));
            scale = fmax(scale, fabs(x));
        }
    }
    return worst / scale;
}

static double differ_rnea(const stage *s, const rival *peer)
{
    return differ_vector(s, peer, BENCH_RNEA);
}

static double differ_aba(const stage *s, const rival *peer)
{
    return differ_vector(s, peer, BENCH_ABA_LOCAL);
}

static double differ_crba(const stage *s, const rival *peer)
{
    return differ_matrix(s, peer, BENCH_CRBA_LOCAL);
}

static double differ_coriolis(const stage *s, const rival *peer)
{
    return differ_matrix(s, peer, BENCH_CORIOLIS);
}

static double differ_derivatives(const stage *s, const rival *peer)
{
    return differ_matrix(s, peer, BENCH_DERIVATIVES);
}

static double differ_second(const stage *s, const rival *peer)
{
    const size_t nv = s->model->nv, last = s->piece - 1;
    double worst[4] = {0}, scale[4] = {0}, ret = 0;
    for (size_t e = 0; e < 4 * nv * nv * nv; e++) {
        const size_t of = e / (nv * nv * nv), i = e / (nv * nv) % nv, j = e / nv % nv, k = e % nv;
        const double x = s->out[e * s->piece + last];
        worst[of] = fmax(worst[of], fabs(x - peer->calls->second(peer->robot, of, i, j, k)));
        scale[of] = fmax(scale[of], fabs(x));
    }
    for (size_t of = 0; of < 4; of++) {
        ret = fmax(ret, worst[of] / scale[of]);
    }
    return ret;
}

static double differ_momentum(const stage *s, const rival *peer)
{
    const size_t last = s->piece - 1;
    double worst = 0, scale = 0;
    for (size_t i = 0; i < 6; i++) {
        const size_t at = i < 3 ? TQ_MOMENTUM_LINEAR + i : TQ_MOMENTUM_ANGULAR_COM + i - 3;
        const double want = peer->calls->momentum(peer->robot, i);
        worst = fmax(worst, fabs(s->out[at * s->piece + last] - want));
        scale = fmax(scale, fabs(want));
    }
    return worst / scale;
}

/* the peer's columns are of other parameters: Y times ours is the torque, which rnea compared */
static double differ_regressor(const stage *s, const rival *peer)
{
    (void)peer;
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
    {"rnea", BENCH_RNEA, run_rnea, differ_rnea, 0},
    {"aba", BENCH_ABA_LOCAL, run_aba, differ_aba, 0},
    {"crba", BENCH_CRBA_LOCAL, run_crba, differ_crba, 0},
    {"crba-whole", BENCH_CRBA_LOCAL, run_crba, differ_crba, 1},
    {"regressor", BENCH_REGRESSOR, run_regressor, differ_regressor, 0},
    {"coriolis", BENCH_CORIOLIS, run_coriolis, differ_coriolis, 0},
    {"derivatives", BENCH_DERIVATIVES, run_derivatives, differ_derivatives, 0},
    {"derivatives-whole", BENCH_DERIVATIVES, run_derivatives, differ_derivatives, 1},
    {"second", BENCH_SECOND, run_second, differ_second, 0},
    {"momentum", BENCH_MOMENTUM, run_momentum, differ_momentum, 0},
};

/* What "at least" says (times as fast as the peer of the targets): fixed arms in blocks by 8 and by
 * 4 lanes, trees and floating bases by 8, one call. 0: none. */
static const struct target {
    const char *kernel;
    double arm8, arm4, tree8, single;
} targets[] = {
    {"rnea", 20, 12, 18, 3.5},     {"aba", 16, 10, 15, 2.6},
    {"crba", 12, 8, 10, 2},        {"crba-whole", 12, 8, 10, 0},
    {"regressor", 18, 12, 10, 0},  {"coriolis", 15, 9, 14, 0},
    {"derivatives", 12, 0, 12, 3}, {"derivatives-whole", 12, 0, 12, 0},
    {"momentum", 12, 0, 12, 3},
};

static double target_of(const char *kernel, const char *robot, unsigned lanes, size_t n)
{
    const int arm = strcmp(robot, "panda") == 0 || strcmp(robot, "ur5e") == 0;
    for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++) {
        if (strcmp(targets[k].kernel, kernel) == 0) {
            const struct target *t = &targets[k];
            return n == 1       ? t->single
                   : lanes == 8 ? (arm ? t->arm8 : t->tree8)
                   : lanes == 4 ? (arm ? t->arm4 : 0)
                                : 0;
        }
    }
    return 0;
}

enum { OURS = 5, RUNNERS = OURS + BENCH_PEERS };

/* one of those that take turns in every round: ours at a lane width, or one sample, or a peer */
typedef struct runner {
    stage *stage;
    const row *row;
    const rival *peer; /* NULL: ours */
    unsigned lanes;
    size_t n_sample;        /* of one run */
    size_t times;           /* runs of one timing */
    double seconds[ROUNDS]; /* a sample */
} runner;

static double time_once(runner *r)
{
    if (r->peer == NULL) {
        tq_lanes_select(r->lanes);
    }
    const double start = now();
    for (size_t i = 0; i < r->times; i++) {
        if (r->peer == NULL) {
            r->row->run(r->stage, r->n_sample);
        } else {
            r->peer->calls->run(r->peer->robot, r->row->peer);
        }
    }
    return now() - start;
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

/* all of a kernel and robot in turns */
static size_t take_turns(runner *runners, stage *batch, stage *single, const rival *peers,
                         const row *r)
{
    size_t n = 0;
    for (unsigned width = tq_lanes_widest(); width >= 1; width /= 2) {
        runners[n++] =
            (runner){.stage = batch, .row = r, .lanes = width, .n_sample = SAMPLES, .times = 1};
    }
    runners[n++] =
        (runner){.stage = single, .row = r, .lanes = tq_lanes_widest(), .n_sample = 1, .times = 1};
    for (size_t k = 0; k < BENCH_PEERS; k++) {
        if (peers[k].calls != NULL) {
            runners[n++] = (runner){.row = r, .peer = &peers[k], .n_sample = SAMPLES, .times = 1};
        }
    }
    for (size_t k = 0; k < n; k++) {
        while (time_once(&runners[k]) < round_seconds) {
            runners[k].times *= 2;
        }
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < n; k++) {
            runners[k].seconds[round] =
                time_once(&runners[k]) / (double)(runners[k].times * runners[k].n_sample);
        }
    }
    return n;
}

/* a fast wrong answer is no figure */
static void must_agree(stage *s, const row *r, const rival *peer)
{
    r->run(s, SAMPLES);
    peer->calls->run(peer->robot, r->peer);
    const double differ = r->differ(s, peer);
    if (!(differ < 1e-9)) {
        printf("%s %s: RESULTS DIFFER by %.1e from %s\n", r->kernel, s->robot, differ,
               peer->calls->version);
        exit(1);
    }
}

/* one row's ratio to one peer, into the table and, under `key`, into the JSON */
static void report_ratio(const runner *ours, const runner *peer, double target, const char *key,
                         FILE *json)
{
    if (peer == NULL) {
        fprintf(json, ",\"%sratio\":null", key);
        printf("  %-35s", "not measured");
        return;
    }
    double ratio[ROUNDS];
    for (size_t k = 0; k < ROUNDS; k++) {
        ratio[k] = peer->seconds[k] / ours->seconds[k];
    }
    const double ns = 1e9 * quantile(peer->seconds, 0.5), median = quantile(ratio, 0.5);
    const double low = quantile(ratio, 0.25), high = quantile(ratio, 0.75);
    fprintf(json, ",\"%speer_ns\":%.5g,\"%sratio\":%.4g,\"%sratio_quartiles\":[%.4g,%.4g]", key, ns,
            key, median, key, low, high);
    printf("  %7.0f ns %6.2fx (%5.2f .. %5.2f) %s", ns, median, low, high,
           median < target ? "<" : " ");
}

/* the peer's runner among those that took turns, NULL when it is not there */
static const runner *runner_of(const runner *runners, size_t n, const rival *peer)
{
    for (size_t k = 0; k < n; k++) {
        if (runners[k].peer == peer) {
            return &runners[k];
        }
    }
    return NULL;
}

static void measure(stage *batch, stage *single, const rival *peers, const row *r, FILE *json)
{
    static runner runners[RUNNERS];
    const size_t n = take_turns(runners, batch, single, peers, r);
    const runner *peer[BENCH_PEERS];
    for (size_t k = 0; k < BENCH_PEERS; k++) {
        peer[k] = runner_of(runners, n, &peers[k]);
        if (peer[k] != NULL) {
            must_agree(batch, r, &peers[k]);
        }
    }
    for (const runner *at = runners; at < runners + n && at->peer == NULL; at++) {
        const char *how = at->n_sample == 1 ? "single" : "batch";
        const double ns = 1e9 * quantile(at->seconds, 0.5);
        const double target = target_of(r->kernel, batch->robot, at->lanes, at->n_sample);
        fprintf(
            json,
            "{\"kernel\":\"%s\",\"robot\":\"%s\",\"nv\":%u,\"how\":\"%s\",\"lanes\":%u,\"block\":%zu,\"ns\":%.5g",
            r->kernel, batch->robot, batch->model->nv, how, at->lanes, at->stage->piece, ns);
        printf("%-17s %-10s %-6s %u %8.1f ns", r->kernel, batch->robot, how, at->lanes, ns);
        report_ratio(at, peer[BENCH_PEER_OF_TARGETS], target, "", json);
        report_ratio(at, peer[BENCH_PEER_NEWEST], target, "newest_", json);
        if (target > 0) {
            fprintf(json, ",\"target\":%g", target);
            printf("  of %g", target);
        }
        fprintf(json, "}\n");
        printf("\n");
    }
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
    const size_t second = 4 * nv * nv * nv * EIGHT; /* more only where 256 KiB are enough */
    const size_t rows = nv * (2 * nv > n_parameter ? 2 * nv : n_parameter) * SAMPLES;
    s.out = tqt_doubles(second > rows ? second : rows);
    for (int k = 0; k < 4; k++) {
        s.pieces[k] = tqt_doubles((k == 0 ? model->nq : nv) * SAMPLES);
    }
    tq_scratch_init(&s.scratch, tqt_doubles(SCRATCH / sizeof(double)), SCRATCH);
    cut(&s, SAMPLES);
    run_rnea(&s, SAMPLES); /* torques for forward dynamics */
    for (size_t r = 0; r < nv; r++) {
        memcpy(s.tau + r * s.states.stride, s.out + r * SAMPLES, SAMPLES * sizeof *s.tau);
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
    rival peers[BENCH_PEERS] = {{0}};
    printf(
        "kernels, one thread, median of %d interleaved rounds, ratio with quartiles; \"<\": below "
        "the target\n",
        ROUNDS);
    for (int k = 0; k < BENCH_PEERS; k++) {
        peers[k].calls = bench_peer_open(argc > 2 + k ? argv[2 + k] : NULL);
        printf("%s: %s\n", k == 0 ? "first, the peer of the targets" : "second, its newest release",
               peers[k].calls != NULL ? peers[k].calls->version : "not measured (make deps-bench)");
    }
    const struct {
        const char *name;
        const tq_model *model;
    } robots[] = {
        {"panda", builtin("panda")},    {"ur5e", builtin("ur5e")},
        {"tree-30", bench_tree(30)},    {"quadruped", bench_quadruped()},
        {"humanoid", bench_humanoid()},
    };
    for (size_t k = 0; k < sizeof robots / sizeof robots[0]; k++) {
        stage batch = prepare(robots[k].name, robots[k].model);
        stage single = prepare(robots[k].name, robots[k].model);
        for (int e = 0; e < BENCH_PEERS; e++) {
            if (peers[e].calls != NULL) {
                peers[e].robot =
                    peers[e].calls->make(batch.model, SAMPLES, batch.states.stride, batch.states.q,
                                         batch.states.qd, batch.states.qdd, batch.tau);
            }
        }
        for (size_t r = 0; r < sizeof kernels / sizeof kernels[0]; r++) {
            if (argc > 4 && strcmp(argv[4], kernels[r].kernel) != 0) {
                continue;
            }
            batch.whole = single.whole = kernels[r].whole;
            cut(&batch, piece_of(&batch, &kernels[r]));
            cut(&single, EIGHT);
            measure(&batch, &single, peers, &kernels[r], json);
        }
    }
    fclose(json);
    return 0;
}
