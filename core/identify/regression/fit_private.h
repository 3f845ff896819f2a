/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/fit_private.h - the inside of a fit: private to this folder. */
#ifndef TQ_IDENTIFY_REGRESSION_FIT_PRIVATE_H
#define TQ_IDENTIFY_REGRESSION_FIT_PRIVATE_H

#include "core/identify/high_frequency_inertia.h"
#include "core/identify/regression/columns_private.h"
#include "core/identify/regression/fit.h"
#include "core/identify/regression/tsqr.h"
#include "core/kernels/table.h"
#include "core/model/layout.h"

/* The columns that one row of torque depends on, in ascending order, and its part of a triangle:
 * width x width, row by row, the last column being torque. With instruments they are the first n
 * columns of the triangle: [instruments, columns, torque]. */
typedef struct tq_fit_row {
    size_t n;
    size_t first;        /* first of the columns in the triangle: 0, or n after instruments */
    size_t width;        /* first + n + 1 */
    uint32_t *column;    /* (n) */
    int64_t *offset;     /* (n + 1) of each, and of torque, in the values of a run of samples */
    uint32_t coordinate; /* row of q of the row's one-dof joint, or TQ_NONE */
    size_t triangle;     /* offset of its triangle in a set of triangles, doubles */
} tq_fit_row;

/* Reduction of an experiment: a set of triangles for each segment of time. */
typedef struct tq_fit_experiment {
    size_t n_sample, n_segment;
    size_t length;                        /* samples of a segment */
    const bool *row_is_used;              /* (n_row) borrowed; NULL: as the fit's */
    double *sets;                         /* (segment_max x set_size) */
    tq_high_frequency_inertia_sums *fast; /* (n_row) */
} tq_fit_experiment;

struct tq_fit {
    const tq_mechanism *mechanism;
    tq_fit_options options;
    size_t n_row, n_link_column, n_parameter, n_column;
    tq_column *columns;
    tq_base_set base; /* arrays are empty for TQ_FIT_PER_JOINT */
    double *nominal;  /* (n_column) size of a relevant parameter: makes columns comparable */
    size_t n_term;
    tq_fit_term *terms;
    size_t n_friction_row; /* terms with a friction regressor row of their own */
    tq_fit_row *rows;      /* (n_row) */
    size_t run_rows;       /* rows of a run of samples: rigid columns, terms, torque */
    size_t set_size;       /* doubles of all rows' triangles */
    size_t segment_max;
    size_t n_experiment;
    tq_fit_experiment *experiments;
    double *weight;    /* (n_row) 1 / residual deviation, of the last solution */
    double *speed;     /* (n_joint) Stribeck velocity of this pass */
    double *best;      /* (n_joint) the best so far, */
    double *best_left; /* (n_joint) and the residual deviation of its row */
    unsigned n_speed;  /* speeds tried */
    double *load;      /* (n_column) values from which load-dependent friction computes the load */
    bool has_load;     /* `load` is from an earlier solution; else the load is the measured
                          torque */
    double *huber;     /* (n_column) values at which IRLS computes residuals */
    bool weighs;       /* IRLS: samples have weights */
    unsigned n_pass;
    bool is_last;  /* nonlinear parameters are frozen */
    bool searches; /* solutions have values only */
};

/* A run of samples, the unit of folding. */
typedef struct tq_fit_run {
    double *q, *qd, *qdd, *tau; /* (nq, nv, nv, nv x TQ_FOLD_RUN) */
    double *sign;          /* (n_friction_row x TQ_FOLD_RUN) directly after `sign`: given by blocks,
                                   or unused */
    double *friction_rows; /* (n_friction_row x TQ_FOLD_RUN) after it: given by blocks, or unused */
    bool is_given;         /* signs and friction rows are given by blocks */
    double *way;           /* (nv x TQ_FOLD_RUN) displacement since the previous sample */
    double *before;        /* (2 nv) with presliding: coordinate and s of the last sample */
    double period;         /* s, of the samples; 0: unknown */
    double *values;        /* (run_rows x TQ_FOLD_RUN) */
    tq_scratch *scratch;
} tq_fit_run;

bool tq_fit_has_instruments(const tq_fit *fit);

/* Arrays of a solution: tq_fit_solution_size(fit) bytes of `memory`. False: too little. */
bool tq_fit_solution_take(const tq_fit *fit, tq_scratch *memory, tq_fit_solution *ret);

size_t tq_fit_run_size(const tq_fit *fit);
tq_status tq_fit_run_take(const tq_fit *fit, tq_scratch *scratch, tq_fit_run *ret,
                          tq_error *reterr);

/* Copies n samples of a block from `first` on to `at` of the run. */
void tq_fit_run_copy(const tq_fit *fit, tq_fit_run *run, size_t at,
                     const tq_experiment_block *block, size_t first, size_t n);

/* Clears the state of a run: another experiment follows. */
void tq_fit_run_forget(const tq_fit *fit, tq_fit_run *run);

/* run->sign of the first n samples, which follow those of the previous run, unless given by blocks.
 */
void tq_fit_run_signs(const tq_fit *fit, const tq_fit_run *run, size_t n);

/* Signs and friction regressors from the rates of each of the first n samples, which need not be
 * neighbours; if the fit uses presliding, the sign is smoothed instead. */
void tq_fit_run_rate_signs(const tq_fit *fit, tq_fit_run *run, size_t n);

/* Values of all columns of all rows for the first n samples of the run, whose signs are set; the
 * rest are zero. load: values (n_column) whose rigid-body torque is the gear load; NULL: the
 * measured torque is. */
tq_status tq_fit_run_compute(const tq_fit *fit, const tq_fit_run *run, size_t n, const double *load,
                             tq_error *reterr);

/* Part of a row's torque: all, all terms linear in the acceleration, the bodies' part. */
typedef enum tq_fit_part { TQ_FIT_OF_ALL, TQ_FIT_OF_ALL_BUT_LOAD, TQ_FIT_OF_BODIES } tq_fit_part;

/* ret_torque (TQ_FOLD_RUN): values (n_column) times the columns of one row, for a computed run of
 * samples. */
void tq_fit_run_torque(const tq_fit *fit, const tq_fit_run *run, size_t row, tq_fit_part part,
                       const double *value, double *ret_torque);

/* True if the joint has a sign of its own: a mimic joint has its master's. */
bool tq_is_rubbing(const tq_joint *joint);
double tq_smoothing_of(const tq_fit *fit, uint32_t joint);
/* s(v) for each of n velocities, from -1 to 1. Here and below ret may be the input. */
void tq_signs_of_rates(double smoothing, size_t n, const double *rate, double *ret_sign);
/* Dahl's state after each of n samples; exact for monotonic motion between them. ds = (to - s)
 * |way| / length - s time / relaxation, `to` = sign of the displacement. start: state of the very
 * first sample; last: state of the previous sample, NaN: none */
void tq_signs_of_displacement(const tq_fit_model *model, double period, size_t n, const double *way,
                              double start, double *last, double *ret_sign);
void tq_stribeck_row(double speed, size_t n, const double *rate, const double *sign,
                     double *ret_rows);
void tq_coupled_row(const tq_fit *fit, const tq_fit_term *term, size_t n, size_t stride,
                    const double *qd, double *ret_rows);

/* Fills fit->nominal: the mass distal to each joint, times its reach or its square, and typical
 * friction of gears for such masses. Never zero. */
void tq_nominal_sizes(tq_fit *fit);

/* Raises the nominal sizes to values with a noticeable effect on the torque `row_rms` (n_row, N m)
 * of the data, at accelerations and rates that are typical of robots. */
void tq_nominal_raise(tq_fit *fit, const double *row_rms);

/* Stribeck velocities: the known ones, or the first candidates. Then, given the residuals of a
 * pass, the next candidates: true while there are more. */
void tq_speeds_start(tq_fit *fit);
bool tq_speeds_next(tq_fit *fit, const double *sigma);

/* ret_value (2 n_row): the inertia and the jerk gain of each row beyond the cut-off
 * (core/identify/high_frequency_inertia.h), without one experiment, or SIZE_MAX: with all. */
void tq_fit_find_fast(const tq_fit *fit, size_t without, double *ret_value);

#endif
