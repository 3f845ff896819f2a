/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/manifold.c - which features of two shapes touch, and at which points. */
#include "core/geometry/manifold.h"

#include <math.h>
#include <string.h>

#include "core/geometry/nearest.h"
#include "core/geometry/polygon.h"

static const double parallel =
    1e-6; /* sine of the angle between edges that are taken as parallel */

bool tq_geom_has_manifold(const tq_geom *a, const tq_geom *b)
{
    return a->kind != TQ_GEOM_SPHERE && b->kind != TQ_GEOM_SPHERE &&
           a->kind != TQ_GEOM_HALF_SPACE && b->kind != TQ_GEOM_HALF_SPACE;
}

unsigned tq_geom_manifold_max(const tq_geom *a, const tq_geom *b)
{
    return a->kind == TQ_GEOM_CAPSULE || b->kind == TQ_GEOM_CAPSULE ? 2 : TQ_MANIFOLD_MAX;
}

/* ------------------------------------------------------------------------------------------------
 * A point of a manifold
 */

/* The two shapes, and what was found. */
typedef struct maker {
    const tq_geom *a, *b;
    const tq_pose *pose_a, *pose_b;
    tq_polyhedron core_a, core_b;
    double near;
    unsigned n, most;
    tq_touch *ret;
} maker;

static const double point[3] = {0.0, 0.0, 0.0}; /* the direction of a line that is none */

/* In the world; of the shape that has no direction `dir` is `point`. */
static void put(maker *m, tq_touch_kind kind, const double *at_a, const double *dir_a,
                const double *at_b, const double *dir_b)
{
    if (m->n == m->most) {
        return;
    }
    tq_touch *to = &m->ret[m->n++];
    double d[3];
    to->kind = kind;
    to->weight = 1.0;
    tq_near_minus(at_a, m->pose_a->p, d);
    tq_mat_tvec(m->pose_a->r, d, to->at_a);
    tq_near_minus(at_b, m->pose_b->p, d);
    tq_mat_tvec(m->pose_b->r, d, to->at_b);
    tq_mat_tvec(m->pose_a->r, dir_a, to->dir_a);
    tq_mat_tvec(m->pose_b->r, dir_b, to->dir_b);
}

static void place(const tq_pose *pose, const double *at, double *ret)
{
    tq_mat_vec(pose->r, at, ret);
    tq_near_along(ret, 1.0, pose->p, ret);
}

/* Points x, y of the cores, and the normal. Two lines: n = u x v / |u x v|, and with r = y - x
 * x + s u, y + t v nearest where (r + t v - s u) . u = (r + t v - s u) . v = 0. */
static void meet(const double *u, const double *v, double *x, double *y, double *n)
{
    double r[3];
    tq_near_minus(y, x, r);
    const double uu = tq_near_dot(u, u), vv = tq_near_dot(v, v);
    if (uu > 0.0 && vv > 0.0) {
        const double b = tq_near_dot(u, v), c = tq_near_dot(u, r), f = tq_near_dot(v, r);
        const double determinant = fmax(1.0 - b * b, 1e-30);
        tq_near_along(x, (c - b * f) / determinant, u, x);
        tq_near_along(y, (b * c - f) / determinant, v, y);
        tq_vec_cross(u, v, n);
        tq_near_unit(n, fmax(sqrt(tq_near_dot(n, n)), 1e-30), n);
        return;
    }
    if (uu > 0.0) {
        tq_near_along(x, tq_near_dot(u, r), u, x);
    } else if (vv > 0.0) {
        tq_near_along(y, -tq_near_dot(v, r), v, y);
    }
    tq_near_minus(y, x, n);
    tq_near_unit(n, fmax(sqrt(tq_near_dot(n, n)), 1e-30), n);
}

void tq_geom_touch(const tq_touch *touch, const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                   const tq_pose *pose_b, tq_proximity *ret)
{
    double x[3], y[3], u[3], v[3], r[3], *n = ret->normal;
    place(pose_a, touch->at_a, x);
    place(pose_b, touch->at_b, y);
    tq_mat_vec(pose_a->r, touch->dir_a, u);
    tq_mat_vec(pose_b->r, touch->dir_b, v);
    if (touch->kind == TQ_TOUCH_FACE_A) { /* x is on the surface */
        memcpy(n, u, sizeof u);
        tq_near_minus(y, x, r);
        ret->distance = tq_near_dot(n, r) - b->radius;
        tq_near_along(y, -b->radius, n, ret->b);
        tq_near_along(ret->b, -ret->distance, n, ret->a);
    } else if (touch->kind == TQ_TOUCH_FACE_B) {
        tq_near_unit(v, -1.0, n);
        tq_near_minus(y, x, r);
        ret->distance = tq_near_dot(n, r) - a->radius;
        tq_near_along(x, a->radius, n, ret->a);
        tq_near_along(ret->a, ret->distance, n, ret->b);
    } else {
        meet(u, v, x, y, n);
        tq_near_minus(y, x, r);
        ret->distance = tq_near_dot(n, r) - a->radius - b->radius;
        tq_near_along(x, a->radius, n, ret->a);
        tq_near_along(y, -b->radius, n, ret->b);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Features that touch
 */

/* The stiffness of a face goes to its vertices by the lengths of the edges beside them. */
static void weigh(maker *m, const tq_polygon *p)
{
    double length[TQ_MANIFOLD_MAX], all = 0.0;
    const unsigned n = p->n;
    if (n < 3 || n > TQ_MANIFOLD_MAX) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        double d[3];
        tq_near_minus(p->vertex[(i + 1) % n], p->vertex[i], d);
        length[i] = sqrt(tq_near_dot(d, d));
        all += length[i];
    }
    for (unsigned i = 0; i < n; i++) {
        m->ret[i].weight = 2.0 * (length[i] + length[(i + n - 1) % n]) / all;
    }
}

/* Number of the vertex that a point of a clipped face is; those that are none come after all. */
static unsigned order_of(const tq_polyhedron *of, const double *x)
{
    unsigned v = 0;
    while (v < of->n_vertex && memcmp(of->vertex[v], x, sizeof of->vertex[v]) != 0) {
        v++;
    }
    return v;
}

/* The points in the order of the core's vertices, which is that of its corners on a half-space:
 * where loads are indeterminate the laws' solution depends on it. */
static void order(maker *m, const tq_polyhedron *of, const tq_polygon *p)
{
    unsigned key[TQ_MANIFOLD_MAX];
    for (unsigned i = 0; i < m->n; i++) {
        const tq_touch own = m->ret[i];
        const unsigned at = order_of(of, p->vertex[i]);
        unsigned k = i;
        for (; k > 0 && key[k - 1] > at; k--) {
            key[k] = key[k - 1];
            m->ret[k] = m->ret[k - 1];
        }
        key[k] = at;
        m->ret[k] = own;
    }
}

/* A face with normal n against the other core; `is_a`: the face is of a. */
static void of_face(maker *m, const tq_polygon *face, const double *n, bool is_a)
{
    const tq_polyhedron *other = is_a ? &m->core_b : &m->core_a;
    tq_polygon p;
    tq_polygon_opposed(other, n, m->near, &p);
    tq_polygon_clip(&p, face, n, m->near);
    tq_polygon_reduce(&p, m->most, n, m->near);
    for (unsigned i = 0; i < p.n; i++) {
        if (is_a) {
            put(m, TQ_TOUCH_FACE_A, face->vertex[0], n, p.vertex[i], point);
        } else {
            put(m, TQ_TOUCH_FACE_B, p.vertex[i], point, face->vertex[0], n);
        }
    }
    weigh(m, &p);
    order(m, other, &p);
}

/* Two lines that are not parallel, whose shortest way is along n. */
static void of_lines(maker *m, const double *x, const double *u, const double *y, const double *v,
                     const double *n)
{
    double c[3], turned[3];
    tq_vec_cross(u, v, c);
    tq_near_unit(u, tq_near_dot(c, n) < 0.0 ? -1.0 : 1.0, turned);
    put(m, TQ_TOUCH_LINES, x, turned, y, v);
}

/* Two parallel segments: the ends of what they have in common, as points of b beside the line of a.
 */
static void of_parallel(maker *m, const tq_polygon *p, const tq_polygon *q)
{
    double u[3], r[3], v[3];
    tq_near_minus(p->vertex[1], p->vertex[0], u);
    const double length = sqrt(tq_near_dot(u, u));
    tq_near_unit(u, length, u);
    tq_near_minus(q->vertex[0], p->vertex[0], r);
    tq_near_minus(q->vertex[1], q->vertex[0], v);
    const double from = tq_near_dot(u, r), way = tq_near_dot(u, v);
    const double low = fmax(0.0, fmin(from, from + way));
    const double high = fmin(length, fmax(from, from + way));
    double y[3];
    if (high >= low - m->near) {
        tq_near_along(q->vertex[0], (low - from) / way, v, y);
        put(m, TQ_TOUCH_LINES, p->vertex[0], u, y, point);
    }
    if (high > low + m->near) {
        tq_near_along(q->vertex[0], (high - from) / way, v, y);
        put(m, TQ_TOUCH_LINES, p->vertex[0], u, y, point);
    }
}

/* Vertices or edges p of a and q of b, with a capsule. */
static void of_extremes(maker *m, const tq_polygon *p, const tq_polygon *q, const double *n)
{
    double u[3] = {0.0}, v[3] = {0.0}, c[3];
    if (p->n == 2) {
        tq_near_minus(p->vertex[1], p->vertex[0], u);
        tq_near_unit(u, sqrt(tq_near_dot(u, u)), u);
    }
    if (q->n == 2) {
        tq_near_minus(q->vertex[1], q->vertex[0], v);
        tq_near_unit(v, sqrt(tq_near_dot(v, v)), v);
    }
    tq_vec_cross(u, v, c);
    if (p->n == 2 && q->n == 2 && tq_near_dot(c, c) > parallel * parallel) {
        of_lines(m, p->vertex[0], u, q->vertex[0], v, n);
    } else if (p->n == 2 && q->n == 2) {
        of_parallel(m, p, q);
    } else {
        put(m, TQ_TOUCH_LINES, p->vertex[0], u, q->vertex[0], v);
    }
}

/* One of both is a capsule: along the normal between the nearest points. */
static void with_capsule(maker *m, const double *n)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    tq_polygon p, q;
    tq_polygon_extreme(&m->core_a, n, m->near, &p);
    tq_polygon_extreme(&m->core_b, back, m->near, &q);
    if (p.n > 2) {
        of_face(m, &p, n, true);
    } else if (q.n > 2) {
        of_face(m, &q, back, false);
    } else {
        of_extremes(m, &p, &q, n);
    }
}

/* Two cores with faces. A face goes before edges that separate as much, and of two faces that do
 * the larger, in which the other is more likely to be. */
static void of_polyhedra(maker *m)
{
    tq_separation is;
    tq_polyhedron_separate(&m->core_a, &m->core_b, &is);
    const double a = is.face_a.separation, b = is.face_b.separation;
    if (is.edges.separation > fmax(a, b) + m->near) {
        const tq_edge_at *u = &m->core_a.edge[is.edge_a], *v = &m->core_b.edge[is.edge_b];
        of_lines(m, u->middle, u->unit, v->middle, v->unit, is.edges.normal);
        return;
    }
    tq_polygon p, q;
    const double back[3] = {-is.face_b.normal[0], -is.face_b.normal[1], -is.face_b.normal[2]};
    tq_polygon_extreme(&m->core_a, is.face_a.normal, m->near, &p);
    tq_polygon_extreme(&m->core_b, back, m->near, &q);
    const bool is_a =
        fabs(a - b) > m->near ? a > b : tq_polygon_area(&p) >= (1.0 - 1e-9) * tq_polygon_area(&q);
    of_face(m, is_a ? &p : &q, is_a ? is.face_a.normal : back, is_a);
}

unsigned tq_geom_manifold(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                          const tq_pose *pose_b, const tq_proximity *is, double near, tq_touch *ret)
{
    maker m = {.a = a,
               .b = b,
               .pose_a = pose_a,
               .pose_b = pose_b,
               .near = near,
               .most = tq_geom_manifold_max(a, b),
               .ret = ret};
    const double apart = is->distance + a->radius + b->radius;
    double least = (double)INFINITY;
    tq_polyhedron_of(a, pose_a, &m.core_a);
    tq_polyhedron_of(b, pose_b, &m.core_b);
    if (m.core_a.n_face > 0 && m.core_b.n_face > 0) {
        of_polyhedra(&m);
    } else if (apart > near || m.core_a.n_face + m.core_b.n_face > 0) {
        with_capsule(&m, is->normal);
    }
    for (unsigned i = 0; i < m.n; i++) {
        tq_proximity at;
        tq_geom_touch(&ret[i], a, pose_a, b, pose_b, &at);
        least = fmin(least, at.distance);
    }
    if (!(fabs(least - is->distance) <= 10.0 * near)) { /* features that meet at no point */
        double y[3];
        m.n = 0;
        tq_near_along(is->b, b->radius, is->normal, y);
        put(&m, TQ_TOUCH_FACE_A, is->a, is->normal, y, point);
    }
    return m.n;
}
