/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/path/path.h - one interval of a path whose timing is sought: arguments of its
 * kernels. */
#ifndef TQ_KERNELS_PATH_PATH_H
#define TQ_KERNELS_PATH_PATH_H

/* x = sdot^2, u = sddot, constant in an interval: x at part z of it is x + 2 step z u. */
enum {
    TQ_PATH_NODES = 5, /* of an interval, equally far apart, both ends included */
    TQ_PATH_PARTS = TQ_PATH_NODES - 1,
    TQ_PATH_EVERY = 2,                      /* limits are imposed at each second of them */
    TQ_PATH_POINTS = 2 * TQ_PATH_PARTS + 1, /* where use is computed */
    TQ_PATH_LANES = 8,                      /* rows are padded to a multiple of this */
};

/* Where use is computed, as parts of the interval; weights of the quartic through the nodes. */
typedef struct tq_path_points {
    double part[TQ_PATH_POINTS], weight[TQ_PATH_POINTS][TQ_PATH_NODES];
} tq_path_points;

/* Rows of n_row numbers, a multiple of TQ_PATH_LANES, one for each joint; those beyond the joints
 * hold slope 1, a 1, everything else 0, and infinite limits. Arrays of nodes begin at the
 * interval's first node, their rows are n_row apart. */
typedef struct tq_path_interval {
    long n_row;
    double step;
    const double *slope, *bend;               /* q', q'' */
    const double *a, *b, *c;                  /* tau = a u + b x + c + friction */
    const double *force, *least, *most, *per; /* friction at `last`, its bounds less itself, and
                                                   d friction / d x */
    const double *velocity;                   /* limits, infinite where there is none */
    const double *acceleration, *effort;      /* NULL: of no joint */
    const double *margin;                     /* (3 x n_row) parts of the limits */
    double last[2];                           /* x of both ends, of `force` */
    /* use.c only */
    double x[2], u;
    const tq_path_points *points; /* NULL: the nodes, and halfway between them */
    const double *friction; /* (TQ_PATH_POINTS x n_row), or NULL: `force` of the nearest node */
} tq_path_interval;

/* {(x, u)}: floor <= x <= cap, lower + beta x <= u <= upper + beta x. */
typedef struct tq_path_rows {
    long n; /* a multiple of TQ_PATH_LANES */
    double floor, cap;
    double *upper, *lower, *beta; /* (n), the caller's */
} tq_path_rows;

/* Rows of an interval: a block for each node where limits of n_kind kinds are imposed, and one of
 * velocities, whose last row is the caller's. */
static inline long tq_path_row_count(long n_row, long n_kind)
{
    return n_kind * n_row * (TQ_PATH_PARTS / TQ_PATH_EVERY + 1) + TQ_PATH_LANES;
}

/* One piece of a cubic spline over `span`: rows of n_row numbers at both ends, values and
 * curvatures. */
typedef struct tq_path_cubic {
    long n_row;
    double span;
    const double *value[2], *curvature[2];
} tq_path_cubic;

#endif
