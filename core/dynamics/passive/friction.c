/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/friction.c - friction at one velocity. */
#include "core/dynamics/passive/friction.h"

#include "core/elementary/elementary.h"

static double direction(const tq_friction *friction, double qd)
{
    if (friction->smoothing > 0.0) {
        return tq_tanh(qd / friction->smoothing);
    }
    return (double)(qd > 0.0) - (double)(qd < 0.0);
}

/* Viscous and Coulomb friction with Stribeck effect:
 * tau = Fv qd + offset + (Fc + (Fs - Fc) exp(-(qd / vs)^2)) sign(qd), or tanh(qd / smoothing) for
 * sign.
 * Armstrong-Helouvry, Dupont & Canudas de Wit, A survey of models, analysis tools and compensation
 * methods for the control of machines with friction, Automatica 30(7), 1994. */
double tq_friction_effort(const tq_friction *friction, double qd)
{
    double dry = friction->coulomb;
    if (friction->stribeck_velocity > 0.0) {
        const double x = qd / friction->stribeck_velocity;
        dry += (friction->breakaway - friction->coulomb) * tq_exp(-(x * x));
    }
    double effort = friction->viscous * qd + friction->offset;
    if (dry != 0.0) {
        effort += dry * direction(friction, qd);
    }
    return effort;
}

double tq_friction_slope(const tq_friction *f, double qd)
{
    double dry = f->coulomb;
    double dry_slope = 0.0;
    if (f->stribeck_velocity > 0.0) {
        const double x = qd / f->stribeck_velocity;
        const double fall = (f->breakaway - f->coulomb) * tq_exp(-(x * x));
        dry += fall;
        dry_slope = -2.0 * x / f->stribeck_velocity * fall;
    }
    if (f->smoothing > 0.0) {
        const double s = tq_tanh(qd / f->smoothing);
        return f->viscous + dry_slope * s + dry * (1.0 - s * s) / f->smoothing;
    }
    return f->viscous + dry_slope * ((double)(qd > 0.0) - (double)(qd < 0.0));
}

double tq_friction_curvature(const tq_friction *f, double qd)
{
    double dry = f->coulomb, slope = 0.0, curvature = 0.0;
    if (f->stribeck_velocity > 0.0) {
        const double x = qd / f->stribeck_velocity;
        const double fall = (f->breakaway - f->coulomb) * tq_exp(-(x * x));
        dry += fall;
        slope = -2.0 * x / f->stribeck_velocity * fall;
        curvature = (4.0 * x * x - 2.0) / (f->stribeck_velocity * f->stribeck_velocity) * fall;
    }
    if (f->smoothing > 0.0) { /* s = tanh(qd / w): s' = (1 - s^2) / w, s'' = -2 s s' / w */
        const double s = tq_tanh(qd / f->smoothing), rise = (1.0 - s * s) / f->smoothing;
        return curvature * s + 2.0 * slope * rise - 2.0 * dry * s * rise / f->smoothing;
    }
    return curvature * ((double)(qd > 0.0) - (double)(qd < 0.0));
}
