/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/optimal.c - time-optimal motion: stretches, friction, margins, samples. */
#include "core/motion/timing/optimal.h"

#include <math.h>
#include <string.h>

#include "core/base/search.h"
#include "core/motion/timing/optimal_private.h"

static const double same_x = 1e-10; /* of the largest x: friction is linearised where it is */

enum { FRICTION_MAX = 30, MARGIN_MAX = 30 };

static size_t node_count(size_t n_grid)
{
    return TQ_PATH_PARTS * n_grid + 1;
}

static size_t row_size(size_t nv)
{
    return (nv + TQ_PATH_LANES - 1) / TQ_PATH_LANES * TQ_PATH_LANES;
}

enum { WORK_ROWS = TQ_MARGINS + TQ_PATH_POINTS + 1 };

static size_t stretch_scratch_size(const tq_mechanism *mechanism, size_t n_grid)
{
    const size_t n_row = row_size(tq_mechanism_model(mechanism)->nv);
    return 5 * tq_scratch_cost(node_count(n_grid) * n_row, sizeof(double)) +
           4 * tq_scratch_cost(n_grid * TQ_PATH_NODES * n_row, sizeof(double)) +
           tq_scratch_cost(n_grid * TQ_PATH_NODES * n_row, 1) +
           2 * tq_scratch_cost(n_grid * TQ_MARGINS * n_row, sizeof(double)) +
           9 * tq_scratch_cost(n_grid + 1, sizeof(double)) + 3 * tq_scratch_cost(n_grid + 1, 1) +
           tq_scratch_cost(n_grid * 3 * (size_t)tq_path_row_count((long)n_row, 2), sizeof(double)) +
           3 * tq_scratch_cost(n_row, sizeof(double)) +
           tq_scratch_cost(WORK_ROWS * n_row, sizeof(double)) +
           tq_stretch_terms_scratch_size(mechanism, n_row);
}

size_t tq_time_optimal_scratch_size(const tq_mechanism *mechanism, size_t n_stop, size_t n_grid)
{
    const size_t n = (n_stop - 1) * n_grid;
    return 5 * tq_scratch_cost(n, sizeof(double)) + tq_scratch_cost(n + 1, sizeof(double)) +
           tq_scratch_cost(n, sizeof(size_t)) + tq_scratch_cost(n, 1) +
           stretch_scratch_size(mechanism, n_grid);
}

static int take_stretch(tq_stretch *p, tq_scratch *scratch)
{
    const size_t nodes = p->n_node * p->n_row;
    const size_t sides = p->n_grid * TQ_PATH_NODES * p->n_row;
    const size_t points = p->n_grid + 1;
    const struct {
        double **at;
        size_t n;
    } arrays[] = {{&p->slope, nodes},
                  {&p->bend, nodes},
                  {&p->a, nodes},
                  {&p->b, nodes},
                  {&p->c, nodes},
                  {&p->force, sides},
                  {&p->least, sides},
                  {&p->most, sides},
                  {&p->per, sides},
                  {&p->grid, points},
                  {&p->x, points},
                  {&p->low, points},
                  {&p->high, points},
                  {&p->u, points},
                  {&p->last, points},
                  {&p->floor, points},
                  {&p->cap, points},
                  {&p->over, points},
                  {&p->velocity, p->n_row},
                  {&p->acceleration, p->n_row},
                  {&p->effort, p->n_row},
                  {&p->margin, p->n_grid * TQ_MARGINS * p->n_row},
                  {&p->use, p->n_grid * TQ_MARGINS * p->n_row},
                  {&p->rows, p->n_grid * 3 * (size_t)tq_path_row_count((long)p->n_row, 2)},
                  {&p->work, WORK_ROWS * p->n_row}};
    int good = 1;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k].at = tq_scratch_take(scratch, arrays[k].n, sizeof(double));
        good = good && *arrays[k].at != NULL;
    }
    p->both = tq_scratch_take(scratch, sides, 1);
    p->stale = tq_scratch_take(scratch, points, 1);
    p->moved = tq_scratch_take(scratch, points, 1);
    p->touched = tq_scratch_take(scratch, points, 1);
    return good && p->both != NULL && p->stale != NULL && p->moved != NULL && p->touched != NULL;
}

static tq_status take_result(tq_timed_path *ret, size_t n, tq_scratch *scratch, tq_error *reterr)
{
    ret->n_interval = n;
    ret->s = tq_scratch_take(scratch, n, sizeof(double));
    ret->step = tq_scratch_take(scratch, n, sizeof(double));
    ret->x = tq_scratch_take(scratch, n, sizeof(double));
    ret->u = tq_scratch_take(scratch, n, sizeof(double));
    ret->use = tq_scratch_take(scratch, n, sizeof(double));
    ret->t = tq_scratch_take(scratch, n + 1, sizeof(double));
    ret->joint = tq_scratch_take(scratch, n, sizeof(size_t));
    ret->limit = tq_scratch_take(scratch, n, 1);
    const int good = ret->s != NULL && ret->step != NULL && ret->x != NULL && ret->u != NULL &&
                     ret->use != NULL && ret->t != NULL && ret->joint != NULL && ret->limit != NULL;
    return good ? TQ_OK : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
}

/* the joint that needs most of its torque limit at rest in interval `at` */
static tq_status refuse(const tq_stretch *p, size_t at, tq_infeasible *fault, tq_error *reterr)
{
    *fault = (tq_infeasible){.s = p->grid[at], .bound = (double)INFINITY};
    double worst = 0.0;
    for (size_t l = 0; p->has_effort && l < TQ_PATH_NODES; l++) {
        const size_t m = TQ_PATH_PARTS * at + l;
        for (size_t j = 0; j < p->nv; j++) {
            const double bound = p->effort[j];
            const size_t k = (TQ_PATH_NODES * at + l) * p->n_row + j;
            const double rest = p->c[m * p->n_row + j] + p->force[k] - p->per[k] * p->last[at];
            const double needed = fmax(rest + p->most[k], -rest - p->least[k]);
            if (needed / bound > worst) {
                worst = needed / bound;
                *fault = (tq_infeasible){
                    .s = tq_stretch_s(p, m), .joint = j, .needed = needed, .bound = bound};
            }
        }
    }
    return tq_fail(reterr, TQ_ERR_RANGE, "torque", fault->joint, fault->needed);
}

static tq_status pass(tq_stretch *p, tq_scratch *scratch, tq_infeasible *fault, tq_error *reterr)
{
    size_t at = 0;
    const tq_status status = tq_scratch_work(scratch, 1000.0 * (double)(p->n_grid * p->nv), reterr);
    if (status != TQ_OK) {
        return status;
    }
    return tq_stretch_solve(p, &at) ? TQ_OK : refuse(p, at, fault, reterr);
}

/* Friction about the last solution where x has changed since. Returns whether it has. */
static int follow_friction(tq_stretch *p)
{
    double most = 0.0;
    for (size_t i = 0; i <= p->n_grid; i++) {
        most = fmax(most, p->x[i]);
    }
    int changed = 0;
    for (size_t i = 0; i <= p->n_grid; i++) {
        p->moved[i] = fabs(p->x[i] - p->last[i]) > same_x * most;
        p->last[i] = p->moved[i] ? p->x[i] : p->last[i];
        changed = changed || p->moved[i];
    }
    for (size_t i = 0; i < p->n_grid; i++) {
        if (p->moved[i] || p->moved[i + 1]) {
            tq_stretch_friction(p, i);
            p->stale[i] = 1;
        }
    }
    return changed;
}

/* friction about the last solution until that is the solution */
static tq_status converge(tq_stretch *p, tq_scratch *scratch, tq_infeasible *fault,
                          tq_error *reterr)
{
    for (int k = 0; k < FRICTION_MAX; k++) {
        const tq_status status = pass(p, scratch, fault, reterr);
        if (status != TQ_OK || !p->is_speed_dependent || !follow_friction(p)) {
            return status;
        }
    }
    return TQ_OK; /* what is left of it is an excess over the limits, and is measured as such */
}

static void begin(tq_stretch *p)
{
    const size_t points = p->n_grid + 1;
    memset(p->margin, 0, p->n_grid * TQ_MARGINS * p->n_row * sizeof(double));
    memset(p->last, 0, points * sizeof(double));
    memset(p->over, 0, points * sizeof(double));
    memset(p->stale, 1, points);
    memset(p->touched, 1, points);
    for (size_t i = 0; i < points; i++) {
        p->x[i] = p->low[i] = p->high[i] = -1.0; /* none yet */
    }
    if (p->has_effort) {
        tq_stretch_friction_begin(p);
    }
}

static tq_status solve(tq_stretch *p, tq_scratch *scratch, tq_infeasible *fault, tq_error *reterr)
{
    begin(p);
    for (int k = 0; k < MARGIN_MAX; k++) {
        const tq_status status = converge(p, scratch, fault, reterr);
        if (status != TQ_OK) {
            return status;
        }
        if (tq_stretch_excess(p) <= tq_excess_done) {
            return TQ_OK;
        }
    }
    return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "margin", 0, 0.0);
}

static void put(const tq_stretch *p, tq_timed_path *ret, size_t first)
{
    for (size_t i = 0; i < p->n_grid; i++) {
        const size_t k = first + i;
        ret->s[k] = p->grid[i];
        ret->step[k] = p->grid[i + 1] - p->grid[i];
        ret->x[k] = p->x[i];
        ret->u[k] = p->u[i];
        ret->t[k + 1] = ret->t[k] + 2.0 * ret->step[k] / (sqrt(p->x[i]) + sqrt(p->x[i + 1]));
    }
}

static tq_status check(const tq_model *model, const tq_geometric_path *path,
                       const tq_motion_limits *limits, size_t n_grid, tq_error *reterr)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nq != model->joints[j].nv) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "joint", j, 0.0);
        }
    }
    for (size_t j = 0; j < model->nv; j++) {
        if (!(tq_limit_of(limits->velocity, j) > 0.0) ||
            !(tq_limit_of(limits->acceleration, j) > 0.0) ||
            !(tq_limit_of(limits->effort, j) > 0.0)) {
            return tq_fail(reterr, TQ_ERR_RANGE, "limits", j, 0.0);
        }
    }
    if (path->n_stop < 2 || n_grid < TQ_OPTIMAL_GRID_LEAST ||
        n_grid > TQ_OPTIMAL_INTERVALS_MAX / (path->n_stop - 1)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "grid", 0, (double)n_grid);
    }
    for (size_t k = 1; k < path->n_stop; k++) {
        if (!(path->stop[k] > path->stop[k - 1])) {
            return tq_fail(reterr, TQ_ERR_RANGE, "stop", k, path->stop[k]);
        }
    }
    return TQ_OK;
}

/* what the limits and the robot's friction need */
static void classify(tq_stretch *p, const tq_motion_limits *limits)
{
    const tq_model *model = tq_mechanism_model(p->mechanism);
    for (size_t j = 0; j < p->n_row; j++) {
        const int is_joint = j < p->nv;
        p->velocity[j] = tq_limit_of(is_joint ? limits->velocity : NULL, j);
        p->acceleration[j] = tq_limit_of(is_joint ? limits->acceleration : NULL, j);
        p->effort[j] = tq_limit_of(is_joint ? limits->effort : NULL, j);
        p->has_acceleration = p->has_acceleration || !isinf(p->acceleration[j]);
        p->has_effort = p->has_effort || !isinf(p->effort[j]);
    }
    p->n_bound = (size_t)tq_path_row_count((long)p->n_row, p->has_acceleration + p->has_effort);
    for (uint32_t j = 0; p->has_effort && j < model->n_joint; j++) {
        const tq_friction *f = &model->joints[j].friction;
        p->is_speed_dependent = p->is_speed_dependent || f->viscous != 0.0 ||
                                f->stribeck_velocity > 0.0 || f->smoothing > 0.0;
    }
}

tq_status tq_time_optimal(const tq_mechanism *mechanism, const tq_geometric_path *path,
                          const tq_motion_limits *limits, size_t n_grid, tq_scratch *scratch,
                          tq_timed_path *ret, tq_infeasible *ret_fault, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    tq_stretch p = {.mechanism = mechanism,
                    .kernels = tq_kernels_for(n_grid),
                    .nv = model->nv,
                    .n_row = row_size(model->nv),
                    .n_grid = n_grid,
                    .n_node = node_count(n_grid)};
    tq_status status = check(model, path, limits, n_grid, reterr);
    if (status == TQ_OK) {
        status = take_result(ret, (path->n_stop - 1) * n_grid, scratch, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    if (!take_stretch(&p, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_time_optimal_scratch_size(mechanism, path->n_stop, n_grid));
    }
    classify(&p, limits);
    ret->t[0] = 0.0;
    for (size_t k = 0; status == TQ_OK && k + 1 < path->n_stop; k++) {
        status = tq_stretch_terms(&p, path, path->stop[k], path->stop[k + 1], scratch, reterr);
        if (status == TQ_OK) {
            status = solve(&p, scratch, ret_fault, reterr);
        }
        if (status == TQ_OK) {
            put(&p, ret, k * n_grid);
            tq_stretch_note(&p, ret, k * n_grid);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

void tq_timed_path_at(const tq_timed_path *timed, const tq_reference *reference, double t,
                      double *work, double *ret_q, double *ret_qd, double *ret_qdd)
{
    const size_t low = tq_interval_of(timed->t, timed->n_interval, t);
    const double time = fmin(fmax(t - timed->t[low], 0.0), timed->t[low + 1] - timed->t[low]);
    const double begin = sqrt(timed->x[low]);
    const double u = timed->u[low];
    const double rate = fmax(begin + u * time, 0.0);
    const double end = timed->s[low] + timed->step[low];
    double s = timed->s[low] + (begin + 0.5 * u * time) * time;
    s = fmin(fmax(s, timed->s[low]), nextafter(end, timed->s[low])); /* this side of a kink */
    const size_t n = reference->n_coordinate;
    tq_reference_at(reference, s, ret_q, work, work + n);
    for (size_t j = 0; j < n; j++) {
        ret_qd[j] = work[j] * rate;
        ret_qdd[j] = work[j] * u + work[n + j] * rate * rate;
    }
}
