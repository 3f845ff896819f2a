/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/constrained_robot.c - a robot with constraints at one state, and its motion. */
#include "tests/support/constrained_robot.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/constraints/dynamics.h"
#include "core/dynamics/lagrangian.h"
#include "tests/support/one_call.h"

enum { BYTES = 1 << 20, LANE = TQ_BLOCK_PAD };

static void require(tq_status status, const tq_error *error, const char *what)
{
    cr_assert(status == TQ_OK, "%s: %s: %s %zu %g", what, tq_status_slug(status),
              error->what != NULL ? error->what : "", error->index, error->value);
}

void tqt_open(tqt_robot_state *s, const char *robot)
{
    static tqa_problem problem;
    *s = (tqt_robot_state){.memory = aligned_alloc(64, BYTES)};
    s->robot = robot[0] == '{' ? tqa_robot_parse(TQA_MEDIA_JSON, robot, strlen(robot), &problem)
                               : tqt_builtin(robot);
    cr_assert(s->robot != NULL && s->memory != NULL, "%s: %s", problem.faults[0].pointer,
              problem.detail);
    s->nv = s->robot->model->nv;
    s->n_row = s->robot->constraints->n_row;
    cr_assert(s->nv == s->robot->model->nq && s->nv <= TQT_NV && s->n_row <= TQT_ROWS);
    s->subject = tqt_subject_new(s->robot->model, 0);
    memcpy(s->q, s->robot->assembled, s->nv * sizeof *s->q);
    tq_scratch_init(&s->scratch, s->memory, BYTES);
}

void tqt_close(tqt_robot_state *s)
{
    tq_scratch_init(&s->scratch, s->memory, 0);
    tqt_subject_free(s->subject);
    tqa_robot_free(s->robot);
    free(s->memory);
}

static void spread(const double *x, size_t n, double *rows)
{
    for (size_t k = 0; k < n * LANE; k++) {
        rows[k] = x[k / LANE];
    }
}

static void gather(const double *rows, size_t n, double *x)
{
    for (size_t k = 0; k < n; k++) {
        x[k] = rows[k * LANE];
    }
}

void tqt_project(tqt_robot_state *s)
{
    static _Alignas(64) double q[TQT_NV * LANE], qd[TQT_NV * LANE];
    tq_error error = {0};
    spread(s->q, s->nv, q);
    spread(s->qd, s->nv, qd);
    const tq_constraint_states states = {.n_sample = 1, .stride = LANE, .q = q, .qd = qd};
    tq_scratch_init(&s->scratch, s->memory, BYTES);
    require(tq_constraints_project(s->robot->mechanism, s->robot->constraints, &states, 1e-12,
                                   &s->scratch, NULL, &error),
            &error, "project");
    gather(q, s->nv, s->q);
    gather(qd, s->nv, s->qd);
}

void tqt_factor(tqt_robot_state *s)
{
    tq_error error = {0};
    const tq_constrained_at at = {.q = s->q, .qd = s->qd};
    tq_scratch_init(&s->scratch, s->memory, BYTES);
    require(tq_constrained_factor(s->robot->mechanism, s->robot->constraints, &at, &s->scratch,
                                  &s->state, &error),
            &error, "factor");
}

void tqt_accelerate(tqt_robot_state *s, const double *tau, double *ret_qdd, double *ret_multipliers)
{
    static _Alignas(64) double x[4][TQT_NV * LANE], multipliers[TQT_ROWS * LANE];
    tq_error error = {0};
    spread(s->q, s->nv, x[0]);
    spread(s->qd, s->nv, x[1]);
    spread(tau, s->nv, x[2]);
    const tq_forward_input in = {.n_sample = 1, .stride = LANE, .q = x[0], .qd = x[1], .tau = x[2]};
    tq_scratch_init(&s->scratch, s->memory, BYTES);
    require(tq_constrained_forward(s->robot->mechanism, s->robot->constraints, &in, &s->scratch,
                                   x[3], multipliers, &error),
            &error, "forward");
    gather(x[3], s->nv, ret_qdd);
    gather(multipliers, s->n_row, ret_multipliers);
}

void tqt_residuals(tqt_robot_state *s, double *ret_position, double *ret_velocity)
{
    *ret_position = *ret_velocity = 0.0;
    tqt_factor(s);
    for (size_t r = 0; r < s->n_row; r++) {
        *ret_position = fmax(*ret_position, fabs(s->state.position[r]));
        *ret_velocity = fmax(*ret_velocity, fabs(s->state.velocity[r]));
    }
}

double tqt_total_energy(tqt_robot_state *s)
{
    tq_configuration posture;
    tq_scratch_init(&s->scratch, s->memory, BYTES);
    cr_assert(tq_configuration_compute(s->robot->model, s->q, s->qd, &s->scratch, &posture, NULL) ==
              TQ_OK);
    return tq_lagrangian_kinetic(&posture, s->qd) +
           tq_lagrangian_potential(&posture, s->robot->model->gravity, s->q);
}

void tqt_run(tqt_robot_state *s, const tq_effect *effect, double *z, double h, size_t n)
{
    static _Alignas(64) double q[TQT_NV * LANE], qd[TQT_NV * LANE], aux[TQT_ROWS * LANE];
    const size_t n_z = effect != NULL ? effect->n_z : 0;
    const tq_plant plant = {.mechanism = s->robot->mechanism,
                            .effects = effect,
                            .n_effect = effect != NULL,
                            .constraints = s->robot->constraints};
    const tq_trajectories state = {
        .n_sample = 1, .stride = LANE, .q = q, .qd = qd, .z = n_z > 0 ? aux : NULL};
    tq_error error = {0};
    spread(s->q, s->nv, q);
    spread(s->qd, s->nv, qd);
    spread(z, n_z, aux);
    tq_scratch_init(&s->scratch, s->memory, BYTES);
    for (size_t k = 0; k < n; k++) {
        require(tq_fixed_step(&plant, TQ_FIXED_RK4, h * (double)k, h, &state, &s->scratch, &error),
                &error, "step");
    }
    gather(q, s->nv, s->q);
    gather(qd, s->nv, s->qd);
    gather(aux, n_z, z);
}
