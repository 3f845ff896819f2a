/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/excitation.h - excitation trajectories: periodic motion within limits for
 * parameter identification. */
#ifndef TQ_EXCITATION_EXCITATION_H
#define TQ_EXCITATION_EXCITATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/geometry/geom.h"
#include "core/identify/regression/base.h"
#include "core/model/model.h"
#include "core/motion/reference.h"

enum { TQ_EXCITATION_HARMONICS_MAX = 64 };

/* What a search makes small or large. */
typedef enum tq_excitation_criterion {
    TQ_EXCITATION_CONDITION,    /* smallest condition number, columns scaled to one length */
    TQ_EXCITATION_DETERMINANT,  /* largest determinant of the normal matrix: D-optimal */
    TQ_EXCITATION_TORQUE_ERROR, /* smallest expected torque error: I-optimal */
} tq_excitation_criterion;

/* Solids that keep their distance, and the pairs of them that are looked at. Borrowed. */
typedef struct tq_clearance {
    const tq_geom *geoms;
    size_t n_geom, n_pair;
    const uint32_t (*pairs)[2]; /* (n_pair) numbers of solids, not of two half-spaces */
    double least;               /* m, >= 0 */
} tq_clearance;

/* The optimisation task. Arrays are borrowed, of nv entries in the model's order; every moving
 * joint has one coordinate. */
typedef struct tq_excitation_task {
    const tq_model *model;
    unsigned with; /* TQ_REGRESS_... */
    const tq_base_set *base;
    const double *values;        /* (n_parameter): expected values, for the torque */
    const double *gravity;       /* 3, world frame */
    const double *lower, *upper; /* finite; rad or m */
    const double *velocity, *acceleration, *effort; /* > 0; INFINITY: no limit */
    double frequency;                               /* of the period, Hz */
    size_t n_harmonic;                              /* >= 2 */
    tq_excitation_criterion criterion;
    const double *noise; /* > 0; standard deviation of the torque, N m or N. NULL: 1 % of `effort`,
                            or of the rms torque where that is infinite */
    const tq_fourier *recorded; /* (n_recorded) of nv coordinates: motions of which there are logs,
                                   sampled at the same rate; all scores are of these together with
                                   the motion */
    size_t n_recorded;
    const double *wanted; /* (n_wanted x 3 x nv) q, qd, qdd of states whose torque is wanted */
    size_t n_wanted;      /* 0: random states within the limits */
    const tq_clearance *clearance; /* NULL: solids may touch */
    uint64_t seed;
} tq_excitation_task;

/* Quality of a motion. */
typedef struct tq_excitation_score {
    double condition; /* condition number of the base regressor over a period, columns scaled to one
                      length; INFINITY: some parameter is not excited */
    double information;  /* log of the determinant of its normal matrix, unscaled; -INFINITY: some
                           parameter is not excited */
    double torque_error; /* rms over joints and the wanted states of (torque error of
                            a least-squares fit / noise), for white noise on the samples judged;
                            INFINITY: some parameter is not excited */
    double excess;       /* largest |torque| over its limit, minus 1; <= 0: within limits */
    double distance;     /* m, least one of the pairs of solids; INFINITY: none are given */
} tq_excitation_score;

/* A search: all data are in the scratch with which it was begun. */
typedef struct tq_excitation {
    tq_excitation_task task;
    tq_fourier motion; /* the best so far; arrays of nv, n_harmonic x nv, n_harmonic x nv */
    tq_excitation_score score, first;    /* of the best, and of the first motion tried */
    size_t n_tried, n_better, n_descent; /* motions; those better than all before; descents begun */
    struct tq_excitation_room *room;
} tq_excitation;

/**
 * Begin a search with one random motion. Motions are Fourier series with zero velocity and
 * acceleration at the ends of the period, within the limits of position, velocity and acceleration.
 *
 * Memory   tq_excitation_scratch_size(task) bytes of `scratch`, which stay taken.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE    no base parameter, or a joint of several coordinates
 *          TQ_ERR_SCRATCH, TQ_ERR_NO_CONVERGENCE (LAPACK)
 * Source   J. Swevers et al., Optimal robot excitation and identification, IEEE TRA 13(5), 1997;
 *          V. Fedorov, Theory of Optimal Experiments, 1972 (I-optimality: E_x[y N^-1 y^T]).
 * Checked  tests/property/core/excitation/test_excitation.c
 */
tq_status tq_excitation_begin(const tq_excitation_task *task, tq_scratch *scratch,
                              tq_excitation *ret, tq_error *reterr);
size_t tq_excitation_scratch_size(const tq_excitation_task *task);

/* Tries n more motions: the first `n_random` of the search independent, as large as the limits
 * allow; then those of descents along the gradient (descent.c), the first from the best so far,
 * each later one from the best of a few random ones; by TQ_EXCITATION_CONDITION, which has no
 * gradient, mutations of the best with adaptive size. The same task and counts give the same
 * motion, regardless of the division into calls. Cost: O(harmonics n_base^2 nv) each, of a descent
 * O(harmonics nv (n_base^2 + nv regressors)). */
tq_status tq_excitation_try(tq_excitation *search, size_t n, size_t n_random, tq_error *reterr);

/* State of a search between two tries, as bytes: a head (layout, n_tried, n_better, step, scores),
 * then genes, offset, a and b of the best motion, and the descent. tq_excitation_load continues a
 * search that was begun with the same task: later tries give the same bits as without
 * interruption. False, and the search is unchanged: the bytes are of another task or layout. */
size_t tq_excitation_save_size(const tq_excitation_task *task);
void tq_excitation_save(const tq_excitation *search, unsigned char *ret);
bool tq_excitation_load(tq_excitation *search, const unsigned char *bytes, size_t n);

/* Number of samples of a period for scores. */
size_t tq_excitation_samples(const tq_excitation_task *task);

#endif
