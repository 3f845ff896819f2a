/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/optimal_private.h - one stretch of a path while its timing is computed. */
#ifndef TQ_MOTION_TIMING_OPTIMAL_PRIVATE_H
#define TQ_MOTION_TIMING_OPTIMAL_PRIVATE_H

#include "core/kernels/table.h"
#include "core/motion/timing/optimal.h"

/* Rows of `margin`. */
enum { TQ_MARGIN_VELOCITY, TQ_MARGIN_ACCELERATION, TQ_MARGIN_EFFORT, TQ_MARGINS };

/* Node 4 i + k is k / 4 of interval i. Rows of n_row numbers: element (node, joint), padded as
 * tq_path_interval has them. A pass computes what differs from the pass before: an interval whose
 * limits have changed (`stale`), and from it on whatever its result changes. */
typedef struct tq_stretch {
    const tq_mechanism *mechanism;
    const tq_kernels *kernels;
    size_t nv, n_row, n_grid, n_node;
    double *velocity, *acceleration, *effort; /* (n_row) limits */
    double *grid;                             /* (n_grid + 1) s */
    double *slope, *bend;                     /* (n_node x n_row) q', q'' */
    double *a, *b, *c;                        /* (n_node x n_row) of tau */
    /* (n_grid x TQ_PATH_NODES x n_row), of each side of a grid point: friction at `last`, its
     * bounds, d friction / d x; and whether either sign is possible */
    double *force, *least, *most, *per;
    unsigned char *both;
    double *margin;                         /* (n_grid x 3 x n_row) of the limits */
    double *x, *low, *high, *u;             /* (n_grid + 1) solution; controllable set */
    double *last;                           /* (n_grid + 1) x about which friction is linear */
    double *rows;                           /* (n_grid x 3 x n_bound) upper, lower, beta */
    double *floor, *cap;                    /* (n_grid + 1) of x, by rows without u */
    double *over;                           /* (n_grid + 1) excess over the limits */
    double *use;                            /* (n_grid x 3 x n_row) of the limits */
    unsigned char *stale, *moved, *touched; /* (n_grid + 1) limits, controllable set, x changed */
    double *work;                           /* (3 + points + 1) rows */
    size_t n_bound;
    int has_acceleration, has_effort, is_speed_dependent;
} tq_stretch;

/* an excess over a limit that counts as none, as a part of it */
static const double tq_excess_done = 1e-7;

static inline double tq_limit_of(const double *limits, size_t j)
{
    return limits != NULL ? limits[j] : __builtin_inf();
}

/* s of a node */
double tq_stretch_s(const tq_stretch *p, size_t node);
/* Interval i, for the kernels. */
tq_path_interval tq_stretch_interval(const tq_stretch *p, size_t i);

/* Fills the grid, q', q'', a, b, c. */
tq_status tq_stretch_terms(tq_stretch *p, const tq_geometric_path *path, double begin, double end,
                           tq_scratch *scratch, tq_error *reterr);
size_t tq_stretch_terms_scratch_size(const tq_mechanism *mechanism, size_t n_row);
/* q' of row j at node k of interval i: at a grid point where the joint reverses, with the sign of
 * this side. */
double tq_stretch_slope(const tq_stretch *p, size_t i, size_t k, size_t j);
/* Friction at `last` everywhere, and where it may have either sign: once q' is there. */
void tq_stretch_friction_begin(tq_stretch *p);
/* Friction at `last` in interval i; at 0 without slope over x. */
void tq_stretch_friction(tq_stretch *p, size_t i);
/* Friction (nv) at q' sdot, added to `ret`. */
void tq_stretch_friction_at(const tq_stretch *p, const double *slope, double x, double *ret);

/* The passes: x and u. False: empty at interval *ret_at. */
int tq_stretch_solve(tq_stretch *p, size_t *ret_at);

/* Largest excess over the limits within the intervals, as a part of them; adds what is above
 * tq_excess_done to the margins. */
double tq_stretch_excess(tq_stretch *p);
/* Use, joint and limit of the intervals of `ret` from `first` on. */
void tq_stretch_note(const tq_stretch *p, tq_timed_path *ret, size_t first);

#endif
