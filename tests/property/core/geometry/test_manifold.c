/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/geometry/test_manifold.c - manifolds of random pairs that are moved until
 * they touch: the least gap is the distance, the points are on both solids, and gaps change with
 * the poses as the distance does; polygons of faces by sampling. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/geometry/distance.h"
#include "core/geometry/hull.h"
#include "core/geometry/manifold.h"
#include "core/geometry/polygon.h"
#include "tests/support/random.h"

enum { N_PAIR = 3000, POINTS = 20 };
static const double near = 1e-7;

typedef struct solid {
    tq_geom geom;
    tq_hull hull;
    tq_pose pose;
} solid;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* every fourth is axis-aligned, so that faces and edges are parallel */
static void random_solid(tqt_random *r, int k, solid *s)
{
    const double size[3] = {tqt_random_uniform(r, 0.05, 0.8), tqt_random_uniform(r, 0.05, 0.8),
                            tqt_random_uniform(r, 0.05, 0.8)};
    const int kind = 1 + (int)tqt_random_uniform(r, 0.0, 2.999);
    double wxyz[4], points[3 * POINTS];
    s->pose = tq_pose_identity;
    s->geom = tq_geom_of(kind == 3 ? TQ_GEOM_HULL : (tq_geom_kind)kind, size);
    for (int i = 0; i < 3 * POINTS; i++) {
        const double x = tqt_random_uniform(r, -0.5, 0.5);
        points[i] = k % 3 == 0 ? floor(4.0 * x) / 4.0 : x;
    }
    if (kind == 3) {
        tq_error e = {0};
        cr_assert(eq(int, tq_hull_of(POINTS, points, &s->hull, &e), TQ_OK), "%s", e.what);
        s->geom.hull = &s->hull;
    }
    for (int i = 0; i < 4; i++) {
        wxyz[i] = tqt_random_uniform(r, -1.0, 1.0);
    }
    if (k % 4 != 0) {
        tq_mat_of_quaternion(wxyz, s->pose.r);
    }
    for (int i = 0; i < 3; i++) {
        s->pose.p[i] = tqt_random_uniform(r, -0.6, 0.6);
    }
}

static tq_proximity distance(const solid *a, const solid *b)
{
    tq_proximity is;
    tq_geom_distance(&a->geom, &a->pose, &b->geom, &b->pose, &is);
    return is;
}

/* Moves b along the normal until they are `gap` apart. */
static tq_proximity bring(const solid *a, solid *b, double gap)
{
    tq_proximity is = distance(a, b);
    for (int i = 0; i < 50 && fabs(is.distance - gap) > 1e-13; i++) {
        for (int k = 0; k < 3; k++) {
            b->pose.p[k] -= (is.distance - gap) * is.normal[k];
        }
        is = distance(a, b);
    }
    return is;
}

/* How far a point is outside of a solid. */
static double outside(const double *x, const solid *s)
{
    const tq_geom ball = {.kind = TQ_GEOM_SPHERE, .pose = tq_pose_identity};
    tq_pose at = tq_pose_identity;
    tq_proximity is;
    memcpy(at.p, x, sizeof at.p);
    tq_geom_distance(&ball, &at, &s->geom, &s->pose, &is);
    return is.distance;
}

static double least_gap(const tq_touch *touches, unsigned n, const solid *a, const solid *b)
{
    double least = (double)INFINITY;
    for (unsigned i = 0; i < n; i++) {
        tq_proximity at;
        tq_geom_touch(&touches[i], &a->geom, &a->pose, &b->geom, &b->pose, &at);
        least = fmin(least, at.distance);
    }
    return least;
}

Test(manifold, points_are_where_the_solids_touch)
{
    tqt_random r = tqt_random_seed(7001);
    int faces = 0, lines = 0, many = 0;
    for (int k = 0; k < N_PAIR; k++) {
        solid a, b;
        tq_touch touches[TQ_MANIFOLD_MAX];
        random_solid(&r, k, &a);
        random_solid(&r, k, &b);
        tq_proximity is = bring(&a, &b, 1e-9);
        if (!(fabs(is.distance - 1e-9) < 1e-10)) {
            continue; /* cores that cross each other */
        }
        const unsigned n = tq_geom_manifold(&a.geom, &a.pose, &b.geom, &b.pose, &is, near, touches);
        cr_assert(n >= 1 && n <= tq_geom_manifold_max(&a.geom, &b.geom));
        cr_assert(fabs(least_gap(touches, n, &a, &b) - is.distance) < 2e-7, "%d", k);
        for (unsigned i = 0; i < n; i++) {
            tq_proximity at;
            tq_geom_touch(&touches[i], &a.geom, &a.pose, &b.geom, &b.pose, &at);
            cr_assert(fabs(dot(at.normal, at.normal) - 1.0) < 1e-9);
            for (int c = 0; c < 3; c++) {
                cr_assert(fabs(at.b[c] - at.a[c] - at.distance * at.normal[c]) < 1e-12);
            }
            /* of a point that is above the other solid only one end is on a surface */
            const double out = at.distance < 1e-6 ? fmax(outside(at.a, &a), outside(at.b, &b))
                                                  : fmin(outside(at.a, &a), outside(at.b, &b));
            cr_assert(out < 1e-6, "pair %d point %u: %g", k, i, out);
            faces += touches[i].kind != TQ_TOUCH_LINES;
            lines += touches[i].kind == TQ_TOUCH_LINES;
        }
        many += n > 2;
    }
    cr_assert(faces > 1000 && lines > 300 && many > 200, "%d %d %d", faces, lines, many);
}

/* Of b moved along the normal of the point that is nearest: gaps bound the distance from below, and
 * are as much where the two normals agree (not of vertices that meet). */
Test(manifold, gaps_change_as_the_distance_does)
{
    tqt_random r = tqt_random_seed(7002);
    int n_tried = 0, n_equal = 0;
    for (int k = 1; k < N_PAIR; k++) {
        solid a, b;
        tq_touch touches[TQ_MANIFOLD_MAX];
        tq_proximity at;
        random_solid(&r, k, &a);
        random_solid(&r, k, &b);
        tq_proximity is = bring(&a, &b, 1e-9);
        if (!(fabs(is.distance - 1e-9) < 1e-10)) {
            continue;
        }
        const unsigned n = tq_geom_manifold(&a.geom, &a.pose, &b.geom, &b.pose, &is, near, touches);
        tq_geom_touch(&touches[0], &a.geom, &a.pose, &b.geom, &b.pose, &at);
        for (int i = 0; i < 3; i++) {
            b.pose.p[i] += 1e-4 * at.normal[i];
        }
        const double apart = distance(&a, &b).distance, least = least_gap(touches, n, &a, &b);
        cr_assert(least < apart + 4e-7, "%d: %g %g", k, least, apart);
        n_equal += fabs(least - apart) < 4e-7;
        n_tried++;
    }
    cr_assert(n_tried > N_PAIR / 2 && n_equal > 9 * n_tried / 10, "%d of %d", n_equal, n_tried);
}

static bool is_within(const tq_polygon *p, const double *n, const double *x, double slack)
{
    for (unsigned i = 0; i < p->n; i++) {
        double d[3], e[3], c[3];
        for (int k = 0; k < 3; k++) {
            d[k] = p->vertex[(i + 1) % p->n][k] - p->vertex[i][k];
            e[k] = x[k] - p->vertex[i][k];
        }
        tq_vec_cross(d, e, c);
        if (dot(c, n) < -slack) {
            return false;
        }
    }
    return true;
}

/* A point is in the intersection of two polygons iff it is in both. */
Test(manifold, clipping_leaves_what_both_polygons_have)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    static const double size[3] = {0.8, 0.6, 0.2};
    tqt_random r = tqt_random_seed(7003);
    int both = 0;
    for (int k = 0; k < 300; k++) {
        const tq_geom box = tq_geom_of(TQ_GEOM_BOX, size);
        tq_pose pose = tq_pose_identity, other = tq_pose_identity;
        const double turn = tqt_random_uniform(&r, -3.0, 3.0);
        tq_mat_z(cos(turn), sin(turn), other.r);
        other.p[0] = tqt_random_uniform(&r, -0.4, 0.4);
        other.p[1] = tqt_random_uniform(&r, -0.4, 0.4);
        tq_polyhedron a, b;
        tq_polygon p, q, clipped;
        tq_polyhedron_of(&box, &pose, &a);
        tq_polyhedron_of(&box, &other, &b);
        tq_polygon_extreme(&a, up, near, &p);
        tq_polygon_extreme(&b, up, near, &q);
        cr_assert(p.n == 4 && q.n == 4);
        cr_assert(fabs(tq_polygon_area(&q) - 0.48) < 1e-12);
        clipped = q;
        tq_polygon_clip(&clipped, &p, up, near);
        for (int i = 0; i < 50; i++) {
            const double x[3] = {tqt_random_uniform(&r, -0.4, 0.4),
                                 tqt_random_uniform(&r, -0.3, 0.3), 0.1};
            const bool in = is_within(&q, up, x, 0.0);
            cr_assert(clipped.n == 0 || in == is_within(&clipped, up, x, in ? 1e-7 : 0.0));
            both += in;
        }
    }
    cr_assert(both > 3000, "%d", both);
}

/* Twenty vertices of which eight stay: the lowest among them, all different, in their order. */
Test(manifold, reduction_keeps_the_lowest_and_what_is_far_apart)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    tq_polygon p = {.n = 20};
    for (unsigned i = 0; i < p.n; i++) {
        p.vertex[i][0] = cos(0.1 * M_PI * i);
        p.vertex[i][1] = sin(0.1 * M_PI * i);
        p.vertex[i][2] = i == 7 ? -1e-3 : 0.0;
    }
    const tq_polygon whole = p;
    tq_polygon_reduce(&p, 8, up, near);
    cr_assert(eq(int, (int)p.n, 8));
    bool has_lowest = false;
    unsigned from = 0;
    for (unsigned i = 0; i < p.n; i++) {
        while (from < 20 && memcmp(whole.vertex[from], p.vertex[i], sizeof p.vertex[i]) != 0) {
            from++;
        }
        cr_assert(from < 20);
        has_lowest |= from == 7;
        from++;
    }
    cr_assert(has_lowest && tq_polygon_area(&p) > 0.85 * tq_polygon_area(&whole));
}
