/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/simulate/test_constrained_growth.c - the verdict on robots with
 * constraints: errors that satisfy the constraints, and their growth rate. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

/* a bob on a rod of 0.8 m, with its position as coordinates */
static const char bob[] =
    "{'gravity': [0, -9.81, 0], 'links': [{'name': 'o'}, {'name': 'a'}, {'name': 'b', 'mass': 1.5, "
    "'com': [0, 0, 0]}], 'joints': [{'name': 'x', 'kind': 'prismatic', 'parent': 'o', 'child': "
    "'a', 'axis': [1, 0, 0]}, {'name': 'y', 'kind': 'prismatic', 'parent': 'a', 'child': 'b', "
    "'axis': [0, 1, 0]}], 'constraints': [{'name': 'rod', 'kind': 'distance', 'a': {'link': 'o'}, "
    "'b': {'link': 'b'}, 'length': 0.8}]}";
static const double w = 3.5017852589786256; /* sqrt(9.81 / 0.8), 1/s */

static json_t *rest(double angle, const char *more)
{
    char body[512];
    (void)snprintf(body, sizeof body,
                   "{'initial': {'q': [%.17g, %.17g]}, 'duration_s': 0.1, 'output': {'interval_s': "
                   "0.05}%s}",
                   0.8 * sin(angle), -0.8 * cos(angle), more);
    return tqt_ask(bob, "simulate", body);
}

static bool is_null(const json_t *value)
{
    return json_is_null(value);
}

Test(constrained_growth, a_pendulum_hangs_or_falls)
{
    /* hanging it oscillates with w, upright its errors grow with rate w */
    json_t *answer = rest(0.0, "");
    /* differences of 6e-6: 1e-10 of w^2, and its root */
    cr_expect(fabs(tqt_number(answer, "verdict.growth_rate_per_s")) < 1e-5);
    cr_expect(fabs(tqt_number(answer, "verdict.fastest_growth.frequency_rad_s") - w) < 1e-6);
    cr_expect(strcmp(json_string_value(tqt_at(answer, "verdict.loop")), "open") == 0);
    json_decref(answer);
    answer = rest(3.14159265358979323846, "");
    cr_expect(fabs(tqt_number(answer, "verdict.growth_rate_per_s") - w) < 1e-6);
    cr_expect(fabs(tqt_number(answer, "verdict.doubling_time_s") - log(2.0) / w) < 1e-6);
    json_decref(answer);
    /* at an angle a, held by a force along the circle: errors grow as exp(t sqrt(-g cos(a) / l)) */
    const double a = 2.0, push = 1.5 * 9.81 * sin(a);
    char more[256];
    (void)snprintf(more, sizeof more,
                   ", 'input': {'kind': 'torque', 't': [0, 1], 'tau': [[%.17g, %.17g], [%.17g, "
                   "%.17g]]}",
                   push * cos(a), push * sin(a), push * cos(a), push * sin(a));
    answer = rest(a, more);
    /* the force has its maximum there, so that a small rotation does not change it */
    const double want = sqrt(-9.81 / 0.8 * cos(a));
    cr_expect(fabs(tqt_number(answer, "verdict.growth_rate_per_s") - want) < 1e-5);
    json_decref(answer);
}

/* dry friction jumps at rest, but is a constant force on either side: upright, where the force is
 * along the circle, errors grow as without it; downwards they oscillate */
Test(constrained_growth, dry_friction_at_rest_is_no_damping)
{
    char rubbed[sizeof bob + 64], body[256];
    const char *rail = strstr(bob, "'axis': [1, 0, 0]");
    (void)snprintf(rubbed, sizeof rubbed, "%.*s'friction': {'coulomb': 0.5}, %s", (int)(rail - bob),
                   bob, rail);
    for (int up = 0; up < 2; up++) {
        (void)snprintf(
            body, sizeof body,
            "{'initial': {'q': [0, %g]}, 'duration_s': 0.1, 'output': {'interval_s': 0.05}}",
            up ? 0.8 : -0.8);
        json_t *answer = tqt_ask(rubbed, "simulate", body);
        cr_expect(
            lt(dbl, fabs(tqt_number(answer, "verdict.growth_rate_per_s") - (up ? w : 0.0)), 1e-5));
        json_decref(answer);
    }
}

/* the roots of the control law, -4 and -5, for any loop */
Test(constrained_growth, a_controlled_loop_has_the_roots_of_its_law)
{
    tqa_robot *robot = tqt_builtin("four-bar");
    const double *q = robot->assembled;
    char body[1024];
    (void)snprintf(body, sizeof body,
                   "{'initial': {'q': [%.17g, %.17g, %.17g]}, 'duration_s': 0.1, 'output': "
                   "{'interval_s': 0.05}, 'input': {'kind': 'hybrid-position-force', 'reference': "
                   "{'setpoint': [%.17g, 0, 0]}, 'kp': 20, 'kd': 9}}",
                   q[0], q[1], q[2], q[0]);
    json_t *answer = tqt_ask("four-bar", "simulate", body);
    cr_expect(fabs(tqt_number(answer, "verdict.growth_rate_per_s") + 4.0) < 1e-5);
    cr_expect(strcmp(json_string_value(tqt_at(answer, "verdict.loop")), "closed") == 0);
    const bool none = is_null(tqt_at(answer, "verdict.doubling_time_s"));
    cr_expect(none);
    json_decref(answer);
    tqa_robot_free(robot);
}

/* a rolling disk has four independent coordinates and two independent velocities */
Test(constrained_growth, nonholonomic_rows_bind_velocities_alone)
{
    json_t *answer = tqt_ask(
        "rolling-disk", "simulate",
        "{'initial': {'q': [0, 0, 0.3, 0]}, 'duration_s': 0.1, 'output': {'interval_s': 0.05}, "
        "'input': {'kind': 'nonholonomic', 'reference': {'setpoint': [0, 0, 0, 0]}, 'kd': "
        "4}}");
    cr_expect(fabs(tqt_number(answer, "verdict.growth_rate_per_s")) < 1e-5);
    json_decref(answer);
    answer =
        tqt_ask("rolling-disk", "simulate",
                "{'initial': {'q': [0, 0, 0, 0]}, 'duration_s': 0.1, 'output': {'interval_s': "
                "0.05}, 'input': {'kind': 'pd', 'sample_time_s': 0.01, 'reference': {'setpoint': "
                "[0, 0, 0, 0]}, 'kp': 1, 'kd': 4}}");
    const bool none = is_null(tqt_at(answer, "verdict.growth_rate_per_s"));
    cr_expect(none);
    json_decref(answer);
}
