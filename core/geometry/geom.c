/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/geom.c - shapes from the sizes in a request. */
#include "core/geometry/geom.h"

#include "core/model/model.h"

unsigned tq_geom_n_size(tq_geom_kind kind)
{
    static const unsigned n[] = {[TQ_GEOM_SPHERE] = 1,
                                 [TQ_GEOM_CAPSULE] = 2,
                                 [TQ_GEOM_BOX] = 3,
                                 [TQ_GEOM_HALF_SPACE] = 0,
                                 [TQ_GEOM_HULL] = 0};
    return n[kind];
}

tq_geom tq_geom_of(tq_geom_kind kind, const double *size)
{
    tq_geom shape = {.kind = kind, .link = TQ_NONE, .pose = tq_pose_identity};
    if (kind == TQ_GEOM_SPHERE || kind == TQ_GEOM_CAPSULE) {
        shape.radius = size[0];
        shape.half[2] = kind == TQ_GEOM_CAPSULE ? 0.5 * size[1] : 0.0;
    } else if (kind == TQ_GEOM_BOX) {
        for (unsigned k = 0; k < 3; k++) {
            shape.half[k] = 0.5 * size[k];
        }
    }
    return shape;
}
