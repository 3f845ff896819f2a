/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/desired.c - references of all kinds; Cartesian paths divided into cells. */
#include "core/motion/desired.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/search.h"

/* torque is proportional to acceleration: a tenth of the resolution of a 24-bit torque sensor */
static const double cell_tolerance = 1e-8;
/* end of the bisection: shorter cells would only divide rounding errors of positions by shorter
 * times */
static const double good_enough = 1e-5;

enum { CELLS_FIRST = 2 };

/* The quintic between two ends: each is x, xd, xdd, n numbers each. */
static void quintic_at(size_t n, const double *begin, const double *end, double h, double u,
                       double *ret_x, double *ret_xd, double *ret_xdd)
{
    for (size_t i = 0; i < n; i++) {
        const double x0 = begin[i];
        const double v0 = h * begin[n + i];
        const double a0 = h * h * begin[2 * n + i];
        const double d = end[i] - x0 - v0 - 0.5 * a0;
        const double e = h * end[n + i] - v0 - a0;
        const double f = h * h * end[2 * n + i] - a0;
        const double c3 = 10.0 * d - 4.0 * e + 0.5 * f;
        const double c4 = -15.0 * d + 7.0 * e - f;
        const double c5 = 6.0 * d - 3.0 * e + 0.5 * f;
        ret_x[i] = x0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5))));
        ret_xd[i] = (v0 + u * (a0 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))) / h;
        ret_xdd[i] = (a0 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))) / (h * h);
    }
}

static void cells_at(const tq_motion_cells *cells, double t, double *ret_x, double *ret_xd,
                     double *ret_xdd)
{
    const size_t n = cells->n_coordinate;
    const size_t before = tq_count_until(cells->t, cells->n_cell + 1, t);
    const bool holds = before == 0 || before > cells->n_cell;
    const size_t k = before == 0 ? 0 : (before > cells->n_cell ? cells->n_cell : before) - 1;
    const double *begin = cells->ends + 6 * n * k;
    const double *end = begin + 3 * n;
    if (holds) {
        memcpy(ret_x, before == 0 ? begin : end, n * sizeof(double));
        memset(ret_xd, 0, n * sizeof(double));
        memset(ret_xdd, 0, n * sizeof(double));
        return;
    }
    const double h = cells->t[k + 1] - cells->t[k];
    quintic_at(n, begin, end, h, (t - cells->t[k]) / h, ret_x, ret_xd, ret_xdd);
}

void tq_reference_at(const tq_reference *reference, double t, double *ret_x, double *ret_xd,
                     double *ret_xdd)
{
    const size_t n = reference->n_coordinate;
    switch (reference->kind) {
    case TQ_REFERENCE_SETPOINT:
        memcpy(ret_x, reference->setpoint, n * sizeof(double));
        memset(ret_xd, 0, n * sizeof(double));
        memset(ret_xdd, 0, n * sizeof(double));
        break;
    case TQ_REFERENCE_WAYPOINTS:
        tq_waypoints_at(&reference->waypoints, reference->law, reference->blend, t, ret_x, ret_xd,
                        ret_xdd);
        break;
    case TQ_REFERENCE_SPLINE:
    case TQ_REFERENCE_TABLE:
        tq_spline_at(&reference->waypoints, reference->curvature, t, ret_x, ret_xd, ret_xdd);
        break;
    case TQ_REFERENCE_FOURIER:
        tq_fourier_at(&reference->fourier, t, ret_x, ret_xd, ret_xdd);
        break;
    case TQ_REFERENCE_CELLS:
        cells_at(&reference->cells, t, ret_x, ret_xd, ret_xdd);
        break;
    }
}

/* kinks of one interval of a law, as fractions of its time; its end belongs to the next interval */
static size_t law_kinks(tq_timing_law law, double blend, double ret_part[3])
{
    ret_part[0] = 0.0;
    if (law != TQ_TIMING_TRAPEZOID) {
        return 1;
    }
    ret_part[1] = blend;
    ret_part[2] = 1.0 - blend;
    return 3;
}

double tq_reference_next_break(const tq_reference *reference, double t, unsigned *ret_order)
{
    const double *times = reference->waypoints.t;
    size_t n = reference->waypoints.n_point;
    *ret_order = 0;
    switch (reference->kind) {
    case TQ_REFERENCE_SETPOINT:
    case TQ_REFERENCE_FOURIER:
        return (double)INFINITY;
    case TQ_REFERENCE_CELLS:
        *ret_order = reference->cells.kinks != NULL ? 0 : 1;
        times = reference->cells.kinks != NULL ? reference->cells.kinks : reference->cells.t;
        n = reference->cells.kinks != NULL ? reference->cells.n_kink : reference->cells.n_cell + 1;
        break;
    case TQ_REFERENCE_SPLINE:
    case TQ_REFERENCE_TABLE:
        *ret_order = 1;
        break;
    case TQ_REFERENCE_WAYPOINTS:
        break;
    }
    const size_t next = tq_count_until(times, n, t);
    if (next == n) {
        return (double)INFINITY;
    }
    if (reference->kind == TQ_REFERENCE_WAYPOINTS && next > 0) {
        double part[3];
        const size_t n_part = law_kinks(reference->law, reference->blend, part);
        const double from = times[next - 1];
        for (size_t k = 1; k < n_part; k++) {
            const double kink = from + part[k] * (times[next] - from);
            if (kink > t) {
                return fmin(kink, times[next]);
            }
        }
    }
    if (next == 0 || next == n - 1) {
        *ret_order = 0; /* accelerations jump where the motion starts from rest and ends at rest */
    }
    return times[next];
}

/* Cartesian paths in cells */

typedef struct march {
    const tq_model *model;
    const tq_cartesian_path *path;
    tq_scratch *scratch;
    size_t nq;
    bool is_redundant;
    double *t;
    double *rough; /* memory for the coarser cells of a piece, in addition to the finer ones */
    double *x, *xd, *xdd;
    double *ret_t; /* time of an error */
} march;

static tq_status reach(march *m, double t, const double *guess, double *end, tq_error *reterr)
{
    memmove(end, guess, m->nq * sizeof(double));
    *m->ret_t = t;
    return tq_cartesian_at(m->model, m->path, t, m->scratch, end, end + m->nq, end + 2 * m->nq,
                           reterr);
}

/* From `begin` at t to `end` at t + h, evaluated at time `at`. A predicted configuration is close
 * enough for a non-redundant arm; a redundant one is determined by the integral of its velocity. */
static tq_status step_to(march *m, const double *begin, double h, double at, double *end,
                         tq_error *reterr)
{
    const size_t n = m->nq;
    for (size_t i = 0; i < n; i++) {
        m->x[i] = begin[i] + h * (begin[n + i] + 0.5 * h * begin[2 * n + i]);
    }
    tq_status status = reach(m, at, m->x, end, reterr);
    for (unsigned pass = 0; pass < 2 && m->is_redundant && status == TQ_OK; pass++) {
        for (size_t i = 0; i < n; i++) {
            m->x[i] = begin[i] + 0.5 * h * (begin[n + i] + end[n + i]) +
                      h * h / 12.0 * (begin[2 * n + i] - end[2 * n + i]);
        }
        status = reach(m, at, m->x, end, reterr);
    }
    return status;
}

/* A piece without kinks from a to b, in n cells; `first` is the configuration at its begin. */
static tq_status march_piece(march *m, const double *first, double a, double b, size_t n,
                             double *ret_ends, tq_error *reterr)
{
    const size_t size = 3 * m->nq;
    const double h = (b - a) / (double)n;
    /* just inside the piece, where its own accelerations apply */
    const double inside = 4.0 * DBL_EPSILON * fmax(fabs(a), fabs(b));
    tq_status status = reach(m, a + inside, first, ret_ends, reterr);
    for (size_t k = 0; status == TQ_OK && k < n; k++) {
        double *begin = ret_ends + 2 * size * k;
        double *end = begin + size;
        const double at = k + 1 < n ? a + h * (double)(k + 1) : b - inside;
        status = step_to(m, begin, h, at, end, reterr);
        if (k + 1 < n) {
            memcpy(end + size, end, size * sizeof(double));
        }
    }
    return status;
}

/* largest difference of accelerations between the n coarse and the 2 n fine cells at the midpoints
 * of the coarse ones, relative to the largest acceleration */
static double roughness(march *m, const double *rough, const double *fine, size_t n, double h)
{
    const size_t size = 3 * m->nq;
    double off = 0.0;
    double most = 0.0;
    for (size_t k = 0; k < n; k++) {
        const double *cell = rough + 2 * size * k;
        const double *middle = fine + 2 * size * (2 * k) + size;
        quintic_at(m->nq, cell, cell + size, h, 0.5, m->x, m->xd, m->xdd);
        for (size_t i = 0; i < m->nq; i++) {
            const double slow = fabs(middle[m->nq + i]) / h; /* scale for motion without
                                                                acceleration */
            off = fmax(off, fabs(m->xdd[i] - middle[2 * m->nq + i]));
            most = fmax(most, fmax(fabs(middle[2 * m->nq + i]), 1e-3 * slow));
        }
    }
    return most > 0.0 ? off / most : 0.0;
}

/* Bisects until accurate; the cells of the piece are then in `room` at `used`. */
static tq_status cut_piece(march *m, const double *first, double a, double b,
                           const tq_motion_room *room, size_t *used, tq_error *reterr)
{
    const size_t cell = 6 * m->nq;
    double *ends = room->ends + cell * *used;
    double before = (double)INFINITY;
    size_t n = CELLS_FIRST;
    const size_t most = room->cells_max - *used;
    if (2 * n > most) {
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "cells", 0, (double)room->cells_max);
    }
    tq_status status = march_piece(m, first, a, b, n, ends, reterr);
    while (status == TQ_OK) {
        memcpy(m->rough, ends, n * cell * sizeof(double));
        status = march_piece(m, m->rough, a, b, 2 * n, ends, reterr);
        if (status != TQ_OK) {
            break;
        }
        const double now = roughness(m, m->rough, ends, n, (b - a) / (double)n);
        n *= 2;
        if (now <= cell_tolerance || (now <= good_enough && now >= 0.5 * before)) {
            for (size_t k = 0; k < n; k++) {
                room->t[*used + k] = a + (b - a) / (double)n * (double)k;
            }
            *used += n;
            room->t[*used] = b;
            return TQ_OK;
        }
        before = now;
        if (2 * n > most) {
            *m->ret_t = a;
            return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "cells", 0, now);
        }
    }
    return status;
}

static tq_status sample_path(march *m, const double *start, const tq_motion_room *room,
                             tq_motion_cells *ret_cells, tq_error *reterr)
{
    const tq_cartesian_path *path = m->path;
    const double *first = start;
    size_t used = 0;
    size_t n_kink = 0;
    for (size_t k = 0; k + 1 < path->n_pose; k++) {
        double part[3];
        const size_t n_part = law_kinks(path->law, path->blend, part);
        const double span = path->t[k + 1] - path->t[k];
        for (size_t p = 0; p < n_part; p++) {
            const double a = path->t[k] + part[p] * span;
            const double b = p + 1 < n_part ? path->t[k] + part[p + 1] * span : path->t[k + 1];
            if (b <= a) {
                continue; /* a trapezoid without cruise */
            }
            room->kinks[n_kink++] = a;
            const tq_status status = cut_piece(m, first, a, b, room, &used, reterr);
            if (status != TQ_OK) {
                return status;
            }
            first = room->ends + 6 * m->nq * used - 3 * m->nq;
        }
    }
    room->kinks[n_kink++] = path->t[path->n_pose - 1];
    *ret_cells = (tq_motion_cells){.n_cell = used,
                                   .n_coordinate = m->nq,
                                   .t = room->t,
                                   .ends = room->ends,
                                   .n_kink = n_kink,
                                   .kinks = room->kinks};
    return TQ_OK;
}

size_t tq_motion_sample_scratch_size(const tq_model *model, size_t cells_max)
{
    const size_t nq = model->nq > 0 ? model->nq : 1;
    return tq_cartesian_scratch_size(model) + 3 * tq_scratch_cost(nq, sizeof(double)) +
           tq_scratch_cost(6 * nq * cells_max, sizeof(double));
}

tq_status tq_motion_sample(const tq_model *model, const tq_cartesian_path *path,
                           const double *start, const tq_motion_room *room, tq_scratch *scratch,
                           tq_motion_cells *ret_cells, double *ret_t, tq_error *reterr)
{
    assert(room->t != NULL && room->ends != NULL && room->kinks != NULL && path->n_pose >= 2);
    const size_t mark = tq_scratch_mark(scratch);
    const size_t nq = model->nq > 0 ? model->nq : 1;
    march m = {.model = model, .path = path, .scratch = scratch, .nq = model->nq, .ret_t = ret_t};
    size_t n_task = 0;
    for (unsigned k = 0; k < 6; k++) {
        n_task += path->axes[k] ? 1 : 0;
    }
    m.is_redundant = model->nv > n_task;
    m.x = tq_scratch_take(scratch, nq, sizeof(double));
    m.xd = tq_scratch_take(scratch, nq, sizeof(double));
    m.xdd = tq_scratch_take(scratch, nq, sizeof(double));
    m.rough = tq_scratch_take(scratch, 6 * nq * room->cells_max, sizeof(double));
    tq_status status = TQ_OK;
    *ret_t = path->t[0];
    if (m.x == NULL || m.xd == NULL || m.xdd == NULL || m.rough == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_motion_sample_scratch_size(model, room->cells_max));
    } else {
        status = sample_path(&m, start, room, ret_cells, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
