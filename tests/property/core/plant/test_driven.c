/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_driven.c - robots with drives over time: closed forms. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/drives/motor.h"
#include "core/integrate/fixed_step.h"
#include "core/plant/driven.h"
#include "core/plant/torque_table.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

enum { LANE = 8, BYTES = 4 << 20 };

static tq_drive servo(void)
{
    tq_drive d;
    tq_drive_init(&d);
    d.motor = (tq_motor){.constant = 0.05,
                         .resistance = 0.6,
                         .inductance = 6e-3, /* L/R = 10 ms: not negligible */
                         .inertia = 1e-4,
                         .viscous = 2e-4};
    d.gear.ratio = 100.0;
    return d;
}

/* one bar about z without gravity; rotor and friction are in the model */
typedef struct rig {
    tq_model *model;
    tqt_subject *subject;
    tq_drive drive;
    tq_driven_joint joint;
    tq_driven_plant driven;
    tq_effect effects[2];
    size_t n_effect;
    double q[LANE], qd[LANE], z[TQ_DRIVE_N_STATE * LANE];
    void *memory;
    tq_scratch scratch;
} rig;

static void open_rig(rig *r, tq_drive drive, double inertia, double viscous, tq_drive_mode mode)
{
    const tqt_bar bar = {.length = 1.0, .mass = 1.0, .inertia = inertia};
    *r = (rig){
        .drive = drive, .model = tqt_planar_arm(&bar, 1, 0.0), .memory = aligned_alloc(64, BYTES)};
    const double square = drive.gear.ratio * drive.gear.ratio;
    r->model->joints[0].rotor =
        (tq_rotor){.inertia = drive.motor.inertia, .ratio = drive.gear.ratio};
    r->model->joints[0].friction.viscous = viscous + square * drive.motor.viscous;
    r->subject = tqt_subject_new(r->model, 0);
    r->joint = (tq_driven_joint){.row = 0, .drive = &r->drive};
    r->driven = (tq_driven_plant){.n_joint = 1, .joints = &r->joint, .mode = mode};
    tq_scratch_init(&r->scratch, r->memory, BYTES);
}

static void close_rig(rig *r)
{
    tqt_subject_free(r->subject);
    tqt_model_free(r->model);
    free(r->memory);
}

static void go(rig *r, double from, double h, int n)
{
    const tq_plant plant = {
        .mechanism = r->subject->mechanism, .effects = r->effects, .n_effect = r->n_effect};
    const tq_trajectories state = {
        .n_sample = 1, .stride = LANE, .q = r->q, .qd = r->qd, .z = r->z};
    for (int k = 0; k < n; k++) {
        cr_assert(
            eq(int, tq_fixed_step(&plant, TQ_FIXED_RK4, from + h * k, h, &state, &r->scratch, NULL),
               TQ_OK));
    }
}

static tq_table constant(const double *t, const double *x)
{
    return (tq_table){.points = {.n_point = 2, .n_coordinate = 1, .t = t, .x = x},
                      .interpolation = TQ_INTERPOLATE_HOLD};
}

/* speed and current after a voltage step are those of the matrix exponential, with and without
 * inductance; their difference is the predicted error of the reduction */
Test(driven, a_step_of_voltage_is_the_closed_form)
{
    const double times[2] = {0.0, 1.0};
    const double volts[2] = {24.0, 24.0};
    const tq_shaft load = {.inertia = 0.05, .viscous = 0.1};
    tq_reduction reduction;
    double worst = 0.0, late = 0.0;
    const tq_drive drive = servo();
    tq_motor_reduction(&drive, &load, &reduction);
    rig r[2];
    for (int k = 0; k < 2; k++) {
        open_rig(&r[k], drive, load.inertia, load.viscous, TQ_DRIVE_VOLTAGE);
        static tq_table table;
        table = constant(times, volts);
        r[k].driven.table = &table;
        r[k].driven.reduced = k == 1;
        r[k].effects[0] = tq_driven_effect(&r[k].driven);
        r[k].n_effect = 1;
    }
    for (int step = 0; step < 300; step++) {
        const double t = 1e-3 * (step + 1);
        for (int k = 0; k < 2; k++) {
            double current = 0.0, speed = 0.0;
            go(&r[k], 1e-3 * step, 1e-4, 10);
            tq_motor_step(&drive, &load, 24.0, k == 1, t, &current, &speed);
            /* RK4: (1e-4 / 1e-2)^4 / 120 of each step, some hundred of them */
            cr_expect(fabs(r[k].qd[0] * 100.0 - speed) < 1e-7 * (1.0 + speed), "%d %g: %.12g %.12g",
                      k, t, r[k].qd[0] * 100.0, speed);
            if (k == 0) {
                cr_expect(fabs(r[k].z[TQ_DRIVE_I * LANE] - current) < 1e-7 * 40.0);
            }
        }
        worst = fmax(worst, fabs(r[0].qd[0] - r[1].qd[0]) * 100.0);
        /* from 5 L/R = 50 ms on; without inductance R i = u - K w */
        const double settled = (24.0 - 0.05 * r[1].qd[0] * 100.0) / 0.6;
        if (step >= 49) {
            late = fmax(late, fabs(r[0].z[TQ_DRIVE_I * LANE] - settled));
        }
    }
    /* relative to the final speed; the maximum on a grid of a millisecond has an error of second
     * order */
    const double stiff = 0.05 * 0.05 + 0.6 * 2.1e-4;
    const double final = 0.05 * 24.0 / stiff;
    cr_expect(fabs(worst / final / reduction.speed_error - 1.0) < 2e-3, "%g %g", worst / final,
              reduction.speed_error);
    /* relative to the stall current; the first grid point after 5 L/R is up to 1 % of L/R late */
    cr_expect(fabs(late / (24.0 / 0.6) / reduction.current_error - 1.0) < 2e-2, "%g %g",
              late / (24.0 / 0.6), reduction.current_error);
    close_rig(&r[0]);
    close_rig(&r[1]);
}

/* a current command far above the peak: limited to the peak, folded back, constant; the torque
 * follows */
Test(driven, foldback_over_time)
{
    const double times[2] = {0.0, 1.0};
    const double amperes[2] = {40.0, 40.0};
    tq_drive drive = servo();
    drive.amplifier.continuous = 5.0;
    drive.amplifier.peak_forward = drive.amplifier.peak_reverse = 15.0;
    drive.amplifier.foldback_time = 0.5;
    drive.amplifier.current_p = 2.0;
    drive.amplifier.current_i = 200.0;
    rig r;
    open_rig(&r, drive, 1e5, 0.0, TQ_DRIVE_CURRENT); /* so heavy that it hardly moves */
    tq_table table = constant(times, amperes);
    tq_drive_flow flow;
    r.driven.table = &table;
    r.driven.flows = &flow;
    r.effects[0] = tq_driven_effect(&r.driven);
    r.n_effect = 1;
    const double folds = -0.5 * log(1.0 - 0.95 * 25.0 / 225.0);
    double seen = -1.0;
    for (int step = 0; step < 3000; step++) {
        go(&r, 1e-3 * step, 1e-3, 1);
        const double t = 1e-3 * (step + 1);
        cr_assert(flow.current < 15.1 && flow.limited, "%g A at %g", flow.current, t);
        if (seen < 0.0 && flow.limit < 15.0) {
            seen = t;
        }
    }
    /* the rise of the current takes 3 ms (L/k_p) and delays the heat by that */
    cr_expect(seen > folds && seen < folds + 0.01, "%g, not %g", seen, folds);
    cr_expect(fabs(r.z[TQ_DRIVE_I * LANE] - 5.0) < 0.01, "%g", r.z[TQ_DRIVE_I * LANE]);
    cr_expect(fabs(r.z[TQ_DRIVE_HEAT * LANE] - 25.0) < 0.1);
    close_rig(&r);
}

/* drives without limits give the commanded torque; drives with a limit do not */
Test(driven, commanded_torque_is_reached)
{
    const double times[2] = {0.0, 10.0}, torques[2] = {1.0, 30.0};
    tq_table table = constant(times, torques);
    table.interpolation = TQ_INTERPOLATE_LINEAR;
    double end[3];
    for (int k = 0; k < 3; k++) {
        tq_drive drive = servo();
        drive.amplifier.peak_forward = k == 2 ? 0.5 : (double)INFINITY;
        rig r;
        open_rig(&r, drive, 0.3, 0.0, TQ_DRIVE_TORQUE);
        r.effects[0] = tq_torque_table(&table);
        r.effects[1] = tq_driven_effect(&r.driven);
        r.n_effect = k == 0 ? 1 : 2;
        go(&r, 0.0, 1e-2, 200);
        end[k] = r.qd[0];
        close_rig(&r);
    }
    cr_expect(fabs(end[0] - end[1]) < 1e-13 * end[0], "%.17g %.17g", end[0], end[1]);
    cr_expect(end[2] < 0.8 * end[1], "%g %g", end[2], end[1]);
}
