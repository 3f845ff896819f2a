/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/drive.c - defaults and ranges of a drive's parameters. */
#include "core/drives/drive.h"

#include <math.h>
#include <stdbool.h>

void tq_drive_init(tq_drive *drive)
{
    const double none = (double)INFINITY;
    *drive = (tq_drive){
        .gear = {.ratio = 1.0, .efficiency = 1.0},
        .amplifier = {.supply = none,
                      .continuous = none,
                      .peak_forward = none,
                      .peak_reverse = none},
        .velocity = {.lead = 1.0},
    };
}

/* range of a parameter */
typedef enum bound { POSITIVE, NOT_NEGATIVE, LIMIT, NOT_ZERO, SHARE, FRACTION, HALF } bound;

typedef struct rule {
    const char *what;
    bound bound;
    double value;
} rule;

static bool holds(const rule *r)
{
    switch (r->bound) {
    case POSITIVE:
    case LIMIT:
        return r->value > 0.0;
    case NOT_NEGATIVE:
        return r->value >= 0.0;
    case NOT_ZERO:
        return r->value != 0.0;
    case SHARE:
        return r->value > 0.0 && r->value <= 1.0;
    case FRACTION:
        return r->value >= 0.0 && r->value <= 1.0;
    case HALF:
        return r->value >= 0.0 && r->value < 0.5;
    }
    return false;
}

tq_status tq_drive_check(const tq_drive *drive, tq_error *reterr)
{
    const tq_motor *m = &drive->motor;
    const tq_amplifier *a = &drive->amplifier;
    const tq_velocity_loop *v = &drive->velocity;
    const rule rules[] = {
        {"motor.constant", POSITIVE, m->constant},
        {"motor.resistance", POSITIVE, m->resistance},
        {"motor.inductance", NOT_NEGATIVE, m->inductance},
        {"motor.inertia", NOT_NEGATIVE, m->inertia},
        {"motor.viscous", NOT_NEGATIVE, m->viscous},
        {"gear.ratio", NOT_ZERO, drive->gear.ratio},
        {"gear.efficiency", SHARE, drive->gear.efficiency},
        {"amplifier.supply", LIMIT, a->supply},
        {"amplifier.dead_band", HALF, a->dead_band},
        {"amplifier.frequency", NOT_NEGATIVE, a->frequency},
        {"amplifier.dropout", NOT_NEGATIVE, a->dropout},
        {"amplifier.bandwidth", NOT_NEGATIVE, a->bandwidth},
        {"amplifier.continuous", LIMIT, a->continuous},
        {"amplifier.peak_forward", LIMIT, a->peak_forward},
        {"amplifier.peak_reverse", LIMIT, a->peak_reverse},
        {"amplifier.foldback_time", NOT_NEGATIVE, a->foldback_time},
        {"amplifier.current_p", NOT_NEGATIVE, a->current_p},
        {"amplifier.current_i", NOT_NEGATIVE, a->current_i},
        {"amplifier.compensation", FRACTION, a->compensation},
        {"velocity.gain", NOT_NEGATIVE, v->gain},
        {"velocity.lead", POSITIVE, v->lead},
        {"velocity.lead_time", NOT_NEGATIVE, v->lead_time},
        {"velocity.tacho_time", NOT_NEGATIVE, v->tacho_time},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        const rule *r = &rules[k];
        if (isnan(r->value) || (isinf(r->value) && r->bound != LIMIT)) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, r->what, 0, r->value);
        }
        if (!holds(r)) {
            return tq_fail(reterr, TQ_ERR_RANGE, r->what, 0, r->value);
        }
    }
    /* the ramp from peak to continuous requires both ends */
    if (a->foldback_time > 0.0 && !(isfinite(a->peak_forward) && isfinite(a->peak_reverse))) {
        return tq_fail(reterr, TQ_ERR_RANGE, "amplifier.foldback_time", 0, a->foldback_time);
    }
    if (a->kind == TQ_AMPLIFIER_LINEAR && a->dropout >= a->supply) {
        return tq_fail(reterr, TQ_ERR_RANGE, "amplifier.dropout", 0, a->dropout);
    }
    return TQ_OK;
}
