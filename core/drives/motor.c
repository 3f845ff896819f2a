/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/motor.c - a DC motor and its gear, in closed form. */
#include "core/drives/motor.h"

#include <math.h>

#include "core/elementary/elementary.h"

void tq_motor_at(const tq_motor *motor, double voltage, double speed, double forward,
                 double reverse, tq_motor_point *ret)
{
    const double emf = motor->constant * speed;
    const double free = (voltage - emf) / motor->resistance;
    const double current = fmax(-reverse, fmin(forward, free));
    ret->held = current != free;
    ret->speed = speed;
    ret->current = current;
    ret->torque = motor->constant * current;
    ret->voltage = ret->held ? emf + motor->resistance * current : voltage;
    ret->electrical = ret->voltage * current;
    ret->copper = motor->resistance * current * current;
}

void tq_motor_line_at(const tq_motor *motor, double voltage, double current_limit,
                      tq_motor_line *ret)
{
    const double k = motor->constant;
    const double r = motor->resistance;
    ret->stall_current = voltage / r;
    ret->stall_torque = k * voltage / r;
    ret->no_load_speed = voltage / k;
    ret->free_speed = k * voltage / (k * k + r * motor->viscous);
    ret->held_torque = k * current_limit;
    ret->held_below = (voltage - r * current_limit) / k;
    ret->largest_power = 0.25 * voltage * voltage / r;
    ret->slope = -k * k / r;
}

void tq_seen_by_motor(const tq_drive *drive, const tq_shaft *load, tq_shaft *ret)
{
    const double square = drive->gear.ratio * drive->gear.ratio;
    ret->inertia = drive->motor.inertia + load->inertia / square;
    ret->viscous = drive->motor.viscous + load->viscous / square;
}

void tq_seen_by_load(const tq_drive *drive, const tq_shaft *load, tq_shaft *ret)
{
    const double square = drive->gear.ratio * drive->gear.ratio;
    ret->inertia = square * drive->motor.inertia + load->inertia;
    ret->viscous = square * drive->motor.viscous + load->viscous;
}

/* x' = A x + b: the state (current, speed) of motor and load at the motor's shaft */
typedef struct electromechanical {
    double a[4];
    double middle;   /* half the trace */
    double distance; /* squared distance of the eigenvalues from `middle` */
    double det;
} electromechanical;

static electromechanical matrix_of(const tq_motor *m, const tq_shaft *j)
{
    electromechanical s;
    s.a[0] = -m->resistance / m->inductance;
    s.a[1] = -m->constant / m->inductance;
    s.a[2] = m->constant / j->inertia;
    s.a[3] = -j->viscous / j->inertia;
    s.middle = 0.5 * (s.a[0] + s.a[3]);
    s.det = (m->resistance * j->viscous + m->constant * m->constant) / m->inductance / j->inertia;
    const double half = 0.5 * (s.a[0] - s.a[3]);
    s.distance = half * half + s.a[1] * s.a[2];
    return s;
}

/* exp(A t) = c I + s (A - middle I) */
static void exponential(const electromechanical *e, double t, double *ret_c, double *ret_s)
{
    const double size = sqrt(fabs(e->distance));
    if (size * t < 1e-8) {
        *ret_c = tq_exp(e->middle * t);
        *ret_s = t * *ret_c;
    } else if (e->distance < 0.0) {
        const double decay = tq_exp(e->middle * t);
        *ret_c = decay * tq_cos(size * t);
        *ret_s = decay * tq_sin(size * t) / size;
    } else {
        const double fast = e->middle - size; /* det / fast is the slow one, without cancellation */
        const double x = tq_exp(e->det / fast * t), y = tq_exp(fast * t);
        *ret_c = 0.5 * (x + y);
        *ret_s = 0.5 * (x - y) / size;
    }
}

void tq_motor_step(const tq_drive *drive, const tq_shaft *load, double voltage, bool reduced,
                   double t, double *ret_current, double *ret_speed)
{
    const tq_motor *m = &drive->motor;
    tq_shaft j;
    tq_seen_by_motor(drive, load, &j);
    const double stiff = m->constant * m->constant + m->resistance * j.viscous;
    const double speed = m->constant * voltage / stiff;
    const double current = j.viscous * voltage / stiff;
    if (reduced || m->inductance == 0.0) {
        const double rest = tq_exp(-t * stiff / (j.inertia * m->resistance));
        *ret_speed = speed * (1.0 - rest);
        *ret_current = (voltage - m->constant * *ret_speed) / m->resistance;
        return;
    }
    const electromechanical e = matrix_of(m, &j);
    double c = 0.0, s = 0.0;
    exponential(&e, t, &c, &s);
    const double off = e.a[0] - e.middle;
    *ret_current = current - (c * current + s * (off * current + e.a[1] * speed));
    *ret_speed = speed - (c * speed + s * (e.a[2] * current - off * speed));
}

static void find_poles(const electromechanical *e, double ret[2][2])
{
    const double size = sqrt(fabs(e->distance));
    if (e->distance < 0.0) {
        ret[0][0] = ret[1][0] = e->middle;
        ret[0][1] = size;
        ret[1][1] = -size;
        return;
    }
    ret[1][0] = e->middle - size;
    ret[0][0] = e->det / ret[1][0];
    ret[0][1] = ret[1][1] = 0.0;
}

void tq_motor_reduction(const tq_drive *drive, const tq_shaft *load, tq_reduction *ret)
{
    enum { N_POINT = 2000 };
    const tq_motor *m = &drive->motor;
    tq_shaft j;
    tq_seen_by_motor(drive, load, &j);
    const double stiff = m->constant * m->constant + m->resistance * j.viscous;
    *ret = (tq_reduction){.electrical_time = m->inductance / m->resistance,
                          .mechanical_time = j.inertia * m->resistance / stiff,
                          .corner_hz = (double)INFINITY};
    ret->reduced_pole = -1.0 / ret->mechanical_time;
    ret->poles[0][0] = ret->reduced_pole;
    ret->poles[1][0] = -(double)INFINITY;
    if (m->inductance == 0.0) {
        return;
    }
    ret->corner_hz = m->resistance / (2.0 * M_PI * m->inductance);
    const electromechanical e = matrix_of(m, &j);
    find_poles(&e, ret->poles);
    const double speed = m->constant / stiff; /* for one volt */
    /* five times the slower time constant, with a resolution for the faster one */
    const double end = 5.0 * (ret->mechanical_time + ret->electrical_time);
    for (int k = 1; k <= N_POINT; k++) {
        const double u = (double)k / (double)N_POINT;
        const double t = end * u * u * u;
        double i[2], w[2];
        tq_motor_step(drive, load, 1.0, false, t, &i[0], &w[0]);
        tq_motor_step(drive, load, 1.0, true, t, &i[1], &w[1]);
        const double error = fabs(w[0] - w[1]) / speed;
        if (error > ret->speed_error) {
            ret->speed_error = error;
            ret->speed_error_at = t;
        }
        if (t >= 5.0 * ret->electrical_time) {
            ret->current_error = fmax(ret->current_error, fabs(i[0] - i[1]) * m->resistance);
        }
    }
}
