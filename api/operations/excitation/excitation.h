/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/excitation/excitation.h - one search for a motion, while it is read and run. */
#ifndef TQA_OPERATIONS_EXCITATION_EXCITATION_H
#define TQA_OPERATIONS_EXCITATION_EXCITATION_H

#include "api/request/robot_fields.h"
#include "core/excitation/excitation.h"

enum { TQA_EXCITATION_HARMONICS = 5 /* unless asked otherwise */ };

/* The request's "limits", in this order. */
enum {
    TQA_EXCITATION_LOWER,
    TQA_EXCITATION_UPPER,
    TQA_EXCITATION_VELOCITY,
    TQA_EXCITATION_ACCELERATION,
    TQA_EXCITATION_EFFORT,
    TQA_EXCITATION_LIMITS
};

/* Everything lives in the tree's memory. */
typedef struct tqa_excitation {
    tqa_tree *tree;
    tqa_order order;
    double gravity[3];
    double *limits[TQA_EXCITATION_LIMITS]; /* (nv) in the robot's order */
    double interval;                       /* s; 0: no samples */
    size_t tries;
    tq_parameter *list;
    double *values;
    tq_base_set base;
    tq_excitation_task task;
    tq_excitation search;
} tqa_excitation;

/* Reads and checks every field. False: the problem is set. */
bool tqa_excitation_read(tqa_excitation *e);

#endif
