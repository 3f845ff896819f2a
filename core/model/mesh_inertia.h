/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/mesh_inertia.h - mass, centre and tensor of the solid that triangles enclose. */
#ifndef TQ_MODEL_MESH_INERTIA_H
#define TQ_MODEL_MESH_INERTIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/inertia.h"

/* A closed surface. Borrowed. */
typedef struct tq_triangles {
    const double *vertices; /* (3 n_vertex) m */
    const uint32_t *faces;  /* (3 n_face) vertices, counterclockwise from outside */
    size_t n_face;
} tq_triangles;

/* The method of summing over the faces. */
typedef enum tq_mesh_volume {
    TQ_MESH_SIGNED,   /* the solid that the faces enclose */
    TQ_MESH_ABSOLUTE, /* every pyramid counts as positive, from the faces' centroid for the centre of
                         mass and from there for volume and tensor: MuJoCo's default, and more than
                         the solid where it is not star-shaped */
} tq_mesh_volume;

/**
 * Compute the inertia of a solid of density 1 kg/m^3, by sums over the tetrahedra (pyramids) from a
 * point O within to each face, of corners x_1, x_2, x_3 from O:
 *
 *     V = x_1 . (x_2 x x_3) / 6,   centre 3/4 of the way to the face's,
 *     integral of x y over it = V/20 (sum x_i sum y_i + sum x_i y_i)
 *
 * Shapes   ret in the axes of the vertices, its tensor about its centre of mass.
 * Units    m; kg, kg m^2.
 * Memory   None.
 * Returns  false: no volume, or numbers beyond what a double holds.
 * Cost     Three passes over the faces.
 * Source   A. Dobrovolskis, Inertia of any polyhedron, Icarus 124, 1996.
 * Checked  tests/property/core/model/test_mesh_inertia.c, tests/unit/api/robots/mjcf/test_mjcf.c
 */
bool tq_mesh_inertia(const tq_triangles *mesh, tq_mesh_volume kind, tq_inertia *ret);

#endif
