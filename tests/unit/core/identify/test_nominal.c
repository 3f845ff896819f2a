/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/identify/test_nominal.c - nominal sizes of inertial parameters: mass, mass times
 * reach, mass times its square, of all links that a joint carries. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "core/identify/regression/fit_private.h"
#include "tests/support/fit_bench.h"
#include "tests/support/seed_robots.h"

/* Li & Wu's elbow: the post carries both links, and reaches along l1 to the last mass centre. */
Test(nominal, sizes_are_of_mass_and_reach)
{
    static const tqt_elbow elbow = {.l0 = .4,
                                    .l1 = .5,
                                    .r0 = .2,
                                    .r1 = .3,
                                    .r2 = .1,
                                    .g = 9.81,
                                    .m = {3, 2, 1},
                                    .ix = {.1, .1, .1},
                                    .iy = {.1, .1, .1},
                                    .iz = {.1, .1, .1}};
    /* kg and m from each joint on: r0 to r2 are distances of mass centres from their joints */
    static const double mass[] = {0, 3 + 2 + 1, 2 + 1, 1}, reach[] = {0, .4 + .5 + .1, .5 + .1, .1};
    size_t n[TQ_PARAMETERS_OF_LINK] = {0};
    tqt_fit_bench b = tqt_fit_open(tqt_elbow_arm(&elbow));
    tq_fit_options o = tq_fit_defaults();
    o.model.with = 0;
    tqt_fit_build(&b, &o, 1);
    for (size_t c = 0; c < b.fit->n_column; c++) {
        const tq_parameter *p = &b.fit->columns[c].parameter;
        cr_assert(p->link >= 1 && p->link <= 3);
        double want = mass[p->link];
        for (int k = p->kind == TQ_PARAMETER_MASS ? 0
                     : p->kind <= TQ_PARAMETER_MZ ? 1
                                                  : 2;
             k > 0; k--) {
            want *= reach[p->link];
        }
        n[p->kind]++;
        cr_expect(epsilon_eq(dbl, b.fit->nominal[c], want, 1e-12), "link %u, parameter %d", p->link,
                  (int)p->kind);
    }
    /* all kinds that one joint or two crossing ones can show */
    cr_expect(n[TQ_PARAMETER_MY] > 0 && n[TQ_PARAMETER_IXX] > 0 && n[TQ_PARAMETER_IZZ] > 0);
    tqt_fit_close(&b);
}
