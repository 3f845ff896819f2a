/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/excitation_private.h - a search's memory, and the scores of the motion under
 * test. */
#ifndef TQ_EXCITATION_EXCITATION_PRIVATE_H
#define TQ_EXCITATION_EXCITATION_PRIVATE_H

#include "core/excitation/excitation.h"

struct tq_excitation_room {
    double *sine, *cosine; /* (SHAPE_POINTS n_harmonic x n_harmonic) */
    double *genes, *tried; /* (nv x n_gene) */
    double *best_offset, *best_a, *best_b;
    double *offset, *a, *b;           /* of the motion under test */
    double *q, *qd, *qdd;             /* (nv) */
    double *y;                        /* (nv x n_parameter) */
    double *row;                      /* (n_base) */
    double *normal, *scaled, *solved; /* (n_base x n_base) */
    double *eigenvalues;              /* (n_base) */
    double *tau;                      /* (nv) of the expected parameters */
    double *noise;                    /* (nv) deviation of the torque, N m or N */
    double *demand;                   /* (n_base x n_base) mean of y^T y / noise^2 over states */
    double *recorded[2]; /* (n_base x n_base) lower triangles of motions that are recorded: of rows
                            as they are, and over the noise */
    double step;
    tq_scratch scratch; /* for called functions */
    void *rest;
    size_t n_rest;
};

/* noise, demand and recorded, of a search whose memory is laid out. */
tq_status tq_excitation_prepare(tq_excitation *search, tq_error *reterr);

/* Scores of the motion under test (room's offset, a, b): what the criterion needs, or, `complete`,
 * all of them. Cost: a period of regressors, twice where complete. */
tq_status tq_excitation_measure(tq_excitation *search, bool complete, tq_excitation_score *ret,
                                tq_error *reterr);

#endif
