/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/instructions.c - one call of each kernel on each robot, for callgrind to count. */
#include <stdio.h>
#include <stdlib.h>

#include "core/dynamics/coriolis.h"
#include "core/dynamics/regressor/regressor_batch.h"
#include "core/torqued.h"
#include "tests/bench/robots.h"
#include "tests/support/random_robot.h"

enum { SAMPLES = 64, SCRATCH = 16 << 20 };

typedef struct stage {
    const tq_model *model;
    const tq_mechanism *mechanism;
    tqt_states states;
    double *tau, *out;
    tq_scratch scratch;
    size_t n_sample;
} stage;

static void must(tq_status status)
{
    if (status != TQ_OK) {
        fprintf(stderr, "instructions: %s\n", tq_status_text(status));
        exit(2);
    }
}

static void rnea(stage *s)
{
    const tq_inverse_input in = {.n_sample = s->n_sample,
                                 .stride = s->states.stride,
                                 .q = s->states.q,
                                 .qd = s->states.qd,
                                 .qdd = s->states.qdd};
    must(tq_inverse_dynamics(s->mechanism, &in, &s->scratch, s->tau, NULL));
}

static void aba(stage *s)
{
    const tq_forward_input in = {.n_sample = s->n_sample,
                                 .stride = s->states.stride,
                                 .q = s->states.q,
                                 .qd = s->states.qd,
                                 .tau = s->tau};
    must(tq_forward_dynamics(s->mechanism, &in, &s->scratch, s->out, NULL));
}

static void crba(stage *s)
{
    must(tq_mass_matrix(s->mechanism, s->n_sample, s->states.stride, s->states.q, 0, &s->scratch,
                        s->out, NULL));
}

static void coriolis(stage *s)
{
    must(tq_coriolis_matrix(s->mechanism, s->n_sample, s->states.stride, s->states.q, s->states.qd,
                            &s->scratch, s->out, NULL));
}

static void regressor(stage *s)
{
    const tq_inverse_input in = {.n_sample = s->n_sample,
                                 .stride = s->states.stride,
                                 .q = s->states.q,
                                 .qd = s->states.qd,
                                 .qdd = s->states.qdd};
    must(tq_regressor_batch(s->mechanism, &in, &s->scratch, s->out, NULL));
}

static void derivatives(stage *s)
{
    const tq_inverse_input in = {.n_sample = s->n_sample,
                                 .stride = s->states.stride,
                                 .q = s->states.q,
                                 .qd = s->states.qd,
                                 .qdd = s->states.qdd};
    must(tq_derivatives_batch(s->mechanism, &in, &s->scratch, s->out, NULL));
}

static void momentum(stage *s)
{
    const tq_inverse_input in = {
        .n_sample = s->n_sample, .stride = s->states.stride, .q = s->states.q, .qd = s->states.qd};
    must(tq_momentum_batch(s->mechanism, &in, &s->scratch, s->out, NULL));
}

static stage prepare(const tq_model *model)
{
    stage s = {.model = model, .n_sample = SAMPLES};
    const size_t size = tq_mechanism_size(model), n = tq_parameter_count(model, 0);
    void *memory = tqt_doubles(size / sizeof(double) + 1);
    must(tq_mechanism_build(model, memory, size, &s.mechanism, NULL));
    s.states = tqt_random_states(1, model, SAMPLES);
    s.tau = tqt_doubles(model->nv * s.states.stride);
    s.out = tqt_doubles(model->nv * (n > 2 * model->nv ? n : 2 * model->nv) * s.states.stride);
    tq_scratch_init(&s.scratch, tqt_doubles(SCRATCH / sizeof(double)), SCRATCH);
    rnea(&s);
    return s;
}

/* a function of its own for every number, so that callgrind counts each */
#define COUNT(kernel, robot)                                                                       \
    static __attribute__((noinline, noclone)) void count_##kernel##_##robot(stage *s)              \
    {                                                                                              \
        kernel(s);                                                                                 \
        __asm__ volatile("/* " #robot " */"); /* identical functions are merged */                 \
    }
#define COUNT_ROBOT(robot)                                                                         \
    COUNT(rnea, robot)                                                                             \
    COUNT(aba, robot)                                                                              \
    COUNT(crba, robot)                                                                             \
    COUNT(coriolis, robot)                                                                         \
    COUNT(regressor, robot)                                                                        \
    COUNT(derivatives, robot)                                                                      \
    COUNT(momentum, robot)                                                                         \
    static void count_##robot(stage s)                                                             \
    {                                                                                              \
        count_rnea_##robot(&s);                                                                    \
        count_aba_##robot(&s);                                                                     \
        count_crba_##robot(&s);                                                                    \
        count_coriolis_##robot(&s);                                                                \
        count_regressor_##robot(&s);                                                               \
        count_derivatives_##robot(&s);                                                             \
        count_momentum_##robot(&s);                                                                \
    }
COUNT_ROBOT(chain7)
COUNT_ROBOT(tree30)
COUNT_ROBOT(quadruped)
COUNT_ROBOT(humanoid)
COUNT(rnea, single)
COUNT(aba, single)
COUNT(crba, single)
COUNT(derivatives, single)
COUNT(momentum, single)

int main(void)
{
    if (tq_lanes_select(4) != TQ_OK) { /* valgrind supports no wider ones */
        fprintf(stderr, "instructions: no AVX2 here\n");
        return 3;
    }
    count_chain7(prepare(bench_chain(7)));
    count_tree30(prepare(bench_tree(30)));
    count_quadruped(prepare(bench_quadruped()));
    count_humanoid(prepare(bench_humanoid()));
    stage s = prepare(bench_chain(7));
    s.n_sample = 1;
    count_rnea_single(&s);
    count_aba_single(&s);
    count_crba_single(&s);
    count_derivatives_single(&s);
    count_momentum_single(&s);
    return 0;
}
