/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/polygon.h - faces as convex polygons, and their intersection; private to this
 * folder. */
#ifndef TQ_GEOMETRY_POLYGON_H
#define TQ_GEOMETRY_POLYGON_H

#include "core/geometry/polyhedron.h"

/* A polygon of 2 vertices is a segment. */
enum { TQ_POLYGON_MAX = 2 * TQ_HULL_VERTICES_MAX };

typedef struct tq_polygon {
    unsigned n;
    double vertex[TQ_POLYGON_MAX][3]; /* world, m */
} tq_polygon;

/* The vertices within `near` of the extreme ones along n, counterclockwise as seen against n. */
void tq_polygon_extreme(const tq_polyhedron *of, const double *n, double near, tq_polygon *ret);

/* The face with the normal that is most opposed to n, of those that have a vertex within `near` of
 * the extreme one along -n; all vertices of a core without faces. */
void tq_polygon_opposed(const tq_polyhedron *of, const double *n, double near, tq_polygon *ret);

/* The part of p (a convex polygon, or a segment) within the prism over `face` along its normal n:
 * Sutherland and Hodgman. Points up to `near` outside are within. */
void tq_polygon_clip(tq_polygon *p, const tq_polygon *face, const double *n, double near);

/* Keeps `most` vertices: the lowest along n, then each time that which is farthest from those kept,
 * of the ones up to `near` above the lowest while there are any. */
void tq_polygon_reduce(tq_polygon *p, unsigned most, const double *n, double near);

double tq_polygon_area(const tq_polygon *p);

#endif
