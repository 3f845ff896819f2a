/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/wrap.h - the shortest path between two points around a sphere or a cylinder;
 * private to the tendons. */
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
    double angle;       /* outside: between the points where it touches; inside: of incidence */
    double touch[2][3]; /* where it touches, in the frame of the link */
    double arc;         /* length on the surface, m */
} tq_wrap;

/* Of a solid, between the points `end` past the point `side` (NULL: the shorter way), all in the
 * frame of the solid's link. The choices are those of MuJoCo: no wrapping where a point is inside
 * the radius, or where the line between them is outside it and on the right side; inside only with
 * a side point nearer than the radius to the centre, and not where the line cuts the circle.
 *
 * Source   mju_wrap of MuJoCo's engine_util_misc.c; its documentation, Computation, tendons.
 * Checked  tests/property/core/dynamics/test_wraps.c, tests/peers/test_mujoco_wraps.py */
void tq_wrap_solve(const tq_tendon_point *solid, double end[2][3], const double *side,
                   tq_wrap *ret);

/* Length of that path with its derivatives (wrap_length.c), from those of its ends relative to the
 * centre of the solid as seen from its link, in any axes, `axis` the cylinder's in them. Not for
 * TQ_WRAP_NONE. */
tq_jet tq_wrap_length(const tq_tendon_point *solid, const tq_wrap *wrap, const double axis[3],
                      tq_jet end[2][3]);

#endif
