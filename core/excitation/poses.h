/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/poses.h - static poses from which the parameters of gravity are identified. */
#ifndef TQ_EXCITATION_POSES_H
#define TQ_EXCITATION_POSES_H

#include "core/excitation/excitation.h"

enum { TQ_POSES_MAX = 100, TQ_POSES_VIA_MAX = 6, TQ_POSES_ROUNDS_MAX = 12 };

/* The task: of `motion` all but frequency, n_harmonic, velocity and acceleration (travel times:
 * velocity, INFINITY: 1 rad/s or m/s), with a base set of states at rest. By
 * TQ_EXCITATION_CONDITION poses are chosen as by TQ_EXCITATION_DETERMINANT. */
typedef struct tq_poses_task {
    tq_excitation_task motion;
    size_t n_pose;      /* 1 .. TQ_POSES_MAX */
    size_t n_candidate; /* >= n_pose; random poses among which they are chosen */
    /* (n_parameter) of a known load: each pose is recorded without and with it, and drive gains are
     * not known either. In parts g of themselves, to first order,
     *
     *     tau = Y beta - g tau   and   tau + Y load = Y beta + Y load - g (tau + Y load)
     *
     * NULL: torque is known as it is */
    const double *load;
} tq_poses_task;

/* A leg of the tour: from the pose before (of the first: from the last) in a straight line of
 * coordinates. */
typedef struct tq_pose_leg {
    double duration; /* s, at the limits of velocity, along the way around where there is one */
    double distance; /* m, least one of the pairs of solids along the line; INFINITY: none given */
    /* A way around solids, where the line comes closer than the clearance: straight lines by these
     * poses. NULL: the line is clear, or no way was found. */
    double *via;         /* (n_via x nv) */
    size_t n_via;        /* at most TQ_POSES_VIA_MAX */
    double via_distance; /* m, likewise, along the way around */
} tq_pose_leg;

/* Arrays are in the scratch with which it was found. */
typedef struct tq_poses {
    size_t n_pose;
    double *q, *tau; /* (n_pose x nv) in the order of the tour; torque at rest */
    double
        *gain_error;   /* (nv) expected deviations of drive gains, relative; NULL: without a load */
    tq_pose_leg *legs; /* (n_pose) */
    tq_excitation_score score; /* of these poses, and of the first n_pose of the candidates */
    tq_excitation_score first;
    size_t n_candidate; /* of the task's that keep the limits of torque and of clearance */
    /* After the choice one by one, and each round of exchanges: tr(D N^-1), or -log det N, N with
     * 1e-8 D. Never larger than before. */
    double rounds[TQ_POSES_ROUNDS_MAX + 1];
    size_t n_round;
} tq_poses;

/**
 * Find static poses from which gravity torque is identified best.
 *
 * Candidates are random within the limits of position; those beyond the limits of torque or of
 * clearance are dropped. The poses are chosen among them one by one, and then exchanged for others
 * while that makes the criterion better. Their order is a short tour: the nearest next, then
 * reversals of parts while these make it shorter. A leg that comes closer than the clearance counts
 * as a hundred times as long. Around one that is left a way of straight lines is looked for, by up
 * to TQ_POSES_VIA_MAX of the 126 candidates that lie nearest to it: the shortest path of a graph
 * whose edges are examined as paths take them, 600 at most.
 *
 * Memory   tq_poses_scratch_size(task) bytes of `scratch`, which stay taken.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE           no base parameter, or a joint of several coordinates
 *          TQ_ERR_RANGE           "candidates": fewer than n_pose keep the limits, `value` of them
 *          TQ_ERR_NO_CONVERGENCE  "stop", or LAPACK
 *          TQ_ERR_SCRATCH
 * Cost     O(n_candidate n_pose nv n_base^2) a round of exchanges; 12 rounds at most. Of solids
 *          n_candidate + 20 n_pose^2 times all pairs, and 24,600 for each leg that is not clear.
 * Source   M. Gautier, S. Briot, Global identification of joint drive gains and dynamic parameters
 *          of robots, J. Dyn. Sys. Meas. Control 136(5), 2014 (a known load);
 *          V. Fedorov, Theory of Optimal Experiments, 1972 (exchange);
 *          G. Croes, A method for solving traveling-salesman problems, Operations Research 6(6),
 *          1958 (reversals); R. Bohlin, L. Kavraki, Path planning using lazy PRM, ICRA 2000 (ways
 *          around).
 * Checked  tests/contract/test_excitation_options.py, tests/property/core/excitation/test_poses.c
 */
tq_status tq_poses_find(const tq_poses_task *task, bool (*stop)(void *ctx), void *stop_ctx,
                        tq_scratch *scratch, tq_poses *ret, tq_error *reterr);
size_t tq_poses_scratch_size(const tq_poses_task *task);

#endif
