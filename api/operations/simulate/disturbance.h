/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/disturbance.h - `disturbance` and `external_wrenches` of a simulation. */
#ifndef TQA_OPERATIONS_SIMULATE_DISTURBANCE_H
#define TQA_OPERATIONS_SIMULATE_DISTURBANCE_H

#include "api/request/robot_fields.h"
#include "core/plant/disturbance.h"

enum { TQA_DISTURBANCES_MAX = 256 }; /* of both lists together */

/* Effects to add to a plant, and the places where they push. In the call's memory. */
typedef struct tqa_disturbances {
    size_t n_effect, n_wrench;
    tq_effect *effects;
    tq_external_wrench *wrenches;
} tqa_disturbances;

/* Reads the fields `disturbance` and `external_wrenches` of `object`, each a list; neither need be
 * there. False: the problem is set. */
bool tqa_value_disturbances(const tqa_value *object, const tqa_order *order,
                            const tq_mechanism *mechanism, tqa_disturbances *ret);

#endif
