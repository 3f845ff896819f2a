/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/solid.h - volumes of the solid shapes, for masses that are given by a density. */
#ifndef TQA_ROBOTS_SOLID_H
#define TQA_ROBOTS_SOLID_H

#include <stdbool.h>

#include "core/model/inertia.h"

/* The word for each shape, by the numbers of tq_shape; NULL ends the list. */
extern const char *const tqa_shape_names[];

/* The word for a shape in a robot document; false: there is none. */
bool tqa_shape_find(const char *name, tq_shape *ret);

/* All words, for a hint. */
extern const char tqa_shape_words[];

/* Volume in m^3; 0 for shapes without (shells, disk, bar, point). */
double tqa_shape_volume(tq_shape shape, const double size[3]);

#endif
