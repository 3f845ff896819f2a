/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/wrap.h - the shortest path between two points around a sphere or a
 * cylinder; private to the tendons. */
#ifndef TQ_DYNAMICS_PASSIVE_WRAP_H
#define TQ_DYNAMICS_PASSIVE_WRAP_H

#include "core/dynamics/passive/jet.h"
#include "core/model/model.h"

typedef enum tq_wrap_kind {
    TQ_WRAP_NONE,    /* the path is straight from point to point */
    TQ_WRAP_OUTSIDE, /* two straight lines, tangent to the surface, and a geodesic between them */
    TQ_WRAP_INSIDE,  /* two straight lines that meet on the surface, reflected there */
} tq_wrap_kind;

/* In the plane across the axis of a cylinder, or that of the centre and both points. */
typedef struct tq_wrap {
    tq_wrap_kind kind;
    double turn;        /* outside: 1 where the path turns from point 0 to point 1 about the
                           cylinder's axis (sphere: about p0 x p1), -1: the other way */
    double angle;       /* outside: of the arc; inside: of incidence */
    double touch[2][3]; /* where it touches, in the frame of the link */
    double arc;         /* length on the surface, m */
} tq_wrap;

/* Of a solid, between the points `end`, all in the frame of the solid's link. In the plane the path
 * turns about the centre by as much as the line from point 0 to `side` and on to point 1 does (side
 * NULL: the line from point 0 to point 1), and is the shortest of those: homotopic to that line
 * outside the circle. Where a point is inside the circle it does not wrap. With a side nearer to
 * the centre than the radius the path touches the surface from inside, unless the line between the
 * points cuts the circle. The rules are those of MuJoCo 4.0.
 *
 * Source   MuJoCo documentation, XML reference, tendon/spatial/geom, sidesite.
 * Checked  tests/property/core/dynamics/test_paths.c, tests/peers/test_mujoco_wraps.py */
void tq_wrap_solve(const tq_tendon_point *solid, double end[2][3], const double *side,
                   tq_wrap *ret);

/* Length of that path with its derivatives (wrap_length.c), from those of its ends relative to the
 * centre of the solid as seen from its link, in any axes, `axis` the cylinder's in them. Not for
 * TQ_WRAP_NONE. */
tq_jet tq_wrap_length(const tq_tendon_point *solid, const tq_wrap *wrap, const double axis[3],
                      tq_jet end[2][3]);

#endif
