/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/variation.c - values of members, drawn by their numbers. */
#include "core/ensemble/variation.h"

#include <math.h>

#include "core/plant/noise.h"

bool tq_varied_is_of_model(tq_varied varied)
{
    return varied >= TQ_VARIED_MASS && varied < TQ_VARIED_KP;
}

bool tq_varied_is_of_effects(tq_varied varied)
{
    return varied >= TQ_VARIED_KP;
}

static double draw(const tq_variations *all, size_t v, uint64_t id)
{
    const tq_variation *x = &all->items[v];
    switch (x->spread) {
    case TQ_SPREAD_UNIFORM: {
        /* 53 bits: every double of the grid of 2^-53 in [0, 1) is as likely */
        const double u = (double)(tq_noise_bits(all->seed, v, id) >> 11) * 0x1p-53;
        return x->low + (x->high - x->low) * u;
    }
    case TQ_SPREAD_NORMAL:
        return x->mean + x->deviation * tq_noise_normal(all->seed, v, id);
    case TQ_SPREAD_LIST:
        return x->values[id / all->n_draw / x->repeat % x->n_value];
    }
    return 0.0;
}

double tq_variation_value(const tq_variations *all, size_t v, uint64_t id)
{
    const double value = draw(all, v, id);
    const tq_varied varied = all->items[v].varied;
    if (varied == TQ_VARIED_SEED) {
        return fmin(fmax(0.0, value), TQ_VARIED_SEED_MAX);
    }
    return varied < TQ_VARIED_MASS || varied == TQ_VARIED_DISTURBANCE ? value : fmax(0.0, value);
}
