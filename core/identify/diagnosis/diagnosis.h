/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/diagnosis.h - which fault of the recordings explains the residuals of a
 * fit. */
#ifndef TQ_IDENTIFY_DIAGNOSIS_DIAGNOSIS_H
#define TQ_IDENTIFY_DIAGNOSIS_DIAGNOSIS_H

#include "core/base/archive.h"
#include "core/identify/regression/fit.h"
#include "core/signal/experiment.h"

typedef enum tq_finding_kind {
    TQ_FINDING_TORQUE_SIGN,   /* the joint's torque counts against its position; TQ_NONE: all */
    TQ_FINDING_TORQUE_SWAP,   /* torques of `joint` and `other` are exchanged */
    TQ_FINDING_POSITION_SWAP, /* positions of `joint` and `other` are exchanged */
    TQ_FINDING_TORQUE_SCALE,  /* size: recorded torque over that by the model; joint TQ_NONE: all */
    TQ_FINDING_TORQUE_STUCK,  /* from .. to, s: the joint moves and its torque is constant */
    TQ_FINDING_POSITION_STUCK,
    TQ_FINDING_GRAVITY,  /* size: rad by which gravity is tilted; vector: its direction, unit */
    TQ_FINDING_PAYLOAD,  /* size: kg of additional load in the listed runs; vector: its centre, m in
                            the frame of the last link */
    TQ_FINDING_FRICTION, /* size: viscous friction at a run's end over that at its start */
    TQ_FINDING_FRICTION_OF_RUN, /* size: viscous friction of the run over that of the others */
    TQ_FINDING_RUN,        /* size: rms residual of the run in a common fit over that in its own */
    TQ_FINDING_OUTLIERS,   /* size: fraction of the rows that had outliers; they were replaced */
    TQ_FINDING_TORQUE_LAG, /* size: Hz, corner of a first-order low-pass before the torque */
} tq_finding_kind;

enum { TQ_FINDING_MAX = 8, TQ_FINDING_RUNS = 64 };

typedef struct tq_finding {
    tq_finding_kind kind;
    uint32_t joint, other; /* TQ_NONE: no joint, or all joints */
    uint64_t runs;         /* bit e: recording e, up to TQ_FINDING_RUNS; 0: all */
    double size, from, to;
    double vector[3];
    double explained; /* nats: sum over the joints of log(residual without / with the fault) */
    bool is_gross;    /* parameters of this fit are not usable */
} tq_finding;

/* Sums are of single samples (length 0), or of means over windows. Where the noise of accelerations
 * is a large part of them, no fault of single samples can be distinguished from what it does to
 * columns; as it lies at high frequencies, a mean over a quarter of a second has next to none. */
typedef struct tq_diagnosis_window {
    double length; /* s */
    double least;  /* s between samples in a window */
    double noise;  /* variance of the mean over that of a sample */
} tq_diagnosis_window;

/* A window for noise of accelerations of `variance` (n_run x nv), which a filter of a cut-off
 * (corner, Hz) has passed.
 *
 * Noise of position that is white has accelerations of a density in proportion to f^4 up to the
 * corner f_c. The mean over T takes (sin(pi f T) / (pi f T))^2 of it, 1 / (2 pi^2 f^2 T^2) on
 * average:
 *
 *     variance of the mean / variance = 5 / 3 / (2 pi^2 (f_c T)^2)
 *
 * T is what leaves 2 % of the motion's mean square, at least 2 / f_c and at most half a second.
 * Where noise is below 2 % of the mean square of the fit's data the length is 0. */
tq_diagnosis_window tq_diagnosis_window_for(const tq_fit *fit, size_t n_run, const double *variance,
                                            double corner);

/* Gram matrices of the fitted recordings at every n-th sample: columns of each row of torque, and
 * the columns that faults would add. */
typedef struct tq_diagnosis tq_diagnosis;

/**
 * Begin a diagnosis of `n_run` recordings; push their blocks; find.
 *
 * Each fault is a hypothesis, fitted to the same sums: it adds columns (a tilt of gravity, a
 * payload, friction that changes with time), exchanges torques, or multiplies the torque of a
 * joint. The fault that reduces S most is accepted, and the search is repeated with it in the
 * model.
 *
 *     S = sum_r log sigma_r,  sigma_r the residual standard deviation of row r, weights 1 / sigma_r
 *
 * Memory   begin takes tq_diagnosis_size bytes of `memory` until the caller rewinds it.
 *          *ret_diagnosis is NULL for a fit per joint, more than TQ_DIAGNOSIS_ROWS_MAX dofs, joints
 *          of several dofs (a floating base), and sums above TQ_DIAGNOSIS_BYTES.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and the statuses of tq_fit_push.
 * Cost     Columns of TQ_DIAGNOSIS_SAMPLES samples, with a window of six samples of each period of
 *          the corner; some hundred factorisations if residuals are
 *          large, else some tens.
 * Source   profile likelihood of a linear model with one noise variance for each row of torque.
 * Checked  tests/contract/test_diagnosis.py
 */
#define TQ_DIAGNOSIS_BYTES    ((size_t)48 << 20)
#define TQ_DIAGNOSIS_SAMPLES  3000
#define TQ_DIAGNOSIS_ROWS_MAX 8
tq_status tq_diagnosis_begin(const tq_fit *fit, const tq_fit_solution *solution, size_t n_run,
                             tq_diagnosis_window window, tq_scratch *memory,
                             tq_diagnosis **ret_diagnosis, tq_error *reterr);
size_t tq_diagnosis_size(const tq_fit *fit, size_t n_run);
/* Faults of logs of this robot are searched for, unless there are too many recordings. */
bool tq_diagnosis_is_for(const tq_model *model);
/* The next blocks are those of recording `run`, of about n_sample samples. */
void tq_diagnosis_next(tq_diagnosis *diagnosis, size_t run, size_t n_sample);
/* t: (n_sample) s from the recording's start. */
tq_status tq_diagnosis_push(tq_diagnosis *diagnosis, const tq_experiment_block *block,
                            const double *t, tq_error *reterr);
/* State of the sums between two recordings, as bytes. */
void tq_diagnosis_archive(tq_diagnosis *diagnosis, tq_archive *archive);

/* Finds faults, the most serious first: ret_findings (room). variance (n_run x nv): of the noise of
 * accelerations, (rad/s^2)^2 or (m/s^2)^2; where it is a tenth of their mean square, a fault must
 * explain half a nat more. */
tq_status tq_diagnosis_find(tq_diagnosis *diagnosis, const double *variance,
                            tq_finding *ret_findings, size_t room, size_t *ret_n, tq_error *reterr);

#endif
