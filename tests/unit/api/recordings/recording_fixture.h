/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/recordings/recording_fixture.h - a recording of the pendulum, and its samples of a
 * pass in arrays. */
#ifndef TESTS_RECORDING_FIXTURE_H
#define TESTS_RECORDING_FIXTURE_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/recordings/recording.h"
#include "tests/support/host.h"
#include "tests/support/one_call.h"
#include "tests/support/random.h"

enum { ROWS = 200000, TEXT = 12 << 20 };
static const double h = 0.001;

typedef struct fixture {
    tqt_host host;
    tqa_robot *robot;
    tqa_problem problem;
    tqa_tree tree;
    tqa_order order;
    tqa_recording_request request;
    tqa_recording log;
} fixture;

typedef void parallel_for(void *ctx, size_t n, size_t scratch_size,
                          void (*body)(void *arg, size_t i, void *scratch), void *arg);

/* NULL: the survey runs on one thread; finds_brakes: it lists standstills */
static inline void open_on(fixture *f, parallel_for *threads, bool finds_brakes,
                           const char *request, const char *csv, size_t n)
{
    memset(f, 0, sizeof *f);
    tqt_host_open(&f->host);
    f->host.host.parallel_for = threads;
    tqt_host_dataset(&f->host, "log", "text/csv", csv, n);
    f->robot = tqt_builtin("pendulum");
    f->tree = (tqa_tree){.robot = f->robot,
                         .host = &f->host.host,
                         .problem = &f->problem,
                         .arena = tqa_arena_new(64 << 20),
                         .root = json_loads(request, 0, NULL)};
    const tqa_value root = tqa_value_root(&f->tree);
    cr_assert(tqa_tree_order(&f->tree, &f->order));
    cr_assert(tqa_recording_request_read(&root, &f->order, 1u << TQA_RECORDING_Q, &f->request),
              "%s", f->problem.detail);
    f->request.options.finds_brakes = finds_brakes;
    cr_assert(tqa_recording_read(&f->request, &root, &f->log), "%s", f->problem.detail);
    cr_assert(tqa_recording_inspect(&f->log), "%s", f->problem.detail);
    tqa_recording_choose_cutoff(&f->request, &f->log, 1, 1);
}

static inline void open(fixture *f, const char *request, const char *csv, size_t n)
{
    open_on(f, NULL, false, request, csv, n);
}

static inline void close(fixture *f)
{
    json_decref(f->tree.root);
    tqa_arena_free(f->tree.arena);
    tqa_robot_free(f->robot);
    tqt_host_close(&f->host);
}

typedef struct taken {
    double *q, *qd, *qdd, *t, *friction_rows;
    uint64_t *row;
    size_t n;
} taken;

static inline bool take(void *ctx, const tqa_recording_block *block)
{
    taken *to = ctx;
    for (size_t i = 0; i < block->data.n_sample; i++, to->n++) {
        to->q[to->n] = block->data.q[i];
        to->qd[to->n] = block->data.qd[i];
        to->qdd[to->n] = block->data.qdd[i];
        to->t[to->n] = block->t[i];
        to->row[to->n] = block->row[i];
        if (block->data.friction_rows != NULL) {
            to->friction_rows[to->n] = block->data.friction_rows[i];
        }
    }
    return true;
}

static inline taken room(void)
{
    return (taken){.q = calloc(ROWS, sizeof(double)),
                   .qd = calloc(ROWS, sizeof(double)),
                   .qdd = calloc(ROWS, sizeof(double)),
                   .t = calloc(ROWS, sizeof(double)),
                   .friction_rows = calloc(ROWS, sizeof(double)),
                   .row = calloc(ROWS, sizeof(uint64_t))};
}

static inline void clear(taken *to)
{
    free(to->q);
    free(to->qd);
    free(to->qdd);
    free(to->t);
    free(to->friction_rows);
    free(to->row);
}

static inline double position(size_t k)
{
    const double t = h * (double)k;
    return 0.7 * sin(1.3 * t) + 0.2 * sin(7.0 * t + 1.0);
}

/* times deviate by `jitter` of a period; values belong to the written times */
static inline size_t write_csv(char *text, double *q, double jitter)
{
    tqt_random random = tqt_random_seed(7);
    size_t n = (size_t)snprintf(text, TEXT, "t,q\n");
    for (size_t k = 0; k < ROWS; k++) {
        const double noise = tqt_random_uniform(&random, -1e-4, 1e-4);
        const double shift = jitter * tqt_random_uniform(&random, -0.5, 0.5);
        q[k] = position(k) + noise;
        n += (size_t)snprintf(text + n, TEXT - n, "%.17g,%.17g\n", h * ((double)k + shift), q[k]);
    }
    return n;
}

static inline size_t write_csv_with_torque(char *text, double *q)
{
    size_t n = (size_t)snprintf(text, TEXT, "t,q,tau\n");
    for (size_t k = 0; k < ROWS; k++) {
        q[k] = position(k);
        n += (size_t)snprintf(text + n, TEXT - n, "%.17g,%.17g,%.3f\n", h * (double)k, q[k],
                              sin(h * (double)k));
    }
    return n;
}

/* friction of the pendulum's joint, with or without presliding */
static inline tq_fit *fit_of(const fixture *f, bool yields, void **ret_memory)
{
    tq_fit_options options = tq_fit_defaults();
    options.model.smoothing = 0.05;
    options.model.presliding = yields ? 2e-3 : 0.0;
    options.model.relaxation = yields ? 1.0 : 0.0;
    tq_scratch memory;
    const size_t size = tq_fit_size(f->robot->mechanism, &options, 1);
    *ret_memory = aligned_alloc(64, (size + 63) / 64 * 64);
    tq_scratch_init(&memory, *ret_memory, size);
    tq_fit *fit = NULL;
    cr_assert(eq(int, tq_fit_build(f->robot->mechanism, &options, 1, &memory, &fit, NULL), TQ_OK));
    return fit;
}

#endif
