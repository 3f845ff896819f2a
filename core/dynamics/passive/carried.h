/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/carried.h - gravity compensation of blocks of samples, by the kernels. */
#ifndef TQ_DYNAMICS_PASSIVE_CARRIED_H
#define TQ_DYNAMICS_PASSIVE_CARRIED_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/mechanism.h"

/* The forces -c m g at the centres of mass (core/dynamics/passive/compensation.h) are the weight of
 * a second robot: the same bodies with masses c m, at rest under the gravity -g, tq_mechanism's
 * `carried`. The kernels of the first give what the second adds, in runs of samples. */
typedef struct tq_carried_samples {
    size_t n_sample, stride;
    const double *q;       /* (nq x stride) */
    const double *gravity; /* (3), NULL: the model's own */
    double *work;          /* for the kernel at hand, as it is of the robot itself */
} tq_carried_samples;

/* Adds its torque, times the sign, to tau (nv x stride). Each function takes its size in bytes of
 * `scratch` and releases them, in the kernels' floating-point mode; TQ_OK or TQ_ERR_SCRATCH.
 * Results may not be finite. All sizes are 0 without compensation. */
tq_status tq_carried_add_torque(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                double sign, tq_scratch *scratch, double *tau, tq_error *reterr);
size_t tq_carried_torque_size(const tq_mechanism *mechanism);

/* potential energy (n_sample), J */
tq_status tq_carried_add_potential(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                   tq_scratch *scratch, double *ret, tq_error *reterr);
size_t tq_carried_potential_size(const tq_mechanism *mechanism);

/* derivatives of its torque by q (nv x nv x stride) */
tq_status tq_carried_add_derivatives(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                     tq_scratch *scratch, double *dq, tq_error *reterr);
size_t tq_carried_derivatives_size(const tq_mechanism *mechanism);

/* second derivatives of its torque by q (nv x nv x nv x stride); not with mimic joints */
tq_status tq_carried_add_second(const tq_mechanism *mechanism, const tq_carried_samples *in,
                                tq_scratch *scratch, double *dq_dq, tq_error *reterr);
size_t tq_carried_second_size(const tq_mechanism *mechanism);

#endif
