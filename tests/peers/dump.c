/* SPDX-License-Identifier: Apache-2.0 */
/* tests/peers/dump.c - prints random robots, states, wrenches and our answers as JSON lines for
 * peers to redo. */
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/second_derivatives.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/momentum/centroidal.h"
#include "core/dynamics/momentum/momentum.h"
#include "tests/support/lagrange.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_row(const char *name, const double *x, size_t n, const char *after)
{
    printf("\"%s\":[", name);
    for (size_t k = 0; k < n; k++) {
        printf("%s%.17g", k == 0 ? "" : ",", x[k]);
    }
    printf("]%s", after);
}

static void print_joint(const tq_joint *j)
{
    static const char *const kind[] = {"fixed",  "revolute",  "continuous", "prismatic",
                                       "planar", "spherical", "floating"};
    const double friction[6] = {j->friction.viscous,   j->friction.coulomb,
                                j->friction.breakaway, j->friction.stribeck_velocity,
                                j->friction.smoothing, j->friction.offset};
    printf("{\"kind\":\"%s\",\"parent\":%" PRIu32 ",\"child\":%" PRIu32 ",", kind[j->kind],
           j->parent, j->child);
    print_row("r", j->origin.r, 9, ",");
    print_row("p", j->origin.p, 3, ",");
    print_row("axis", j->axis, 3, ",");
    print_row("friction", friction, 6, ",");
    print_row("spring", (double[2]){j->spring.stiffness, j->spring.rest}, 2, ",");
    print_row("rotor", (double[2]){j->rotor.inertia, j->rotor.ratio}, 2, ",");
    printf("\"mimic\":%d,", j->mimic == TQ_NONE ? -1 : (int)j->mimic);
    print_row("follow", (double[2]){j->mimic_multiplier, j->mimic_offset}, 2, ",");
    printf("\"q\":%" PRIu32 ",\"v\":%" PRIu32 ",\"nq\":%" PRIu32 ",\"nv\":%" PRIu32 "}", j->q_index,
           j->v_index, j->nq, j->nv);
}

static void print_model(const tq_model *model)
{
    printf("\"n_joint\":%" PRIu32 ",\"root\":%" PRIu32 ",\"nq\":%" PRIu32 ",\"nv\":%" PRIu32 ",",
           model->n_joint, model->root, model->nq, model->nv);
    print_row("gravity", model->gravity, 3, ",\"links\":[");
    for (uint32_t i = 0; i < model->n_link; i++) {
        const tq_inertia *inertia = &model->links[i].inertia;
        printf("%s{\"mass\":%.17g,", i == 0 ? "" : ",", inertia->mass);
        print_row("com", inertia->com, 3, ",");
        print_row("about_com", inertia->about_com, 6, "}");
    }
    printf("],\"order\":[");
    for (uint32_t i = 0; i < model->n_joint; i++) {
        printf("%s%" PRIu32, i == 0 ? "" : ",", model->order[i]);
    }
    printf("],\"joints\":[");
    for (uint32_t j = 0; j < model->n_joint; j++) {
        printf("%s", j == 0 ? "" : ",");
        print_joint(&model->joints[j]);
    }
    printf("],");
}

/* torques of one state with one wrench, and what the reference says their terms add up to */
static void print_torques(tqt_subject *subject, const tqt_states *s, const tq_external_wrench *w)
{
    const tq_model *model = subject->model;
    const tq_inverse_input in = {.n_sample = 1,
                                 .stride = s->stride,
                                 .q = s->q,
                                 .qd = s->qd,
                                 .qdd = s->qdd,
                                 .wrenches = w,
                                 .n_wrench = 1};
    double *rows = tqt_doubles(model->nv * s->stride);
    double *tau = tqt_doubles(model->nv);
    double *x[3] = {tqt_doubles(model->nq), tqt_doubles(model->nv), tqt_doubles(model->nv)};
    tqt_sum *sums = calloc((size_t)model->nv + 1, sizeof *sums);
    tq_error fault = {0};
    if (sums == NULL ||
        tq_inverse_dynamics(subject->mechanism, &in, &subject->scratch, rows, &fault) != TQ_OK) {
        fprintf(stderr, "tq_inverse_dynamics: %s\n", fault.what);
        exit(1);
    }
    tqt_sample(rows, model->nv, s->stride, 0, tau);
    tqt_sample(s->q, model->nq, s->stride, 0, x[0]);
    tqt_sample(s->qd, model->nv, s->stride, 0, x[1]);
    tqt_sample(s->qdd, model->nv, s->stride, 0, x[2]);
    tqt_wrench wrench = {.link = w->link, .expressed_in = w->expressed_in};
    tqt_sample(w->at, 3, 1, 0, wrench.at);
    tqt_sample(w->rows, 6, 1, 0, wrench.value);
    const tqt_problem problem = {
        .model = model, .state = {x[0], x[1], x[2]}, .wrenches = &wrench, .n_wrench = 1};
    tqt_inverse_dynamics(&problem, sums);
    print_row("q", x[0], model->nq, ",");
    print_row("qd", x[1], model->nv, ",");
    print_row("qdd", x[2], model->nv, ",");
    print_row("tau", tau, model->nv, ",");
    for (uint32_t k = 0; k < model->nv; k++) {
        tau[k] = (double)sums[k].terms;
    }
    print_row("terms", tau, model->nv, ",");
    for (int i = 0; i < 3; i++) {
        free(x[i]);
    }
    free(rows);
    free(tau);
    free(sums);
}

/* M by inverse dynamics at unit accelerations, with the terms of its sums */
static void print_mass(tqt_subject *subject, const tqt_states *s)
{
    const tq_model *model = subject->model;
    const size_t n = (size_t)model->nv * model->nv;
    double *q = tqt_doubles(model->nq);
    double *m = tqt_doubles(n);
    tqt_sum *sums = calloc(n + 1, sizeof *sums);
    if (sums == NULL) {
        abort();
    }
    tqt_sample(s->q, model->nq, s->stride, 0, q);
    tqt_mass(subject, q, m);
    tqt_mass_matrix(model, q, sums);
    print_row("mass", m, n, ",");
    for (size_t k = 0; k < n; k++) {
        m[k] = (double)sums[k].terms;
    }
    print_row("mass_terms", m, n, "");
    free(q);
    free(m);
    free(sums);
}

/* Second derivatives of small robots. */
static void print_second(const tq_configuration *posture, const tq_sample *sample)
{
    enum { LARGEST = 12 };
    const size_t nv = posture->model->nv, n = nv * nv * nv;
    const size_t size = tq_second_derivatives_scratch_size(posture->model);
    if (nv > LARGEST) {
        return;
    }
    double *memory = tqt_doubles(size / sizeof(double) + 8), *all = tqt_doubles(4 * n);
    const tq_second_derivatives ret = tq_second_arrays(all, nv);
    tq_scratch scratch;
    tq_error fault = {0};
    tq_scratch_init(&scratch, memory, size);
    if (tq_inverse_second_derivatives(posture, sample, &scratch, &ret, &fault) != TQ_OK) {
        fprintf(stderr, "tq_inverse_second_derivatives: %s\n", fault.what);
        exit(1);
    }
    print_row("by_q_q", ret.dq_dq, n, ",");
    print_row("by_qd_qd", ret.dqd_dqd, n, ",");
    print_row("by_qd_q", ret.dqd_dq, n, ",");
    print_row("by_qdd_q", ret.dqdd_dq, n, ",");
    free(all);
    free(memory);
}

static void print_centroidal(const tq_configuration *posture, const double *qd)
{
    const size_t n = 6 * (size_t)posture->model->nv;
    double *matrix = tqt_doubles(n), *rate = tqt_doubles(n);
    double bias[6];
    tq_centroidal_momentum(posture, qd, matrix, rate, bias);
    print_row("centroidal", matrix, n, ",");
    print_row("centroidal_rate", rate, n, ",");
    print_row("centroidal_bias", bias, 6, ",");
    free(matrix);
    free(rate);
}

/* derivatives of the rigid bodies' torque, in closed form; Jacobian of the centre of mass */
static void print_derivatives(tqt_subject *subject, const tqt_states *s)
{
    const tq_model *model = subject->model;
    const size_t n = (size_t)model->nv * model->nv;
    const size_t size = tq_configuration_scratch_size(model) + tq_derivatives_scratch_size(model);
    double *x[3] = {tqt_doubles(model->nq), tqt_doubles(model->nv), tqt_doubles(model->nv)};
    double *by_q = tqt_doubles(n), *by_qd = tqt_doubles(n);
    double *com = tqt_doubles(3 * (size_t)model->nv);
    double *memory = tqt_doubles(size / sizeof(double) + 8);
    tq_scratch scratch;
    tq_configuration posture;
    tq_scratch_init(&scratch, memory, size);
    tqt_sample(s->q, model->nq, s->stride, 0, x[0]);
    tqt_sample(s->qd, model->nv, s->stride, 0, x[1]);
    tqt_sample(s->qdd, model->nv, s->stride, 0, x[2]);
    const tq_sample sample = {.q = x[0],
                              .qd = x[1],
                              .qdd = x[2],
                              .gravity = model->gravity,
                              .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING};
    tq_error fault = {0};
    if (tq_configuration_compute(model, x[0], x[1], &scratch, &posture, &fault) != TQ_OK ||
        tq_inverse_derivatives(&posture, &sample, &scratch, by_q, by_qd, &fault) != TQ_OK) {
        fprintf(stderr, "tq_inverse_derivatives: %s\n", fault.what);
        exit(1);
    }
    print_row("by_q", by_q, n, ",");
    print_row("by_qd", by_qd, n, ",");
    print_second(&posture, &sample);
    tq_com_jacobian(&posture, com);
    print_row("com_jacobian", com, 3 * (size_t)model->nv, ",");
    print_centroidal(&posture, x[1]);
    for (int i = 0; i < 3; i++) {
        free(x[i]);
    }
    free(by_q);
    free(by_qd);
    free(com);
    free(memory);
}

static void print_robot(uint64_t seed, unsigned kinds, uint32_t n_joint)
{
    tq_model *model = tqt_random_robot(seed, (tqt_robot_options){n_joint, kinds, TQT_WITH_ALL});
    tqt_subject *subject = tqt_subject_new(model, 1);
    tqt_states states = tqt_random_states(seed, model, 1);
    tqt_random r = tqt_random_seed(seed + 77);
    double value[6];
    tq_external_wrench wrench = {.link = tqt_random_below(&r, model->n_link),
                                 .expressed_in = seed % 2 == 0 ? TQ_FRAME_WORLD : TQ_FRAME_LINK,
                                 .rows = value,
                                 .row_stride = 1};
    for (int k = 0; k < 6; k++) {
        value[k] = tqt_random_uniform(&r, -20, 20);
        wrench.at[k / 2] = tqt_random_uniform(&r, -.5, .5);
    }
    printf("{\"seed\":%" PRIu64 ",", seed);
    print_model(model);
    printf("\"wrench\":{\"link\":%" PRIu32 ",\"frame\":\"%s\",", wrench.link,
           wrench.expressed_in == TQ_FRAME_WORLD ? "world" : "link");
    print_row("at", wrench.at, 3, ",");
    print_row("value", value, 6, "},");
    print_torques(subject, &states, &wrench);
    print_derivatives(subject, &states);
    print_mass(subject, &states);
    printf("}\n");
    tqt_states_free(&states);
    tqt_subject_free(subject);
    tqt_model_free(model);
}

/* dump N: robots of seeds 0 to N - 1, one line each; every fourth of one-freedom joints only */
int main(int argc, char **argv)
{
    const long n = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    if (n <= 0) {
        fprintf(stderr, "usage: dump N\n");
        return 2;
    }
    for (long seed = 0; seed < n; seed++) {
        const unsigned kinds = seed % 4 == 0 ? (unsigned)TQT_KINDS_ONE : (unsigned)TQT_KINDS_ALL;
        print_robot((uint64_t)seed, kinds, 1 + (uint32_t)(seed * 13 % 40));
    }
    return 0;
}
