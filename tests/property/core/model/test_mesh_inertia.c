/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/model/test_mesh_inertia.c - solids of triangles against closed forms: a box,
 * a tetrahedron, a box with a dent. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/model/mesh_inertia.h"
#include "tests/support/random.h"

/* corners of a box, bit 0: x, bit 1: y, bit 2: z */
static const uint32_t box_faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void corners(const double size[3], const double at[3], double ret[24])
{
    for (size_t c = 0; c < 8; c++) {
        for (size_t k = 0; k < 3; k++) {
            ret[3 * c + k] = at[k] + ((c >> k & 1) != 0 ? 0.5 : -0.5) * size[k];
        }
    }
}

static void expect(const tq_inertia *got, const tq_inertia *want)
{
    /* sums of a dozen pyramids of some cubic metres */
    cr_expect(epsilon_eq(dbl, got->mass, want->mass, 1e-13));
    for (int k = 0; k < 3; k++) {
        cr_expect(epsilon_eq(dbl, got->com[k], want->com[k], 1e-13), "%d", k);
    }
    for (int k = 0; k < 6; k++) {
        cr_expect(epsilon_eq(dbl, got->about_com[k], want->about_com[k], 1e-12), "%d", k);
    }
}

Test(mesh_inertia, of_a_box_is_that_of_the_solid)
{
    tqt_random r = tqt_random_seed(3);
    for (int trial = 0; trial < 20; trial++) {
        double size[3], at[3], vertices[24];
        tq_inertia got, want;
        for (int k = 0; k < 3; k++) {
            size[k] = tqt_random_uniform(&r, 0.2, 1.5);
            at[k] = tqt_random_uniform(&r, -2.0, 2.0);
        }
        corners(size, at, vertices);
        cr_assert(eq(
            int, tq_inertia_of_shape(TQ_SHAPE_BOX, size[0] * size[1] * size[2], size, &want, NULL),
            TQ_OK));
        memcpy(want.com, at, sizeof at);
        const tq_triangles mesh = {.vertices = vertices, .faces = box_faces, .n_face = 12};
        cr_assert(tq_mesh_inertia(&mesh, TQ_MESH_SIGNED, &got));
        expect(&got, &want);
        cr_assert(tq_mesh_inertia(&mesh, TQ_MESH_ABSOLUTE, &got)); /* convex: the same */
        expect(&got, &want);
    }
}

/* corner (0,0,0), unit edges: m = 1/6, com 1/4, Ixx about it 2 (3/80) m, Ixy = 1/80 m (of the
 * tensor: minus the integral of x y) */
Test(mesh_inertia, of_a_tetrahedron)
{
    static const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const double m = 1.0 / 6.0, xx = 2 * 3.0 / 80.0 * m, xy = 1.0 / 80.0 * m;
    const tq_inertia want = {
        .mass = m, .com = {0.25, 0.25, 0.25}, .about_com = {xx, xy, xy, xx, xy, xx}};
    tq_inertia got;
    cr_assert(tq_mesh_inertia(&(tq_triangles){vertices, faces, 4}, TQ_MESH_SIGNED, &got));
    expect(&got, &want);
}

/* The corner (1,1,1) of a unit box pushed in to (-0.6,-0.6,-0.6), beyond the middle: not
 * star-shaped from there. By signs the solid is smaller; absolute pyramids count some twice. */
Test(mesh_inertia, absolute_pyramids_count_a_dent_as_solid)
{
    static const double size[3] = {2, 2, 2}, at[3] = {0, 0, 0};
    double vertices[24];
    tq_inertia by_sign, absolute;
    corners(size, at, vertices);
    vertices[21] = vertices[22] = vertices[23] = -0.6;
    const tq_triangles mesh = {.vertices = vertices, .faces = box_faces, .n_face = 12};
    cr_assert(tq_mesh_inertia(&mesh, TQ_MESH_SIGNED, &by_sign));
    cr_assert(tq_mesh_inertia(&mesh, TQ_MESH_ABSOLUTE, &absolute));
    cr_expect(gt(dbl, absolute.mass, by_sign.mass + 0.1));
    /* less the tetrahedra between the corner, its new place and each of its faces' far edges */
    double volume = 8.0;
    for (size_t f = 0; f < 12; f++) {
        for (size_t c = 0; c < 3; c++) {
            if (box_faces[3 * f + c] == 7) { /* moved by (-1.6)^3: its face sweeps a tetrahedron */
                const uint32_t *face = box_faces + 3 * f;
                double u[3], v[3], n = 0.0;
                const double *o = vertices + 3 * (size_t)face[(c + 1) % 3];
                const double *p = vertices + 3 * (size_t)face[(c + 2) % 3];
                for (size_t k = 0; k < 3; k++) {
                    u[k] = o[k] - 1.0;
                    v[k] = p[k] - 1.0;
                }
                for (size_t k = 0; k < 3; k++) {
                    n += u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
                }
                volume += -1.6 * n / 6.0;
            }
        }
    }
    cr_expect(epsilon_eq(dbl, by_sign.mass, volume, 1e-13), "%g %g", by_sign.mass, volume);
}

Test(mesh_inertia, a_flat_mesh_has_none)
{
    static const double vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t faces[6] = {0, 1, 2, 0, 2, 1};
    tq_inertia got;
    cr_expect(not(tq_mesh_inertia(&(tq_triangles){vertices, faces, 2}, TQ_MESH_SIGNED, &got)));
}
