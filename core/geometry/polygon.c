/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/polygon.c - faces as convex polygons, clipped and thinned out. */
#include "core/geometry/polygon.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/geometry/nearest.h"

/* Rises with the angle of (x, y), from 0 to 4. */
static double turn_of(double x, double y)
{
    const double size = fabs(x) + fabs(y);
    if (!(size > 0.0)) {
        return 0.0;
    }
    const double c = x / size;
    return y >= 0.0 ? 1.0 - c : 3.0 + c;
}

/* Sorts by the angle about their mean. */
static void sort(tq_polygon *p, const double *n)
{
    double frame[9], middle[3] = {0.0}, turn[TQ_POLYGON_MAX];
    tq_mat_third_column(n, frame);
    for (unsigned i = 0; i < p->n; i++) {
        tq_near_along(middle, 1.0 / (double)p->n, p->vertex[i], middle);
    }
    for (unsigned i = 0; i < p->n; i++) {
        double d[3], x[3], own[3];
        tq_near_minus(p->vertex[i], middle, d);
        tq_mat_tvec(frame, d, x);
        const double at = turn_of(x[0], x[1]);
        unsigned k = i;
        memcpy(own, p->vertex[i], sizeof own);
        for (; k > 0 && turn[k - 1] > at; k--) {
            turn[k] = turn[k - 1];
            memcpy(p->vertex[k], p->vertex[k - 1], sizeof own);
        }
        turn[k] = at;
        memcpy(p->vertex[k], own, sizeof own);
    }
}

void tq_polygon_extreme(const tq_polyhedron *of, const double *n, double near, tq_polygon *ret)
{
    const double most = tq_polyhedron_support(of, n);
    ret->n = 0;
    for (unsigned v = 0; v < of->n_vertex; v++) {
        if (tq_near_dot(n, of->vertex[v]) >= most - near) {
            memcpy(ret->vertex[ret->n++], of->vertex[v], sizeof of->vertex[v]);
        }
    }
    if (ret->n > 2) {
        sort(ret, n);
    }
}

void tq_polygon_opposed(const tq_polyhedron *of, const double *n, double near, tq_polygon *ret)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    const double most = tq_polyhedron_support(of, back);
    double least = (double)INFINITY, normal[3] = {0.0};
    for (unsigned f = 0; f < of->n_face; f++) {
        bool is_extreme = false;
        double m[3];
        for (unsigned k = 0; k < 3; k++) {
            is_extreme |= tq_near_dot(back, of->vertex[of->face[f][k]]) >= most - near;
        }
        tq_polyhedron_normal(of, f, m);
        if (is_extreme && tq_near_dot(m, n) < least) {
            least = tq_near_dot(m, n);
            memcpy(normal, m, sizeof normal);
        }
    }
    if (of->n_face > 0) {
        tq_polygon_extreme(of, normal, near, ret);
        return;
    }
    ret->n = of->n_vertex;
    memcpy(ret->vertex, of->vertex, of->n_vertex * sizeof *of->vertex);
}

/* Leaves out vertices that are `near` to the next. */
static void join_near(tq_polygon *p, double near)
{
    unsigned n = 0;
    for (unsigned i = 0; i < p->n; i++) {
        double d[3];
        tq_near_minus(p->vertex[(i + 1) % p->n], p->vertex[i], d);
        if (tq_near_dot(d, d) > near * near) {
            memmove(p->vertex[n++], p->vertex[i], sizeof p->vertex[i]);
        }
    }
    p->n = n > 0 ? n : p->n > 0;
}

/* The part with out . x <= offset. */
static void cut(tq_polygon *p, const double *out, double offset, double near)
{
    tq_polygon r = {.n = 0};
    for (unsigned i = 0; i < p->n; i++) {
        const double *x = p->vertex[i], *y = p->vertex[(i + 1) % p->n];
        const double at_x = tq_near_dot(out, x) - offset, at_y = tq_near_dot(out, y) - offset;
        const bool in_x = at_x <= near, in_y = at_y <= near;
        if (in_x && r.n < TQ_POLYGON_MAX) {
            memcpy(r.vertex[r.n++], x, sizeof r.vertex[0]);
        }
        if (in_x != in_y && r.n < TQ_POLYGON_MAX) {
            double d[3];
            tq_near_minus(y, x, d);
            const double t = fmin(fmax(at_x / (at_x - at_y), 0.0), 1.0);
            tq_near_along(x, t, d, r.vertex[r.n++]);
        }
    }
    p->n = r.n;
    memcpy(p->vertex, r.vertex, r.n * sizeof r.vertex[0]);
}

void tq_polygon_clip(tq_polygon *p, const tq_polygon *face, const double *n, double near)
{
    for (unsigned i = 0; i < face->n && p->n > 0; i++) {
        const double *x = face->vertex[i];
        double d[3], out[3];
        tq_near_minus(face->vertex[(i + 1) % face->n], x, d);
        tq_vec_cross(d, n, out);
        const double length = sqrt(tq_near_dot(out, out));
        if (length > 0.0) {
            tq_near_unit(out, length, out);
            cut(p, out, tq_near_dot(out, x), near);
        }
    }
    join_near(p, near);
}

/* Square of the distance of vertex i to the nearest kept one. */
static double apart(const tq_polygon *p, const bool *is_kept, unsigned i)
{
    double least = (double)INFINITY;
    for (unsigned k = 0; k < p->n; k++) {
        double d[3];
        tq_near_minus(p->vertex[i], p->vertex[k], d);
        least = is_kept[k] ? fmin(least, tq_near_dot(d, d)) : least;
    }
    return least;
}

void tq_polygon_reduce(tq_polygon *p, unsigned most, const double *n, double near)
{
    bool is_kept[TQ_POLYGON_MAX] = {false};
    double lowest = (double)INFINITY;
    unsigned next = 0, count = 0;
    if (p->n <= most) {
        return;
    }
    for (unsigned i = 0; i < p->n; i++) {
        const double height = tq_near_dot(n, p->vertex[i]);
        next = height < lowest ? i : next;
        lowest = fmin(lowest, height);
    }
    for (unsigned kept = 0; kept < most; kept++) {
        bool is_low = false;
        double best = -1.0;
        is_kept[next] = true;
        for (unsigned i = 0; i < p->n; i++) {
            const bool low = tq_near_dot(n, p->vertex[i]) <= lowest + near;
            const double far = is_kept[i] ? -1.0 : apart(p, is_kept, i);
            if (far >= 0.0 && ((low && !is_low) || (low == is_low && far > best))) {
                next = i;
                best = far;
                is_low = low;
            }
        }
    }
    for (unsigned i = 0; i < p->n; i++) {
        if (is_kept[i]) {
            memmove(p->vertex[count++], p->vertex[i], sizeof p->vertex[i]);
        }
    }
    p->n = count;
}

double tq_polygon_area(const tq_polygon *p)
{
    double sum[3] = {0.0};
    for (unsigned i = 2; i < p->n; i++) {
        double u[3], v[3], c[3];
        tq_near_minus(p->vertex[i - 1], p->vertex[0], u);
        tq_near_minus(p->vertex[i], p->vertex[0], v);
        tq_vec_cross(u, v, c);
        tq_near_along(sum, 0.5, c, sum);
    }
    return sqrt(tq_near_dot(sum, sum));
}
