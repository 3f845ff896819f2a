/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/model/test_symmetric_eigen.c - axes and values of symmetric matrices: built
 * from known ones, in every order, and equations that hold for any. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

#include "core/model/inertia.h"
#include "tests/support/random.h"

/* entries in the order of inertias: xx, xy, xz, yy, yz, zz */
static double entry(const double s[6], int i, int j)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    return s[at[i][j]];
}

static void check(const double s[6], const double want[3])
{
    double value[3], axes[9];
    tq_symmetric_eigen(s, value, axes);
    for (int j = 0; j < 3; j++) {
        cr_expect(fabs(value[j] - want[j]) <= 1e-13 * want[2], "%d: %g, not %g", j, value[j],
                  want[j]);
        for (int i = 0; i < 3; i++) { /* S v = value v, and v of length 1 across the others */
            double sum = 0.0, product = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += entry(s, i, k) * axes[3 * k + j];
                product += axes[3 * k + i] * axes[3 * k + j];
            }
            cr_expect(fabs(sum - value[j] * axes[3 * i + j]) <= 1e-13 * want[2]);
            cr_expect(fabs(product - (i == j ? 1.0 : 0.0)) <= 1e-14);
        }
    }
    const double *v = axes;
    cr_expect(fabs(v[0] * (v[4] * v[8] - v[5] * v[7]) - v[1] * (v[3] * v[8] - v[5] * v[6]) +
                   v[2] * (v[3] * v[7] - v[4] * v[6]) - 1.0) <= 1e-14,
              "right-handed");
}

Test(symmetric_eigen, diagonals_in_every_order)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const double want[3] = {0.1, 2.0, 3.5};
    for (size_t k = 0; k < 6; k++) {
        const double s[6] = {want[orders[k][0]], 0, 0, want[orders[k][1]], 0, want[orders[k][2]]};
        check(s, want);
    }
}

Test(symmetric_eigen, of_known_axes)
{
    tqt_random r = tqt_random_seed(9);
    for (int trial = 0; trial < 200; trial++) {
        double s[6] = {0.0}, turn[9];
        tqt_random_rotation(&r, turn);
        const double want[3] = {tqt_random_uniform(&r, 0.1, 1.0), tqt_random_uniform(&r, 1.0, 2.0),
                                tqt_random_uniform(&r, 2.0, 3.0)};
        for (int i = 0, at = 0; i < 3; i++) {
            for (int j = i; j < 3; j++, at++) {
                for (int k = 0; k < 3; k++) {
                    s[at] += turn[3 * i + k] * want[k] * turn[3 * j + k];
                }
            }
        }
        check(s, want);
    }
}
