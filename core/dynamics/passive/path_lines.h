/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path_lines.h - one line of a tendon's path in world axes, and the freedoms
 * that move its ends; private to the tendons. */
#ifndef TQ_DYNAMICS_PASSIVE_PATH_LINES_H
#define TQ_DYNAMICS_PASSIVE_PATH_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/model/model.h"

/* Of a line between two points. */
typedef struct tq_path_line {
    double at[2][3], unit[3];
    double length, weight;
} tq_path_line;

/* A freedom that moves one end of a line. */
typedef struct tq_path_mover {
    const tq_freedom *freedom;
    uint32_t number;  /* among its joint's */
    uint32_t end, up; /* joints between it and the end */
    double moved[3];  /* velocity of the end per unit of the freedom */
    double growth;    /* of the line */
} tq_path_mover;

/* The line that begins at `from`. False: the ends coincide. */
bool tq_path_draw(const tq_configuration *posture, const tq_tendon_point *from, tq_path_line *ret);

/* The freedoms between its ends; returns how many: ret (n_freedom). */
size_t tq_path_movers(const tq_configuration *posture, const tq_tendon_point *from,
                      const tq_path_line *line, tq_path_mover *ret);

/* Second derivative of the line's length: of its growth by `row`, by the freedom `column`. */
double tq_path_bend(const tq_model *model, const tq_path_line *line, const tq_path_mover *row,
                    const tq_path_mover *column);

#endif
