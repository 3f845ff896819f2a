/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/off_constraints.h - coordinates that do not satisfy the robot's constraints. */
#ifndef TQA_REQUEST_OFF_CONSTRAINTS_H
#define TQA_REQUEST_OFF_CONSTRAINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/codec/writer.h"
#include "api/robots/parsed.h"
#include "core/base/scratch.h"

enum { TQA_OFF_MAX = 8, TQA_OFF_SAMPLES_MAX = 4096 }; /* constraints that an answer names */

/* 2 us a sample: of a large batch every k-th one is searched, the first among them. */
static inline size_t tqa_off_step(size_t n_sample)
{
    return 1 + (n_sample > 0 ? n_sample - 1 : 0) / TQA_OFF_SAMPLES_MAX;
}

/* A constraint h(q) = 0 whose residual abs(h) is above 1e-4 (m or rad), in its worst row. */
typedef struct tqa_off {
    uint32_t constraint, row; /* row: of all rows */
    size_t sample;
    double residual;
} tqa_off;

/* A search through samples. */
typedef struct tqa_off_search {
    const tqa_robot *robot;
    void *memory; /* malloc'ed, or NULL */
    size_t size;
    tqa_off found[TQA_OFF_MAX];
    size_t n;
    bool is_start; /* q is where a run starts, which moves it onto the constraints */
} tqa_off_search;

/* False: the robot has no constraints, or memory is short, and there is nothing to search. */
bool tqa_off_begin(tqa_off_search *search, const tqa_robot *robot);
/* One sample: coordinate r is q[r * stride], in the robot's order. */
void tqa_off_note(tqa_off_search *search, const double *q, size_t stride, size_t sample);
/* `off_constraints` of an answer, where any was found; and releases the memory. */
void tqa_off_end(tqa_off_search *search, tqa_writer *to);

#endif
