/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/stand_in.h - friction terms that replace a law which a robot document
 * cannot represent. */
#ifndef TQ_IDENTIFY_VALIDATION_STAND_IN_H
#define TQ_IDENTIFY_VALIDATION_STAND_IN_H

#include "core/base/archive.h"
#include "core/identify/regression/fit.h"
#include "core/signal/experiment.h"

/* Friction of one joint by viscous, Coulomb, offset and Stribeck terms, functions of the rate
 * alone: least squares on the unfiltered torque less the rigid-body torque; and the residuals. */
typedef struct tq_stand_in_row {
    bool is_there;                             /* the row has a joint with friction */
    double viscous, coulomb, offset, stribeck; /* stribeck: breakaway less Coulomb friction */
    double rmse_fit, rmse;                     /* residual of the fit, and with the terms above, N m
                                                  or N */
} tq_stand_in_row;

typedef struct tq_stand_in tq_stand_in;

/**
 * Begin; for each recording next, and its blocks with the torque that the fit predicts; rows.
 *
 * A robot document has no presliding and no load-dependent friction. The document's own law is
 * fitted in their place, to tau - (rigid-body torque) at every n-th sample; the inertial parameters
 * do not change; viscous and Coulomb friction are not negative.
 *
 * Shapes   value (n_column) borrowed for the call; predicted (nv x block->stride).
 * Memory   begin takes tq_stand_in_size bytes of `memory` until the caller rewinds it.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, and the statuses of the regressor.
 * Cost     A regressor for 3000 samples.
 * Checked  tests/contract/test_calibrate_document.py
 */
tq_status tq_stand_in_begin(const tq_fit *fit, size_t n_recording, tq_scratch *memory,
                            tq_stand_in **ret, tq_error *reterr);
size_t tq_stand_in_size(const tq_fit *fit);
void tq_stand_in_next(tq_stand_in *stand_in, size_t n_sample);
tq_status tq_stand_in_push(tq_stand_in *stand_in, const tq_experiment_block *block,
                           const double *value, const double *predicted, tq_error *reterr);
/* (nv) results of all recordings so far, in the memory of begin. */
const tq_stand_in_row *tq_stand_in_rows(tq_stand_in *stand_in);
/* State of the sums between two recordings, as bytes. */
void tq_stand_in_archive(tq_stand_in *stand_in, tq_archive *archive);

#endif
