/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/polyhedron.h - the core of a shape in the world by its vertices, triangles and
 * edges, and the separating axes of two; private to this folder. */
#ifndef TQ_GEOMETRY_POLYHEDRON_H
#define TQ_GEOMETRY_POLYHEDRON_H

#include "core/geometry/geom.h"

/* An edge in the world: middle, direction of unit length, half its length, and the way from an end
 * to the vertices beside it. */
typedef struct tq_edge_at {
    double middle[3], unit[3], half, beside[2][3];
} tq_edge_at;

/* A core in the world. Spheres have one vertex, capsules two and the edge between them. */
typedef struct tq_polyhedron {
    unsigned n_vertex, n_face, n_edge;
    double vertex[TQ_HULL_VERTICES_MAX][3];
    const uint8_t (*face)[3];
    tq_edge_at edge[TQ_HULL_EDGES_MAX];
} tq_polyhedron;

/* Not of half-spaces. */
void tq_polyhedron_of(const tq_geom *shape, const tq_pose *pose, tq_polyhedron *ret);

/* The most that it extends along n. */
double tq_polyhedron_support(const tq_polyhedron *of, const double *n);

/* Outward normal of a triangle, of unit length. */
void tq_polyhedron_normal(const tq_polyhedron *of, unsigned face, double *ret);

/* The largest separation along an axis of each kind, and that axis, of unit length, from a to b:
 * the faces of a, the faces of b, and the products of edge `edge_a` and edge `edge_b`. -INFINITY:
 * there is no such axis. */
typedef struct tq_axis {
    double separation, normal[3];
} tq_axis;

typedef struct tq_separation {
    tq_axis face_a, face_b, edges;
    unsigned edge_a, edge_b;
} tq_separation;

void tq_polyhedron_separate(const tq_polyhedron *a, const tq_polyhedron *b, tq_separation *ret);

#endif
