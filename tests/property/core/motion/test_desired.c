/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/motion/test_desired.c - references of all kinds: derivatives and breaks;
 * cells against the Cartesian path that they approximate. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/motion/desired.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"

enum { BYTES = 1 << 24, CELLS = 1024, NQ_MAX = 8 };
static _Alignas(64) unsigned char memory[BYTES];

static const double times[3] = {0.5, 1.0, 2.0};
static const double points[6] = {0, 1, 1, -1, 0.5, 2};
static const tq_waypoints way = {.n_point = 3, .n_coordinate = 2, .t = times, .x = points};

/* the derivatives of a reference by differences, away from its breaks */
static void expect_derivatives(const tq_reference *r, double t, double within)
{
    const double h = 1e-5;
    double x[NQ_MAX], xd[NQ_MAX], xdd[NQ_MAX], fore[NQ_MAX], back[NQ_MAX], f1[NQ_MAX], b1[NQ_MAX],
        skip[NQ_MAX];
    tq_reference_at(r, t, x, xd, xdd);
    tq_reference_at(r, t + h, fore, f1, skip);
    tq_reference_at(r, t - h, back, b1, skip);
    for (size_t i = 0; i < r->n_coordinate; i++) {
        cr_assert(epsilon_eq(dbl, xd[i], (fore[i] - back[i]) / (2 * h), within), "t = %g", t);
        cr_assert(epsilon_eq(dbl, xdd[i], (f1[i] - b1[i]) / (2 * h), within), "t = %g", t);
    }
}

Test(desired, every_kind_has_its_derivatives_and_is_at_rest_outside)
{
    double curvature[2][6];
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_spline_fit(&way, &scratch, curvature[0], NULL), TQ_OK));
    cr_assert(eq(int, tq_table_fit(&way, &scratch, curvature[1], NULL), TQ_OK));
    const double cell_times[3] = {0.5, 1.0, 2.0};
    /* two cells of two coordinates: accelerations jump at the start of the second */
    const double ends[24] = {0, 1,  0.5, 0, 1,  -1, 1,   -1, 0, 1, 2,  2,
                             1, -1, 0,   1, -3, 0,  0.5, 2,  0, 0, -1, 4};
    const tq_reference all[] = {
        {.kind = TQ_REFERENCE_SETPOINT, .n_coordinate = 2, .setpoint = points},
        {.kind = TQ_REFERENCE_WAYPOINTS,
         .n_coordinate = 2,
         .waypoints = way,
         .law = TQ_TIMING_QUINTIC},
        {.kind = TQ_REFERENCE_WAYPOINTS,
         .n_coordinate = 2,
         .waypoints = way,
         .law = TQ_TIMING_TRAPEZOID,
         .blend = 0.3},
        {.kind = TQ_REFERENCE_SPLINE,
         .n_coordinate = 2,
         .waypoints = way,
         .curvature = curvature[0]},
        {.kind = TQ_REFERENCE_TABLE,
         .n_coordinate = 2,
         .waypoints = way,
         .curvature = curvature[1]},
        {.kind = TQ_REFERENCE_CELLS,
         .n_coordinate = 2,
         .cells = {.n_cell = 2, .n_coordinate = 2, .t = cell_times, .ends = ends}}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        for (double t = 0.523; t < 2.0; t += 0.0917) {
            /* h^2 = 1e-10 times fourth derivatives below 1e3; 1e-16 / h of rounding */
            expect_derivatives(&all[k], t, 2e-6);
        }
        double x[2], xd[2], xdd[2];
        tq_reference_at(&all[k], 9.0, x, xd, xdd);
        cr_assert(epsilon_eq(dbl, x[1], k == 0 ? 1.0 : 2.0, 1e-14), "kind %zu", k);
        cr_assert(all(eq(dbl, xd[0], 0.0), eq(dbl, xdd[1], 0.0)));
        tq_reference_at(&all[k], 0.1, x, xd, xdd);
        cr_assert(epsilon_eq(dbl, x[1], 1.0, 1e-14), "kind %zu", k);
        cr_assert(all(eq(dbl, xd[0], 0.0), eq(dbl, xdd[1], 0.0)));
    }
}

Test(desired, breaks_are_reported_one_by_one)
{
    const tq_reference trapezoid = {.kind = TQ_REFERENCE_WAYPOINTS,
                                    .n_coordinate = 2,
                                    .waypoints = way,
                                    .law = TQ_TIMING_TRAPEZOID,
                                    .blend = 0.25};
    const double want[7] = {0.5, 0.625, 0.875, 1.0, 1.25, 1.75, 2.0};
    double t = -1.0;
    unsigned order = 9;
    for (int k = 0; k < 7; k++) {
        t = tq_reference_next_break(&trapezoid, t, &order);
        cr_assert(epsilon_eq(dbl, t, want[k], 1e-15), "break %d at %g", k, t);
    }
    cr_assert(eq(dbl, tq_reference_next_break(&trapezoid, t, &order), INFINITY));
    const tq_reference setpoint = {
        .kind = TQ_REFERENCE_SETPOINT, .n_coordinate = 2, .setpoint = points};
    cr_assert(eq(dbl, tq_reference_next_break(&setpoint, 0.0, &order), INFINITY));
}

static const double t_end[3] = {0, 2, 3};
static const tq_pose through[3] = {{.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.10, 0.15, 0.35}},
                                   {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.25, 0.05, 0.55}},
                                   {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.20, 0.10, 0.50}}};

/* cells of a straight line with a timing law, against the path itself between the ends of the cells
 */
static void expect_cells(const tq_model *model, tq_timing_law law, double torque_like)
{
    static double t[CELLS + 1], ends[CELLS * 18], kinks[9];
    const tq_cartesian_path path = {.link = 3,
                                    .axes = {true, true, true, false, false, false},
                                    .n_pose = 3,
                                    .t = t_end,
                                    .pose = through,
                                    .law = law,
                                    .blend = 0.3};
    const double start[3] = {1.9, 0.8, 0.2};
    const tq_motion_room room = {.cells_max = CELLS, .t = t, .ends = ends, .kinks = kinks};
    tq_scratch scratch;
    tq_error error = {0};
    tq_motion_cells cells;
    double at = 0.0;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(
        eq(int, tq_motion_sample(model, &path, start, &room, &scratch, &cells, &at, &error), TQ_OK),
        "%s %g at %g", error.what, error.value, at);
    cr_assert(eq(sz, scratch.used, 0));
    const tq_reference r = {.kind = TQ_REFERENCE_CELLS, .n_coordinate = 3, .cells = cells};
    unsigned order = 9;
    cr_assert(epsilon_eq(dbl, tq_reference_next_break(&r, 1.45, &order), 2.0, 1e-15),
              "cells themselves are no breaks, poses are");
    cr_assert(eq(uint, order, 0));
    for (double s = 0.0127; s < 3.0; s += 0.0531) {
        double x[3], xd[3], xdd[3], q[3], qd[3], qdd[3];
        tq_reference_at(&r, s, x, xd, xdd);
        memcpy(q, x, sizeof q);
        cr_assert(eq(int, tq_cartesian_at(model, &path, s, &scratch, q, qd, qdd, NULL), TQ_OK));
        for (int i = 0; i < 3; i++) {
            /* accelerations of some 10 to 1e-8 of the largest; h^2 / 60 and h / 12 of that */
            cr_assert(epsilon_eq(dbl, xdd[i], qdd[i], torque_like), "law %d, t = %g: %.3g", law, s,
                      xdd[i] - qdd[i]);
            cr_assert(epsilon_eq(dbl, xd[i], qd[i], torque_like), "law %d, t = %g", law, s);
            cr_assert(epsilon_eq(dbl, x[i], q[i], 1e-10), "law %d, t = %g", law, s);
        }
    }
}

Test(desired, cells_are_the_path)
{
    tq_model *model = tqt_rrp_arm(&tqt_rrp_homework);
    expect_cells(model, TQ_TIMING_QUINTIC, 2e-7);
    expect_cells(model, TQ_TIMING_SEPTIC, 2e-7);
    expect_cells(model, TQ_TIMING_TRAPEZOID, 2e-7); /* kinks lie between cells */
    expect_cells(model, TQ_TIMING_CUBIC, 2e-7);
    tqt_model_free(model);
}

/* A redundant arm: four parallel axes position a point in a plane. The cells are smooth: position,
 * velocity and acceleration of neighbours belong together to rounding, so differences of positions
 * give velocities. */
Test(desired, redundant_arm_moves_smoothly)
{
    static double t[CELLS + 1], ends[CELLS * 24], kinks[9];
    const tqt_bar bars[4] = {tqt_slender_bar(0.4, 1), tqt_slender_bar(0.3, 1),
                             tqt_slender_bar(0.3, 1), tqt_slender_bar(0.2, 1)};
    tq_model *model = tqt_planar_arm(bars, 4, 9.81);
    const tq_pose line[2] = {{.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.6, 0.3, 0}},
                             {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.3, 0.6, 0}}};
    tq_cartesian_path path = {.link = model->n_link - 1,
                              .at = {0.2, 0, 0},
                              .axes = {true, true, false, false, false, false},
                              .n_pose = 2,
                              .t = t_end,
                              .pose = line,
                              .law = TQ_TIMING_QUINTIC};
    const double start[4] = {0.1, 0.5, 0.4, 0.3};
    const tq_motion_room room = {.cells_max = CELLS, .t = t, .ends = ends, .kinks = kinks};
    tq_scratch scratch;
    tq_error error = {0};
    tq_motion_cells cells;
    double at = 0.0;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(
        eq(int, tq_motion_sample(model, &path, start, &room, &scratch, &cells, &at, &error), TQ_OK),
        "%s %g at %g", error.what, error.value, at);
    const tq_reference r = {.kind = TQ_REFERENCE_CELLS, .n_coordinate = 4, .cells = cells};
    for (double s = 0.0127; s < 1.98; s += 0.0531) {
        expect_derivatives(&r, s, 1e-5);
    }
    tqt_model_free(model);
}

Test(desired, a_path_out_of_reach_says_when)
{
    static double t[CELLS + 1], ends[CELLS * 18], kinks[9];
    tq_model *model = tqt_rrp_arm(&tqt_rrp_homework);
    tq_pose far[2] = {through[0], through[1]};
    far[1].p[0] = 0.0, far[1].p[1] = 0.0; /* on the first axis, inside the arm's hole */
    const tq_cartesian_path path = {.link = 3,
                                    .axes = {true, true, true, false, false, false},
                                    .n_pose = 2,
                                    .t = t_end,
                                    .pose = far,
                                    .law = TQ_TIMING_LINEAR};
    const double start[3] = {1.9, 0.8, 0.2};
    tq_motion_room room = {.cells_max = CELLS, .t = t, .ends = ends, .kinks = kinks};
    tq_scratch scratch;
    tq_error error = {0};
    tq_motion_cells cells;
    double at = 0.0;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(ne(int, tq_motion_sample(model, &path, start, &room, &scratch, &cells, &at, &error),
                 TQ_OK));
    cr_assert(eq(str, (char *)error.what, "path"));
    cr_assert(all(gt(dbl, at, 0.1), lt(dbl, at, 2.0)), "%g", at);
    room.cells_max = 2; /* too little memory to bisect */
    cr_assert(eq(int, tq_motion_sample(model, &path, start, &room, &scratch, &cells, &at, &error),
                 TQ_ERR_NO_CONVERGENCE));
    cr_assert(eq(str, (char *)error.what, "cells"));
    cr_assert(eq(sz, scratch.used, 0));
    tqt_model_free(model);
}
