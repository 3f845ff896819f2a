/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/fit_bench.h - a fit with its robot and its memory. */
#ifndef TQT_FIT_BENCH_H
#define TQT_FIT_BENCH_H

#include "core/identify/regression/fit.h"
#include "core/identify/verdict.h"
#include "tests/support/excited.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

/* Every function ends the test if the library returns an error or does not release its scratch. */
typedef struct tqt_fit_bench {
    tq_model *model; /* owned */
    tqt_subject *subject;
    tq_scratch memory, scratch;
    tq_fit *fit;
    tq_fit_solution solution;
} tqt_fit_bench;

tqt_fit_bench tqt_fit_open(tq_model *model);
void tqt_fit_close(tqt_fit_bench *bench);

/* Builds an empty fit; a bench can be built again and again until its memory is full. */
void tqt_fit_build(tqt_fit_bench *bench, const tq_fit_options *options, size_t n_experiment);
void tqt_fit_solve(tqt_fit_bench *bench);

/* The index of a column in the solution; ends the test if there is none. `joint` is that of a
 * joint's column or parameter. */
size_t tqt_fit_column(const tqt_fit_bench *bench, tq_column_kind kind, tq_parameter_kind parameter,
                      uint32_t joint, uint32_t other);

/* The verdict; `validation` (NULL: none) is compared with the solution's values. */
tq_verdict_report tqt_fit_verdict(tqt_fit_bench *bench, const tqt_excited *validation);

#endif
