/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/kinematic_private.h - the chain, its residuals and normal equations:
 * private to this folder. */
#ifndef TQ_IDENTIFY_KINEMATIC_KINEMATIC_PRIVATE_H
#define TQ_IDENTIFY_KINEMATIC_KINEMATIC_PRIVATE_H

#include "core/identify/kinematic/kinematic.h"

enum { TQ_KINEMATIC_ROWS = 6, TQ_KINEMATIC_REACH = 200 };

/* One moving or fixed joint from the root to the link, and its frame at the last pose walked. */
typedef struct tq_kinematic_step {
    uint32_t joint;
    uint32_t zero;   /* column of its zero offset, or of its master's; TQ_NONE */
    uint32_t frame;  /* first of its six columns; TQ_NONE */
    double factor;   /* its coordinate's rate by the master's */
    tq_joint motion; /* with its origin at the identity */
    double outer[9]; /* axes of the joint's frame without its error, in the root's frame */
    tq_pose at;      /* the joint's frame with its error */
} tq_kinematic_step;

typedef struct tq_kinematic {
    const tq_kinematic_problem *problem;
    size_t n_step;
    tq_kinematic_step *steps;
    size_t n, m; /* columns; rows of a pose */
    tq_kinematic_parameter *list;
    double *q, *still; /* (nq), (nv) */
    tq_pose link, tip; /* at the last pose walked, in the root's frame */
    double *rows;      /* (m x n) */
    tq_scratch *scratch;
} tq_kinematic;

/* What one sum of normal equations is made of. */
typedef struct tq_kinematic_sum {
    const uint32_t *active; /* (n_active) columns */
    size_t n_active;
    const double *weight; /* (n_pose), 0: left out */
    double sigma[2];      /* m, rad; INFINITY leaves these rows out */
} tq_kinematic_sum;

/* chain.c: columns, and one pose */
size_t tq_kinematic_count(const tq_kinematic_problem *problem, size_t *ret_n_step);
tq_status tq_kinematic_begin(const tq_kinematic_problem *problem, tq_scratch *scratch,
                             tq_kinematic *ret, tq_error *reterr);
tq_status tq_kinematic_state_new(const tq_kinematic *k, tq_kinematic_state *ret, tq_error *reterr);
void tq_kinematic_copy(const tq_kinematic *k, const tq_kinematic_state *from,
                       tq_kinematic_state *to);
/* Frames of the chain for sensor values q (nq). */
void tq_kinematic_walk(tq_kinematic *k, const double *q, const tq_kinematic_state *x);
/* dp, w of the tip, in the root's frame, for a unit rate of the step's own coordinate; false: it
 * has not one */
bool tq_kinematic_screw(const tq_kinematic *k, const tq_kinematic_step *step, double dp[3],
                        double w[3]);
/* x with `step` (n_active) added to its active columns. */
void tq_kinematic_move(const tq_kinematic *k, const uint32_t *active, size_t n_active,
                       const double *step, tq_kinematic_state *x);

/* rows.c: residual (m) of pose i after tq_kinematic_walk, and with ret_rows its derivatives
 * (m x n); of poses e[0..2] m, e[3..5] rad: rotation vector of R R_measured^T, tracker's axes */
void tq_kinematic_rows(const tq_kinematic *k, const tq_kinematic_state *x, size_t i, double *ret_e,
                       double *ret_rows);
/* The same for a pose that is not measured: derivatives (m x n) alone; plane: of planes. */
void tq_kinematic_derivatives(const tq_kinematic *k, const tq_kinematic_state *x, uint32_t plane,
                              const double e[TQ_KINEMATIC_ROWS], double *ret_rows);
/* Derivatives (3 x n) of the tip's position: tracker's frame, with planes the root's. */
void tq_kinematic_position_rows(const tq_kinematic *k, const tq_kinematic_state *x,
                                double *ret_rows);

/* sum.c: ret ((n_active + 1)^2, row by row, symmetric): sums of weighted products of rows, the
 * residual last */
tq_status tq_kinematic_add(tq_kinematic *k, const tq_kinematic_state *x,
                           const tq_kinematic_sum *sum, double *ret, tq_error *reterr);
/* Levenberg-Marquardt from x, which becomes the minimum; gram as above, at it. room: of
 * tq_kinematic_fit_size(n_active) */
tq_status tq_kinematic_fit(tq_kinematic *k, const tq_kinematic_sum *sum, tq_kinematic_state *x,
                           double *ret_gram, size_t *ret_iterations, tq_error *reterr);
size_t tq_kinematic_fit_size(size_t n_active);

/* start.c: base, tool and planes by closed forms, of the model's own chain */
tq_status tq_kinematic_start(tq_kinematic *k, tq_kinematic_state *x, tq_error *reterr);

/* rank.c: roles and parts of all columns, at x */
tq_status tq_kinematic_rank(tq_kinematic *k, const tq_kinematic_state *x, const double sigma[2],
                            tq_kinematic_estimate *estimate, double *part, tq_error *reterr);
/* Sensor values of random pose number i within the limits; with planes the tip is on plane
 * i % n_plane. False: not reached. */
bool tq_kinematic_random_pose(tq_kinematic *k, const tq_kinematic_state *x, size_t i,
                              double *ret_q);

/* outliers.c: residual of each pose in deviations of its own, squared, over m:
 * e^T (1 - H)^-1 e / m, H its part in the fit (1 + H where its weight is 0); NaN: it alone
 * determines something. gram: of the sum at x */
tq_status tq_kinematic_studentize(tq_kinematic *k, const tq_kinematic_sum *sum,
                                  const tq_kinematic_state *x, const double *gram, double *ret,
                                  tq_error *reterr);
/* Poses that do not belong to the others, found by Huber's weights from the fit x: ret_weight
 * (n_pose) is 0 for them, else 1; fills the result's list. */
tq_status tq_kinematic_find_outliers(tq_kinematic *k, const tq_kinematic_sum *sum,
                                     const tq_kinematic_state *x, double *ret_weight,
                                     tq_kinematic_result *ret, tq_error *reterr);

/* judge.c: estimates, intervals, errors of poses, observability; sum, gram: of the fit, which is in
 * ret->state; was: the state without the parameters */
tq_status tq_kinematic_judge(tq_kinematic *k, const tq_kinematic_sum *sum, const double *gram,
                             const tq_kinematic_state *was, tq_kinematic_result *ret,
                             tq_error *reterr);
/* cross.c: errors of poses that a fit has not seen; `outer` (n_outer): columns of base, tool and
 * planes */
tq_status tq_kinematic_cross(tq_kinematic *k, const tq_kinematic_sum *sum, const uint32_t *outer,
                             size_t n_outer, const tq_kinematic_state *was,
                             tq_kinematic_result *ret, tq_error *reterr);
/* Adds the residual of pose i at x to sums of squares (position, rotation) and largest values. */
void tq_kinematic_add_error(const tq_kinematic *k, const double *e, tq_kinematic_errors *errors);
void tq_kinematic_end_errors(const tq_kinematic *k, size_t n, tq_kinematic_errors *errors);
/* verdict.c: spread of the position all over the limits, and the verdict */
tq_status tq_kinematic_reach(tq_kinematic *k, tq_kinematic_result *ret, tq_error *reterr);
void tq_kinematic_conclude(tq_kinematic *k, tq_kinematic_result *ret);

#endif
