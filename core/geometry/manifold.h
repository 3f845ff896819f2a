/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/manifold.h - the points at which two shapes touch, as features that move with them.
 */
#ifndef TQ_GEOMETRY_MANIFOLD_H
#define TQ_GEOMETRY_MANIFOLD_H

#include <stdbool.h>

#include "core/geometry/geom.h"

enum { TQ_MANIFOLD_MAX = 8 };

typedef enum tq_touch_kind {
    TQ_TOUCH_FACE_A, /* a plane of a through at_a with normal dir_a; a point of b's core */
    TQ_TOUCH_FACE_B, /* a plane of b through at_b with normal dir_b; a point of a's core */
    TQ_TOUCH_LINES,  /* lines of both cores; where the direction is 0 a point */
} tq_touch_kind;

/* A point of a and a point of b that can touch, each in the frame of its shape: its gap is a smooth
 * function of the two poses. Normals point out of the shape; of two lines dir_a x dir_b points from
 * a to b. */
typedef struct tq_touch {
    tq_touch_kind kind;
    double weight; /* its part of the stiffness of a compliant contact: of a rectangle's corners 1
                      each, of other faces 4 in all, by the lengths of the edges beside it */
    double at_a[3], dir_a[3], at_b[3], dir_b[3]; /* m; unit vectors */
} tq_touch;

/* Whether a pair has a manifold: of capsules, boxes and hulls. Others touch half-spaces with
 * corners, or are spheres and have one nearest point. */
bool tq_geom_has_manifold(const tq_geom *a, const tq_geom *b);

/* The most points that the manifold of a pair can have: 2 with a capsule, else TQ_MANIFOLD_MAX. */
unsigned tq_geom_manifold_max(const tq_geom *a, const tq_geom *b);

/**
 * Contact manifold of two shapes that touch or overlap.
 *
 * Along the axis of the largest separation: of two faces the common polygon, by clipping the face
 * of one with the sides of the other's, of which TQ_MANIFOLD_MAX vertices are kept that are far
 * from each other; of a capsule's axis and a face the common segment; of two edges one point, or
 * the ends of the common segment where they are parallel. Vertices that are `near` to the extreme
 * ones are of the same feature. Points of a face may be above the other shape: gaps are > 0 there.
 *
 * Shapes   pose_a, pose_b: of the shapes' frames in the world; is: tq_geom_distance of them;
 *          ret (tq_geom_manifold_max), ordered, the same for the same input.
 * Returns  the number of points, 1 or more; of the least gap is.distance within `near`.
 * Cost     that of tq_geom_distance.
 * Source   I. Sutherland, G. Hodgman, Reentrant polygon clipping, CACM 17(1), 1974; D. Gregorius,
 *          The separating axis test between convex polyhedra, GDC 2013.
 * Checked  tests/property/core/geometry/test_manifold.c, tests/contract/test_stacks.py
 */
unsigned tq_geom_manifold(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                          const tq_pose *pose_b, const tq_proximity *is, double near,
                          tq_touch *ret);

/* Gap, points and normal of one of them at any poses. */
void tq_geom_touch(const tq_touch *touch, const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                   const tq_pose *pose_b, tq_proximity *ret);

#endif
