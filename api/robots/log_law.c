/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/log_law.c - names of the numbers of a joint's law along recorded motion. */
#include "api/robots/log_law.h"

#include <string.h>

const char *const tqa_log_law_names[TQA_LOG_LAW_NUMBERS + 1] = {
    "damping",   "coulomb",    "breakaway",    "stribeck_velocity", "smoothing", "offset",
    "load",      "presliding", "relaxation_s", "inertia",           "jerk_gain", "delay_s",
    "cutoff_hz", NULL};

void tqa_log_law_numbers(tq_log_law *law, double *ret_numbers[TQA_LOG_LAW_NUMBERS])
{
    tq_friction *f = &law->friction;
    double *const numbers[TQA_LOG_LAW_NUMBERS] = {
        &f->viscous, &f->coulomb, &f->breakaway,    &f->stribeck_velocity, &f->smoothing,
        &f->offset,  &law->load,  &law->presliding, &law->relaxation,      &law->inertia,
        &law->jerk,  &law->delay, &law->cutoff,
    };
    memcpy(ret_numbers, numbers, sizeof numbers);
}
