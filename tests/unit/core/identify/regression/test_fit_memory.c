/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/regression/test_fit_memory.c - solutions with too little memory; a joint
 * without torque. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "tests/support/fit_bench.h"
#include "tests/support/seed_robots.h"

static tqt_fit_bench opened(tq_fit_method method)
{
    const tqt_bar bars[2] = {{.length = .5, .mass = 1, .com = .25, .inertia = .1},
                             {.length = .4, .mass = .8, .com = .2, .inertia = .05}};
    tqt_fit_bench b = tqt_fit_open(tqt_planar_arm(bars, 2, 9.81));
    tq_fit_options o = tq_fit_defaults();
    o.method = method;
    o.model.with = TQ_REGRESS_VISCOUS;
    tqt_fit_build(&b, &o, 1);
    return b;
}

Test(fit_memory, every_shortage_is_reported)
{
    tqt_fit_bench b = opened(TQ_FIT_WLS);
    tqt_excited x = tqt_excited_new(b.subject, 3, 400, 100, 4);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    const size_t needed = tq_fit_solution_size(b.fit), scratch_needed = tq_fit_solve_size(b.fit);
    void *room = aligned_alloc(64, (needed + 63) / 64 * 64);
    void *scratch_room = aligned_alloc(64, (scratch_needed + 63) / 64 * 64);
    cr_assert(room != NULL && scratch_room != NULL);
    tq_scratch memory, scratch;
    tq_fit_solution solution;
    for (size_t size = 0; size < needed; size += 64) {
        tq_scratch_init(&memory, room, size);
        cr_assert(
            eq(int, tq_fit_solve(b.fit, &memory, &b.scratch, &solution, NULL), TQ_ERR_SCRATCH),
            "%zu of %zu bytes", size, needed);
    }
    for (size_t size = 0; size + scratch_needed / 8 < scratch_needed;
         size += scratch_needed / 200) {
        tq_scratch_init(&memory, room, needed);
        tq_scratch_init(&scratch, scratch_room, size / 64 * 64);
        const tq_status status = tq_fit_solve(b.fit, &memory, &scratch, &solution, NULL);
        cr_assert(status == TQ_ERR_SCRATCH || status == TQ_OK, "%d", (int)status);
        cr_assert(eq(sz, scratch.used, 0));
    }
    tq_scratch_init(&memory, room, needed);
    tq_scratch_init(&scratch, scratch_room, scratch_needed);
    cr_assert(eq(int, tq_fit_solve(b.fit, &memory, &scratch, &solution, NULL), TQ_OK));
    free(room), free(scratch_room);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* a row without a residual has no weight from it: the values of the other joint are unaffected */
Test(fit_memory, a_joint_that_never_carries_torque)
{
    tqt_fit_bench b = opened(TQ_FIT_WLS);
    tqt_excited x = tqt_excited_new(b.subject, 3, 400, 100, 4);
    for (size_t i = 0; i < x.n_sample; i++) {
        x.tau[i] = 0.7 * x.qd[i];
        x.tau[x.n_sample + i] = 0.0;
    }
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    for (size_t c = 0; c < b.solution.n_column; c++) {
        cr_expect(isfinite(b.solution.value[c]), "%zu: %g", c, b.solution.value[c]);
    }
    const size_t v = tqt_fit_column(&b, TQ_COLUMN_PARAMETER, TQ_PARAMETER_VISCOUS, 0, TQ_NONE);
    cr_expect(epsilon_eq(dbl, b.solution.value[v], 0.7, 1e-9));
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* Joints fitted separately: the terms of a joint without torque are exactly 0, as is its residual.
 * Its weight must not overflow: the square of the inverse residual exceeds a double. */
Test(fit_memory, a_joint_without_torque_and_without_residual)
{
    const tqt_bar bars[2] = {{.length = .5, .mass = 1, .com = .25, .inertia = .1},
                             {.length = .4, .mass = .8, .com = .2, .inertia = .05}};
    tqt_fit_bench b = tqt_fit_open(tqt_planar_arm(bars, 2, 9.81));
    tq_fit_options o = tq_fit_defaults();
    o.method = TQ_FIT_WLS;
    o.model.kind = TQ_FIT_PER_JOINT;
    tqt_fit_build(&b, &o, 1);
    tqt_excited x = tqt_excited_new(b.subject, 3, 400, 100, 4);
    for (size_t i = 0; i < x.n_sample; i++) {
        x.tau[i] = 0.7 * x.qdd[i];
        x.tau[x.n_sample + i] = 0.0;
    }
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    size_t n = 0;
    const tq_column *columns = tq_fit_columns(b.fit, &n);
    for (size_t c = 0; c < n; c++) {
        const double want = columns[c].joint == 0 && columns[c].kind == TQ_COLUMN_INERTIA ? 0.7 : 0;
        cr_expect(epsilon_eq(dbl, b.solution.value[c], want, 1e-9), "%zu", c);
        cr_expect(isfinite(b.solution.estimate[c].deviation), "%zu", c);
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}
