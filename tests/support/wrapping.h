/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/wrapping.h - lengths of paths around spheres and cylinders in another way than the
 * program's: angles by acos outside, a search along the circle inside. */
#ifndef TQT_WRAPPING_H
#define TQT_WRAPPING_H

#include <stdbool.h>

#include "core/model/model.h"
#include "tests/support/random.h"

typedef enum tqt_wrapping { TQT_STRAIGHT, TQT_OUTSIDE, TQT_INSIDE, TQT_WRAPPINGS } tqt_wrapping;

/* Of the path from end 0 to end 1 around the solid, all in the frame of its link. */
double tqt_wrapping_length(const tq_tendon_point *solid, double end[2][3], const double *side,
                           tqt_wrapping *ret_kind);

/* Makes a solid of a point: a sphere or a cylinder, without a side, with one outside or inside. */
void tqt_wrapping_solid(tqt_random *r, const tq_model *model, double radius, tq_tendon_point *ret);

#endif
