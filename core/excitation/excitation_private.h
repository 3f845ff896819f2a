/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/excitation_private.h - a search's memory, and the scores of the motion under
 * test. */
#ifndef TQ_EXCITATION_EXCITATION_PRIVATE_H
#define TQ_EXCITATION_EXCITATION_PRIVATE_H

#include "core/excitation/excitation.h"

/* Pairs of steps and changes of the gradient from which L-BFGS has its curvature. */
enum { TQ_DESCENT_PAIRS = 8 };

/* A descent from one motion: minimises log(criterion) + penalties of the limits.
 * Variables z of a joint: offset, a_k, b_k, each over the size that limits allow it (`unit`). */
typedef struct tq_descent {
    bool is_open;              /* between its first and its last motion */
    bool has_value;            /* value, slope and way are those of z */
    size_t stage;              /* of the penalty's weights */
    size_t n_step, n_halved;   /* accepted in this stage; halvings of this step */
    size_t n_pair, next;       /* of curvature; the place of the next one */
    double value, along;       /* at z; slope . way */
    double length;             /* of the step under test, in parts of `way` */
    double mark;               /* value some steps ago */
    tq_excitation_score drawn; /* of the best of these */
    size_t n_drawn;            /* random motions from which the next descent's start is chosen */
    double *unit;              /* (n_variable) */
    double *z, *slope, *way;   /* (n_variable) */
    double *step, *change;     /* (TQ_DESCENT_PAIRS x n_variable) */
    double *tested, *tested_slope; /* (n_variable) */
} tq_descent;

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
    tq_descent descent;
    double *weight;     /* (nv x n_parameter) of the entries of y in a gradient */
    double *other;      /* (nv x n_parameter) regressor beside a sample */
    double *at;         /* (3 nv) gradient by q, qd, qdd of a sample */
    uint32_t *sign;     /* (nv) column of Coulomb friction; UINT32_MAX: it has none */
    tq_pose *poses;     /* (n_geom) in the world */
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

/* y and tau at the room's q, qd, qdd. */
tq_status tq_excitation_rows(tq_excitation *search, tq_error *reterr);
/* normal += the rows of y as they are (`over_noise` false) or over the noise of their joint. */
void tq_excitation_add_rows(const tq_excitation *search, bool over_noise, double factor,
                            double *normal);
/* scaled = D normal D with unit diagonal, both triangles; false: a parameter is not excited */
bool tq_excitation_scale(size_t n, const double *normal, double *scaled);
/* Scores of room->normal: condition and information of rows as they are, or (`over_noise`) the
 * expected torque error. */
tq_status tq_excitation_judge(tq_excitation *search, bool over_noise, tq_excitation_score *ret,
                              tq_error *reterr);
/* tq_excitation_begin without a motion. */
tq_status tq_excitation_open(const tq_excitation_task *task, tq_scratch *scratch,
                             tq_excitation *ret, tq_error *reterr);
/* The motion under test. */
tq_fourier tq_excitation_tested(const tq_excitation *search);

/* Limits first (torque, clearance); then the criterion. */
bool tq_excitation_is_better(const tq_excitation_task *task, const tq_excitation_score *x,
                             const tq_excitation_score *than);
/* What the limits are exceeded by: 0 within. */
double tq_excitation_violation(const tq_excitation_task *task, const tq_excitation_score *score);
/* Random genes, or mutations of the best; and the motion under test that they stand for. */
void tq_excitation_draw(tq_excitation *search, bool afresh);
void tq_excitation_express(tq_excitation *search);
/* The motion under test becomes the best. */
void tq_excitation_keep(tq_excitation *search, const tq_excitation_score *found);
/* Makes the motion under test smaller about its offsets where it exceeds limits of position,
 * velocity and acceleration between the samples that a descent looks at. */
void tq_excitation_fit_limits(tq_excitation *search);

/* Genes of a joint. */
size_t tq_excitation_genes(const tq_excitation_task *task);

/* Number of variables of a descent; their units. */
size_t tq_descent_variables(const tq_excitation_task *task);
void tq_descent_units(tq_excitation *search);
/* Tries one motion of a descent; begins one where none is open. */
tq_status tq_descent_try(tq_excitation *search, tq_error *reterr);
/* The value at `tested`, and its gradient; HUGE_VAL: some parameter is not excited. */
tq_status tq_descent_slope(tq_excitation *search, double penalty, double *ret_value,
                           tq_error *reterr);
/* Variables to coefficients of the motion under test, and back. */
void tq_descent_unfold(tq_excitation *search, const double *z);
void tq_descent_fold(const tq_excitation *search, double *ret_z);

/* Least distance of the pairs at q, m. With `slope` (nv): *penalty += sum gain (reach - d)^2 over
 * pairs closer than `reach`, and its gradient by q is added to `slope`; NULL: neither. */
tq_status tq_clearance_at(tq_excitation *search, const double *q, double reach, double gain,
                          double *ret_least, double *penalty, double *slope, tq_error *reterr);
/* Least distance over a motion, at samples dense enough for its highest harmonic. */
tq_status tq_clearance_of(tq_excitation *search, const tq_fourier *motion, double *ret,
                          tq_error *reterr);

#endif
