/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/member.h - the start, the robot, the controller and the disturbances of one member
 * of an ensemble. */
#ifndef TQ_ENSEMBLE_MEMBER_H
#define TQ_ENSEMBLE_MEMBER_H

#include "core/base/scratch.h"
#include "core/ensemble/variation.h"
#include "core/plant/controller.h"
#include "core/plant/disturbance.h"

/* Initial states of a block: lanes of `stride` numbers. */
typedef struct tq_member_starts {
    size_t n, stride;       /* members; lanes after them get the state of the last one */
    const double *q0, *qd0; /* (nq), (nv) that all have, flat */
    size_t nq, nv;
    double *q, *qd;  /* (nq), (nv x stride) written */
    double *z;       /* rows of auxiliary states */
    size_t z_offset; /* the row of z that has the first varied torque (tq_offsets_effect) */
} tq_member_starts;

/* Writes the initial states of the members at places `first` on: what all have, and what varies
 * added to it; varied torques in the order of the variations. */
void tq_members_initial(const tq_variations *all, size_t first, const tq_member_starts *starts);

/**
 * Build the mechanism of member `id`: masses, inertias, friction and payloads of its own.
 *
 *     m <- f m, I <- f I (same centre of mass);   payload: a point mass;   b <- f b;   c <- f c
 *
 * Memory   tq_member_mechanism_size(base) bytes of `scratch`, which stay taken: *ret lies there.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, or as tq_mechanism_build.
 * Cost     A tq_mechanism_build.
 * Source   parallel axes: core/model/inertia.h.
 * Checked  tests/property/core/ensemble/test_member.c
 */
tq_status tq_member_mechanism(const tq_variations *all, const tq_mechanism *base, uint64_t id,
                              tq_scratch *scratch, const tq_mechanism **ret, tq_error *reterr);
size_t tq_member_mechanism_size(const tq_mechanism *base);

/**
 * Write the parameters of n members, from place `first` on, as rows of a block
 * (core/dynamics/varied.h): all members side by side on lanes.
 *
 * Shapes   ret_varied (tq_varied_rows(base) x stride), padding after n filled.
 * Memory   tq_member_mechanism_size(base) bytes of `scratch`, all released.
 * Returns  as tq_member_mechanism.
 * Cost     A tq_mechanism_build a member.
 * Checked  tests/property/core/ensemble/test_member.c
 */
tq_status tq_members_vary(const tq_variations *all, const tq_mechanism *base, size_t first,
                          size_t n, size_t stride, tq_scratch *scratch, double *ret_varied,
                          tq_error *reterr);

/**
 * Make the effects of member `id`: copies of the plant's, with gains of the controller and sizes or
 * seeds of disturbances of its own.
 *
 *     K <- f K,   size <- f size,   seed <- the value
 *
 * Shapes   controller: the ctx of one of plant's effects. *ret (plant->n_effect), in scratch.
 * Memory   tq_member_effects_size bytes of `scratch`, which stay taken.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(n_effect + n nv).
 * Checked  tests/property/core/ensemble/test_member.c
 */
tq_status tq_member_effects(const tq_variations *all, const tq_plant *plant,
                            const tq_controller *controller, uint64_t id, tq_scratch *scratch,
                            const tq_effect **ret, tq_error *reterr);
size_t tq_member_effects_size(const tq_variations *all, const tq_plant *plant);

#endif
