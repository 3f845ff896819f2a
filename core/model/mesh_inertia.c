/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/mesh_inertia.c - mass, centre and tensor of the solid that triangles enclose. */
#include "core/model/mesh_inertia.h"

#include <math.h>
#include <string.h>

/* Corners of face f from `origin`, their cross product n = (b - a) x (c - a), and their centre. */
typedef struct face {
    double corner[3][3];
    double normal[3], centre[3];
} face;

static void read_face(const tq_triangles *mesh, size_t f, const double origin[3], face *ret)
{
    double u[3], v[3];
    for (int c = 0; c < 3; c++) {
        const double *vertex = mesh->vertices + 3 * (size_t)mesh->faces[3 * f + (size_t)c];
        for (int k = 0; k < 3; k++) {
            ret->corner[c][k] = vertex[k] - origin[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        u[k] = ret->corner[1][k] - ret->corner[0][k];
        v[k] = ret->corner[2][k] - ret->corner[0][k];
        ret->centre[k] = (ret->corner[0][k] + ret->corner[1][k] + ret->corner[2][k]) / 3.0;
    }
    for (int k = 0; k < 3; k++) {
        ret->normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    }
}

/* Of the pyramid from the origin to the face: centre . normal / 6 */
static double pyramid(const face *f, tq_mesh_volume kind)
{
    double volume = 0.0;
    for (int k = 0; k < 3; k++) {
        volume += f->centre[k] * f->normal[k] / 6.0;
    }
    return kind == TQ_MESH_ABSOLUTE ? fabs(volume) : volume;
}

/* Centroid of the surface. */
static void find_centroid(const tq_triangles *mesh, double ret[3])
{
    static const double none[3] = {0.0, 0.0, 0.0};
    double area = 0.0;
    memset(ret, 0, 3 * sizeof *ret);
    for (size_t i = 0; i < mesh->n_face; i++) {
        face f;
        read_face(mesh, i, none, &f);
        const double a = 0.5 * sqrt(f.normal[0] * f.normal[0] + f.normal[1] * f.normal[1] +
                                    f.normal[2] * f.normal[2]);
        area += a;
        for (int k = 0; k < 3; k++) {
            ret[k] += a * f.centre[k];
        }
    }
    for (int k = 0; k < 3 && area > 0.0; k++) {
        ret[k] /= area;
    }
}

/* The centre of mass: that of a pyramid is at 3/4 of the way to its face. */
static bool find_centre(const tq_triangles *mesh, tq_mesh_volume kind, const double from[3],
                        double ret[3])
{
    double volume = 0.0;
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < mesh->n_face; i++) {
        face f;
        read_face(mesh, i, from, &f);
        const double one = pyramid(&f, kind);
        volume += one;
        for (int k = 0; k < 3; k++) {
            sum[k] += one * 0.75 * f.centre[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        ret[k] = from[k] + sum[k] / volume;
    }
    return volume > 0.0 && isfinite(ret[0]) && isfinite(ret[1]) && isfinite(ret[2]);
}

bool tq_mesh_inertia(const tq_triangles *mesh, tq_mesh_volume kind, tq_inertia *ret)
{
    double from[3], product[6] = {0.0};
    *ret = (tq_inertia){.mass = 0.0};
    find_centroid(mesh, from);
    if (!find_centre(mesh, kind, from, ret->com)) {
        return false;
    }
    /* integral of x y over a tetrahedron at the origin = V/20 (sum x_i sum y_i + sum x_i y_i) */
    for (size_t i = 0; i < mesh->n_face; i++) {
        static const int row[] = {0, 0, 0, 1, 1, 2}, column[] = {0, 1, 2, 1, 2, 2};
        face f;
        read_face(mesh, i, ret->com, &f);
        const double one = pyramid(&f, kind);
        ret->mass += one;
        for (int e = 0; e < 6; e++) {
            const int a = row[e], b = column[e];
            double sum = 9.0 * f.centre[a] * f.centre[b];
            for (int c = 0; c < 3; c++) {
                sum += f.corner[c][a] * f.corner[c][b];
            }
            product[e] += one / 20.0 * sum;
        }
    }
    const double *s = product;
    const double tensor[6] = {s[3] + s[5], -s[1], -s[2], s[0] + s[5], -s[4], s[0] + s[3]};
    memcpy(ret->about_com, tensor, sizeof tensor);
    return ret->mass > 0.0 && isfinite(ret->mass) &&
           isfinite(tensor[0] + tensor[3] + tensor[5] + tensor[1] + tensor[2] + tensor[4]);
}
