/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/excitation/excitation.h - one search for a motion, while it is read and run. */
#ifndef TQA_OPERATIONS_EXCITATION_EXCITATION_H
#define TQA_OPERATIONS_EXCITATION_EXCITATION_H

#include "api/operations/trajectory/reference.h"
#include "api/request/robot_fields.h"
#include "core/excitation/poses.h"

enum { TQA_EXCITATION_HARMONICS = 10 /* unless asked otherwise */ };

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
    bool *column_is_used;  /* (n_parameter) NULL: all are unknown */
    uint32_t link;         /* that carries the payload; TQ_NONE: the robot is identified */
    tqa_reference *wanted; /* (n_wanted) motions that the model is for */
    size_t n_wanted;
    tq_clearance clearance;
    const char **names; /* of solids */
    size_t n_pose;      /* 0: a motion */
    size_t n_candidate; /* of poses */
    double dwell;       /* s */
    double load[4];     /* kg, kg m: a known load of static poses, on load_link; 0: none */
    uint32_t load_link;
    tq_parameter *list;
    double *values;
    tq_base_set base;
    tq_excitation_task task;
    tq_excitation search;
} tqa_excitation;

/* Reads and checks every field. False: the problem is set. */
bool tqa_excitation_read(tqa_excitation *e);
/* Limits, by names among `known` (ends with NULL); noise of all joints. */
bool tqa_excitation_read_limits(tqa_excitation *e, const char *const *known);
bool tqa_excitation_read_noise(tqa_excitation *e);
/* Payload, motions that the model is for, solids (options.c). */
bool tqa_excitation_read_options(tqa_excitation *e);

/* Takes a request's state, of a robot without constraints whose joints have one coordinate each. */
tqa_excitation *tqa_excitation_take(tqa_tree *tree);
/* Before the search: columns of `with` that are unknown; samples of the wanted motions; base
 * parameters, of motion or at rest; all but the criterion's fields of the task. */
bool tqa_excitation_take_columns(tqa_excitation *e);
bool tqa_excitation_take_wanted(tqa_excitation *e);
bool tqa_excitation_find_base(tqa_excitation *e);
void tqa_excitation_fill(tqa_excitation *e);

/* The answer. */
void tqa_excitation_put_base(const tqa_excitation *e);
void tqa_excitation_put_score(const tqa_excitation *e, const char *key,
                              const tq_excitation_score *score);

#endif
