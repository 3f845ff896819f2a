/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/stribeck.c - Stribeck velocities, the only nonlinear parameters of the torque. */
#include <float.h>

#include "core/identify/regression/fit_private.h"

/* Variable projection: for each candidate velocity the linear parameters are fitted again, and the
 * candidate with the least residual is chosen. A row's residual hardly depends on the other joints'
 * velocities, so all joints are tried at once. Candidates lie closer together than the data can
 * distinguish.
 */
static const double tried[] = {0.3, 0.05, 0.1, 0.2, 0.5}; /* rad/s, m/s */
enum { TRIED = sizeof tried / sizeof tried[0] };

/* the given velocity, or 0 */
static double known_speed(const tq_fit *fit, uint32_t joint)
{
    return fit->options.model.stribeck_speed > 0.0
               ? fit->options.model.stribeck_speed
               : fit->mechanism->model.joints[joint].friction.stribeck_velocity;
}

void tq_speeds_start(tq_fit *fit)
{
    for (uint32_t j = 0; j < fit->mechanism->model.n_joint; j++) {
        const double speed = known_speed(fit, j);
        fit->speed[j] = fit->best[j] = speed > 0.0 ? speed : tried[0];
        fit->best_left[j] = DBL_MAX;
    }
    fit->n_speed = 0;
}

bool tq_speeds_next(tq_fit *fit, const double *sigma)
{
    bool searches = false;
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_fit_term *term = &fit->terms[t];
        if (term->kind != TQ_COLUMN_STRIBECK || known_speed(fit, term->joint) > 0.0) {
            continue;
        }
        const uint32_t j = term->joint;
        if (fit->n_speed < TRIED && sigma[term->row] < fit->best_left[j]) {
            fit->best_left[j] = sigma[term->row];
            fit->best[j] = fit->speed[j];
        }
        fit->speed[j] = fit->n_speed + 1 < TRIED ? tried[fit->n_speed + 1] : fit->best[j];
        searches = true;
    }
    return searches && fit->n_speed++ < TRIED;
}

double tq_fit_stribeck_speed(const tq_fit *fit, uint32_t joint)
{
    return fit->speed[joint];
}
