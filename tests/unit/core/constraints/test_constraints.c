/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/constraints/test_constraints.c - invalid constraints, and the numbering of rows.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/constraints/constraints.h"
#include "tests/support/random_robot.h"

enum { LINKS = 3, NV = 2 };

static tq_model *two_joints(void)
{
    tq_model *model = tqt_model_new(LINKS);
    for (uint32_t j = 0; j < NV; j++) {
        model->joints[j].kind = TQ_JOINT_PRISMATIC;
        model->joints[j].parent = j;
        model->joints[j].child = j + 1;
    }
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    return model;
}

static const tq_pose unit = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static tq_constraint of(tq_constraint_kind kind)
{
    static const tq_instruction x = {.op = TQ_OPERATOR_COORDINATE, .q_index = 1, .v_index = 1};
    static const tq_coupling_term terms[] = {{0, 0, 1.0}, {1, 1, -2.0}};
    static const tq_pfaffian_term row = {.row = 1, .v_index = 1, .expression = {1, &x}};
    static const double equals[] = {0.0, 0.1};
    return (tq_constraint){.kind = kind,
                           .a = {0, unit},
                           .b = {2, unit},
                           .axes = 7,
                           .length = 0.5,
                           .radius = 0.1,
                           .coupling = terms,
                           .n_coupling = 2,
                           .pfaffian = &row,
                           .n_pfaffian = 1,
                           .n_equation = 2,
                           .equals = equals,
                           .equation = {1, &x}};
}

/* the constraint is refused with `what`; NULL: accepted */
static void expect(tq_constraint c, const char *what)
{
    tq_model *model = two_joints();
    tq_error error = {0};
    tq_constraints set = {.n_constraint = 1, .items = &c};
    const tq_status status = tq_constraints_finish(model, &set, &error);
    if (what == NULL) {
        cr_expect(eq(int, status, TQ_OK), "kind %d: %s", (int)c.kind, error.what);
    } else {
        cr_expect(eq(int, status, TQ_ERR_RANGE), "kind %d: %s", (int)c.kind, what);
        cr_expect(eq(str, (char *)error.what, (char *)what), "kind %d", (int)c.kind);
    }
    tqt_model_free(model);
}

Test(constraints, between_links_that_are_there)
{
    for (int kind = TQ_CONSTRAINT_LOOP; kind <= TQ_CONSTRAINT_EQUATION; kind++) {
        const tq_constraint good = of((tq_constraint_kind)kind);
        const char *what = kind <= TQ_CONSTRAINT_ROLLING ? "link" : NULL; /* the other kinds have
                                                                             none */
        tq_constraint c = good;
        expect(c, NULL);
        c.a.link = LINKS;
        expect(c, what);
        c = good;
        c.b.link = LINKS;
        expect(c, what);
        c.a.link = c.b.link = 1;
        expect(c, what);
    }
}

Test(constraints, have_sizes_that_can_be)
{
    static const double wrong[] = {0.0, -0.5, (double)INFINITY, (double)NAN};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        tq_constraint c = of(TQ_CONSTRAINT_DISTANCE);
        c.length = wrong[k];
        expect(c, "length");
        c.kind = TQ_CONSTRAINT_POINT_ON_SPHERE;
        expect(c, "length");
        c = of(TQ_CONSTRAINT_ROLLING);
        c.radius = wrong[k];
        expect(c, "radius");
        c = of(TQ_CONSTRAINT_ROLLING);
        c.surface = wrong[k];
        expect(c, wrong[k] == 0.0 ? NULL : "surface");
    }
    tq_constraint c = of(TQ_CONSTRAINT_LOOP);
    c.axes = 0;
    expect(c, "axes");
    c.axes = 63;
    expect(c, NULL);
    c.axes = 64;
    expect(c, "axes");
    c = of(TQ_CONSTRAINT_ROLLING);
    c.inside = true;
    c.surface = 0.1;
    expect(c, "surface"); /* a ball as large as the hollow sphere */
    c.surface = 0.2;
    expect(c, NULL);
    c.inside = false;
    c.disk = true;
    expect(c, "surface"); /* a disk on a sphere */
    c.surface = 0.0;
    expect(c, NULL);
}

Test(constraints, use_rows_of_the_robot)
{
    const tq_instruction beyond = {.op = TQ_OPERATOR_COORDINATE, .q_index = NV, .v_index = 0};
    const tq_coupling_term of_q = {NV, 0, 1.0}, of_v = {0, NV, 1.0};
    tq_constraint c = of(TQ_CONSTRAINT_COUPLING);
    c.n_coupling = 1;
    c.coupling = &of_q;
    expect(c, "joint");
    c.coupling = &of_v;
    expect(c, "joint");
    c = of(TQ_CONSTRAINT_PFAFFIAN);
    tq_pfaffian_term term = c.pfaffian[0];
    c.pfaffian = &term;
    term.row = 2;
    expect(c, "joint");
    term.row = 0;
    term.v_index = NV;
    expect(c, "joint");
    term.v_index = 0;
    term.expression.code = &beyond;
    expect(c, "expression");
    c = of(TQ_CONSTRAINT_EQUATION);
    c.equation.code = &beyond;
    expect(c, "expression");
    c.equation.n = 0;
    expect(c, "expression");
}

/* rows: one for each axis of a loop, three for a rolling ball, one for a slipping ball, one more
 * without spin, one for an equation */
Test(constraints, are_numbered_in_their_order)
{
    tq_constraint items[7];
    static const uint32_t rows[] = {3, 1, 3, 1, 2, 2, 1};
    for (size_t k = 0; k < 7; k++) {
        items[k] = of(k == 0   ? TQ_CONSTRAINT_LOOP
                      : k == 1 ? TQ_CONSTRAINT_DISTANCE
                      : k <= 4 ? TQ_CONSTRAINT_ROLLING
                      : k == 5 ? TQ_CONSTRAINT_PFAFFIAN
                               : TQ_CONSTRAINT_COUPLING);
    }
    items[3].slips = items[4].slips = items[4].no_spin = true;
    tq_model *model = two_joints();
    tq_constraints set = {.n_constraint = 7, .items = items};
    cr_assert(eq(int, tq_constraints_finish(model, &set, NULL), TQ_OK));
    uint32_t first = 0;
    for (size_t k = 0; k < 7; k++) {
        cr_expect(eq(u32, items[k].first_row, first), "%zu", k);
        cr_expect(eq(u32, items[k].n_row, rows[k]), "%zu", k);
        first += rows[k];
    }
    cr_expect(eq(u32, set.n_row, first));
    tqt_model_free(model);
}

Test(constraints, are_bounded)
{
    static tq_constraint items[TQ_CONSTRAINT_MAX + 1];
    tq_model *model = two_joints();
    tq_error error = {0};
    for (size_t k = 0; k <= TQ_CONSTRAINT_MAX; k++) {
        items[k] = of(TQ_CONSTRAINT_DISTANCE);
    }
    tq_constraints set = {.n_constraint = TQ_CONSTRAINT_MAX, .items = items};
    cr_expect(eq(int, tq_constraints_finish(model, &set, &error), TQ_OK));
    set.n_constraint++;
    cr_expect(eq(int, tq_constraints_finish(model, &set, &error), TQ_ERR_SHAPE));
    cr_expect(eq(str, (char *)error.what, "constraints"));
    for (size_t k = 0; k < TQ_CONSTRAINT_ROW_MAX / 6 + 1; k++) {
        items[k] = of(TQ_CONSTRAINT_LOOP);
        items[k].axes = 63;
    }
    set.n_constraint = TQ_CONSTRAINT_ROW_MAX / 6;
    cr_expect(eq(int, tq_constraints_finish(model, &set, &error), TQ_OK));
    cr_expect(eq(u32, set.n_row, TQ_CONSTRAINT_ROW_MAX));
    set.n_constraint++;
    cr_expect(eq(int, tq_constraints_finish(model, &set, &error), TQ_ERR_SHAPE));
    cr_expect(eq(str, (char *)error.what, "constraints"));
    cr_expect(eq(dbl, error.value, TQ_CONSTRAINT_ROW_MAX + 6));
    tqt_model_free(model);
}
