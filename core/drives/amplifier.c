/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/amplifier.c - drive: from a command to motor torque. */
#include "core/drives/amplifier.h"

#include <math.h>

double tq_amplifier_reach(const tq_amplifier *amplifier)
{
    return amplifier->kind == TQ_AMPLIFIER_PWM
               ? (1.0 - 2.0 * amplifier->dead_band) * amplifier->supply
               : amplifier->supply - amplifier->dropout;
}

double tq_pwm_voltage(const tq_amplifier *amplifier, double duty)
{
    const double part = 2.0 * fmax(0.0, fmin(1.0, duty)) - 1.0;
    const double over = fmax(0.0, fabs(part) - 2.0 * amplifier->dead_band);
    return copysign(over * amplifier->supply, part);
}

double tq_pwm_duty(const tq_amplifier *amplifier, double voltage)
{
    if (voltage == 0.0) {
        return 0.5;
    }
    const double over = fabs(voltage) / (2.0 * amplifier->supply) + amplifier->dead_band;
    return 0.5 + copysign(over, voltage);
}

double tq_gear_to_joint(const tq_gear *gear, double motor_torque, double qd)
{
    const double torque = gear->ratio * motor_torque;
    const double power = torque * qd;
    if (power > 0.0) {
        return torque * gear->efficiency;
    }
    return power < 0.0 ? torque / gear->efficiency : torque;
}

double tq_gear_to_motor(const tq_gear *gear, double joint_torque, double qd)
{
    const double torque = joint_torque / gear->ratio;
    const double power = joint_torque * qd;
    if (power > 0.0) {
        return torque / gear->efficiency;
    }
    return power < 0.0 ? torque * gear->efficiency : torque;
}

double tq_foldback_limit(const tq_amplifier *amplifier, double heat, bool forward)
{
    const double peak = forward ? amplifier->peak_forward : amplifier->peak_reverse;
    if (amplifier->foldback_time == 0.0 || amplifier->continuous >= peak) {
        return peak;
    }
    /* a ramp, not a switch: the current settles instead of chattering */
    const double full = amplifier->continuous * amplifier->continuous;
    const double left = fmax(0.0, fmin(1.0, (full - heat) / (0.05 * full)));
    return amplifier->continuous + left * (peak - amplifier->continuous);
}

/* a motor at one instant */
typedef struct moment {
    const tq_drive *drive;
    bool stored;      /* the current is a state */
    double emf;       /* V */
    double reach;     /* V */
    double low, high; /* A: the current limits */
    double current;   /* A, if it is a state */
} moment;

static double held(double x, double low, double high)
{
    return fmax(low, fmin(high, x));
}

/* voltage command: the actual voltage, limited so that the current stays within its limits */
static void give_voltage(const moment *m, double wanted, tq_drive_flow *ret)
{
    const double r = m->drive->motor.resistance;
    const double within = held(wanted, -m->reach, m->reach);
    const double steady = held((within - m->emf) / r, m->low, m->high);
    /* the supply is the harder limit: a joint driven too fast generates its own current */
    ret->voltage = held(m->emf + r * steady, -m->reach, m->reach);
    /* an inactive limit must not cause rounding */
    if (steady == (within - m->emf) / r) {
        ret->voltage = within;
    }
    ret->limited = ret->voltage != wanted;
    ret->current = m->stored ? m->current : (ret->voltage - m->emf) / r;
}

/* current command; returns the rate of the loop's integral */
static double give_current(const moment *m, double integral, tq_drive_flow *ret)
{
    const tq_amplifier *a = &m->drive->amplifier;
    const double r = m->drive->motor.resistance;
    const double compensated = a->compensation * m->emf;
    const bool ideal = a->current_p == 0.0 && a->current_i == 0.0;
    double v = 0.0;
    if (ideal && !m->stored) {
        v = r * ret->wanted + m->emf;
    } else if (m->stored) {
        v = a->current_p * (ret->wanted - m->current) + a->current_i * integral + compensated;
    } else {
        const double push = a->current_p * ret->wanted + a->current_i * integral + compensated;
        const double i = (push - m->emf) / (r + a->current_p);
        v = r * i + m->emf;
    }
    ret->voltage = held(v, -m->reach, m->reach);
    ret->current = m->stored ? m->current : (ret->voltage - m->emf) / r;
    const double error = ret->wanted - ret->current;
    const bool saturated = ret->voltage != v;
    ret->limited = ret->limited || saturated;
    if (ideal && !m->stored && !saturated) {
        ret->current = ret->wanted;
        return 0.0;
    }
    return saturated && error * v > 0.0 ? 0.0 : error;
}

/* set-point of the velocity loop, and the rates of its states */
static double velocity_current(const tq_velocity_loop *loop, double wanted, double speed,
                               const double *z, double *zd)
{
    const double seen = loop->tacho_time > 0.0 ? z[TQ_DRIVE_TACHO] : speed;
    const double error = wanted - seen;
    if (loop->tacho_time > 0.0) {
        zd[TQ_DRIVE_TACHO] = (speed - z[TQ_DRIVE_TACHO]) / loop->tacho_time;
    }
    if (loop->lead_time == 0.0) {
        return loop->gain * error;
    }
    zd[TQ_DRIVE_LEAD] = (error - z[TQ_DRIVE_LEAD]) / loop->lead_time;
    return loop->gain * (loop->lead * error + (1.0 - loop->lead) * z[TQ_DRIVE_LEAD]);
}

void tq_drive_rate(const tq_drive *drive, tq_drive_mode mode, bool reduced, double command,
                   double qd, const double *z, double *ret_zd, tq_drive_flow *ret)
{
    const tq_motor *motor = &drive->motor;
    const tq_amplifier *a = &drive->amplifier;
    const double speed = drive->gear.ratio * qd;
    const bool ideal = a->current_p == 0.0 && a->current_i == 0.0;
    const bool by_voltage = mode == TQ_DRIVE_VOLTAGE || mode == TQ_DRIVE_DUTY;
    const moment m = {
        .drive = drive,
        /* an ideal current loop has no inductance */
        .stored = !reduced && motor->inductance > 0.0 && (by_voltage || !ideal),
        .emf = motor->constant * speed,
        .reach = tq_amplifier_reach(a),
        .low = -tq_foldback_limit(a, z[TQ_DRIVE_HEAT], false),
        .high = tq_foldback_limit(a, z[TQ_DRIVE_HEAT], true),
        .current = z[TQ_DRIVE_I],
    };
    for (int k = 0; k < TQ_DRIVE_N_STATE; k++) {
        ret_zd[k] = 0.0;
    }
    *ret = (tq_drive_flow){.wanted = (double)NAN};
    if (by_voltage) {
        give_voltage(&m, mode == TQ_DRIVE_DUTY ? tq_pwm_voltage(a, command) : command, ret);
    } else {
        double wanted = command;
        if (mode == TQ_DRIVE_VELOCITY) {
            wanted =
                velocity_current(&drive->velocity, drive->gear.ratio * command, speed, z, ret_zd);
        } else if (mode == TQ_DRIVE_TORQUE) {
            wanted = tq_gear_to_motor(&drive->gear, command, 0.0) / motor->constant;
        }
        ret->wanted = held(wanted, m.low, m.high);
        ret->limited = ret->wanted != wanted;
        ret_zd[TQ_DRIVE_INTEGRAL] = give_current(&m, z[TQ_DRIVE_INTEGRAL], ret);
    }
    ret->limit = ret->current < 0.0 ? -m.low : m.high;
    if (m.stored) {
        ret_zd[TQ_DRIVE_I] =
            (ret->voltage - motor->resistance * m.current - m.emf) / motor->inductance;
    }
    if (a->foldback_time > 0.0) {
        ret_zd[TQ_DRIVE_HEAT] = (ret->current * ret->current - z[TQ_DRIVE_HEAT]) / a->foldback_time;
    }
    ret->torque = tq_gear_to_joint(&drive->gear, motor->constant * ret->current, qd);
}
