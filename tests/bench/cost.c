/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/cost.c - tqa_call_cost_us against the time that run and encode take: the estimate
 * decides which calls an I/O thread computes itself. Usage: cost. Medians of CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/operation.h"
#include "api/robots/builtin/builtin.h"

enum { ROUNDS = 41, SAMPLES_MAX = 4096, ROOM = 1 << 24, LINE = 64 };

static char body[ROOM];
static char out[1 << 16];

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static size_t write_body(const tqa_robot *robot, size_t n_sample, const char *rest)
{
    static const char *const names[] = {"q", "qd", "qdd"};
    char *p = body;
    unsigned state = 1;
    for (size_t k = 0; k < 3; k++) {
        p += snprintf(p, LINE, "%s\"%s\":[", k == 0 ? "{" : ",", names[k]);
        for (size_t i = 0; i < n_sample; i++) {
            p += snprintf(p, LINE, "%s[", i > 0 ? "," : "");
            for (size_t j = 0; j < robot->model->nv; j++) {
                state = state * 1664525u + 1013904223u;
                p += snprintf(p, LINE, "%s%.17g", j > 0 ? "," : "", (double)state * 0x1p-32 - 0.5);
            }
            *p++ = ']';
        }
        *p++ = ']';
    }
    p += snprintf(p, LINE, "%s}", rest);
    return (size_t)(p - body);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, size_t n_sample, tqa_media accept, const char *rest)
{
    size_t n = 0;
    tqa_media media = TQA_MEDIA_NONE;
    tqa_problem problem;
    tqa_robot *robot = NULL;
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        if (strcmp(tqa_builtin_name(i), name) == 0) {
            const char *bytes = tqa_builtin_bytes(i, &n, &media);
            robot = tqa_robot_parse(media, bytes, n, &problem);
        }
    }
    if (robot == NULL || robot->model->nq != robot->model->nv) {
        printf("%-10s not measured\n", name);
        return;
    }
    n = write_body(robot, n_sample, rest);
    const tqa_call_head head = {
        .content = TQA_MEDIA_JSON, .accept = accept, .request_id = "b", .content_length = n};
    double us[ROUNDS];
    double estimate = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        tqa_call *call =
            tqa_call_open(tqa_operation_find("inverse-dynamics", 16, true), robot, &head, &problem);
        if (call == NULL || !tqa_call_feed(call, body, n) || !tqa_call_finish(call)) {
            fprintf(stderr, "%s: refused\n", name);
            exit(1);
        }
        estimate = tqa_call_cost_us(call);
        const size_t size = tqa_call_scratch_size(call);
        void *scratch = aligned_alloc(64, (size + 127) / 64 * 64);
        const double start = now_us();
        if (scratch == NULL || !tqa_call_run(call, NULL, scratch, size)) {
            exit(1);
        }
        while (tqa_call_read(call, out, sizeof out) > 0) {
        }
        us[round] = now_us() - start;
        free(scratch);
        tqa_call_close(call);
    }
    qsort(us, ROUNDS, sizeof us[0], by_size);
    printf("%-10s %5zu samples %-5s%-10s measured %9.2f us  estimated %9.2f us  %5.2fx\n", name,
           n_sample, accept == TQA_MEDIA_CBOR ? "CBOR" : "JSON", *rest != '\0' ? "reactions" : "",
           us[ROUNDS / 2], estimate, estimate / us[ROUNDS / 2]);
    tqa_robot_free(robot);
}

int main(void)
{
    static const char *const robots[] = {"planar-2r", "panda", "ur5e"};
    static const size_t counts[] = {1, 16, 128, 1024, SAMPLES_MAX};
    if (tqa_start(0) != NULL) {
        return 1;
    }
    for (size_t r = 0; r < sizeof robots / sizeof robots[0]; r++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            measure(robots[r], counts[c], TQA_MEDIA_JSON, "");
            measure(robots[r], counts[c], TQA_MEDIA_CBOR, "");
            measure(robots[r], counts[c], TQA_MEDIA_CBOR, ",\"include\":[\"reactions\"]");
            measure(robots[r], counts[c], TQA_MEDIA_JSON, ",\"include\":[\"reactions\"]");
        }
    }
    return 0;
}
