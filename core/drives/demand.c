/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/demand.c - requirements of a motion on a drive. */
#include "core/drives/demand.h"

#include <math.h>

#include "core/drives/amplifier.h"

void tq_drive_demand_at(const tq_drive *drive, double joint_torque, double qd, tq_drive_demand *ret)
{
    const tq_amplifier *a = &drive->amplifier;
    const double reach = tq_amplifier_reach(a);
    ret->motor_torque = tq_gear_to_motor(&drive->gear, joint_torque, qd);
    ret->motor_speed = drive->gear.ratio * qd;
    ret->current = ret->motor_torque / drive->motor.constant;
    ret->voltage =
        drive->motor.resistance * ret->current + drive->motor.constant * ret->motor_speed;
    ret->power = ret->voltage * ret->current;
    ret->duty = a->kind == TQ_AMPLIFIER_PWM ? tq_pwm_duty(a, ret->voltage)
                                            : 0.5 * (1.0 + ret->voltage / reach);
    const double peak = ret->current < 0.0 ? a->peak_reverse : a->peak_forward;
    ret->current_use = fabs(ret->current) / peak;
    ret->continuous_use = fabs(ret->current) / a->continuous;
    ret->voltage_use = fabs(ret->voltage) / reach;
    ret->feasible = ret->current_use <= 1.0 && ret->voltage_use <= 1.0;
}
