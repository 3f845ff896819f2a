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

enum {
    TQ_GEOM_CORNERS_MAX = 64,
    TQ_HULL_VERTICES_MAX = TQ_GEOM_CORNERS_MAX,
    TQ_HULL_FACES_MAX = 2 * TQ_HULL_VERTICES_MAX - 4, /* Euler: of triangles */
    TQ_HULL_EDGES_MAX = 3 * TQ_HULL_VERTICES_MAX - 6,
};

/* An edge, and a vertex beside it on either face. */
typedef struct tq_hull_edge {
    uint8_t end[2], beside[2];
} tq_hull_edge;

/* Triangles in counterclockwise order as seen from outside; edges between triangles of one plane
 * are left out. */
typedef struct tq_hull {
    uint32_t n_vertex, n_face, n_edge;
    double vertex[TQ_HULL_VERTICES_MAX][3]; /* m */
    uint8_t face[TQ_HULL_FACES_MAX][3];
    tq_hull_edge edge[TQ_HULL_EDGES_MAX];
    double middle[3], half[3]; /* m, of the box around the vertices along the axes */
} tq_hull;

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

/* The corners of a shape's core in the world (of a box 8, of a hull its vertices; spheres have 1,
 * capsules 2), and their number: the first point of a shape to touch a half-space is within
 * `radius` of one of them. Corner number `bits` of a box is + along axis k where bit k is set. */
unsigned tq_geom_corners(const tq_geom *shape, const tq_pose *pose,
                         double ret[TQ_GEOM_CORNERS_MAX][3]);

/* Nearest points of two shapes. Where the shapes overlap: the two points that coincide after the
 * shortest separating translation. */
typedef struct tq_proximity {
    double distance;   /* m, below 0 where they overlap: minus the penetration depth */
    double a[3], b[3]; /* on the surfaces, world, m: b - a = distance normal */
    double normal[3];  /* unit vector from a to b: moving b along it separates the shapes */
} tq_proximity;

#endif
