/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/residual/residual.h - external torque in recordings: request and result. */
#ifndef TQA_OPERATIONS_RESIDUAL_RESIDUAL_H
#define TQA_OPERATIONS_RESIDUAL_RESIDUAL_H

#include "api/recordings/logs.h"
#include "core/identify/watch/watch.h"

enum { TQA_RESIDUAL_LOGS_MAX = 200 };

/* Everything lives in the tree's memory. */
typedef struct tqa_residual {
    tqa_tree *tree;
    tqa_order order;
    tqa_recording_request request;
    tqa_recording *logs;
    size_t n_log, n_watched; /* logs from n_watched on are quiet */
    double gain;             /* Hz */
    tq_watch_plan plan;
    tq_watch *watch;
} tqa_residual;

void tqa_residual_answer(const tqa_residual *residual);

#endif
