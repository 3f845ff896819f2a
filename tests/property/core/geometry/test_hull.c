/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/geometry/test_hull.c - hulls of random points by their definition; distances
 * by certificates: two points of the solids, and a slab between them; boxes of points beside boxes.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/geometry/distance.h"
#include "core/geometry/hull.h"
#include "core/spatial/screw.h"
#include "tests/support/random.h"

enum { N_PAIR = 1500, POINTS = 60 };

typedef struct solid {
    tq_geom geom;
    tq_hull hull;
    double points[3 * POINTS];
    size_t n;
} solid;

static void make_hull(solid *s)
{
    tq_error e = {0};
    s->geom = tq_geom_of(TQ_GEOM_HULL, NULL);
    s->geom.hull = &s->hull;
    cr_assert(eq(int, tq_hull_of(s->n, s->points, &s->hull, &e), TQ_OK), "%s", e.what);
}

/* a cloud, or of every third seed points of a grid, with many in the same planes */
static void random_hull(tqt_random *r, int k, solid *s)
{
    s->n = 4 + (size_t)tqt_random_uniform(r, 0.0, POINTS - 4.0);
    do {
        for (size_t i = 0; i < 3 * s->n; i++) {
            const double x = tqt_random_uniform(r, -0.5, 0.5);
            s->points[i] = k % 3 == 0 ? floor(4.0 * x) / 4.0 : x;
        }
    } while (tq_hull_of(s->n, s->points, &s->hull, NULL) == TQ_ERR_RANGE); /* flat */
    make_hull(s);
}

static void random_solid(tqt_random *r, int k, solid *s)
{
    const double size[3] = {tqt_random_uniform(r, 0.05, 0.8), tqt_random_uniform(r, 0.05, 0.8),
                            tqt_random_uniform(r, 0.05, 0.8)};
    const int kind = (int)tqt_random_uniform(r, 0.0, 3.999);
    if (kind == 3) {
        random_hull(r, k, s);
    } else {
        s->geom = tq_geom_of((tq_geom_kind)kind, size);
    }
}

/* every fourth pose is axis-aligned, so that faces and edges are parallel */
static tq_pose random_pose(tqt_random *r, int k)
{
    tq_pose pose = tq_pose_identity;
    double wxyz[4];
    for (int i = 0; i < 4; i++) {
        wxyz[i] = tqt_random_uniform(r, -1.0, 1.0);
    }
    if (k % 4 != 0) {
        tq_mat_of_quaternion(wxyz, pose.r);
    }
    for (int i = 0; i < 3; i++) {
        pose.p[i] = tqt_random_uniform(r, -0.6, 0.6);
    }
    return pose;
}

/* the largest n . x of the solid, of a hull by all points that it was made of */
static double support(const solid *s, const tq_pose *pose, const double *n)
{
    double local[3], most = -(double)INFINITY, sum = 0.0;
    tq_mat_tvec(pose->r, n, local);
    for (size_t i = 0; s->geom.kind == TQ_GEOM_HULL && i < s->n; i++) {
        most = fmax(most, tq_dot3(local, s->points + 3 * i));
    }
    for (int k = 0; k < 3; k++) {
        sum += s->geom.half[k] * fabs(local[k]);
    }
    return tq_dot3(n, pose->p) + (s->geom.kind == TQ_GEOM_HULL ? most : sum + s->geom.radius);
}

static double gap(const solid *a, const tq_pose *at_a, const solid *b, const tq_pose *at_b,
                  const double *n)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -support(b, at_b, back) - support(a, at_a, n);
}

static void normal_of(const tq_hull *h, uint32_t f, double ret[3])
{
    double u[3], v[3];
    const double *p = h->vertex[h->face[f][0]];
    for (int k = 0; k < 3; k++) {
        u[k] = h->vertex[h->face[f][1]][k] - p[k];
        v[k] = h->vertex[h->face[f][2]][k] - p[k];
    }
    tq_vec_cross(u, v, ret);
    const double length = sqrt(tq_dot3(ret, ret));
    for (int k = 0; k < 3; k++) {
        ret[k] /= length;
    }
}

/* how far x is outside: of a hull in the direction of its faces alone */
static double outside(const solid *s, const tq_pose *pose, const double *x)
{
    const double d[3] = {x[0] - pose->p[0], x[1] - pose->p[1], x[2] - pose->p[2]};
    double local[3], sum = 0.0, most = -(double)INFINITY;
    tq_mat_tvec(pose->r, d, local);
    if (s->geom.kind == TQ_GEOM_HULL) {
        for (uint32_t f = 0; f < s->hull.n_face; f++) {
            double n[3];
            normal_of(&s->hull, f, n);
            most = fmax(most, tq_dot3(n, local) - tq_dot3(n, s->hull.vertex[s->hull.face[f][0]]));
        }
        return most;
    }
    for (int k = 0; k < 3; k++) {
        const double over = fmax(fabs(local[k]) - s->geom.half[k], 0.0);
        sum += over * over;
    }
    return sqrt(sum) - s->geom.radius;
}

Test(hull, no_point_is_outside_and_faces_close)
{
    tqt_random r = tqt_random_seed(21);
    for (int k = 0; k < 400; k++) {
        static solid s;
        unsigned char used[TQ_HULL_VERTICES_MAX][TQ_HULL_VERTICES_MAX] = {{0}};
        random_hull(&r, k, &s);
        for (size_t i = 0; i < s.n; i++) {
            cr_assert(lt(dbl, outside(&s, &tq_pose_identity, s.points + 3 * i), 3e-9), "%d", k);
        }
        for (uint32_t f = 0; f < s.hull.n_face; f++) {
            for (int e = 0; e < 3; e++) {
                used[s.hull.face[f][e]][s.hull.face[f][(e + 1) % 3]]++;
            }
        }
        for (uint32_t i = 0; i < s.hull.n_vertex; i++) {
            for (uint32_t j = 0; j < s.hull.n_vertex; j++) {
                cr_assert(used[i][j] <= 1 && used[i][j] == used[j][i], "an open edge in %d", k);
            }
        }
        cr_assert(eq(int, (int)s.hull.n_face, 2 * (int)s.hull.n_vertex - 4), "Euler, %d", k);
        /* a vertex is extreme: some direction has it alone */
        for (uint32_t v = 0; v < s.hull.n_vertex; v++) {
            double sum[3] = {0.0};
            for (uint32_t f = 0; f < s.hull.n_face; f++) {
                if (memchr(s.hull.face[f], (int)v, 3) != NULL) {
                    double n[3];
                    normal_of(&s.hull, f, n);
                    for (int c = 0; c < 3; c++) {
                        sum[c] += n[c];
                    }
                }
            }
            for (uint32_t w = 0; w < s.hull.n_vertex; w++) {
                cr_assert(w == v || tq_dot3(sum, s.hull.vertex[w]) < tq_dot3(sum, s.hull.vertex[v]),
                          "vertex %u of %d is none", v, k);
            }
        }
    }
}

Test(hull, distance_is_that_of_its_witness_points_along_the_normal)
{
    tqt_random r = tqt_random_seed(7);
    int n_overlap = 0;
    for (int k = 0; k < N_PAIR; k++) {
        static solid a, b;
        random_hull(&r, k, &a);
        random_solid(&r, k, &b);
        const tq_pose at_a = random_pose(&r, k), at_b = random_pose(&r, k);
        tq_proximity is, other;
        tq_geom_distance(&a.geom, &at_a, &b.geom, &at_b, &is);
        cr_assert(epsilon_eq(dbl, tq_dot3(is.normal, is.normal), 1.0, 1e-12), "pair %d", k);
        cr_assert(lt(dbl, outside(&a, &at_a, is.a), 4e-9), "pair %d", k);
        cr_assert(lt(dbl, outside(&b, &at_b, is.b), 4e-9), "pair %d", k);
        for (int i = 0; i < 3; i++) {
            cr_assert(epsilon_eq(dbl, is.b[i] - is.a[i], is.distance * is.normal[i], 1e-11),
                      "pair %d: with %d, %g", k, b.geom.kind, is.distance);
        }
        /* points left out are within 1e-9 of the size */
        cr_assert(epsilon_eq(dbl, gap(&a, &at_a, &b, &at_b, is.normal), is.distance, 4e-9),
                  "pair %d: with %d, %g", k, b.geom.kind, is.distance);
        n_overlap += is.distance < 0.0;
        for (int i = 0; i < 30 && is.distance < 0.0; i++) {
            const double near = i < 15 ? 1.0 : 0.05;
            double n[3];
            for (int c = 0; c < 3; c++) {
                n[c] = tqt_random_uniform(&r, -near, near) + (i < 15 ? 0.0 : is.normal[c]);
            }
            const double length = sqrt(tq_dot3(n, n));
            for (int c = 0; c < 3; c++) {
                n[c] /= length;
            }
            cr_assert(lt(dbl, gap(&a, &at_a, &b, &at_b, n), is.distance + 4e-9), "pair %d", k);
        }
        tq_geom_distance(&b.geom, &at_b, &a.geom, &at_a, &other);
        cr_assert(epsilon_eq(dbl, other.distance, is.distance, 1e-13));
    }
    cr_assert(gt(int, n_overlap, N_PAIR / 10));
}

/* the corners of a box, and points inside its faces and edges */
static void box_of_points(const double size[3], solid *s)
{
    s->n = 0;
    for (int i = 0; i < 27; i++) {
        const int at[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        for (int c = 0; c < 3; c++) {
            s->points[3 * s->n + (size_t)c] = 0.5 * size[c] * at[c];
        }
        s->n++;
    }
    make_hull(s);
}

Test(hull, of_a_box_is_the_box)
{
    tqt_random r = tqt_random_seed(5);
    for (int k = 0; k < N_PAIR; k++) {
        static solid hull, b;
        const double size[3] = {tqt_random_uniform(&r, 0.05, 0.8),
                                tqt_random_uniform(&r, 0.05, 0.8),
                                tqt_random_uniform(&r, 0.05, 0.8)};
        const tq_geom box = tq_geom_of(TQ_GEOM_BOX, size);
        const tq_pose at = random_pose(&r, k), at_b = random_pose(&r, k);
        tq_proximity ours, theirs;
        box_of_points(size, &hull);
        cr_assert(eq(int, (int)hull.hull.n_vertex, 8));
        cr_assert(eq(int, (int)hull.hull.n_edge, 12));
        random_solid(&r, k, &b);
        if (k % 5 == 0) {
            b.geom = tq_geom_of(TQ_GEOM_HALF_SPACE, NULL);
        }
        tq_geom_distance(&hull.geom, &at, &b.geom, &at_b, &ours);
        tq_geom_distance(&box, &at, &b.geom, &at_b, &theirs);
        cr_assert(epsilon_eq(dbl, ours.distance, theirs.distance, 1e-12), "%d with %d", k,
                  b.geom.kind);
        for (int c = 0; c < 3; c++) {
            if (k % 4 != 0) { /* else they are not unique */
                cr_assert(epsilon_eq(dbl, ours.normal[c], theirs.normal[c], 1e-9), "%d", k);
                cr_assert(epsilon_eq(dbl, ours.a[c], theirs.a[c], 1e-9), "%d", k);
                cr_assert(epsilon_eq(dbl, ours.b[c], theirs.b[c], 1e-9), "%d", k);
            }
        }
    }
}

Test(hull, is_bounded)
{
    static double points[3 * (TQ_HULL_POINTS_MAX + 1)];
    static tq_hull hull;
    tq_error e = {0};
    tqt_random r = tqt_random_seed(3);
    for (size_t i = 0; i < 3 * (TQ_HULL_POINTS_MAX + (size_t)1); i++) {
        points[i] = tqt_random_uniform(&r, -1.0, 1.0);
    }
    cr_assert(eq(int, tq_hull_of(TQ_HULL_POINTS_MAX + 1, points, &hull, &e), TQ_ERR_SHAPE));
    cr_assert(eq(str, (char *)e.what, "points"));
    cr_assert(eq(int, tq_hull_of(3, points, &hull, &e), TQ_ERR_SHAPE));
    cr_assert(eq(int, tq_hull_of(20, points, &hull, &e), TQ_OK));
    points[7] = (double)NAN;
    cr_assert(eq(int, tq_hull_of(20, points, &hull, &e), TQ_ERR_NOT_FINITE));
    cr_assert(eq(uint, (unsigned)e.index, 2));
    for (size_t i = 0; i < 100; i++) { /* on a sphere: all are vertices */
        double *p = points + 3 * i, size = 0.0;
        for (int c = 0; c < 3; c++) {
            p[c] = tqt_random_uniform(&r, -1.0, 1.0);
        }
        size = sqrt(tq_dot3(p, p));
        for (int c = 0; c < 3; c++) {
            p[c] /= size;
        }
    }
    cr_assert(eq(int, tq_hull_of(100, points, &hull, &e), TQ_ERR_SHAPE));
    cr_assert(eq(str, (char *)e.what, "vertices"));
    cr_assert(eq(int, tq_hull_of(TQ_HULL_VERTICES_MAX, points, &hull, &e), TQ_OK));
    cr_assert(eq(int, (int)hull.n_vertex, TQ_HULL_VERTICES_MAX));
    for (size_t i = 0; i < 100; i++) {
        points[3 * i + 2] = 0.5 * points[3 * i] - points[3 * i + 1];
    }
    cr_assert(eq(int, tq_hull_of(20, points, &hull, &e), TQ_ERR_RANGE));
    for (size_t i = 0; i < 60; i++) { /* products of these overflow */
        points[i] = tqt_random_uniform(&r, -1e160, 1e160);
    }
    cr_assert(eq(int, tq_hull_of(20, points, &hull, &e), TQ_ERR_RANGE));
    memset(points, 0, sizeof points);
    cr_assert(eq(int, tq_hull_of(20, points, &hull, &e), TQ_ERR_RANGE));
}
