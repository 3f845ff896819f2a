/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/geom.h - solids fixed to links, for distance and contact. */
#ifndef TQ_GEOMETRY_GEOM_H
#define TQ_GEOMETRY_GEOM_H

#include <stdint.h>

#include "core/spatial/frame.h"

typedef enum tq_geom_kind {
    TQ_GEOM_SPHERE,     /* about the origin */
    TQ_GEOM_CAPSULE,    /* along z */
    TQ_GEOM_BOX,        /* about the origin */
    TQ_GEOM_HALF_SPACE, /* all points with z <= 0 */
    TQ_GEOM_HULL,       /* of points, which need not be about the origin */
} tq_geom_kind;

typedef struct tq_hull tq_hull; /* core/geometry/hull.h */

/* A shape is a core, the box |x_k| <= half[k], and all points within `radius` of it: a sphere has
 * half = 0, a capsule half = (0, 0, half the length of its cylinder), a box radius = 0. A hull has
 * neither, and its vertices in `hull`, which outlives the shape. */
typedef struct tq_geom {
    tq_geom_kind kind;
    uint32_t link;          /* TQ_NONE: fixed to the world */
    tq_pose pose;           /* of the shape's frame in the link's (the world's) */
    double half[3], radius; /* m */
    const tq_hull *hull;    /* NULL for other kinds */
} tq_geom;

enum { TQ_GEOMS_MAX = 256 };

/* Makes the shape from its size, m: sphere: radius; capsule: radius and length of the cylinder;
 * box: lengths along x, y, z; half-space, hull: no size. */
tq_geom tq_geom_of(tq_geom_kind kind, const double *size);

/* The number of values in `size`. */
unsigned tq_geom_n_size(tq_geom_kind kind);

#endif
