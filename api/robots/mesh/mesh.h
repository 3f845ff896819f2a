/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mesh/mesh.h - triangles of a mesh file, and the inertia of the solid that they
 * enclose. */
#ifndef TQA_ROBOTS_MESH_MESH_H
#define TQA_ROBOTS_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/inertia.h"

/* On the heap: tqa_mesh_free. */
typedef struct tqa_mesh {
    double *vertices; /* (3 n_vertex) m, before any scale; each the value of a 32-bit float */
    uint32_t *faces;  /* (3 n_face) vertices, counterclockwise from outside */
    size_t n_vertex, n_face;
} tqa_mesh;

/* The method of summing over the faces. */
typedef enum tqa_mesh_volume {
    TQA_MESH_SIGNED,   /* the solid that the faces enclose */
    TQA_MESH_ABSOLUTE, /* every pyramid counts as positive, from the faces' centroid for the centre of
                          mass and from there for volume and tensor: MuJoCo's default, and more than
                          the solid where it is not star-shaped */
} tqa_mesh_volume;

/**
 * Read n bytes of a mesh by the ending of its name: .stl (binary or text), .obj, .msh.
 *
 * Polygons of an OBJ become triangles: four corners along the shorter diagonal, more as a fan.
 *
 * Returns  NULL, or why it is no mesh: constant English text, and nothing is to be freed.
 * Memory   at most 6 times n.
 */
const char *tqa_mesh_read(const char *name, const char *bytes, size_t n, tqa_mesh *ret);

/* Of a list of coordinates and a list of vertices of triangles, as text with blanks. */
const char *tqa_mesh_read_lists(const char *vertices, const char *faces, tqa_mesh *ret);

void tqa_mesh_free(tqa_mesh *mesh);

/* Inertia by density 1 kg/m^3 in the axes of the vertices. False: no volume. */
bool tqa_mesh_inertia(const tqa_mesh *mesh, tqa_mesh_volume kind, tq_inertia *ret);

#endif
