/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_drives.c - items 106 to 119: Taghirad, chapter 5, slides 52 to 62, with
 * T19 (corner of L/R), T20 (PWM above 25 kHz) and T21 (load-side torque is eta tau_m) put right. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/drives/amplifier.h"
#include "core/drives/decoupling.h"
#include "core/drives/demand.h"
#include "core/drives/motor.h"
#include "core/drives/response.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "tests/support/expect.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

/* a servo motor of some hundred watts with a gear of 100 */
static tq_drive servo(void)
{
    tq_drive d;
    tq_drive_init(&d);
    d.motor = (tq_motor){.constant = 0.05,
                         .resistance = 0.6,
                         .inductance = 0.6e-3, /* L/R = 1 ms */
                         .inertia = 1e-4,
                         .viscous = 2e-4};
    d.gear.ratio = 100.0;
    d.amplifier.supply = 48.0;
    d.amplifier.continuous = 5.0;
    d.amplifier.peak_forward = 15.0;
    d.amplifier.peak_reverse = 12.0;
    d.amplifier.foldback_time = 2.0;
    return d;
}

static const tq_shaft item_load = {.inertia = 0.05, .viscous = 0.1};

/* F = i l x B on each conductor of a winding makes the torque; the flux that they cut makes the
 * back-emf; of a motor with the constant 2 n B l r both are what the drive computes */
Test(seeds, item_106_motor_constants)
{
    const double n = 40.0, field = 0.9, length = 0.08, radius = 0.02, speed = 150.0, i = 3.0;
    const double force = i * length * field; /* l along x, B along y: F along z */
    const tq_motor motor = {.constant = 2.0 * n * field * length * radius, .resistance = 0.6};
    const double emf = 2.0 * n * field * length * (radius * speed);
    tq_motor_point at;
    tq_motor_at(&motor, 0.6 * i + emf, speed, (double)INFINITY, (double)INFINITY, &at);
    cr_expect(fabs(at.current - i) < 1e-14, "%.17g", at.current);
    cr_expect(fabs(at.torque - 2.0 * n * force * radius) < 1e-14, "%.17g", at.torque);
    /* K_1 phi = K_2 phi: the power of the back-emf is that of the torque */
    cr_expect(fabs(emf * at.current - at.torque * speed) < 1e-12);
}

/* current of a shaft held at a speed: steps of the drive's own rate against 1 - exp(-t R/L) */
Test(seeds, item_107_motor_with_inductance)
{
    tq_drive d = servo();
    d.amplifier.foldback_time = 0.0;
    d.amplifier.peak_forward = d.amplifier.peak_reverse = (double)INFINITY;
    const double qd = 2.0, voltage = 24.0, h = 1e-6;
    const double emf = 0.05 * 100.0 * qd, final = (voltage - emf) / 0.6;
    double z[TQ_DRIVE_N_STATE] = {0}, zd[4][TQ_DRIVE_N_STATE];
    tq_drive_flow flow;
    for (int k = 0; k < 3000; k++) {
        const double i = z[TQ_DRIVE_I], c[4] = {0.0, 0.5, 0.5, 1.0};
        for (int s = 0; s < 4; s++) {
            z[TQ_DRIVE_I] = i + (s > 0 ? h * c[s] * zd[s - 1][TQ_DRIVE_I] : 0.0);
            tq_drive_rate(&d, TQ_DRIVE_VOLTAGE, false, voltage, qd, z, zd[s], &flow);
        }
        z[TQ_DRIVE_I] = i + h / 6.0 * (zd[0][0] + 2.0 * zd[1][0] + 2.0 * zd[2][0] + zd[3][0]);
    }
    /* RK4 over 3 L/R in 3,000 steps: (1e-3)^4 / 120 of the value, and rounding */
    const double want = final * (1.0 - exp(-3.0));
    cr_expect(fabs(z[TQ_DRIVE_I] - want) < 1e-11 * final, "%.17g %.17g", z[TQ_DRIVE_I], want);
    tq_drive_rate(&d, TQ_DRIVE_VOLTAGE, false, voltage, qd, z, zd[0], &flow);
    cr_expect(fabs(flow.torque - 100.0 * 0.05 * want) < 1e-10, "joint side: eta K_m i (T21)");
    /* i = (V - V_b)/(L s + R) with the shaft held */
    const tq_driven held = {.drive = &d, .load = item_load, .locked = true};
    double y[2];
    tq_response_at(&held, TQ_RESPONSE_ADMITTANCE, 700.0, y);
    const double below = 0.6 * 0.6 + 0.42 * 0.42; /* L w = 0.42 */
    tqt_expect("1/(Ls+R)", y, (const double[2]){0.6 / below, -0.42 / below}, 2, 1e-14);
}

Test(seeds, item_108_motor_without_inductance)
{
    tq_drive d = servo();
    tq_reduction r;
    /* corners of L/R = 1e-2 ... 1e-3 s are 15.9 ... 159 Hz, not 100 ... 1000 (T19) */
    const double ratios[] = {1e-2, 1e-3}, corners[] = {15.91549430918953, 159.1549430918953};
    for (int k = 0; k < 2; k++) {
        d.motor.inductance = ratios[k] * d.motor.resistance;
        tq_motor_reduction(&d, &item_load, &r);
        cr_expect(fabs(r.corner_hz - corners[k]) < 1e-12 * corners[k]);
        /* at the corner the reduced torque is wrong by |1 - 1/(1 + j)| = 1/sqrt 2 */
        const tq_driven held = {.drive = &d, .locked = true};
        double y[2];
        tq_response_at(&held, TQ_RESPONSE_ADMITTANCE, 1.0 / ratios[k], y);
        cr_expect(fabs(hypot(y[0] * 0.6 - 1.0, y[1] * 0.6) - M_SQRT1_2) < 1e-14);
    }
    /* the error of the speed after a step, to first order (tau_e/tau_m)(1 - exp(-t/tau_e)) ... :
     * its largest value approaches tau_e/tau_m; ten times less inductance, ten times less error */
    double errors[2];
    for (int k = 0; k < 2; k++) {
        d.motor.inductance = (k == 0 ? 1e-4 : 1e-5) * d.motor.resistance;
        tq_motor_reduction(&d, &item_load, &r);
        errors[k] = r.speed_error / (r.electrical_time / r.mechanical_time);
    }
    cr_expect(fabs(errors[0] - 1.0) < 0.05 && fabs(errors[1] - 1.0) < 0.01, "%g %g", errors[0],
              errors[1]);
    cr_expect(fabs(r.poles[0][0] / r.reduced_pole - 1.0) < 2.0 * 1e-5 / r.mechanical_time);
}

Test(seeds, item_109_torque_speed_line)
{
    const tq_drive d = servo();
    tq_motor_line line;
    tq_motor_line_at(&d.motor, 48.0, 15.0, &line);
    cr_expect(fabs(line.stall_torque - 4.0) < 1e-14 && fabs(line.no_load_speed - 960.0) < 1e-12);
    cr_expect(fabs(0.6 * line.stall_torque / 0.05 - 48.0) < 1e-13, "V_s = R tau_s / K_m");
    cr_expect(fabs(line.held_torque - 0.75) < 1e-15 && fabs(line.held_below - 780.0) < 1e-12);
    for (int k = 0; k <= 10; k++) {
        tq_motor_point p;
        tq_motor_at(&d.motor, 48.0, 96.0 * k, 15.0, 12.0, &p);
        const double free = line.stall_torque + line.slope * p.speed;
        cr_expect(fabs(p.torque - fmin(free, 0.75)) < 1e-14, "%g at %g", p.torque, p.speed);
        cr_expect(p.held == (p.speed < 780.0));
        cr_expect(fabs(p.electrical - p.copper - p.torque * p.speed) < 1e-10, "power is kept");
    }
}

Test(seeds, item_110_back_emf_compensation)
{
    /* without the loop's integral the back-emf is a disturbance; compensation takes it away */
    tq_drive d = servo();
    d.amplifier.current_p = 3.0;
    const double z[TQ_DRIVE_N_STATE] = {0}, qd = 1.5, emf = 0.05 * 150.0;
    double zd[TQ_DRIVE_N_STATE];
    const double parts[] = {0.0, 0.5, 1.0};
    for (int k = 0; k < 3; k++) {
        tq_drive_flow flow;
        d.amplifier.compensation = parts[k];
        tq_drive_rate(&d, TQ_DRIVE_CURRENT, true, 4.0, qd, z, zd, &flow);
        const double want = (3.0 * 4.0 - (1.0 - parts[k]) * emf) / (0.6 + 3.0);
        cr_expect(fabs(flow.current - want) < 1e-14, "%g: %.17g %.17g", parts[k], flow.current,
                  want);
    }
    /* and as a response: with full compensation a moving shaft looks like one that is held */
    tq_driven moving = {.drive = &d, .load = item_load}, held = moving;
    held.locked = true;
    for (double w = 0.1; w < 1e5; w *= 10.0) {
        double a[2], b[2];
        tq_response_at(&moving, TQ_RESPONSE_CURRENT, w, a);
        tq_response_at(&held, TQ_RESPONSE_CURRENT, w, b);
        tqt_expect("compensated", a, b, 2, 1e-13);
    }
}

Test(seeds, item_111_pwm_amplifier)
{
    const tq_drive d = servo();
    const double duties[] = {0.0, 0.25, 0.5, 0.75, 1.0, 1.5}, volts[] = {-48, -24, 0, 24, 48, 48};
    for (int k = 0; k < 6; k++) {
        const double v = tq_pwm_voltage(&d.amplifier, duties[k]);
        cr_expect(fabs(v - volts[k]) < 1e-13, "%g: %g", duties[k], v);
    }
    /* dead time of a tenth: nothing between 0.4 and 0.6, and back */
    tq_amplifier dead = d.amplifier;
    dead.dead_band = 0.1;
    cr_expect(tq_pwm_voltage(&dead, 0.59) == 0.0);
    cr_expect(fabs(tq_pwm_voltage(&dead, 0.8) - 0.4 * 48.0) < 1e-13);
    cr_expect(fabs(tq_pwm_duty(&dead, tq_pwm_voltage(&dead, 0.23)) - 0.23) < 1e-15);
    cr_expect(fabs(tq_amplifier_reach(&dead) - 0.8 * 48.0) < 1e-13);
    /* T20: ripple of a period matters by 1/(f L/R): small above 25 kHz, not above 25 Hz */
    const double period = d.motor.inductance / d.motor.resistance;
    cr_expect(period > 20.0 / 25e3 && period < 0.1 / 25.0);
}

/* the current loop's response to an outside back-emf: its rejection is what limits the bandwidth */
Test(seeds, item_112_current_mode)
{
    tq_drive d = servo();
    const double bandwidth = 2.0 * M_PI * 100.0;
    /* pole and zero cancel: k_p/k_i = L/R, a loop of exactly bandwidth/s with the shaft held */
    d.amplifier.current_p = bandwidth * d.motor.inductance;
    d.amplifier.current_i = bandwidth * d.motor.resistance;
    const tq_driven held = {.drive = &d, .load = item_load, .locked = true};
    tq_loop_margins m;
    tq_loop_margins_find(&held, false, &m);
    cr_expect(fabs(m.crossover / bandwidth - 1.0) < 1e-12 &&
              fabs(m.bandwidth / bandwidth - 1.0) < 1e-12);
    cr_expect(fabs(m.phase_margin - M_PI_2) < 1e-9 && isinf(m.gain_margin));
    cr_expect(tq_loop_is_stable(&held, false));
    /* a load without friction that runs away: T(0) = k_i J/(k_i J + K^2), not 1 */
    d.motor.viscous = 0.0;
    const tq_driven moving = {.drive = &d, .load = {.inertia = 0.05}};
    const double j = 1.05e-4 * d.amplifier.current_i;
    tq_loop_margins_find(&moving, false, &m);
    cr_expect(fabs(m.low_gain - j / (j + 0.05 * 0.05)) < 1e-6, "%g", m.low_gain);
    /* below the bandwidth the loop rejects a back-emf by w/(k_i), above it by the impedance */
    double low[2], high[2];
    tq_response_at(&held, TQ_RESPONSE_EMF, 1e-2, low);
    tq_response_at(&held, TQ_RESPONSE_EMF, 1e6, high);
    cr_expect(fabs(hypot(low[0], low[1]) * d.amplifier.current_i / 1e-2 - 1.0) < 1e-3);
    cr_expect(fabs(hypot(high[0], high[1]) * d.motor.inductance * 1e6 - 1.0) < 1e-2);
}

Test(seeds, item_113_velocity_mode)
{
    tq_drive d = servo();
    d.velocity = (tq_velocity_loop){.gain = 2.0, .lead = 1.0, .tacho_time = 2e-3};
    d.amplifier.current_p = 2.0;
    d.amplifier.current_i = 2000.0;
    const tq_driven driven = {.drive = &d, .load = item_load};
    tq_loop_margins plain, led;
    tq_loop_margins_find(&driven, true, &plain);
    d.velocity.lead = 8.0;
    d.velocity.lead_time = 1.0 / (sqrt(8.0) * plain.crossover);
    d.velocity.gain = 2.0 / sqrt(8.0); /* so that the crossover stays */
    tq_loop_margins_find(&driven, true, &led);
    /* at its middle the lead gives asin((8 - 1)/(8 + 1)) = 51 degrees */
    const double gained = led.phase_margin - plain.phase_margin;
    cr_expect(fabs(gained - asin(7.0 / 9.0)) < 1e-9, "%g %g", plain.phase_margin, gained);
    cr_expect(fabs(led.crossover / plain.crossover - 1.0) < 1e-9);
    cr_expect(led.peak < plain.peak && tq_loop_is_stable(&driven, true));
}

/* a step beyond the peak, shaft held: i = peak until the heat is spent, then it comes down to the
 * continuous current; forward and reverse have their own clamps */
Test(seeds, item_114_current_limit_with_foldback)
{
    const tq_drive d = servo();
    for (int reverse = 0; reverse < 2; reverse++) {
        const double peak = reverse ? 12.0 : 15.0, command = reverse ? -40.0 : 40.0, h = 1e-4;
        double z[TQ_DRIVE_N_STATE] = {0}, zd[TQ_DRIVE_N_STATE], folds = -1.0;
        tq_drive_flow flow = {0};
        for (int k = 0; k < 200000; k++) {
            tq_drive_rate(&d, TQ_DRIVE_CURRENT, true, command, 0.0, z, zd, &flow);
            if (folds < 0.0 && fabs(flow.current) < peak) {
                folds = h * k;
            }
            z[TQ_DRIVE_HEAT] += h * zd[TQ_DRIVE_HEAT];
        }
        /* heat = peak^2 (1 - exp(-t/T)) reaches 95 % of continuous^2; Euler's 1 step of slack */
        const double want = -2.0 * log(1.0 - 0.95 * 25.0 / (peak * peak));
        cr_expect(fabs(folds - want) < 2.0 * h, "%g, not %g", folds, want);
        cr_expect(fabs(fabs(flow.current) - 5.0) < 1e-3 && flow.limited, "%g", flow.current);
        cr_expect(reverse == (flow.current < 0.0));
    }
}

Test(seeds, item_115_frequency_response)
{
    /* the closed current loop with motion, against its rational function written out */
    tq_drive d = servo();
    d.amplifier.current_p = 2.0;
    d.amplifier.current_i = 900.0;
    const tq_driven driven = {.drive = &d, .load = item_load};
    const double j = 1.05e-4, b = 2.1e-4;
    for (double w = 1e-2; w < 1e6; w *= 3.0) {
        const double complex s = w * (double complex)_Complex_I;
        const double complex top = (2.0 * s + 900.0) * (j * s + b);
        const double complex below = s * ((0.6e-3 * s + 0.6) * (j * s + b) + 0.05 * 0.05) + top;
        const double complex want = top / below;
        double got[2];
        tq_response_at(&driven, TQ_RESPONSE_CURRENT, w, got);
        tqt_expect("current loop", got, (const double[2]){creal(want), cimag(want)}, 2, 1e-13);
    }
}

Test(seeds, item_116_gearbox)
{
    /* virtual work: tau_m w_m = tau w */
    tq_gear gear = {.ratio = 100.0, .efficiency = 1.0};
    cr_expect(fabs(tq_gear_to_joint(&gear, 0.3, 2.0) - 30.0) < 1e-14);
    cr_expect(fabs(tq_gear_to_motor(&gear, 30.0, -2.0) - 0.3) < 1e-16);
    tq_drive_demand demand;
    tq_drive d = servo();
    tq_drive_demand_at(&d, 30.0, 2.0, &demand);
    cr_expect(fabs(demand.motor_torque * demand.motor_speed - 30.0 * 2.0) < 1e-13);
    /* with loss: the motor gives more than arrives, and takes less than is put in */
    gear.efficiency = 0.8;
    cr_expect(fabs(tq_gear_to_joint(&gear, 0.3, 2.0) - 24.0) < 1e-14);
    cr_expect(fabs(tq_gear_to_joint(&gear, 0.3, -2.0) - 37.5) < 1e-14);
    for (int k = -1; k <= 1; k += 2) {
        cr_expect(fabs(tq_gear_to_joint(&gear, tq_gear_to_motor(&gear, 7.0, k), k) - 7.0) < 1e-14);
    }
}

Test(seeds, item_117_reflected_inertia)
{
    const tq_drive d = servo();
    tq_shaft load, motor;
    tq_seen_by_load(&d, &item_load, &load);
    tq_seen_by_motor(&d, &item_load, &motor);
    cr_expect(fabs(load.inertia - 1.05) < 1e-15 && fabs(load.viscous - 2.1) < 1e-15);
    cr_expect(fabs(motor.inertia - 1.05e-4) < 1e-19 && fabs(motor.viscous - 2.1e-4) < 1e-19);
}

/* a planar 2R with a drive in each joint: M and the friction of the robot have them once */
Test(seeds, item_118_drives_of_n_joints)
{
    const tq_drive d = servo();
    const double eta[2] = {120.0, 80.0}, b[2] = {0.3, 0.2};
    const tqt_bar bars[2] = {tqt_slender_bar(1.0, 2.0), tqt_slender_bar(0.8, 1.0)};
    tq_model *bare = tqt_planar_arm(bars, 2, 9.81), *driven = tqt_planar_arm(bars, 2, 9.81);
    for (int k = 0; k < 2; k++) {
        const double square = eta[k] * eta[k];
        driven->joints[k].rotor = (tq_rotor){.inertia = d.motor.inertia, .ratio = eta[k]};
        driven->joints[k].friction.viscous = b[k] + square * d.motor.viscous;
    }
    tqt_subject *one = tqt_subject_new(bare, 0), *other = tqt_subject_new(driven, 0);
    const double q[2] = {0.4, -0.9}, qd[2] = {1.1, -0.7}, qdd[2] = {2.0, 3.0};
    double m[4], me[4], tau[2], taue[2];
    tqt_mass(one, q, m);
    tqt_mass(other, q, me);
    tqt_torque(one, q, qd, qdd, 0, tau);
    tqt_torque(other, q, qd, qdd, 0, taue);
    for (int k = 0; k < 2; k++) {
        const double square = eta[k] * eta[k], rotor = square * 1e-4;
        cr_expect(fabs(me[3 * k] - m[3 * k] - rotor) < TQT_ROUNDING);
        cr_expect(fabs(me[1 + k] - m[1 + k]) < TQT_ROUNDING);
        /* tau = M_e qdd + C qd + b_e qd + g, b_e qd row by row (T21) */
        const double want = tau[k] + rotor * qdd[k] + (b[k] + square * 2e-4) * qd[k];
        cr_expect(fabs(taue[k] - want) < 10.0 * TQT_ROUNDING, "%.17g %.17g", taue[k], want);
        /* and on the motor's side: eta K_m i */
        tq_drive mine = d;
        mine.gear.ratio = eta[k];
        tq_drive_demand demand;
        tq_drive_demand_at(&mine, taue[k], qd[k], &demand);
        cr_expect(fabs(eta[k] * 0.05 * demand.current - taue[k]) < TQT_ROUNDING);
    }
    tqt_subject_free(one);
    tqt_subject_free(other);
    tqt_model_free(bare);
    tqt_model_free(driven);
}

static void decoupling_of(tqt_subject *s, const double *q, const double *qd, const double *qdd,
                          double ret[8])
{
    const size_t size = tq_configuration_scratch_size(s->model) +
                        tq_decoupling_scratch_size(s->mechanism) + TQ_SCRATCH_ALIGN;
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, (size + 63) / 64 * 64);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    const tq_sample sample = {.q = q, .qd = qd, .qdd = qdd, .gravity = s->model->gravity};
    tq_configuration posture;
    cr_assert(tq_configuration_compute(s->model, q, qd, &scratch, &posture, NULL) == TQ_OK);
    cr_assert(tq_decoupling_at(s->mechanism, &posture, &sample, &scratch, ret, NULL) == TQ_OK);
    tq_scratch_release(memory, size);
    free(memory);
}

/* each approximation against the exact torque along a motion; with eta > 100 the decoupled law is
 * good, with direct drive it is not */
Test(seeds, item_119_decoupling_approximations)
{
    const tqt_bar bars[2] = {tqt_slender_bar(1.0, 2.0), tqt_slender_bar(0.8, 1.0)};
    double wrong[3][4] = {{0.0}}, whole[3] = {0.0};
    const double ratios[3] = {1.0, 100.0, 200.0};
    for (int r = 0; r < 3; r++) {
        tq_model *model = tqt_planar_arm(bars, 2, 9.81);
        const double rotor[2] = {ratios[r] * ratios[r] * 1e-3, ratios[r] * ratios[r] * 1e-3};
        for (int k = 0; k < 2; k++) {
            model->joints[k].rotor = (tq_rotor){.inertia = 1e-3, .ratio = ratios[r]};
            model->joints[k].friction.viscous = 0.5;
        }
        tqt_subject *s = tqt_subject_new(model, 0);
        for (int k = 0; k < 50; k++) {
            const double t = 0.04 * k;
            const double q[2] = {sin(2.0 * t), 0.7 * cos(3.0 * t)};
            const double qd[2] = {2.0 * cos(2.0 * t), -2.1 * sin(3.0 * t)};
            const double qdd[2] = {-4.0 * sin(2.0 * t), -6.3 * cos(3.0 * t)};
            double m[4], v[2], g[2], tau[2], errors[8], by_sample[8];
            tqt_mass(s, q, m);
            tqt_velocity(s, q, qd, v);
            tqt_gravity(s, q, g);
            tqt_torque(s, q, qd, qdd, 0, tau);
            tq_decoupling_errors(2, m, rotor, v, qdd, errors);
            decoupling_of(s, q, qd, qdd, by_sample);
            tqt_expect("by the sample", by_sample, errors, 8, 1e-10); /* of some 100 N m */
            for (int i = 0; i < 2; i++) {
                const double rest = 0.5 * qd[i] + g[i];
                const double own = m[3 * i] * qdd[i], geared = rotor[i] * qdd[i];
                const double approximations[4] = {own + v[i] + rest, geared + v[i] + rest,
                                                  own + rest, geared + rest};
                for (int a = 0; a < 4; a++) {
                    const double want = approximations[a] - tau[i], got = errors[2 * a + i];
                    /* torques of some hundred N m: rounding of 1e-13 */
                    cr_expect(fabs(got - want) < 1e-11, "%d %d: %.17g %.17g", a, i, got, want);
                    wrong[r][a] += got * got;
                }
                whole[r] += tau[i] * tau[i];
            }
        }
        tqt_subject_free(s);
        tqt_model_free(model);
    }
    double share[3][4]; /* rms of the error over rms of the torque */
    for (int k = 0; k < 12; k++) {
        share[k / 4][k % 4] = sqrt(wrong[k / 4][k % 4] / whole[k / 4]);
    }
    for (int a = 0; a < 4; a++) {
        cr_expect(share[1][a] < 0.6 * share[0][a] && share[2][a] < 0.6 * share[1][a],
                  "approximation %d: %g %g %g", a, share[0][a], share[1][a], share[2][a]);
        cr_expect(share[2][a] < 0.1, "%d: %g", a, share[2][a]);
    }
    cr_expect(share[0][3] > 0.3, "direct drive: %g", share[0][3]);
}
