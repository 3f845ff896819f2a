/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/drives/test_amplifier.c - limits of a drive, in each mode. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/drives/amplifier.h"

static tq_drive servo(void)
{
    tq_drive d;
    tq_drive_init(&d);
    d.motor = (tq_motor){.constant = 0.05, .resistance = 0.5, .inductance = 0.5e-3};
    d.gear.ratio = 50.0;
    d.amplifier.supply = 24.0;
    d.amplifier.peak_forward = 20.0;
    d.amplifier.peak_reverse = 10.0;
    return d;
}

static tq_drive_flow flow_of(const tq_drive *d, tq_drive_mode mode, double command, double qd)
{
    const double z[TQ_DRIVE_N_STATE] = {0};
    double zd[TQ_DRIVE_N_STATE];
    tq_drive_flow flow;
    tq_drive_rate(d, mode, true, command, qd, z, zd, &flow);
    return flow;
}

Test(amplifier, voltage_is_held_by_supply_and_current)
{
    tq_drive d = servo();
    tq_drive_flow flow = flow_of(&d, TQ_DRIVE_VOLTAGE, 8.0, 0.0);
    cr_expect(flow.current == 16.0 && !flow.limited);
    flow = flow_of(&d, TQ_DRIVE_VOLTAGE, 40.0, 0.0);
    cr_expect(flow.current == 20.0 && flow.limited && flow.voltage == 10.0);
    flow = flow_of(&d, TQ_DRIVE_VOLTAGE, -40.0, 0.0);
    cr_expect(flow.current == -10.0 && flow.limited);
    /* at 8 rad/s of the joint the back-emf is 20 V: the remaining 4 V of 24 V give 8 A */
    flow = flow_of(&d, TQ_DRIVE_VOLTAGE, 30.0, 8.0);
    cr_expect(fabs(flow.current - 8.0) < 1e-12 && flow.limited, "%g", flow.current);
    /* driven faster than the supply can balance, the motor generates current beyond its limits */
    flow = flow_of(&d, TQ_DRIVE_VOLTAGE, 0.0, -20.0);
    cr_expect(flow.voltage == -24.0 && fabs(flow.current - 52.0) < 1e-12, "%g %g", flow.voltage,
              flow.current);
}

Test(amplifier, duty_is_a_voltage)
{
    const tq_drive d = servo();
    const tq_drive_flow a = flow_of(&d, TQ_DRIVE_DUTY, 0.6, 0.5);
    const tq_drive_flow b = flow_of(&d, TQ_DRIVE_VOLTAGE, 0.2 * 24.0, 0.5);
    cr_expect(fabs(a.current - b.current) < 1e-13 && isnan(a.wanted));
}

Test(amplifier, ideal_current_loop_gives_the_current_as_far_as_the_supply_reaches)
{
    const tq_drive d = servo();
    tq_drive_flow flow = flow_of(&d, TQ_DRIVE_CURRENT, 6.5, 2.0);
    cr_expect(flow.current == 6.5 && flow.torque == 50.0 * (0.05 * 6.5));
    flow = flow_of(&d, TQ_DRIVE_CURRENT, 30.0, 0.0);
    cr_expect(flow.current == 20.0 && flow.limited);
    flow = flow_of(&d, TQ_DRIVE_CURRENT, 20.0, 8.0);
    cr_expect(fabs(flow.current - 8.0) < 1e-12 && flow.limited && flow.voltage == 24.0);
    flow = flow_of(&d, TQ_DRIVE_TORQUE, 12.5, 1.0);
    cr_expect(fabs(flow.current - 5.0) < 1e-14 && fabs(flow.torque - 12.5) < 1e-13);
}

Test(amplifier, the_integral_is_held_in_saturation)
{
    tq_drive d = servo();
    double z[TQ_DRIVE_N_STATE] = {0}, zd[TQ_DRIVE_N_STATE];
    tq_drive_flow flow;
    d.amplifier.current_p = 10.0;
    d.amplifier.current_i = 100.0;
    tq_drive_rate(&d, TQ_DRIVE_CURRENT, false, 15.0, 0.0, z, zd, &flow);
    cr_expect(flow.limited && zd[TQ_DRIVE_INTEGRAL] == 0.0 && flow.voltage == 24.0);
    cr_expect(zd[TQ_DRIVE_I] == 24.0 / 0.5e-3);
    tq_drive_rate(&d, TQ_DRIVE_CURRENT, false, 1.0, 0.0, z, zd, &flow);
    cr_expect(zd[TQ_DRIVE_INTEGRAL] == 1.0 && !flow.limited && flow.voltage == 10.0);
    /* saturated inwards while the error is outwards: the integral changes */
    z[TQ_DRIVE_INTEGRAL] = 1.0;
    z[TQ_DRIVE_I] = 3.0;
    tq_drive_rate(&d, TQ_DRIVE_CURRENT, false, 2.0, 0.0, z, zd, &flow);
    cr_expect(flow.limited && zd[TQ_DRIVE_INTEGRAL] == -1.0);
}

Test(amplifier, the_integral_finds_the_back_emf)
{
    /* with and without inductance the loop converges to the commanded current */
    for (int reduced = 0; reduced < 2; reduced++) {
        tq_drive d = servo();
        double z[TQ_DRIVE_N_STATE] = {0}, zd[TQ_DRIVE_N_STATE];
        tq_drive_flow flow = {0};
        d.amplifier.current_p = 0.5;
        d.amplifier.current_i = 500.0;
        for (int k = 0; k < 100000; k++) { /* 0.1 s: 50 or more time constants of the loop */
            tq_drive_rate(&d, TQ_DRIVE_CURRENT, reduced, 4.0, 3.0, z, zd, &flow);
            for (int s = 0; s < TQ_DRIVE_N_STATE; s++) {
                z[s] += 1e-6 * zd[s];
            }
        }
        cr_expect(fabs(flow.current - 4.0) < 1e-9, "%d: %.12g", reduced, flow.current);
        cr_expect(fabs(flow.voltage - (0.5 * 4.0 + 0.05 * 150.0)) < 1e-8);
    }
}

Test(amplifier, velocity_loop_commands_current)
{
    tq_drive d = servo();
    double z[TQ_DRIVE_N_STATE] = {0}, zd[TQ_DRIVE_N_STATE];
    tq_drive_flow flow;
    d.velocity =
        (tq_velocity_loop){.gain = 0.1, .lead = 4.0, .lead_time = 1e-2, .tacho_time = 1e-3};
    z[TQ_DRIVE_TACHO] = 30.0;
    z[TQ_DRIVE_LEAD] = 5.0;
    tq_drive_rate(&d, TQ_DRIVE_VELOCITY, true, 1.0, 0.5, z, zd, &flow);
    /* error 50 - 30 of the motor; 0.1 (4 20 - 3 5) */
    cr_expect(fabs(flow.current - 6.5) < 1e-14, "%g", flow.current);
    cr_expect(fabs(zd[TQ_DRIVE_TACHO] - (25.0 - 30.0) / 1e-3) < 1e-9);
    cr_expect(fabs(zd[TQ_DRIVE_LEAD] - (20.0 - 5.0) / 1e-2) < 1e-9);
}

Test(amplifier, foldback_is_continuous_and_falls)
{
    tq_amplifier a = servo().amplifier;
    a.continuous = 4.0;
    a.foldback_time = 1.0;
    double before = 20.0;
    for (double heat = 0.0; heat < 20.0; heat += 0.01) {
        const double limit = tq_foldback_limit(&a, heat, true);
        cr_expect(limit <= before && before - limit < 0.21 && limit >= 4.0, "%g: %g", heat, limit);
        before = limit;
    }
    cr_expect(before == 4.0 && tq_foldback_limit(&a, 0.0, false) == 10.0);
    a.continuous = 30.0;
    cr_expect(tq_foldback_limit(&a, 99.0, true) == 20.0);
    a.continuous = 4.0;
    a.foldback_time = 0.0;
    cr_expect(tq_foldback_limit(&a, 99.0, true) == 20.0, "never enforced without a time");
}
