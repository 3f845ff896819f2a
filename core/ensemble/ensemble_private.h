/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/ensemble_private.h - the two ways to run a block of members: private to this
 * folder. */
#ifndef TQ_ENSEMBLE_ENSEMBLE_PRIVATE_H
#define TQ_ENSEMBLE_ENSEMBLE_PRIVATE_H

#include "core/ensemble/ensemble.h"

/* rad/s or m/s: nothing that is built moves so fast; beyond it the numbers mean nothing */
#define TQ_MEMBER_RUNAWAY 1e6

/* Each member by steps of its own: as tq_ensemble_run, when ensemble->pair is not NULL. */
tq_status tq_ensemble_run_pair(const tq_ensemble *ensemble, const tq_members *members,
                               tq_scratch *scratch, tq_error *reterr);
size_t tq_ensemble_pair_scratch_size(const tq_ensemble *ensemble, size_t stride);

/* Brings every start onto the constraints, and says in ret_ended and ret_end that all are on their
 * way, but for those for which there is no such start. TQ_OK, TQ_ERR_SCRATCH or TQ_ERR_STOPPED. */
tq_status tq_members_start(const tq_ensemble *ensemble, const tq_members *members,
                           tq_scratch *scratch, tq_error *reterr);
size_t tq_members_start_scratch_size(const tq_plant *plant);

/* The trajectory of a block that a fault seems to name, to be asked first; n_sample: none. */
size_t tq_member_at_fault(tq_status status, const tq_error *error, size_t n_sample);

/* s: when the next sample of an effect is due, of which n_sample were taken; INFINITY: never. */
double tq_member_sample_due(const tq_effect *effect, uint64_t n_sample);

/* The next time after t where the steps of a member must land: a break of an effect up to `order`,
 * or a sample; n_sample[k] samples of effect k have been taken. */
double tq_member_next_stop(const tq_ensemble *ensemble, double t, unsigned order,
                           const uint64_t *n_sample);

#endif
