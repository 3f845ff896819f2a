/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/trajectory/reference_private.h - a path while it is being read. */
#ifndef TQA_OPERATIONS_TRAJECTORY_REFERENCE_PRIVATE_H
#define TQA_OPERATIONS_TRAJECTORY_REFERENCE_PRIVATE_H

#include "api/operations/trajectory/reference.h"

typedef struct tqa_plan {
    tqa_tree *tree;
    const tqa_value *object;
    const tqa_order *order;
    const double *near; /* coordinates that choose the branch of poses */
    unsigned kind;      /* TQA_PATH_... */
    bool is_by_limits;  /* its times come later */
    unsigned timing;
    double blend;
    size_t n_point;
    double *times;
    tqa_reference *to;
} tqa_plan;

/* Paths that carry their own times. False: the problem is set. */
bool tqa_plan_fourier(tqa_plan *p, const tqa_value *fourier);
bool tqa_plan_stand(tqa_plan *p, const tqa_value *stand);
bool tqa_plan_table(tqa_plan *p, const tqa_value *table);

#endif
