/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/plant/test_run_balance.c - the balance of a mass in free fall, whose rows
 * have a closed form, pushed in parts; rows that lose energy. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/block.h"
#include "core/plant/run_balance.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

/* t, q, qd, then z, qdd */
enum { N = 600, AUDITED = 3, WIDTH = 4 + TQ_AUDIT_ROWS_MAX };
static const double mass = 2.0, g = 9.81, up = 3.0, last = 0.599;
static double rows[N * WIDTH];

/* thrown upward with 3 m/s; `loss` J/s of energy that the audit counts and the motion has not */
static void fill_rows(double loss)
{
    for (int k = 0; k < N; k++) {
        double *row = rows + (size_t)k * WIDTH;
        const double t = 0.001 * k;
        memset(row, 0, WIDTH * sizeof *row);
        row[0] = t;
        row[1] = up * t - 0.5 * g * t * t;
        row[2] = up - g * t;
        row[AUDITED + TQ_AUDIT_DISSIPATED] = loss * t;
        row[WIDTH - 1] = -g;
    }
}

static tq_run_balance balance(size_t part)
{
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = TQ_JOINT_PRISMATIC, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->links[1].inertia.mass = mass;
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    tqt_subject *s = tqt_subject_new(m, 0);
    tq_effect effect;
    tq_plant plant = {.mechanism = s->mechanism, .effects = &effect, .n_effect = 1};
    tq_audit audit = {.plant = &plant, .with_momentum = true};
    effect = tq_audit_effect(&audit);
    cr_assert(eq(sz, effect.n_z, (size_t)TQ_AUDIT_ROWS_MAX));
    const size_t size = tq_run_balance_scratch_size(&plant);
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, (size + 63) / 64 * 64);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    tqt_spoil(&scratch);
    tq_run_balance ret = {.kinetic_max = 0.0};
    for (size_t first = 0; first < N; first += part) {
        const size_t n = N - first < part ? N - first : part;
        const tq_run_rows piece = {.rows = rows + first * WIDTH,
                                   .n = n,
                                   .width = WIDTH,
                                   .audited = AUDITED,
                                   .is_first = first == 0,
                                   .is_last = first + n == N};
        cr_assert(eq(int, tq_run_balance_add(&plant, &piece, &scratch, &ret, NULL), TQ_OK));
    }
    cr_expect(eq(sz, tq_scratch_mark(&scratch), (size_t)0));
    tq_scratch_release(memory, size);
    free(memory);
    tqt_subject_free(s);
    tqt_model_free(m);
    return ret;
}

Test(run_balance, of_free_fall)
{
    fill_rows(0.0);
    const tq_run_balance b = balance(TQ_BLOCK), small = balance(7);
    const double v = up - g * last, height = up * last - 0.5 * g * last * last;
    cr_expect(epsilon_eq(dbl, b.start.kinetic, 0.5 * mass * up * up, 1e-14));
    cr_expect(epsilon_eq(dbl, b.end.kinetic, 0.5 * mass * v * v, 1e-13));
    cr_expect(epsilon_eq(dbl, b.end.potential - b.start.potential, mass * g * height, 1e-13));
    /* fastest at the start or at the end */
    cr_expect(epsilon_eq(dbl, b.kinetic_max, fmax(b.start.kinetic, b.end.kinetic), 1e-14));
    cr_expect(lt(dbl, b.residual_max, 1e-13));
    for (int k = 0; k < 3; k++) { /* p - p0 = m g t; nothing but weight acts */
        cr_expect(lt(dbl, fabs(b.momentum_residual[k]), 1e-13));
    }
    cr_expect(memcmp(&b, &small, sizeof b) == 0, "parts of another size");
}

/* E - E0 = work - dissipated + external: half a joule a second is missing */
Test(run_balance, lost_energy_is_a_residual)
{
    fill_rows(0.5);
    const tq_run_balance b = balance(TQ_BLOCK);
    cr_expect(epsilon_eq(dbl, b.residual, 0.5 * last, 1e-13), "%g", b.residual);
    cr_expect(epsilon_eq(dbl, b.residual_max, 0.5 * last, 1e-13));
    cr_expect(eq(dbl, b.z[TQ_AUDIT_DISSIPATED], 0.5 * rows[(N - 1) * WIDTH]));
}
