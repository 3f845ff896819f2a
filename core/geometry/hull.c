/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/hull.c - the convex hull of points, vertex by vertex. */
#include "core/geometry/hull.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/geometry/nearest.h"

enum { NO_FACE = 255 };

/* Of a face; the point that is farthest above it, and how far. */
typedef struct plane {
    double normal[3], offset, above;
    size_t next;
} plane;

typedef struct builder {
    tq_hull *hull;
    size_t n;
    const double *points;
    double middle[3], slack; /* mean of the points; how near counts as on */
    plane planes[TQ_HULL_FACES_MAX];
    uint8_t owner[TQ_HULL_VERTICES_MAX][TQ_HULL_VERTICES_MAX]; /* face with the directed edge */
} builder;

static double gap(const double *a, const double *b)
{
    double d[3];
    tq_near_minus(a, b, d);
    return sqrt(tq_near_dot(d, d));
}

static double height(const plane *p, const double *x)
{
    return tq_near_dot(p->normal, x) - p->offset;
}

/* Of those that are farthest, the farthest from the middle: a point inside a face or an edge is
 * none. `far` returns how far a point is from what ctx describes. */
static size_t farthest(const builder *b, double (*far)(const double *ctx, const double *x),
                       const double *ctx, double *ret_distance)
{
    double most = -(double)INFINITY, out = -1.0;
    size_t ret = 0;
    for (size_t i = 0; i < b->n; i++) {
        most = fmax(most, far(ctx, b->points + 3 * i));
    }
    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->points + 3 * i;
        if (far(ctx, x) >= most - b->slack && gap(x, b->middle) > out) {
            out = gap(x, b->middle);
            ret = i;
        }
    }
    *ret_distance = most;
    return ret;
}

static double from_point(const double *ctx, const double *x)
{
    return gap(ctx, x);
}

/* ctx: a point of the line, and its direction of unit length */
static double from_line(const double *ctx, const double *x)
{
    double d[3];
    tq_near_minus(x, ctx, d);
    tq_near_along(d, -tq_near_dot(d, ctx + 3), ctx + 3, d);
    return sqrt(tq_near_dot(d, d));
}

/* ctx: normal and offset */
static double from_plane(const double *ctx, const double *x)
{
    return fabs(tq_near_dot(ctx, x) - ctx[3]);
}

static double above_plane(const double *ctx, const double *x)
{
    return tq_near_dot(ctx, x) - ctx[3];
}

static plane through(const double *a, const double *b, const double *c)
{
    double u[3], v[3];
    plane ret = {.above = 0.0};
    tq_near_minus(b, a, u);
    tq_near_minus(c, a, v);
    tq_vec_cross(u, v, ret.normal);
    const double length = sqrt(tq_near_dot(ret.normal, ret.normal));
    for (unsigned k = 0; k < 3; k++) {
        ret.normal[k] = length > 0.0 ? ret.normal[k] / length : 0.0;
    }
    ret.offset = tq_near_dot(ret.normal, a);
    return ret;
}

static uint8_t add_vertex(builder *b, size_t i)
{
    memcpy(b->hull->vertex[b->hull->n_vertex], b->points + 3 * i, 3 * sizeof *b->points);
    return (uint8_t)b->hull->n_vertex++;
}

/* False: it has no area, or an edge would have two faces on one side. */
static bool put_face(builder *b, uint32_t f, uint8_t i, uint8_t j, uint8_t k)
{
    const uint8_t v[3] = {i, j, k};
    plane *own = &b->planes[f];
    double ctx[4];
    *own = through(b->hull->vertex[i], b->hull->vertex[j], b->hull->vertex[k]);
    memcpy(ctx, own, sizeof ctx);
    own->next = farthest(b, above_plane, ctx, &own->above);
    memcpy(b->hull->face[f], v, sizeof v);
    if (own->normal[0] == 0.0 && own->normal[1] == 0.0 && own->normal[2] == 0.0) {
        return false;
    }
    for (unsigned e = 0; e < 3; e++) {
        uint8_t *owner = &b->owner[v[e]][v[(e + 1) % 3]];
        if (*owner != NO_FACE) {
            return false;
        }
        *owner = (uint8_t)f;
    }
    return true;
}

static tq_status begin(builder *b, tq_error *reterr)
{
    double ctx[6], size = 0.0, wide = 0.0, high = 0.0, any = 0.0;
    const double *first = b->points + 3 * farthest(b, from_point, b->points, &any);
    const size_t i = (size_t)(first - b->points) / 3, j = farthest(b, from_point, first, &size);
    b->slack = 1e-9 * size;
    memcpy(ctx, first, 3 * sizeof *ctx);
    tq_near_minus(b->points + 3 * j, first, ctx + 3);
    for (unsigned k = 3; k < 6; k++) {
        ctx[k] = size > 0.0 ? ctx[k] / size : 0.0;
    }
    const size_t m = farthest(b, from_line, ctx, &wide);
    const plane base = through(first, b->points + 3 * j, b->points + 3 * m);
    memcpy(ctx, &base, 4 * sizeof *ctx);
    const size_t n = farthest(b, from_plane, ctx, &high);
    if (!(size > 0.0) || !(wide > 1e-6 * size) || !(high > 1e-6 * size)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "points", 0, high);
    }
    const bool above = height(&base, b->points + 3 * n) > 0.0;
    const uint8_t p = add_vertex(b, i), q = add_vertex(b, above ? m : j),
                  r = add_vertex(b, above ? j : m), s = add_vertex(b, n);
    b->hull->n_face = 4;
    const bool good = put_face(b, 0, p, q, r) && put_face(b, 1, q, p, s) &&
                      put_face(b, 2, r, q, s) && put_face(b, 3, p, r, s);
    return good ? TQ_OK : tq_fail(reterr, TQ_ERR_RANGE, "points", 0, size);
}

static void remove_face(builder *b, uint32_t f)
{
    tq_hull *hull = b->hull;
    const uint32_t last = --hull->n_face;
    for (unsigned e = 0; e < 3; e++) {
        b->owner[hull->face[f][e]][hull->face[f][(e + 1) % 3]] = NO_FACE;
    }
    for (unsigned e = 0; e < 3 && f != last; e++) {
        b->owner[hull->face[last][e]][hull->face[last][(e + 1) % 3]] = (uint8_t)f;
    }
    b->planes[f] = b->planes[last];
    memmove(hull->face[f], hull->face[last], sizeof hull->face[f]);
}

/* Joins point i to the edges around the faces that it sees. False: these are not one piece. */
static bool extend(builder *b, size_t i)
{
    tq_hull *hull = b->hull;
    uint8_t rim[TQ_HULL_EDGES_MAX][2];
    bool seen[TQ_HULL_FACES_MAX];
    size_t n_rim = 0;
    for (uint32_t f = 0; f < hull->n_face; f++) {
        seen[f] = height(&b->planes[f], b->points + 3 * i) > b->slack;
    }
    for (uint32_t f = 0; f < hull->n_face; f++) {
        for (unsigned e = 0; e < 3 && seen[f]; e++) {
            const uint8_t from = hull->face[f][e], to = hull->face[f][(e + 1) % 3];
            const uint8_t other = b->owner[to][from];
            if (other == NO_FACE || !seen[other]) {
                rim[n_rim][0] = from;
                rim[n_rim++][1] = to;
            }
        }
    }
    for (uint32_t f = hull->n_face; f-- > 0;) {
        if (seen[f]) {
            remove_face(b, f);
        }
    }
    const uint8_t top = add_vertex(b, i);
    bool good = n_rim >= 3 && hull->n_face + n_rim <= TQ_HULL_FACES_MAX;
    for (size_t e = 0; e < n_rim && good; e++) {
        good = put_face(b, hull->n_face++, rim[e][0], rim[e][1], top);
    }
    return good;
}

static uint8_t third_of(const tq_hull *hull, uint8_t face, uint8_t i, uint8_t j)
{
    for (unsigned e = 0; e < 3; e++) {
        const uint8_t v = hull->face[face][e];
        if (v != i && v != j) {
            return v;
        }
    }
    return i;
}

/* the edge between vertices i and j, unless it lies in a plane of faces, or is none */
static void note_edge(builder *b, uint8_t i, uint8_t j)
{
    tq_hull *hull = b->hull;
    const uint8_t f = b->owner[i][j], g = b->owner[j][i];
    if (f == NO_FACE || g == NO_FACE) {
        return;
    }
    const uint8_t beside[2] = {third_of(hull, f, i, j), third_of(hull, g, i, j)};
    if (height(&b->planes[f], hull->vertex[beside[1]]) < -b->slack) {
        hull->edge[hull->n_edge++] =
            (tq_hull_edge){.end = {i, j}, .beside = {beside[0], beside[1]}};
    }
}

static void find_edges(builder *b)
{
    for (uint32_t i = 0; i < b->hull->n_vertex; i++) {
        for (uint32_t j = i + 1; j < b->hull->n_vertex; j++) {
            note_edge(b, (uint8_t)i, (uint8_t)j);
        }
    }
}

/* Vertices of no face are left out: rounding may hide one. */
static void pack(tq_hull *hull)
{
    uint8_t number[TQ_HULL_VERTICES_MAX];
    uint32_t n = 0;
    for (uint32_t v = 0; v < hull->n_vertex; v++) {
        bool used = false;
        for (uint32_t f = 0; f < hull->n_face; f++) {
            used = used || memchr(hull->face[f], (int)v, 3) != NULL;
        }
        number[v] = (uint8_t)n;
        if (used) {
            memmove(hull->vertex[n++], hull->vertex[v], sizeof hull->vertex[v]);
        }
    }
    hull->n_vertex = n;
    for (uint32_t f = 0; f < hull->n_face; f++) {
        for (unsigned e = 0; e < 3; e++) {
            hull->face[f][e] = number[hull->face[f][e]];
        }
    }
    for (uint32_t e = 0; e < hull->n_edge; e++) {
        for (unsigned k = 0; k < 2; k++) {
            hull->edge[e].end[k] = number[hull->edge[e].end[k]];
            hull->edge[e].beside[k] = number[hull->edge[e].beside[k]];
        }
    }
}

/* the box around the vertices */
static void enclose(tq_hull *hull)
{
    for (unsigned k = 0; k < 3; k++) {
        double low = hull->vertex[0][k];
        double high = low;
        for (uint32_t v = 1; v < hull->n_vertex; v++) {
            low = fmin(low, hull->vertex[v][k]);
            high = fmax(high, hull->vertex[v][k]);
        }
        hull->middle[k] = 0.5 * (low + high);
        hull->half[k] = 0.5 * (high - low);
    }
}

static tq_status grow(builder *b, tq_error *reterr)
{
    for (;;) {
        const plane *best = &b->planes[0];
        for (uint32_t f = 1; f < b->hull->n_face; f++) {
            best = b->planes[f].above > best->above ? &b->planes[f] : best;
        }
        if (!(best->above > b->slack)) {
            return TQ_OK;
        }
        if (b->hull->n_vertex == TQ_HULL_VERTICES_MAX) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "vertices", 0, TQ_HULL_VERTICES_MAX);
        }
        if (!extend(b, best->next)) {
            return tq_fail(reterr, TQ_ERR_RANGE, "points", best->next, best->above);
        }
    }
}

tq_status tq_hull_of(size_t n, const double *points, tq_hull *ret, tq_error *reterr)
{
    builder b = {.hull = ret, .n = n, .points = points};
    *ret = (tq_hull){.n_vertex = 0};
    memset(b.owner, NO_FACE, sizeof b.owner);
    if (n < 4 || n > TQ_HULL_POINTS_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "points", n, (double)n);
    }
    for (size_t k = 0; k < 3 * n; k++) {
        if (!isfinite(points[k])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "points", k / 3, points[k]);
        }
        b.middle[k % 3] += points[k] / (double)n;
    }
    tq_status status = begin(&b, reterr);
    if (status == TQ_OK) {
        status = grow(&b, reterr);
    }
    if (status == TQ_OK) {
        find_edges(&b);
        pack(ret);
        enclose(ret);
    }
    return status;
}
