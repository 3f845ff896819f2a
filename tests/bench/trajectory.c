/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/trajectory.c - one trajectory by every method: time and end state, a JSON line each.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/lanes/table.h"
#include "core/simulate/run.h"
#include "tests/support/one_call.h"

enum { ROUNDS = 7, LANE = 8, N = 7 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The arm falls freely from here for one second: no friction, no input. */
static const double start_q[N] = {0, -0.8, 0, -2.3, 0, 1.6, 0.8};
static const double duration = 1.0;

static void measure(const tq_plant *plant, const tq_run_options *options, const char *name,
                    double precision)
{
    const size_t size = (tq_run_scratch_size(plant, options) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    double best = (double)INFINITY;
    const double rest[N] = {0};
    for (int k = 0; k < ROUNDS; k++) {
        tq_scratch scratch;
        tq_run *run = NULL;
        tq_scratch_init(&scratch, memory, size);
        const double begin = seconds();
        if (tq_run_open(plant, options, &scratch, &run, NULL) != TQ_OK ||
            tq_run_start(run, 0, start_q, rest, NULL) != TQ_OK || !tq_run_to(run, duration, 0)) {
            exit(1);
        }
        best = fmin(best, seconds() - begin);
        if (k + 1 == ROUNDS) {
            printf("{\"method\":\"%s\",\"precision\":%g,\"seconds\":%.9g,\"steps\":%lu,\"q\":[",
                   name, precision, best, (unsigned long)run->stats.n_step);
            for (int r = 0; r < N; r++) {
                printf("%s%.17g", r > 0 ? "," : "", run->state->q[r * LANE]);
            }
            printf("]}\n");
        }
        tq_run_close(run);
    }
    free(memory);
}

int main(void)
{
    if (tq_lanes_select(0) != TQ_OK) {
        return 1;
    }
    tqa_robot *robot = tqt_builtin("panda");
    const tq_plant plant = {.mechanism = robot->mechanism,
                            .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_ROTOR};
    static const char *const names[] = {"dopri87", "dopri45"};
    for (int method = 0; method < 2; method++) {
        for (int digits = 2; digits <= 13; digits++) {
            const double tolerance = pow(10, -digits);
            const tq_run_options options = {.method = (tq_run_method)method,
                                            .rtol = tolerance,
                                            .atol = tolerance,
                                            .end = duration};
            measure(&plant, &options, names[method], tolerance);
        }
    }
    for (int k = 0; k < 9; k++) {
        const tq_run_options options = {.method = TQ_RUN_RK4, .step = 0.01 / (1 << k)};
        measure(&plant, &options, "rk4", options.step);
    }
    tqa_robot_free(robot);
    return 0;
}
