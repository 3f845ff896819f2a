/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/samples.c - two logs of the built-in panda, computed once. */
#include "daemon/datasets/samples.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/dataset.h"
#include "api/operation.h"
#include "daemon/store/sha256.h"

enum { JOINTS = 7, ROWS = 2000, HEADER = 128, LINE = 16 + 2 * JOINTS * 20, HARMONICS = 3 };

static const char *const names[TQD_SAMPLES] = {"sample-panda-1", "sample-panda-2"};
static tqd_sample samples[TQD_SAMPLES];
static bool is_good;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* q | qd | qdd of each row: three harmonics of 0.1 Hz about the middle of the joint's range */
static void fill_motion(double *rows, unsigned phase)
{
    static const double middle[JOINTS] = {0, -0.6, 0, -1.8, 0, 1.6, 0.3};
    for (size_t i = 0; i < ROWS; i++) {
        double *q = rows + i * 3 * JOINTS;
        for (size_t j = 0; j < JOINTS; j++) {
            q[j] = middle[j];
            q[JOINTS + j] = q[2 * JOINTS + j] = 0.0;
            for (unsigned k = 1; k <= HARMONICS; k++) {
                const double w = 2.0 * 3.14159265358979323846 * 0.1 * k;
                const double a = 0.34 / k;
                const double angle = w * 0.005 * (double)i + (double)j * (k + 1) + 2.0 * phase;
                q[j] += a * sin(angle);
                q[JOINTS + j] += a * w * cos(angle);
                q[2 * JOINTS + j] -= a * w * w * sin(angle);
            }
        }
    }
}

/* the answer to a call whose body and answer are NPY; the torques are its last bytes */
static bool run_call(tqa_call *call, const char *body, size_t n_body, double *tau)
{
    const size_t n_tau = (size_t)ROWS * JOINTS * sizeof(double);
    char *answer = malloc(n_tau + 4096);
    char *scratch = NULL;
    size_t n = 0;
    bool good = answer != NULL && tqa_call_feed(call, body, n_body) && tqa_call_finish(call);
    if (good) {
        const size_t need = (tqa_call_scratch_size(call) + 63) / 64 * 64 + 64;
        scratch = aligned_alloc(64, need);
        good = scratch != NULL && tqa_call_run(call, NULL, scratch, need);
    }
    while (good && n + 4096 <= n_tau + 4096) {
        const size_t some = tqa_call_read(call, answer + n, n_tau + 4096 - n);
        n += some;
        if (some == 0) {
            break;
        }
    }
    good = good && n >= n_tau;
    if (good) {
        memcpy(tau, answer + n - n_tau, n_tau);
    }
    free(scratch);
    free(answer);
    return good;
}

static tqa_robot *parse_panda(void)
{
    tqa_problem ignored;
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        if (strcmp(tqa_builtin_name(i), "panda") == 0) {
            size_t n = 0;
            tqa_media media = TQA_MEDIA_NONE;
            const char *bytes = tqa_builtin_bytes(i, &n, &media);
            return tqa_robot_parse(media, bytes, n, &ignored);
        }
    }
    return NULL;
}

static bool compute_torques(const tqa_robot *robot, const double *rows, double *tau)
{
    static const char name[] = "inverse-dynamics";
    const size_t n_rows = (size_t)ROWS * 3 * JOINTS * sizeof(double);
    char *body = malloc(HEADER + n_rows);
    tqa_problem problem;
    bool good = false;
    if (body != NULL) {
        const int used = snprintf(body + 10, HEADER - 10,
                                  "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                                  (int)ROWS, 3 * JOINTS);
        memcpy(body, "\x93NUMPY\x01\x00\x76\x00", 10);
        memset(body + 10 + used, ' ', (size_t)(HEADER - 10 - used));
        body[HEADER - 1] = '\n';
        memcpy(body + HEADER, rows, n_rows);
        const tqa_call_head head = {.content = TQA_MEDIA_NPY,
                                    .accept = TQA_MEDIA_NPY,
                                    .request_id = "",
                                    .content_length = HEADER + n_rows};
        tqa_call *call =
            tqa_call_open(tqa_operation_find(name, sizeof name - 1, true), robot, &head, &problem);
        good = call != NULL && run_call(call, body, HEADER + n_rows, tau);
        tqa_call_close(call);
    }
    free(body);
    return good;
}

/* uniform in [-0.5, 0.5): splitmix64 */
static double next_noise(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5;
}

static size_t print_log(char *text, size_t size, const double *rows, const double *tau,
                        uint64_t seed)
{
    size_t n = (size_t)snprintf(text, size, "t");
    for (unsigned k = 0; k < 2 * JOINTS; k++) {
        n += (size_t)snprintf(text + n, size - n, ",%s_%u", k < JOINTS ? "q" : "tau", k % JOINTS);
    }
    n += (size_t)snprintf(text + n, size - n, "\n");
    for (size_t i = 0; i < ROWS; i++) {
        const double *q = rows + i * 3 * JOINTS;
        n += (size_t)snprintf(text + n, size - n, "%.3f", 0.005 * (double)i);
        for (size_t j = 0; j < JOINTS; j++) {
            n += (size_t)snprintf(text + n, size - n, ",%.7f", q[j] + 1e-6 * next_noise(&seed));
        }
        for (size_t j = 0; j < JOINTS; j++) {
            const double qd = q[JOINTS + j];
            n += (size_t)snprintf(text + n, size - n, ",%.4f",
                                  tau[i * JOINTS + j] + 4.0 * tanh(qd / 0.005) + 6.0 * qd + 0.5 +
                                      0.1 * next_noise(&seed));
        }
        n += (size_t)snprintf(text + n, size - n, "\n");
    }
    return n;
}

/* sets the row that a PUT of the bytes would have stored */
static bool describe(tqd_sample *sample, const char *name, size_t n)
{
    const tqa_dataset_options options = {.format = TQA_DATASET_CSV};
    tqa_dataset *dataset = tqa_dataset_open(&options, NULL);
    size_t n_summary = 0;
    bool good = dataset != NULL && tqa_dataset_feed(dataset, sample->bytes, n) &&
                tqa_dataset_finish(dataset) && tqd_sha256_of(sample->bytes, n, sample->row.digest);
    if (good) {
        snprintf(sample->row.name, sizeof sample->row.name, "%s", name);
        snprintf(sample->row.media, sizeof sample->row.media, "%s", tqa_dataset_media(dataset));
        sample->row.size = n;
        sample->row.n_row = tqa_dataset_rows(dataset);
        sample->row.n_column = tqa_dataset_width(dataset);
        sample->summary = tqa_dataset_summary(dataset, &n_summary);
        good = sample->summary != NULL;
    }
    tqa_dataset_close(dataset);
    return good;
}

static void make_samples(void)
{
    tqa_robot *robot = parse_panda();
    double *rows = malloc((size_t)ROWS * 3 * JOINTS * sizeof *rows);
    double *tau = malloc((size_t)ROWS * JOINTS * sizeof *tau);
    is_good = robot != NULL && rows != NULL && tau != NULL;
    for (unsigned k = 0; is_good && k < TQD_SAMPLES; k++) {
        const size_t size = (size_t)(ROWS + 1) * LINE;
        fill_motion(rows, k);
        samples[k].bytes = malloc(size);
        is_good = samples[k].bytes != NULL && compute_torques(robot, rows, tau);
        if (is_good) {
            const size_t n = print_log(samples[k].bytes, size, rows, tau, k);
            char *fitting = realloc(samples[k].bytes, n);
            samples[k].bytes = fitting != NULL ? fitting : samples[k].bytes;
            is_good = describe(&samples[k], names[k], n);
        }
    }
    free(rows);
    free(tau);
    tqa_robot_free(robot);
}

const tqd_sample *tqd_samples(void)
{
    (void)pthread_once(&once, make_samples);
    return is_good ? samples : NULL;
}

bool tqd_sample_is_name(const char *name)
{
    for (size_t k = 0; k < TQD_SAMPLES; k++) {
        if (strcmp(names[k], name) == 0) {
            return true;
        }
    }
    return false;
}

const tqd_sample *tqd_sample_find(const char *name, size_t n)
{
    for (size_t k = 0; k < TQD_SAMPLES; k++) {
        if (strlen(names[k]) == n && memcmp(names[k], name, n) == 0) {
            const tqd_sample *all = tqd_samples();
            return all != NULL ? &all[k] : NULL;
        }
    }
    return NULL;
}
