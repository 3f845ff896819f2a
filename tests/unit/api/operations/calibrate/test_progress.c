/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/calibrate/test_progress.c - the reported progress of a calibration,
 * compared with the work that remains. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/host.h"
#include "tests/support/one_call.h"
#include "tests/support/random.h"

enum { ROWS = 150000, HEAD = 128 };

/* Progress received, and the fractions at which readings began. */
typedef struct received {
    tqt_host host;
    double fraction;       /* last fraction received */
    double last_validate;  /* last fraction while residuals were computed for the first time */
    double second_fit;     /* first fraction when another fit followed; NaN: none */
    double first_validate; /* first fraction when residuals were computed */
} received;

static void progress(void *ctx, double fraction, const char *step)
{
    received *t = ctx;
    cr_assert(ge(dbl, fraction, t->fraction), "progress never goes back");
    cr_assert(le(dbl, fraction, 1.0));
    t->fraction = fraction;
    if (strcmp(step, "validate") == 0 && isnan(t->second_fit)) {
        t->first_validate = isnan(t->first_validate) ? fraction : t->first_validate;
        t->last_validate = fraction;
    } else if (strcmp(step, "fit") == 0 && !isnan(t->last_validate) && isnan(t->second_fit)) {
        t->second_fit = fraction;
    }
}

static long read_dataset(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n)
{
    received *t = ctx;
    return t->host.host.dataset_read(&t->host, name, offset, bytes, n);
}

static int look(void *ctx, const char *name, tqa_source *ret)
{
    received *t = ctx;
    return t->host.host.dataset_look(&t->host, name, ret);
}

/* one joint at 1 kHz: position with noise, and torque */
static char *log_of(double noise, size_t *ret_n)
{
    char *file = malloc(HEAD + ROWS * 2 * sizeof(double));
    char head[HEAD];
    cr_assert(file != NULL);
    (void)snprintf(head, sizeof head,
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 2), }", ROWS);
    memcpy(file, "\x93NUMPY\x01\x00v\x00", 10);
    (void)snprintf(file + 10, 2L * HEAD, "%-117s\n", head);
    tqt_random random = tqt_random_seed(5);
    for (size_t k = 0; k < ROWS; k++) {
        const double t = 1e-3 * (double)k;
        const double q = 0.7 * sin(1.3 * t) + 0.3 * sin(5.0 * t + 1.0);
        const double qd = 0.91 * cos(1.3 * t) + 1.5 * cos(5.0 * t + 1.0);
        const double qdd = -1.183 * sin(1.3 * t) - 7.5 * sin(5.0 * t + 1.0);
        const double row[2] = {q + noise * tqt_random_uniform(&random, -1, 1),
                               0.5 * qdd + 0.1 * qd + 3.0 * sin(q) +
                                   0.01 * tqt_random_uniform(&random, -1, 1)};
        memcpy(file + HEAD + k * sizeof row, row, sizeof row);
    }
    *ret_n = HEAD + ROWS * 2 * sizeof(double);
    return file;
}

static received calibrate(double noise, const char *method)
{
    static received t;
    size_t n = 0;
    char *file = log_of(noise, &n);
    t = (received){.fraction = 0.0,
                   .last_validate = (double)NAN,
                   .second_fit = (double)NAN,
                   .first_validate = (double)NAN};
    tqt_host_open(&t.host);
    tqt_host_dataset(&t.host, "log", "application/x-npy", file, n);
    tqa_robot *robot = tqt_builtin("pendulum");
    static const char body[] =
        "{\"datasets\": [\"log\"], \"rate_hz\": 1000, \"columns\": {\"q\": [0], \"tau\": [1]},"
        " \"filter\": {\"cutoff_hz\": 20}, \"validate\": \"none\"}";
    const tqa_host host = {
        .ctx = &t, .progress = progress, .dataset_look = look, .dataset_read = read_dataset};
    tqt_answer answer = tqt_call(robot, body, strlen(body),
                                 (tqt_call_options){.operation = "calibrate", .host = &host});
    cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "\"method\":\"%s\"", method);
    cr_assert(strstr(answer.text, wanted) != NULL, "%s", wanted);
    tqt_answer_clear(&answer);
    tqa_robot_free(robot);
    tqt_host_close(&t.host);
    free(file);
    return t;
}

/* everything is read once: the fit is about half of the work */
Test(calibrate_progress, of_least_squares)
{
    const received t = calibrate(1e-9, "feasible");
    cr_expect(t.first_validate > 0.4 && t.first_validate < 0.8, "%g", t.first_validate);
    cr_expect(isnan(t.second_fit));
    cr_expect(ge(dbl, t.fraction, 0.9));
}

/* everything is read again with instruments, which is half of the work: least squares took 0.07 of
 * 0.14 s, most of it for the law of friction */
Test(calibrate_progress, of_instruments_after_least_squares)
{
    const received t = calibrate(1e-3, "feasible-iv");
    cr_expect(t.first_validate < 0.55, "%g", t.first_validate);
    cr_expect(t.second_fit > 0.2 && t.second_fit < 0.6, "%g", t.second_fit);
    cr_expect(ge(dbl, t.fraction, 0.9));
}
