/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/response.c - frequency responses of a drive and its loops. */
#include "core/drives/response.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"

/* Products and quotients of two are written out: the compiler's library may contract or scale them
 * differently on another machine. */
typedef double complex number;

static number number_of(double re, double im)
{
    const double parts[2] = {re, im};
    number z;
    memcpy(&z, parts, sizeof z); /* CMPLX is not available in every compiler */
    return z;
}

static number times(number a, number b)
{
    return number_of(creal(a) * creal(b) - cimag(a) * cimag(b),
                     creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* a / b without overflow of |b|^2 (Smith, CACM 5, 1962) */
static number over(number a, number b)
{
    const double re = creal(b), im = cimag(b);
    if (fabs(re) >= fabs(im)) {
        const double r = im / re, d = re + im * r;
        return number_of((creal(a) + cimag(a) * r) / d, (cimag(a) - creal(a) * r) / d);
    }
    const double r = re / im, d = re * r + im;
    return number_of((creal(a) * r + cimag(a)) / d, (cimag(a) * r - creal(a)) / d);
}

static double size_of(number z)
{
    return tq_hypot(creal(z), cimag(z));
}

static double angle_of(number z)
{
    return tq_atan2(cimag(z), creal(z));
}

/* scan: decades from 1e-3 rad/s, points per decade */
enum { DECADE_FIRST = -3, N_DECADE = 10, PER_DECADE = 200, N_SCAN = N_DECADE * PER_DECADE };

static double scan_frequency(int k)
{
    return tq_pow(10.0, (double)DECADE_FIRST + (double)k / (double)PER_DECADE);
}

static number amplifier_at(const tq_amplifier *a, number s)
{
    if (a->kind == TQ_AMPLIFIER_PWM) {
        /* exp(-s / 2f), s = i w */
        const double late = a->frequency > 0.0 ? cimag(s) / (2.0 * a->frequency) : 0.0;
        return number_of(tq_cos(late), -tq_sin(late));
    }
    return a->bandwidth > 0.0 ? over(1.0, 1.0 + s / (2.0 * M_PI * a->bandwidth)) : 1.0;
}

/* A for a volt; the fraction `own` of the back-emf acts */
static number admittance(const tq_driven *d, const tq_shaft *j, double inductance, number own,
                         number s)
{
    const tq_motor *m = &d->drive->motor;
    const number electric = inductance * s + m->resistance;
    if (d->locked) {
        return over(1.0, electric);
    }
    const number mechanic = j->inertia * s + j->viscous;
    return over(mechanic, times(electric, mechanic) + m->constant * m->constant * own);
}

static bool is_ideal(const tq_drive *drive)
{
    return drive->amplifier.current_p == 0.0 && drive->amplifier.current_i == 0.0;
}

static number current_open(const tq_driven *d, const tq_shaft *j, number s)
{
    const tq_amplifier *a = &d->drive->amplifier;
    const number amplifier = amplifier_at(a, s);
    const number own = 1.0 - a->compensation * amplifier;
    return times(times(a->current_p + over(a->current_i, s), amplifier),
                 admittance(d, j, d->drive->motor.inductance, own, s));
}

static number current_closed(const tq_driven *d, const tq_shaft *j, number s)
{
    if (is_ideal(d->drive)) {
        return 1.0;
    }
    const number open = current_open(d, j, s);
    return over(open, 1.0 + open);
}

/* speed for a speed set-point, the loop opened before the tachometer */
static number velocity_forward(const tq_driven *d, const tq_shaft *j, number s)
{
    const tq_velocity_loop *v = &d->drive->velocity;
    const number lead = over(1.0 + v->lead * v->lead_time * s, 1.0 + v->lead_time * s);
    return over(times(v->gain * lead, current_closed(d, j, s)) * d->drive->motor.constant,
                j->inertia * s + j->viscous);
}

static number value(const tq_driven *d, tq_response response, double w)
{
    const number s = number_of(0.0, w);
    const tq_motor *m = &d->drive->motor;
    tq_shaft j;
    tq_seen_by_motor(d->drive, &d->load, &j);
    switch (response) {
    case TQ_RESPONSE_SPEED:
    case TQ_RESPONSE_SPEED_REDUCED: {
        const double l = response == TQ_RESPONSE_SPEED ? m->inductance : 0.0;
        return d->locked
                   ? 0.0
                   : over(m->constant, times(l * s + m->resistance, j.inertia * s + j.viscous) +
                                           m->constant * m->constant);
    }
    case TQ_RESPONSE_ADMITTANCE:
        return admittance(d, &j, m->inductance, 1.0, s);
    case TQ_RESPONSE_CURRENT_OPEN:
        return current_open(d, &j, s);
    case TQ_RESPONSE_CURRENT:
        return current_closed(d, &j, s);
    case TQ_RESPONSE_EMF: {
        /* an external voltage against the loop; the shaft speed is imposed */
        const tq_amplifier *a = &d->drive->amplifier;
        const number gain = times(a->current_p + over(a->current_i, s), amplifier_at(a, s));
        return is_ideal(d->drive) ? 0.0 : over(-1.0, m->inductance * s + m->resistance + gain);
    }
    case TQ_RESPONSE_VELOCITY_OPEN:
        return over(velocity_forward(d, &j, s), 1.0 + d->drive->velocity.tacho_time * s);
    case TQ_RESPONSE_VELOCITY: {
        const number forward = velocity_forward(d, &j, s);
        return over(forward, 1.0 + over(forward, 1.0 + d->drive->velocity.tacho_time * s));
    }
    case TQ_RESPONSE_COUNT:
        break;
    }
    return 0.0;
}

void tq_response_at(const tq_driven *driven, tq_response response, double w, double ret[2])
{
    const number h = value(driven, response, w);
    ret[0] = creal(h);
    ret[1] = cimag(h);
}

/* the function whose zero is searched, and its branch: see find_margins */
typedef enum crossing { GAIN_ONE, PHASE_OPPOSITE, GAIN_HALF_POWER } crossing;

static double measure(const tq_driven *d, tq_response response, crossing c, double w)
{
    const number h = value(d, response, w);
    switch (c) {
    case GAIN_ONE:
        return size_of(h) - 1.0;
    case PHASE_OPPOSITE:
        return cimag(h);
    case GAIN_HALF_POWER:
        return size_of(h) - M_SQRT1_2;
    }
    return 0.0;
}

static double bisect(const tq_driven *d, tq_response response, crossing c, double low, double high)
{
    const bool positive = measure(d, response, c, low) > 0.0;
    for (int k = 0; k < 60; k++) {
        const double middle = sqrt(low * high);
        if ((measure(d, response, c, middle) > 0.0) == positive) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return sqrt(low * high);
}

static void note_crossover(const tq_driven *d, tq_response open, double w, tq_loop_margins *ret)
{
    const number h = value(d, open, w);
    double margin = M_PI + angle_of(h);
    if (margin > M_PI) {
        margin -= 2.0 * M_PI;
    }
    if (fabs(margin) < fabs(ret->phase_margin)) {
        ret->phase_margin = margin;
        ret->crossover = w;
    }
}

static void note_opposite(const tq_driven *d, tq_response open, double w, tq_loop_margins *ret)
{
    const number h = value(d, open, w);
    if (creal(h) >= 0.0) {
        return; /* 0 degrees, or 360 */
    }
    const double factor = 1.0 / size_of(h);
    if (fabs(tq_log(factor)) < fabs(tq_log(ret->gain_margin))) {
        ret->gain_margin = factor;
        ret->phase_crossing = w;
    }
}

void tq_loop_margins_find(const tq_driven *driven, bool velocity, tq_loop_margins *ret)
{
    const tq_response open = velocity ? TQ_RESPONSE_VELOCITY_OPEN : TQ_RESPONSE_CURRENT_OPEN;
    const tq_response closed = velocity ? TQ_RESPONSE_VELOCITY : TQ_RESPONSE_CURRENT;
    const double none = (double)INFINITY;
    *ret = (tq_loop_margins){.phase_margin = none, .gain_margin = none, .bandwidth = none};
    number before = value(driven, open, scan_frequency(0));
    double gain_before = size_of(value(driven, closed, scan_frequency(0)));
    ret->low_gain = ret->peak = gain_before;
    ret->peak_at = scan_frequency(0);
    for (int k = 1; k <= N_SCAN; k++) {
        const double low = scan_frequency(k - 1), high = scan_frequency(k);
        const number h = value(driven, open, high);
        const double gain = size_of(value(driven, closed, high));
        if ((size_of(before) > 1.0) != (size_of(h) > 1.0)) {
            note_crossover(driven, open, bisect(driven, open, GAIN_ONE, low, high), ret);
        }
        if ((cimag(before) > 0.0) != (cimag(h) > 0.0) && creal(h) < 0.0) {
            note_opposite(driven, open, bisect(driven, open, PHASE_OPPOSITE, low, high), ret);
        }
        if (gain_before > M_SQRT1_2 && gain <= M_SQRT1_2) {
            ret->bandwidth = bisect(driven, closed, GAIN_HALF_POWER, low, high);
        }
        if (gain > ret->peak) {
            ret->peak = gain;
            ret->peak_at = high;
        }
        before = h;
        gain_before = gain;
    }
}

/* For a stable loop 1 + L starts on the right or at -90 degrees and ends at 1: its continuous
 * argument ends at 0, without winding. */
static bool has_no_encirclement(const tq_driven *driven, tq_response open)
{
    number before = 1.0 + value(driven, open, scan_frequency(0));
    double angle = angle_of(before);
    for (int k = 1; k <= N_SCAN; k++) {
        const number now = 1.0 + value(driven, open, scan_frequency(k));
        angle += angle_of(over(now, before));
        before = now;
    }
    return fabs(angle) < 0.5 * M_PI;
}

bool tq_loop_is_stable(const tq_driven *driven, bool velocity)
{
    const bool inner =
        is_ideal(driven->drive) || has_no_encirclement(driven, TQ_RESPONSE_CURRENT_OPEN);
    return inner && (!velocity || has_no_encirclement(driven, TQ_RESPONSE_VELOCITY_OPEN));
}
