/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_manipulability.c - velocity ellipsoid of the planar arm against
 * its closed form, and each refusal. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>

#include "tests/support/ask.h"

/* links of 0.8 and 0.6 m: s1 s2 = a1 a2 |sin q2|, s1^2 + s2^2 = a1^2 + 2 a2^2 + 2 a1 a2 cos q2
 * (T. Yoshikawa, IJRR 4(2), 1985, section 4.1) */
Test(manipulability, of_the_planar_arm)
{
    for (int k = 1; k < 8; k++) {
        const double q2 = 0.37 * k;
        char body[128];
        (void)snprintf(body, sizeof body, "{'q':[0.5,%.17g],'frame':'tool','axes':['x','y']}", q2);
        json_t *a = tqt_ask("planar-2r", "manipulability", body);
        const double s1 = tqt_number(a, "singular_values.0");
        const double s2 = tqt_number(a, "singular_values.1");
        cr_assert(epsilon_eq(dbl, tqt_number(a, "manipulability"), 0.48 * fabs(sin(q2)), 1e-14));
        cr_assert(epsilon_eq(dbl, s1 * s2, 0.48 * fabs(sin(q2)), 1e-14));
        cr_assert(epsilon_eq(dbl, s1 * s1 + s2 * s2, 1.36 + 0.96 * cos(q2), 1e-13));
        cr_assert(epsilon_eq(dbl, tqt_number(a, "condition"), s1 / s2, 1e-12 * s1 / s2));
        /* J v_1 = s_1 u_1, with x' = -a1 s1 w1 - a2 s12 (w1 + w2) */
        const double w1 = tqt_number(a, "joint_directions.0.0");
        const double w2 = tqt_number(a, "joint_directions.0.1");
        const double x = -0.8 * sin(0.5) * w1 - 0.6 * sin(0.5 + q2) * (w1 + w2);
        const double y = 0.8 * cos(0.5) * w1 + 0.6 * cos(0.5 + q2) * (w1 + w2);
        cr_assert(epsilon_eq(dbl, x, s1 * tqt_number(a, "directions.0.0"), 1e-14));
        cr_assert(epsilon_eq(dbl, y, s1 * tqt_number(a, "directions.0.1"), 1e-14));
        json_decref(a);
    }
}

Test(manipulability, is_0_where_the_arm_is_stretched)
{
    json_t *a =
        tqt_ask("planar-2r", "manipulability", "{'q':[0,0],'frame':'tool','axes':['x','y']}");
    cr_assert(eq(dbl, tqt_number(a, "rank"), 1.0));
    cr_assert(eq(dbl, tqt_number(a, "manipulability"), 0.0));
    cr_assert(ne(ptr, json_object_get(a, "condition_reason"), NULL));
    /* along y, by 1.4 m and 0.6 m a rad */
    cr_assert(epsilon_eq(dbl, tqt_number(a, "singular_values.0"), hypot(1.4, 0.6), 1e-14));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "directions.0.1"), 1.0, 1e-14));
    json_decref(a);
}

Test(manipulability, refuses_by_name)
{
    tqt_refused("planar-2r", "manipulability", "{'q':[0,0]}", 422, "missing-field", "/frame", "");
    tqt_refused("planar-2r", "manipulability", "{'q':[0,0],'frame':'tol'}", 422, "unknown-name",
                "/frame", "");
    tqt_refused("planar-2r", "manipulability", "{'q':[0,0],'frame':'tool','axes':[]}", 422,
                "wrong-length", "/axes", "");
    tqt_refused("planar-2r", "manipulability", "{'q':[[0,0],[0,1]],'frame':'tool'}", 422,
                "wrong-length", "/q", "");
}
