/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/inverse_kinematics_start.h - starting points of the search, and which
 * coordinates are angles: private to this folder. */
#ifndef TQ_DYNAMICS_KINEMATICS_INVERSE_KINEMATICS_START_H
#define TQ_DYNAMICS_KINEMATICS_INVERSE_KINEMATICS_START_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/model.h"

/* The middle of the limits, or 0; q (nq). */
void tq_ik_middle(const tq_model *model, double *q);

/* Point `number` of a Halton sequence over the limits; angles without limits over 2 pi, prismatic
 * joints without limits over 4 m, quaternions uniform over all rotations. */
void tq_ik_spread(const tq_model *model, uint32_t number, double *q);

/* ret (nq): the robot has the same pose where this coordinate is a turn further: it is an angle,
 * and what follows it turns by whole turns too. */
void tq_ik_turns(const tq_model *model, _Bool *ret);

/* ret (nq): a turn further nothing is turned, and slides that follow the angle have moved. False:
 * there is no such coordinate. */
bool tq_ik_threads(const tq_model *model, _Bool *ret);

#endif
