/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mesh/mesh.h - triangles of a mesh file. */
#ifndef TQA_ROBOTS_MESH_MESH_H
#define TQA_ROBOTS_MESH_MESH_H

#include <stddef.h>
#include <stdint.h>

/* On the heap: tqa_mesh_free. */
typedef struct tqa_mesh {
    double *vertices; /* (3 n_vertex) m, before any scale; each the value of a 32-bit float */
    uint32_t *faces;  /* (3 n_face) vertices, counterclockwise from outside */
    size_t n_vertex, n_face;
} tqa_mesh;

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

#endif
