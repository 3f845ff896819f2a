/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/mechanism.h - a model prepared for the kernels: immutable, in one block of memory. */
#ifndef TQ_MODEL_MECHANISM_H
#define TQ_MODEL_MECHANISM_H

#include "core/base/status.h"
#include "core/model/model.h"

/* A copy of the model and its canonical form (core/model/canonical.h). Immutable, so any number of
 * threads may share one. Contains pointers into itself: do not move it. */
typedef struct tq_mechanism tq_mechanism;

/* Bytes that tq_mechanism_build needs for a finished model. */
size_t tq_mechanism_size(const tq_model *model);

/**
 * Copy a finished model and derive its canonical form: every one-dof joint's axis on z,
 * modified-DH gauge, links joined by fixed joints merged into bodies, base-parameter regrouping
 * (which changes neither tau, M, qdd nor C).
 *
 * Memory   Writes tq_mechanism_size(model) bytes at `memory`, aligned to 64; the mechanism lives
 *          there. The model may be freed afterwards. Allocates nothing.
 * Returns  TQ_OK, TQ_ERR_SCRATCH (size too small; value = bytes needed).
 * Cost     O(n_joint).
 * Source   Gautier & Khalil, Direct calculation of minimum set of inertial parameters of serial
 *          robots, IEEE TRA 6(3), 1990.
 * Checked  tests/unit/core/model/test_mechanism.c
 */
tq_status tq_mechanism_build(const tq_model *model, void *memory, size_t size,
                             const tq_mechanism **ret_mechanism, tq_error *reterr);

/* The model inside; valid as long as the mechanism. */
const tq_model *tq_mechanism_model(const tq_mechanism *mechanism);

#endif
