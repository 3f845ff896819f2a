/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/simulate/test_constrained_friction.c - dry friction in closed loops:
 * sticking, slipping, coming to rest. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ask.h"

enum { TEXT = 4096 };

/* the gravity torque of the four-bar on its one dof; velocity of each joint per velocity of the
 * crank */
typedef struct balance {
    double q[3], speed[3], power;
} balance;

static balance balance_of(void)
{
    balance b;
    char body[256];
    double gravity[3];
    tqa_robot *four_bar = tqt_builtin("four-bar");
    memcpy(b.q, four_bar->assembled, sizeof b.q);
    tqa_robot_free(four_bar);
    const double a = b.q[0], c = b.q[0] + b.q[1], d = b.q[2];
    /* the pin's velocity by crank and coupler equals that by the rocker: 2 equations for 2
     * velocities */
    const double v[2] = {-(0.2 * sin(a) + 0.5 * sin(c)), 0.2 * cos(a) + 0.5 * cos(c)};
    const double m[4] = {-0.5 * sin(c), 0.4 * sin(d), 0.5 * cos(c), -0.4 * cos(d)};
    const double det = m[0] * m[3] - m[1] * m[2];
    b.speed[0] = 1.0;
    b.speed[1] = (-v[0] * m[3] + v[1] * m[1]) / det;
    b.speed[2] = (-v[1] * m[0] + v[0] * m[2]) / det;
    (void)snprintf(body, sizeof body, "{'q': [%.17g, %.17g, %.17g], 'include': ['gravity_torque']}",
                   b.q[0], b.q[1], b.q[2]);
    json_t *answer = tqt_ask("four-bar", "terms", body);
    tqt_numbers(answer, "gravity_torque", gravity, 3);
    b.power = 0.0;
    for (int k = 0; k < 3; k++) {
        b.power -= gravity[k] * b.speed[k];
    }
    json_decref(answer);
    return b;
}

/* the four-bar with dry friction in its joints */
static void four_bar(const double coulomb[3], char *text)
{
    static const char *const parents[] = {"ground", "crank", "ground"};
    static const char *const names[] = {"crank", "knee", "rocker"};
    static const char *const links[] = {"crank", "coupler", "rocker"};
    static const double lengths[] = {0.2, 0.5, 0.4}, at[] = {0.0, 0.2, 0.5};
    size_t n =
        (size_t)snprintf(text, TEXT, "{'gravity': [0, -9.81, 0], 'links': [{'name': 'ground'}");
    for (int k = 0; k < 3; k++) {
        n += (size_t)snprintf(text + n, TEXT - n,
                              ", {'name': '%s', 'solid': {'shape': 'bar', 'size': [%g], 'mass': "
                              "%g, 'pose': {'position': [%g, 0, 0]}}}",
                              links[k], lengths[k], 2.5 * lengths[k], 0.5 * lengths[k]);
    }
    for (int k = 0; k < 3; k++) {
        n += (size_t)snprintf(text + n, TEXT - n,
                              "%s {'name': '%s', 'kind': 'continuous', 'parent': '%s', 'child': "
                              "'%s', 'origin': {'position': [%g, 0, 0]}, 'axis': [0, 0, 1], "
                              "'friction': {'coulomb': %.17g}}",
                              k == 0 ? "], 'joints': [" : ",", names[k], parents[k], links[k],
                              at[k], coulomb[k]);
    }
    (void)snprintf(text + n, TEXT - n,
                   "], 'constraints': [{'name': 'pin', 'kind': 'loop', 'a': {'link': 'rocker', "
                   "'position': [0.4, 0, 0]}, 'b': {'link': 'coupler', 'position': [0.5, 0, 0]}, "
                   "'axes': ['x', 'y']}]}");
}

static json_t *release(const balance *b, const double coulomb[3], double duration,
                       const char *solver)
{
    char robot[TEXT], body[512];
    four_bar(coulomb, robot);
    (void)snprintf(body, sizeof body,
                   "{'initial': {'q': [%.17g, %.17g, %.17g]}, 'duration_s': %g, 'output': "
                   "{'interval_s': 0.1}, 'solver': %s, 'include': ['multipliers']}",
                   b->q[0], b->q[1], b->q[2], duration, solver);
    return tqt_ask(robot, "simulate", body);
}

static size_t count_events(json_t *answer, const char *kind)
{
    json_t *events = tqt_at(answer, "events");
    size_t n = 0;
    for (size_t k = 0; k < json_array_size(events); k++) {
        const char *on = json_string_value(json_object_get(json_array_get(events, k), "on"));
        n += strcmp(on, kind) == 0;
    }
    return n;
}

/* friction whose sum is `part` of the gravity torque: in all joints, or in one */
static void share(const balance *b, double part, int joint, double coulomb[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += joint < 0 || joint == k ? fabs(b->speed[k]) : 0.0;
    }
    for (int k = 0; k < 3; k++) {
        coulomb[k] = joint < 0 || joint == k ? part * fabs(b->power) / sum : 0.0;
    }
}

Test(constrained_friction, below_breakaway_the_loop_sticks)
{
    const balance b = balance_of();
    for (int joint = -1; joint < 3; joint++) {
        double coulomb[3], q[3], qd[3];
        share(&b, 1.001, joint, coulomb);
        json_t *answer = release(&b, coulomb, 1.0, "{}");
        cr_expect(eq(sz, count_events(answer, "slip"), 0), "joint %d", joint);
        cr_expect(eq(sz, count_events(answer, "stick"), joint < 0 ? 3 : 1));
        tqt_numbers(answer, "q.10", q, 3);
        tqt_numbers(answer, "qd.10", qd, 3);
        for (int k = 0; k < 3; k++) {
            /* a sticking joint does not creep; the projection may change it by the rounding of the
             * assembly */
            cr_expect(fabs(q[k] - b.q[k]) < 1e-13 && fabs(qd[k]) < 1e-13, "%d: %g at %g", joint,
                      q[k] - b.q[k], qd[k]);
        }
        json_decref(answer);
    }
}

Test(constrained_friction, above_breakaway_it_slips)
{
    const balance b = balance_of();
    for (int joint = -1; joint < 3; joint++) {
        double coulomb[3], q[3];
        share(&b, 0.98, joint, coulomb);
        json_t *answer = release(&b, coulomb, 0.5, "{}");
        tqt_numbers(answer, "q.5", q, 3);
        const double way = (q[0] - b.q[0]) * copysign(1.0, b.power);
        cr_expect(way > 1e-3, "joint %d: %g", joint, way);
        cr_expect(fabs(tqt_number(answer, "audit.energy.relative")) < 1e-6);
        json_decref(answer);
    }
}

/* It swings, and comes to rest where friction holds it: all joints at the same time, permanently,
 * with the energy dissipated by friction; by methods of every kind. */
Test(constrained_friction, a_swinging_loop_comes_to_rest, .timeout = 100)
{
    static const struct {
        const char *solver;
        double energy; /* of the largest kinetic energy: the method's error */
    } rows[] = {
        {"{'method': 'dopri87'}", 1e-7},
        {"{'method': 'sdirk', 'rtol': 1e-7, 'atol': 1e-9}", 1e-4},
        {"{'method': 'bdf', 'rtol': 1e-8, 'atol': 1e-10}", 1e-4},
        {"{'method': 'rk4', 'step_s': 0.001}", 1e-5},
        {"{'method': 'semi-implicit-euler', 'step_s': 0.0005}", 5e-2},
        {"{'method': 'implicit-midpoint', 'step_s': 0.001}", 1e-2},
    };
    const balance b = balance_of();
    double coulomb[3], first[3] = {0.0};
    share(&b, 0.3, -1, coulomb);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double q[3], before[3], qd[3];
        json_t *answer = release(&b, coulomb, 6.0, rows[i].solver);
        cr_assert(eq(str, (char *)json_string_value(tqt_at(answer, "verdict.outcome")),
                     (char *)"completed"));
        cr_expect(count_events(answer, "stick") >= 3, "%s", rows[i].solver);
        tqt_numbers(answer, "qd.60", qd, 3);
        tqt_numbers(answer, "q.60", q, 3);
        tqt_numbers(answer, "q.55", before, 3);
        for (int k = 0; k < 3; k++) {
            first[k] = i == 0 ? q[k] : first[k];
            cr_expect(qd[k] == 0.0 && q[k] == before[k], "%s: joint %d creeps", rows[i].solver, k);
            cr_expect(fabs(q[k] - first[k]) < 0.02, "%s: joint %d at %g, not %g", rows[i].solver, k,
                      q[k], first[k]);
        }
        const double left = fabs(tqt_number(answer, "audit.energy.relative"));
        cr_expect(left < rows[i].energy, "%s: %g is missing", rows[i].solver, left);
        json_decref(answer);
    }
}

/* One joint with friction holds the whole loop, which must stay closed: it slips under an
 * increasing torque, and sticks when the motion reverses. */
Test(constrained_friction, one_joint_sticks_a_loop_and_releases_it, .timeout = 60)
{
    const balance b = balance_of();
    char robot[TEXT], body[1024];
    for (int joint = 0; joint < 3; joint++) {
        double coulomb[3] = {0.0, 0.0, 0.0};
        coulomb[joint] = 0.6;
        four_bar(coulomb, robot);
        (void)snprintf(
            body, sizeof body,
            "{'initial': {'q': [%.17g, %.17g, %.17g]}, 'duration_s': 3, 'output': "
            "{'interval_s': 0.05}, 'gravity': [0, 0, 0], 'input': {'kind': 'torque', 't': "
            "[0, 1, 2, 3], 'tau': [[0, 0, 0], [1.5, 0, 0], [-1.5, 0, 0], [0, 0, 0]]}}",
            b.q[0], b.q[1], b.q[2]);
        json_t *answer = tqt_ask(robot, "simulate", body);
        cr_expect(count_events(answer, "stick") >= 1 && count_events(answer, "slip") >= 1);
        cr_expect(strcmp(json_string_value(tqt_at(answer, "verdict.outcome")), "completed") == 0);
        for (size_t k = 0; k <= 60; k++) {
            double q[3];
            char path[32];
            (void)snprintf(path, sizeof path, "q.%zu", k);
            tqt_numbers(answer, path, q, 3);
            const double x = 0.2 * cos(q[0]) + 0.5 * cos(q[0] + q[1]) - 0.5 - 0.4 * cos(q[2]);
            const double y = 0.2 * sin(q[0]) + 0.5 * sin(q[0] + q[1]) - 0.4 * sin(q[2]);
            cr_expect(hypot(x, y) <= 1e-10, "joint %d, row %zu: open by %g", joint, k, hypot(x, y));
        }
        const double left = fabs(tqt_number(answer, "audit.energy.relative"));
        cr_expect(left < 1e-8, "joint %d: %g of the energy is missing", joint, left);
        json_decref(answer);
    }
}

/* two dofs and six joints with friction: some stick while others slip */
Test(constrained_friction, joints_stick_and_slip_one_by_one, .timeout = 60)
{
    static const char *const legs[3] = {"0, 0.25", "0.433, 0", "0.433, 0.5"};
    static const double coulomb[6] = {0.3, 0.1, 0.5, 0.2, 0.15, 0.4};
    char robot[TEXT], body[2048];
    tqa_robot *flat = tqt_builtin("parallel-2dof");
    const double *at = flat->assembled;
    size_t n = (size_t)snprintf(robot, TEXT, "{'gravity': [0, 0, -9.81], 'links': [{'name': 'o'}");
    for (int k = 0; k < 6; k++) {
        n +=
            (size_t)snprintf(robot + n, TEXT - n,
                             ", {'name': 'l%d', 'mass': %g, 'com': [0.122, 0, 0], 'inertia_about': "
                             "'com', 'inertia': [[0.001, 0, 0], [0, 0.006, 0], [0, 0, 0.006]]}",
                             k, k % 2 == 0 ? 1.2 : 0.6);
    }
    for (int k = 0; k < 6; k++) {
        char parent[16] = "o";
        if (k % 2 == 1) {
            (void)snprintf(parent, sizeof parent, "l%d", k - 1);
        }
        n += (size_t)snprintf(robot + n, TEXT - n,
                              "%s {'name': 'j%d', 'kind': 'continuous', 'parent': '%s', 'child': "
                              "'l%d', 'origin': {'position': [%s, 0]}, 'axis': [0, 0, 1], "
                              "'friction': {'coulomb': %g}}",
                              k == 0 ? "], 'joints': [" : ",", k, parent, k,
                              k % 2 == 0 ? legs[k / 2] : "0.244, 0", coulomb[k]);
    }
    (void)snprintf(robot + n, TEXT - n,
                   "], 'constraints': [{'kind': 'loop', 'a': {'link': 'l1', 'position': [0.244, 0, "
                   "0]}, 'b': {'link': 'l3', 'position': [0.244, 0, 0]}, 'axes': ['x', 'y']}, "
                   "{'kind': 'loop', 'a': {'link': 'l1', 'position': [0.244, 0, 0]}, 'b': {'link': "
                   "'l5', 'position': [0.244, 0, 0]}, 'axes': ['x', 'y']}]}");
    (void)snprintf(
        body, sizeof body,
        "{'initial': {'q': [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}, 'duration_s': 2, "
        "'output': {'interval_s': 0.1}, 'input': {'kind': 'torque', 't': [0, 0.5, 1, 1.5, "
        "2], 'tau': [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [-1, 0, 1, 0, 0, 0], [0, "
        "0, -1, 0, 1, 0], [0, 0, 0, 0, 0, 0]]}}",
        at[0], at[1], at[2], at[3], at[4], at[5]);
    json_t *answer = tqt_ask(robot, "simulate", body);
    cr_expect(strcmp(json_string_value(tqt_at(answer, "verdict.outcome")), "completed") == 0);
    cr_expect(count_events(answer, "stick") >= 6 && count_events(answer, "slip") >= 2);
    const double left = fabs(tqt_number(answer, "audit.energy.relative"));
    cr_expect(left < 1e-7, "%g of the energy is missing", left);
    json_decref(answer);
    tqa_robot_free(flat);
}
