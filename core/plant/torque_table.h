/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/torque_table.h - a torque table over time, as an effect on a plant. */
#ifndef TQ_PLANT_TORQUE_TABLE_H
#define TQ_PLANT_TORQUE_TABLE_H

#include "core/motion/table.h"
#include "core/plant/plant.h"

/* Adds the torques of a table, n_coordinate = nv, to every trajectory. Steps end at the points
 * where a held value, an interpolated slope or a spline's third derivative jumps. */
tq_effect tq_torque_table(tq_table *table);

/* The same breaks, for other effects that use a table: a tq_effect.next_break with ctx = table. */
double tq_table_next_break(void *table, double t, unsigned *ret_order);

#endif
