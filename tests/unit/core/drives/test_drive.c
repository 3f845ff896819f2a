/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/drives/test_drive.c - every bound of a drive's parameters. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stddef.h>

#include "core/drives/drive.h"

static tq_drive good(void)
{
    tq_drive d;
    tq_drive_init(&d);
    d.motor.constant = 0.05;
    d.motor.resistance = 0.6;
    return d;
}

typedef struct bad_number {
    size_t offset;
    double value;
    const char *what;
} bad_number;

#define AT(part, field) offsetof(tq_drive, part.field)
static const bad_number numbers[] = {
    {AT(motor, constant), 0.0, "motor.constant"},
    {AT(motor, constant), -1.0, "motor.constant"},
    {AT(motor, resistance), 0.0, "motor.resistance"},
    {AT(motor, inductance), -1e-3, "motor.inductance"},
    {AT(motor, inertia), -1e-4, "motor.inertia"},
    {AT(motor, viscous), -1.0, "motor.viscous"},
    {AT(gear, ratio), 0.0, "gear.ratio"},
    {AT(gear, efficiency), 0.0, "gear.efficiency"},
    {AT(gear, efficiency), 1.1, "gear.efficiency"},
    {AT(amplifier, supply), 0.0, "amplifier.supply"},
    {AT(amplifier, dead_band), 0.5, "amplifier.dead_band"},
    {AT(amplifier, frequency), -1.0, "amplifier.frequency"},
    {AT(amplifier, dropout), -1.0, "amplifier.dropout"},
    {AT(amplifier, bandwidth), -1.0, "amplifier.bandwidth"},
    {AT(amplifier, continuous), 0.0, "amplifier.continuous"},
    {AT(amplifier, peak_forward), -1.0, "amplifier.peak_forward"},
    {AT(amplifier, peak_reverse), 0.0, "amplifier.peak_reverse"},
    {AT(amplifier, foldback_time), -1.0, "amplifier.foldback_time"},
    {AT(amplifier, foldback_time), 1.0, "amplifier.foldback_time"}, /* infinite peaks */
    {AT(amplifier, current_p), -1.0, "amplifier.current_p"},
    {AT(amplifier, current_i), -1.0, "amplifier.current_i"},
    {AT(amplifier, compensation), 1.5, "amplifier.compensation"},
    {AT(velocity, gain), -1.0, "velocity.gain"},
    {AT(velocity, lead), 0.0, "velocity.lead"},
    {AT(velocity, lead_time), -1.0, "velocity.lead_time"},
    {AT(velocity, tacho_time), -1.0, "velocity.tacho_time"},
};

Test(drive, numbers_out_of_range_are_named)
{
    tq_drive d = good();
    cr_assert(eq(int, tq_drive_check(&d, NULL), TQ_OK));
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        tq_error error = {0};
        d = good();
        *(double *)(void *)((char *)&d + numbers[k].offset) = numbers[k].value;
        cr_expect(eq(int, tq_drive_check(&d, &error), TQ_ERR_RANGE), "%s", numbers[k].what);
        cr_expect(eq(str, (char *)error.what, (char *)numbers[k].what));
        *(double *)(void *)((char *)&d + numbers[k].offset) = (double)NAN;
        cr_expect(eq(int, tq_drive_check(&d, &error), TQ_ERR_NOT_FINITE), "%s", numbers[k].what);
    }
}

Test(drive, a_linear_amplifier_keeps_something_of_its_supply)
{
    tq_drive d = good();
    tq_error error = {0};
    d.amplifier.kind = TQ_AMPLIFIER_LINEAR;
    d.amplifier.supply = 24.0;
    d.amplifier.dropout = 24.0;
    cr_expect(eq(int, tq_drive_check(&d, &error), TQ_ERR_RANGE));
    d.amplifier.dropout = 3.0;
    cr_expect(eq(int, tq_drive_check(&d, &error), TQ_OK));
    d.motor.resistance = (double)INFINITY;
    cr_expect(eq(int, tq_drive_check(&d, &error), TQ_ERR_NOT_FINITE));
}
