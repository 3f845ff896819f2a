/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/terms.c - derivatives of a path and the terms of its torque, at the nodes. */
#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/base/search.h"
#include "core/dynamics/inverse.h"
#include "core/elementary/elementary.h"
#include "core/motion/timing/optimal_private.h"

/* Working memory of a block of nodes. */
typedef struct node_work {
    double *q, *slope, *bend, *tau; /* blocks */
    double *s;                      /* (TQ_BLOCK) */
    double *rows;                   /* (TQ_BLOCK x n_row) q */
    double *piece;                  /* (4 x n_row) */
} node_work;

/* Puts the nearest grid point on s, unless it has its place, or s is too near to one that has. */
static void pin(tq_stretch *p, double s)
{
    const double *grid = p->grid;
    const size_t low = tq_interval_of(grid, p->n_grid, s), high = low + 1;
    const size_t i = s - grid[low] < grid[high] - s ? low : high;
    const double least = 0.1 * (grid[high] - grid[low]);
    if (i > 0 && i < p->n_grid && !p->moved[i] && s - grid[i - 1] > least &&
        grid[i + 1] - s > least) {
        p->grid[i] = s;
        p->moved[i] = 1;
    }
}

/* zeros in (0, 1) of a b^2 + b b + c */
static size_t roots_of(double a, double b, double c, double ret[2])
{
    const double inside = b * b - 4.0 * a * c;
    size_t n = 0;
    if (inside > 0.0) {
        const double q = -0.5 * (b + copysign(sqrt(inside), b));
        const double roots[2] = {q / a, c / q};
        for (size_t k = 0; k < 2; k++) {
            if (roots[k] > 0.0 && roots[k] < 1.0) {
                ret[n++] = roots[k];
            }
        }
    }
    return n;
}

/* Where a joint with dry friction reverses: its torque jumps there. q' of a piece of a spline is
 * chord - (c1 + 2 c0) h / 6 + c0 h b + (c1 - c0) h b^2 / 2 at part b. */
static void pin_reversals(tq_stretch *p, const tq_reference *reference, size_t row)
{
    const tq_waypoints *w = &reference->waypoints;
    const size_t n = p->nv;
    for (size_t k = 0; k + 1 < w->n_point; k++) {
        const double h = w->t[k + 1] - w->t[k];
        const double c0 = reference->curvature[k * n + row];
        const double c1 = reference->curvature[(k + 1) * n + row];
        const double chord = (w->x[(k + 1) * n + row] - w->x[k * n + row]) / h;
        double part[2];
        const size_t n_root =
            roots_of(0.5 * (c1 - c0) * h, c0 * h, chord - (c1 + 2.0 * c0) * h / 6.0, part);
        for (size_t l = 0; l < n_root; l++) {
            pin(p, w->t[k] + part[l] * h);
        }
    }
}

/* Grid points closer towards both ends, where sdot is 0: about equal in time. On each knot, and
 * where dry friction changes its sign, the nearest of them. */
static void place_grid(tq_stretch *p, const tq_geometric_path *path, double begin, double end)
{
    const tq_model *model = tq_mechanism_model(p->mechanism);
    const tq_reference *reference = path->reference;
    const size_t n = p->n_grid;
    for (size_t i = 0; i <= n; i++) {
        const double part = 0.5 * (1.0 - tq_cos(M_PI * (double)i / (double)n));
        p->grid[i] = begin + (end - begin) * part;
    }
    p->grid[n] = end;
    memset(p->moved, 0, n + 1);
    for (size_t k = 0; k < path->n_knot; k++) {
        if (path->knot[k] > begin && path->knot[k] < end) {
            pin(p, path->knot[k]);
        }
    }
    const int is_spline =
        reference->kind == TQ_REFERENCE_TABLE || reference->kind == TQ_REFERENCE_SPLINE;
    for (uint32_t j = 0; is_spline && p->has_effort && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nv == 1 &&
            (joint->friction.coulomb != 0.0 || joint->friction.breakaway != 0.0)) {
            pin_reversals(p, reference, joint->v_index);
        }
    }
}

double tq_stretch_s(const tq_stretch *p, size_t node)
{
    const size_t i = node / TQ_PATH_PARTS;
    const size_t k = node % TQ_PATH_PARTS;
    return k == 0 ? p->grid[i]
                  : p->grid[i] + (p->grid[i + 1] - p->grid[i]) * (double)k / (double)TQ_PATH_PARTS;
}

/* s of n nodes from `first` on; of the last one of all that of this side of a kink */
static void nodes_of(const tq_stretch *p, size_t first, size_t n, double *ret_s)
{
    for (size_t m = 0; m < n; m++) {
        ret_s[m] = tq_stretch_s(p, first + m);
    }
    if (first + n == p->n_node) {
        ret_s[n - 1] = nextafter(ret_s[n - 1], -(double)INFINITY);
    }
}

/* The rows of waypoint k, values and curvatures; in those beyond the joints s itself. */
static void put_waypoint(const tq_stretch *p, const tq_reference *reference, size_t k,
                         double *ret_value, double *ret_curvature)
{
    const tq_waypoints *w = &reference->waypoints;
    for (size_t j = 0; j < p->n_row; j++) {
        const int is_joint = j < p->nv;
        ret_value[j] = is_joint ? w->x[k * p->nv + j] : w->t[k];
        ret_curvature[j] = is_joint ? reference->curvature[k * p->nv + j] : 0.0;
    }
}

/* n nodes of a spline, piece by piece; s becomes the part of its piece */
static void spline_rows(const tq_stretch *p, const tq_reference *reference, size_t n,
                        const node_work *work, double *ret_slope, double *ret_bend)
{
    const tq_waypoints *w = &reference->waypoints;
    const size_t row = p->n_row;
    const size_t last = w->n_point - 2;
    double *s = work->s;
    double *piece = work->piece;
    size_t k = 0;
    for (size_t m = 0; m < n;) {
        const size_t from = m;
        while (k < last && s[m] >= w->t[k + 1]) {
            k++;
        }
        const tq_path_cubic cubic = {.n_row = (long)row,
                                     .span = w->t[k + 1] - w->t[k],
                                     .value = {piece, piece + row},
                                     .curvature = {piece + 2 * row, piece + 3 * row}};
        for (; m < n && (k == last || s[m] < w->t[k + 1]); m++) {
            s[m] = (s[m] - w->t[k]) / cubic.span;
        }
        put_waypoint(p, reference, k, piece, piece + 2 * row);
        put_waypoint(p, reference, k + 1, piece + row, piece + 3 * row);
        p->kernels->path_spline(&cubic, (long)(m - from), s + from, work->rows + from * row,
                                ret_slope + from * row, ret_bend + from * row);
    }
}

static void to_block(const tq_stretch *p, size_t n, const double *rows, double *ret_block)
{
    p->kernels->transpose((long)n, (long)p->nv, rows, (long)p->n_row, ret_block, TQ_BLOCK_STRIDE);
    tq_block_pad(ret_block, p->nv, TQ_BLOCK_STRIDE, n);
}

/* q, q' and q'' of a block of nodes, into both layouts */
static void derivatives(tq_stretch *p, const tq_reference *reference, size_t first, size_t n,
                        const node_work *work)
{
    double *slope = p->slope + first * p->n_row;
    double *bend = p->bend + first * p->n_row;
    nodes_of(p, first, n, work->s);
    if (reference->kind == TQ_REFERENCE_TABLE || reference->kind == TQ_REFERENCE_SPLINE) {
        spline_rows(p, reference, n, work, slope, bend);
    } else {
        for (size_t m = 0; m < n; m++) {
            const size_t at = m * p->n_row;
            tq_reference_at(reference, work->s[m], work->rows + at, slope + at, bend + at);
        }
    }
    to_block(p, n, work->rows, work->q);
    to_block(p, n, slope, work->slope);
    to_block(p, n, bend, work->bend);
}

/* rows beyond the joints, as tq_path_interval has them */
static void pad(tq_stretch *p)
{
    for (size_t m = 0; m < p->n_node; m++) {
        for (size_t j = m * p->n_row + p->nv; j < (m + 1) * p->n_row; j++) {
            p->slope[j] = p->a[j] = 1.0;
            p->bend[j] = p->b[j] = p->c[j] = 0.0;
        }
    }
}

tq_path_interval tq_stretch_interval(const tq_stretch *p, size_t i)
{
    const size_t at = TQ_PATH_PARTS * i * p->n_row;
    const size_t side = TQ_PATH_NODES * i * p->n_row;
    return (tq_path_interval){.n_row = (long)p->n_row,
                              .step = p->grid[i + 1] - p->grid[i],
                              .slope = p->slope + at,
                              .bend = p->bend + at,
                              .a = p->a + at,
                              .b = p->b + at,
                              .c = p->c + at,
                              .force = p->force + side,
                              .least = p->least + side,
                              .most = p->most + side,
                              .per = p->per + side,
                              .velocity = p->velocity,
                              .acceleration = p->has_acceleration ? p->acceleration : NULL,
                              .effort = p->has_effort ? p->effort : NULL,
                              .margin = p->margin + i * TQ_MARGINS * p->n_row,
                              .last = {p->last[i], p->last[i + 1]},
                              .x = {p->x[i], p->x[i + 1]},
                              .u = p->u[i]};
}

static void put_rows(const tq_stretch *p, size_t first, size_t n, const double *block, double *ret)
{
    p->kernels->transpose((long)p->nv, (long)n, block, TQ_BLOCK_STRIDE, ret + first * p->n_row,
                          (long)p->n_row);
}

/* a = M q', b = M q'' + C(q, q') q', c = tau at rest */
static tq_status torque_terms(tq_stretch *p, size_t first, size_t n, const node_work *work,
                              tq_scratch *scratch, tq_error *reterr)
{
    const unsigned bare = TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_GRAVITY;
    tq_inverse_input in = {.n_sample = n, .stride = TQ_BLOCK_STRIDE, .q = work->q};
    in.without = TQ_WITHOUT_FRICTION;
    tq_status status = tq_inverse_dynamics(p->mechanism, &in, scratch, work->tau, reterr);
    if (status == TQ_OK) {
        put_rows(p, first, n, work->tau, p->c);
        in.without = bare;
        in.qdd = work->slope;
        status = tq_inverse_dynamics(p->mechanism, &in, scratch, work->tau, reterr);
    }
    if (status == TQ_OK) {
        put_rows(p, first, n, work->tau, p->a);
        in.qd = work->slope;
        in.qdd = work->bend;
        status = tq_inverse_dynamics(p->mechanism, &in, scratch, work->tau, reterr);
    }
    if (status == TQ_OK) {
        put_rows(p, first, n, work->tau, p->b);
    }
    return status;
}

size_t tq_stretch_terms_scratch_size(const tq_mechanism *mechanism, size_t n_row)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    return 4 * tq_scratch_cost(nv * TQ_BLOCK_STRIDE, sizeof(double)) +
           tq_scratch_cost(TQ_BLOCK, sizeof(double)) +
           tq_scratch_cost(TQ_BLOCK * n_row, sizeof(double)) +
           tq_scratch_cost(4 * n_row, sizeof(double)) + tq_inverse_scratch_size(mechanism, 0);
}

static int take_work(const tq_stretch *p, tq_scratch *scratch, node_work *ret)
{
    const size_t block = p->nv * TQ_BLOCK_STRIDE;
    ret->q = tq_scratch_take(scratch, block, sizeof(double));
    ret->slope = tq_scratch_take(scratch, block, sizeof(double));
    ret->bend = tq_scratch_take(scratch, block, sizeof(double));
    ret->tau = tq_scratch_take(scratch, block, sizeof(double));
    ret->s = tq_scratch_take(scratch, TQ_BLOCK, sizeof(double));
    ret->rows = tq_scratch_take(scratch, TQ_BLOCK * p->n_row, sizeof(double));
    ret->piece = tq_scratch_take(scratch, 4 * p->n_row, sizeof(double));
    return ret->q != NULL && ret->slope != NULL && ret->bend != NULL && ret->tau != NULL &&
           ret->s != NULL && ret->rows != NULL && ret->piece != NULL;
}

tq_status tq_stretch_terms(tq_stretch *p, const tq_geometric_path *path, double begin, double end,
                           tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    node_work work;
    if (!take_work(p, scratch, &work)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    place_grid(p, path, begin, end);
    pad(p);
    tq_status status = TQ_OK;
    for (size_t first = 0; status == TQ_OK && first < p->n_node; first += TQ_BLOCK) {
        const size_t left = p->n_node - first;
        const size_t n = left < TQ_BLOCK ? left : TQ_BLOCK;
        derivatives(p, path->reference, first, n, &work);
        status = tq_scratch_work(scratch, 1000.0 * (double)(n * p->nv), reterr);
        if (status == TQ_OK && p->has_effort) {
            status = torque_terms(p, first, n, &work, scratch, reterr);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
