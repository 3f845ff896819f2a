/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/excess.c - excess over the limits between the nodes, and margins for it. */
#include <math.h>
#include <string.h>

#include "core/motion/timing/optimal_private.h"

/* margin for an excess, and beyond it, since the neighbours' margins move u by as little */
static const double more = 1.05;
static const double beyond = 1e-6;
/* of a margin that had no effect: at the nodes where limits are imposed there was room for it */
static const double faster = 1.25;

/* the quartic through the five nodes, at part z of the interval */
static void weights(double z, double ret[TQ_PATH_NODES])
{
    for (int k = 0; k < TQ_PATH_NODES; k++) {
        ret[k] = 1.0;
        for (int l = 0; l < TQ_PATH_NODES; l++) {
            ret[k] *= l == k ? 1.0 : (z * (double)TQ_PATH_PARTS - l) / (double)(k - l);
        }
    }
}

/* Equally far apart in time: friction depends on sdot. */
static void place_points(double begin, double end, tq_path_points *ret)
{
    for (int k = 0; k < TQ_PATH_POINTS; k++) {
        const double z = (double)k / (TQ_PATH_POINTS - 1);
        ret->part[k] = z * (2.0 * begin + (end - begin) * z) / (begin + end);
        weights(ret->part[k], ret->weight[k]);
    }
}

/* Friction at the points of interval i; where it may have either sign, that of the nearest node,
 * for which the bounds are. */
static void friction_at_points(const tq_stretch *p, size_t i, const tq_path_points *points,
                               double *slope, double *ret)
{
    const size_t first = TQ_PATH_PARTS * i * p->n_row;
    for (size_t k = 0; k < TQ_PATH_POINTS; k++) {
        const double *w = points->weight[k];
        const double x = p->x[i] + (p->x[i + 1] - p->x[i]) * points->part[k];
        const size_t near = (size_t)(points->part[k] * (double)TQ_PATH_PARTS + 0.5);
        const unsigned char *both = p->both + (TQ_PATH_NODES * i + near) * p->n_row;
        const int is_end = k == 0 || k + 1 == TQ_PATH_POINTS;
        for (size_t j = 0; j < p->nv; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < TQ_PATH_NODES; l++) {
                sum += w[l] * p->slope[first + l * p->n_row + j];
            }
            slope[j] = both[j] || is_end ? tq_stretch_slope(p, i, near, j) : sum;
        }
        memset(ret, 0, p->n_row * sizeof *ret);
        tq_stretch_friction_at(p, slope, x > 0.0 ? x : 0.0, ret);
        ret += p->n_row;
    }
}

/* the limit that is used most */
void tq_stretch_note(const tq_stretch *p, tq_timed_path *ret, size_t first)
{
    static const tq_limit_kind kinds[] = {TQ_LIMIT_VELOCITY, TQ_LIMIT_ACCELERATION,
                                          TQ_LIMIT_EFFORT};
    for (size_t i = 0; i < p->n_grid; i++) {
        const double *use = p->use + i * TQ_MARGINS * p->n_row;
        const size_t at = first + i;
        ret->use[at] = -1.0;
        for (size_t kind = 0; kind < TQ_MARGINS; kind++, use += p->n_row) {
            for (size_t j = 0; j < p->nv; j++) {
                if (use[j] > ret->use[at]) {
                    ret->use[at] = use[j];
                    ret->joint[at] = j;
                    ret->limit[at] = (unsigned char)kinds[kind];
                }
            }
        }
    }
}

double tq_stretch_excess(tq_stretch *p)
{
    const size_t rows = TQ_MARGINS * p->n_row;
    double *high = p->work;
    double *friction = high + rows;
    double *slope = friction + TQ_PATH_POINTS * p->n_row;
    tq_path_points points;
    double most = 0.0;
    for (size_t i = 0; i < p->n_grid; i++) {
        if (!p->touched[i] && !(p->over[i] > tq_excess_done)) {
            continue;
        }
        tq_path_interval interval = tq_stretch_interval(p, i);
        if (p->is_speed_dependent) {
            place_points(sqrt(p->x[i]), sqrt(p->x[i + 1]), &points);
            friction_at_points(p, i, &points, slope, friction);
            interval.points = &points;
            interval.friction = friction;
        }
        const double grow = p->touched[i] ? 1.0 : faster;
        p->touched[i] = 0;
        p->over[i] = p->kernels->path_use(&interval, p->use + i * rows, high) - 1.0;
        if (p->over[i] > tq_excess_done) {
            double *margin = p->margin + i * rows;
            for (size_t j = 0; j < rows; j++) {
                if (high[j] > 1.0) {
                    margin[j] = grow * (margin[j] + more * (high[j] - 1.0) + beyond);
                }
            }
            p->stale[i] = 1;
            most = p->over[i] > most ? p->over[i] : most;
        }
    }
    return most;
}
