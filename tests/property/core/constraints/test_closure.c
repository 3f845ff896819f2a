/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/constraints/test_closure.c - bars in a plane closed to a loop: their tip by
 * trigonometry, their rank, what cannot be closed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/constraints/closure.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { BARS = 3 };

typedef struct linkage {
    tq_model *model;
    tqt_subject *subject;
    tq_constraint loop;
    tq_constraints set;
    double length[BARS];
    int fold[BARS]; /* 1 or -1: bar k at angle 0 or pi from the one before at q = 0 */
} linkage;

/* bars about z, `fold` as above; the tip is held at (x, y, 0) of the root, along `axes` */
static void open_linkage(linkage *l, const double length[BARS], const int fold[BARS], double x,
                         double y, unsigned axes)
{
    l->model = tqt_model_new(BARS + 1);
    memcpy(l->length, length, sizeof l->length);
    memcpy(l->fold, fold, sizeof l->fold);
    for (uint32_t j = 0; j < BARS; j++) {
        tq_joint *joint = &l->model->joints[j];
        joint->kind = TQ_JOINT_CONTINUOUS;
        joint->parent = j;
        joint->child = j + 1;
        joint->origin.p[0] = j > 0 ? length[j - 1] : 0.0;
        joint->origin.r[0] = joint->origin.r[4] = fold[j];
        tq_inertia *inertia = &l->model->links[j + 1].inertia;
        inertia->mass = 1.0;
        inertia->com[0] = 0.5 * length[j];
        inertia->about_com[0] = inertia->about_com[3] = inertia->about_com[5] = 0.1;
    }
    cr_assert(eq(int, tq_model_finish(l->model, NULL), TQ_OK));
    l->subject = tqt_subject_new(l->model, 0);
    l->loop = (tq_constraint){.kind = TQ_CONSTRAINT_LOOP,
                              .a = {0, {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {x, y, 0}}},
                              .b = {BARS, {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}}},
                              .axes = axes};
    l->loop.b.pose.p[0] = length[BARS - 1];
    l->set = (tq_constraints){.n_constraint = 1, .items = &l->loop};
    cr_assert(eq(int, tq_constraints_finish(l->model, &l->set, NULL), TQ_OK));
}

static void close_linkage(linkage *l)
{
    tqt_subject_free(l->subject);
    tqt_model_free(l->model);
}

static tq_status search(linkage *l, double *ret_q, size_t *ret_rank, tq_error *reterr)
{
    const size_t size = tq_closure_scratch_size(l->subject->mechanism, &l->set);
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, (size + 63) / 64 * 64);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    tqt_spoil(&scratch);
    const tq_status status =
        tq_constraints_close(l->subject->mechanism, &l->set, &scratch, ret_q, ret_rank, reterr);
    cr_expect(eq(sz, tq_scratch_mark(&scratch), (size_t)0));
    tq_scratch_release(memory, size);
    free(memory);
    return status;
}

/* the tip of the bars, by their angles */
static void tip_of(const linkage *l, const double *q, double ret[2])
{
    double angle = 0.0;
    ret[0] = ret[1] = 0.0;
    for (size_t k = 0; k < BARS; k++) {
        angle += q[k] + (l->fold[k] > 0 ? 0.0 : M_PI);
        ret[0] += l->length[k] * cos(angle);
        ret[1] += l->length[k] * sin(angle);
    }
}

static const int straight[BARS] = {1, 1, 1};
enum { IN_PLANE = 1u << 0 | 1u << 1, ALL = 63 };

Test(closure, bars_meet_a_point_within_reach)
{
    tqt_random r = tqt_random_seed(7);
    for (unsigned trial = 0; trial < 40; trial++) {
        double length[BARS], q[BARS], tip[2];
        size_t rank = 0;
        for (size_t k = 0; k < BARS; k++) {
            length[k] = tqt_random_uniform(&r, 0.3, 1.0);
        }
        /* three bars reach every distance up to their sum if none is longer than the others */
        const double away = tqt_random_uniform(&r, 0.5, 0.9), angle = tqt_random_uniform(&r, -3, 3);
        const double x = away * cos(angle), y = away * sin(angle);
        linkage l;
        open_linkage(&l, length, straight, x, y, IN_PLANE);
        cr_assert(eq(int, search(&l, q, &rank, NULL), TQ_OK), "trial %u", trial);
        tip_of(&l, q, tip);
        /* the residual that suffices */
        cr_expect(fabs(tip[0] - x) < 1e-10 && fabs(tip[1] - y) < 1e-10, "trial %u", trial);
        cr_expect(eq(sz, rank, (size_t)2));
        close_linkage(&l);
    }
}

/* all bars along x at q = 0: there the row of x is 0, but not beside it */
Test(closure, rank_is_not_that_of_a_special_position)
{
    static const double length[BARS] = {1.0, 0.6, 0.9};
    static const int folded[BARS] = {1, -1, -1}; /* to 1 - 0.6 + 0.9 */
    double q[BARS];
    size_t rank = 0;
    linkage l;
    open_linkage(&l, length, folded, 1.3, 0.0, IN_PLANE);
    cr_assert(eq(int, search(&l, q, &rank, NULL), TQ_OK));
    for (size_t k = 0; k < BARS; k++) {
        cr_expect(fabs(q[k]) < 1e-6, "%zu: %g", k, q[k]);
    }
    cr_expect(eq(sz, rank, (size_t)2));
    /* the negative control */
    tq_scratch scratch;
    const size_t size = tq_constrained_scratch_size(l.subject->mechanism, &l.set);
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, (size + 63) / 64 * 64);
    const double zero[BARS] = {0};
    tq_constrained state;
    tq_scratch_init(&scratch, memory, size);
    cr_assert(eq(int,
                 tq_constrained_factor(l.subject->mechanism, &l.set,
                                       &(tq_constrained_at){.q = zero}, &scratch, &state, NULL),
                 TQ_OK));
    cr_expect(eq(sz, state.rank, (size_t)1));
    tq_scratch_release(memory, size);
    free(memory);
    close_linkage(&l);
}

Test(closure, a_point_out_of_reach_is_refused)
{
    static const double length[BARS] = {1.0, 0.6, 0.9};
    double q[BARS];
    size_t rank = 0;
    tq_error error = {0};
    linkage l;
    open_linkage(&l, length, straight, 3.5, 0.0, IN_PLANE);
    cr_expect(eq(int, search(&l, q, &rank, &error), TQ_ERR_NO_CONVERGENCE));
    cr_expect(eq(str, (char *)error.what, "constraint.row"));
    /* the tip is off by 1 m or more: the larger of two rows by 1 / sqrt(2) at least */
    cr_expect(fabs(error.value) >= 0.707, "%g", error.value);
    close_linkage(&l);
}

/* rotation of frame a about y by `angle` */
static bool planar(linkage *l, double angle, unsigned *ret_axis)
{
    const double c = cos(angle), s = sin(angle);
    const double r[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
    memcpy(l->loop.a.pose.r, r, sizeof r);
    return tq_loop_is_planar(l->model, &l->loop, ret_axis);
}

Test(closure, loops_in_a_plane)
{
    static const double length[BARS] = {1.0, 0.6, 0.9};
    unsigned axis = 9;
    linkage l;
    open_linkage(&l, length, straight, 1.0, 0.5, ALL);
    cr_expect(planar(&l, 0.0, &axis));
    cr_expect(eq(uint, axis, 2u));
    cr_expect(planar(&l, M_PI / 2, &axis)); /* x of a is along -z */
    cr_expect(eq(uint, axis, 0u));
    cr_expect(planar(&l, 0.3, &axis));
    cr_expect(eq(uint, axis, 3u));
    l.loop.axes = IN_PLANE; /* stated already */
    cr_expect(not(planar(&l, 0.0, &axis)));
    l.loop.axes = ALL;
    const double aside[3] = {0.0, sin(1e-3), cos(1e-3)};
    memcpy(l.model->joints[1].axis, aside, sizeof aside);
    cr_expect(not(planar(&l, 0.0, &axis)));
    l.model->joints[1].kind = TQ_JOINT_PRISMATIC; /* turns about nothing */
    cr_expect(planar(&l, 0.0, &axis));
    close_linkage(&l);
}
