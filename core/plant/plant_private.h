/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/plant_private.h - an effect on trajectories that are each at a time of their own. */
#ifndef TQ_PLANT_PLANT_PRIVATE_H
#define TQ_PLANT_PLANT_PRIVATE_H

#include "core/plant/plant.h"

/* Bytes of scratch, in addition to those of the effects. */
size_t tq_own_times_scratch_size(const tq_plant *plant);

/* Calls effect->act, or effect->observe into ret_zd if `to` is NULL, for one trajectory after
 * another, each at its times[i]; the same bits as for each alone. Shapes as theirs. The error's
 * index is the trajectory. */
tq_status tq_effect_at_own_times(const tq_plant *plant, const tq_effect *effect,
                                 const double *times, const tq_instant *at, tq_scratch *scratch,
                                 const tq_action *to, double *ret_zd, tq_error *reterr);

#endif
