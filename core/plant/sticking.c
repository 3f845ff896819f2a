/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/sticking.c - which joints and tendons dry friction can hold. */
#include "core/plant/sticking.h"

#include "core/elementary/elementary.h"

int tq_can_stick(const tq_joint *joint)
{
    const tq_friction *f = &joint->friction;
    return joint->nv == 1 && f->smoothing == 0.0 && tq_dry_friction(f, 0.0) > 0.0;
}

double tq_dry_friction(const tq_friction *friction, double speed)
{
    double dry = friction->coulomb;
    if (friction->stribeck_velocity > 0.0) {
        const double x = speed / friction->stribeck_velocity;
        dry += (friction->breakaway - friction->coulomb) * tq_exp(-(x * x));
    }
    return dry;
}

static int is_dry(const tq_friction *friction)
{
    return friction->smoothing == 0.0 && tq_dry_friction(friction, 0.0) > 0.0;
}

size_t tq_sticking_tendons(const tq_model *model)
{
    size_t n = 0;
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        n += is_dry(&model->tendons[t].friction) ? 1 : 0;
    }
    return n <= TQ_STUCK_TENDONS_MAX ? n : 0;
}

int tq_tendon_can_stick(const tq_model *model, uint32_t tendon)
{
    return is_dry(&model->tendons[tendon].friction) && tq_sticking_tendons(model) > 0;
}
