/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/poses_private.h - a search for poses while it runs. */
#ifndef TQ_EXCITATION_POSES_PRIVATE_H
#define TQ_EXCITATION_POSES_PRIVATE_H

#include "core/excitation/poses.h"

typedef struct tq_pose_search {
    const tq_poses_task *task;
    tq_excitation search; /* its memory */
    tq_poses *ret;
    size_t nv, n_base;
    size_t n, n_row;                   /* columns, those of gains last; rows of a pose */
    size_t n_candidate;                /* that keep the limits */
    double *rows;                      /* (n_candidate x n_row x n) over noise */
    double *q, *tau;                   /* (n_candidate x nv) */
    size_t *chosen, *tour, *spare;     /* (n_pose) candidates */
    bool *is_chosen;                   /* (n_candidate) */
    double *normal, *inverse, *effect; /* (n x n) N, N^-1, N^-1 D N^-1 */
    double *demand, *left;             /* (n x n) lower triangle; N^-1 D */
    double *moved, *moved_effect;      /* (n_row x n) */
    double *small, *small_effect;      /* (n_row x n_row) */
    double log_determinant, error;     /* log det N, tr(D N^-1) of the last inversion */
    double *cost;                      /* (n_pose x n_pose) of legs */
    struct tq_pose_graph *graph;       /* of a way around; only among solids */
    bool (*stop)(void *ctx);
    void *stop_ctx;
} tq_pose_search;

/* Memory of ways around: for the search and for the result, in this order. */
size_t tq_poses_graph_size(const tq_poses_task *task);
bool tq_poses_graph_take(tq_pose_search *s, tq_scratch *scratch);
/* The straight line between two poses: duration and distance. */
tq_status tq_poses_line(tq_pose_search *s, const double *from, const double *to, tq_pose_leg *ret,
                        tq_error *reterr);
double tq_poses_duration(const tq_pose_search *s, const double *from, const double *to);
/* A way around for leg k, whose line is not clear: its via, duration and via_distance. */
tq_status tq_poses_around(tq_pose_search *s, size_t k, const double *from, const double *to,
                          tq_error *reterr);

/* tour = the chosen poses in the order of a short tour; legs of the result. */
tq_status tq_poses_tour(tq_pose_search *s, tq_error *reterr);

#endif
