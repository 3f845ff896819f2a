/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_configuration.c - sums and differences of configurations against
 * closed forms, and each refusal. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>

#include "tests/support/ask.h"

Test(configuration, adds_what_has_no_quaternion)
{
    json_t *a = tqt_ask("planar-2r", "configuration",
                        "{'q':[0.5,-1],'step':[0.25,7],'to':[1,1],'fractions':[0,0.5,1,-1]}");
    cr_assert(eq(dbl, tqt_number(a, "sum.0"), 0.75));
    cr_assert(eq(dbl, tqt_number(a, "sum.1"), 6.0), "angles are numbers");
    cr_assert(eq(dbl, tqt_number(a, "difference.0"), 0.5));
    cr_assert(eq(dbl, tqt_number(a, "difference.1"), 2.0));
    const double between[4][2] = {{0.5, -1}, {0.75, 0}, {1, 1}, {0, -3}};
    for (int f = 0; f < 4; f++) {
        for (int k = 0; k < 2; k++) {
            char name[32];
            (void)snprintf(name, sizeof name, "between.%d.%d", f, k);
            cr_assert(eq(dbl, tqt_number(a, name), between[f][k]));
        }
    }
    json_decref(a);
}

/* a quarter turn about z, then a step of 0.2 m along the body's x, which is the world's y then */
Test(configuration, a_floating_joint_moves_along_its_own_axes)
{
    json_t *a = tqt_ask("quadruped", "configuration",
                        "{'q':{'base':[1,2,3,0.70710678118654757,0,0,0.70710678118654757]},"
                        "'step':{'base':[0.2,0,0,0,0,1.5707963267948966]}}");
    const double want[7] = {1, 2.2, 3, 0, 0, 0, 1};
    for (int k = 0; k < 7; k++) {
        char name[32];
        (void)snprintf(name, sizeof name, "sum.%d", k);
        cr_assert(epsilon_eq(dbl, tqt_number(a, name), want[k], 1e-15), "%d", k);
    }
    json_decref(a);
    /* and back: -0.2 along x of the body, which looks along -x of the world now */
    a = tqt_ask("quadruped", "configuration",
                "{'q':{'base':[1,2.2,3,0,0,0,1]},"
                "'to':{'base':[1,2,3,-0.70710678118654757,0,0,-0.70710678118654757]}}");
    const double back[6] = {0, 0.2, 0, 0, 0, -M_PI / 2};
    for (int k = 0; k < 6; k++) {
        char name[32];
        (void)snprintf(name, sizeof name, "difference.%d", k);
        cr_assert(epsilon_eq(dbl, tqt_number(a, name), back[k], 1e-15), "%d", k);
    }
    json_decref(a);
}

Test(configuration, keeps_the_order_and_the_unit_of_the_request)
{
    json_t *a = tqt_ask("planar-2r", "configuration",
                        "{'q':[10,20],'step':[1,2],'to':[40,50],'fractions':[0.5],"
                        "'angles':'deg','joints':['joint2','joint1']}");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "sum.0"), 11.0, 1e-13));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "sum.1"), 22.0, 1e-13));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "difference.0"), 30.0, 1e-13));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "between.0.0"), 25.0, 1e-13));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "between.0.1"), 35.0, 1e-13));
    json_decref(a);
}

Test(configuration, refuses_by_name)
{
    tqt_refused("planar-2r", "configuration", "{'step':[0,0]}", 422, "missing-field", "/q", "");
    tqt_refused("planar-2r", "configuration", "{'q':[0,0]}", 422, "missing-field", "/step", "");
    tqt_refused("planar-2r", "configuration", "{'q':[0,0],'step':[0,0],'fractions':[1]}", 422,
                "missing-field", "/to", "");
    tqt_refused("planar-2r", "configuration", "{'q':[0,0],'to':[0]}", 422, "wrong-length", "/to",
                "");
    tqt_refused("planar-2r", "configuration", "{'q':[0,0],'to':[0,0],'fractions':[]}", 422,
                "wrong-length", "/fractions", "");
    tqt_refused("quadruped", "configuration", "{'q':{'base':[0,0,0,2,0,0,0]},'to':{}}", 422,
                "quaternion", "/q", "");
    tqt_refused("planar-2r", "configuration", "{'q':[1.7e308,0],'step':[1.7e308,0]}", 422,
                "overflow", "/step", "");
}
