/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_inverse_guards.c - each error status of inverse dynamics. */
#include "core/dynamics/inverse.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_SAMPLE = 21 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    double *tau;
    tq_inverse_input in;
} trial;

static void open_trial(trial *t, uint64_t seed, unsigned kinds)
{
    *t = (trial){.model = tqt_random_robot(seed, (tqt_robot_options){6, kinds, TQT_WITH_SHUFFLE})};
    t->subject = tqt_subject_new(t->model, 0);
    t->states = tqt_random_states(seed, t->model, N_SAMPLE);
    t->tau = tqt_doubles(t->model->nv * t->states.stride);
    t->in = (tq_inverse_input){.n_sample = N_SAMPLE,
                               .stride = t->states.stride,
                               .q = t->states.q,
                               .qd = t->states.qd,
                               .qdd = t->states.qdd};
}

static void close_trial(trial *t)
{
    free(t->tau);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

static tq_status compute(trial *t, tq_error *ret_fault)
{
    *ret_fault = (tq_error){0};
    return tq_inverse_dynamics(t->subject->mechanism, &t->in, &t->subject->scratch, t->tau,
                               ret_fault);
}

Test(inverse_guards, blocks_of_a_wrong_shape)
{
    static const struct {
        size_t n_sample, stride;
    } row[] = {{0, 8}, {9, 8}, {1, 7}, {24, 28}, {1, 0}, {TQ_BLOCK + 1, TQ_BLOCK + 8}};
    trial t;
    open_trial(&t, 1, TQT_KINDS_ONE);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tq_error fault;
        t.in.n_sample = row[i].n_sample;
        t.in.stride = row[i].stride;
        cr_expect(eq(int, (int)compute(&t, &fault), TQ_ERR_SHAPE), "row %zu", i);
    }
    close_trial(&t);
}

Test(inverse_guards, scratch_is_enough_and_no_more)
{
    trial t;
    open_trial(&t, 2, TQT_KINDS_ALL);
    const size_t need = tq_inverse_scratch_size(t.subject->mechanism, 0);
    tq_error fault;
    tq_scratch *scratch = &t.subject->scratch;
    cr_assert(eq(int, (int)compute(&t, &fault), TQ_OK));
    cr_expect(eq(sz, scratch->used, 0));
    cr_expect(le(sz, scratch->peak, need));
    scratch->size = need - TQ_SCRATCH_ALIGN;
    cr_expect(eq(int, (int)compute(&t, &fault), TQ_ERR_SCRATCH));
    cr_expect(eq(dbl, fault.value, (double)need));
    cr_expect(eq(sz, scratch->used, 0));
    close_trial(&t);
}

/* every sample in turn: a quaternion that is too long, zero, or NaN */
Test(inverse_guards, quaternions_off_unit_length)
{
    static const double factor[] = {1.0 + 1.1e-6, 1.0 - 1.1e-6, 0.0, 2.0, NAN, INFINITY};
    trial t;
    open_trial(&t, 3, 1u << TQ_JOINT_SPHERICAL | 1u << TQ_JOINT_FLOATING);
    const size_t rows = t.model->nq * t.states.stride;
    double *kept = tqt_doubles(rows);
    memcpy(kept, t.states.q, rows * sizeof *kept);
    const tq_joint *joint = &t.model->joints[4];
    for (size_t i = 0; i < N_SAMPLE; i++) {
        for (size_t f = 0; f < sizeof factor / sizeof *factor; f++) {
            for (uint32_t k = joint->nq - 4; k < joint->nq; k++) {
                t.states.q[(joint->q_index + k) * t.states.stride + i] *= factor[f];
            }
            tq_error fault;
            cr_expect(eq(int, (int)compute(&t, &fault), TQ_ERR_QUATERNION), "factor %g", factor[f]);
            cr_expect(eq(sz, fault.index, i));
            if (factor[f] < 3.0) {
                cr_expect(fabs(fault.value - factor[f]) <= 1e-12, "length %g", fault.value);
            }
            memcpy(t.states.q, kept, rows * sizeof *kept);
        }
    }
    tq_error fault;
    cr_expect(eq(int, (int)compute(&t, &fault), TQ_OK));
    free(kept);
    close_trial(&t);
}

/* numbers that are too large, infinite or NaN in any input: the first affected sample is named */
Test(inverse_guards, results_out_of_range)
{
    static const double bad[] = {1e200, INFINITY, NAN};
    trial t;
    /* torques of a prismatic first joint do not depend on its position and velocity, so that an
     * invalid number there does not appear in the result: revolute joints only */
    open_trial(&t, 4, 1u << TQ_JOINT_REVOLUTE);
    const tq_joint *first = &t.model->joints[t.model->order[0]];
    for (size_t i = 0; i < N_SAMPLE; i += 5) {
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            double *at = &t.states.qd[first->v_index * t.states.stride + i];
            const double kept = *at;
            *at = bad[b];
            tq_error fault;
            const tq_status status = compute(&t, &fault);
            *at = kept;
            cr_expect(eq(int, (int)status, TQ_ERR_OVERFLOW), "sample %zu, %g", i, bad[b]);
            cr_expect(eq(sz, fault.index, i));
        }
    }
    for (size_t b = 1; b < sizeof bad / sizeof *bad; b++) {
        double *at = &t.states.q[first->q_index * t.states.stride + 2];
        const double kept = *at;
        *at = bad[b];
        tq_error fault;
        cr_expect(eq(int, (int)compute(&t, &fault), TQ_ERR_OVERFLOW), "q %g", bad[b]);
        cr_expect(eq(sz, fault.index, 2));
        *at = kept;
    }
    close_trial(&t);
}

/* lanes after the last sample of a block are computed and never returned */
Test(inverse_guards, padding_is_never_a_fault)
{
    trial t;
    open_trial(&t, 5, TQT_KINDS_ONE);
    for (size_t k = 0; k < t.model->nv; k++) {
        t.states.qd[k * t.states.stride + N_SAMPLE] = 1e200;
    }
    tq_error fault;
    cr_expect(eq(int, (int)compute(&t, &fault), TQ_OK));
    close_trial(&t);
}
