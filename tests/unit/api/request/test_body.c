/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/request/test_body.c - inertia and rigid-body by api/operation.h. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

static const double tight = 1e-14; /* some ten eps of numbers of order 1 */

Test(seeds, item_009_010_box_and_parallel_axis_over_the_api)
{
    json_t *a = tqt_ask(NULL, "inertia",
                        "{'bodies':[{'mass':2,'shape':'box','size':[0.1,0.2,0.3],'com':[0.3,-0.4,"
                        "0.5]}],'about':[0.3,-0.4,0.5]}");
    double about_com[9], about_origin[9], about_point[9];
    tqt_numbers(a, "inertia", about_com, 9);
    tqt_numbers(a, "inertia_about_origin", about_origin, 9);
    tqt_numbers(a, "inertia_about_point", about_point, 9);
    cr_assert(epsilon_eq(dbl, about_com[0], 2 * (0.04 + 0.09) / 12, tight));
    cr_assert(epsilon_eq(dbl, about_com[4], 2 * (0.01 + 0.09) / 12, tight));
    cr_assert(epsilon_eq(dbl, about_com[8], 2 * (0.01 + 0.04) / 12, tight));
    cr_assert(epsilon_eq(dbl, about_origin[1], 0.0 - 2 * 0.3 * -0.4, tight), "minus m x y");
    cr_assert(epsilon_eq(dbl, about_origin[0], about_com[0] + 2 * (0.16 + 0.25), tight));
    for (int k = 0; k < 9; k++) {
        cr_assert(epsilon_eq(dbl, about_point[k], about_com[k], tight));
    }
    json_decref(a);
}

Test(seeds, item_007_011_principal_axes_over_the_api)
{
    /* a rotation does not change trace and principal moments; the axes rotate with the body */
    json_t *a = tqt_ask(NULL, "inertia",
                        "{'bodies':[{'mass':1,'shape':'box','size':[0.1,0.2,0.3],'pose':{"
                        "'quaternion_wxyz':[0.5,0.5,0.5,0.5]}}]}");
    double moments[3], axes[9], tensor[9];
    tqt_numbers(a, "principal.moments", moments, 3);
    tqt_numbers(a, "principal.axes", axes, 9);
    tqt_numbers(a, "inertia", tensor, 9);
    cr_assert(epsilon_eq(dbl, moments[0], (0.01 + 0.04) / 12, tight));
    cr_assert(epsilon_eq(dbl, moments[2], (0.04 + 0.09) / 12, tight));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double product = 0;
            for (int k = 0; k < 9; k++) {
                product += axes[3 * (k / 3) + i] * tensor[k] * axes[3 * (k % 3) + j];
            }
            cr_assert(epsilon_eq(dbl, product, i == j ? moments[i] : 0.0, tight));
        }
    }
    cr_assert(epsilon_eq(dbl, tensor[4], (0.04 + 0.09) / 12, tight), "x goes to y");
    json_decref(a);
}

Test(inertia, parts_and_holes_and_another_frame)
{
    json_t *a = tqt_ask(NULL, "inertia",
                        "{'bodies':[{'mass':3,'shape':'point','com':[1,0,0]},{'mass':1,'shape':"
                        "'point','com':[0,1,0]},{'mass':1,'shape':'point','com':[1,0,0],"
                        "'subtract':true}],'frame':{'position':[1,1,0],'rotation':[[0,-1,0],"
                        "[1,0,0],[0,0,1]]}}");
    double com[3];
    tqt_numbers(a, "com", com, 3);
    cr_assert(epsilon_eq(dbl, tqt_number(a, "mass"), 3.0, tight));
    /* (2/3, 1/3, 0) in a frame at (1, 1) with x along y and y along -x */
    cr_assert(epsilon_eq(dbl, com[0], -2.0 / 3, tight));
    cr_assert(epsilon_eq(dbl, com[1], 1.0 / 3, tight));
    /* two points: reduced mass 2/3 times the square of their distance, 2 */
    cr_assert(epsilon_eq(dbl, tqt_number(a, "inertia.2.2"), 4.0 / 3, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "spatial_inertia.0.0"), 3.0, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "pseudo_inertia.3.0"), -2.0, tight), "m c");
    json_decref(a);
}

Test(seeds, item_019_consistency_over_the_api)
{
    json_t *a = tqt_ask(NULL, "inertia",
                        "{'bodies':[{'mass':1,'inertia':[[1,0,0],[0,1,0],[0,0,3]],"
                        "'inertia_about':'com'}]}");
    cr_assert(eq(int, json_typeof(tqt_at(a, "consistency.consistent")), JSON_FALSE));
    cr_assert(eq(int, json_typeof(tqt_at(a, "consistency.triangle")), JSON_FALSE));
    cr_assert(eq(int, json_typeof(tqt_at(a, "consistency.mass_positive")), JSON_TRUE));
    cr_assert(lt(dbl, tqt_number(a, "consistency.margin"), 0.0));
    char *body = NULL;
    json_t *next = json_pack("{s:[O]}", "bodies", tqt_at(a, "nearest_consistent"));
    body = json_dumps(next, JSON_REAL_PRECISION(17));
    json_t *b = tqt_ask(NULL, "inertia", body);
    cr_assert(eq(int, json_typeof(tqt_at(b, "consistency.consistent")), JSON_TRUE));
    /* Sigma = diag(1.5, 1.5, -0.5) loses its negative part; I = tr(Sigma) - Sigma */
    cr_assert(epsilon_eq(dbl, tqt_number(b, "inertia.0.0"), 1.5, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(b, "inertia.2.2"), 3.0, tight));
    free(body);
    json_decref(next), json_decref(a), json_decref(b);
}

Test(seeds, item_001_to_004_point_motion_over_the_api)
{
    json_t *a = tqt_ask(NULL, "rigid-body",
                        "{'axis_motion':{'axis':[1,0,0],'axis_rate':[0,3,0],'rate_rad_s':2,"
                        "'acceleration':5},'point_motion':{'angular_velocity':[0,0,2],"
                        "'angular_acceleration':[0,0,3],'position':[1,0,0],'velocity':[0.5,0,0],"
                        "'acceleration':[0.25,0,0],'origin_acceleration':[0,0,7]}}");
    double wd[3], total[3];
    tqt_numbers(a, "axis_motion.angular_acceleration", wd, 3);
    tqt_numbers(a, "point_motion.acceleration.total", total, 3);
    cr_assert(epsilon_eq(dbl, wd[0], 5.0, tight));
    cr_assert(epsilon_eq(dbl, wd[1], 6.0, tight), "w p, at right angles to the axis");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "point_motion.velocity.1"), 2.0, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "point_motion.acceleration.centripetal.0"), -4, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "point_motion.acceleration.euler.1"), 3.0, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "point_motion.acceleration.coriolis.1"), 2.0, tight));
    cr_assert(epsilon_eq(dbl, total[0], 0.25 - 4.0, tight));
    cr_assert(epsilon_eq(dbl, total[1], 5.0, tight));
    cr_assert(epsilon_eq(dbl, total[2], 7.0, tight));
    json_decref(a);
}

Test(seeds, item_013_to_018_momentum_over_the_api)
{
    json_t *a = tqt_ask(NULL, "rigid-body",
                        "{'body':{'mass':2,'shape':'box','size':[0.1,0.2,0.3],'com':[0.1,0,0],"
                        "'pose':{'position':[1,2,3],'quaternion_wxyz':[0.6,0,0,0.8]},"
                        "'twist':[1,2,3,0.4,0.5,0.6],'expressed_in':'body',"
                        "'frame':{'position':[0.3,-0.2,0.1],'quaternion_wxyz':[0.8,0.6,0,0]}}}");
    double g[3], about_com[3], about_origin[3];
    tqt_numbers(a, "body.momentum.linear", g, 3);
    tqt_numbers(a, "body.momentum.angular_about_com", about_com, 3);
    tqt_numbers(a, "body.momentum.angular_about_origin", about_origin, 3);
    const double kinetic = tqt_number(a, "body.kinetic_energy");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "body.kinetic_energy_by_generalised_inertia"), kinetic,
                         100 * tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "body.frame.kinetic_energy"), kinetic, 100 * tight),
              "item 17: T does not depend on the frame");
    /* v_C = v + w x c in the body, rotated about z by 2 atan(0.8 / 0.6) */
    const double v[3] = {1, 2 + 0.06, 3 - 0.05}, c = 0.36 - 0.64, s = 0.96;
    cr_assert(epsilon_eq(dbl, g[0], 2 * (c * v[0] - s * v[1]), 100 * tight));
    cr_assert(epsilon_eq(dbl, g[1], 2 * (s * v[0] + c * v[1]), 100 * tight));
    cr_assert(epsilon_eq(dbl, g[2], 2 * v[2], 100 * tight));
    const double p[3] = {1 + 0.1 * c, 2 + 0.1 * s, 3};
    cr_assert(
        epsilon_eq(dbl, about_origin[2], about_com[2] + p[0] * g[1] - p[1] * g[0], 100 * tight));
    json_decref(a);
}

Test(seeds, item_071_072_newton_euler_over_the_api)
{
    /* about the centre of mass: f = m (v' + w x v), m = I w' + w x I w */
    json_t *a =
        tqt_ask(NULL, "rigid-body",
                "{'body':{'mass':2,'inertia':[[1,0,0],[0,2,0],[0,0,2.5]],'inertia_about':"
                "'com','twist':[1,2,3,0.4,0.5,0.6],'twist_rate':[1,0,0,0,1,0],"
                "'expressed_in':'body'},'lie_bracket':{'a':[1,2,3,4,5,6],'b':[6,5,4,3,2,1]}}");
    double f[3], m[3], bracket[6];
    tqt_numbers(a, "body.newton_euler.force", f, 3);
    tqt_numbers(a, "body.newton_euler.moment", m, 3);
    tqt_numbers(a, "lie_bracket", bracket, 6);
    cr_assert(epsilon_eq(dbl, f[0], 2 * (1 + 0.5 * 3 - 0.6 * 2), tight));
    cr_assert(epsilon_eq(dbl, f[1], 2 * (0.6 * 1 - 0.4 * 3), tight));
    cr_assert(epsilon_eq(dbl, m[0], 0.5 * 0.6 * (2.5 - 2), tight));
    cr_assert(epsilon_eq(dbl, m[1], 2 + 0.6 * 0.4 * (1 - 2.5), tight));
    /* w_a x v_b - w_b x v_a and w_a x w_b */
    cr_assert(epsilon_eq(dbl, bracket[0], (5 * 4 - 6 * 5) - (2 * 3 - 1 * 2), tight));
    cr_assert(epsilon_eq(dbl, bracket[3], 5 * 1 - 6 * 2, tight));
    json_decref(a);
}

/* clang-format off */
static const struct {
    const char *operation, *body;
    int status;
    const char *slug, *pointer;
} refusals[] = {
    {"inertia", "{}", 422, "missing-field", "/bodies"},
    {"inertia", "{'bodies':[{}]}", 422, "missing-field", "/bodies/0/mass"},
    {"inertia", "{'bodies':[{'mass':1}]}", 422, "missing-field", "/bodies/0/inertia"},
    {"inertia", "{'bodies':[{'mass':1,'inertia':[[1,0,0],[0,1,0],[0,0,1]]}]}", 422, "missing-field", "/bodies/0/inertia_about"},
    {"inertia", "{'bodies':[{'mass':1,'inertia':[[1,1,0],[0,1,0],[0,0,1]],'inertia_about':'com'}]}", 422, "invalid-value", "/bodies/0/inertia"},
    {"inertia", "{'bodies':[{'mass':1,'shape':'cylindre','size':[1,1]}]}", 422, "unknown-name", "/bodies/0/shape"},
    {"inertia", "{'bodies':[{'mass':1,'shape':'cylinder','size':[1]}]}", 422, "wrong-length", "/bodies/0/size"},
    {"inertia", "{'bodies':[{'mass':1,'shape':'cylinder','size':[1,-1]}]}", 422, "range", "/bodies/0/size/1"},
    {"inertia", "{'bodies':[{'mass':-1,'shape':'point'}]}", 422, "range", "/bodies/0/mass"},
    {"inertia", "{'bodies':[{'mass':1,'shape':'point','inertia':[]}]}", 422, "invalid-value", "/bodies/0/inertia"},
    {"inertia", "{'bodies':[{'mass':1,'shape':'point'}],'floor':0.5}", 422, "range", "/floor"},
    {"inertia", "{'bodies':[{'mass':1e200,'shape':'box','size':[1e100,1e100,1e100]}]}", 422, "overflow", ""},
    {"rigid-body", "{}", 422, "missing-field", "/body"},
    {"rigid-body", "{'axis_motion':{'axis':[1,1,0],'rate_rad_s':1}}", 422, "range", "/axis_motion/axis"},
    {"rigid-body", "{'axis_motion':{'axis':[1,0,0],'axis_rate':[1,0,0],'rate_rad_s':1}}", 422, "range", "/axis_motion/axis_rate"},
    {"rigid-body", "{'axis_motion':{'axis':[1,0,0]}}", 422, "missing-field", "/axis_motion/rate_rad_s"},
    {"rigid-body", "{'body':{'mass':1,'shape':'point','twist':[1,0,0,0,0,0]}}", 422, "missing-field", "/body/expressed_in"},
    {"rigid-body", "{'body':{'mass':1,'shape':'point','twist_rate':[1,0,0,0,0,0]}}", 422, "missing-field", "/body/twist"},
    {"rigid-body", "{'body':{'mass':1,'shape':'point','twist':[1,0,0,0,0,0],'twist_rate':[1,0,0,0,0,0],'expressed_in':'world'}}", 422, "invalid-value", "/body/expressed_in"},
    {"rigid-body", "{'lie_bracket':{'a':[1,2,3],'b':[0,0,0,0,0,0]}}", 422, "wrong-length", "/lie_bracket/a"},
    {"rigid-body", "{'point_motion':{'omega':[1,2,3]}}", 400, "unknown-field", "/point_motion/omega"},
};
/* clang-format on */

Test(inertia, refusals_have_their_place)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        tqt_refused(NULL, refusals[i].operation, refusals[i].body, refusals[i].status,
                    refusals[i].slug, refusals[i].pointer, NULL);
    }
}

/* a wrong value in one of n bodies is reported with its byte offset */
static void fault_has_its_byte(unsigned n_body, unsigned bad)
{
    char body[4096];
    char expected[40];
    size_t n = (size_t)snprintf(body, sizeof body, "{\"bodies\":[");
    for (unsigned k = 0; k < n_body; k++) {
        n += (size_t)snprintf(body + n, sizeof body - n,
                              "%s{\"mass\":%s,\"shape\":\"box\",\"size\":[0.1,0.2,0.3]}",
                              k > 0 ? "," : "", k == bad ? "\"two\"" : "2");
    }
    n += (size_t)snprintf(body + n, sizeof body - n, "]}");
    (void)snprintf(expected, sizeof expected, "(byte %zu of the body)",
                   (size_t)(strstr(body, "\"two\"") - body));
    tqt_answer answer = tqt_call(NULL, body, n, (tqt_call_options){.operation = "inertia"});
    cr_assert(eq(int, answer.status, 400));
    cr_assert(strstr(answer.problem.detail, expected) != NULL, "%u of %u, %s: %s", bad, n_body,
              expected, answer.problem.detail);
    tqt_answer_clear(&answer);
}

Test(inertia, a_fault_has_its_byte_however_much_was_sent)
{
    for (unsigned n = 1; n <= 60; n++) {
        fault_has_its_byte(n, 0);
        fault_has_its_byte(n, n / 2);
        fault_has_its_byte(n, n - 1);
    }
}
