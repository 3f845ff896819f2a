/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/fluid.h - boxes that bodies are to a fluid; private to the reader and printer. */
#ifndef TQA_ROBOTS_MJCF_FLUID_H
#define TQA_ROBOTS_MJCF_FLUID_H

#include <stdbool.h>

#include "api/robots/parsed.h"
#include "core/model/model.h"

/* mjMINVAL: MuJoCo takes less for nothing. */
#define TQA_MJCF_LEAST 1e-15

/* Principal axes (columns, row by row) and moments of a tensor (xx xy xz yy yz zz), the axes those
 * of MuJoCo's compiler where moments are equal. */
void tqa_mjcf_principal(const double s[6], double ret_axes[9], double ret_moments[3]);

/* The box of equal inertia, as MuJoCo's inertia-box model has it; none without mass. */
void tqa_mjcf_box(double mass, const double com[3], const double axes[9], const double moments[3],
                  tq_drag_box *ret);

/* The link's moments along the axes of its box. False: the box is not that of its inertia. */
bool tqa_mjcf_moments(const tq_link *link, double ret[3]);

/* The name of a link that moves in a medium as another box than that of its inertia, for which
 * MuJoCo has no words; or NULL. */
const char *tqa_mjcf_other_box(const tqa_robot *robot);

#endif
