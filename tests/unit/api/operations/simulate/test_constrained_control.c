/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/simulate/test_constrained_control.c - hybrid control laws as requested
 * by users; joints that are not actuated. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

enum { BODY = 4096 };

/* a bob with three drives on a sphere of 0.8 m */
static const char bob[] =
    "{'gravity': [0, 0, -9.81], 'links': [{'name': 'o'}, {'name': 'a'}, {'name': 'b'}, {'name': "
    "'c', 'mass': 1.5, 'com': [0, 0, 0]}], 'joints': [{'name': 'x', 'kind': 'prismatic', 'parent': "
    "'o', 'child': 'a', 'axis': [1, 0, 0]}, {'name': 'y', 'kind': 'prismatic', 'parent': 'a', "
    "'child': 'b', 'axis': [0, 1, 0]}, {'name': 'z', 'kind': 'prismatic', 'parent': 'b', 'child': "
    "'c', 'axis': [0, 0, 1]}], 'constraints': [{'name': 'globe', 'kind': 'point-on-sphere', "
    "'sphere': {'link': 'o', 'radius': 0.8}, 'point': {'link': 'c'}}]}";

/* start at (0.3, 0.2), goal (0.1, -0.2); kp 16 and kd 8 are critically damped: e = (1 + 4 t) exp(-4
 * t) */
static void ask_bob(char *body, const char *force, const char *more)
{
    (void)snprintf(
        body, BODY,
        "{'initial': {'q': [0.3, 0.2, %.17g]}, 'duration_s': 2, 'output': {'interval_s': "
        "0.1}, 'solver': {'method': 'dopri87', 'rtol': 1e-11, 'atol': 1e-12}, 'input': "
        "{'kind': 'hybrid-position-force', 'reference': {'setpoint': [0.1, -0.2, 0]}, "
        "'coordinates': ['x', 'y'], 'kp': 16, 'kd': 8, 'force': %s%s}, 'include': "
        "['tracking_error', 'multipliers']}",
        sqrt(0.64 - 0.09 - 0.04), force, more);
}

static int status_of(const char *slug)
{
    return strcmp(slug, "unknown-field") == 0 ? 400 : 422;
}

Test(constrained_control, position_and_force_follow_their_own_errors)
{
    char body[BODY];
    ask_bob(body, "{'rows': ['globe'], 't': [0, 1, 2], 'values': [[-7], [-12], [-9]]}", "");
    json_t *answer = tqt_ask(bob, "simulate", body);
    for (size_t k = 0; k <= 20; k++) {
        const double t = 0.1 * (double)k, left = (1.0 + 4.0 * t) * exp(-4.0 * t);
        char path[2][64];
        for (int c = 0; c < 2; c++) {
            (void)snprintf(path[c], sizeof path[c], "tracking_error.%zu.%d", k, c);
        }
        /* 1e-11 a step, some hundred steps */
        cr_expect(fabs(tqt_number(answer, path[0]) + 0.2 * left) < 1e-8);
        cr_expect(fabs(tqt_number(answer, path[1]) + 0.4 * left) < 1e-8);
        (void)snprintf(path[0], sizeof path[0], "multipliers.%zu.0", k);
        (void)snprintf(path[1], sizeof path[1], "tracking_error.%zu.2", k);
        const double goal = t < 1.0 ? -7.0 - 5.0 * t : -12.0 + 3.0 * (t - 1.0);
        cr_expect(fabs(tqt_number(answer, path[0]) - goal) < 1e-9); /* the controller's model is
                                                                       exact */
        cr_expect(tqt_number(answer, path[1]) == 0.0);              /* z is not controlled */
    }
    cr_expect(tqt_number(answer, "tracking.force.max.0") < 1e-9);
    cr_expect(strcmp(json_string_value(tqt_at(answer, "tracking.force.rows.0")), "globe") == 0);
    cr_expect(fabs(tqt_number(answer, "audit.energy.relative")) < 1e-7);
    json_decref(answer);
}

/* a not-a-knot spline through four points of a cubic is that cubic: -8 + 3 t - 4 t^2 + 1.5 t^3 */
Test(constrained_control, a_cubic_force_goal_is_followed_between_its_points)
{
    char body[BODY];
    ask_bob(body,
            "{'rows': ['globe'], 't': [0, 0.5, 1, 2], 'values': [[-8], [-7.3125], [-7.5], [-6]], "
            "'interpolation': 'cubic'}",
            "");
    json_t *answer = tqt_ask(bob, "simulate", body);
    for (size_t k = 0; k <= 20; k++) {
        const double t = 0.1 * (double)k;
        char path[64];
        (void)snprintf(path, sizeof path, "multipliers.%zu.0", k);
        cr_expect(fabs(tqt_number(answer, path) - (-8.0 + t * (3.0 + t * (1.5 * t - 4.0)))) < 1e-9);
    }
    json_decref(answer);
}

/* a controller with too small a mass in its model commands too small a force: the integral removes
 * the error, without it the error remains */
Test(constrained_control, an_error_of_force_decays_by_its_integral)
{
    static const char *const forces[] = {"{'values': [-7]}", "{'values': [-7], 'ki': 5}"};
    double left[2];
    for (int k = 0; k < 2; k++) {
        char body[BODY];
        ask_bob(body, forces[k], ", 'model': {'mass_scale': 0.5}, 'ki': 4");
        json_t *answer = tqt_ask(bob, "simulate", body);
        left[k] = fabs(tqt_number(answer, "tracking.force.final.0"));
        json_decref(answer);
    }
    /* half of the weight of 14.7 N is missing in the model, most of it along the normal */
    cr_expect(left[0] > 1.0 && left[1] < 0.05 * left[0], "%g, %g", left[0], left[1]);
}

/* Both velocities go to 0.5 and 3 rad/s as 1 - exp(-4 t), so that the disk stays on one circle of
 * radius 0.2 * 3 / 0.5; only steering and wheel are actuated. */
Test(constrained_control, a_rolling_disk_follows_its_circle)
{
    json_t *answer = tqt_ask(
        "rolling-disk", "simulate",
        "{'initial': {'q': [0, 0, 0, 0]}, 'duration_s': 6, 'output': {'interval_s': 0.25}, 'solver': "
        "{'method': 'dopri87', 'rtol': 1e-11, 'atol': 1e-12}, 'input': {'kind': 'nonholonomic', "
        "'reference': {'table': {'t': [0, 6], 'q': [[0, 0, 0, 0], [0, 0, 3, 18]], 'qd': [[0, 0, "
        "0.5, 3], [0, 0, 0.5, 3]], 'qdd': [[0, 0, 0, 0], [0, 0, 0, 0]]}}, 'kd': 4}}");
    for (size_t k = 0; k <= 24; k++) {
        double q[4], qd[4], tau[4];
        char path[32];
        const double t = 0.25 * (double)k;
        (void)snprintf(path, sizeof path, "q.%zu", k);
        tqt_numbers(answer, path, q, 4);
        (void)snprintf(path, sizeof path, "qd.%zu", k);
        tqt_numbers(answer, path, qd, 4);
        (void)snprintf(path, sizeof path, "tau.%zu", k);
        tqt_numbers(answer, path, tau, 4);
        cr_expect(fabs(hypot(q[0], q[1] - 1.2) - 1.2) < 1e-8, "%g s: %g %g", t, q[0], q[1]);
        cr_expect(fabs(qd[2] - 0.5 * (1.0 - exp(-4.0 * t))) < 1e-8);
        cr_expect(fabs(qd[3] - 3.0 * (1.0 - exp(-4.0 * t))) < 1e-8);
        cr_expect(tau[0] == 0.0 && tau[1] == 0.0, "nothing pushes the place itself");
    }
    cr_expect(fabs(tqt_number(answer, "audit.energy.relative")) < 1e-8);
    cr_expect(strcmp(json_string_value(tqt_at(answer, "verdict.outcome")), "completed") == 0);
    json_decref(answer);
}

/* one actuator moves a closed loop: the crank's error obeys the control law, and all other joints
 * follow */
Test(constrained_control, a_crank_drives_its_loop)
{
    tqa_robot *robot = tqt_builtin("four-bar");
    const double *at = robot->assembled;
    char body[BODY];
    (void)snprintf(body, sizeof body,
                   "{'initial': {'q': [%.17g, %.17g, %.17g]}, 'duration_s': 1.5, 'output': "
                   "{'interval_s': 0.1}, 'solver': {'method': 'dopri87', 'rtol': 1e-11, 'atol': "
                   "1e-12}, 'input': {'kind': 'hybrid-position-force', 'reference': {'setpoint': "
                   "[%.17g, 0, 0]}, 'kp': 16, 'kd': 8}, 'include': ['tracking_error']}",
                   at[0], at[1], at[2], at[0] + 1.0);
    json_t *answer = tqt_ask("four-bar", "simulate", body);
    for (size_t k = 0; k <= 15; k++) {
        const double t = 0.1 * (double)k;
        double e[3], tau[3];
        char path[32];
        (void)snprintf(path, sizeof path, "tracking_error.%zu", k);
        tqt_numbers(answer, path, e, 3);
        (void)snprintf(path, sizeof path, "tau.%zu", k);
        tqt_numbers(answer, path, tau, 3);
        cr_expect(fabs(e[0] - (1.0 + 4.0 * t) * exp(-4.0 * t)) < 1e-8, "%g: %g", t, e[0]);
        cr_expect(tau[1] == 0.0 && tau[2] == 0.0 && e[1] == 0.0 && e[2] == 0.0);
    }
    json_decref(answer);
    tqa_robot_free(robot);
}

Test(constrained_control, wrong_requests_have_their_place)
{
    static const struct {
        const char *robot, *input, *slug, *pointer;
    } rows[] = {
        {"planar-2r", "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0]}, 'kd': 1",
         "invalid-value", "/input/kind"},
        {"rolling-disk",
         "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': 1, "
         "'kp': 1",
         "invalid-value", "/input/kp"},
        {"rolling-disk", "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}",
         "missing-field", "/input/kd"},
        {"rolling-disk",
         "'kind': 'hybrid-position-force', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': 1",
         "missing-field", "/input/kp"},
        {"rolling-disk",
         "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': 1, 'coordinates': "
         "['theta']",
         "invalid-value", "/input/coordinates"},
        {"rolling-disk",
         "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': 1, 'coordinates': "
         "['theta', 'theta']",
         "invalid-value", "/input/coordinates/1"},
        {"rolling-disk",
         "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': 1, 'coordinates': "
         "['theta', 'wheel']",
         "unknown-name", "/input/coordinates/1"},
        /* heading along x: y is constant while the disk rolls */
        {"rolling-disk",
         "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': 1, 'coordinates': "
         "['theta', 'y']",
         "singular", "/input/coordinates"},
        {"rolling-disk",
         "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': 1, 'force': "
         "{'values': [0, 0]}",
         "invalid-value", "/input/force"},
        {"rolling-disk",
         "'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': 1, 'sample_time_s': 1",
         "unknown-field", "/input/sample_time_s"},
        {"rolling-disk",
         "'kind': 'pd', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kp': 1, 'kd': 1, "
         "'force': {'values': [0, 0]}",
         "unknown-field", "/input/force"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char body[BODY];
        (void)snprintf(body, sizeof body,
                       "{'initial': {'q': [0, 0%s]}, 'duration_s': 1, 'output': {'interval_s': 1}, "
                       "'input': {%s}}",
                       strcmp(rows[i].robot, "planar-2r") == 0 ? "" : ", 0, 0", rows[i].input);
        tqt_refused(rows[i].robot, "simulate", body, status_of(rows[i].slug), rows[i].slug,
                    rows[i].pointer, NULL);
    }
}

Test(constrained_control, wrong_forces_have_their_place)
{
    static const struct {
        const char *force, *slug, *pointer;
    } rows[] = {
        {"{}", "missing-field", "/input/force/values"},
        {"{'values': [1, 2]}", "wrong-length", "/input/force/values"},
        {"{'values': [1], 'rows': ['ball']}", "unknown-name", "/input/force/rows/0"},
        {"{'values': [1], 'rows': []}", "wrong-length", "/input/force/rows"},
        {"{'values': [[1], [2]], 't': [1, 0]}", "range", "/input/force/t/1"},
        {"{'values': [[1]], 't': [0, 1]}", "wrong-length", "/input/force/values"},
        {"{'values': [1], 'ki': -1}", "range", "/input/force/ki"},
        {"{'values': [1], 'gain': 1}", "unknown-field", "/input/force/gain"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char body[BODY];
        ask_bob(body, rows[i].force, "");
        tqt_refused(bob, "simulate", body, status_of(rows[i].slug), rows[i].slug, rows[i].pointer,
                    NULL);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Joints that are not actuated
 */

static const char cart_pole[] =
    "{'gravity': [0, 0, -9.81], 'links': [{'name': 'rail'}, {'name': 'cart', 'mass': 1, 'com': [0, "
    "0, 0]}, {'name': 'pole', 'mass': 0.2, 'com': [0, 0, 0.5]}], 'joints': [{'name': 'slide', "
    "'kind': 'prismatic', 'parent': 'rail', 'child': 'cart', 'axis': [1, 0, 0]}, {'name': 'hinge', "
    "'kind': 'continuous', 'parent': 'cart', 'child': 'pole', 'axis': [0, 1, 0]}], 'actuated': "
    "['slide']}";

/* the pole falls as if the cart were held: theta'' = g sin(theta) / l for a point mass, for any
 * command of the controller */
Test(constrained_control, passive_joints_get_no_torque, .timeout = 60)
{
    static const char *const laws[] = {
        "'kind': 'pd', 'kp': 1e5, 'kd': 2000",
        "'kind': 'pd-gravity', 'kp': 1e5, 'kd': 2000, 'ki': 10",
        "'kind': 'computed-torque', 'kp': 1e5, 'kd': 2000, 'sample_time_s': 0.0001, 'ki': 10",
        "'kind': 'passivity-based', 'lambda': 50, 'kd': 2000",
        "'kind': 'feedforward'",
    };
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        char body[BODY];
        (void)snprintf(body, sizeof body,
                       "{'initial': {'q': [0, 0.1]}, 'duration_s': 0.4, 'output': {'interval_s': "
                       "0.05}, 'input': {%s, 'reference': {'setpoint': [0, 0]}}}",
                       laws[i]);
        json_t *answer = tqt_ask(cart_pole, "simulate", body);
        double last[2];
        for (size_t k = 0; k <= 8; k++) {
            double tau[2];
            char path[32];
            (void)snprintf(path, sizeof path, "tau.%zu", k);
            tqt_numbers(answer, path, tau, 2);
            cr_expect(tau[1] == 0.0, "%s: the hinge is pushed by %g", laws[i], tau[1]);
        }
        tqt_numbers(answer, "q.8", last, 2);
        cr_expect(last[1] > 0.25, "%s: the pole rests at %g", laws[i], last[1]);
        json_decref(answer);
    }
}

Test(constrained_control, nothing_bounces_under_constraints)
{
    static const char hanging[] =
        "{'gravity': [0, -9.81, 0], 'links': [{'name': 'o'}, {'name': 'a'}, {'name': 'b', 'mass': "
        "1, 'com': [0, 0, 0]}], 'joints': [{'name': 'x', 'kind': 'prismatic', 'parent': 'o', "
        "'child': 'a', 'axis': [1, 0, 0], 'limits': {'lower': -1, 'upper': 1}}, {'name': 'y', "
        "'kind': 'prismatic', 'parent': 'a', 'child': 'b', 'axis': [0, 1, 0]}], 'constraints': "
        "[{'kind': 'equation', 'expression': 'y - x^2'}]}";
    tqt_refused(hanging, "simulate",
                "{'initial': {'q': [0.5, 0.25]}, 'duration_s': 1, 'output': {'interval_s': 1}, "
                "'events': [{'on': 'limits', 'action': 'report'}, {'on': 'limits', 'action': "
                "'bounce'}]}",
                422, "invalid-value", "/events/1/action", NULL);
}

/* ------------------------------------------------------------------------------------------------
 * Rotating bodies
 */

/* a free body in space: errors of position and orientation decay by e'' + 8 e' + 16 e = 0, along a
 * straight line and about one axis, for any angle */
Test(constrained_control, a_free_body_goes_to_its_pose)
{
    static const char body_text[] =
        "{'gravity': [0, 0, 0], 'links': [{'name': 'space'}, {'name': 'body', 'mass': 2, 'com': [0, "
        "0, 0], 'inertia_about': 'com', 'inertia': [[0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.25]]}], "
        "'joints': [{'name': 'free', 'kind': 'floating', 'parent': 'space', 'child': 'body'}]}";
    /* the goal is rotated by 2.5 about (0.6, 0, 0.8); the body starts there with the negative
     * quaternion, and rotates back */
    const double half = 1.25, s = sin(half), c = cos(half);
    char body[BODY];
    (void)snprintf(
        body, sizeof body,
        "{'initial': {'q': [0, 0, 0, 1, 0, 0, 0]}, 'duration_s': 2, 'output': {'interval_s': "
        "0.2}, 'solver': {'rtol': 1e-11, 'atol': 1e-12}, 'input': {'kind': "
        "'computed-torque', 'reference': {'setpoint': [1, -2, 0.5, %.17g, %.17g, 0, "
        "%.17g]}, 'kp': 16, 'kd': 8}, 'include': ['tracking_error']}",
        -c, -0.6 * s, -0.8 * s);
    json_t *answer = tqt_ask(body_text, "simulate", body);
    for (size_t k = 0; k <= 10; k++) {
        const double t = 0.2 * (double)k, left = (1.0 + 4.0 * t) * exp(-4.0 * t);
        static const double goal[3] = {1.0, -2.0, 0.5};
        double e[6], q[7];
        char path[32];
        (void)snprintf(path, sizeof path, "q.%zu", k);
        tqt_numbers(answer, path, q, 7);
        for (int r = 0; r < 3; r++) {
            cr_expect(fabs(goal[r] * (1.0 - left) - q[r]) < 1e-8, "%g s: %g", t, q[r]);
        }
        (void)snprintf(path, sizeof path, "tracking_error.%zu", k);
        tqt_numbers(answer, path, e, 6);
        cr_expect(fabs(e[3] - 0.6 * 2.5 * left) < 1e-8, "%g s: %g", t, e[3]);
        cr_expect(fabs(e[4]) < 1e-8);
        cr_expect(fabs(e[5] - 0.8 * 2.5 * left) < 1e-8, "%g s: %g", t, e[5]);
    }
    json_decref(answer);
}

/* legs of a robot with an unactuated base: it keeps its shape while it falls */
Test(constrained_control, legs_hold_themselves_while_the_base_falls, .timeout = 60)
{
    tqa_robot *robot = tqt_builtin("quadruped");
    const tq_model *model = robot->model;
    char q[512], body[BODY];
    size_t n = (size_t)snprintf(q, sizeof q, "0, 0, 1, 1, 0, 0, 0");
    for (uint32_t k = 7; k < model->nq; k++) {
        n += (size_t)snprintf(q + n, sizeof q - n, ", %g", k % 3 == 2 ? -1.2 : 0.3);
    }
    static const char *const laws[] = {"'kind': 'pd', 'kp': 300, 'kd': 10",
                                       "'kind': 'pd-gravity', 'kp': 300, 'kd': 10, 'ki': 1",
                                       "'kind': 'passivity-based', 'lambda': 10, 'kd': 10",
                                       "'kind': 'computed-torque', 'kp': 400, 'kd': 40, "
                                       "'sample_time_s': 0.001"};
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        (void)snprintf(body, sizeof body,
                       "{'initial': {'q': [%s]}, 'duration_s': 0.2, 'output': {'interval_s': 0.1}, "
                       "'input': {%s, 'reference': {'setpoint': [%s]}}}",
                       q, laws[i], q);
        json_t *answer = tqt_ask("quadruped", "simulate", body);
        cr_expect(strcmp(json_string_value(tqt_at(answer, "verdict.outcome")), "completed") == 0,
                  "%s", laws[i]);
        double tau[64];
        tqt_numbers(answer, "tau.2", tau, model->nv);
        for (uint32_t k = 6; k < model->nv; k++) {
            cr_expect(isfinite(tau[k]));
        }
        json_decref(answer);
    }
    (void)snprintf(
        body, sizeof body,
        "{'initial': {'q': [%s]}, 'duration_s': 1, 'output': {'interval_s': 1}, 'input': "
        "{'kind': 'pd', 'kp': 1, 'kd': 1, 'reference': {'setpoint': [%s]}}}",
        q, q);
    char *w = strstr(strstr(body, "setpoint"), "1, 1, 0");
    w[3] = '2'; /* a quaternion of length 2 */
    tqt_refused("quadruped", "simulate", body, 422, "quaternion", "/input/reference/setpoint",
                NULL);
    (void)snprintf(
        body, sizeof body,
        "{'initial': {'q': [%s]}, 'duration_s': 1, 'output': {'interval_s': 1}, 'input': "
        "{'kind': 'pd', 'kp': 1, 'kd': 1, 'reference': {'waypoints': [[%s], [%s]], "
        "'times_s': [0, 1]}}}",
        q, q, q);
    tqt_refused("quadruped", "simulate", body, 422, "invalid-value", "/input/reference/waypoints",
                "\"setpoint\" takes every joint, quaternions included");
    tqa_robot_free(robot);
}
