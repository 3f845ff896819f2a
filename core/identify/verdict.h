/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/verdict.h - verdict on a calibration: its permitted uses, and the reasons. */
#ifndef TQ_IDENTIFY_VERDICT_H
#define TQ_IDENTIFY_VERDICT_H

#include "core/identify/regression/fit.h"
#include "core/identify/validation/residuals.h"

typedef enum tq_verdict {
    TQ_VERDICT_USABLE,
    TQ_VERDICT_ROBUST_CONTROL_ONLY,
    TQ_VERDICT_INCOMPLETE,
    TQ_VERDICT_PHYSICALLY_INCONSISTENT,
    TQ_VERDICT_INSUFFICIENT_EXCITATION,
} tq_verdict;

/* The slug of the API: "usable", "robust-control-only", ... */
const char *tq_verdict_slug(tq_verdict verdict);

typedef enum tq_reason_kind {
    TQ_REASON_FINDING,        /* index: finding of the diagnosis; value: its size */
    TQ_REASON_UNIDENTIFIED,   /* index: direction of the solution; value: its deviation */
    TQ_REASON_INCONSISTENT,   /* index: column; value: its consistency measure */
    TQ_REASON_NEGATIVE,       /* index: column; value: an estimate that must not be negative */
    TQ_REASON_PSEUDO_INERTIA, /* index: link; value: least eigenvalue over trace */
    TQ_REASON_MASS_MATRIX,    /* index: number of poses, 10,000; value: number of them with an
                                 indefinite M */
    TQ_REASON_RELATIVE_ERROR, /* index: row; value: relative error on validation data */
    TQ_REASON_STANDING,       /* index: row; value: torque at standstill beyond gravity and friction
                                 over RMSE in motion: model friction at rest (breakaway, Stribeck) */
    TQ_REASON_SLOW_FRICTION,  /* index: row: residual depends on speed: add Stribeck */
    TQ_REASON_LOAD_FRICTION,  /* index: row: residual depends on load: add load friction */
    TQ_REASON_POSITION,       /* index: row: residual depends on position: add a spring */
    TQ_REASON_FORWARD,        /* index: row; value: forward-simulation error over that of a
                             constant-velocity prediction */
    TQ_REASON_NOISE_BIAS,     /* index: column with the largest bias of least squares; value: in
                             standard deviations */
    TQ_REASON_DRAWN,          /* index: column biased by position noise; value: expected bias in
                             standard deviations */
    TQ_REASON_TOTAL,          /* index: column whose total-least-squares estimate differs by more
                             than observed noise explains; value: standard deviations */
    TQ_REASON_BOUNDS,         /* index: active bound with the largest share; value: what all bounds
                                 add to the objective, relative to it without them */
    TQ_REASON_GRAVITY,        /* index: row; value: torque beyond friction at standstill over the
                             torque there */
    TQ_REASON_PAYLOAD, /* index: link; value: kg of payload estimated from static poses beyond
                          the model */
} tq_reason_kind;

typedef struct tq_reason {
    tq_reason_kind kind;
    size_t index;
    double value;
} tq_reason;

enum { TQ_REASON_MAX = 64 };

typedef struct tq_verdict_report {
    tq_verdict verdict;
    size_t n_reason;
    tq_reason reasons[TQ_REASON_MAX]; /* most severe first */
} tq_verdict_report;

/* Adds a reason to a report; `verdict` is the best verdict that the reason permits. */
void tq_verdict_add(tq_verdict_report *report, tq_verdict verdict, tq_reason reason);

/**
 * Compute the verdict on a solution, with validation residuals if available (NULL: without).
 *
 * Memory   tq_verdict_size(fit) bytes of `scratch`, released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     That of 10,000 mass matrices.
 */
tq_status tq_verdict_compute(const tq_fit *fit, const tq_fit_solution *solution,
                             const tq_residuals *validation, tq_scratch *scratch,
                             tq_verdict_report *ret_report, tq_error *reterr);
size_t tq_verdict_size(const tq_fit *fit);

#endif
