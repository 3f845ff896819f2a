/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/geom.c - shapes from the sizes in a request. */
#include "core/geometry/geom.h"

#include <stdbool.h>
#include <string.h>

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

/* true if the corner repeats another: a bit is set of an axis without extent */
static bool is_repeated(const tq_geom *of, unsigned bits)
{
    for (unsigned k = 0; k < 3; k++) {
        if (of->half[k] == 0.0 && (bits >> k & 1u) != 0) {
            return true;
        }
    }
    return false;
}

static unsigned corners_of_hull(const tq_hull *hull, const tq_pose *pose,
                                double ret[TQ_GEOM_CORNERS_MAX][3])
{
    for (uint32_t v = 0; v < hull->n_vertex; v++) {
        tq_mat_vec(pose->r, hull->vertex[v], ret[v]);
        for (unsigned k = 0; k < 3; k++) {
            ret[v][k] += pose->p[k];
        }
    }
    return hull->n_vertex;
}

unsigned tq_geom_corners(const tq_geom *shape, const tq_pose *pose,
                         double ret[TQ_GEOM_CORNERS_MAX][3])
{
    unsigned n = 0;
    if (shape->kind == TQ_GEOM_HULL) {
        return corners_of_hull(shape->hull, pose, ret);
    }
    for (unsigned bits = 0; bits < 8; bits++) {
        if (is_repeated(shape, bits)) {
            continue;
        }
        memcpy(ret[n], pose->p, sizeof ret[n]);
        for (unsigned k = 0; k < 3; k++) {
            const double along = (bits >> k & 1u) != 0 ? shape->half[k] : -shape->half[k];
            for (unsigned i = 0; i < 3; i++) {
                ret[n][i] += along * pose->r[3 * i + k];
            }
        }
        n++;
    }
    return n;
}
