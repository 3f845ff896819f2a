/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/robots.h - the robots that speed is measured on. */
#ifndef BENCH_ROBOTS_H
#define BENCH_ROBOTS_H

#include <stdint.h>

#include "core/model/model.h"

/* Finished models, the caller's to free with tqt_model_free. Shapes of the field, masses made up:
 * neither changes the time of any kernel here. */
tq_model *bench_tree(uint32_t n_joint); /* revolute, each parent among the last three */
tq_model *bench_chain(uint32_t n_joint);
tq_model *bench_quadruped(void); /* floating base, four legs of 3: nv = 18 */
tq_model *bench_humanoid(void);  /* floating base, 30 revolute joints: nv = 36 */

#endif
