/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/drive_fields.c - the words of a drive. */
#include "api/robots/document/drive_fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* clang-format off */
const tqa_drive_field tqa_drive_fields[] = {
    {"motor", "constant_nm_a", "motor.constant", offsetof(tq_drive, motor.constant), 0.05, "torque per ampere, N m/A, which is also back-emf per speed, V s/rad: above 0"},
    {"motor", "resistance", "motor.resistance", offsetof(tq_drive, motor.resistance), 0.6, "ohm, above 0"},
    {"motor", "inductance", "motor.inductance", offsetof(tq_drive, motor.inductance), 0, "H, 0 or more; 0 neglects it"},
    {"motor", "inertia", "motor.inertia", offsetof(tq_drive, motor.inertia), 0, "of the rotor, kg m^2, 0 or more"},
    {"motor", "viscous", "motor.viscous", offsetof(tq_drive, motor.viscous), 0, "friction of the motor, N m s/rad, 0 or more"},
    {"gear", "ratio", "gear.ratio", offsetof(tq_drive, gear.ratio), 0, "motor turns per joint turn (rad/m for a slide), not 0"},
    {"gear", "efficiency", "gear.efficiency", offsetof(tq_drive, gear.efficiency), 0, "above 0, at most 1"},
    {"amplifier", "supply_v", "amplifier.supply", offsetof(tq_drive, amplifier.supply), 0, "V, above 0"},
    {"amplifier", "dead_band", "amplifier.dead_band", offsetof(tq_drive, amplifier.dead_band), 0, "part of the duty around 1/2 without voltage, 0 to below 1/2"},
    {"amplifier", "frequency_hz", "amplifier.frequency", offsetof(tq_drive, amplifier.frequency), 0, "of PWM, Hz, 0 or more"},
    {"amplifier", "dropout_v", "amplifier.dropout", offsetof(tq_drive, amplifier.dropout), 0, "V lost of the supply by a linear amplifier, below the supply"},
    {"amplifier", "bandwidth_hz", "amplifier.bandwidth", offsetof(tq_drive, amplifier.bandwidth), 0, "of a linear amplifier, Hz, 0 or more"},
    {"current_limit", "continuous_a", "amplifier.continuous", offsetof(tq_drive, amplifier.continuous), 0, "A, above 0"},
    {"current_limit", "peak_a", "amplifier.peak_forward", offsetof(tq_drive, amplifier.peak_forward), 0, "A, above 0; needed with a foldback time"},
    {"current_limit", "peak_reverse_a", "amplifier.peak_reverse", offsetof(tq_drive, amplifier.peak_reverse), 0, "A, above 0; peak if it is left out"},
    {"current_limit", "foldback_time_s", "amplifier.foldback_time", offsetof(tq_drive, amplifier.foldback_time), 0, "s over which the mean square must not exceed that of the continuous current; it needs finite peaks"},
    {"current_loop", "p", "amplifier.current_p", offsetof(tq_drive, amplifier.current_p), 0, "V/A, 0 or more"},
    {"current_loop", "i", "amplifier.current_i", offsetof(tq_drive, amplifier.current_i), 0, "V/(A s), 0 or more"},
    {"current_loop", "compensation", "amplifier.compensation", offsetof(tq_drive, amplifier.compensation), 0, "part of the back-emf that is added to the voltage, 0 to 1"},
    {"velocity_loop", "gain", "velocity.gain", offsetof(tq_drive, velocity.gain), 0.5, "A s/rad of the motor, 0 or more"},
    {"velocity_loop", "lead", "velocity.lead", offsetof(tq_drive, velocity.lead), 0, "ratio a of (1 + a T s)/(1 + T s), above 0; 1: none"},
    {"velocity_loop", "lead_time_s", "velocity.lead_time", offsetof(tq_drive, velocity.lead_time), 0, "T, s, 0 or more"},
    {"velocity_loop", "tacho_time_s", "velocity.tacho_time", offsetof(tq_drive, velocity.tacho_time), 0, "time constant of the tachometer, s, 0 or more"},
};
/* clang-format on */
const size_t tqa_drive_n_field = sizeof tqa_drive_fields / sizeof tqa_drive_fields[0];

const char *const tqa_drive_groups[] = {
    "motor", "gear", "amplifier", "current_limit", "current_loop", "velocity_loop", NULL};
const char *const tqa_amplifier_words[] = {"pwm", "linear", NULL};

void tqa_drive_group_names(const char *group, const char *ret[TQA_DRIVE_GROUP_FIELDS])
{
    size_t n = 0;
    for (size_t k = 0; k < tqa_drive_n_field; k++) {
        if (strcmp(tqa_drive_fields[k].group, group) == 0) {
            ret[n++] = tqa_drive_fields[k].name;
        }
    }
    if (strcmp(group, "amplifier") == 0) {
        ret[n++] = "kind";
    }
    assert(n < TQA_DRIVE_GROUP_FIELDS);
    ret[n] = NULL;
}

double *tqa_drive_number(tq_drive *drive, const tqa_drive_field *field)
{
    return (double *)(void *)((char *)drive + field->offset);
}

double tqa_drive_value(const tq_drive *drive, const tqa_drive_field *field)
{
    double value = 0.0;
    memcpy(&value, (const char *)drive + field->offset, sizeof value);
    return value;
}

const tqa_drive_field *tqa_drive_field_find(const char *what)
{
    size_t k = 0;
    while (k < tqa_drive_n_field && strcmp(tqa_drive_fields[k].what, what) != 0) {
        k++;
    }
    assert(k < tqa_drive_n_field && "every number that can be wrong has a word");
    return &tqa_drive_fields[k];
}

void tqa_drive_complete(tq_drive *drive)
{
    if (isinf(drive->amplifier.peak_reverse)) {
        drive->amplifier.peak_reverse = drive->amplifier.peak_forward;
    }
}
