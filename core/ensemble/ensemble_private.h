/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/ensemble_private.h - the two ways to run a block of members: private to this
 * folder. */
#ifndef TQ_ENSEMBLE_ENSEMBLE_PRIVATE_H
#define TQ_ENSEMBLE_ENSEMBLE_PRIVATE_H

#include "core/ensemble/ensemble.h"

/* rad/s or m/s: above any physical velocity; the member has diverged */
#define TQ_MEMBER_RUNAWAY 1e6

/* Adaptive steps for each member: tq_ensemble_run for ensemble->pair != NULL. */
tq_status tq_ensemble_run_pair(const tq_ensemble *ensemble, const tq_members *members,
                               tq_scratch *scratch, tq_error *reterr);
size_t tq_ensemble_pair_scratch_size(const tq_ensemble *ensemble, size_t stride);

/* Projects every initial state onto the constraints, and initialises ret_ended and ret_end; members
 * without such a state end. TQ_OK, TQ_ERR_SCRATCH or TQ_ERR_STOPPED. */
tq_status tq_members_start(const tq_ensemble *ensemble, const tq_members *members,
                           tq_scratch *scratch, tq_error *reterr);
size_t tq_members_start_scratch_size(const tq_plant *plant);

/* The trajectory of a block that an error appears to name, to be tested first; n_sample: none. */
size_t tq_member_at_fault(tq_status status, const tq_error *error, size_t n_sample);

/* s: time of the next sample of an effect after n_sample samples; INFINITY: never. */
double tq_member_sample_due(const tq_effect *effect, uint64_t n_sample);

/* The next time after t at which the steps of a member must end: a break of an effect up to
 * `order`, or a sample; n_sample[k] samples of effect k have been taken. */
double tq_member_next_stop(const tq_ensemble *ensemble, double t, unsigned order,
                           const uint64_t *n_sample);

#endif
