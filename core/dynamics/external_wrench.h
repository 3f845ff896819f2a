/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/external_wrench.h - a force and moment that the environment applies to a link. */
#ifndef TQ_DYNAMICS_EXTERNAL_WRENCH_H
#define TQ_DYNAMICS_EXTERNAL_WRENCH_H

#include <stddef.h>
#include <stdint.h>

/* Where the components of an external wrench are measured. */
typedef enum tq_frame {
    TQ_FRAME_WORLD, /* along the axes of the root link */
    TQ_FRAME_LINK,  /* along the axes of the link that it acts on */
} tq_frame;

/* One force and moment applied TO the robot by the environment. (A wrench that the robot applies to
 * the environment is the caller's to negate.) The moment is about the point `at`. */
typedef struct tq_external_wrench {
    uint32_t link;
    tq_frame expressed_in;
    double at[3];       /* point of action, in the link frame, m */
    const double *rows; /* 6 rows, force then moment: row k of sample i at rows[k * row_stride + i *
                           sample_step] */
    size_t row_stride;
    size_t sample_step; /* 1: one wrench a sample; 0: the same one for all */
} tq_external_wrench;

#endif
