/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_calibrate_kinematics.c - zeros of the planar arm from its closed
 * form, what of it no pose separates, and each refusal. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

enum { POSES = 8, BODY = 4096 };
static const double zeros[2] = {0.02, -0.03};

/* Positions of the tip (links of 0.8 and 0.6 m) whose joints are off by `zeros`; `more` follows. */
static void measure(char body[BODY], const char *more)
{
    char positions[BODY / 2] = "";
    size_t n = (size_t)snprintf(body, BODY, "{'frame':'tool','q':[");
    size_t m = 0;
    for (int k = 0; k < POSES; k++) {
        const double q1 = -1.1 + 0.37 * k, q2 = 0.4 + 0.9 * sin(2.0 * k);
        const double a = q1 + zeros[0], b = a + q2 + zeros[1];
        n += (size_t)snprintf(body + n, BODY - n, "%s[%.17g,%.17g]", k > 0 ? "," : "", q1, q2);
        m += (size_t)snprintf(positions + m, sizeof positions - m, "%s[%.17g,%.17g,0]",
                              k > 0 ? "," : "", 0.8 * cos(a) + 0.6 * cos(b),
                              0.8 * sin(a) + 0.6 * sin(b));
    }
    (void)snprintf(body + n, BODY - n, "],'position':[%s]%s}", positions, more);
}

Test(calibrate_kinematics, zeros_of_the_planar_arm)
{
    char body[BODY];
    measure(body, ",'base':{},'tool':{}");
    json_t *a = tqt_ask("planar-2r", "calibrate-kinematics", body);
    cr_assert(eq(str, (char *)json_string_value(tqt_at(a, "verdict")), "usable"));
    cr_assert(eq(dbl, tqt_number(a, "unknowns"), 2.0));
    for (int k = 0; k < 2; k++) {
        char path[32];
        (void)snprintf(path, sizeof path, "parameters.%d.value", k);
        cr_assert(epsilon_eq(dbl, tqt_number(a, path), zeros[k], 1e-12));
    }
    tqt_same_in_cbor("planar-2r", "calibrate-kinematics", body, a);
    json_decref(a);
}

/* an unknown base turns as joint 1, an unknown tool about the axis of joint 2: neither zero is
 * left, and along z base and tool are one */
Test(calibrate_kinematics, an_unknown_base_and_tool_have_them_all)
{
    char body[BODY];
    measure(body, "");
    tqt_refused("planar-2r", "calibrate-kinematics", body, 422, "singular", "/q", "");
    measure(body, ",'tool':{}");
    json_t *a = tqt_ask("planar-2r", "calibrate-kinematics", body);
    cr_assert(eq(sz, json_array_size(tqt_at(a, "parameters")), (size_t)1));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "parameters.0.value"), zeros[1], 1e-12));
    cr_assert(
        eq(str, (char *)json_string_value(tqt_at(a, "not_identified.0.name")), "joint1.zero"));
    cr_assert(
        eq(str, (char *)json_string_value(tqt_at(a, "not_identified.0.parts.0.name")), "base.rz"));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "not_identified.0.parts.0.factor"), 1.0, 1e-9));
    json_decref(a);
}

Test(calibrate_kinematics, refuses_by_name)
{
    static const char op[] = "calibrate-kinematics";
    tqt_refused("planar-2r", op, "{'frame':'tool','q':[[0,0],[0,1]]}", 422, "missing-field",
                "/position", "");
    tqt_refused("planar-2r", op, "{'frame':'tool','position':[[0,0,0]]}", 422, "missing-field",
                "/q", "");
    tqt_refused("planar-2r", op, "{'frame':'tool','q':[[0,0],[0,1]],'position':[[0,0,0]]}", 422,
                "wrong-length", "/position", "");
    tqt_refused("planar-2r", op, "{'frame':'tool','q':[[0,0],[0,1]],'position':[[0,0,0],[1,0,0]]}",
                422, "wrong-length", "/q", "");
    tqt_refused("planar-2r", op, "{'frame':'tool','q':[[0,0],[0,1]],'plane':[0,0],'base':{}}", 422,
                "invalid-value", "/base", "");
    tqt_refused("planar-2r", op, "{'frame':'tool','q':[[0,0],[0,1]],'plane':[0,100]}", 422, "range",
                "/plane/1", "");
    tqt_refused("four-bar", op, "{'q':[[0,0,0]],'position':[[0,0,0]]}", 422, "invalid-robot", "",
                "");
}
