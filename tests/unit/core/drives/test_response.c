/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/drives/test_response.c - margins and stability of loops in closed form. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/drives/response.h"

/* locked rotor, zero cancels the pole: open loop w_c exp(-s/(2 f))/s */
static tq_drive delayed(double crossover, double frequency)
{
    tq_drive d;
    tq_drive_init(&d);
    d.motor = (tq_motor){.constant = 0.05, .resistance = 0.5, .inductance = 1e-3, .inertia = 1e-4};
    d.amplifier.frequency = frequency;
    d.amplifier.current_p = crossover * 1e-3;
    d.amplifier.current_i = crossover * 0.5;
    return d;
}

Test(response, margins_of_an_integrator_with_delay)
{
    const tq_drive d = delayed(2000.0, 5000.0); /* delay of 0.1 ms */
    const tq_driven held = {.drive = &d, .locked = true};
    tq_loop_margins m;
    tq_loop_margins_find(&held, false, &m);
    cr_expect(fabs(m.crossover - 2000.0) < 1e-8);
    cr_expect(fabs(m.phase_margin - (M_PI_2 - 0.2)) < 1e-11, "%.15g", m.phase_margin);
    cr_expect(fabs(m.phase_crossing - M_PI_2 / 1e-4) < 1e-6, "%.15g", m.phase_crossing);
    cr_expect(fabs(m.gain_margin - M_PI_2 / 1e-4 / 2000.0) < 1e-9, "%.15g", m.gain_margin);
    cr_expect(fabs(m.low_gain - 1.0) < 1e-6);
}

Test(response, stability_ends_where_the_gain_margin_does)
{
    for (int k = 0; k < 2; k++) {
        /* gain margin pi/2 / (w_c T): 1.01 and 0.99 */
        const tq_drive d = delayed(M_PI_2 / 1e-4 / (k == 0 ? 1.01 : 0.99), 5000.0);
        const tq_driven held = {.drive = &d, .locked = true};
        tq_loop_margins m;
        tq_loop_margins_find(&held, false, &m);
        cr_expect(tq_loop_is_stable(&held, false) == (k == 0));
        cr_expect(k == (m.gain_margin < 1.0), "%g", m.gain_margin);
        cr_expect(k == (m.phase_margin < 0.0), "%g", m.phase_margin);
        /* a velocity loop around it is unstable too */
        tq_drive outer = d;
        outer.velocity = (tq_velocity_loop){.gain = 1e-4, .lead = 1.0};
        const tq_driven moving = {.drive = &outer, .load = {.inertia = 1e6, .viscous = 1.0}};
        cr_expect(tq_loop_is_stable(&moving, true) == (k == 0));
    }
}

Test(response, gain_at_zero_frequency_is_the_final_value_of_the_step)
{
    tq_drive d = delayed(1.0, 0.0);
    d.motor.viscous = 1e-4;
    const tq_driven driven = {.drive = &d, .load = {.inertia = 1e-4, .viscous = 2e-4}};
    for (int reduced = 0; reduced < 2; reduced++) {
        double h[2], i = 0.0, w = 0.0;
        tq_response_at(&driven, reduced ? TQ_RESPONSE_SPEED_REDUCED : TQ_RESPONSE_SPEED, 0.0, h);
        tq_motor_step(&d, &driven.load, 3.0, reduced, 60.0, &i, &w);
        cr_expect(fabs(3.0 * h[0] - w) < 1e-12 * w && h[1] == 0.0);
        cr_expect(fabs(i * 0.05 - w * 3e-4) < 1e-12, "torque holds the friction");
    }
}

/* the exact step against its own rate equations: differences of second order */
Test(response, steps_solve_the_equations)
{
    const double inductances[] = {1e-4, 1e-3, 0.2, 0.0013333};
    for (int k = 0; k < 4; k++) {
        tq_drive d = delayed(1.0, 0.0);
        d.motor.inductance = inductances[k];
        const tq_shaft load = {.inertia = 5e-5, .viscous = 1e-3};
        for (double t = 1e-3; t < 0.3; t *= 3.0) {
            const double h = 1e-6;
            double i[3], w[3];
            for (int s = 0; s < 3; s++) {
                tq_motor_step(&d, &load, 12.0, false, t + h * (s - 1), &i[s], &w[s]);
            }
            const double id = (12.0 - 0.5 * i[1] - 0.05 * w[1]) / inductances[k];
            const double wd = (0.05 * i[1] - 1e-3 * w[1]) / 1.5e-4;
            /* h^2/6 times the third derivative, at most (R/L)^2 of the rate; rounding of 240/h */
            const double part = 1e-12 * pow(0.5 / inductances[k], 2.0) + 1e-8;
            cr_expect(fabs((i[2] - i[0]) / (2.0 * h) - id) < part * 24.0 / inductances[k] + 1e-6);
            cr_expect(fabs((w[2] - w[0]) / (2.0 * h) - wd) < part * 1e5 + 1e-6, "%g: %g %g", t,
                      (w[2] - w[0]) / (2.0 * h), wd);
        }
    }
}
