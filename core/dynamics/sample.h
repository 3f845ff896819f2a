/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/sample.h - one sample of motion with its external wrenches, as flat arrays. */
#ifndef TQ_DYNAMICS_SAMPLE_H
#define TQ_DYNAMICS_SAMPLE_H

#include "core/dynamics/inverse.h"
#include "core/dynamics/kinematics/configuration.h"

/* One wrench applied to the robot; see tq_external_wrench. */
typedef struct tq_point_wrench {
    uint32_t link;
    tq_frame expressed_in;
    double at[3];    /* in the link frame, m */
    double value[6]; /* force, moment about `at` */
} tq_point_wrench;

/* Arguments of the equation of motion. All arrays are borrowed. */
typedef struct tq_sample {
    const double *q;       /* (nq) */
    const double *qd;      /* (nv), that of the posture; NULL: zero */
    const double *qdd;     /* (nv); NULL: zero */
    const double *gravity; /* (3) */
    const tq_point_wrench *wrenches;
    size_t n_wrench;
    unsigned without; /* TQ_WITHOUT_... */
} tq_sample;

/* The wrench about the world origin, in world axes. */
void tq_sample_world_wrench(const tq_configuration *posture, const tq_point_wrench *wrench,
                            double ret_wrench[6]);

/* tau += J^T w over all wrenches of the sample. */
void tq_sample_add_wrenches(const tq_configuration *posture, const tq_sample *sample, double *tau);

#endif
