/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/trajectory/test_limits.c - trajectories by limits, by api/operation.h.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

/* h = 1, v = 1, a = 2, j = 8: T_j = a / j = 0.25, T_a = T_j + v / a = 0.75, T = h / v + T_a
 * (Biagiotti & Melchiorri 2008, 3.4); without jerk limit h / v + v / a. */
Test(trajectory_limits, profiles_take_the_textbook_s_times)
{
    json_t *a = tqt_ask("planar-2r", "trajectory",
                        "{'waypoints':[[0,0],[1,-0.5]],'interval_s':0.5,'limits':{'kind':'s-curve',"
                        "'velocity':[1,1],'acceleration':[2,2],'jerk':[8,8]}}");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "duration_s"), 1.75, 1e-12));
    cr_assert(eq(sz, json_array_size(tqt_at(a, "t")), 5), "0, 0.5, 1, 1.5 and the end");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "t.4"), 1.75, 1e-12));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "q.4.1"), -0.5, 1e-12), "both arrive together");
    cr_assert(eq(sz, json_array_size(tqt_at(a, "binding")), 7));
    cr_assert(eq(str, (char *)json_string_value(tqt_at(a, "binding.3.limit")), "velocity"));
    json_decref(a);
    a = tqt_ask("planar-2r", "trajectory",
                "{'waypoints':[[0,0],[1,-0.5]],'interval_s':0.5,'limits':{'kind':'trapezoid',"
                "'velocity':[2,2],'velocity_factor':0.5,'acceleration':[2,2]}}");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "duration_s"), 1.5, 1e-12));
    cr_assert(eq(sz, json_array_size(tqt_at(a, "t")), 4));
    json_decref(a);
}

/* On a line the acceleration limit of the joint that moves most is active: 2 sqrt(h / a). */
Test(trajectory_limits, time_optimal_lines_are_bang_bang)
{
    json_t *a = tqt_ask("planar-2r", "trajectory",
                        "{'waypoints':[[0,0],[1,-0.5],[0,0]],'interval_s':0.1,'limits':{'kind':"
                        "'time-optimal','path':'lines','velocity':[9,9],'acceleration':[4,4],"
                        "'torque':[900,900],'tau':true}}");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "duration_s"), 2.0 * 2.0 * sqrt(1.0 / 4.0), 1e-4));
    cr_assert(eq(str, (char *)json_string_value(tqt_at(a, "binding.0.limit")), "acceleration"));
    cr_assert(eq(sz, json_array_size(tqt_at(a, "tau")), json_array_size(tqt_at(a, "t"))));
    json_decref(a);
}

/* panda's efforts are 87 N m of four joints and 12 of three: they bind where a request has none */
Test(trajectory_limits, the_robot_s_own_efforts_bind)
{
    static const char own[] = "", stated[] = ",'torque':[87,87,87,87,12,12,12]",
                      half[] = ",'torque':[60,60,60,60,12,12,12]";
    double duration[3];
    const char *const torques[] = {own, stated, half};
    for (size_t k = 0; k < 3; k++) {
        char body[400];
        snprintf(body, sizeof body,
                 "{'waypoints':[[0,0.5,0,-1.5,0,1.5,0],[0.1,-0.5,0,-1,0,1.5,0]],'interval_s':0.1,"
                 "'limits':{'kind':'time-optimal','acceleration':[90,90,90,90,90,90,90]%s}}",
                 torques[k]);
        json_t *a = tqt_ask("panda", "trajectory", body);
        duration[k] = tqt_number(a, "duration_s");
        json_decref(a);
    }
    cr_assert(eq(dbl, duration[0], duration[1]));
    cr_assert(duration[2] > 1.05 * duration[1], "%g, %g: no effort binds", duration[2],
              duration[1]);
}

Test(trajectory_limits, refuses_what_cannot_be)
{
    static const char *const bodies[][3] = {
        {"{'waypoints':[[0,0],[1,1]],'interval_s':0.1,'limits':{'kind':'time-optimal',"
         "'torque':[0.01,0.01]}}",
         "/limits", "range"},
        {"{'waypoints':[[0,0],[0,0]],'interval_s':0.1,'limits':{'kind':'time-optimal',"
         "'acceleration':[1,1]}}",
         "/waypoints/1", "invalid-value"},
        {"{'waypoints':[[0,0],[1,1]],'interval_s':0.1,'times_s':[0,1],'limits':{'kind':"
         "'trapezoid','acceleration':[1,1]}}",
         "/times_s", "invalid-value"},
        {"{'waypoints':[[0,0],[1,1]],'interval_s':0.1,'limits':{'kind':'trapezoid'}}",
         "/limits/acceleration", "missing-field"},
        {"{'waypoints':[[0,0],[1,1]],'interval_s':0.1,'limits':{'kind':'trapezoid',"
         "'acceleration':[1,1],'jerk':[1,1]}}",
         "/limits/jerk", "invalid-value"},
        {"{'waypoints':[[0,0],[1,1]],'interval_s':0.1,'limits':{'kind':'time-optimal',"
         "'grid':5000}}",
         "/limits/grid", "range"}};
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; k++) {
        tqt_refused("planar-2r", "trajectory", bodies[k][0], 422, bodies[k][2], bodies[k][1], NULL);
    }
}

/* puma560 has neither torque nor velocity limits: formerly the answer was 0.66 us */
Test(trajectory_limits, least_time_needs_a_bound_of_acceleration_or_torque)
{
    static const char *const path = "'waypoints':[[0,-0.7,0,-1.8,0,1.6],[0.5,-0.5,0,-1.7,0,1.5]],"
                                    "'interval_s':0.1,'limits':{'kind':'time-optimal'";
    char body[512];
    (void)snprintf(body, sizeof body, "{%s}}", path);
    tqt_refused("puma560", "trajectory", body, 422, "missing-field", "/limits", NULL);
    (void)snprintf(body, sizeof body, "{%s,'velocity':[1,1,1,1,1,1]}}", path);
    tqt_refused("puma560", "trajectory", body, 422, "missing-field", "/limits", NULL);
    (void)snprintf(body, sizeof body, "{%s,'acceleration':[2,2,2,2,2,2]}}", path);
    json_t *a = tqt_ask("puma560", "trajectory", body);
    cr_expect(gt(dbl, tqt_number(a, "duration_s"), 0.5));
    json_decref(a);
}
