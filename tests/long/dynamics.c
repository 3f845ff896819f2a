/* SPDX-License-Identifier: Apache-2.0 */
/* tests/long/dynamics.c - torques, mass matrices and accelerations of many more random robots than
 * the property tests try, against virtual work. */
#include "core/dynamics/forward.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* |error| <= 100 eps n terms: tests/property/README.md */
#define LIMIT 100.0
enum { N_ROBOT = 30000, SEED_FIRST = 1000000 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    double *q, *qd, *qdd, *rows, *x;
    tqt_sum *want;
    size_t n_entry; /* of M, or of tau if larger */
} trial;

static void open_trial(trial *t, uint64_t seed)
{
    const unsigned kinds = seed % 3 == 0 ? (unsigned)TQT_KINDS_ONE : (unsigned)TQT_KINDS_ALL;
    const unsigned with = (unsigned)(seed * 2654435761u >> 7) & TQT_WITH_ALL;
    const uint32_t n_joint = 1 + (uint32_t)(seed % 7 == 0 ? seed % 64 : seed % 16);
    *t = (trial){.model = tqt_random_robot(seed, (tqt_robot_options){n_joint, kinds, with})};
    t->subject = tqt_subject_new(t->model, 0);
    t->states = tqt_random_states(seed, t->model, 1);
    t->n_entry = (size_t)t->model->nv * t->model->nv;
    t->q = tqt_doubles(t->model->nq);
    t->qd = tqt_doubles(t->model->nv);
    t->qdd = tqt_doubles(t->model->nv);
    t->rows = tqt_doubles(t->n_entry * t->states.stride);
    t->x = tqt_doubles(t->n_entry);
    t->want = calloc(t->n_entry + 1, sizeof *t->want);
    if (t->want == NULL) {
        abort();
    }
    tqt_sample(t->states.q, t->model->nq, t->states.stride, 0, t->q);
    tqt_sample(t->states.qd, t->model->nv, t->states.stride, 0, t->qd);
    tqt_sample(t->states.qdd, t->model->nv, t->states.stride, 0, t->qdd);
}

static void close_trial(trial *t)
{
    free(t->q);
    free(t->qd);
    free(t->qdd);
    free(t->rows);
    free(t->x);
    free(t->want);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

static double inverse_error(trial *t)
{
    const tqt_problem problem = {.model = t->model, .state = {t->q, t->qd, t->qdd}};
    tqt_torque(t->subject, t->q, t->qd, t->qdd, 0, t->x);
    tqt_inverse_dynamics(&problem, t->want);
    return tqt_worst(t->model, t->x, t->want, t->model->nv);
}

static double mass_error(trial *t)
{
    const size_t need = tq_mass_matrix_scratch_size(t->subject->mechanism);
    double *memory = tqt_doubles(need / sizeof(double) + 1);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, need);
    if (tq_mass_matrix(t->subject->mechanism, 1, t->states.stride, t->states.q, 0, &scratch,
                       t->rows, NULL) != TQ_OK) {
        abort();
    }
    tq_scratch_init(&scratch, memory, 0);
    free(memory);
    tqt_sample(t->rows, t->n_entry, t->states.stride, 0, t->x);
    tqt_mass_matrix(t->model, t->q, t->want);
    return tqt_worst(t->model, t->x, t->want, t->n_entry);
}

/* qdd is what forward dynamics makes of torques like qdd; a singular robot is left out */
static double forward_error(trial *t)
{
    const size_t need = tq_forward_scratch_size(t->subject->mechanism, 0);
    double *memory = tqt_doubles(need / sizeof(double) + 1);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, need);
    const tq_forward_input in = {.n_sample = 1,
                                 .stride = t->states.stride,
                                 .q = t->states.q,
                                 .qd = t->states.qd,
                                 .tau = t->states.qdd};
    const tq_status status =
        tq_forward_dynamics(t->subject->mechanism, &in, &scratch, t->rows, NULL);
    tq_scratch_init(&scratch, memory, 0);
    free(memory);
    if (status != TQ_OK) {
        return status == TQ_ERR_SINGULAR ? 0.0 : LIMIT * 2;
    }
    tqt_sample(t->rows, t->model->nv, t->states.stride, 0, t->x);
    const tqt_problem problem = {.model = t->model, .state = {t->q, t->qd, t->x}};
    tqt_inverse_dynamics(&problem, t->want);
    return tqt_worst(t->model, t->qdd, t->want, t->model->nv);
}

int main(void)
{
    static const char *const what[3] = {"inverse", "mass", "forward"};
    double (*const run[3])(trial *) = {inverse_error, mass_error, forward_error};
    double worst[3] = {0.0, 0.0, 0.0};
    int failed = 0;
    for (uint64_t seed = SEED_FIRST; seed < SEED_FIRST + N_ROBOT; seed++) {
        trial t;
        open_trial(&t, seed);
        for (int k = 0; k < 3 && t.model->nv > 0; k++) {
            const double error = run[k](&t);
            worst[k] = error > worst[k] ? error : worst[k];
            if (!(error <= LIMIT)) {
                printf("%s: seed %" PRIu64 ": %g eps n terms\n", what[k], seed, error);
                failed = 1;
            }
        }
        close_trial(&t);
    }
    printf("worst of %d robots, eps n terms: inverse %.3g, mass %.3g, forward %.3g\n", N_ROBOT,
           worst[0], worst[1], worst[2]);
    return failed;
}
