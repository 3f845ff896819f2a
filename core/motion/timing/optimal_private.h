/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/optimal_private.h - one stretch of a path while its timing is computed. */
#ifndef TQ_MOTION_TIMING_OPTIMAL_PRIVATE_H
#define TQ_MOTION_TIMING_OPTIMAL_PRIVATE_H

#include "core/motion/timing/optimal.h"
#include "core/motion/timing/stage.h"

/* Points of an interval where limits are imposed, both ends included; parts of it. */
enum { TQ_STRETCH_NODES = 5, TQ_STRETCH_PARTS = TQ_STRETCH_NODES - 1 };

/* Node 4 i + k is k / 4 of interval i. Rows of nv numbers: element (node, joint). */
typedef struct tq_stretch {
    const tq_mechanism *mechanism;
    const tq_motion_limits *limits;
    size_t nv, n_grid, n_node;
    double *grid;                       /* (n_grid + 1) s */
    double *slope, *bend;               /* (n_node x nv) q', q'' */
    double *a, *b, *c;                  /* (n_node x nv) of tau */
    double *force, *least, *most, *per; /* (n_node x nv) friction at the last solution, its bounds,
                                           and d friction / d x */
    unsigned char *both;                /* (n_node x nv) friction of either sign is possible */
    double *margin;                     /* (n_grid x 3 x nv) of velocity, acceleration, torque */
    double *x, *low, *high, *u;         /* (n_grid + 1) solution; controllable set */
    double *last;                       /* (n_grid + 1) x about which friction is linear */
    double *work;                       /* (12 nv) */
    tq_stage stage;
    int has_effort, is_speed_dependent;
} tq_stretch;

/* Rows of `margin`. */
enum { TQ_MARGIN_VELOCITY, TQ_MARGIN_ACCELERATION, TQ_MARGIN_EFFORT, TQ_MARGINS };

static inline double tq_limit_of(const double *limits, size_t j)
{
    return limits != NULL ? limits[j] : __builtin_inf();
}

/* s of a node */
double tq_stretch_s(const tq_stretch *p, size_t node);
/* x at part k of interval i, for u constant */
static inline double tq_stretch_x(const tq_stretch *p, size_t i, double part)
{
    const double x = p->x[i] + (p->x[i + 1] - p->x[i]) * part;
    return x > 0.0 ? x : 0.0;
}

/* Fills the grid, q', q'', a, b, c. */
tq_status tq_stretch_terms(tq_stretch *p, const tq_geometric_path *path, double begin, double end,
                           tq_scratch *scratch, tq_error *reterr);
size_t tq_stretch_terms_scratch_size(const tq_mechanism *mechanism);
/* Friction at x of every node (NULL: at the beginning of motion, without slope). */
void tq_stretch_friction(tq_stretch *p, const double *x);
/* Friction (nv) at q' sdot, added to `ret`. */
void tq_stretch_friction_at(const tq_stretch *p, const double *slope, double x, double *ret);

/* The passes: x and u. False: empty at interval *ret_at. */
int tq_stretch_solve(tq_stretch *p, size_t *ret_at);

/* Largest excess over the limits within the intervals, as a part of them; adds it to the margins.
 * Fills use, joint and limit of the intervals of `ret` from `first` on. */
double tq_stretch_excess(tq_stretch *p, tq_timed_path *ret, size_t first);

#endif
